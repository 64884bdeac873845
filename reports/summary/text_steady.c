/* SPDX-License-Identifier: Apache-2.0
 * text_steady - one line for each workload: figures with half of their 95 % interval, or that it is
 * not steady and how long a window it needs. */
#include "reports/summary/text_part.h"

#include "replay/database/figure.h"

#include <inttypes.h>

enum { ROWS_MAX = 8, COLUMN = 20 };

/* "62.6 us +- 1.2%"; "unknown" if the interval contains 0. */
static struct words with_half(struct words value, const struct store_statement *row,
                              const char *column, const char *half_column)
{
    struct words both;
    const double of = store_real(row, column), half = store_real(row, half_column);
    if (figure_is_undefined(row, half_column) || of <= 0)
        return value;
    if (half < of)
        snprintf(both.text, sizeof both.text, "%.16s +- %.8s", value.text,
                 words_percent(half, of).text);
    else
        snprintf(both.text, sizeof both.text, "unknown");
    return both;
}

static struct words time_of(const struct store_statement *row, const char *column, const char *half)
{
    return with_half(figure_time(row, column), row, column, half);
}

static void write_row(const struct store_statement *row, const struct text *text)
{
    fprintf(text->out, "  %-18.18s%12s%*s%*s%*s%*s\n", store_text(row, "name"),
            words_time(store_int(row, "warm_up_ps")).text, COLUMN,
            with_half(figure_rate(row, "goodput_bps"), row, "goodput_bps", "goodput_half").text,
            COLUMN, time_of(row, "mean_ps", "mean_half").text, COLUMN,
            time_of(row, "p50_ps", "p50_half").text, COLUMN,
            time_of(row, "p99_ps", "p99_half").text);
    if (store_int(row, "settled") != 0)
        return;
    fprintf(text->out, "  %18s%snot steady after %s: ", "", text->paint.bad,
            words_time(store_int(row, "span_ps")).text);
    const bool estimate = !store_is_null(row, "needs_ps");
    if (!estimate && !store_is_null(row, "needs_at_least_ps"))
        fprintf(text->out, "%s; run at least %s", store_text(row, "reason"),
                words_time(store_int(row, "needs_at_least_ps")).text);
    else if (!estimate)
        fputs(store_text(row, "reason"), text->out);
    else if (!store_is_null(row, "remedy"))
        fprintf(text->out, "run about %s (--set %s)", words_time(store_int(row, "needs_ps")).text,
                store_text(row, "remedy"));
    else
        fprintf(text->out, "a steady state needs about %s, but the workload ends earlier",
                words_time(store_int(row, "needs_ps")).text);
    fprintf(text->out, "%s\n", text->paint.off);
}

void text_steady(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store,
        "SELECT w.name, settled, from_ps-w.start_ps AS warm_up_ps, needs_ps, s.goodput_bps, "
        "goodput_half,"
        " mean_ps, mean_half, p50_ps, p50_half, p99_ps, p99_half,"
        " until_ps-w.start_ps AS span_ps, s.remedy, s.reason, needs_at_least_ps"
        " FROM steady s JOIN workload w USING(workload) ORDER BY workload");
    for (int64_t shown = 0; shown < ROWS_MAX && store_step(rows); shown++) {
        if (shown == 0)
            fprintf(text->out, "\n%s%-20s%12s%*s%*s%*s%*s%s\n", text->paint.bold, "After warm-up",
                    "warm-up", COLUMN, "goodput", COLUMN, "mean", COLUMN, "p50", COLUMN, "p99",
                    text->paint.off);
        write_row(rows, text);
    }
    store_finish(rows);
}
