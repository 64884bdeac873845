/* SPDX-License-Identifier: Apache-2.0
 * claims_text - settled claims for a terminal. */
#include "cli/claims/claims_output.h"
#include "reports/text/paint.h"

#include <string.h>

enum { COLUMNS_MAX = CLAIM_AXES_MAX + CLAIM_FIGURES_MAX };

/* A table: its cells by row, the first row has the headings. */
struct table {
    const struct settled *settled;
    int widths[COLUMNS_MAX];
};

static const char *cell(const struct settled *settled, uint32_t row, uint32_t column)
{
    const struct claim *claim = settled->claim;
    const uint32_t axes = claim->axis_count;
    if (column < axes)
        return row == 0 ? claim->axes[column].name : claims_choice(claim, row - 1, column);
    if (row == 0)
        return claim->figures[column - axes].about;
    return settled->cases[row - 1].state == SETTLE_CASE_NONE
               ? "-"
               : settled->cases[row - 1].figures[column - axes].text;
}

static void measure(struct table *table)
{
    const struct claim *claim = table->settled->claim;
    for (uint32_t column = 0; column < claim->axis_count + claim->figure_count; column++)
        for (uint32_t row = 0; row <= claim->case_count; row++) {
            const int width = (int)strlen(cell(table->settled, row, column));
            if (width > table->widths[column])
                table->widths[column] = width;
        }
}

static void print_row(const struct table *table, uint32_t row, FILE *out)
{
    const struct claim *claim = table->settled->claim;
    char state[CLAIMS_CASE_BYTES] = "claim";
    fputs("  ", out);
    for (uint32_t column = 0; column < claim->axis_count + claim->figure_count; column++)
        fprintf(out, "%-*s  ", table->widths[column], cell(table->settled, row, column));
    if (row > 0)
        claims_state(table->settled, row - 1, state);
    fprintf(out, "%s\n", state);
}

static void print_claim(const struct settled *settled, FILE *out)
{
    const struct paint paint = paint_for(out);
    const struct claim *claim = settled->claim;
    struct table table = {settled, {0}};
    char rows[CLAIMS_ROWS_BYTES];
    claims_rows(claim, rows);
    fprintf(out, "%s%s%s (%s): %s\n  ", paint.bold, claim->name, paint.off, rows, claim->statement);
    claims_verdict(settled, out);
    fputc('\n', out);
    if (claim->stated != NULL)
        fprintf(out, "  The source adds: %s.\n", claim->stated);
    if (claim->cannot_run == NULL) {
        fputc('\n', out);
        measure(&table);
        for (uint32_t row = 0; row <= claim->case_count; row++)
            if (row == 0 || !claim_repeats(claim, row - 1))
                print_row(&table, row, out);
        fputs("\n  The claim holds in a case if: ", out);
        claims_test(claim, out);
        fputs(".\n", out);
    }
    if (claim->why != NULL)
        fprintf(out, "  %s\n", claim->why);
    fprintf(out, "  Source: %s.\n", claim->source);
}

void claims_text(const struct settled *settled, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        print_claim(&settled[i], out);
        fputc('\n', out);
    }
    claims_total(settled, count, out);
}
