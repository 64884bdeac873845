/* SPDX-License-Identifier: Apache-2.0
 * account - the cause of pauses, its path and its victims. */
#include "replay/explain/account.h"

#include "base/memory.h"
#include "replay/database/flow_words.h"
#include "replay/database/stored.h"

#include <stdio.h>
#include <stdlib.h>

/* A new zeroed entry of one of the account's lists. */
#define ADD(list, count, room)                                                                     \
    (*(list) = memory_grown(*(list), *(count), (room), sizeof **(list)),                           \
     (*(list))[*(count)] = (__typeof__(**(list))){0}, &(*(list))[(*(count))++])

static void copy(char *to, size_t size, const struct store_statement *row, const char *column)
{
    snprintf(to, size, "%s", store_text(row, column));
}

static void read_run(struct account *account, struct store *store)
{
    static const char span[] =
        "SELECT simulated_ps + drain_ps - min(simulated_ps,"
        " coalesce((SELECT min(start_ps) FROM workload), simulated_ps)) FROM meta";
    struct store_statement *row =
        store_prepare(store, "SELECT scenario, about, record, status, digest FROM meta");
    if (store_step(row)) {
        copy(account->scenario, sizeof account->scenario, row, "scenario");
        copy(account->about, sizeof account->about, row, "about");
        copy(account->record, sizeof account->record, row, "record");
        copy(account->status, sizeof account->status, row, "status");
        copy(account->digest, sizeof account->digest, row, "digest");
    }
    store_finish(row);
    account->flow = flow_words(store);
    account->measured = store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0;
    account->span_ps = store_ask_int(store, span, 0);
    account->severity =
        store_ask_int(store, "SELECT value FROM result WHERE path='pfc.severity'", 0);
    account->paused_ps =
        store_ask_int(store, "SELECT value FROM result WHERE path='pfc.paused_ps'", 0);
    account->sure =
        store_ask_int(store, "SELECT value FROM result WHERE path='root_cause_sure'", 0) != 0;
    account->cause_count = account_causes(store);
    store_ask_text(store, "SELECT value FROM result WHERE path='root_cause'", account->root_cause,
                   sizeof account->root_cause);
}

static void read_roots(struct account *account, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT n.name AS host, p.name AS port_name, r.kind, text, priority, held_ps,"
               " direct_ps, depth, stopped"
               " FROM pause_root r JOIN node n USING(node)"
               " LEFT JOIN port p ON p.node=r.node AND p.port=r.port"
               " LEFT JOIN (SELECT root, max(hops) AS depth, count(*) AS stopped FROM"
               " (SELECT root, min(hops) AS hops FROM pause_path GROUP BY root, node, port)"
               " GROUP BY root) s ON s.root=position ORDER BY position");
    uint32_t room = 0;
    while (store_step(rows)) {
        struct account_root *root = ADD(&account->roots, &account->root_count, &room);
        copy(root->node, sizeof root->node, rows, "host");
        copy(root->port, sizeof root->port, rows, "port_name");
        copy(root->kind, sizeof root->kind, rows, "kind");
        copy(root->text, sizeof root->text, rows, "text");
        root->priority = store_int(rows, "priority");
        root->held_ps = store_int(rows, "held_ps");
        root->direct_ps = store_int(rows, "direct_ps");
        root->depth = store_int(rows, "depth");
        root->stopped = store_int(rows, "stopped");
    }
    store_finish(rows);
}

/* Only XOFFs since the start of cause ?1 count as its effects: a host starts with its own first
 * XOFF, congestion with the run. In a cyclic dependency a port has several distances, and the
 * smallest is reported. The values next to min(at_ps) are those of its row (SQLite, "bare columns
 * in an aggregate"). */
static const char hops_sql[] =
    "WITH begun AS (SELECT coalesce(min(at_ps), 0) AS at FROM pause_edge e JOIN pause_root r"
    "   ON r.position=?1 AND r.port IS NULL AND e.node=r.node AND e.priority=r.priority"
    "   AND e.edge='xoff'),"
    " asked AS (SELECT node, port, priority, count(*) AS xoffs, min(at_ps) AS at, egress,"
    "   occupancy_bytes AS occupancy, threshold_bytes AS threshold FROM pause_edge"
    "   WHERE edge='xoff' AND at_ps >= (SELECT at FROM begun) GROUP BY node, port, priority),"
    " hop AS (SELECT node, port, min(hops) AS hops, sum(held_ps) AS held FROM pause_path"
    "   WHERE root=?1 GROUP BY node, port)"
    " SELECT h.hops, p.name AS stopped, q.name AS paused_by, h.held, coalesce(a.xoffs, 0) AS xoffs,"
    "   a.at, a.occupancy, a.threshold, g.name AS because_of FROM hop h JOIN pause_root r ON "
    "r.position=?1"
    "   JOIN port p ON p.node=h.node AND p.port=h.port"
    "   JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
    "   LEFT JOIN asked a ON a.node=q.node AND a.port=q.port AND a.priority=r.priority"
    "   LEFT JOIN port g ON g.node=a.node AND g.port=a.egress"
    " ORDER BY h.hops, h.held DESC, h.node, h.port";

static void read_hops(struct account *account, struct store *store, int64_t root, uint32_t *room)
{
    struct store_statement *rows = store_prepare(store, hops_sql);
    store_bind(rows, 1, STORE_I(root));
    while (store_step(rows)) {
        struct account_hop *hop = ADD(&account->hops, &account->hop_count, room);
        hop->root = root;
        hop->hops = store_int(rows, "hops");
        copy(hop->stopped, sizeof hop->stopped, rows, "stopped");
        copy(hop->by, sizeof hop->by, rows, "paused_by");
        hop->held_ps = store_int(rows, "held");
        hop->xoffs = store_int(rows, "xoffs");
        hop->at_ps = store_int(rows, "at");
        hop->occupancy_bytes = store_int(rows, "occupancy");
        hop->threshold_bytes = store_int(rows, "threshold");
        copy(hop->because_of, sizeof hop->because_of, rows, "because_of");
    }
    store_finish(rows);
}

/* An untrusted database may contain anything: roots without a valid node were not read. */
static void read_paths(struct account *account, struct store *store)
{
    uint32_t room = 0;
    if (account->cause_count > account->root_count)
        account->cause_count = account->root_count;
    for (int64_t root = 0; root < account->cause_count; root++)
        read_hops(account, store, root, &room);
}

static void read_victims(struct account *account, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT w.name AS workload_name, n.name AS host, class, cause, coalesce(root, -1) "
               "AS root_or,"
               " lost_ppm, v.failed, held_ps, " ACCOUNT_WORKLOAD_PS
               " AS span_ps FROM victim v JOIN workload w USING(workload)"
               " JOIN node n USING(node) ORDER BY cause, lost_ppm DESC, workload, node");
    uint32_t room = 0;
    while (store_step(rows)) {
        struct account_victim *victim = ADD(&account->victims, &account->victim_count, &room);
        copy(victim->workload, sizeof victim->workload, rows, "workload_name");
        copy(victim->host, sizeof victim->host, rows, "host");
        copy(victim->class, sizeof victim->class, rows, "class");
        victim->cause = store_int(rows, "cause");
        victim->root = store_int(rows, "root_or");
        victim->lost_ppm = store_int(rows, "lost_ppm");
        victim->failed = store_int(rows, "failed");
        victim->held_ps = store_int(rows, "held_ps");
        victim->span_ps = store_int(rows, "span_ps");
    }
    store_finish(rows);
    rows = store_prepare(store, "SELECT text FROM deadlock ORDER BY deadlock");
    for (room = 0; store_step(rows);) {
        struct account_text *deadlock = ADD(&account->deadlocks, &account->deadlock_count, &room);
        copy(deadlock->text, sizeof deadlock->text, rows, "text");
    }
    store_finish(rows);
}

/* Tables that were added after the format number last changed. */
static bool is_whole(struct store *store, char why[STORE_ERROR_BYTES])
{
    if (store_ask_int(store,
                      "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name IN"
                      " ('workload_way', 'fault', 'fault_place', 'bottleneck', 'resource_use',"
                      " 'wait_member', 'victim')",
                      0) == 7)
        return true;
    snprintf(why, STORE_ERROR_BYTES,
             "written by an older stormglass, without what explain reads; run it again");
    return false;
}

static bool has_ended(const struct account *account, struct store *store,
                      char why[STORE_ERROR_BYTES])
{
    if (store_error(store) != NULL)
        snprintf(why, STORE_ERROR_BYTES, "%.500s", store_error(store));
    else if (stored_is_cut(store, why))
        return false;
    else if (account->digest[0] == '\0')
        snprintf(why, STORE_ERROR_BYTES, "the run has no digest");
    else
        return true;
    return false;
}

int64_t account_causes(struct store *store)
{
    const int64_t roots = store_ask_int(store, "SELECT count(*) FROM pause_root", 0);
    const int64_t reported =
        store_ask_int(store, "SELECT value FROM result WHERE path='root_causes'", 1);
    return reported > roots ? roots : reported < 1 ? roots > 0 : reported;
}

bool account_read(struct account *account, struct store *store, char why[STORE_ERROR_BYTES])
{
    *account = (struct account){.store = store};
    if (!is_whole(store, why))
        return false;
    read_run(account, store);
    if (!has_ended(account, store, why))
        return false;
    read_roots(account, store);
    read_paths(account, store);
    read_victims(account, store);
    account_harm(account, store);
    account_limits(account, store);
    account_repairs(account, store);
    if (!account->measured)
        account_unused(account, store);
    return has_ended(account, store, why);
}

void account_free(struct account *account)
{
    free(account->roots);
    free(account->hops);
    free(account->victims);
    free(account->harm);
    free(account->limits);
    free(account->unused);
    free(account->deadlocks);
    *account = (struct account){0};
}
