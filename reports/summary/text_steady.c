/* SPDX-License-Identifier: Apache-2.0
 * text_steady - a line for each workload: figures with half their 95 % interval, or that it has not
 * settled and how long a window may do. */
#include "reports/summary/text_steady.h"

#include "replay/database/figure.h"

#include <inttypes.h>

enum { ROWS_MAX = 8, COLUMN = 20 };

/* "62.6 us +- 1.2%" */
static struct words with_half(struct words value, const struct store_statement *row, int column)
{
    struct words both;
    const double of = store_real(row, column), half = store_real(row, column + 1);
    if (figure_is_undefined(row, column + 1) || of <= 0)
        return value;
    snprintf(both.text, sizeof both.text, "%.16s +- %.8s", value.text,
             words_percent(half, of).text);
    return both;
}

static struct words time_of(const struct store_statement *row, int column)
{
    return with_half(figure_time(row, column), row, column);
}

static void write_row(const struct store_statement *row, FILE *out, const struct paint *paint)
{
    fprintf(out, "  %-18.18s%12s%*s%*s%*s%*s\n", store_text(row, 0),
            words_time(store_int(row, 2)).text, COLUMN, with_half(figure_rate(row, 4), row, 4).text,
            COLUMN, time_of(row, 6).text, COLUMN, time_of(row, 8).text, COLUMN,
            time_of(row, 10).text);
    if (store_int(row, 1) != 0)
        return;
    fprintf(out, "  %18s%snot steady after %s: ", "", paint->bad,
            words_time(store_int(row, 12)).text);
    const bool estimate = store_column_type(row, 3) != STORE_NULL;
    if (!estimate && store_column_type(row, 15) != STORE_NULL)
        fprintf(out, "%s; needs at least %s", store_text(row, 14),
                words_time(store_int(row, 15)).text);
    else if (!estimate)
        fputs(store_text(row, 14), out);
    else if (store_column_type(row, 13) != STORE_NULL)
        fprintf(out, "needs about %s (--set %s)", words_time(store_int(row, 3)).text,
                store_text(row, 13));
    else
        fprintf(out, "needs about %s, and its work ends before",
                words_time(store_int(row, 3)).text);
    fprintf(out, "%s\n", paint->off);
}

void text_steady(struct store *store, FILE *out, const struct paint *paint)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT w.name, settled, from_ps-w.start_ps, needs_ps, s.goodput_bps, goodput_half,"
               " mean_ps, mean_half, p50_ps, p50_half, p99_ps, p99_half, until_ps-w.start_ps, "
               "s.remedy, s.reason, needs_at_least_ps"
               " FROM steady s JOIN workload w USING(workload) ORDER BY workload");
    for (int64_t shown = 0; shown < ROWS_MAX && store_step(rows); shown++) {
        if (shown == 0)
            fprintf(out, "\n%s%-20s%12s%*s%*s%*s%*s%s\n", paint->bold, "Steady part", "warm-up",
                    COLUMN, "goodput", COLUMN, "mean", COLUMN, "p50", COLUMN, "p99", paint->off);
        write_row(rows, out, paint);
    }
    store_finish(rows);
}
