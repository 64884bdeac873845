/* SPDX-License-Identifier: Apache-2.0
 * compare_json - the comparison as one object. */
#include "reports/text/compare_text.h"
#include "reports/text/json_figure.h"

#include <stdio.h>

static void write_side(struct json *json, const char *name, const struct compare_side *side)
{
    char path[JSON_PATH_BYTES];
    const struct {
        const char *word, *value;
    } texts[] = {{"path", side->path},     {"version", side->version}, {"status", side->status},
                 {"record", side->record}, {"device", side->device},   {"firmware", side->firmware},
                 {"kernel", side->kernel}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(path, sizeof path, "%s.%s", name, texts[i].word);
        json_text(json, path, texts[i].value);
    }
    snprintf(path, sizeof path, "%s.measured", name);
    json_boolean(json, path, side->measured);
    snprintf(path, sizeof path, "%s.started_unix_s", name);
    json_integer(json, path, side->started_unix_s);
}

static void write_rows(struct json *json, const char *list, const struct compare_row *rows,
                       size_t count)
{
    char path[JSON_PATH_BYTES];
    if (count == 0)
        json_empty(json, list);
    for (size_t i = 0; i < count; i++) {
        json_text(json, json_member(path, list, i, "what"), rows[i].what);
        json_text(json, json_member(path, list, i, "model"), rows[i].model);
        json_text(json, json_member(path, list, i, "measured"), rows[i].measured);
        json_boolean(json, json_member(path, list, i, "equal"), rows[i].equal);
        json_boolean(json, json_member(path, list, i, "counts"), rows[i].counts);
    }
}

static void write_figure(struct json *json, size_t workload, enum figure_kind kind,
                         const struct compare_figure *figure)
{
    char path[JSON_PATH_BYTES], name[64];
    json_figure(json, "workloads", workload, kind, figure);
    snprintf(name, sizeof name, "figures.%s.judged", figure_rows[kind].word);
    json_boolean(json, json_member(path, "workloads", workload, name), figure->judged);
    snprintf(name, sizeof name, "figures.%s.within", figure_rows[kind].word);
    json_boolean(json, json_member(path, "workloads", workload, name), figure->within);
}

static void write_workload(struct json *json, size_t index, const struct compare_workload *workload)
{
    char path[JSON_PATH_BYTES];
    json_text(json, json_member(path, "workloads", index, "name"), workload->model->name);
    json_text(json, json_member(path, "workloads", index, "point"), workload->model->point);
    json_text(json, json_member(path, "workloads", index, "range"),
              figure_range_name(workload->model->range));
    json_text(json, json_member(path, "workloads", index, "outside"), workload->model->outside);
    for (int k = 0; k < FIGURE_COUNT; k++)
        write_figure(json, index, (enum figure_kind)k, &workload->figures[k]);
}

bool compare_json(const struct compare *compare, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_text(&json, "scenario", compare->sides[0].scenario);
    json_boolean(&json, "equal", compare_equal(compare));
    json_number(&json, "tolerance", compare->options.tolerance);
    json_integer(&json, "figures", compare->judged);
    json_integer(&json, "figures_within", compare->within);
    json_integer(&json, "rows", (int64_t)compare->rows_counting);
    json_integer(&json, "rows_different", (int64_t)compare->rows_different);
    write_side(&json, "model", &compare->sides[0]);
    write_side(&json, "measured", &compare->sides[1]);
    write_rows(&json, "settings", compare->settings, compare->setting_count);
    write_rows(&json, "protocol", compare->rows, compare->row_count);
    for (size_t i = 0; i < compare->workload_count; i++)
        write_workload(&json, i, &compare->workloads[i]);
    json_end(&json);
    return ferror(out) == 0;
}
