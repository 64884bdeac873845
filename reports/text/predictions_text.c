/* SPDX-License-Identifier: Apache-2.0
 * predictions_text - one column for each figure. */
#include "reports/text/predictions_text.h"

#include "replay/database/words.h"
#include "reports/text/compare_text.h"

#include <string.h>

enum { FIGURE_WIDTH = 10, RATE_WIDTH = 12 };

static int width_of(int figure)
{
    return figure_rows[figure].unit == FIGURE_RATE ? RATE_WIDTH : FIGURE_WIDTH;
}

static int longer(int width, const char *name)
{
    const int length = (int)strlen(name);
    return length > width ? length : width;
}

static void print_line(const struct prediction *cell, const struct figures_workload *workload,
                       const int widths[2], FILE *out)
{
    fprintf(out, "%-*s  %-*s%*s", widths[0], cell->name, widths[1], workload->name, FIGURE_WIDTH,
            words_count(workload->tallies[FIGURE_TALLY_completed]).text);
    for (int i = 0; i < FIGURE_COUNT; i++)
        fprintf(out, " %*s", width_of(i),
                workload->known[i] ? compare_value((enum figure_kind)i, workload->values[i]).text
                                   : "-");
    fputc('\n', out);
}

void predictions_text(const struct predictions *predictions, FILE *out)
{
    int widths[2] = {(int)strlen("cell"), (int)strlen("workload")};
    for (uint32_t i = 0; i < predictions->cell_count; i++) {
        widths[0] = longer(widths[0], predictions->cells[i].name);
        for (size_t k = 0; k < predictions->cells[i].figures.count; k++)
            widths[1] = longer(widths[1], predictions->cells[i].figures.workloads[k].name);
    }
    fprintf(out, "%-*s  %-*s%*s", widths[0], "cell", widths[1], "workload", FIGURE_WIDTH, "done");
    for (int i = 0; i < FIGURE_COUNT; i++)
        fprintf(out, " %*s", width_of(i), figure_rows[i].heading);
    fputc('\n', out);
    for (uint32_t i = 0; i < predictions->cell_count; i++)
        for (size_t k = 0; k < predictions->cells[i].figures.count; k++)
            print_line(&predictions->cells[i], &predictions->cells[i].figures.workloads[k], widths,
                       out);
}
