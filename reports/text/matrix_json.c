/* SPDX-License-Identifier: Apache-2.0
 * matrix_json - the matrix as one object; latencies are in picoseconds. */
#include "reports/text/json_figure.h"
#include "reports/text/matrix_text.h"

static void write_row(struct json *json, size_t index, const struct matrix *matrix)
{
    char path[JSON_PATH_BYTES];
    const struct matrix_row *row = &matrix->rows[index];
    json_text(json, json_member(path, "rows", index, "cell"),
              matrix->predictions->cells[row->cell].name);
    json_text(json, json_member(path, "rows", index, "workload"), row->figures.model->name);
    json_boolean(json, json_member(path, "rows", index, "measured"), row->measured);
    json_boolean(json, json_member(path, "rows", index, "within"), row->holds);
    json_text(json, json_member(path, "rows", index, "range"),
              figure_range_name(row->figures.model->range));
    json_text(json, json_member(path, "rows", index, "protocol"), row->protocol);
    for (int k = 0; k < FIGURE_COUNT; k++)
        json_figure(json, "rows", index, (enum figure_kind)k, &row->figures.figures[k]);
}

bool matrix_json(const struct matrix *matrix, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_text(&json, "grid", matrix->predictions->grid);
    json_text(&json, "predictions", matrix->predictions->digest);
    json_text(&json, "version", matrix->predictions->version);
    json_text(&json, "build", matrix->predictions->build);
    json_text(&json, "device", matrix->on.device);
    json_text(&json, "firmware", matrix->on.firmware);
    json_text(&json, "kernel", matrix->on.kernel);
    json_integer(&json, "first_unix_s", matrix->first_unix_s);
    json_integer(&json, "last_unix_s", matrix->last_unix_s);
    json_number(&json, "tolerance", matrix->options.tolerance);
    json_integer(&json, "cells", matrix->row_count);
    json_integer(&json, "measured", matrix->measured);
    json_integer(&json, "within", matrix->holding);
    for (uint32_t i = 0; i < matrix->row_count; i++)
        write_row(&json, i, matrix);
    json_end(&json);
    return ferror(out) == 0;
}
