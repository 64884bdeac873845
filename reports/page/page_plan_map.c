/* SPDX-License-Identifier: Apache-2.0
 * page_plan_map - heat maps of a plan: the best candidate for each pair of values of two axes. */
#include "reports/page/page_plan_private.h"

#include <inttypes.h>
#include <string.h>

enum { MAPS_MAX = 6, VALUES_MAX = 40 };

/* For each pair of values: number of candidates, how many pass, how many were not run, and the
 * cheapest that passes. Rows and columns are in the order of the plan. */
static const char cells[] =
    "WITH place AS MATERIALIZED (SELECT s.candidate AS candidate, s.position AS axis,"
    "  substr(s.text, length(a.path)+2) AS value FROM setting s JOIN axis a ON a.axis=s.position),"
    " tall AS (SELECT value, min(candidate) AS first FROM place WHERE axis=?1 GROUP BY value"
    "  ORDER BY first LIMIT ?3),"
    " broad AS (SELECT value, min(candidate) AS first FROM place WHERE axis=?2 GROUP BY value"
    "  ORDER BY first LIMIT ?3),"
    " pair AS (SELECT r.value AS row, k.value AS col, count(*) AS all_of,"
    "  sum(c.verdict='holds') AS holding, sum(c.verdict IN ('dearer', 'open')) AS left,"
    "  sum(c.result='undecided' AND c.verdict<>'open') AS unsure,"
    "  min(CASE WHEN c.verdict='holds' THEN c.price END) AS price,"
    "  max(CASE WHEN c.verdict='holds' THEN c.headroom END) AS headroom, group_concat(DISTINCT "
    "c.why) AS why,"
    "  replace(group_concat(DISTINCT c.verdict), ',', ', ') AS verdict,"
    "  min(coalesce((SELECT command FROM trial t WHERE t.candidate=c.candidate AND command IS NOT "
    "NULL"
    "   ORDER BY verdict IN ('holds', 'open'), trial LIMIT 1), '~')) AS command"
    "  FROM place r JOIN place k ON k.candidate=r.candidate AND k.axis=?2"
    "  JOIN candidate c ON c.candidate=r.candidate WHERE r.axis=?1 GROUP BY 1, 2)"
    "SELECT tall.value AS row_value, all_of, holding, left, unsure, price, headroom, why, verdict, "
    "command"
    " FROM tall CROSS JOIN broad LEFT JOIN pair ON row=tall.value AND col=broad.value"
    " ORDER BY tall.first, broad.first";

/* The command of a run of the cell; nothing if there was none. */
static void write_command(const struct page *page, const struct store_statement *row)
{
    const char *command = store_text(row, "command");
    if (strcmp(command, "~") != 0)
        page_text(page->out, command);
}

static void write_cell(const struct page *page, const struct store_statement *row)
{
    const int64_t all = store_int(row, "all_of"), holding = store_int(row, "holding"),
                  left = store_int(row, "left");
    if (all == 0) {
        fputs("<td></td>", page->out);
    } else if (holding > 0) {
        const double headroom = store_real(row, "headroom");
        const double shown = headroom < 0 ? 0 : headroom > 1 ? 1 : headroom;
        fprintf(page->out, "<td class=\"holds\" style=\"--share:%.0f%%\" title=\"",
                10 + 45 * shown);
        write_command(page, row);
        fputs("\"><b>", page->out);
        if (!store_is_null(row, "price"))
            page_text(page->out, words_count(store_int(row, "price")).text);
        else
            fputs("passes", page->out);
        if (headroom < 0)
            fputs("</b>within the tolerance", page->out);
        else
            fprintf(page->out, "</b>%.3g%%", 100 * headroom);
        fprintf(page->out, ", %" PRId64 " of %" PRId64 "</td>", holding, all);
    } else if (left > 0 && store_int(row, "unsure") == 0) {
        fputs("<td class=\"left\">not run</td>", page->out);
    } else {
        fprintf(page->out, "<td class=\"%s\" title=\"",
                store_int(row, "unsure") > 0 ? "unsure" : "fails");
        page_text(page->out, store_text(row, "why"));
        fputs("&#10;", page->out);
        write_command(page, row);
        fputs("\">", page->out);
        page_text(page->out, store_text(row, "verdict"));
        fputs("</td>", page->out);
    }
}

static void write_head(const struct page *page, int64_t tall, int64_t broad)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT r.short_name AS tall, k.short_name AS broad FROM axis r "
                                   "JOIN axis k WHERE r.axis=?1 AND"
                                   " k.axis=?2");
    store_bind(row, 1, STORE_I(tall));
    store_bind(row, 2, STORE_I(broad));
    if (store_step(row)) {
        fputs("<h3>", page->out);
        page_put(page->out, "%s, by ", store_text(row, "tall"));
        page_text(page->out, store_text(row, "broad"));
        fputs("</h3>\n", page->out);
    }
    store_finish(row);
}

static void write_columns(const struct page *page, int64_t axis)
{
    struct store_statement *row = store_prepare(
        page->store, "SELECT substr(s.text, length(a.path)+2) AS value FROM setting s JOIN axis a"
                     " ON a.axis=s.position WHERE a.axis=?1 GROUP BY value ORDER BY"
                     " min(s.candidate) LIMIT ?2");
    store_bind(row, 1, STORE_I(axis));
    store_bind(row, 2, STORE_I(VALUES_MAX));
    fputs("<thead><tr><th></th>", page->out);
    while (store_step(row)) {
        fputs("<th>", page->out);
        page_text(page->out, store_text(row, "value"));
        fputs("</th>", page->out);
    }
    fputs("</tr></thead>", page->out);
    store_finish(row);
}

static void write_map(const struct page *page, int64_t tall, int64_t broad)
{
    char at[256] = "";
    struct store_statement *row = store_prepare(page->store, cells);
    store_bind(row, 1, STORE_I(tall));
    store_bind(row, 2, STORE_I(broad));
    store_bind(row, 3, STORE_I(VALUES_MAX));
    write_head(page, tall, broad);
    fputs("<div class=\"wide\"><table class=\"map\">", page->out);
    write_columns(page, broad);
    fputs("<tbody>", page->out);
    bool open = false;
    while (store_step(row)) {
        char value[sizeof at];
        snprintf(value, sizeof value, "%s", store_text(row, "row_value"));
        if (!open || strcmp(value, at) != 0) {
            fputs(open ? "</tr>\n<tr><th>" : "<tr><th>", page->out);
            page_text(page->out, value);
            fputs("</th>", page->out);
            memcpy(at, value, sizeof at);
            open = true;
        }
        write_cell(page, row);
    }
    fputs(open ? "</tr></tbody></table></div>\n" : "</tbody></table></div>\n", page->out);
    store_finish(row);
}

void page_plan_map(const struct page *page)
{
    int64_t pairs[MAPS_MAX][2];
    int count = 0;
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT r.axis AS tall, k.axis AS broad FROM axis r JOIN axis k ON k.axis>r.axis ORDER BY"
        " r.axis, k.axis LIMIT ?1");
    store_bind(row, 1, STORE_I(MAPS_MAX));
    for (; count < MAPS_MAX && store_step(row); count++) {
        pairs[count][0] = store_int(row, "tall");
        pairs[count][1] = store_int(row, "broad");
    }
    store_finish(row);
    page_section(page, "map", "Map",
                 "For each pair of settings: the cheapest candidate that passes, the largest "
                 "headroom of those candidates, and how many of all candidates pass.");
    for (int i = 0; i < count; i++)
        write_map(page, pairs[i][0], pairs[i][1]);
    if (count == 0)
        fputs("<p>The plan varies fewer than two settings.</p>\n", page->out);
    page_section_end(page);
}
