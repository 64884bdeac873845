/* SPDX-License-Identifier: Apache-2.0
 * page_private - what the sections of a page share. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PRIVATE_H

#include "base/units.h"
#include "replay/database/store.h"
#include "replay/database/words.h"
#include "replay/record/record.h"
#include "replay/step/queued.h"
#include "reports/text/chart.h"

#include <stdio.h>

struct page {
    struct store *store;
    FILE *out;
    time_ps span; /* from 0 to where nothing was under way any more; at least 1 */
    struct charts *charts;
    int side;   /* 0: the only run; 1, 2: A or B of a comparison */
    bool by_io; /* the work is shown by its commands, else by the samples of the run */
    /* A narrow screen shows the cells of a row below each other, each with its head. */
    bool stacks;
    const char *label; /* of the cell that is written next; NULL: none */
};

/* ------------------------------------------------------------------ HTML */

/* Text with everything escaped that HTML could take for its own; as printf does it. */
void page_text(FILE *out, const char *text);
void page_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From the doctype to the opened <main>. */
void page_begin(FILE *out, const char *title);
/* All that stands behind the sections; `figures` writes what the script draws.  False: it could
 * not, or the output failed. */
bool page_end(FILE *out, bool (*figures)(const void *self, FILE *out), const void *self);

void page_section(const struct page *page, const char *id, const char *title, const char *about);
void page_section_end(const struct page *page);

/* Numbers are shown as people read them; the exact one is the cell's title. */
enum page_kind {
    PAGE_TEXT,
    PAGE_SENTENCE, /* text that wants some width */
    PAGE_CODE,
    PAGE_LINK, /* the name of a page beside this one; empty: none */
    PAGE_COUNT,
    PAGE_TIME, /* ps */
    PAGE_RATE, /* bps */
    PAGE_SHORT,
    PAGE_VERDICT /* 1 held, 0 broken */
};

struct page_column {
    const char *head;
    enum page_kind kind;
};

/* A table of a query's rows, each column as it says; false: there were none and nothing was
 * written.  `columns` ends with an entry without a head. */
bool page_table(const struct page *page, const char *sql, const struct page_column *columns);

/* What a workload got: columns of page_table, and what a query asks the table workload for. */
#define PAGE_WORK_COLUMNS                                                                          \
    {"done", PAGE_COUNT}, {"failed", PAGE_COUNT}, {"open", PAGE_COUNT}, {"IOPS", PAGE_SHORT},      \
        {"goodput", PAGE_RATE}, {"mean", PAGE_TIME}, {"p50", PAGE_TIME}, {"p99", PAGE_TIME},       \
        {"p99.9", PAGE_TIME},                                                                      \
    {                                                                                              \
        "max", PAGE_TIME                                                                           \
    }
#define PAGE_WORK                                                                                  \
    "completed, failed, unfinished, iops, goodput_bps, CAST(latency_mean_ps AS INTEGER),"          \
    " latency_p50_ps, latency_p99_ps, latency_p99_9_ps, latency_max_ps"

/* 0: never; 1 to 5: how much of the time a port was stopped. */
int page_heat(time_ps blocked, time_ps span);

/* "<table", with what a page that stacks needs, up to its attributes' end. */
void page_begin_table(const struct page *page, const char *class);

/* The start of a cell, up to its attributes' end; class NULL: none. */
void page_begin_cell(const struct page *page, const char *class);

/* <td> with one value of a row, as page_table writes it. */
void page_cell(const struct page *page, enum page_kind kind, const struct store_statement *row,
               int column);

/* What a run came to in a few numbers.  `tone` is the card's class when `when` is more than 0. */
struct page_card {
    const char *label, *sql;
    enum page_kind kind;
    const char *tone, *when;
};
extern const struct page_card page_cards[]; /* ends with one without a label */

/* Its value in words, and in *value; false, with "-" for words: it is undefined, NULL in SQL. */
bool page_card_read(const struct page_card *card, struct store *store, int64_t *value,
                    struct words *words);

/* A bar of its share of the longest. */
void page_bar(const struct page *page, const char *class, time_ps value, time_ps longest);

/* The command that plays the run again. */
void page_command(const struct page *page);

/* What the sections of these names hold, where two runs stand beside each other. */
void page_topology_drawing(const struct page *page);
void page_topology_legend(const struct page *page);
void page_stages_bars(const struct page *page);
void page_stages_legend(const struct page *page);

/* Drawings; nothing where there is nothing to draw. */
void page_drawing_style(FILE *out);
/* A drawing of stormglass draw inside the page: without its own style sheet and ids. */
void page_drawing_write(FILE *out, const char *svg);
void page_draw_fabric(const struct page *page);
void page_draw_pauses(const struct page *page);
void page_draw_waits(const struct page *page);

/* The sections. */
void page_over_time(const struct page *page);
void page_summary(const struct page *page);
void page_workloads(const struct page *page);
void page_topology(const struct page *page);
void page_blame(const struct page *page);
void page_queue(const struct page *page, const struct queued *queued);
void page_stages(const struct page *page);
void page_wire(const struct page *page);
void page_queues(const struct page *page);
void page_drops(const struct page *page);
void page_steady(const struct page *page);
void page_members(const struct page *page);
void page_waits(const struct page *page);
void page_warnings(const struct page *page);
void page_events(const struct page *page);
void page_settings(const struct page *page);
void page_reproduce(const struct page *page);

/* ------------------------------------------------------------------ figures */

/* Percentiles want many commands in each step. */
enum {
    PAGE_BINS = 400,
    PAGE_LATENCY_BINS = 100,
    PAGE_PIXELS = 500,
    PAGE_SERIES_MAX = 8,
    PAGE_LINE_PIXELS = 300, /* of many series; two samples in each are both kept */
    PAGE_PLACES_MAX = 12,
    PAGE_WORKLOADS_MAX = 32
};

/* How long each transmitter was stopped, (node, port, priority, value): where a global pause holds
 * all priorities, 0 stands for them. */
#define PAGE_BLOCKED                                                                               \
    "(SELECT node, port, priority, value FROM counter c"                                           \
    " WHERE c.name='tx_prio'||c.priority||'_blocked_ps' AND (c.priority=0 OR NOT EXISTS("          \
    "SELECT 1 FROM counter g WHERE g.name='rx_global_pause' AND g.node=c.node AND"                 \
    " g.port=c.port)))"

/* The chart of that id; in a comparison bands are charts of their own for each run. */
struct chart *page_chart(const struct page *page, enum chart_kind kind, const char *id,
                         const char *unit, const char *title, const char *about);

/* False: the run was recorded at a lower level; the chart says so. */
bool page_recorded(const struct page *page, struct chart *chart, enum record_level level);

/* In a comparison both runs' series of a name have the same colour, and the second's is dashed. */
struct chart_series *page_series(const struct page *page, struct chart *chart, const char *name);

/* A bin's width; bins begin at 0. */
time_ps page_step(const struct page *page, int bins);
time_ps page_span(struct store *store);

void page_chart_pauses(const struct page *page);
void page_chart_spread(const struct page *page);
void page_chart_occupancy(const struct page *page);
void page_chart_rates(const struct page *page);
void page_chart_queues(const struct page *page);
void page_chart_buffers(const struct page *page);
void page_chart_receive(const struct page *page);
void page_chart_control(const struct page *page);
void page_chart_goodput(const struct page *page);
void page_chart_underway(const struct page *page);
void page_charts_latency(const struct page *page);
void page_chart_tail(const struct page *page);

/* Whether a run's commands were recorded one by one, and there are some. */
bool page_has_commands(struct store *store);
/* Whether it has samples; without commands the work is shown by these. */
bool page_has_series(const struct page *page);
void page_series_goodput(const struct page *page, struct chart *chart);
void page_series_underway(const struct page *page, struct chart *chart);
void page_series_latency(const struct page *page, struct chart *chart, int64_t workload);

/* All charts of a run, into page->charts. */
void page_charts(const struct page *page);

/* The members "faults" and "charts", with which the object ends. */
void page_figures_end(const struct page *pages, int count, FILE *out);

#endif
