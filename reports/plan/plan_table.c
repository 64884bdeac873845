/* SPDX-License-Identifier: Apache-2.0
 * plan_table - the measures of all candidates, one row each.
 * A table that is wider than the page continues below with the next measures. */
#include "base/memory.h"
#include "reports/plan/plan_report.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 140, GAP = 2 };

struct column {
    uint32_t measure;
    char text[PLAN_MEASURE_BYTES];
    const char *name; /* in `text`; without the workload if the plan has only one */
    int width;
};

static bool mean_of(const struct plan_candidate *candidate, uint32_t measure, double *mean)
{
    return candidate->states != NULL && plan_mean_measure(&candidate->states[0], measure, mean);
}

static struct words cell_of(const struct plan_candidate *candidate, uint32_t measure)
{
    double mean;
    return mean_of(candidate, measure, &mean) ? plan_measure_words(measure, mean)
                                              : (struct words){"-"};
}

/* The measures of workloads that a candidate has. */
static uint32_t find_columns(const struct plan_state *state, struct column *columns)
{
    uint32_t count = 0;
    for (uint32_t m = PLAN_MEASURES_RUN; m < PLAN_MEASURES_MAX; m++) {
        struct column *column = &columns[count];
        bool any = false;
        double mean;
        for (uint32_t i = 0; i < state->count; i++)
            any |= mean_of(&state->candidates[i], m, &mean);
        if (!any)
            continue;
        column->measure = m;
        plan_measure_name(m, state->workloads, column->text);
        const size_t prefix = state->workload_count == 1 ? strlen(state->workloads[0]) + 1 : 0;
        column->name = column->text + prefix;
        column->width = (int)strlen(column->name) + GAP;
        for (uint32_t i = 0; i < state->count; i++) {
            const int width = (int)strlen(cell_of(&state->candidates[i], m).text) + GAP;
            column->width = width > column->width ? width : column->width;
        }
        count++;
    }
    return count;
}

static void print_block(const struct plan_state *state, const struct column *columns,
                        uint32_t count, int label, FILE *out)
{
    fprintf(out, "\n%-*s", label, "All candidates");
    for (uint32_t c = 0; c < count; c++)
        fprintf(out, "%*s", columns[c].width, columns[c].name);
    fputc('\n', out);
    for (uint32_t i = 0; i < state->count; i++) {
        const struct plan_candidate *candidate = &state->candidates[i];
        fprintf(out, "  %-*s", label - 2, candidate->cell->label);
        for (uint32_t c = 0; c < count; c++)
            fprintf(out, "%*s", columns[c].width, cell_of(candidate, columns[c].measure).text);
        fputc('\n', out);
    }
}

void plan_table(const struct plan_state *state, FILE *out)
{
    struct column *columns = memory_zeroed(PLAN_MEASURES_MAX, sizeof *columns);
    const uint32_t count = find_columns(state, columns);
    int label = (int)strlen("All candidates");
    for (uint32_t i = 0; i < state->count; i++) {
        const int width = (int)strlen(state->candidates[i].cell->label) + 2;
        label = width > label ? width : label;
    }
    for (uint32_t first = 0, next = 0; first < count; first = next) {
        int used = label;
        while (next < count && (next == first || used + columns[next].width <= LINE))
            used += columns[next++].width;
        print_block(state, &columns[first], next - first, label, out);
    }
    free(columns);
}
