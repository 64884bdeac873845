/* SPDX-License-Identifier: Apache-2.0
 * page_plan_versus - two designs under the same load, side by side. */
#include "reports/page/page_plan_private.h"

#include <inttypes.h>
#include <string.h>

/* Describes each design in one line. */
static const char lines[] =
    "WITH one AS (SELECT side, plan||': '||about AS plan, name,"
    "  verdict||iif(why='', '', ': '||why) AS verdict, currency||' '||printf('%,d', price) AS "
    "price,"
    "  printf('%,d W', watts) AS power, rack_units, command FROM design),"
    " line(position, label) AS (VALUES(0, 'plan'), (1, 'design'), (2, 'verdict'), (3, 'price'),"
    "  (4, 'power'), (5, 'rack units'), (6, 'a run of it')),"
    " cell AS (SELECT side, position, label, CASE position WHEN 0 THEN plan WHEN 1 THEN name"
    "  WHEN 2 THEN verdict WHEN 3 THEN price WHEN 4 THEN iif(price IS NULL, NULL, power)"
    "  WHEN 5 THEN rack_units ELSE command END AS text FROM one JOIN line)"
    "SELECT a.label, coalesce(a.text, ''), coalesce(b.text, '') FROM cell a JOIN cell b"
    " ON a.position=b.position AND a.side='A' AND b.side='B'"
    " WHERE a.text IS NOT NULL OR b.text IS NOT NULL ORDER BY a.position";

static void write_designs(const struct page *page)
{
    static const struct page_column columns[] = {
        {"", PAGE_TEXT}, {"A", PAGE_SENTENCE}, {"B", PAGE_SENTENCE}, {0}};
    static const struct page_column parts[] = {
        {"part", PAGE_TEXT}, {"A", PAGE_COUNT}, {"B", PAGE_COUNT}, {0}};
    page_table(page, lines, columns);
    page_table(page,
               "SELECT part, sum(CASE WHEN side='A' THEN count ELSE 0 END),"
               " sum(CASE WHEN side='B' THEN count ELSE 0 END) FROM design_part GROUP BY part"
               " ORDER BY part",
               parts);
}

enum { EDGE = 99 }; /* start of a bar beyond the right end, so that it is visible */

/* The interval relative to the first design, from -100 % (left) to 100 % (right). */
static void write_bar(const struct page *page, const struct store_statement *row)
{
    const double first = store_real(row, "a"), apart = store_real(row, "difference"),
                 half = store_real(row, "half");
    double ends[2] = {50, 50};
    for (int i = 0; i < 2 && first > 0; i++) {
        const double part = (apart + (i == 0 ? -half : half)) / first;
        ends[i] = 50 + 50 * (part < -1 ? -1 : part > 1 ? 1 : part);
    }
    ends[0] = ends[0] > EDGE ? EDGE : ends[0];
    const int64_t better = store_int(row, "better");
    const bool worse = better != 0 && (apart > 0) != (better > 0);
    page_begin_cell(page, "tornado");
    fprintf(page->out, "><i class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\"></i></td>",
            store_int(row, "differs") == 0 ? "same"
            : better != 0 && !worse        ? "gains"
            : worse                        ? "flips"
                                           : "moves",
            ends[0], ends[1] - ends[0]);
}

static void write_difference(const struct page *page, const struct store_statement *row)
{
    static const char *const heads[] = {"measure", "A", "B", "B - A"}, *const columns[] = {
                                                                           "name", "a_text",
                                                                           "b_text", "apart"};
    struct page cell = *page;
    fputs("<tr>", page->out);
    for (int i = 0; i < 4; i++) {
        cell.label = heads[i];
        page_cell(&cell, i == 0 ? PAGE_CODE : PAGE_TEXT, row, store_column(row, columns[i]));
    }
    if (store_int(row, "differs") == 0)
        fputs("<td>no significant difference</td>", page->out);
    else if (store_real(row, "a") > 0)
        fprintf(page->out, "<td>%+.3g%%</td>",
                100 * store_real(row, "difference") / store_real(row, "a"));
    else
        fputs("<td></td>", page->out);
    write_bar(page, row);
    fputs("</tr>\n", page->out);
}

static void write_case(const struct page *page, const char *failure)
{
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT name, a_text, b_text, difference_text||' +- '||half_text AS apart, differs, a, "
        "difference,"
        " half, better FROM difference WHERE failure=?1 AND (a<>0 OR b<>0) ORDER BY position");
    store_bind(row, 1, STORE_T(failure));
    fputs("<h3>", page->out);
    page_put(page->out, "%s%s", *failure == '\0' ? "Nothing fails" : "With ", failure);
    fputs("</h3>\n", page->out);
    page_begin_table(page, "versus");
    fputs("><thead><tr><th>measure</th><th>A</th>"
          "<th>B</th><th>B - A</th><th></th><th>-100% to 100% of A</th></tr></thead><tbody>\n",
          page->out);
    while (store_step(row))
        write_difference(page, row);
    fputs("</tbody></table></div>\n", page->out);
    store_finish(row);
}

void page_plan_versus(const struct page *page)
{
    if (store_ask_int(page->store, "SELECT count(*) FROM design", 0) == 0)
        return;
    page_section(page, "versus", "Two designs",
                 "Both ran the same load with the same seeds; the differences between paired runs "
                 "have 95% confidence intervals.");
    write_designs(page);
    struct store_statement *row =
        store_prepare(page->store, "SELECT failure FROM difference GROUP BY failure ORDER BY"
                                   " failure");
    while (store_step(row)) {
        char failure[256];
        snprintf(failure, sizeof failure, "%s", store_text(row, "failure"));
        write_case(page, failure);
    }
    store_finish(row);
    page_section_end(page);
}
