/* SPDX-License-Identifier: Apache-2.0
 * nics - reachability between switches, and the assignment of queue pairs to NICs. */
#include "scenarios/fabric/nics.h"

#include "base/check.h"
#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/loopback.h"

#include <stdlib.h>
#include <string.h>

/* ---- reachability ---- */

static uint32_t root_of(struct scenario_node *nodes, uint32_t node)
{
    while (nodes[node].segment != node) {
        nodes[node].segment = nodes[nodes[node].segment].segment;
        node = nodes[node].segment;
    }
    return node;
}

void nics_number_endpoints(struct scenario *scenario)
{
    scenario->endpoint_count = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        scenario->nodes[i].endpoint = scenario->endpoint_count;
        scenario->endpoint_count += scenario->nodes[i].port_count;
    }
}

void nics_find_segments(struct scenario *scenario)
{
    struct scenario_node *nodes = scenario->nodes;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        nodes[i].segment = i;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const uint32_t *ends = scenario->links[i].node;
        if (nodes[ends[0]].kind != SCENARIO_SWITCH || nodes[ends[1]].kind != SCENARIO_SWITCH)
            continue;
        const uint32_t a = root_of(nodes, ends[0]), b = root_of(nodes, ends[1]);
        nodes[a > b ? a : b].segment = a > b ? b : a;
    }
    for (uint32_t i = 0; i < scenario->node_count; i++)
        nodes[i].segment = root_of(nodes, i);
}

bool nics_reach(const struct scenario *scenario, const struct scenario_pair *pair,
                struct nic_pair nics)
{
    const struct scenario_node *from = &scenario->nodes[pair->from];
    const struct scenario_node *to = &scenario->nodes[pair->to];
    if (nics.from >= from->port_count || nics.to >= to->port_count)
        return false;
    const struct scenario_port *a = &from->ports[nics.from], *b = &to->ports[nics.to];
    if (a->link == SCENARIO_NO_LINK || b->link == SCENARIO_NO_LINK)
        return false;
    return a->link == b->link ||
           (scenario->nodes[a->peer_node].kind == SCENARIO_SWITCH &&
            scenario->nodes[b->peer_node].kind == SCENARIO_SWITCH &&
            scenario->nodes[a->peer_node].segment == scenario->nodes[b->peer_node].segment);
}

/* ---- link aggregates ---- */

const char *nics_why_apart(const struct scenario *scenario, const struct scenario_node *host)
{
    const struct scenario_node *first = NULL;
    uint32_t links = 0;
    if (host->host->rnic->lag == RNIC_LAG_NONE)
        return NULL;
    for (uint16_t p = 0; p < host->outer_ports; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct scenario_node *peer = &scenario->nodes[host->ports[p].peer_node];
        if (peer->kind != SCENARIO_SWITCH)
            return "one of them is cabled to a host";
        if (first != NULL && peer->segment != first->segment)
            return "they are in separate fabrics";
        first = peer;
        links++;
    }
    if (host->host->rnic->soft.software)
        return "a software RNIC has no link aggregation";
    return links < 2 ? "it has one" : NULL;
}

void nics_find_aggregates(struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        struct scenario_node *host = &scenario->nodes[i];
        host->is_aggregate =
            host->host->rnic->lag != RNIC_LAG_NONE && nics_why_apart(scenario, host) == NULL;
    }
}

/* ---- assignment ---- */

/* NICs that one side may use: one chosen NIC, or the first ones. */
struct side {
    uint32_t first, count;
};

static struct side side_of(const struct scenario *scenario, uint32_t node, int8_t chosen)
{
    const uint32_t ports = scenario->nodes[node].outer_ports;
    if (scenario->nodes[node].is_aggregate)
        return (struct side){0, 1};
    if (chosen >= 0)
        return (struct side){(uint32_t)chosen, 1};
    const uint32_t most = ports < scenario->nics ? ports : scenario->nics;
    return (struct side){0, most == 0 ? 1 : most};
}

uint32_t nics_between(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair, struct nic_pair list[NICS_MAX])
{
    const struct side from = side_of(scenario, pair->from, workload->nic);
    const struct side to = side_of(scenario, pair->to, workload->peer_nic);
    const uint32_t longer = from.count > to.count ? from.count : to.count;
    uint32_t count = 0;
    CHECK(longer <= NICS_MAX);
    if (loopback_find(scenario, workload, pair, &list[0]))
        return 1;
    for (uint32_t i = 0; longer > 1 && i < longer; i++) {
        const struct nic_pair nics = {(uint16_t)(from.first + i % from.count),
                                      (uint16_t)(to.first + i % to.count)};
        if (nics_reach(scenario, pair, nics))
            list[count++] = nics;
    }
    for (uint32_t i = 0; longer > 1 && count == 0 && i < from.count * to.count; i++) {
        const struct nic_pair nics = {(uint16_t)(from.first + i / to.count),
                                      (uint16_t)(to.first + i % to.count)};
        if (nics_reach(scenario, pair, nics))
            list[count++] = nics;
    }
    if (count == 0)
        list[count++] = (struct nic_pair){(uint16_t)from.first, (uint16_t)to.first};
    return count;
}

struct nic_pair nics_of(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, uint32_t turn)
{
    struct nic_pair list[NICS_MAX];
    const uint32_t count = nics_between(scenario, workload, pair, list);
    return list[(pair->turn + turn) % count];
}

static void add_path(struct nic_pair list[NICS_PATHS_MAX], uint32_t *count, struct nic_pair nics)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i].from == nics.from && list[i].to == nics.to)
            return;
    if (*count < NICS_PATHS_MAX)
        list[(*count)++] = nics;
}

uint32_t nics_paths(const struct scenario *scenario, const struct scenario_workload *workload,
                    const struct scenario_pair *pair, struct nic_pair list[NICS_PATHS_MAX])
{
    const struct side from = side_of(scenario, pair->from, workload->nic);
    const struct side to = side_of(scenario, pair->to, workload->peer_nic);
    struct nic_pair first[NICS_MAX];
    const uint32_t firsts = nics_between(scenario, workload, pair, first);
    uint32_t count = 0;
    for (uint32_t i = 0; i < firsts; i++)
        add_path(list, &count, first[(pair->turn + i) % firsts]);
    for (uint32_t i = 0; pair->from != pair->to && i < from.count * to.count; i++) {
        const struct nic_pair nics = {(uint16_t)(from.first + i / to.count),
                                      (uint16_t)(to.first + i % to.count)};
        if (nics_reach(scenario, pair, nics))
            add_path(list, &count, nics);
    }
    return count;
}

static uint32_t members(const struct scenario_node *node)
{
    return node->is_aggregate ? node->outer_ports : 1;
}

/* Packets of a queue pair may use any member of a link aggregate, whichever member the queue pair
 * was created on. */
static uint32_t spread_over_members(const struct scenario *scenario,
                                    const struct scenario_pair *pair,
                                    struct nic_pair list[NICS_MAX], uint32_t used)
{
    const uint32_t from = members(&scenario->nodes[pair->from]);
    const uint32_t to = members(&scenario->nodes[pair->to]);
    const uint32_t more = from > to ? from : to;
    struct nic_pair own[NICS_MAX];
    uint32_t count = 0;
    memcpy(own, list, used * sizeof *own);
    for (uint32_t i = 0; i < used; i++)
        for (uint32_t m = 0; m < more && count < NICS_MAX; m++) {
            const uint16_t near = (uint16_t)(m % from), far = (uint16_t)(m % to);
            list[count++] =
                (struct nic_pair){from > 1 ? near : own[i].from, to > 1 ? far : own[i].to};
        }
    return count;
}

static uint32_t chosen_by(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair, struct nic_pair list[NICS_MAX])
{
    struct nic_pair all[NICS_PATHS_MAX];
    if (workload->paths > 0) {
        const uint32_t there = nics_paths(scenario, workload, pair, all);
        const uint32_t taken = there < workload->paths ? there : workload->paths;
        for (uint32_t i = 0; i < taken && i < NICS_MAX; i++)
            list[i] = all[i];
        return taken < NICS_MAX ? taken : NICS_MAX;
    }
    const uint32_t count = nics_between(scenario, workload, pair, all);
    const uint32_t used = count < workload->turns ? count : workload->turns;
    for (uint32_t i = 0; i < used; i++)
        list[i] = all[(pair->turn + i) % count];
    return used;
}

uint32_t nics_used(const struct scenario *scenario, const struct scenario_workload *workload,
                   const struct scenario_pair *pair, struct nic_pair list[NICS_MAX])
{
    const uint32_t used = chosen_by(scenario, workload, pair, list);
    return members(&scenario->nodes[pair->from]) == 1 && members(&scenario->nodes[pair->to]) == 1
               ? used
               : spread_over_members(scenario, pair, list, used);
}

/* The NIC pair with the least use at its busier end; among equal ones, the next in turn. */
static uint8_t least_used(const struct nic_pair *list, uint32_t count, uint32_t first,
                          const uint32_t *from, const uint32_t *to)
{
    uint32_t best = first % count;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t at = (first + i) % count;
        if (from[list[at].from] + to[list[at].to] < from[list[best].from] + to[list[best].to])
            best = at;
    }
    return (uint8_t)best;
}

void nics_give_turns(const struct scenario *scenario, const struct scenario_workload *workload,
                     struct scenario_pair *pairs)
{
    if (scenario->nics <= 1)
        return;
    uint32_t *used = memory_zeroed((size_t)scenario->host_count * 2 * NICS_MAX, sizeof *used);
    uint32_t *used_to = used + (size_t)scenario->host_count * NICS_MAX;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        struct scenario_pair *pair = &pairs[i];
        struct nic_pair list[NICS_MAX];
        const uint32_t count = nics_between(scenario, workload, pair, list);
        uint32_t *from = used + (size_t)pair->from * NICS_MAX;
        uint32_t *to = used_to + (size_t)pair->to * NICS_MAX;
        pair->turn = least_used(list, count, i, from, to);
        from[list[pair->turn].from]++;
        to[list[pair->turn].to]++;
    }
    free(used);
}
