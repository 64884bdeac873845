/* SPDX-License-Identifier: Apache-2.0
 * page_io - rates, outstanding commands and latency over time, and the latency distribution. */
#include "base/memory.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* Whether a row belongs to the series of this name, which may be cut. */
static bool is_name(const char name[NAME_BYTES], const char *text)
{
    return strncmp(name, text, NAME_BYTES - 1) == 0;
}

static void end_steps(const struct page *page, struct chart *chart, const char *name, int64_t *bins)
{
    if (name[0] == '\0')
        return;
    for (int i = 1; i < PAGE_BINS; i++)
        bins[i] += bins[i - 1];
    chart_add_steps(chart, page_series(page, chart, name), bins, PAGE_BINS);
    memset(bins, 0, PAGE_BINS * sizeof *bins);
}

/* One series per workload; `sql` returns its name, a bin and the change in that bin, by
 * workload. */
static void steps(const struct page *page, struct chart *chart, const char *sql)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    store_bind(rows, 1, STORE_I(page_step(page, PAGE_BINS)));
    int64_t bins[PAGE_BINS] = {0};
    char name[NAME_BYTES] = "";
    chart->step = page_step(page, PAGE_BINS);
    while (store_step(rows)) {
        if (!is_name(name, store_text(rows, "name")))
            end_steps(page, chart, name, bins);
        snprintf(name, sizeof name, "%s", store_text(rows, "name"));
        const int64_t bin = store_int(rows, "bin");
        if (bin >= 0 && bin < PAGE_BINS)
            bins[bin] += store_int(rows, "change");
    }
    end_steps(page, chart, name, bins);
    store_finish(rows);
}

bool page_has_commands(struct store *store)
{
    char level[32];
    enum record_level found;
    store_ask_text(store, "SELECT record FROM meta", level, sizeof level);
    return record_level_find(level, &found) && found >= RECORD_IOS &&
           store_ask_int(store, "SELECT EXISTS(SELECT 1 FROM io)", 0) != 0;
}

void page_chart_goodput(const struct page *page)
{
    page_series_goodput(page, page_chart(page, CHART_LINES, "goodput", "rate", "Goodput",
                                         "Payload that arrived in each interval."));
}

void page_chart_underway(const struct page *page)
{
    static const char title[] = "Outstanding";
    if (page->by_io)
        steps(page,
              page_chart(page, CHART_STEPS, "underway", "commands", title,
                         "Commands issued and not yet completed, at the end of each step; commands "
                         "that never completed are not shown."),
              "SELECT name, bin, sum(one) AS change FROM (SELECT workload, issued_ps/?1 AS bin, 1 "
              "AS one"
              " FROM io UNION ALL SELECT workload, completed_ps/?1, -1 FROM io)"
              " JOIN workload USING(workload) GROUP BY workload, bin ORDER BY workload");
    else
        page_series_underway(
            page, page_chart(page, CHART_LINES, "underway", "commands", title,
                             "Issued and not yet completed, at the end of each interval."));
}

/* ------------------------------------------------------------------ latency over time */

/* In drawing order. */
enum { LONGEST, TAIL, MEDIAN, CURVES };

struct curves {
    int64_t bins[CURVES][PAGE_LATENCY_BINS];
    int64_t bin;
    time_ps *latencies; /* of this bin, ascending */
    uint32_t count, room;
};

static void keep_latency(struct curves *curves, time_ps latency)
{
    curves->latencies =
        memory_grown(curves->latencies, curves->count, &curves->room, sizeof *curves->latencies);
    curves->latencies[curves->count++] = latency;
}

/* Nearest rank: the smallest latency that `percent` of all do not exceed. */
static time_ps nearest_rank(const struct curves *curves, size_t percent)
{
    return curves->latencies[((uint64_t)curves->count * percent + 99) / 100 - 1];
}

static void end_bin(struct curves *curves)
{
    if (curves->count > 0 && curves->bin >= 0 && curves->bin < PAGE_LATENCY_BINS) {
        curves->bins[MEDIAN][curves->bin] = nearest_rank(curves, 50);
        curves->bins[TAIL][curves->bin] = nearest_rank(curves, 99);
        curves->bins[LONGEST][curves->bin] = nearest_rank(curves, 100);
    }
    curves->count = 0;
}

static void latency_of(const struct page *page, struct chart *chart, int64_t workload,
                       struct curves *curves)
{
    static const char *const names[] = {"max", "p99", "p50"};
    struct store_statement *rows = store_prepare(
        page->store, "SELECT completed_ps/? AS bin, completed_ps-issued_ps AS latency FROM io"
                     " WHERE workload=? ORDER BY bin, latency");
    store_bind(rows, 1, STORE_I(page_step(page, PAGE_LATENCY_BINS)));
    store_bind(rows, 2, STORE_I(workload));
    for (int curve = 0; curve < CURVES; curve++)
        for (int i = 0; i < PAGE_LATENCY_BINS; i++)
            curves->bins[curve][i] = -1;
    while (store_step(rows)) {
        if (store_int(rows, "bin") != curves->bin)
            end_bin(curves);
        curves->bin = store_int(rows, "bin");
        keep_latency(curves, store_int(rows, "latency"));
        if (page->side == 0 && curves->bin >= 0 && curves->bin < PAGE_LATENCY_BINS)
            chart_add_latency(chart, (uint32_t)curves->bin, store_int(rows, "latency"));
    }
    end_bin(curves);
    store_finish(rows);
    for (int curve = 0; curve < CURVES; curve++) {
        struct chart_series *series = page_series(page, chart, names[curve]);
        series->hidden = page->side != 0 && curve == LONGEST; /* six lines would be too many */
        chart_add_steps(chart, series, curves->bins[curve], PAGE_LATENCY_BINS);
    }
}

/* In a comparison, workloads are matched by name. */
static struct chart *latency_chart(const struct page *page, int64_t number, const char *name)
{
    char id[32], title[256];
    snprintf(title, sizeof title, "Latency of %s", name);
    for (uint32_t i = 0; i < page->charts->count; i++)
        if (strcmp(page->charts->charts[i].title, title) == 0)
            return &page->charts->charts[i];
    snprintf(id, sizeof id, page->side == 2 ? "latency%" PRId64 "-b" : "latency%" PRId64, number);
    return page_chart(
        page, page->by_io ? CHART_STEPS : CHART_LINES, id, "latency", title,
        page->by_io && page->side != 0
            ? "Latency of the commands that completed in each step; a step without completions has "
              "no point."
        : page->by_io
            ? "Latency of the commands that completed in each step; a step without completions has "
              "no point. Shaded: number of commands by latency."
            : "Latency of the operations that completed in each interval; an interval without "
              "completions has no point. Values come from histograms with an error below 1%.");
}

void page_charts_latency(const struct page *page)
{
    struct curves curves = {0};
    struct store_statement *rows = store_prepare(
        page->store, "SELECT workload, name FROM workload ORDER BY issued DESC, workload LIMIT ?");
    store_bind(rows, 1, STORE_I(PAGE_SERIES_MAX));
    while (store_step(rows)) {
        struct chart *chart =
            latency_chart(page, store_int(rows, "workload"), store_text(rows, "name"));
        if (!page->by_io) {
            page_series_latency(page, chart, store_int(rows, "workload"));
            continue;
        }
        chart->step = page_step(page, PAGE_LATENCY_BINS);
        latency_of(page, chart, store_int(rows, "workload"), &curves);
    }
    store_finish(rows);
    free(curves.latencies);
}

/* ------------------------------------------------------------------ distribution */

/* From the histogram, which every run has: the share above each bin's upper bound, which begins
 * with all at the lower bound of the first. */
void page_chart_tail(const struct page *page)
{
    struct chart *chart = page_chart(page, CHART_TAIL, "tail", "share", "Latency distribution",
                                     "Share of I/Os that took longer than a latency: 1 in 100 is "
                                     "p99. Both axes are logarithmic.");
    struct store_statement *rows = store_prepare(
        page->store,
        "SELECT name, from_ps, below_ps, 1.0-1.0*sum(count) OVER (PARTITION BY workload ORDER BY "
        "from_ps)"
        "/sum(count) OVER (PARTITION BY workload) AS slower FROM latency JOIN workload "
        "USING(workload)"
        " ORDER BY workload, from_ps");
    struct chart_series *series = NULL;
    char name[NAME_BYTES] = "";
    while (store_step(rows)) {
        if (series == NULL || !is_name(name, store_text(rows, "name"))) {
            series = page_series(page, chart, store_text(rows, "name"));
            chart_add_point(series, store_int(rows, "from_ps"), 1);
        }
        snprintf(name, sizeof name, "%s", store_text(rows, "name"));
        chart_add_point(series, store_int(rows, "below_ps"), store_real(rows, "slower"));
    }
    store_finish(rows);
}
