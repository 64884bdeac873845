/* SPDX-License-Identifier: Apache-2.0
 * page_pauses - pauses over time. */
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS_MAX = 40, BANDS_MAX = 16000 };

/* Excludes rows outside of the run, which a damaged database may have. */
#define STOPS                                                                                      \
    "(SELECT * FROM blocked b WHERE from_ps>=0 AND until_ps BETWEEN from_ps AND ?1"                \
    " AND (priority=0 OR NOT EXISTS(SELECT 1 FROM counter g WHERE g.name='rx_global_pause'"        \
    " AND g.node=b.node AND g.port=b.port)))"

/* ------------------------------------------------------------------ bands */

/* The transmitters to show: those paused longest. */
#define LONGEST                                                                                    \
    "(SELECT node, port, priority, sum(until_ps-from_ps) AS ps, count(*) AS times,"                \
    " min(from_ps) AS first FROM " STOPS                                                           \
    " GROUP BY node, port, priority ORDER BY ps DESC, node, port, priority LIMIT ?2)"

static struct store_statement *prepare(const struct page *page, const char *sql)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    store_bind(rows, 1, STORE_I(page->span));
    return rows;
}

static void read_rows(const struct page *page, struct chart *chart)
{
    struct store_statement *rows = prepare(
        page, "SELECT p.name, q.name AS paused_by, priority, ps, first FROM " LONGEST " JOIN port p"
              " USING(node, port) JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
              " ORDER BY ps DESC, p.node, p.port, priority");
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    while (store_step(rows)) {
        char name[256];
        snprintf(name, sizeof name, "%s by %s, priority %s", store_text(rows, "name"),
                 store_text(rows, "paused_by"), store_text(rows, "priority"));
        chart_add_row(chart, name, store_text(rows, "name"), store_int(rows, "ps"));
        chart->rows[chart->row_count - 1].from = store_int(rows, "first");
    }
    store_finish(rows);
}

/* The cause of a row is the egress queue that its peer paused it for most often, if that queue was
 * paused, too. */
static void read_row_causes(const struct page *page, struct chart *chart)
{
    struct store_statement *rows = prepare(
        page,
        "WITH shown AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY ps DESC, node, port,"
        " priority)-1 AS place FROM " LONGEST "), due AS MATERIALIZED (SELECT node, port, priority,"
        " egress, count(*) AS times FROM pause_edge WHERE edge='xoff' AND egress IS NOT NULL"
        " GROUP BY node, port, priority, egress)"
        " SELECT s.place AS place, t.place AS cause FROM shown s JOIN port p USING(node, port)"
        " JOIN due d ON d.node=p.peer_node AND d.port=p.peer_port AND d.priority=s.priority"
        " JOIN shown t ON t.node=d.node AND t.port=d.egress AND t.priority=s.priority"
        " ORDER BY s.place, d.times, t.place DESC");
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    while (store_step(rows)) {
        const int64_t place = store_int(rows, "place"), cause = store_int(rows, "cause");
        if (place >= 0 && place < chart->row_count && cause >= 0 && cause < chart->row_count &&
            cause != place)
            chart->rows[place].cause = cause; /* the last is the most frequent */
    }
    store_finish(rows);
}

/* A row with more pauses than its share of the bands merges those with invisible gaps. */
static void read_bands(const struct page *page, struct chart *chart)
{
    struct store_statement *rows = prepare(
        page,
        "WITH shown AS (SELECT *, row_number() OVER (ORDER BY ps DESC, node, port, priority)-1"
        " AS place FROM " LONGEST ") SELECT place, from_ps, until_ps, times FROM shown"
        " JOIN " STOPS " USING(node, port, priority) ORDER BY place, from_ps");
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    const int64_t share = BANDS_MAX / ROWS_MAX;
    while (store_step(rows)) {
        const struct chart_band next = {(uint32_t)store_int(rows, "place"),
                                        store_int(rows, "from_ps"), store_int(rows, "until_ps"),
                                        store_int(rows, "until_ps") - store_int(rows, "from_ps")};
        const time_ps gap = store_int(rows, "times") > share ? page->span / share : 0;
        struct chart_band *last =
            chart->band_count == 0 ? NULL : &chart->bands[chart->band_count - 1];
        if (last != NULL && next.row == last->row && next.from - last->until < gap) {
            last->until = next.until;
            last->blocked += next.blocked;
        } else if (next.row < chart->row_count) {
            chart_add_band(chart, next);
        }
    }
    store_finish(rows);
}

void page_chart_pauses(const struct page *page)
{
    struct chart *chart =
        page_chart(page, CHART_BANDS, "pauses", "ps",
                   page->flow->credits ? "Waits for credits" : "The pause storm",
                   page->flow->credits
                       ? "When each port waited for credits, and of which peer; longest on top."
                       : "When each port was paused, and by which peer; longest on top.");
    if (!page_recorded(page, chart, RECORD_COUNTERS))
        return;
    read_rows(page, chart);
    read_row_causes(page, chart);
    read_bands(page, chart);
}

/* ------------------------------------------------------------------ concurrent pauses */

/* Adds a pause to the bins that it overlaps. */
static void add_stop(const struct page *page, int64_t *bins, time_ps from, time_ps until)
{
    const time_ps step = page_step(page, PAGE_BINS);
    for (time_ps at = from; at < until;) {
        const int64_t bin = at / step;
        const time_ps end = (bin + 1) * step < until ? (bin + 1) * step : until;
        if (bin < PAGE_BINS)
            bins[bin] += end - at;
        at = end;
    }
}

static void end_tier(const struct page *page, struct chart *chart, int64_t tier, int64_t *bins)
{
    char name[64];
    if (tier < 0)
        return;
    snprintf(name, sizeof name, "tier %" PRId64 " switches", tier);
    chart_add_steps(chart, page_series(page, chart, tier == 0 ? "hosts" : name), bins, PAGE_BINS);
    memset(bins, 0, PAGE_BINS * sizeof *bins);
}

void page_chart_spread(const struct page *page)
{
    struct chart *chart = page_chart(
        page, CHART_STEPS, "spread", "ports",
        page->flow->credits ? "Ports without credits" : "Paused ports",
        page->flow->credits
            ? "Number of ports that wait for credits at the same time, by tier, averaged over each "
              "step."
            : "Number of ports paused at the same time, by tier, averaged over each step.");
    if (!page_recorded(page, chart, RECORD_COUNTERS))
        return;
    struct store_statement *rows = prepare(
        page,
        "SELECT CASE n.kind WHEN 'host' THEN 0 ELSE max(n.tier, 1) END AS at, from_ps, until_ps"
        " FROM " STOPS " JOIN node n USING(node) ORDER BY at, from_ps");
    int64_t bins[PAGE_BINS] = {0}, tier = -1;
    chart->step = page_step(page, PAGE_BINS);
    while (store_step(rows)) {
        if (store_int(rows, "at") != tier)
            end_tier(page, chart, tier, bins);
        tier = store_int(rows, "at");
        add_stop(page, bins, store_int(rows, "from_ps"), store_int(rows, "until_ps"));
    }
    end_tier(page, chart, tier, bins);
    store_finish(rows);
}

/* ------------------------------------------------------------------ buffer contents */

void page_chart_occupancy(const struct page *page)
{
    struct chart *chart =
        page_chart(page, CHART_POINTS, "occupancy", "occupancy", "Buffer occupancy at XOFF and XON",
                   "Bytes buffered for a port and priority each time it sent XOFF or XON; the "
                   "eight ports and priorities that sent the most.");
    if (!page_recorded(page, chart, RECORD_COUNTERS))
        return;
    struct store_statement *rows = prepare(
        page,
        "WITH most AS (SELECT node, port, priority, count(*) AS times FROM pause_edge"
        " GROUP BY node, port, priority ORDER BY times DESC, node, port, priority LIMIT 8)"
        " SELECT p.name, priority, at_ps, occupancy_bytes FROM most JOIN pause_edge e"
        " USING(node, port, priority) JOIN port p USING(node, port) WHERE at_ps BETWEEN 0 AND ?1"
        " ORDER BY times DESC, node, port, priority, at_ps, e.rowid");
    struct chart_pixels pixels = chart_pixels(page->span, PAGE_PIXELS);
    struct chart_series *series = NULL;
    char name[256], last[256] = "";
    while (store_step(rows)) {
        snprintf(name, sizeof name, "%s priority %s", store_text(rows, "name"),
                 store_text(rows, "priority"));
        if (strcmp(name, last) != 0) {
            chart_pixels_end(&pixels, series);
            series = page_series(page, chart, name);
            memcpy(last, name, sizeof last);
        }
        chart_pixels_add(&pixels, series, store_int(rows, "at_ps"),
                         store_real(rows, "occupancy_bytes"));
    }
    chart_pixels_end(&pixels, series);
    store_finish(rows);
}
