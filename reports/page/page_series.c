/* SPDX-License-Identifier: Apache-2.0
 * page_series - ports, queues, buffers, queue pairs and workloads over time, from the samples of
 * run --interval. */
#include "base/memory.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6, SAMPLES_MAX = 4 << 20 };

struct samples {
    int64_t first; /* number of the first sample */
    time_ps *from, *until;
    uint32_t count;
    bool partial; /* the last sample is too short for a rate */
};

/* How to interpret the rows of a chart's query. */
enum reading {
    STANDS, /* value at the end of each sample */
    RATE,   /* bytes per sample, shown as bit/s */
};

static struct samples read_samples(const struct page *page)
{
    struct samples samples = {.first =
                                  store_ask_int(page->store, "SELECT min(sample) FROM series", 0)};
    struct store_statement *rows = store_prepare(
        page->store, "SELECT sample, from_ps, until_ps, partial FROM series ORDER BY sample");
    uint32_t rooms[2] = {0, 0};
    while (store_step(rows)) {
        const time_ps from = store_int(rows, "from_ps"), until = store_int(rows, "until_ps");
        /* the first invalid row ends the samples, because the database is untrusted */
        const uint64_t number = (uint64_t)store_int(rows, "sample") - (uint64_t)samples.first;
        if (number != samples.count || from < 0 || until <= from || until > page->span ||
            samples.count == SAMPLES_MAX)
            break;
        samples.from = memory_grown(samples.from, samples.count, &rooms[0], sizeof *samples.from);
        samples.until =
            memory_grown(samples.until, samples.count, &rooms[1], sizeof *samples.until);
        samples.from[samples.count] = from;
        samples.until[samples.count++] = until;
        samples.partial = store_int(rows, "partial") != 0;
    }
    store_finish(rows);
    return samples;
}

static void free_samples(struct samples *samples)
{
    free(samples->from);
    free(samples->until);
}

/* ------------------------------------------------------------------ one chart */

/* The series being read: a value per sample, NAN for none. */
struct reader {
    const struct page *page;
    struct chart *chart;
    const struct samples *samples;
    enum reading reading;
    uint32_t shown; /* series from this index on are hidden */
    char name[256];
    double *values;
    bool any; /* a value differs from that of an absent row */
};

static void end_series(const struct reader *reader)
{
    if (!reader->any)
        return;
    const bool hidden = reader->chart->series_count >= reader->shown;
    struct chart_series *series = page_series(reader->page, reader->chart, reader->name);
    const struct samples *samples = reader->samples;
    struct chart_pixels pixels = chart_pixels(reader->page->span, PAGE_LINE_PIXELS);
    const bool held = reader->chart->held;
    series->hidden |= hidden;
    for (uint32_t i = 0; i < samples->count; i++)
        chart_pixels_add(&pixels, series, held ? samples->from[i] : samples->until[i],
                         reader->values[i]);
    if (held) /* the last value lasts until the end of its sample */
        chart_pixels_add(&pixels, series, samples->until[samples->count - 1],
                         reader->values[samples->count - 1]);
    chart_pixels_end(&pixels, series);
}

static void begin_series(struct reader *reader, const struct store_statement *row)
{
    const double absent = store_is_null(row, "absent") ? NAN : store_real(row, "absent");
    snprintf(reader->name, sizeof reader->name, "%s", store_text(row, "name"));
    for (uint32_t i = 0; i < reader->samples->count; i++)
        reader->values[i] = absent;
    if (reader->reading == RATE && reader->samples->partial)
        reader->values[reader->samples->count - 1] = NAN;
    reader->any = false;
}

static void read_row(struct reader *reader, const struct store_statement *row)
{
    const struct samples *samples = reader->samples;
    const int64_t sample = store_int(row, "sample");
    const uint64_t at = (uint64_t)sample - (uint64_t)samples->first; /* defined for all values */
    if (sample < samples->first || at >= samples->count || store_is_null(row, "value"))
        return;
    if (reader->reading == RATE && samples->partial && at + 1 == samples->count)
        return;
    double value = store_real(row, "value");
    if (reader->reading == RATE)
        value = floor(value * 8 * 1e12 / (double)(samples->until[at] - samples->from[at]));
    reader->any |= value != reader->values[at]; /* true for NAN, too */
    reader->values[at] = value;
}

/* `sql` returns name, sample, value and the value of an absent row, series by series. */
static void read_series(struct reader *reader, const char *sql, int64_t argument)
{
    struct store_statement *rows = store_prepare(reader->page->store, sql);
    store_bind(rows, 1, STORE_I(argument));
    reader->values = memory_zeroed(reader->samples->count, sizeof *reader->values);
    reader->name[0] = '\0';
    reader->any = false;
    while (store_step(rows)) {
        if (strcmp(reader->name, store_text(rows, "name")) != 0) {
            end_series(reader);
            begin_series(reader, rows);
        }
        read_row(reader, rows);
    }
    end_series(reader);
    store_finish(rows);
    free(reader->values);
}

bool page_has_series(const struct page *page)
{
    return store_ask_int(page->store, "SELECT EXISTS(SELECT 1 FROM series)", 0) != 0;
}

/* The chart of one query; ?1 is the number of places shown, or the workload. */
static void read_chart(const struct page *page, struct chart *chart, enum reading reading,
                       const char *sql, int64_t argument)
{
    if (!page_has_series(page)) {
        snprintf(chart->missing, sizeof chart->missing,
                 "Record the run with --interval above 0 to see this.");
        return;
    }
    struct samples samples = read_samples(page);
    struct reader reader = {
        .page = page, .chart = chart, .samples = &samples, .reading = reading, .shown = SHOWN};
    chart->held = reading == RATE;
    if (samples.count > 0)
        read_series(&reader, sql, argument);
    free_samples(&samples);
}

/* ------------------------------------------------------------------ the fabric */

void page_chart_rates(const struct page *page)
{
    struct chart *chart = page_chart(page, CHART_LINES, "rates", "rate", "Wire rates",
                                     "Transmit rate of the busiest ports, frames with FCS; the "
                                     "first six are shown, click a name for another.");
    read_chart(page, chart, RATE,
               "WITH top AS (SELECT node, port, sum(tx_bytes) AS most FROM series_port"
               " GROUP BY node, port HAVING most>0 ORDER BY most DESC, node, port LIMIT ?1)"
               " SELECT p.name, sample, sum(tx_bytes) AS value, 0 AS absent FROM series_port s"
               " JOIN top t USING(node, port)"
               " JOIN port p USING(node, port) GROUP BY t.node, t.port, sample"
               " ORDER BY most DESC, t.node, t.port, sample",
               PAGE_PLACES_MAX);
}

void page_chart_queues(const struct page *page)
{
    struct chart *chart =
        page_chart(page, CHART_LINES, "queues", "occupancy", "Queues",
                   "Bytes queued at switch ports at the end of each interval; the deepest queues.");
    read_chart(
        page, chart, STANDS,
        "WITH top AS (SELECT node, port, priority, max(queue_bytes) AS most FROM series_port"
        " GROUP BY node, port, priority HAVING most>0"
        " ORDER BY most DESC, node, port, priority LIMIT ?1)"
        " SELECT p.name||' priority '||priority AS name, sample, queue_bytes AS value, 0 AS absent"
        " FROM series_port s"
        " JOIN top t USING(node, port, priority) JOIN port p USING(node, port)"
        " ORDER BY most DESC, t.node, t.port, priority, sample",
        PAGE_PLACES_MAX);
}

void page_chart_buffers(const struct page *page)
{
    struct chart *chart = page_chart(page, CHART_LINES, "buffers", "occupancy", "Switch buffers",
                                     "Buffer memory in use at the end of each interval, and its "
                                     "headroom part; the fullest switches.");
    read_chart(
        page, chart, STANDS,
        "WITH top AS (SELECT node, max(buffer_bytes) AS most FROM series_switch GROUP BY node"
        " HAVING most>0 ORDER BY most DESC, node LIMIT ?1)"
        " SELECT name||what AS name, sample, value, 0 AS absent FROM (SELECT node, sample, 0 AS "
        "part, '' AS what,"
        " buffer_bytes AS value FROM series_switch UNION ALL SELECT node, sample, 1,"
        " ', headroom', headroom_bytes FROM series_switch) JOIN top USING(node)"
        " JOIN node USING(node) ORDER BY part, most DESC, node, sample",
        PAGE_PLACES_MAX);
}

void page_chart_receive(const struct page *page)
{
    struct chart *chart =
        page_chart(page, CHART_LINES, "receive", "occupancy", "RNIC receive buffers",
                   "Bytes received and not yet drained at the end of each interval.");
    read_chart(page, chart, STANDS,
               "WITH top AS (SELECT node, port, max(receive_bytes) AS most FROM series_rnic"
               " GROUP BY node, port HAVING most>0 ORDER BY most DESC, node, port LIMIT ?1)"
               " SELECT p.name, sample, receive_bytes AS value, 0 AS absent FROM series_rnic s"
               " JOIN top t USING(node, port)"
               " JOIN port p USING(node, port) ORDER BY most DESC, t.node, t.port, sample",
               PAGE_PLACES_MAX);
}

void page_chart_control(const struct page *page)
{
    struct chart *chart = page_chart(page, CHART_LINES, "control", "rate", "Congestion control",
                                     "Allowed rate of queue pairs at the end of each interval; the "
                                     "slowest recorded queue pairs.");
    read_chart(page, chart, STANDS,
               "WITH top AS (SELECT node, port, qpn, min(rate_bps) AS least FROM series_flow"
               " GROUP BY node, port, qpn ORDER BY least, node, port, qpn LIMIT ?1)"
               " SELECT n.name||coalesce(' to '||(SELECT m.name FROM port r JOIN node m USING(node)"
               " WHERE r.ip=s.peer_ip), '')||', QP '||qpn AS name, sample, s.rate_bps AS value,"
               " p.rate_bps AS absent"
               " FROM series_flow s JOIN top t USING(node, port, qpn) JOIN port p USING(node, port)"
               " JOIN node n USING(node) ORDER BY least, t.node, t.port, qpn, sample",
               PAGE_PLACES_MAX);
}

/* ------------------------------------------------------------------ workloads */

void page_series_goodput(const struct page *page, struct chart *chart)
{
    read_chart(page, chart, RATE,
               "SELECT name, sample, s.bytes AS value, 0 AS absent FROM series_workload s"
               " JOIN workload USING(workload)"
               " WHERE workload<?1 ORDER BY workload, sample",
               PAGE_WORKLOADS_MAX);
}

void page_series_underway(const struct page *page, struct chart *chart)
{
    read_chart(page, chart, STANDS,
               "SELECT name, sample, outstanding AS value, 0 AS absent FROM series_workload"
               " JOIN workload USING(workload)"
               " WHERE workload<?1 ORDER BY workload, sample",
               PAGE_WORKLOADS_MAX);
}

void page_series_latency(const struct page *page, struct chart *chart, int64_t workload)
{
    read_chart(page, chart, STANDS,
               "SELECT name, sample, value, NULL AS absent FROM ("
               "SELECT 0 AS part, 'max' AS name, sample, workload, latency_max_ps AS value"
               " FROM series_workload UNION ALL"
               " SELECT 1, 'p99', sample, workload, latency_p99_ps FROM series_workload UNION ALL"
               " SELECT 2, 'p50', sample, workload, latency_p50_ps FROM series_workload)"
               " WHERE workload=?1 ORDER BY part, sample",
               workload);
}
