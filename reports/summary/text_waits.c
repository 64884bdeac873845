/* SPDX-License-Identifier: Apache-2.0
 * text_waits - a few lines for each workload and operation, the largest parts first. */
#include "reports/summary/text_part.h"

#include "replay/breakdown/breakdown.h"
#include "replay/database/words.h"

#include <string.h>

/* Prepared once for all workloads and operations. */
enum question { OF_ALL, OF_SLOW, SLOW_LATENCY, PAUSED_MOST, QUEUED_MOST, QUESTIONS };

struct lines {
    struct store *store;
    struct store_statement *questions[QUESTIONS];
    FILE *out;
    const struct flow_words *flow;
    int64_t workload;
    char operation[16];
    int64_t count, latency_ps, slow_count, behind_sent_ps, behind_lost_ps;
};

/* The port with most of that time. */
#define PLACE(column)                                                                              \
    "SELECT port, priority, paused_by, because_of, because_of_priority, " column " AS us"          \
    " FROM v_wait_place JOIN workload w ON w.name=v_wait_place.workload"                           \
    " WHERE w.workload=?1 AND operation=?2 AND " column ">0"                                       \
    " ORDER BY " column " DESC, port, priority LIMIT 1"

static const char *const questions[QUESTIONS] = {
    [OF_ALL] = "SELECT part, sum(sum_ps) AS ps FROM wait WHERE workload=?1 AND operation=?2"
               " GROUP BY part ORDER BY ps DESC, part",
    [OF_SLOW] = "SELECT part, sum_ps AS ps FROM wait_slow WHERE workload=?1 AND operation=?2"
                " ORDER BY ps DESC, part",
    [SLOW_LATENCY] = "SELECT sum(sum_ps) AS ps FROM wait_slow WHERE workload=?1 AND operation=?2",
    [PAUSED_MOST] = PLACE("paused_us"),
    [QUEUED_MOST] = PLACE("queued_us"),
};

static const char *words_of(const struct lines *lines, const char *key)
{
    const enum breakdown_part part = breakdown_part_find(key);
    return part == BREAKDOWN_PARTS ? key : breakdown_part_words_of(part, lines->flow->credits);
}

static struct store_statement *bind_question(const struct lines *lines, enum question question)
{
    struct store_statement *rows = lines->questions[question];
    store_rewind(rows);
    store_bind(rows, 1, STORE_I(lines->workload));
    store_bind(rows, 2, STORE_T(lines->operation));
    return rows;
}

/* "54 % media wait, 15 % paused, ...": parts below 1 % are omitted. */
static void write_parts(const struct lines *lines, struct store_statement *rows, double whole)
{
    const char *comma = "";
    while (store_step(rows)) {
        const double ps = (double)store_int(rows, "ps");
        if (ps * 100 < whole)
            break;
        fprintf(lines->out, "%s%s %s", comma, words_percent(ps, whole).text,
                words_of(lines, store_text(rows, "part")));
        comma = ", ";
    }
    fprintf(lines->out, "\n");
}

static double slow_latency(const struct lines *lines)
{
    struct store_statement *row = bind_question(lines, SLOW_LATENCY);
    return store_step(row) ? (double)store_int(row, "ps") : 0;
}

/* The root of most of its pauses: a host, or a congested port. */
static void write_reason(const struct lines *lines, const struct store_statement *row)
{
    const char *root = store_text(row, "because_of");
    if (root[0] == '\0')
        return;
    fprintf(lines->out, ", mostly because of %s", root);
    if (strchr(root, ':') != NULL)
        fprintf(lines->out, " priority %lld", (long long)store_int(row, "because_of_priority"));
}

/* Places below 1 % of the latency are omitted as well: the mean over all operations of what a few
 * of them waited there may be less than one bit time. */
static void write_place(const struct lines *lines, bool paused)
{
    struct store_statement *row = bind_question(lines, paused ? PAUSED_MOST : QUEUED_MOST);
    if (store_step(row) && store_real(row, "us") * 1e6 * 100 >= (double)lines->latency_ps) {
        const double mean = store_real(row, "us") * 1e6 / (double)lines->count;
        const bool waits = paused && lines->flow->credits;
        const char *done = waits ? "waited" : paused ? "paused" : "queued";
        const char *of = waits ? "for credits of" : paused ? "by" : "to";
        fprintf(lines->out, "    %s most at %s priority %lld", done, store_text(row, "port"),
                (long long)store_int(row, "priority"));
        fprintf(lines->out, ", %s %s: mean %s", of, store_text(row, "paused_by"),
                words_time(words_whole(mean)).text);
        if (paused)
            write_reason(lines, row);
        fprintf(lines->out, "\n");
    }
}

/* The member with the longest mean operation time, if there are several members. */
static void write_worst(const struct lines *lines, int64_t workload)
{
    struct store_statement *row = store_prepare(
        lines->store,
        "SELECT member, f.name AS host, t.name AS target, latency_ps*1.0/count AS mean_ps,"
        " latency_ps, count(*) OVER () AS members"
        " FROM wait_member JOIN node f ON f.node=from_node JOIN node t ON t.node=to_node"
        " WHERE workload=?1 ORDER BY 4 DESC, member LIMIT 1");
    store_bind(row, 1, STORE_I(workload));
    if (store_step(row) && store_int(row, "members") > 1) {
        fprintf(lines->out, "    slowest pair %s to %s, mean %s: ", store_text(row, "host"),
                store_text(row, "target"), words_time(store_int(row, "mean_ps")).text);
        struct store_statement *parts = store_prepare(
            lines->store, "SELECT part, sum_ps AS ps FROM wait_member_part WHERE workload=?1"
                          " AND member=?2 ORDER BY ps DESC, position");
        store_bind(parts, 1, STORE_I(workload));
        store_bind(parts, 2, STORE_I(store_int(row, "member")));
        write_parts(lines, parts, (double)store_int(row, "latency_ps"));
        store_finish(parts);
    }
    store_finish(row);
}

/* Head-of-line blocking in a byte stream, from 1 % of the latency on. */
static void write_behind(const struct lines *lines)
{
    const double sent = (double)lines->behind_sent_ps, lost = (double)lines->behind_lost_ps;
    const double count = (double)lines->count;
    if ((sent + lost) * 100 < (double)lines->latency_ps || lines->latency_ps == 0)
        return;
    fprintf(lines->out, "    of this, %s behind bytes of other commands in the same connection: ",
            words_percent(sent + lost, (double)lines->latency_ps).text);
    fprintf(lines->out, "mean %s until these were sent",
            words_time(words_whole(sent / count)).text);
    if (lost > 0)
        fprintf(lines->out, ", %s until lost ones among them had arrived",
                words_time(words_whole(lost / count)).text);
    fputc('\n', lines->out);
}

static void write_lines(const struct lines *lines, const char *name)
{
    const double latency = (double)lines->latency_ps;
    fprintf(lines->out, "  '%s' %s, mean %s: ", name, lines->operation,
            words_time(words_whole(latency / (double)lines->count)).text);
    write_parts(lines, bind_question(lines, OF_ALL), latency);
    if (lines->slow_count < lines->count) {
        const double slow = slow_latency(lines);
        fprintf(lines->out, "    slowest 1%%, mean %s: ",
                words_time(words_whole(slow / (double)lines->slow_count)).text);
        write_parts(lines, bind_question(lines, OF_SLOW), slow);
    }
    write_behind(lines);
    write_place(lines, true);
    write_place(lines, false);
}

void text_waits(const struct text *text)
{
    struct lines lines = {.store = text->store, .out = text->out, .flow = text->flow};
    struct store_statement *rows = store_prepare(
        text->store, "SELECT w.name, workload, operation, count, latency_ps, slow_count,"
                     " behind_sent_ps, behind_lost_ps,"
                     " row_number() OVER (PARTITION BY workload ORDER BY operation DESC)"
                     " AS place"
                     " FROM wait_total JOIN workload w USING(workload)"
                     " ORDER BY workload, operation");
    for (int shown = 0; store_step(rows); shown++) {
        char name[64];
        for (int i = 0; i < QUESTIONS && shown == 0; i++)
            lines.questions[i] = store_prepare(text->store, questions[i]);
        if (shown == 0)
            fprintf(text->out, "\n%sTime breakdown of commands and messages%s\n", text->paint.bold,
                    text->paint.off);
        snprintf(name, sizeof name, "%s", store_text(rows, "name"));
        lines.workload = store_int(rows, "workload");
        snprintf(lines.operation, sizeof lines.operation, "%s", store_text(rows, "operation"));
        lines.count = store_int(rows, "count");
        lines.latency_ps = store_int(rows, "latency_ps");
        lines.slow_count = store_int(rows, "slow_count");
        lines.behind_sent_ps = store_int(rows, "behind_sent_ps");
        lines.behind_lost_ps = store_int(rows, "behind_lost_ps");
        write_lines(&lines, name);
        if (store_int(rows, "place") == 1) /* last operation of the workload */
            write_worst(&lines, lines.workload);
    }
    store_finish(rows);
    for (int i = 0; i < QUESTIONS; i++)
        store_finish(lines.questions[i]);
}
