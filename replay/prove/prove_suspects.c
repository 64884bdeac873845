/* SPDX-License-Identifier: Apache-2.0
 * prove_suspects - faults, roots, and the rest of the workloads. */
#include "replay/prove/prove_suspects.h"

#include "base/memory.h"
#include "scenarios/fault/fault.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_LEAST_PERCENT = 1 };

struct search {
    struct prove *prove;
    const struct scenario *scenario;
    struct store *store;
};

static void add_row(struct search *search, struct repair repair, enum prove_role role, bool cause)
{
    struct prove *prove = search->prove;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (repair_equal(&prove->rows[i].repair, &repair)) {
            prove->rows[i].cause |= cause;
            return;
        }
    if (role == PROVE_SUSPECT && prove->row_count >= PROVE_SUSPECTS_MAX)
        return;
    struct prove_row *row = &prove->rows[prove->row_count++];
    *row = (struct prove_row){.repair = repair, .role = role, .cause = cause};
    repair_words(&repair, search->scenario, row->text, sizeof row->text);
}

/* A fault makes this host pause. */
static bool is_at(const struct scenario_fault *fault, uint32_t host)
{
    if (!fault->ops->host_pauses)
        return false;
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == host)
            return true;
    return false;
}

static bool talks_to(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from == host || workload->pairs[i].to == host)
            return true;
    return false;
}

/* Pairs without the host. */
static bool has_others(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            return host != REPAIR_ANY_HOST;
    return false;
}

static void add_slow_host(struct search *search, uint32_t host, bool cause)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (is_at(&scenario->faults[i], host))
            add_row(search, (struct repair){.kind = REPAIR_FAULT, .fault = i}, PROVE_SUSPECT,
                    cause);
    if (scenario->nodes[host].host->rnic->drain != RNIC_UNLIMITED)
        add_row(search, (struct repair){.kind = REPAIR_DRAIN, .host = host}, PROVE_SUSPECT, cause);
}

static bool uses(const struct search *search, uint32_t workload, int64_t node, int64_t port)
{
    struct store_statement *row = store_prepare(
        search->store, "SELECT 1 FROM workload_way WHERE workload=?1 AND node=?2 AND port=?3");
    store_bind(row, 1, STORE_I(workload));
    store_bind(row, 2, STORE_I(node));
    store_bind(row, 3, STORE_I(port));
    const bool found = store_step(row);
    store_finish(row);
    return found;
}

/* Traffic meets at the port: `host` is behind it, or another switch. */
static void add_congestion(struct search *search, int64_t node, int64_t port, uint32_t host,
                           bool cause)
{
    for (uint32_t i = 0; i < search->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &search->scenario->workloads[i];
        const bool meets =
            host == REPAIR_ANY_HOST ? uses(search, i, node, port) : talks_to(workload, host);
        const uint32_t with = has_others(workload, host) ? host : REPAIR_ANY_HOST;
        if (meets && workload->job == NULL)
            add_row(search, (struct repair){.kind = REPAIR_TRAFFIC, .workload = i, .host = with},
                    PROVE_SUSPECT, cause);
    }
}

static uint32_t host_of(const struct scenario *scenario, int64_t node)
{
    return scenario->nodes[node].kind == SCENARIO_HOST ? (uint32_t)node : REPAIR_ANY_HOST;
}

static void add_roots(struct search *search)
{
    struct store_statement *rows = store_prepare(
        search->store,
        "SELECT r.node, r.port, p.peer_node, position FROM pause_root r LEFT JOIN port p ON"
        " p.node=r.node AND p.port=r.port WHERE held_ps*100 >= ?1*(SELECT sum(held_ps) FROM"
        " pause_root) ORDER BY position");
    store_bind(rows, 1, STORE_I(SHARE_LEAST_PERCENT));
    const int64_t causes =
        store_ask_int(search->store, "SELECT value FROM result WHERE path='root_causes'", 1);
    while (store_step(rows)) {
        const int64_t node = store_int(rows, 0), port = store_int(rows, 1);
        const bool cause = store_int(rows, 3) < causes;
        const uint32_t host = host_of(search->scenario, node);
        if (host != REPAIR_ANY_HOST)
            add_slow_host(search, host, cause);
        else
            add_congestion(search, node, port, host_of(search->scenario, store_int(rows, 2)),
                           cause);
    }
    store_finish(rows);
}

/* Slow by nature: it may keep others waiting without a single pause. */
static void add_slow_hosts(struct search *search)
{
    struct store_statement *rows = store_prepare(
        search->store, "SELECT node, max(rate_bps) FROM port WHERE node IN (SELECT from_node FROM"
                       " workload_pair UNION SELECT to_node FROM workload_pair) GROUP BY node");
    while (store_step(rows)) {
        const uint32_t host = (uint32_t)store_int(rows, 0);
        const int64_t drain = search->scenario->nodes[host].host->rnic->drain;
        if (drain != RNIC_UNLIMITED && drain < store_int(rows, 1))
            add_row(search, (struct repair){.kind = REPAIR_DRAIN, .host = host}, PROVE_SUSPECT,
                    false);
    }
    store_finish(rows);
}

void prove_suspects(struct prove *prove, const struct scenario *scenario, struct store *store)
{
    struct search search = {prove, scenario, store};
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        add_row(&search, (struct repair){.kind = REPAIR_FAULT, .fault = i}, PROVE_SUSPECT, false);
    add_roots(&search);
    add_slow_hosts(&search);
}

/* ------------------------------------------------------------------ who is none */

/* A suspect itself, or with a host that is mended or that a fault is at. */
static bool is_involved(const struct search *search, uint32_t index)
{
    const struct scenario_workload *workload = &search->scenario->workloads[index];
    bool involved = false;
    for (uint32_t i = 0; i < search->prove->row_count && !involved; i++) {
        const struct repair *repair = &search->prove->rows[i].repair;
        if (repair->kind == REPAIR_TRAFFIC)
            involved = repair->workload == index;
        else if (repair->kind == REPAIR_DRAIN)
            involved = talks_to(workload, repair->host);
    }
    for (uint32_t i = 0; i < search->scenario->fault_count; i++)
        for (uint32_t k = 0; k < search->scenario->faults[i].spot_count; k++)
            involved |= talks_to(workload, search->scenario->faults[i].spots[k].node);
    return involved;
}

/* Marks all who share a transmitter with one who is marked, and so on. */
static void spread_out(const struct search *search, bool *touched)
{
    struct store_statement *rows = store_prepare(
        search->store, "SELECT DISTINCT a.workload, b.workload FROM workload_way a JOIN"
                       " workload_way b USING(node, port, priority) WHERE a.workload<>b.workload");
    uint32_t(*pairs)[2] = NULL, count = 0, room = 0;
    while (store_step(rows)) {
        pairs = memory_grown(pairs, count, &room, sizeof *pairs);
        pairs[count][0] = (uint32_t)store_int(rows, 0);
        pairs[count++][1] = (uint32_t)store_int(rows, 1);
    }
    store_finish(rows);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++)
            if (touched[pairs[i][0]] && !touched[pairs[i][1]])
                more = touched[pairs[i][1]] = true;
    }
    free(pairs);
}

void prove_others(struct prove *prove, const struct scenario *scenario, struct store *store,
                  const bool *victims)
{
    struct search search = {prove, scenario, store};
    bool *touched = memory_zeroed(scenario->workload_count, sizeof *touched);
    memcpy(touched, victims, scenario->workload_count * sizeof *touched);
    spread_out(&search, touched);
    const uint32_t first = prove->row_count;
    for (enum prove_role role = PROVE_INNOCENT; role <= PROVE_BYSTANDER; role++)
        for (uint32_t i = 0; i < scenario->workload_count; i++) {
            if (prove->row_count - first == PROVE_OTHERS_MAX || scenario->workloads[i].job != NULL)
                continue;
            const struct repair repair = {
                .kind = REPAIR_TRAFFIC, .workload = i, .host = REPAIR_ANY_HOST};
            if (!is_involved(&search, i) && touched[i] == (role == PROVE_BYSTANDER))
                add_row(&search, repair, role, false);
        }
    free(touched);
}
