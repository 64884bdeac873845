/* SPDX-License-Identifier: Apache-2.0
 * page_plan_charts - Pareto front, cliffs and assumed values of a plan. */
#include "base/plural.h"
#include "reports/page/page_plan_private.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ front */

enum { WIDTH = 400, HEIGHT = 240, LEFT = 48, RIGHT = 12, TOP = 24, BOTTOM = 40 };

/* Range of the chart: prices from `low` to `high`, headroom from `floor` to 1. */
struct plot {
    double low, high, floor;
};

static double query_value(const struct page *page, const char *sql)
{
    struct store_statement *row = store_prepare(page->store, sql);
    const double value = store_step(row) ? store_column_real(row, 0) : 0;
    store_finish(row);
    return value;
}

static double across(const struct plot *plot, double price)
{
    return LEFT + (price - plot->low) / (plot->high - plot->low) * (WIDTH - LEFT - RIGHT);
}

/* Values below the chart's floor are drawn on it. */
static double down(const struct plot *plot, double headroom)
{
    const double shown = headroom < plot->floor ? plot->floor : headroom > 1 ? 1 : headroom;
    return TOP + (1 - shown) / (1 - plot->floor) * (HEIGHT - TOP - BOTTOM);
}

/* Lines at quarters, with every second one labeled. */
static void write_grid(const struct page *page, const struct plot *plot)
{
    for (int i = 0; i <= 4; i++) {
        const double x = LEFT + i * (WIDTH - LEFT - RIGHT) / 4.0, y = down(plot, i / 4.0);
        fprintf(page->out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                x, x, TOP, HEIGHT - BOTTOM, LEFT, WIDTH - RIGHT, y, y);
    }
    fprintf(page->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>"
            "<text x=\"4\" y=\"%.1f\">50%%</text><text x=\"4\" y=\"11\">headroom</text>",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 26,
            words_count((int64_t)((plot->low + plot->high) / 2)).text, down(plot, 0.5) + 4);
}

static void write_axes(const struct page *page, const struct plot *plot)
{
    const double zero = down(plot, 0);
    char currency[64];
    store_ask_text(page->store, "SELECT value FROM plan WHERE key='currency'", currency,
                   sizeof currency);
    write_grid(page, plot);
    fprintf(page->out,
            "<line class=\"limit\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"4\" y=\"%.1f\">limit</text><text x=\"4\" y=\"%d\">100%%</text>",
            LEFT, WIDTH - RIGHT, zero, zero, zero + 4, TOP + 4);
    fprintf(page->out, "<text x=\"%d\" y=\"%d\">%s</text>", LEFT, HEIGHT - 26,
            words_count((int64_t)plot->low).text);
    fprintf(page->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            WIDTH - RIGHT, HEIGHT - 26, words_count((int64_t)plot->high).text,
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
    page_put(page->out, "price%s%s", currency[0] == '\0' ? "" : ", ", currency);
    fputs("</text>\n", page->out);
}

#define SHOWN                                                                                      \
    " FROM candidate c WHERE price IS NOT NULL AND headroom IS NOT NULL AND" PAGE_PLAN_OWN("c")

static void write_line(const struct page *page, const struct plot *plot)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT price, headroom" SHOWN " AND front ORDER BY price");
    fputs("<polyline points=\"", page->out);
    while (store_step(row))
        fprintf(page->out, "%.1f,%.1f ", across(plot, store_real(row, "price")),
                down(plot, store_real(row, "headroom")));
    fputs("\"/>\n", page->out);
    store_finish(row);
}

static void write_points(const struct page *page, const struct plot *plot)
{
    struct store_statement *row = store_prepare(
        page->store, "SELECT price, headroom, front, coalesce(label, name) AS name, result,"
                     " CASE result WHEN 'pass' THEN 'holds' WHEN 'undecided' THEN 'open'"
                     " WHEN 'fail' THEN 'fails' ELSE 'skipped' END AS class,"
                     " candidate=(SELECT value FROM plan WHERE key='chosen') AS chosen"
                     ", " PAGE_PLAN_PERCENT " AS percent" SHOWN " ORDER BY candidate");
    while (store_step(row)) {
        fprintf(page->out, "<circle class=\"%s%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
                store_text(row, "class"), store_int(row, "chosen") != 0 ? " chosen" : "",
                across(plot, store_real(row, "price")), down(plot, store_real(row, "headroom")),
                store_int(row, "front") != 0 ? 7 : 5);
        page_put(page->out, "%s: %s, ", store_text(row, "name"), store_text(row, "result"));
        page_put(page->out, "%s, headroom %s", words_count(store_int(row, "price")).text,
                 store_text(row, "percent"));
        fputs("</title></circle>\n", page->out);
    }
    store_finish(row);
}

static void write_legend(const struct page *page)
{
    static const struct {
        const char *class, *words;
    } items[] = {{"holds", "passes"},       {"open", "undecided"}, {"fails", "fails"},
                 {"skipped", "not needed"}, {"chosen", "chosen"},  {"line", "Pareto front"}};
    fputs("<p class=\"legend\">", page->out);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        fprintf(page->out, "<span><i class=\"point %s\"></i>%s</span>", items[i].class,
                items[i].words);
    fputs("</p>\n", page->out);
}

/* An undecided candidate may still belong to the front. */
static void write_front_state(const struct page *page, bool any)
{
    const int64_t undecided = store_ask_int(
        page->store,
        "SELECT count(*) FROM candidate c WHERE result='undecided' AND" PAGE_PLAN_OWN("c"), 0);
    if (undecided > 0)
        fprintf(page->out, "<p>%s%" PRId64 " %s undecided%s.</p>\n",
                any ? "The front may change: " : "No candidate passes yet: ", undecided,
                plural(undecided, "candidate is", "candidates are"),
                any ? "" : ", so the front is undecided");
    else if (!any)
        fputs("<p>No candidate passes.</p>\n", page->out);
}

void page_plan_front(const struct page *page)
{
    static const struct page_column columns[] = {
        {"candidate", PAGE_CODE},   {"price", PAGE_COUNT},   {"W", PAGE_COUNT},
        {"rack units", PAGE_COUNT}, {"headroom", PAGE_TEXT}, {0}};
    struct plot plot = {query_value(page, "SELECT min(price)" SHOWN),
                        query_value(page, "SELECT max(price)" SHOWN),
                        query_value(page, "SELECT max(-1, min(0, min(headroom)))" SHOWN)};
    page_section(page, "front", "Pareto front",
                 "Candidates that no other candidate beats in price, power and headroom together. "
                 "Headroom is the distance of the closest objective from its limit.");
    if (plot.high > plot.low) {
        fprintf(page->out,
                "<div class=\"wide\"><svg class=\"front\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
                WIDTH, HEIGHT);
        write_axes(page, &plot);
        write_line(page, &plot);
        write_points(page, &plot);
        fputs("</svg></div>\n", page->out);
        write_legend(page);
    }
    write_front_state(
        page,
        page_table(
            page,
            "SELECT coalesce(label, name), price, watts, rack_units, " PAGE_PLAN_PERCENT
            " FROM candidate c WHERE front AND" PAGE_PLAN_OWN("c") " ORDER BY price, candidate",
            columns));
    page_section_end(page);
}

/* ------------------------------------------------------------------ assumed values */

enum { TORNADO_ROWS = 40 };

static void write_change(const struct page *page, const struct store_statement *row, double most)
{
    static const char *const heads[] = {"parameter", "value", "changed to", "objective"},
                             *const columns[] = {"path", "value", "changed", "slo"};
    const double moved = store_real(row, "moved");
    struct page cell = *page;
    fputs("<tr>", page->out);
    for (int i = 0; i < 4; i++) {
        cell.label = heads[i];
        page_cell(&cell, i == 0 ? PAGE_CODE : PAGE_TEXT, row, store_column(row, columns[i]));
    }
    cell.label = "change";
    page_begin_cell(&cell, "n");
    fprintf(page->out, ">%+.3g%%</td>", 100 * moved);
    page_begin_cell(page, "tornado");
    fprintf(page->out, "><i class=\"%s\" style=\"",
            store_int(row, "flips") != 0 ? "flips" : "moves");
    const double share = most > 0 ? 50 * moved / most : 0;
    fprintf(page->out, "left:%.2f%%;width:%.2f%%\"></i></td>", share < 0 ? 50 + share : 50,
            share < 0 ? -share : share);
    page_cell(page, PAGE_TEXT, row, store_column(row, "verdict"));
    cell.label = "candidate";
    page_cell(&cell, PAGE_TEXT, row, store_column(row, "name"));
    fputs("</tr>\n", page->out);
}

static void write_tornado(const struct page *page)
{
    const double most = query_value(page, "SELECT max(abs(moved)) FROM assumed");
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT path, coalesce(value, '') AS value, changed, coalesce(slo, '') AS slo, moved, "
        "flips,"
        " CASE WHEN flips THEN 'changes the choice' ELSE verdict END AS verdict,"
        " (SELECT coalesce(label, name) FROM candidate c WHERE c.candidate=a.candidate) AS name"
        " FROM assumed a WHERE abs(moved)>=0.001 AND matters"
        " ORDER BY flips DESC, max(abs(moved)) OVER (PARTITION BY a.candidate, path) DESC, path,"
        " changed LIMIT ?1");
    store_bind(row, 1, STORE_I(TORNADO_ROWS));
    page_begin_table(page, "");
    fputs("><thead><tr><th>parameter</th><th>value</th><th>changed to</th>"
          "<th>objective</th><th "
          "class=\"n\">change</th><th></th><th></th><th>candidate</th></tr></thead><tbody>\n",
          page->out);
    while (store_step(row))
        write_change(page, row, most);
    fputs("</tbody></table></div>\n", page->out);
    store_finish(row);
}

void page_plan_assumed(const struct page *page)
{
    page_section(
        page, "assumed", "Assumed values",
        "Values without a published source, each changed alone; the change is relative to the "
        "objective's limit.");
    if (store_ask_int(page->store, "SELECT count(*) FROM assumed", 0) == 0) {
        fputs("<p>Not computed. Run <code>stormglass plan --assumed</code> to add this "
              "section.</p>\n",
              page->out);
    } else {
        const int64_t flips =
            store_ask_int(page->store, "SELECT count(DISTINCT path) FROM assumed WHERE flips", 0);
        const int64_t shown = store_ask_int(
            page->store, "SELECT count(*) FROM assumed WHERE abs(moved)>=0.001 AND matters", 0);
        const int64_t still = store_ask_int(
            page->store,
            "SELECT count(DISTINCT path) FROM assumed WHERE path NOT IN (SELECT path FROM assumed"
            " WHERE matters)",
            0);
        fprintf(page->out,
                "<p><b>%" PRId64 "</b> would change the choice; without effect on any run: %" PRId64
                ". Effects below 0.1%% of the limit are omitted.</p>\n",
                flips, still);
        if (shown > 0)
            write_tornado(page);
    }
    page_section_end(page);
}
