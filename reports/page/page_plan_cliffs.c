/* SPDX-License-Identifier: Apache-2.0
 * page_plan_cliffs - how far the chosen candidate can be pushed along each axis: curves with
 * intervals, rows. */
#include "replay/plan/plan_judge.h"
#include "reports/page/page_plan_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    WIDTH = 400,
    HEIGHT = 180,
    LEFT = 52,
    RIGHT = 16,
    TOP = 12,
    BOTTOM = 30,
    LETTER = 7, /* width of a letter in units of the drawing */
    POINTS_MAX = 64,
    RUNS_MAX = 1000
};

/* Headroom at one value of an axis, for the objective with the least. */
struct point {
    double mean, half;
    bool known;
    bool fails; /* without a known headroom */
    char value[48];
};

static double across(uint32_t position, uint32_t count)
{
    return count < 2 ? (LEFT + WIDTH - RIGHT) / 2.0
                     : LEFT + position * (double)(WIDTH - LEFT - RIGHT) / (count - 1);
}

/* Range -1 to 1; values beyond are drawn on the edge. */
static double down(double slack)
{
    const double shown = slack < -1 ? -1 : slack > 1 ? 1 : slack;
    return TOP + (1 - shown) / 2 * (HEIGHT - TOP - BOTTOM);
}

/* Whether the headroom of an objective is that of the point; if so, keeps half of its interval.
 * Means of slacks (plan_play.h) are converted to headroom (plan_state.h). */
static bool fits_point(struct point *point, double headroom, double half)
{
    if (fabs(headroom - point->mean) > 1e-9 * (1 + fabs(headroom)))
        return false;
    point->half = half;
    return true;
}

static void take_point(struct point *point, const struct store_statement *row)
{
    const double mean = store_real(row, "mean"), squares = store_real(row, "squares");
    const int64_t runs = store_int(row, "runs");
    const double variance =
        runs < 2 ? 0 : (squares - mean * mean) * (double)runs / (double)(runs - 1);
    const double half =
        variance > 0 ? plan_student_95((uint32_t)runs - 1) * sqrt(variance / (double)runs) : 0;
    if (!fits_point(point, mean, half))
        fits_point(point, mean / (1 + mean), half / ((1 + mean) * (1 + mean)));
}

/* Returns the number of points. */
static uint32_t read_points(const struct page *page, int64_t cliff, struct point *points)
{
    uint32_t count = 0;
    struct store_statement *row = store_prepare(
        page->store, "SELECT k.position, k.value, avg(f.slack) AS mean, count(f.slack) AS runs,"
                     " avg(f.slack*f.slack) AS squares, headroom,"
                     " EXISTS(SELECT 1 FROM candidate c WHERE c.candidate=k.candidate AND"
                     " c.result='fail') AS fails"
                     " FROM cliff k LEFT JOIN figure f ON f.candidate=k.candidate AND f.slack<>0"
                     " WHERE k.cliff=?1 GROUP BY k.position, f.slo, f.trial ORDER BY k.position");
    store_bind(row, 1, STORE_I(cliff));
    while (store_step(row)) {
        const int64_t position = store_int(row, "position");
        if (position < 0 || position >= POINTS_MAX)
            continue;
        struct point *point = &points[position];
        count = count > (uint32_t)position ? count : (uint32_t)position + 1;
        snprintf(point->value, sizeof point->value, "%.40s", store_text(row, "value"));
        point->known = !store_is_null(row, "headroom");
        point->fails = !point->known && store_int(row, "fails") != 0;
        point->mean = store_real(row, "headroom");
        if (point->known && store_int(row, "runs") > 1 && store_int(row, "runs") <= RUNS_MAX)
            take_point(point, row);
    }
    store_finish(row);
    return count;
}

/* As many values as fit; the outermost are aligned inwards. */
static void write_values(const struct page *page, const struct point *points, uint32_t count)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (strlen(points[i].value) > longest)
            longest = strlen(points[i].value);
    const uint32_t step =
        1 + count * ((uint32_t)longest + 2) * LETTER / (uint32_t)(WIDTH - LEFT - RIGHT);
    for (uint32_t i = 0; i < count; i += count <= 2 ? 1 : step) {
        const char *anchor = count < 2        ? "middle"
                             : i == 0         ? "start"
                             : i + 1 == count ? "end"
                                              : "middle";
        fprintf(page->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", across(i, count),
                HEIGHT - 10, anchor);
        page_text(page->out, points[i].value);
        fputs("</text>", page->out);
    }
}

/* On the limit, since how far it is beyond is not known. */
static void write_cross(const struct page *page, const struct point *point, double x)
{
    const double y = down(0);
    fprintf(page->out, "<path class=\"cross\" d=\"M%.1f %.1fl10 10m0 -10l-10 10\"><title>", x - 5,
            y - 5);
    page_put(page->out, "%s: fails; its headroom is not known", point->value);
    fputs("</title></path>\n", page->out);
}

static void write_curve(const struct page *page, const struct point *points, uint32_t count)
{
    const double zero = down(0);
    fprintf(page->out,
            "<div class=\"wide\"><svg class=\"front cliff\" viewBox=\"0 0 %d %d\" role=\"img\">"
            "<line class=\"limit\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"4\" y=\"%.1f\">limit</text><text x=\"4\" y=\"%d\">100%%</text>"
            "<text x=\"4\" y=\"%d\">-100%%</text>\n<polyline points=\"",
            WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, zero, zero, zero + 4, TOP + 4, HEIGHT - BOTTOM + 4);
    for (uint32_t i = 0; i < count; i++)
        if (points[i].known)
            fprintf(page->out, "%.1f,%.1f ", across(i, count), down(points[i].mean));
    fputs("\"/>\n", page->out);
    write_values(page, points, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct point *point = &points[i];
        const double x = across(i, count);
        if (point->fails)
            write_cross(page, point, x);
        if (!point->known)
            continue;
        fprintf(page->out,
                "<line class=\"span\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>",
                x, x, down(point->mean - point->half), down(point->mean + point->half),
                point->mean < 0 ? "fails" : "holds", x, down(point->mean));
        page_put(page->out, "%s: headroom %.3g%% +- %.3g%%", point->value, 100 * point->mean,
                 100 * point->half);
        fputs("</title></circle>\n", page->out);
    }
    fputs("</svg></div>\n", page->out);
}

/* Other changes, and the last value that passes with each. */
static void write_moves(const struct page *page, int64_t cliff)
{
    struct store_statement *row = store_prepare(
        page->store,
        "SELECT path, value, CASE WHEN NOT played THEN 'not run' WHEN steps=0 THEN 'no change'"
        " WHEN holds_to IS NULL THEN 'fails already at ' || breaks_at"
        " WHEN breaks_at IS NULL THEN 'passes up to ' || holds_to || ', the highest value of the "
        "plan'"
        " ELSE 'passes up to ' || holds_to || ', fails at ' || breaks_at END AS holds, "
        "coalesce(why, '') AS "
        "breaks,"
        " coalesce(bottleneck, '') AS limited FROM move WHERE cliff=?1 ORDER BY steps DESC, lever");
    static const char *const heads[] = {"result", "reason", "bottleneck"}, *const columns[] = {
                                                                               "holds", "breaks",
                                                                               "limited"};
    struct page cell = *page;
    bool any = false;
    store_bind(row, 1, STORE_I(cliff));
    while (store_step(row)) {
        if (!any)
            page_begin_table(page, "moves");
        if (!any)
            fputs("><thead><tr><th>change</th>"
                  "<th>result</th><th>reason</th><th>bottleneck</th></tr></thead><tbody>\n",
                  page->out);
        any = true;
        fputs("<tr><td class=\"code\">", page->out);
        page_put(page->out, "%s=%s", store_text(row, "path"), store_text(row, "value"));
        fputs("</td>", page->out);
        for (int i = 0; i < 3; i++) {
            cell.label = heads[i];
            page_cell(&cell, PAGE_TEXT, row, store_column(row, columns[i]));
        }
        fputs("</tr>\n", page->out);
    }
    store_finish(row);
    if (any)
        fputs("</tbody></table></div>\n", page->out);
}

static void write_cliff(const struct page *page, int64_t cliff, const char *path)
{
    struct point points[POINTS_MAX] = {{.known = false}};
    const uint32_t count = read_points(page, cliff, points);
    fputs("<h3>", page->out);
    page_text(page->out, path);
    fputs("</h3>\n", page->out);
    write_curve(page, points, count);
    write_moves(page, cliff);
}

void page_plan_cliffs(const struct page *page, bool linked)
{
    const struct page_column columns[] = {{"parameter", PAGE_CODE},
                                          {"value", PAGE_TEXT},
                                          {"result", PAGE_TEXT},
                                          {"headroom", PAGE_TEXT},
                                          {"reason", PAGE_SENTENCE},
                                          {"bottleneck", PAGE_SENTENCE},
                                          {"command", PAGE_COMMAND},
                                          {linked ? "page of the run" : NULL, PAGE_LINK},
                                          {0}};
    page_section(page, "cliffs", "Cliffs of the chosen fabric",
                 "One parameter changes at a time until an objective fails. The curve is the "
                 "headroom of the closest objective, with its 95% confidence interval; the table "
                 "below it shows the limit if one other parameter changes as well.");
    struct store_statement *row = store_prepare(
        page->store, "SELECT cliff, min(path) AS axis FROM cliff GROUP BY cliff ORDER BY cliff");
    while (store_step(row)) {
        char path[256];
        snprintf(path, sizeof path, "%.200s", store_text(row, "axis"));
        write_cliff(page, store_int(row, "cliff"), path);
    }
    store_finish(row);
    if (!page_table(page,
                    "SELECT path, value, (SELECT result FROM candidate c WHERE "
                    "c.candidate=k.candidate), " PAGE_PLAN_PERCENT
                    ", why, bottleneck, coalesce((SELECT command FROM trial t WHERE"
                    " t.candidate=k.candidate AND command IS NOT NULL ORDER BY verdict IN ('holds',"
                    " 'open'), trial LIMIT 1), '')," PAGE_PLAN_RUN(
                        "k.candidate") " FROM cliff k ORDER BY cliff, position",
                    columns))
        fputs("<p>The plan has no <code>cliff</code> section.</p>\n", page->out);
    page_section_end(page);
}
