/* SPDX-License-Identifier: Apache-2.0
 * page_layout - interface of the parts of a page: text, tables, sections, drawings, charts. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_LAYOUT_H
#define STORMGLASS_REPORTS_PAGE_PAGE_LAYOUT_H

#include "base/units.h"
#include "replay/database/flow_words.h"
#include "replay/database/store.h"
#include "replay/database/words.h"
#include "replay/record/record.h"
#include "replay/step/queued.h"
#include "reports/page/page.h"
#include "reports/page/page_parts.h"
#include "reports/text/chart.h"

#include <stdio.h>

enum { PAGE_SENTENCE_BYTES = 1024 };

/* What a drawing of the fabric shows if it is not the time that ports were paused. */
struct page_counts {
    const char *words; /* after a number: "pause frames received" */
    const char *about; /* "Pause frames received" */
};

struct page {
    struct store *store;
    FILE *out;
    const struct flow_words *flow;    /* of a run */
    time_ps span;                     /* ps; until the last work has completed; at least 1 */
    const struct page_counts *counts; /* of an incident, relative to span; NULL: pause time */
    struct charts *charts;
    int side;   /* 0: single run; 1, 2: A or B of a comparison */
    bool by_io; /* workloads are shown from commands, otherwise from samples */
    /* On a narrow screen, the cells of a row are stacked, each with its heading. */
    bool stacks;
    const char *label; /* of the next cell; NULL: none */
    FILE *contents;    /* receives a link to each section; NULL: nothing does */
    /* Of the ids of sections on a page of several inputs; NULL: none, and the charts over time are
     * those of this run. */
    const char *prefix;
};

/* ------------------------------------------------------------------ HTML */

/* Escapes everything that HTML would interpret; page_put formats like printf. */
void page_text(FILE *out, const char *text);
void page_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From the doctype to the opening <main>. */
void page_begin(FILE *out, const char *title);
/* The bar of links to the sections. */
void page_contents(FILE *out, const char *links, size_t length);

/* A time in a cell or a tile. */
struct words page_time(time_ps time);

/* The end of the content, and the script of every page: reader.js. */
void page_foot(FILE *out, const char *credit);
/* Everything after the sections; `figures` writes the data for the script. Returns false if that or
 * the output failed. */
bool page_end(FILE *out, bool (*figures)(const void *self, FILE *out), const void *self);

/* The prefix of ids, or "". */
const char *page_prefix(const struct page *page);

void page_section(const struct page *page, const char *id, const char *title, const char *about);
void page_section_end(const struct page *page);

/* A section of evidence: closed at first, so that a page begins with its results. */
void page_fold(const struct page *page, const char *id, const char *title, const char *about);
void page_fold_end(const struct page *page);

/* Numbers are shown rounded; the exact value is the cell's title. */
enum page_kind {
    PAGE_TEXT,
    PAGE_SENTENCE, /* text that needs a minimum width */
    PAGE_CODE,
    PAGE_COMMAND, /* a long one is folded */
    PAGE_LINK, /* name of a page next to this one; empty: none */
    PAGE_COUNT,
    PAGE_TIME, /* ps */
    PAGE_RATE, /* bit/s */
    PAGE_BYTES,
    PAGE_SHORT,
    PAGE_VERDICT /* 1: met, 0: not met */
};

struct page_column {
    const char *head;
    enum page_kind kind;
};

/* A table of a query's rows, formatted by column; of a long one some rows are seen at a time.
 * Returns false without writing anything if there
 * are no rows. `columns` ends with an entry without a heading. */
bool page_table(const struct page *page, const char *sql, const struct page_column *columns);

/* Results of a workload: columns of page_table, and the SELECT for the table workload. */
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

/* 0: never; 1 to 5: share of the time that a port was paused. */
int page_heat(time_ps blocked, time_ps span);

/* Opens a <table>, with what stacking needs, up to the end of its attributes. */
void page_begin_table(const struct page *page, const char *class);

/* Opens a cell, up to the end of its attributes; class NULL: none. */
void page_begin_cell(const struct page *page, const char *class);

/* A <td> with one value of a row, as in page_table. */
void page_cell(const struct page *page, enum page_kind kind, const struct store_statement *row,
               int column);

/* A key figure of a run. `tone` is the card's class if `when` is above 0. */
struct page_card {
    const char *label, *sql;
    enum page_kind kind;
    const char *tone, *when;
    const char *credits; /* the label on links with credits; NULL: the same; empty: not shown */
};
extern const struct page_card page_cards[]; /* ends with an entry without a label */

/* The label; NULL if the links of the run have no such figure. */
const char *page_card_label(const struct page_card *card, const struct flow_words *flow);

/* The value as text, and in *value; false with "-" as text if it is undefined (SQL NULL). */
bool page_card_read(const struct page_card *card, struct store *store, int64_t *value,
                    struct words *words);

/* A bar in proportion to the longest. */
void page_bar(const struct page *page, const char *class, time_ps value, time_ps longest);

/* The command that repeats the run. */
void page_command(const struct page *page);

/* "leaf0:p1 paused for 3 ms", or "leaf0:p1: 12 pause frames received". */
void page_put_held(const struct page *page, const char *name, int64_t held);

/* Contents of the sections of these names, for pages of two runs. */
void page_topology_drawing(const struct page *page);
void page_topology_legend(const struct page *page);
void page_topology_name(const struct page *page, const char *class, int x, int y, int width,
                        const char *name);
void page_stages_bars(const struct page *page);
void page_stages_legend(const struct page *pages, size_t count);

/* SQL: ports p and nodes n with their positions i in the data of page_fabric. */
#define PAGE_NUMBERED                                                                              \
    "WITH p AS (SELECT *, row_number() OVER (ORDER BY node, port)-1 AS i FROM port),"              \
    " n AS (SELECT *, row_number() OVER (ORDER BY node)-1 AS i FROM node) "

/* Data of the topology's replay, and the attributes by which its script finds links and nodes. */
void page_fabric(const struct page *page);
void page_fabric_link(const struct page *page, int64_t a, int64_t b);
void page_fabric_node(const struct page *page, int64_t node);

/* A fabric that is too large to draw each of its hosts and switches: pods, and their data. */
bool page_topology_is_large(const struct page *page);
void page_pods_drawing(const struct page *page);
void page_pods_data(const struct page *page, FILE *out);

/* Drawings; nothing if there is nothing to draw. */
void page_drawing_style(FILE *out);
/* A drawing of stormglass draw inside the page: without its own style sheet and ids. */
void page_drawing_write(FILE *out, const char *svg);
void page_draw_pauses(const struct page *page);
void page_draw_waits(const struct page *page);

/* All sections of a run. */
void page_run_sections(const struct page *page, struct page_extra extra);

/* The sections. */
void page_over_time(const struct page *page);
void page_answer(const struct page *page);
void page_first_drawings(const struct page *page); /* topology, pauses, key figures */
void page_workloads(const struct page *page);
void page_cpu(const struct page *page);
void page_transports(const struct page *page);
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
void page_waterfall(const struct page *page);
void page_warnings(const struct page *page);
void page_events(const struct page *page);
void page_settings(const struct page *page);
void page_reproduce(const struct page *page);

/* ------------------------------------------------------------------ figures */

/* percentiles need many commands per bin */
enum {
    PAGE_BINS = 400,
    PAGE_LATENCY_BINS = 100,
    PAGE_PIXELS = 500,
    PAGE_SERIES_MAX = 8,
    PAGE_LINE_PIXELS = 300, /* with many series; keeps 2 samples each */
    PAGE_PLACES_MAX = 12,
    PAGE_WORKLOADS_MAX = 32
};

/* SQL: pause time of each transmitter (node, port, priority, value). A global pause holds all
 * priorities and is listed as priority 0. */
#define PAGE_BLOCKED                                                                               \
    "(SELECT node, port, priority, value FROM counter c"                                           \
    " WHERE c.name='tx_prio'||c.priority||'_blocked_ps' AND (c.priority=0 OR NOT EXISTS("          \
    "SELECT 1 FROM counter g WHERE g.name='rx_global_pause' AND g.node=c.node AND"                 \
    " g.port=c.port)))"

/* The chart of that id; in a comparison, bands have a chart per run. */
struct chart *page_chart(const struct page *page, enum chart_kind kind, const char *id,
                         const char *unit, const char *title, const char *about);

/* Returns false if the run was recorded at a lower level, which the chart then states. */
bool page_recorded(const struct page *page, struct chart *chart, enum record_level level);

/* In a comparison, series of the same name have the same color, dashed for the second run. */
struct chart_series *page_series(const struct page *page, struct chart *chart, const char *name);

/* Width of a bin; bins start at 0. */
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

/* Whether the run has recorded individual commands. */
bool page_has_commands(struct store *store);
/* Whether the run has samples; without commands, workloads are shown from them. */
bool page_has_series(const struct page *page);
void page_series_goodput(const struct page *page, struct chart *chart);
void page_series_underway(const struct page *page, struct chart *chart);
void page_series_latency(const struct page *page, struct chart *chart, int64_t workload);

/* Adds all charts of a run to page->charts. */
void page_charts(const struct page *page);

/* Writes the final members "faults" and "charts" of the object. */
void page_figures_end(const struct page *pages, int count, FILE *out);

#endif
