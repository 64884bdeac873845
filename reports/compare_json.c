/* SPDX-License-Identifier: Apache-2.0
 * compare_json - the comparison as one object. */
#include "reports/compare_text.h"
#include "reports/json.h"

#include <stdio.h>

static void text(struct json *json, const char *path, const char *value)
{
    json_value(json, path, "text", &(const struct store_value){.text = value});
}

static void boolean(struct json *json, const char *path, bool value)
{
    json_value(json, path, "boolean", &(const struct store_value){.integer = value});
}

static void number(struct json *json, const char *path, int64_t value)
{
    json_value(json, path, "integer", &(const struct store_value){.integer = value});
}

static void real(struct json *json, const char *path, double value)
{
    json_value(json, path, "real", &(const struct store_value){.real = value});
}

/* "rows[3]." and a member */
static const char *member(char path[JSON_PATH_BYTES], const char *list, size_t index,
                          const char *name)
{
    snprintf(path, JSON_PATH_BYTES, "%s[%zu].%s", list, index, name);
    return path;
}

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
        text(json, path, texts[i].value);
    }
    snprintf(path, sizeof path, "%s.measured", name);
    boolean(json, path, side->measured);
    snprintf(path, sizeof path, "%s.started_unix_s", name);
    number(json, path, side->started_unix_s);
}

static void write_rows(struct json *json, const char *list, const struct compare_row *rows,
                       size_t count)
{
    char path[JSON_PATH_BYTES];
    if (count == 0)
        json_value(json, list, "empty", &(const struct store_value){0});
    for (size_t i = 0; i < count; i++) {
        text(json, member(path, list, i, "what"), rows[i].what);
        text(json, member(path, list, i, "model"), rows[i].model);
        text(json, member(path, list, i, "measured"), rows[i].measured);
        boolean(json, member(path, list, i, "equal"), rows[i].equal);
        boolean(json, member(path, list, i, "counts"), rows[i].counts);
    }
}

static void write_figure(struct json *json, size_t workload, enum figure_kind kind,
                         const struct compare_figure *figure)
{
    char path[JSON_PATH_BYTES], name[64];
    const struct {
        const char *word;
        double value;
    } reals[] = {
        {"model", figure->model}, {"measured", figure->measured}, {"error", figure->error}};
    for (size_t i = 0; figure->known && i < 3; i++) {
        snprintf(name, sizeof name, "figures.%s.%s", figure_rows[kind].word, reals[i].word);
        real(json, member(path, "workloads", workload, name), reals[i].value);
    }
    snprintf(name, sizeof name, "figures.%s.judged", figure_rows[kind].word);
    boolean(json, member(path, "workloads", workload, name), figure->judged);
    snprintf(name, sizeof name, "figures.%s.within", figure_rows[kind].word);
    boolean(json, member(path, "workloads", workload, name), figure->within);
}

static void write_workload(struct json *json, size_t index, const struct compare_workload *workload)
{
    char path[JSON_PATH_BYTES];
    text(json, member(path, "workloads", index, "name"), workload->model->name);
    text(json, member(path, "workloads", index, "point"), workload->model->point);
    text(json, member(path, "workloads", index, "range"),
         figure_range_name(workload->model->range));
    text(json, member(path, "workloads", index, "outside"), workload->model->outside);
    for (int k = 0; k < FIGURE_COUNT; k++)
        write_figure(json, index, (enum figure_kind)k, &workload->figures[k]);
}

bool compare_json(const struct compare *compare, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    text(&json, "scenario", compare->sides[0].scenario);
    boolean(&json, "equal", compare_equal(compare));
    real(&json, "tolerance", compare->options.tolerance);
    number(&json, "figures", compare->judged);
    number(&json, "figures_within", compare->within);
    number(&json, "rows", (int64_t)compare->rows_counting);
    number(&json, "rows_different", (int64_t)compare->rows_different);
    write_side(&json, "model", &compare->sides[0]);
    write_side(&json, "measured", &compare->sides[1]);
    write_rows(&json, "settings", compare->settings, compare->setting_count);
    write_rows(&json, "protocol", compare->rows, compare->row_count);
    for (size_t i = 0; i < compare->workload_count; i++)
        write_workload(&json, i, &compare->workloads[i]);
    json_end(&json);
    return ferror(out) == 0;
}
