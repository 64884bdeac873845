/* SPDX-License-Identifier: Apache-2.0
 * page_pauses - the pause storm over time. */
#include "base/check.h"
#include "reports/json.h"
#include "reports/page_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 40, BANDS_MAX = 24000, PIXELS = 500 };

/* What a damaged database says outside of the run is left out. */
#define STOPS                                                                                      \
    "(SELECT * FROM blocked b WHERE from_ps>=0 AND until_ps BETWEEN from_ps AND ?1"                \
    " AND (priority=0 OR NOT EXISTS(SELECT 1 FROM counter g WHERE g.name='rx_global_pause'"        \
    " AND g.node=b.node AND g.port=b.port)))"

/* ------------------------------------------------------------------ bands */

/* Which transmitters are shown: those that were stopped longest. */
#define LONGEST                                                                                    \
    "(SELECT node, port, priority, sum(until_ps-from_ps) AS ps, count(*) AS times FROM " STOPS     \
    " GROUP BY node, port, priority ORDER BY ps DESC, node, port, priority LIMIT ?2)"

static struct store_statement *prepare(const struct page *page, const char *sql)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    store_bind(rows, 1, STORE_I(page->span));
    return rows;
}

struct band {
    int64_t row;
    time_ps from, until, blocked;
};

static void write_band(const struct page *page, const struct band *band, int64_t *count)
{
    if (band->until == 0)
        return;
    fprintf(page->out, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]",
            *count == 0 ? "" : ",", band->row, band->from, band->until, band->blocked);
    ++*count;
}

static void write_rows(const struct page *page)
{
    struct store_statement *rows =
        prepare(page, "SELECT p.name, q.name, priority, ps FROM " LONGEST " JOIN port p"
                      " USING(node, port) JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
                      " ORDER BY ps DESC, p.node, p.port, priority");
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    fputs(",\"rows\":[", page->out);
    for (int i = 0; store_step(rows); i++) {
        char name[256];
        snprintf(name, sizeof name, "%s by %s, priority %s", store_text(rows, 0),
                 store_text(rows, 1), store_text(rows, 2));
        fputs(i == 0 ? "{\"name\":" : ",{\"name\":", page->out);
        json_string(page->out, name);
        fputs(",\"port\":", page->out);
        json_string(page->out, store_text(rows, 0));
        fprintf(page->out, ",\"blocked_ps\":%" PRId64 "}", store_int(rows, 3));
    }
    fputs("]", page->out);
    store_finish(rows);
}

/* A row with more pauses than its share of the bands loses the gaps that nobody could see. */
static void write_bands(const struct page *page)
{
    struct store_statement *rows = prepare(
        page,
        "WITH shown AS (SELECT *, row_number() OVER (ORDER BY ps DESC, node, port, priority)-1"
        " AS place FROM " LONGEST ") SELECT place, from_ps, until_ps, times FROM shown"
        " JOIN " STOPS " USING(node, port, priority) ORDER BY place, from_ps");
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    const int64_t share = BANDS_MAX / ROWS_MAX;
    struct band band = {.row = -1};
    int64_t count = 0;
    fputs(",\"bands\":[", page->out);
    while (store_step(rows)) {
        const struct band next = {store_int(rows, 0), store_int(rows, 1), store_int(rows, 2),
                                  store_int(rows, 2) - store_int(rows, 1)};
        const time_ps gap = store_int(rows, 3) > share ? page->span / share : 0;
        if (next.row == band.row && next.from - band.until < gap) {
            band.until = next.until;
            band.blocked += next.blocked;
            continue;
        }
        write_band(page, &band, &count);
        band = next;
    }
    write_band(page, &band, &count);
    fputs("]", page->out);
    store_finish(rows);
}

void page_chart_pauses(const struct page *page)
{
    page_chart(page, "pauses", "bands", "ps", "The pause storm",
               "When each transmitter was stopped, by whom; those stopped longest are on top.");
    if (!page_recorded(page, RECORD_COUNTERS))
        return;
    write_rows(page);
    write_bands(page);
    fputs("}", page->out);
}

/* ------------------------------------------------------------------ how many at once */

/* Adds a stop to the bins that it touches. */
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

void page_chart_spread(const struct page *page)
{
    page_chart(page, "spread", "steps", "ports", "Ports that stood still",
               "How many transmitters were stopped at once, by tier, on average over each step.");
    if (!page_recorded(page, RECORD_COUNTERS))
        return;
    struct store_statement *rows = prepare(
        page,
        "SELECT CASE n.kind WHEN 'host' THEN 0 ELSE max(n.tier, 1) END AS at, from_ps, until_ps"
        " FROM " STOPS " JOIN node n USING(node) ORDER BY at, from_ps");
    int64_t bins[PAGE_BINS] = {0}, tier = -1;
    fprintf(page->out, ",\"step_ps\":%" PRId64 ",\"series\":[", page_step(page, PAGE_BINS));
    while (store_step(rows)) {
        if (store_int(rows, 0) != tier) {
            if (tier >= 0) {
                page_series(page, bins, PAGE_BINS);
                memset(bins, 0, sizeof bins);
            }
            fputs(tier < 0 ? "{\"name\":" : ",{\"name\":", page->out);
            tier = store_int(rows, 0);
            fprintf(page->out, tier == 0 ? "\"hosts\"" : "\"switches of tier %" PRId64 "\"", tier);
        }
        add_stop(page, bins, store_int(rows, 1), store_int(rows, 2));
    }
    if (tier >= 0)
        page_series(page, bins, PAGE_BINS);
    fputs("]}", page->out);
    store_finish(rows);
}

/* ------------------------------------------------------------------ what was in the buffers */

/* Of each pixel the least and the most, in the order of time. */
struct pixel {
    int64_t number;
    time_ps least_at, most_at;
    int64_t least, most;
};

static void write_point(const struct page *page, time_ps at, int64_t value, int64_t *count)
{
    fprintf(page->out, "%s[%" PRId64 ",%" PRId64 "]", *count == 0 ? "" : ",", at, value);
    ++*count;
}

static void write_pixel(const struct page *page, const struct pixel *pixel, int64_t *count)
{
    if (pixel->number < 0)
        return;
    if (pixel->least_at <= pixel->most_at)
        write_point(page, pixel->least_at, pixel->least, count);
    if (pixel->least_at != pixel->most_at)
        write_point(page, pixel->most_at, pixel->most, count);
    if (pixel->least_at > pixel->most_at)
        write_point(page, pixel->least_at, pixel->least, count);
}

static void add_point(const struct page *page, struct pixel *pixel, time_ps at, int64_t value,
                      int64_t *count)
{
    const int64_t number = at / (page->span / PIXELS + 1);
    if (number != pixel->number) {
        write_pixel(page, pixel, count);
        *pixel = (struct pixel){number, at, at, value, value};
        return;
    }
    if (value < pixel->least) {
        pixel->least = value;
        pixel->least_at = at;
    }
    if (value > pixel->most) {
        pixel->most = value;
        pixel->most_at = at;
    }
}

void page_chart_occupancy(const struct page *page)
{
    page_chart(page, "occupancy", "points", "occupancy", "Buffers when they asked for a pause",
               "What a port held for a priority each time it sent XOFF or XON; the eight that "
               "asked most often.");
    if (!page_recorded(page, RECORD_COUNTERS))
        return;
    struct store_statement *rows = prepare(
        page,
        "WITH most AS (SELECT node, port, priority, count(*) AS times FROM pause_edge"
        " GROUP BY node, port, priority ORDER BY times DESC, node, port, priority LIMIT 8)"
        " SELECT p.name, priority, at_ps, occupancy_bytes FROM most JOIN pause_edge e"
        " USING(node, port, priority) JOIN port p USING(node, port) WHERE at_ps BETWEEN 0 AND ?1"
        " ORDER BY times DESC, node, port, priority, at_ps, e.rowid");
    struct pixel pixel = {.number = -1};
    char name[256], last[256] = "";
    int64_t count = 0;
    fputs(",\"series\":[", page->out);
    while (store_step(rows)) {
        snprintf(name, sizeof name, "%s priority %s", store_text(rows, 0), store_text(rows, 1));
        if (strcmp(name, last) != 0) {
            write_pixel(page, &pixel, &count);
            fputs(last[0] == '\0' ? "{\"name\":" : "]},{\"name\":", page->out);
            json_string(page->out, name);
            fputs(",\"points\":[", page->out);
            memcpy(last, name, sizeof last);
            pixel.number = -1;
            count = 0;
        }
        add_point(page, &pixel, store_int(rows, 2), store_int(rows, 3), &count);
    }
    write_pixel(page, &pixel, &count);
    fputs(last[0] == '\0' ? "]}" : "]}]}", page->out);
    store_finish(rows);
}
