/* SPDX-License-Identifier: Apache-2.0
 * page_plan_measures - what each candidate measured: a table of the fabric, and one of each
 * workload, since all of them in one table are wider than a screen. */
#include "replay/plan/plan_measure.h"
#include "reports/page/page_plan_private.h"

#include <string.h>

enum { COLUMNS_MAX = PLAN_MEASURES_WORKLOAD + PLAN_MEASURES_RUN };

struct column {
    int64_t position;
    char name[PLAN_MEASURE_BYTES];
};

/* The table of the fabric is 0, and those of the workloads follow. */
static int64_t table_of(int64_t position)
{
    return position < PLAN_MEASURES_RUN
               ? 0
               : 1 + (position - PLAN_MEASURES_RUN) / PLAN_MEASURES_WORKLOAD;
}

/* "p99" of "oltp.latency.p99" is enough below the name of the workload. */
static const char *name_in_table(int64_t position, const char *name)
{
    static const char *const nameless[PLAN_WORKLOADS_MAX] = {"", "", "", "", "", "",
                                                             "", "", "", "", "", ""};
    char end[PLAN_MEASURE_BYTES];
    plan_measure_name((uint32_t)position, nameless, end);
    const size_t length = strlen(name), tail = strlen(end);
    return table_of(position) == 0 || tail == 0 || tail >= length ? name : name + length - tail + 1;
}

/* Measures that some candidate has and that are not 0 everywhere. */
static int read_columns(const struct page *page, int64_t table, struct column columns[COLUMNS_MAX])
{
    int count = 0;
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT position, min(m.name) AS measure FROM measure m JOIN candidate c USING(candidate)"
        " WHERE trial=0 GROUP BY position HAVING max(abs(value))>0 ORDER BY position");
    while (store_step(row)) {
        const int64_t position = store_int(row, "position");
        if (count == COLUMNS_MAX || position < 0 || position >= PLAN_MEASURES_MAX ||
            table_of(position) != table)
            continue;
        columns[count].position = position;
        snprintf(columns[count++].name, sizeof columns->name, "%s", store_text(row, "measure"));
    }
    store_finish(row);
    return count;
}

/* The name of the workload is what its columns have in common. */
static void begin(const struct page *page, const struct column *columns, int count)
{
    const char *const first = columns[0].name, *rest = name_in_table(columns[0].position, first);
    fputs("<h3>", page->out);
    page_put(page->out, "%.*s", rest == first ? 6 : (int)(rest - first) - 1,
             rest == first ? "fabric" : first);
    fputs("</h3>\n", page->out);
    page_begin_table(page, "");
    fputs("><thead><tr><th>candidate</th>", page->out);
    for (int i = 0; i < count; i++) {
        fputs("<th class=\"n\">", page->out);
        page_text(page->out, name_in_table(columns[i].position, columns[i].name));
        fputs("</th>", page->out);
    }
    fputs("</tr></thead>\n<tbody>", page->out);
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
    cell.label = name_in_table(column->position, column->name);
    page_begin_cell(&cell, "n");
    fputs(">", page->out);
    if (store_step(row) && !store_is_null(row, "mean") && store_int(row, "known") != 0)
        page_text(page->out,
                  plan_measure_words((uint32_t)column->position, store_real(row, "mean")).text);
    fputs("</td>", page->out);
    store_finish(row);
}

static void write_table(const struct page *page, int64_t table)
{
    struct column columns[COLUMNS_MAX];
    struct page named = *page;
    const int count = read_columns(page, table, columns);
    if (count == 0)
        return;
    named.label = "candidate";
    begin(page, columns, count);
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
}

void page_plan_measures(const struct page *page)
{
    page_section(page, "measures", "Measures of each candidate",
                 "Means over the runs of each simulated candidate, without failures; pauses, marks "
                 "and retransmissions are per second.");
    for (int64_t table = 0; table <= PLAN_WORKLOADS_MAX; table++)
        write_table(page, table);
    page_section_end(page);
}
