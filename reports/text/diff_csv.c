/* SPDX-License-Identifier: Apache-2.0
 * diff_csv - the differences between two runs as one table. */
#include "reports/text/csv.h"
#include "reports/text/diff_text.h"

#include <math.h>

bool diff_csv(const struct diff *diff, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "section,what,a,b,unit,change");
    for (int kind = 0; kind < DIFF_SECTION_COUNT; kind++)
        for (size_t i = 0; i < diff->sections[kind].count; i++) {
            const struct diff_row *row = &diff->sections[kind].rows[i];
            const bool changes = row->number && row->values[0] != 0;
            csv_text(&csv, diff_section_word((enum diff_section_kind)kind));
            csv_text(&csv, row->what);
            csv_text(&csv, row->texts[0]);
            csv_text(&csv, row->texts[1]);
            csv_text(&csv, row->unit);
            csv_real(&csv, changes ? row->values[1] / row->values[0] - 1 : (double)NAN);
            csv_end_row(&csv);
        }
    return ferror(out) == 0;
}
