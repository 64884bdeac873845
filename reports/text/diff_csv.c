/* SPDX-License-Identifier: Apache-2.0
 * diff_csv - the differences between two runs as one table. */
#include "reports/text/chart.h"
#include "reports/text/diff_text.h"

static void text(FILE *out, const char *value)
{
    if (value != NULL)
        chart_csv_text(out, value);
}

bool diff_csv(const struct diff *diff, FILE *out)
{
    fputs("section,what,a,b,unit,change\n", out);
    for (int kind = 0; kind < DIFF_SECTION_COUNT; kind++)
        for (size_t i = 0; i < diff->sections[kind].count; i++) {
            const struct diff_row *row = &diff->sections[kind].rows[i];
            fprintf(out, "%s,", diff_section_word((enum diff_section_kind)kind));
            text(out, row->what);
            fputc(',', out);
            text(out, row->texts[0]);
            fputc(',', out);
            text(out, row->texts[1]);
            fprintf(out, ",%s,", row->unit);
            if (row->number && row->values[0] != 0)
                fprintf(out, "%.6g", row->values[1] / row->values[0] - 1);
            fputc('\n', out);
        }
    return ferror(out) == 0;
}
