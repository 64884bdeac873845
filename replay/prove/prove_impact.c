/* SPDX-License-Identifier: Apache-2.0
 * prove_impact - from a run's tables to what it cost. */
#include "replay/prove/prove_impact.h"

#include "base/memory.h"

#include <stdlib.h>

int prove_hop_order(const struct prove_hop *a, const struct prove_hop *b)
{
    const int64_t node = a->node - b->node, port = a->port - b->port;
    const int64_t order = node != 0 ? node : port != 0 ? port : a->priority - b->priority;
    return order < 0 ? -1 : order > 0;
}

void prove_hops_read(struct prove_hops *hops, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT DISTINCT node, port, priority FROM workload_way ORDER BY 1, 2, 3");
    while (store_step(rows)) {
        hops->rows = memory_grown(hops->rows, hops->count, &hops->room, sizeof *hops->rows);
        hops->rows[hops->count++] = (struct prove_hop){
            store_int(rows, "node"), store_int(rows, "port"), store_int(rows, "priority")};
    }
    store_finish(rows);
}

/* Both rows of keys are in order. */
static void read_stops(struct prove_measure *measure, struct store *store,
                       const struct prove_hops *hops)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT node, port, priority, value FROM counter WHERE name GLOB"
                             " 'tx_prio?_blocked_ps' ORDER BY node, port, priority");
    uint32_t next = 0;
    while (store_step(rows)) {
        const struct prove_hop key = {store_int(rows, "node"), store_int(rows, "port"),
                                      store_int(rows, "priority")};
        while (next < hops->count && prove_hop_order(&hops->rows[next], &key) < 0)
            next++;
        if (next < hops->count && prove_hop_order(&hops->rows[next], &key) == 0)
            measure->stopped_ps[next] += store_int(rows, "value");
    }
    store_finish(rows);
}

/* ------------------------------------------------------------------ members */

static int member_order(const struct prove_member *a, const struct prove_member *b)
{
    if (a->workload != b->workload)
        return a->workload < b->workload ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void add_member(struct prove_members *members, struct prove_member member)
{
    members->rows =
        memory_grown(members->rows, members->count, &members->room, sizeof *members->rows);
    members->rows[members->count++] = member;
}

void prove_members_read(struct prove_members *members, struct store *store, uint32_t workloads)
{
    *members = (struct prove_members){0};
    struct store_statement *rows = store_prepare(
        store, "SELECT DISTINCT workload, from_node, to_node FROM member ORDER BY 1, 2, 3");
    while (store_step(rows) && members->count <= PROVE_PAIRS_MAX)
        add_member(members, (struct prove_member){(uint32_t)store_int(rows, "workload"),
                                                  (uint32_t)store_int(rows, "from_node"),
                                                  (uint32_t)store_int(rows, "to_node")});
    store_finish(rows);
    if (members->count > 0 && members->count <= PROVE_PAIRS_MAX)
        return;
    members->count = 0;
    for (uint32_t i = 0; i < workloads; i++)
        add_member(members, (struct prove_member){i, PROVE_ANY_HOST, PROVE_ANY_HOST});
}

void prove_members_free(struct prove_members *members)
{
    free(members->rows);
    *members = (struct prove_members){0};
}

/* ------------------------------------------------------------------ what they did */

static struct prove_work work_of(const struct store_statement *row)
{
    return (struct prove_work){store_int(row, "done"), store_int(row, "under_way_ps"),
                               store_int(row, "failures"), store_int(row, "open"),
                               store_int(row, "idle")};
}

/* What failed before a member issued anything, such as its connection, is in no member's row: it is
 * of those that did nothing. */
static void add_failures(struct prove_measure *measure, const struct prove_members *members,
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

/* Both lists are in order, and have pairs. */
static void read_pairs(struct prove_measure *measure, struct store *store,
                       const struct prove_members *members)
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
        const struct prove_member key = {(uint32_t)store_int(rows, "workload"),
                                         (uint32_t)store_int(rows, "from_node"),
                                         (uint32_t)store_int(rows, "to_node")};
        while (i < members->count && member_order(&members->rows[i], &key) < 0)
            i++;
        if (i < members->count && member_order(&members->rows[i], &key) == 0)
            measure->works[i] = work_of(rows);
    }
    store_finish(rows);
}

/* After the members, where there are any. */
static void read_workloads(struct prove_measure *measure, struct store *store,
                           const struct prove_members *members, uint32_t workloads, bool as_members)
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
        measure->p99_ps[workload] = store_int(rows, "p99_ps");
        if (as_members)
            measure->works[workload] = work_of(rows);
        else
            add_failures(measure, members, (uint32_t)workload, store_int(rows, "failures"));
    }
    store_finish(rows);
}

void prove_measure(struct prove_measure *measure, struct store *store,
                   const struct prove_members *members, uint32_t workloads,
                   const struct prove_hops *hops)
{
    const bool pairs = members->count > 0 && members->rows[0].from != PROVE_ANY_HOST;
    *measure = (struct prove_measure){
        .works = memory_zeroed((size_t)members->count + 1, sizeof *measure->works),
        .p99_ps = memory_zeroed((size_t)workloads + 1, sizeof *measure->p99_ps),
        .stopped_ps = memory_zeroed(hops->count, sizeof *measure->stopped_ps),
    };
    if (pairs)
        read_pairs(measure, store, members);
    read_workloads(measure, store, members, workloads, !pairs);
    measure->lossless_drops = store_ask_int(
        store, "SELECT sum(value) FROM result WHERE path IN ('drops.lossless', 'drops.watchdog')",
        0);
    measure->drops =
        store_ask_int(store, "SELECT sum(value) FROM result WHERE path GLOB 'drops.*'", 0);
    read_stops(measure, store, hops);
}

void prove_measure_free(struct prove_measure *measure)
{
    free(measure->works);
    free(measure->p99_ps);
    free(measure->stopped_ps);
    *measure = (struct prove_measure){0};
}

int64_t prove_work_whole(const struct prove_work *work, const struct prove_work *ideal)
{
    return work->under_way_ps > ideal->under_way_ps ? work->under_way_ps : ideal->under_way_ps;
}

int64_t prove_work_lost(const struct prove_work *work, const struct prove_work *ideal)
{
    if (ideal->done == 0)
        return 0;
    const int64_t needed = (int64_t)((__int128)ideal->under_way_ps * work->done / ideal->done);
    const int64_t whole = prove_work_whole(work, ideal);
    return whole > needed ? whole - needed : 0;
}
