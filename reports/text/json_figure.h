/* SPDX-License-Identifier: Apache-2.0
 * json_figure - the model's value, the measured value, and the error of a list entry. */
#ifndef STORMGLASS_REPORTS_TEXT_JSON_FIGURE_H
#define STORMGLASS_REPORTS_TEXT_JSON_FIGURE_H

#include "replay/compare/compare.h"
#include "reports/text/json_members.h"

/* "workloads[0].figures.p50.model" etc.; nothing for a figure that only one side has. */
static inline void json_figure(struct json *json, const char *list, size_t index,
                               enum figure_kind kind, const struct compare_figure *figure)
{
    char path[JSON_PATH_BYTES], name[64];
    const struct {
        const char *word;
        double value;
    } reals[] = {
        {"model", figure->model}, {"measured", figure->measured}, {"error", figure->error}};
    for (size_t i = 0; figure->known && i < 3; i++) {
        snprintf(name, sizeof name, "figures.%s.%s", figure_rows[kind].word, reals[i].word);
        json_number(json, json_member(path, list, index, name), reals[i].value);
    }
}

#endif
