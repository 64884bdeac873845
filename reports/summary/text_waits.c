/* SPDX-License-Identifier: Apache-2.0
 * text_waits - a few lines for each workload and operation, the largest parts first. */
#include "reports/summary/text_waits.h"

#include "replay/database/words.h"
#include "replay/waits/waits.h"

#include <string.h>

struct lines {
    struct store *store;
    FILE *out;
    int64_t workload;
    char operation[16];
    int64_t count, latency_ps, slow_count;
};

#define PLACE(column)                                                                              \
    "SELECT " column ", p.name, priority, n.name, w.node, w.port FROM wait_place w"                \
    " JOIN port p USING(node, port) JOIN node n ON n.node=p.peer_node"                             \
    " WHERE workload=?1 AND operation=?2 AND " column ">0"                                         \
    " ORDER BY " column " DESC, w.node, w.port, priority LIMIT 1"

static const char *words_of(const char *key)
{
    for (int i = 0; i < WAITS_PARTS; i++)
        if (strcmp(waits_part_key((enum waits_part)i), key) == 0)
            return waits_part_words((enum waits_part)i);
    return key;
}

static struct store_statement *ask(const struct lines *lines, const char *sql)
{
    struct store_statement *rows = store_prepare(lines->store, sql);
    store_bind(rows, 1, STORE_I(lines->workload));
    store_bind(rows, 2, STORE_T(lines->operation));
    return rows;
}

/* "54 % media wait, 15 % paused, ...": those below a hundredth are left out. */
static void write_parts(const struct lines *lines, const char *sql, double whole)
{
    struct store_statement *rows = ask(lines, sql);
    const char *comma = "";
    while (store_step(rows)) {
        const double ps = (double)store_int(rows, 1);
        if (ps * 100 < whole)
            break;
        fprintf(lines->out, "%s%s %s", comma, words_percent(ps, whole).text,
                words_of(store_text(rows, 0)));
        comma = ", ";
    }
    fprintf(lines->out, "\n");
    store_finish(rows);
}

static double slow_latency(const struct lines *lines)
{
    struct store_statement *row =
        ask(lines, "SELECT sum(sum_ps) FROM wait_slow WHERE workload=?1 AND operation=?2");
    const double ps = store_step(row) ? (double)store_int(row, 0) : 0;
    store_finish(row);
    return ps;
}

/* Most of a port's pauses were for the sake of that host or egress. */
static void write_reason(const struct lines *lines, int64_t node, int64_t port)
{
    struct store_statement *row = store_prepare(
        lines->store,
        "SELECT coalesce(p.name, n.name) FROM pause_path h JOIN pause_root r ON position=root"
        " JOIN node n ON n.node=r.node"
        " LEFT JOIN port p ON p.node=r.node AND p.port=r.port"
        " WHERE h.node=?1 AND h.port=?2 ORDER BY h.held_ps DESC, root LIMIT 1");
    store_bind(row, 1, STORE_I(node));
    store_bind(row, 2, STORE_I(port));
    if (store_step(row))
        fprintf(lines->out, ", mostly because of %s", store_text(row, 0));
    store_finish(row);
}

/* The port at which most of it was. */
static void write_place(const struct lines *lines, bool paused)
{
    const char *word = paused ? "paused" : "queued";
    struct store_statement *row = ask(lines, paused ? PLACE("paused_ps") : PLACE("queued_ps"));
    if (store_step(row)) {
        const double each = (double)store_int(row, 0) / (double)lines->count;
        fprintf(lines->out, "    %s most at %s priority %lld, to %s: %s each", word,
                store_text(row, 1), (long long)store_int(row, 2), store_text(row, 3),
                words_time((int64_t)each).text);
        if (paused)
            write_reason(lines, store_int(row, 4), store_int(row, 5));
        fprintf(lines->out, "\n");
    }
    store_finish(row);
}

static void write_lines(const struct lines *lines, const char *name)
{
    const double latency = (double)lines->latency_ps;
    fprintf(lines->out, "  %s %s, mean %s: ", name, lines->operation,
            words_time((int64_t)(latency / (double)lines->count)).text);
    write_parts(lines,
                "SELECT part, sum(sum_ps) AS ps FROM wait WHERE workload=?1 AND operation=?2"
                " GROUP BY part ORDER BY ps DESC, part",
                latency);
    if (lines->slow_count < lines->count) {
        const double slow = slow_latency(lines);
        fprintf(lines->out, "    slowest 1 %%, mean %s: ",
                words_time((int64_t)(slow / (double)lines->slow_count)).text);
        write_parts(lines,
                    "SELECT part, sum_ps AS ps FROM wait_slow WHERE workload=?1 AND operation=?2"
                    " ORDER BY ps DESC, part",
                    slow);
    }
    write_place(lines, true);
    write_place(lines, false);
}

void text_waits(struct store *store, FILE *out, const struct paint *paint)
{
    struct lines lines = {.store = store, .out = out};
    struct store_statement *rows =
        store_prepare(store, "SELECT w.name, workload, operation, count, latency_ps, slow_count"
                             " FROM wait_total JOIN workload w USING(workload)"
                             " ORDER BY workload, operation");
    for (int shown = 0; store_step(rows); shown++) {
        char name[64];
        if (shown == 0)
            fprintf(out, "\n%sWhat commands and messages waited for%s\n", paint->bold, paint->off);
        snprintf(name, sizeof name, "%s", store_text(rows, 0));
        lines.workload = store_int(rows, 1);
        snprintf(lines.operation, sizeof lines.operation, "%s", store_text(rows, 2));
        lines.count = store_int(rows, 3);
        lines.latency_ps = store_int(rows, 4);
        lines.slow_count = store_int(rows, 5);
        write_lines(&lines, name);
    }
    store_finish(rows);
}
