/* SPDX-License-Identifier: Apache-2.0
 * page_figures - the charts' data as JSON. */
#include "reports/page/page.h"
#include "reports/page/page_layout.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <string.h>

static const char *const sides[] = {"", " A", " B"};
static const char *const runs[] = {"", " in A", " in B"};

struct chart *page_chart(const struct page *page, enum chart_kind kind, const char *id,
                         const char *unit, const char *title, const char *about)
{
    static const char *const tails[] = {"", "-a", "-b"};
    const int own = kind == CHART_BANDS ? page->side : 0;
    char full_id[64], full_title[300];
    snprintf(full_id, sizeof full_id, "%s%s", id, tails[own]);
    snprintf(full_title, sizeof full_title, "%s%s", title, runs[own]);
    return charts_open(page->charts, kind, full_id, unit, full_title, about);
}

struct chart_series *page_series(const struct page *page, struct chart *chart, const char *name)
{
    char full[300], other[300];
    const uint32_t before = chart->series_count;
    snprintf(full, sizeof full, "%.290s%s", name, sides[page->side]);
    snprintf(other, sizeof other, "%.290s%s", name, sides[1]);
    struct chart_series *series = chart_add_series(chart, full);
    series->dashed = page->side == 2;
    for (uint32_t i = 0; series->dashed && i < before; i++)
        if (strcmp(chart->series[i].name, other) == 0)
            series->colour = chart->series[i].colour;
    return series;
}

time_ps page_step(const struct page *page, int bins)
{
    return (page->span + bins - 1) / bins;
}

bool page_recorded(const struct page *page, struct chart *chart, enum record_level level)
{
    char text[32];
    enum record_level found;
    store_ask_text(page->store, "SELECT record FROM meta", text, sizeof text);
    if (record_level_find(text, &found) && found >= level)
        return true;
    snprintf(chart->missing, sizeof chart->missing, "Record the run with --record %s to see this.",
             record_level_name(level));
    return false;
}

/* "slow-receiver at host0, drain 10%": name and parameters. */
#define FAULT_NAME                                                                                 \
    "f.name"                                                                                       \
    " || coalesce((SELECT ', ' || group_concat(word, ', ') FROM (SELECT"                           \
    " substr(o.path, length(at.path)-1) || ' ' || o.value AS word FROM setting at JOIN setting o"  \
    " ON substr(o.path, 1, length(at.path)-2)=substr(at.path, 1, length(at.path)-2)"               \
    " WHERE at.path='faults[' || f.fault || '].at' AND o.value<>o.preset"                          \
    " AND substr(o.path, length(at.path)-1) NOT IN ('at', 'for') ORDER BY o.rowid)), '')"

static int faults(const struct page *page, int count, FILE *out)
{
    struct store_statement *rows = store_prepare(
        page->store, "SELECT at_ps, coalesce(until_ps, ?1) AS until, " FAULT_NAME " AS word"
                     " FROM fault f ORDER BY fault");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(page->span));
    for (; store_step(rows); count++) {
        const time_ps from = store_int(rows, "at_ps"), until = store_int(rows, "until");
        char name[300];
        snprintf(name, sizeof name, "%.290s%s", store_text(rows, "word"), runs[page->side]);
        fputs(count == 0 ? "{\"name\":" : ",{\"name\":", out);
        json_string(out, name);
        fprintf(out, ",\"from_ps\":%" PRId64 ",\"until_ps\":%" PRId64 "}", from,
                until < page->span ? until : page->span);
    }
    store_finish(rows);
    return count;
}

static void write_head(const struct page *page, FILE *out)
{
    struct store_statement *row = store_prepare(
        page->store, "SELECT scenario, coalesce(digest, '') AS digest, record FROM meta");
    fputs("{\"scenario\":", out);
    if (store_step(row)) {
        json_string(out, store_text(row, "scenario"));
        fputs(",\"digest\":", out);
        json_string(out, store_text(row, "digest"));
        fputs(",\"record\":", out);
        json_string(out, store_text(row, "record"));
    }
    store_finish(row);
}

void page_figures_end(const struct page *pages, int count, FILE *out)
{
    const struct charts *charts = pages[0].charts;
    int written = 0;
    fprintf(out, ",\"span_ps\":%" PRId64 ",\"faults\":[", pages[0].span);
    for (int i = 0; i < count; i++)
        written = faults(&pages[i], written, out);
    fputs("],\"charts\":[", out);
    for (uint32_t i = 0; i < charts->count; i++) {
        fputs(i == 0 ? "\n" : ",\n", out);
        chart_json(&charts->charts[i], out);
    }
    fputs("\n]}\n", out);
}

void page_charts(const struct page *page)
{
    static void (*const charts[])(const struct page *page) = {
        page_chart_pauses,  page_chart_spread,   page_chart_occupancy, page_chart_queues,
        page_chart_buffers, page_chart_receive,  page_chart_rates,     page_chart_control,
        page_chart_goodput, page_chart_underway, page_charts_latency,  page_chart_tail};
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++)
        charts[i](page);
}

bool page_figures(struct store *store, FILE *out)
{
    struct charts charts = {0};
    const struct page page = {.store = store,
                              .flow = flow_words(store),
                              .out = out,
                              .span = page_span(store),
                              .charts = &charts,
                              .by_io = page_has_commands(store)};
    page_charts(&page);
    write_head(&page, out);
    page_figures_end(&page, 1, out);
    charts_free(&charts);
    return store_error(store) == NULL && ferror(out) == 0;
}

bool page_csv(struct store *store, struct output_folder *folder)
{
    struct charts charts = {0};
    const struct page page = {.store = store,
                              .flow = flow_words(store),
                              .span = page_span(store),
                              .charts = &charts,
                              .by_io = page_has_commands(store)};
    page_charts(&page);
    const bool well = store_error(store) == NULL && charts_write_csv(&charts, folder);
    charts_free(&charts);
    return well;
}

/* An unfinished run has rows later than its totals. */
time_ps page_span(struct store *store)
{
    const time_ps span =
        store_ask_int(store,
                      "SELECT max(coalesce(simulated_ps, 0)+coalesce(drain_ps, 0),"
                      " coalesce((SELECT max(until_ps) FROM blocked), 0),"
                      " coalesce((SELECT max(at_ps) FROM pause_edge), 0),"
                      " coalesce((SELECT max(completed_ps) FROM io), 0),"
                      " coalesce((SELECT max(until_ps) FROM series), 0)) FROM meta",
                      0);
    const time_ps most = (time_ps)1 << 60; /* limits sums, because the database is untrusted */
    return span < 1 ? 1 : span > most ? most : span;
}
