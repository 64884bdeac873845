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

void prove_measure(struct prove_measure *measure, struct store *store, uint32_t workloads,
                   const struct prove_hops *hops)
{
    *measure = (struct prove_measure){
        .works = memory_zeroed(workloads, sizeof *measure->works),
        .stopped_ps = memory_zeroed(hops->count, sizeof *measure->stopped_ps),
    };
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, n, CAST(round(n*coalesce(latency_mean_ps, 0)) AS INTEGER)"
               "  + unfinished*((SELECT simulated_ps + drain_ps FROM meta)"
               "  - coalesce(last_completion_ps, start_ps)) AS under_way_ps,"
               " coalesce(latency_p99_ps, 0) AS p99_ps, failed, unfinished,"
               " coalesce((SELECT value FROM result WHERE"
               "  path='workloads['||workload||'].members_idle'), 0) AS idle"
               " FROM (SELECT *, (SELECT coalesce(sum(count), 0) FROM latency l"
               "  WHERE l.workload=w.workload) AS n FROM workload w)");
    while (store_step(rows)) {
        const int64_t workload = store_int(rows, "workload");
        if (workload < workloads)
            measure->works[workload] = (struct prove_work){
                store_int(rows, "n"),          store_int(rows, "under_way_ps"),
                store_int(rows, "p99_ps"),     store_int(rows, "failed"),
                store_int(rows, "unfinished"), store_int(rows, "idle"),
            };
    }
    store_finish(rows);
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
