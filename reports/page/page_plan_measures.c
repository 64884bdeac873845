/* SPDX-License-Identifier: Apache-2.0
 * page_plan_measures - latency, pauses and fairness of each candidate, one column each. */
#include "replay/plan/plan_measure.h"
#include "reports/page/page_plan_private.h"

enum { COLUMNS_MAX = 24 };

struct column {
    int64_t position;
    char name[64];
};

/* Measures that some candidate has and that are not 0 everywhere. */
static int read_columns(const struct page *page, struct column columns[COLUMNS_MAX])
{
    int count = 0;
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT position, min(m.name) AS measure FROM measure m JOIN candidate c USING(candidate)"
        " WHERE trial=0 GROUP BY position HAVING max(abs(value))>0 ORDER BY position");
    fputs("<thead><tr><th>candidate</th>", page->out);
    while (store_step(row)) {
        const int64_t position = store_int(row, "position");
        if (count == COLUMNS_MAX || position < 0 || position >= PLAN_MEASURES_MAX)
            continue;
        columns[count].position = position;
        snprintf(columns[count++].name, sizeof columns->name, "%s", store_text(row, "measure"));
        fputs("<th class=\"n\">", page->out);
        page_text(page->out, store_text(row, "measure"));
        fputs("</th>", page->out);
    }
    fputs("</tr></thead>\n<tbody>", page->out);
    store_finish(row);
    return count;
}

static void write_mean(const struct page *page, int64_t candidate, const struct column *column)
{
    struct page cell = *page;
    struct store_statement *row =
        store_prepare(page->store, "SELECT avg(value) AS mean, count(*)=count(value) AS known FROM "
                                   "measure WHERE candidate=?1 AND"
                                   " trial=0 AND position=?2");
    store_bind(row, 1, STORE_I(candidate));
    store_bind(row, 2, STORE_I(column->position));
    cell.label = column->name;
    page_begin_cell(&cell, "n");
    fputs(">", page->out);
    if (store_step(row) && !store_is_null(row, "mean") && store_int(row, "known") != 0)
        page_text(page->out,
                  plan_measure_words((uint32_t)column->position, store_real(row, "mean")).text);
    fputs("</td>", page->out);
    store_finish(row);
}

void page_plan_measures(const struct page *page)
{
    struct column columns[COLUMNS_MAX];
    struct page named = *page;
    page_section(page, "measures", "Measures of each candidate",
                 "Means over the runs of each simulated candidate, without failures; pauses, marks "
                 "and retransmissions are per second.");
    named.label = "candidate";
    page_begin_table(page, "");
    fputs(">", page->out);
    const int count = read_columns(page, columns);
    struct store_statement *row =
        store_prepare(page->store, "SELECT coalesce(label, name) AS name, candidate FROM candidate "
                                   "c WHERE EXISTS (SELECT 1 FROM run r WHERE"
                                   " r.candidate=c.candidate AND trial=0) ORDER BY candidate");
    while (store_step(row)) {
        fputs("<tr>", page->out);
        page_cell(&named, PAGE_CODE, row, store_column(row, "name"));
        for (int i = 0; i < count; i++)
            write_mean(page, store_int(row, "candidate"), &columns[i]);
        fputs("</tr>\n", page->out);
    }
    store_finish(row);
    fputs("</tbody></table></div>\n", page->out);
    page_section_end(page);
}
