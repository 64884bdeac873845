/* SPDX-License-Identifier: Apache-2.0
 * predictions_json - writes to memory first, because the seal is computed over the bytes. */
#include "reports/text/predictions_json.h"

#include "base/memory.h"
#include "reports/text/json_members.h"

#include <stdlib.h>
#include <string.h>

static void write_words(struct json *json, const char *list, const char **words, uint32_t count)
{
    char path[JSON_PATH_BYTES];
    if (count == 0)
        json_empty(json, list);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s[%u]", list, (unsigned)i);
        json_text(json, path, words[i]);
    }
}

static void write_model(struct json *json, const struct predictions *predictions)
{
    char path[JSON_PATH_BYTES];
    json_integer(json, "stormglass-predictions", PREDICTIONS_FORMAT);
    json_text(json, "grid", predictions->grid);
    json_text(json, "about", predictions->about);
    json_text(json, "scenario", predictions->scenario);
    json_text(json, "version", predictions->version);
    json_text(json, "build", predictions->build);
    json_text(json, "sources", predictions->sources);
    if (predictions->profile_count == 0)
        json_empty(json, "profiles");
    for (size_t i = 0; i < predictions->profile_count; i++) {
        json_text(json, json_member(path, "profiles", i, "name"), predictions->profiles[i].name);
        json_text(json, json_member(path, "profiles", i, "digest"),
                  predictions->profiles[i].digest);
    }
    for (uint32_t i = 0; i < predictions->axis_count; i++) {
        const struct grid_axis *axis = &predictions->axes[i];
        json_text(json, json_member(path, "axes", i, "path"), axis->path);
        json_text(json, json_member(path, "axes", i, "as"), axis->as);
        write_words(json, json_member(path, "axes", i, "values"), axis->values, axis->value_count);
    }
}

/* "cells[3].workloads[0].figures.p50", in `path`. */
static const char *below(char path[JSON_PATH_BYTES], const char *workload, const char *group,
                         const char *name)
{
    snprintf(path, JSON_PATH_BYTES, "%.60s.%s%.30s", workload, group, name);
    return path;
}

static void write_workload(struct json *json, const char *at,
                           const struct figures_workload *workload)
{
    char path[JSON_PATH_BYTES];
    json_text(json, below(path, at, "", "name"), workload->name);
    json_boolean(json, below(path, at, "", "bounded"), workload->bounded);
    json_text(json, below(path, at, "", "point"), workload->point);
    json_text(json, below(path, at, "", "range"), figure_range_name(workload->range));
    json_text(json, below(path, at, "", "outside"), workload->outside);
    for (int i = 0; i < FIGURE_TALLY_COUNT; i++)
        json_integer(json, below(path, at, "counts.", figure_tallies[i].word),
                     workload->tallies[i]);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        below(path, at, "figures.", figure_rows[i].word);
        if (workload->known[i])
            json_number(json, path, workload->values[i]);
        else
            json_null(json, path);
    }
}

static void write_cell(struct json *json, size_t index, const struct prediction *cell)
{
    char path[JSON_PATH_BYTES], workload[64];
    json_text(json, json_member(path, "cells", index, "name"), cell->name);
    write_words(json, json_member(path, "cells", index, "sets"), cell->sets, cell->set_count);
    json_text(json, json_member(path, "cells", index, "run"), cell->run);
    json_text(json, json_member(path, "cells", index, "work"), cell->work);
    for (size_t i = 0; i < cell->figures.count; i++) {
        snprintf(workload, sizeof workload, "cells[%zu].workloads[%zu]", index, i);
        write_workload(json, workload, &cell->figures.workloads[i]);
    }
}

/* Everything except the seal. The last value is at the top level, so only the root is still
 * open. */
static bool write_body(const struct predictions *predictions, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    write_model(&json, predictions);
    for (uint32_t i = 0; i < predictions->cell_count; i++)
        write_cell(&json, i, &predictions->cells[i]);
    json_integer(&json, "frozen", predictions->cell_count);
    return fflush(out) == 0 && ferror(out) == 0;
}

bool predictions_json(struct predictions *predictions, FILE *out)
{
    char *body = NULL;
    size_t length = 0;
    FILE *memory = memory_stream(&body, &length);
    const bool well = write_body(predictions, memory);
    memory_stream_end(memory);
    if (well) {
        const struct digest digest = digest_of(body, length);
        digest_format(&digest, predictions->digest);
        fwrite(body, 1, length, out);
        fprintf(out, "%s%s%s", PREDICTIONS_SEAL, predictions->digest, PREDICTIONS_SEAL_END);
    }
    free(body);
    return well && ferror(out) == 0;
}
