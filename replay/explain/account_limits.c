/* SPDX-License-Identifier: Apache-2.0
 * account_limits - the bottleneck of each workload, by the rules of a run as a whole.
 * What counts is what the workload used: the transmitters on its ways, the counters of its own
 * hosts, its own commands, over the time that it worked.  Not exact: a counter is of the whole run
 * and of all that a port or a host carried, so a neighbour's load is in it. */
#include "replay/explain/account.h"

#include "base/memory.h"

#include <stdio.h>

#define OF_ITS_HOSTS                                                                               \
    " AND c.node IN (SELECT from_node FROM workload_pair WHERE workload=?1"                        \
    " UNION SELECT to_node FROM workload_pair WHERE workload=?1)"

static int64_t ask(struct store *store, const char *sql, int64_t workload)
{
    struct store_statement *row = store_prepare(store, sql);
    store_bind(row, 1, STORE_I(workload));
    const int64_t value = store_step(row) ? store_int(row, 0) : 0;
    store_finish(row);
    return value;
}

/* The transmitter on its ways with the largest counter: name, peer, value. */
static time_ps largest(struct store *store, const char *sql, int64_t workload, char *port,
                       char *peer, size_t size)
{
    struct store_statement *row = store_prepare(store, sql);
    store_bind(row, 1, STORE_I(workload));
    time_ps value = 0;
    if (store_step(row)) {
        snprintf(port, size, "%s", store_text(row, 0));
        if (peer != NULL)
            snprintf(peer, size, "%s", store_text(row, 1));
        value = store_int(row, 2);
    }
    store_finish(row);
    return value;
}

static void add_paths(struct bottleneck_input *input, struct store *store, int64_t workload)
{
    /* The counters first, once: asked for each of its ways they would be gone through each time. */
    input->paused_ps = largest(
        store,
        "WITH c AS MATERIALIZED (SELECT node, port, priority, value FROM counter"
        "  WHERE name GLOB 'tx_prio?_blocked_ps')"
        " SELECT p.name, n.name, c.value FROM c JOIN port p USING(node, port)"
        " JOIN node n ON n.node=p.peer_node WHERE EXISTS(SELECT 1 FROM workload_way w"
        "  WHERE w.workload=?1 AND w.node=c.node AND w.port=c.port AND w.priority=c.priority)"
        " ORDER BY c.value DESC, c.node, c.port LIMIT 1",
        workload, input->paused_port, NULL, sizeof input->paused_port);
    input->busiest_ps =
        largest(store,
                "SELECT p.name, n.name, c.value FROM counter c JOIN port p USING(node, port)"
                " JOIN node n ON n.node=p.peer_node WHERE c.name='tx_busy_ps' AND EXISTS(SELECT 1"
                " FROM workload_way w WHERE w.workload=?1 AND w.node=c.node AND w.port=c.port)"
                " ORDER BY c.value DESC, c.node, c.port LIMIT 1",
                workload, input->busiest_port, input->busiest_peer, sizeof input->busiest_port);
    input->drops = ask(store,
                       "SELECT sum(frames) FROM dropped d JOIN port p USING(node, port)"
                       " WHERE EXISTS(SELECT 1 FROM workload_way w WHERE w.workload=?1"
                       "  AND w.node=p.peer_node AND w.port=p.peer_port)"
                       " OR EXISTS(SELECT 1 FROM workload_way w WHERE w.workload=?1"
                       "  AND w.node=d.node AND w.port=d.port)",
                       workload);
}

static void add_hosts(struct bottleneck_input *input, struct store *store, int64_t workload)
{
    input->cnps =
        ask(store, "SELECT sum(value) FROM counter c WHERE name='rp_cnp_handled'" OF_ITS_HOSTS,
            workload);
    input->retransmitted = ask(
        store, "SELECT sum(value) FROM counter c WHERE name='retransmitted_packets'" OF_ITS_HOSTS,
        workload);
    input->timeouts = ask(
        store, "SELECT sum(value) FROM counter c WHERE name='local_ack_timeout_err'" OF_ITS_HOSTS,
        workload);
    input->rnr_naks =
        ask(store, "SELECT sum(value) FROM counter c WHERE name='rnr_nak_retry_err'" OF_ITS_HOSTS,
            workload);
}

static void add_recovery(struct bottleneck_input *input, struct store *store, int64_t workload)
{
    input->losses = ask(store, "SELECT lost FROM recovery WHERE workload=?1", workload);
    input->without_service =
        ask(store, "SELECT without_service_ps FROM recovery WHERE workload=?1", workload);
}

static void add_stages(struct bottleneck_input *input, struct store *store, int64_t workload)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT position, count, sum_ps FROM stage WHERE workload=?1 ORDER BY position");
    store_bind(rows, 1, STORE_I(workload));
    while (store_step(rows)) {
        const int64_t stage = store_int(rows, 0);
        if (stage < 0 || stage >= IOJOIN_STAGE_COUNT)
            continue;
        input->commands += stage == 0 ? (uint64_t)store_int(rows, 1) : 0;
        input->stage_ps[stage] += store_int(rows, 2);
    }
    store_finish(rows);
}

static time_ps at_most(time_ps value, time_ps most)
{
    return value < most ? value : most;
}

static void find_limit(const struct account *account, struct store *store, int64_t workload,
                       struct account_limit *limit)
{
    struct bottleneck_input *input = &limit->evidence;
    input->root_cause = account->root_cause;
    add_paths(input, store, workload);
    add_hosts(input, store, workload);
    add_recovery(input, store, workload);
    add_stages(input, store, workload);
    input->paused_ps = at_most(input->paused_ps, input->span);
    input->busiest_ps = at_most(input->busiest_ps, input->span);
    bottleneck_find(input, limit->text, sizeof limit->text);
    bottleneck_word(limit->text, limit->kind, sizeof limit->kind);
}

void account_limits(struct account *account, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, name, " ACCOUNT_WORKLOAD_PS " FROM workload ORDER BY workload");
    uint32_t room = 0;
    while (store_step(rows)) {
        account->limits =
            memory_grown(account->limits, account->limit_count, &room, sizeof *account->limits);
        struct account_limit *limit = &account->limits[account->limit_count++];
        *limit = (struct account_limit){0};
        snprintf(limit->workload, sizeof limit->workload, "%s", store_text(rows, 1));
        limit->evidence.span = store_int(rows, 2) > 0 ? store_int(rows, 2) : 0;
        find_limit(account, store, store_int(rows, 0), limit);
    }
    store_finish(rows);
}
