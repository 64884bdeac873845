/* SPDX-License-Identifier: Apache-2.0
 * measure - from a run's tables and its result to what it showed. */
#include "replay/experiment/measure.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int measure_hop_order(const struct measure_hop *a, const struct measure_hop *b)
{
    const int64_t node = a->node - b->node, port = a->port - b->port;
    const int64_t order = node != 0 ? node : port != 0 ? port : a->priority - b->priority;
    return order < 0 ? -1 : order > 0;
}

void measure_hops_read(struct measure_hops *hops, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT DISTINCT node, port, priority FROM workload_way ORDER BY 1, 2, 3");
    while (store_step(rows)) {
        hops->rows = memory_grown(hops->rows, hops->count, &hops->room, sizeof *hops->rows);
        hops->rows[hops->count++] = (struct measure_hop){
            store_int(rows, "node"), store_int(rows, "port"), store_int(rows, "priority")};
    }
    store_finish(rows);
}

/* Both rows of keys are in order. */
static void read_stops(struct measure *measure, struct store *store,
                       const struct measure_hops *hops)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT node, port, priority, value FROM counter WHERE name GLOB"
                             " 'tx_prio?_blocked_ps' ORDER BY node, port, priority");
    uint32_t next = 0;
    while (store_step(rows)) {
        const struct measure_hop key = {store_int(rows, "node"), store_int(rows, "port"),
                                        store_int(rows, "priority")};
        while (next < hops->count && measure_hop_order(&hops->rows[next], &key) < 0)
            next++;
        if (next < hops->count && measure_hop_order(&hops->rows[next], &key) == 0)
            measure->stopped_ps[next] += store_int(rows, "value");
    }
    store_finish(rows);
}

/* ------------------------------------------------------------------ members */

static int member_order(const struct measure_member *a, const struct measure_member *b)
{
    if (a->workload != b->workload)
        return a->workload < b->workload ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void add_member(struct measure_members *members, struct measure_member member)
{
    members->rows =
        memory_grown(members->rows, members->count, &members->room, sizeof *members->rows);
    members->rows[members->count++] = member;
}

void measure_members_read(struct measure_members *members, struct store *store, uint32_t workloads)
{
    *members = (struct measure_members){0};
    struct store_statement *rows = store_prepare(
        store, "SELECT DISTINCT workload, from_node, to_node FROM member ORDER BY 1, 2, 3");
    while (store_step(rows) && members->count <= MEASURE_PAIRS_MAX)
        add_member(members, (struct measure_member){(uint32_t)store_int(rows, "workload"),
                                                    (uint32_t)store_int(rows, "from_node"),
                                                    (uint32_t)store_int(rows, "to_node")});
    store_finish(rows);
    if (members->count > 0 && members->count <= MEASURE_PAIRS_MAX)
        return;
    members->count = 0;
    for (uint32_t i = 0; i < workloads; i++)
        add_member(members, (struct measure_member){i, TRIAL_ANY_HOST, TRIAL_ANY_HOST});
}

void measure_members_free(struct measure_members *members)
{
    free(members->rows);
    *members = (struct measure_members){0};
}

/* ------------------------------------------------------------------ work done */

static struct loss_work work_of(const struct store_statement *row)
{
    return (struct loss_work){store_int(row, "done"), store_int(row, "under_way_ps"),
                              store_int(row, "failures"), store_int(row, "open"),
                              store_int(row, "idle")};
}

/* Failures before a member issued anything, for instance of its connection, are in no member's row.
 * They belong to the idle members. */
static void add_failures(struct measure *measure, const struct measure_members *members,
                         uint32_t workload, int64_t failures)
{
    for (uint32_t i = 0; i < members->count; i++)
        if (members->rows[i].workload == workload)
            failures -= measure->works[i].failed;
    for (uint32_t i = 0; i < members->count && failures > 0; i++)
        if (members->rows[i].workload == workload && measure->works[i].inactive > 0) {
            const int64_t idle = measure->works[i].inactive;
            const int64_t some = failures < idle ? failures : idle;
            measure->works[i].failed += some;
            failures -= some;
        }
}

/* Both lists are sorted and contain pairs. */
static void read_pairs(struct measure *measure, struct store *store,
                       const struct measure_members *members)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, from_node, to_node, sum(completed) AS done,"
               " sum(completed*coalesce(latency_mean_ps, 0) + (issued - completed - failed)*"
               "  ((SELECT simulated_ps + drain_ps FROM meta)"
               "  - coalesce(last_completion_ps, first_issue_ps, 0))) AS under_way_ps,"
               " sum(failed) AS failures, sum(issued - completed - failed) AS open,"
               " sum(completed=0) AS idle"
               " FROM member GROUP BY 1, 2, 3 ORDER BY 1, 2, 3");
    for (uint32_t i = 0; store_step(rows);) {
        const struct measure_member key = {(uint32_t)store_int(rows, "workload"),
                                           (uint32_t)store_int(rows, "from_node"),
                                           (uint32_t)store_int(rows, "to_node")};
        while (i < members->count && member_order(&members->rows[i], &key) < 0)
            i++;
        if (i < members->count && member_order(&members->rows[i], &key) == 0)
            measure->works[i] = work_of(rows);
    }
    store_finish(rows);
}

/* Call after reading the members, if there are any. */
static void read_workloads(struct measure *measure, struct store *store,
                           const struct measure_members *members, uint32_t workloads,
                           bool as_members)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, n AS done, CAST(round(n*coalesce(latency_mean_ps, 0)) AS INTEGER)"
               "  + unfinished*((SELECT simulated_ps + drain_ps FROM meta)"
               "  - coalesce(last_completion_ps, start_ps)) AS under_way_ps,"
               " coalesce(latency_p99_ps, 0) AS p99_ps, failed AS failures, unfinished AS open,"
               " coalesce((SELECT value FROM result WHERE"
               "  path='workloads['||workload||'].members_idle'), 0) AS idle"
               " FROM (SELECT *, (SELECT coalesce(sum(count), 0) FROM latency l"
               "  WHERE l.workload=w.workload) AS n FROM workload w)");
    while (store_step(rows)) {
        const int64_t workload = store_int(rows, "workload");
        if (workload >= workloads)
            continue;
        measure->workloads[workload].p99_ps = store_int(rows, "p99_ps");
        if (as_members)
            measure->works[workload] = work_of(rows);
        else
            add_failures(measure, members, (uint32_t)workload, store_int(rows, "failures"));
    }
    store_finish(rows);
}

static void add_up(struct measure *measure, const struct measure_members *members)
{
    for (uint32_t i = 0; i < members->count; i++)
        loss_add_work(&measure->workloads[members->rows[i].workload].sum, &measure->works[i]);
}

void measure_read(struct measure *measure, struct store *store,
                  const struct measure_members *members, uint32_t workloads,
                  const struct measure_hops *hops)
{
    const bool pairs = members->count > 0 && members->rows[0].from != TRIAL_ANY_HOST;
    measure_make(measure, (struct measure_shape){members->count, workloads, hops->count});
    if (pairs)
        read_pairs(measure, store, members);
    read_workloads(measure, store, members, workloads, !pairs);
    add_up(measure, members);
    measure->lossless_drops = store_ask_int(
        store, "SELECT sum(value) FROM result WHERE path IN ('drops.lossless', 'drops.watchdog')",
        0);
    measure->drops =
        store_ask_int(store, "SELECT sum(value) FROM result WHERE path GLOB 'drops.*'", 0);
    read_stops(measure, store, hops);
}

/* ------------------------------------------------------------------ what the run says */

static double ratio(const struct result_workload *workload, const char *path)
{
    struct result_ratio value = {0, 0};
    return result_of_workload(workload, path, &value) && value.denominator > 0
               ? (double)value.numerator / (double)value.denominator
               : 0;
}

static void take_steady(struct measure_workload *work, const struct steady *steady)
{
    if (!steady->known)
        return;
    if (steady->goodput_bps.value != STEADY_UNKNOWN)
        work->goodput_bps = (double)steady->goodput_bps.value;
    if (steady->mean.value != STEADY_UNKNOWN)
        work->latency_ps = (double)steady->mean.value;
}

static void judge_workload(struct measure_workload *work, const struct result_workload *of,
                           const struct result_limit *limit, bool whole)
{
    work->goodput_bps = ratio(of, "goodput_bps");
    work->latency_ps = (double)limit->latency;
    if (!whole)
        take_steady(work, &of->steady);
    work->satisfied = limit->input.satisfied;
    work->limit = limit->found;
    for (int i = 0; i < BOTTLENECK_RESOURCES; i++) {
        work->used[i] = limit->input.uses[i].used;
        work->waiting[i] = limit->input.uses[i].waiting;
    }
}

void measure_judge(struct measure *measure, const struct result *result, bool whole)
{
    struct measure_verdict *verdict = measure->verdict;
    const struct harm *harm = &result->harm;
    const bool named = harm->severity != HARM_NOTHING && harm->cause_count > 0 &&
                       harm->causes[0].suspect != HARM_LOAD;
    digest_format(&result->digest, verdict->digest);
    verdict->limit = result->limit;
    if (named)
        snprintf(verdict->cause, sizeof verdict->cause, "%s %.160s",
                 harm_suspect_word(harm->causes[0].suspect), harm->causes[0].name);
    else
        snprintf(verdict->cause, sizeof verdict->cause, "nobody");
    for (uint32_t i = 0; i < result->expectation_count && i < MEASURE_EXPECTS; i++)
        verdict->held |= (uint64_t)result->expectations[i].held << i;
    for (uint32_t i = 0; i < result->workload_count; i++)
        judge_workload(&measure->workloads[i], &result->workloads[i], &result->limits[i], whole);
}

/* ------------------------------------------------------------------ room for it */

void measure_make(struct measure *measure, struct measure_shape shape)
{
    *measure = (struct measure){
        .verdict = memory_zeroed(1, sizeof *measure->verdict),
        .works = memory_zeroed((size_t)shape.members + 1, sizeof *measure->works),
        .workloads = memory_zeroed((size_t)shape.workloads + 1, sizeof *measure->workloads),
        .stopped_ps = memory_zeroed((size_t)shape.hops + 1, sizeof *measure->stopped_ps),
    };
}

void measure_free(struct measure *measure)
{
    free(measure->verdict);
    free(measure->works);
    free(measure->workloads);
    free(measure->stopped_ps);
    *measure = (struct measure){0};
}

size_t measure_bytes(struct measure_shape shape)
{
    return sizeof(struct measure) + sizeof(struct measure_verdict) +
           shape.members * sizeof(struct loss_work) +
           shape.workloads * sizeof(struct measure_workload) + shape.hops * sizeof(int64_t);
}

/* Between a measure and the bytes that follow its head. */
static void move_parts(const struct measure *measure, struct measure_shape shape, char *bytes,
                       bool pack)
{
    const struct {
        void *own;
        size_t bytes;
    } parts[] = {
        {measure->verdict, sizeof *measure->verdict},
        {measure->works, shape.members * sizeof *measure->works},
        {measure->workloads, shape.workloads * sizeof *measure->workloads},
        {measure->stopped_ps, shape.hops * sizeof *measure->stopped_ps},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        memcpy(pack ? bytes : parts[i].own, pack ? parts[i].own : bytes, parts[i].bytes);
        bytes += parts[i].bytes;
    }
}

void measure_pack(const struct measure *measure, struct measure_shape shape, void *bytes)
{
    memcpy(bytes, measure, sizeof *measure);
    move_parts(measure, shape, (char *)bytes + sizeof *measure, true);
}

void measure_unpack(struct measure *measure, struct measure_shape shape, const void *bytes)
{
    struct measure head;
    memcpy(&head, bytes, sizeof head);
    measure_make(measure, shape);
    measure->lossless_drops = head.lossless_drops;
    measure->drops = head.drops;
    move_parts(measure, shape, (char *)(uintptr_t)bytes + sizeof head, false);
}

void measure_copy(struct measure *to, const struct measure *from, struct measure_shape shape)
{
    void *bytes = memory_new(measure_bytes(shape));
    measure_pack(from, shape, bytes);
    measure_unpack(to, shape, bytes);
    free(bytes);
}
