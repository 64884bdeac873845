/* SPDX-License-Identifier: Apache-2.0
 * seeds_json - results of several seeds with every figure; latencies in ns. */
#include "reports/summary/seeds_text.h"
#include "reports/text/json_members.h"

#include <string.h>

static void write_run(struct json *json, size_t i, const struct seeds_run *run)
{
    char at[JSON_PATH_BYTES], digest[DIGEST_TEXT_BYTES];
    digest_format(&run->digest, digest);
    json_integer(json, json_member(at, "seeds", i, "seed"), (int64_t)run->seed);
    json_boolean(json, json_member(at, "seeds", i, "played"), run->played);
    json_boolean(json, json_member(at, "seeds", i, "held"), run->held);
    json_text(json, json_member(at, "seeds", i, "digest"), run->played ? digest : "");
}

static void write_figure(struct json *json, size_t workload, enum seeds_figure figure,
                         const struct seeds_summary *summary)
{
    char at[JSON_PATH_BYTES], name[64];
    const struct {
        const char *word;
        double value;
    } reals[] = {{"mean", summary->mean}, {"ci", summary->half}, {"worst", summary->worst}};
    snprintf(name, sizeof name, "%s", seeds_figure_path(figure));
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        snprintf(name + length, sizeof name - length, ".%s", reals[i].word);
        json_number(json, json_member(at, "workloads", workload, name), reals[i].value);
    }
    snprintf(name + length, sizeof name - length, ".worst_seed");
    json_integer(json, json_member(at, "workloads", workload, name), (int64_t)summary->worst_seed);
}

bool seeds_json(const struct seeds *seeds, FILE *out)
{
    struct json json;
    char at[JSON_PATH_BYTES];
    json_begin(&json, out);
    json_text(&json, "scenario", seeds->scenario->name);
    for (uint32_t i = 0; i < seeds->count; i++)
        write_run(&json, i, &seeds->runs[i]);
    if (seeds->scenario->workload_count == 0)
        json_empty(&json, "workloads");
    for (uint32_t w = 0; w < seeds->scenario->workload_count; w++) {
        json_text(&json, json_member(at, "workloads", w, "name"),
                  seeds->scenario->workloads[w].name);
        for (enum seeds_figure figure = 0; figure < SEEDS_FIGURE_COUNT; figure++) {
            const struct seeds_summary summary = seeds_summarise(seeds, w, figure);
            write_figure(&json, w, figure, &summary);
        }
    }
    json_end(&json);
    return ferror(out) == 0;
}
