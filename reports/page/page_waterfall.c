/* SPDX-License-Identifier: Apache-2.0
 * page_waterfall - where the time of slow commands went, one step after another: each workload's
 * slowest command by its times, and the mean of the slowest 1 % by the time breakdown. */
#include "replay/database/words.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>

enum { COMMANDS_MAX = 4, OPERATIONS_MAX = 8 };

static void begin(const struct page *page, time_ps whole, const char *of, const char *name,
                  const char *operation)
{
    fputs("<div class=\"fall\"><h3>", page->out);
    page_put(page->out, "%s %s, %s: %s", name, operation, of, words_time(whole).text);
    fputs("</h3><ul>\n", page->out);
}

static void end(const struct page *page)
{
    fputs("</ul></div>\n", page->out);
}

/* Steps shorter than a thousandth are left out. */
static void step(const struct page *page, const char *words, time_ps from, time_ps length,
                 time_ps whole)
{
    if (whole <= 0 || length < whole / 1000 || length <= 0)
        return;
    const double left = 100.0 * (double)from / (double)whole,
                 width = 100.0 * (double)length / (double)whole;
    fputs("<li><span>", page->out);
    page_text(page->out, words);
    fprintf(page->out,
            "</span><span class=\"bar\"><i style=\"margin-left:%.2f%%;width:%.2f%%\"></i></span>"
            "<span class=\"n\" title=\"%" PRId64 " ps\">",
            left, width, length);
    page_put(page->out, "%s, %s", words_time(length).text,
             words_percent((double)length, (double)whole).text);
    fputs("</span></li>\n", page->out);
}

/* ------------------------------------------------------------------ one command */

/* Columns of `io` in the order of a command, and what ends at each. */
static const struct {
    const char *column, *words;
} moments[] = {
    {"admitted_ps", "limit of the workload"},
    {"posted_ps", "host: software, until the capsule is posted"},
    {"capsule_ps", "command capsule on the network"},
    {"begun_ps", "target: until its software begins"},
    {"buffered_ps", "target: wait for data buffers"},
    {"wrs_ps", "target: wait for data work requests"},
    {"fetch_ps", "target: until the data is requested"},
    {"fetched_ps", "data from the host on the network"},
    {"limit_ps", "target: software"},
    {"media_ps", "target: until the media has the command"},
    {"media_begun_ps", "wait for the media"},
    {"media_done_ps", "media"},
    {"response_sent_ps", "target: until the response is posted"},
    {"response_ps", "data and response on the network"},
    {"completed_ps", "host: software, until the completion"},
};

#define SLOWEST                                                                                    \
    "SELECT i.*, w.name AS name, max(i.completed_ps-i.issued_ps) AS longest FROM io i"             \
    " JOIN workload w USING(workload) WHERE status=0 GROUP BY workload ORDER BY workload LIMIT ?1"

static void write_command(const struct page *page, const struct store_statement *row)
{
    const time_ps issued = store_int(row, "issued_ps"), whole = store_int(row, "longest");
    time_ps last = 0;
    begin(page, whole, "the slowest command", store_text(row, "name"),
          store_text(row, "operation"));
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        const int column = store_column(row, moments[i].column);
        if (column < 0 || store_column_type(row, column) == STORE_NULL)
            continue;
        /* a damaged database may have any time */
        const uint64_t since = (uint64_t)store_column_int(row, column) - (uint64_t)issued;
        if (since > (uint64_t)whole || (time_ps)since < last)
            continue;
        const time_ps at = (time_ps)since;
        step(page, moments[i].words, last, at - last, whole);
        last = at;
    }
    end(page);
}

static void write_commands(const struct page *page)
{
    struct store_statement *rows = store_prepare(page->store, SLOWEST);
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(COMMANDS_MAX));
    while (store_step(rows))
        if (store_int(rows, "longest") > 0)
            write_command(page, rows);
    store_finish(rows);
}

/* ------------------------------------------------------------------ the slowest 1 % */

/* The parts of the slowest hundredth in the order in which a command passes them: that of the first
 * phase that has the part. */
static void write_slowest(const struct page *page)
{
    struct store_statement *rows = store_prepare(
        page->store,
        "SELECT w.name AS name, s.operation AS operation, CASE s.part"
#define PART(NAME, key, words, about) " WHEN '" key "' THEN '" words "'"
#include "replay/breakdown/breakdown_part.def"
        " ELSE s.part END AS words, s.sum_ps/slow_count AS length,"
        " (SELECT sum(r.sum_ps)/slow_count FROM wait_slow r WHERE r.workload=s.workload AND"
        " r.operation=s.operation) AS whole, slow_count, row_number() OVER (PARTITION BY"
        " s.workload, s.operation ORDER BY (SELECT min(position) FROM wait a WHERE"
        " a.workload=s.workload AND a.operation=s.operation AND a.part=s.part), s.position) AS"
        " place, dense_rank() OVER (ORDER BY s.workload, s.operation) AS number FROM wait_slow s"
        " JOIN wait_total t ON t.workload=s.workload AND t.operation=s.operation"
        " JOIN workload w ON w.workload=s.workload WHERE slow_count>0"
        " ORDER BY number, place");
    bool open = false;
    time_ps last = 0;
    while (store_step(rows) && store_int(rows, "number") <= OPERATIONS_MAX) {
        const time_ps whole = store_int(rows, "whole"), length = store_int(rows, "length");
        if (store_int(rows, "place") == 1) {
            if (open)
                end(page);
            begin(page, whole, "mean of the slowest 1%", store_text(rows, "name"),
                  store_text(rows, "operation"));
            open = true;
            last = 0;
        }
        if (length < 0 || length > whole - last)
            continue;
        step(page, store_text(rows, "words"), last, length, whole);
        last += length;
    }
    store_finish(rows);
    if (open)
        end(page);
}

void page_waterfall(const struct page *page)
{
    const bool commands =
        store_ask_int(page->store, "SELECT count(*) FROM io WHERE status=0", 0) > 0;
    const bool breakdown = store_ask_int(page->store, "SELECT count(*) FROM wait_slow", 0) > 0;
    if (!commands && !breakdown)
        return;
    page_fold(page, "waterfall", "Waterfall of slow commands",
              "Steps in time order; for the slowest 1%, in the order in which commands reach them. "
              "Steps below 0.1% are omitted.");
    fputs("<div class=\"two\"><div>\n", page->out);
    write_commands(page);
    fputs("</div><div>\n", page->out);
    write_slowest(page);
    if (!breakdown)
        fputs("<p class=\"about\">The slowest 1% need the time breakdown: run with "
              "<code>--waits</code> or <code>--record packets</code>.</p>\n",
              page->out);
    fputs("</div></div>\n", page->out);
    page_fold_end(page);
}
