/* SPDX-License-Identifier: Apache-2.0
 * page_figures - the charts' numbers as JSON. */
#include "base/quantity.h"
#include "reports/json.h"
#include "reports/page.h"
#include "reports/page_private.h"

#include <inttypes.h>
#include <string.h>

void page_chart(const struct page *page, const char *id, const char *kind, const char *unit,
                const char *title, const char *about)
{
    /* The first of all is the one that no other comes before. */
    fputs(strcmp(id, "pauses") == 0 ? "\n{\"id\":" : ",\n{\"id\":", page->out);
    json_string(page->out, id);
    fprintf(page->out, ",\"kind\":\"%s\",\"unit\":\"%s\",\"title\":", kind, unit);
    json_string(page->out, title);
    fputs(",\"about\":", page->out);
    json_string(page->out, about);
}

time_ps page_step(const struct page *page, int bins)
{
    return (page->span + bins - 1) / bins;
}

bool page_recorded(const struct page *page, enum record_level level)
{
    char text[32];
    enum record_level found;
    store_ask_text(page->store, "SELECT record FROM meta", text, sizeof text);
    if (record_level_find(text, &found) && found >= level)
        return true;
    fprintf(page->out, ",\"missing\":\"Record the run with --record %s to see this.\"}",
            record_level_name(level));
    return false;
}

void page_series(const struct page *page, const int64_t *values, size_t count)
{
    fputs(",\"values\":[", page->out);
    for (size_t i = 0; i < count; i++)
        fprintf(page->out, values[i] < 0 ? "%snull" : "%s%" PRId64, i == 0 ? "" : ",", values[i]);
    fputs("]}", page->out);
}

/* The time of a fault of the scenario, as its settings say it. */
static time_ps moment(const char *text, time_ps otherwise)
{
    char why[QUANTITY_WHY_BYTES];
    time_ps at;
    return quantity_parse(QUANTITY_TIME, text, &at, why) ? at : otherwise;
}

static void faults(const struct page *page)
{
    struct store_statement *rows = store_prepare(
        page->store,
        "SELECT a.value, f.value, (SELECT group_concat(word, ', ') FROM (SELECT"
        " substr(o.path, length(a.path)-1)||' '||o.value AS word FROM setting o"
        " WHERE substr(o.path, 1, length(a.path)-2)=substr(a.path, 1, length(a.path)-2)"
        " AND o.value<>o.preset ORDER BY o.rowid))"
        " FROM setting a JOIN setting f ON f.path=substr(a.path, 1, length(a.path)-2)||'for'"
        " WHERE a.path LIKE 'faults[%].at' ORDER BY a.rowid");
    fputs(",\"faults\":[", page->out);
    for (int i = 0; store_step(rows); i++) {
        const time_ps from = moment(store_text(rows, 0), 0);
        const time_ps length = moment(store_text(rows, 1), page->span);
        fputs(i == 0 ? "{\"name\":" : ",{\"name\":", page->out);
        json_string(page->out, store_text(rows, 2));
        fprintf(page->out, ",\"from_ps\":%" PRId64 ",\"until_ps\":%" PRId64 "}", from,
                length < page->span - from ? from + length : page->span);
    }
    fputs("]", page->out);
    store_finish(rows);
}

static void head(const struct page *page)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT scenario, coalesce(digest, ''), record FROM meta");
    fputs("{\"scenario\":", page->out);
    if (store_step(row)) {
        json_string(page->out, store_text(row, 0));
        fputs(",\"digest\":", page->out);
        json_string(page->out, store_text(row, 1));
        fputs(",\"record\":", page->out);
        json_string(page->out, store_text(row, 2));
    }
    store_finish(row);
    fprintf(page->out, ",\"span_ps\":%" PRId64, page->span);
    faults(page);
    fputs(",\"charts\":[", page->out);
}

bool page_figures(struct store *store, FILE *out)
{
    static void (*const charts[])(const struct page *page) = {
        page_chart_pauses,   page_chart_spread,   page_chart_occupancy, page_chart_goodput,
        page_chart_underway, page_charts_latency, page_chart_tail};
    const struct page page = {.store = store, .out = out, .span = page_span(store)};
    head(&page);
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++)
        charts[i](&page);
    fputs("\n]}\n", out);
    return store_error(store) == NULL && ferror(out) == 0;
}

/* A run that did not end has rows beyond what its totals know. */
time_ps page_span(struct store *store)
{
    const time_ps span =
        store_ask_int(store,
                      "SELECT max(coalesce(simulated_ps, 0)+coalesce(drain_ps, 0),"
                      " coalesce((SELECT max(until_ps) FROM blocked), 0),"
                      " coalesce((SELECT max(at_ps) FROM pause_edge), 0),"
                      " coalesce((SELECT max(completed_ps) FROM io), 0)) FROM meta",
                      0);
    const time_ps most = (time_ps)1 << 60; /* a database may say anything: sums stay in range */
    return span < 1 ? 1 : span > most ? most : span;
}
