/* SPDX-License-Identifier: Apache-2.0
 * text - one function for each part of the summary. */
#include "reports/summary/text.h"

#include "base/digest.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/shell.h"
#include "replay/database/figure.h"
#include "replay/database/stored.h"
#include "replay/explain/account.h"
#include "replay/run/expect_eval.h"
#include "reports/summary/text_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKLOADS_MAX = 8,
    PAUSES_MAX = 5,
    DROPS_MAX = 5,
    DEADLOCKS_MAX = 3,
    WARNINGS_MAX = 8,
    BAR_WIDTH = 20,
    SPREAD_PORTS = 3
};

int64_t text_result(const struct text *text, const char *path)
{
    return store_result(text->store, path);
}

void text_head(const struct text *text, const char *words)
{
    fprintf(text->out, "\n%s%-16s%s", text->paint.bold, words, text->paint.off);
}

void text_rest(const struct text *text, const char *count_sql, int64_t shown, const char *view)
{
    const int64_t all = store_ask_int(text->store, count_sql, 0);
    if (all > shown)
        fprintf(text->out,
                "  %s... and %" PRId64 " more: stormglass query RUN.db \"SELECT * FROM %s\"%s\n",
                text->paint.dim, all - shown, view, text->paint.off);
}

void text_title(const struct text *text)
{
    struct store_statement *row =
        store_prepare(text->store, "SELECT scenario, about, seed, simulated_ps, drain_ps, status,"
                                   " (SELECT count(*) FROM node WHERE kind='host') AS hosts,"
                                   " (SELECT count(*) FROM node WHERE kind='switch') AS switches,"
                                   " (SELECT count(*) FROM link) AS links,"
                                   " (SELECT value FROM wall WHERE name='wall_s') AS wall_s"
                                   " FROM meta");
    if (store_step(row)) {
        fprintf(text->out, "%s%s%s  %s\n", text->paint.bold, store_text(row, "scenario"),
                text->paint.off, store_text(row, "about"));
        fprintf(text->out, "  %" PRId64 " %s, %" PRId64 " switch%s, %" PRId64 " %s; seed %" PRIu64,
                store_int(row, "hosts"), plural(store_int(row, "hosts"), "host", "hosts"),
                store_int(row, "switches"), plural(store_int(row, "switches"), "", "es"),
                store_int(row, "links"), plural(store_int(row, "links"), "link", "links"),
                (uint64_t)store_int(row, "seed"));
        fprintf(text->out, "; %s %s", text->measured ? "measured" : "simulated",
                words_time(store_int(row, "simulated_ps")).text);
        if (store_int(row, "drain_ps") > 0)
            fprintf(text->out, " + %s for outstanding I/O",
                    words_time(store_int(row, "drain_ps")).text);
        if (text->measured)
            fputc('\n', text->out);
        else
            fprintf(text->out, "; %s events, %s packet-hops in %.2f s\n",
                    words_short((double)text_result(text, "events")).text,
                    words_short((double)text_result(text, "packet_hops")).text,
                    store_real(row, "wall_s"));
        const bool complete = strcmp(store_text(row, "status"), "complete") == 0;
        if (text->cut || !complete)
            fprintf(text->out, "  %s%s: results cover only the part that ran%s\n", text->paint.bad,
                    complete ? "cut by --until" : store_text(row, "status"), text->paint.off);
    }
    store_finish(row);
}

/* Operations without success; counts of 0 are left out. */
static void write_incomplete(const struct text *text, const struct store_statement *row)
{
    const int64_t failed = store_int(row, "failed"), open = store_int(row, "unfinished");
    const char *waiting = store_text(row, "waiting");
    if (failed + open == 0)
        return;
    fprintf(text->out, "  %s%18s", text->cut && failed == 0 ? text->paint.dim : text->paint.bad,
            "");
    if (failed > 0)
        fprintf(text->out, "%s %s failed%s", words_count(failed).text,
                plural(failed, "operation", "operations"), open > 0 ? ", " : "");
    if (open > 0)
        fprintf(text->out, "%s %s%s", words_count(open).text,
                failed > 0 ? "" : plural(open, "operation ", "operations "),
                text->cut ? "outstanding when the run was cut" : "unfinished");
    fprintf(text->out, "%s%s%s\n", waiting[0] == '\0' ? "" : ": ", waiting, text->paint.off);
}

static void write_workload(const struct text *text, const struct store_statement *row)
{
    static const char *const latencies[] = {"latency_mean_ps", "latency_p50_ps", "latency_p99_ps",
                                            "latency_p99_9_ps", "latency_max_ps"};
    fprintf(text->out, "  %-18.18s%10s%10s%13s", store_text(row, "name"),
            figure_count(row, "completed").text, figure_short(row, "iops").text,
            figure_rate(row, "goodput_bps").text);
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++)
        fprintf(text->out, "%10s", figure_time(row, latencies[i]).text);
    fputc('\n', text->out);
    if (store_text(row, "no_rates")[0] != '\0')
        fprintf(text->out, "  %18s%s\n", "", store_text(row, "no_rates"));
    if (store_text(row, "latency_note")[0] != '\0')
        fprintf(text->out, "  %18s%s\n", "", store_text(row, "latency_note"));
    if (store_int(row, "missed") > 0)
        fprintf(text->out, "  %18s%s %s not issued because the queue depth was reached\n", "",
                words_count(store_int(row, "missed")).text,
                plural(store_int(row, "missed"), "operation was", "operations were"));
    write_incomplete(text, row);
}

void text_workloads(const struct text *text)
{
    if (text_served(text))
        return;
    fprintf(text->out, "\n%s%-20s%10s%10s%13s%10s%10s%10s%10s%10s%s\n", text->paint.bold,
            "Workloads", "done", "IOPS", "goodput", "mean", "p50", "p99", "p99.9", "max",
            text->paint.off);
    struct store_statement *rows = store_prepare(
        text->store,
        "SELECT name, completed, failed, unfinished, iops, goodput_bps, latency_mean_ps,"
        " latency_p50_ps, latency_p99_ps, latency_p99_9_ps, latency_max_ps, waiting, missed,"
        " no_rates, latency_note FROM workload ORDER BY workload");
    int64_t shown = 0;
    while (shown < WORKLOADS_MAX && store_step(rows)) {
        write_workload(text, rows);
        shown++;
    }
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM workload", shown, "v_workload");
    if (shown > 0 && !text->measured && text_result(text, "drain_ps") > 0)
        fprintf(
            text->out,
            "  %sIOPS and goodput cover only the time for which a workload issues I/O; 'done' and "
            "latency include I/O that completes later%s\n",
            text->paint.dim, text->paint.off);
    text_recovery(text);
}

/* The time that cores worked for each I/O. */
void text_cpu(const struct text *text)
{
    static const char *const columns[] = {"host", "target", "both"};
    struct store_statement *rows = store_prepare(
        text->store, "SELECT name, cpu_host_ps/completed AS host, cpu_target_ps/completed AS "
                     "target, (cpu_host_ps+cpu_target_ps)/completed AS both FROM workload"
                     " WHERE cpu_host_ps NOTNULL AND completed>0 ORDER BY workload");
    int64_t shown = 0;
    while (shown < WORKLOADS_MAX && store_step(rows)) {
        if (shown++ == 0)
            fprintf(text->out, "\n%s%-20s%10s%10s%10s%s\n", text->paint.bold, "CPU per I/O",
                    "hosts", "targets", "sum", text->paint.off);
        fprintf(text->out, "  %-18.18s", store_text(rows, "name"));
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            fprintf(text->out, "%10s", figure_time(rows, columns[i]).text);
        fputc('\n', text->out);
    }
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM workload WHERE cpu_host_ps NOTNULL AND completed>0",
              shown, "v_workload");
}

/* Clamped, because the database is untrusted. */
static int bar_filled(double part, double whole)
{
    const double share = whole > 0 ? part / whole : 0;
    return share > 1 ? BAR_WIDTH : share > 0 ? (int)(share * BAR_WIDTH) : 0;
}

static void write_pause(const struct text *text, const struct store_statement *row, double span)
{
    const int64_t stopped = store_int(row, "value");
    const int filled = bar_filled((double)stopped, span);
    char bar[BAR_WIDTH + 1];
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(BAR_WIDTH - filled));
    bar[BAR_WIDTH] = '\0';
    fprintf(text->out, "  %-14s %s %-14s  priority %" PRId64 "%12s  %s %s\n",
            store_text(row, "name"), text->flow->by, store_text(row, "paused_by"),
            store_int(row, "priority"), words_time(stopped).text, bar,
            words_percent((double)stopped, span).text);
}

static void write_deadlocks(const struct text *text)
{
    struct store_statement *rows =
        store_prepare(text->store, "SELECT text FROM deadlock ORDER BY until_ps NOTNULL, deadlock");
    int64_t shown = 0;
    while (shown < DEADLOCKS_MAX && store_step(rows)) {
        fprintf(text->out, "  %s%s%s\n", text->paint.bad, store_text(rows, "text"),
                text->paint.off);
        shown++;
    }
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM deadlock", shown, "v_deadlock");
}

/* A global pause holds all priorities and is listed as priority 0. */
#define PAUSED                                                                                     \
    " FROM counter c WHERE c.name='tx_prio'||c.priority||'_blocked_ps' AND (c.priority=0 OR NOT"   \
    " EXISTS(SELECT 1 FROM counter g WHERE g.name='rx_global_pause' AND g.node=c.node AND"         \
    " g.port=c.port))"

/* The time that the shares of pauses refer to. */
static int64_t text_span(const struct text *text)
{
    return text_result(text, "simulated_ps") + text_result(text, "drain_ps");
}

static void write_pause_sums(const struct text *text)
{
    const int64_t frames = text_result(text, "pfc.pause_frames");
    const int64_t paused = text_result(text, "pfc.paused_ps");
    const int64_t longest = text_result(text, "pfc.longest_pause_ps");
    if (text->flow->credits) {
        fprintf(text->out, "%s %s, summed over ports; longest wait %s; bars: share of %s\n",
                text->flow->many, words_time(paused).text, words_time(longest).text,
                words_time(text_span(text)).text);
        return;
    }
    fprintf(text->out,
            "%s XOFF and %s XON; pause time %s, summed over ports; longest pause %s; bars: "
            "share of %s\n",
            words_count(frames).text, words_count(text_result(text, "pfc.resume_frames")).text,
            words_time(paused).text, words_time(longest).text, words_time(text_span(text)).text);
}

void text_pauses(const struct text *text)
{
    text_head(text, text->flow->title);
    if (text_result(text, "pfc.pause_frames") == 0 && text_result(text, "pfc.paused_ps") == 0) {
        fprintf(text->out, "%s\n", text->flow->credits ? text->flow->none : "none");
        return;
    }
    write_pause_sums(text);
    struct store_statement *rows =
        store_prepare(text->store, "SELECT p.name, q.name AS paused_by, c.priority, c.value FROM"
                                   " (SELECT *" PAUSED " ORDER BY value DESC, 1, 2, 3 LIMIT ?) c"
                                   " JOIN port p ON p.node=c.node AND p.port=c.port"
                                   " JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
                                   " ORDER BY c.value DESC, c.node, c.port, c.priority");
    store_bind(rows, 1, STORE_I(PAUSES_MAX));
    const double span = (double)text_span(text);
    int64_t shown = 0;
    for (; shown < PAUSES_MAX && store_step(rows); shown++)
        write_pause(text, rows, span);
    store_finish(rows);
    text_rest(text, "SELECT count(*)" PAUSED, shown, "v_pause");
    write_deadlocks(text);
}

/* "leaf0:p3 priority 3": the queues with the most storms. */
static void write_storm_queues(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store, "SELECT p.name, c.priority FROM counter c JOIN port p USING(node, port)"
                     " WHERE c.name='pfcwd_storms' AND c.value>0"
                     " ORDER BY c.value DESC, c.node, c.port, c.priority");
    int shown = 0;
    for (; shown <= SPREAD_PORTS && store_step(rows); shown++) {
        if (shown == SPREAD_PORTS)
            fputs(", ...", text->out);
        else
            fprintf(text->out, "%s%s priority %" PRId64, shown == 0 ? " (" : ", ",
                    store_text(rows, "name"), store_int(rows, "priority"));
    }
    fputs(shown > 0 ? ")" : "", text->out);
    store_finish(rows);
}

void text_watchdog(const struct text *text)
{
    const int64_t storms = text_result(text, "pfc.watchdog_storms");
    const int64_t stalls = text_result(text, "rnic.pause_storms");
    if (storms == 0 && stalls == 0)
        return;
    text_head(text, "Watchdog");
    if (storms > 0) {
        fprintf(text->out, "%s storm%s detected", words_count(storms).text,
                plural(storms, "", "s"));
        write_storm_queues(text);
        fprintf(text->out, ", %s restored, ",
                words_count(text_result(text, "pfc.watchdog_restored")).text);
        const int64_t dropped = text_result(text, "drops.watchdog");
        fprintf(text->out, "%s frame%s dropped", words_count(dropped).text,
                plural(dropped, "", "s"));
    }
    if (stalls > 0)
        fprintf(text->out, "%sRNICs stopped sending PAUSE %s time%s", storms > 0 ? "; " : "",
                words_count(stalls).text, plural(stalls, "", "s"));
    fputc('\n', text->out);
}

void text_drops(const struct text *text)
{
    text_head(text, "Drops");
    const int64_t frames = store_ask_int(text->store, "SELECT sum(frames) FROM dropped", 0);
    const int64_t controls = store_ask_int(text->store, "SELECT sum(controls) FROM dropped", 0);
    fprintf(text->out, "%s\n",
            frames == 0 ? "none" : flow_words_dropped(text->flow, frames, controls).text);
    struct store_statement *rows = store_prepare(
        text->store, "SELECT p.name, priority, cause, lossless, frames, first_ps, last_ps,"
                     " p.mtu_bytes, controls FROM dropped d JOIN port p USING(node, port)"
                     " ORDER BY lossless DESC, frames DESC, d.node, d.port");
    int64_t shown = 0;
    while (shown < DROPS_MAX && store_step(rows)) {
        const bool lossless = store_int(rows, "lossless") != 0;
        const bool large = strcmp(store_text(rows, "cause"), "mtu") == 0;
        fprintf(
            text->out, "  %s%-14s priority %" PRId64 "  %s%s", lossless ? text->paint.bad : "",
            store_text(rows, "name"), store_int(rows, "priority"),
            flow_words_dropped(text->flow, store_int(rows, "frames"), store_int(rows, "controls"))
                .text,
            large ? "" : ", ");
        if (large)
            fprintf(text->out, " larger than the port MTU of %" PRId64 " B",
                    store_int(rows, "mtu_bytes"));
        else
            fputs(store_text(rows, "cause"), text->out);
        fprintf(text->out, "%s, from %s to %s%s\n", lossless ? ", LOSSLESS class" : "",
                words_time(store_int(rows, "first_ps")).text,
                words_time(store_int(rows, "last_ps")).text, lossless ? text->paint.off : "");
        shown++;
    }
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM dropped", shown, "v_drop");
}

/* " at enqueue": where switches sample the queue. */
static void write_moment(const struct text *text)
{
    char at[32];
    store_ask_text(text->store, "SELECT value FROM result WHERE path='ecn_marked_at'", at,
                   sizeof at);
    if (at[0] != '\0')
        fprintf(text->out, " at %s", at);
}

void text_transport(const struct text *text)
{
    static const struct {
        const char *path, *one, *many;
    } items[] = {
        {"rnic.retransmitted_packets", "retransmitted packet", "retransmitted packets"},
        {"rnic.timeouts", "timeout", "timeouts"},
        {"rnic.naks", "NAK", "NAKs"},
        {"rnic.rnr_naks", "RNR NAK", "RNR NAKs"},
        {"rnic.cq_overruns", "completion queue overrun", "completion queues overrun"},
        {"rnic.qp_errors", "QP error", "QP errors"},
        {"tcp.retransmitted_segments", "retransmitted TCP segment", "retransmitted TCP segments"},
        {"tcp.timeouts", "TCP timeout", "TCP timeouts"},
        {"tcp.loss_probes", "tail loss probe", "tail loss probes"},
        {"ecn.marked", "ECN mark", "ECN marks"},
        {"ecn.cnps", "CNP", "CNPs"},
    };
    text_head(text, "Transport");
    int shown = 0;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const int64_t value = text_result(text, items[i].path);
        if (value == 0)
            continue;
        fprintf(text->out, "%s%s %s", shown == 0 ? "" : ", ", words_count(value).text,
                plural(value, items[i].one, items[i].many));
        if (strcmp(items[i].path, "ecn.marked") == 0)
            write_moment(text);
        shown++;
    }
    const int64_t resets =
        store_ask_int(text->store, "SELECT sum(value) FROM counter WHERE name='tx_link_resets'", 0);
    if (resets > 0)
        fprintf(text->out, "%s%s %s", shown++ == 0 ? "" : ", ", words_count(resets).text,
                plural(resets, "link reset", "link resets"));
    fprintf(text->out, "%s\n", shown == 0 ? text->flow->retransmits : "");
}

/* `sets` are lines as stored in the database. */
static void write_remedy(const struct text *text, const char *remedy, const char *sets)
{
    fprintf(text->out, "%16sremedy: %s", "", remedy);
    const char *between = " (";
    char *shown = printable_new(sets, true);
    for (char *at = shown; *at != '\0'; between = " ") {
        const size_t length = strcspn(at, "\n");
        const bool more = at[length] == '\n';
        at[length] = '\0';
        fprintf(text->out, "%s--set ", between);
        shell_print_word(text->out, at);
        at += length + more;
    }
    fprintf(text->out, "%s\n", between[1] == '(' ? "" : ")");
    free(shown);
}

void text_warnings(const struct text *text)
{
    struct store_statement *rows =
        store_prepare(text->store, "SELECT text, remedy, sets FROM warning ORDER BY position");
    int64_t shown = 0;
    while (shown < WARNINGS_MAX && store_step(rows)) {
        fprintf(text->out, "%s%s%-16s%s%s\n", shown == 0 ? "\n" : "", text->paint.bad,
                shown == 0 ? "Warnings" : "", text->paint.off, store_text(rows, "text"));
        if (!store_is_null(rows, "remedy"))
            write_remedy(text, store_text(rows, "remedy"), store_raw_text(rows, "sets"));
        shown++;
    }
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM warning", shown, "warning");
}

void text_verdict(const struct text *text)
{
    const struct paint *paint = &text->paint;
    struct store_statement *rows =
        store_prepare(text->store, "SELECT text, held, actual FROM expectation ORDER BY position");
    for (int shown = 0; store_step(rows); shown++) {
        if (shown == 0)
            fprintf(text->out, "\n%sExpectations%s\n", paint->bold, paint->off);
        const bool judged = !store_is_null(rows, "held");
        const bool held = store_int(rows, "held") != 0;
        const char *colour = held ? paint->good : judged ? paint->bad : paint->dim;
        const char *word = held ? "pass" : judged ? "FAIL" : "undecided";
        const char *actual = store_text(rows, "actual");
        const char *counted = expect_eval_counted(store_text(rows, "text"), actual);
        fprintf(text->out, "  %s%-*s%s %-42s %s%s%s%s%s\n", colour, text->cut ? 10 : 7, word,
                paint->off, store_text(rows, "text"), paint->dim, actual,
                counted[0] == '\0' ? "" : " ", counted, paint->off);
    }
    store_finish(rows);
    rows = store_prepare(text->store, "SELECT text FROM failure ORDER BY rowid");
    for (int shown = 0; store_step(rows); shown++)
        fprintf(text->out, "%s  %sFAILED%s  %s\n", shown == 0 ? "\n" : "", paint->bad, paint->off,
                store_text(rows, "text"));
    store_finish(rows);
    char digest[DIGEST_TEXT_BYTES];
    store_ask_text(text->store, "SELECT digest FROM meta", digest, sizeof digest);
    fprintf(text->out, "\n%sdigest %s%s\n", paint->dim, digest, paint->off);
}

bool text_run(struct store *store, FILE *out)
{
    static void (*const parts[])(const struct text *text) = {
#define PART(name) text_##name,
#include "reports/summary/text_part.def"
    };
    struct text text = {
        .store = store, .out = out, .paint = paint_for(out), .measured = text_is_measured(store)};
    text.cut = text_result(&text, "cut") != 0;
    text.flow = flow_words(store);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](&text);
    return store_error(store) == NULL && ferror(out) == 0;
}
