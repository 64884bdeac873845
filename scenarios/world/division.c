/* SPDX-License-Identifier: Apache-2.0
 * division - groups nodes into clusters, and clusters into regions. */
#include "scenarios/world/division.h"

#include "base/check.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "net/frame/frame.h"
#include "net/port/port.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

struct division {
    const struct scenario *scenario;
    uint32_t executors;
    uint32_t *clump;       /* by node: smallest node of its cluster, or the next one on the way
                            * to it */
    uint32_t *weight;      /* by cluster: number of linked ports */
    uint32_t *links;       /* by cluster: links to other clusters */
    uint32_t *inside;      /* by cluster: links into the growing region */
    uint32_t *executor_of; /* by cluster; NOBODY: not assigned yet */
};

/* ------------------------------------------------------------------ clusters */

static uint32_t clump_of(const struct division *division, uint32_t node)
{
    while (division->clump[node] != node)
        node = division->clump[node];
    return node;
}

static void unite_nodes(const struct division *division, uint32_t a, uint32_t b)
{
    const uint32_t x = clump_of(division, a), y = clump_of(division, b);
    const uint32_t least = x < y ? x : y, other = x < y ? y : x;
    if (x == y)
        return;
    division->clump[other] = least;
    division->weight[least] += division->weight[other];
}

static const char *machine_of(const struct scenario *scenario, uint32_t node)
{
    const struct scenario_host *host = scenario->nodes[node].host;
    return scenario->nodes[node].kind == SCENARIO_HOST ? host->machine : NULL;
}

static void unite_machines(const struct division *division)
{
    const struct scenario *scenario = division->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint32_t j = 0; machine_of(scenario, i) != NULL && j < i; j++)
            if (machine_of(scenario, j) != NULL &&
                strcmp(machine_of(scenario, i), machine_of(scenario, j)) == 0) {
                unite_nodes(division, i, j);
                break;
            }
}

/* A host stays with the switch at its first link, unless the cluster became too large for an even
 * division. */
static void unite_hosts(const struct division *division, uint32_t most)
{
    const struct scenario *scenario = division->scenario;
    bool *placed = memory_zeroed(scenario->node_count, sizeof *placed);
    for (uint32_t i = 0; i < scenario->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const uint32_t node = scenario->links[i].node[end];
            const uint32_t peer = scenario->links[i].node[1 - end];
            if (scenario->nodes[node].kind != SCENARIO_HOST || placed[node])
                continue;
            placed[node] = true;
            if (scenario->nodes[peer].kind == SCENARIO_SWITCH &&
                division->weight[clump_of(division, peer)] +
                        division->weight[clump_of(division, node)] <=
                    most)
                unite_nodes(division, node, peer);
        }
    free(placed);
}

static uint32_t make_clumps(const struct division *division)
{
    const struct scenario *scenario = division->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        division->clump[i] = i;
        division->executor_of[i] = NOBODY;
    }
    for (uint32_t i = 0; i < scenario->link_count; i++)
        for (int end = 0; end < 2; end++)
            division->weight[scenario->links[i].node[end]]++;
    const uint32_t total = 2 * scenario->link_count;
    unite_machines(division);
    unite_hosts(division, total / division->executors / 2);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        division->clump[i] = clump_of(division, i);
    for (uint32_t i = 0; i < scenario->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const uint32_t here = division->clump[scenario->links[i].node[end]];
            CHECK(division->clump[here] == here);
            division->links[here] += here != division->clump[scenario->links[i].node[1 - end]];
        }
    return total;
}

/* ------------------------------------------------------------------ regions */

/* The remaining cluster with the largest difference between links into the region and links
 * elsewhere. A cluster without links into the region is used only if there is no other. Among
 * equals, the first one. */
static uint32_t next_clump(const struct division *division)
{
    uint32_t found = NOBODY;
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < division->scenario->node_count; i++) {
        const int64_t inside = division->inside[i], links = division->links[i];
        const int64_t gain = inside > 0 ? 2 * inside - links : -(INT64_C(1) << 33) - links;
        if (division->clump[i] != i || division->executor_of[i] != NOBODY || gain <= best)
            continue;
        best = gain;
        found = i;
    }
    return found;
}

static void join_region(const struct division *division, uint32_t clump, uint32_t executor)
{
    const struct scenario *scenario = division->scenario;
    division->executor_of[clump] = executor;
    for (uint32_t i = 0; i < scenario->link_count; i++)
        for (int end = 0; end < 2; end++) {
            const uint32_t here = division->clump[scenario->links[i].node[end]];
            if (here == clump)
                division->inside[division->clump[scenario->links[i].node[1 - end]]]++;
        }
}

/* True if a region should take another cluster: its weight ends as close to its share as possible,
 * but never below half of it. */
static bool should_take(uint32_t weight, uint32_t more, uint32_t share)
{
    return weight + more / 2 < share || 2 * weight < share;
}

/* Grows a region from the remaining clusters; the last region takes all. Returns its weight. */
static uint32_t grow_region(const struct division *division, uint32_t executor, uint32_t left)
{
    const bool last = executor + 1 == division->executors;
    const uint32_t share = left / (division->executors - executor);
    uint32_t weight = 0, clump;
    memset(division->inside, 0, division->scenario->node_count * sizeof *division->inside);
    while ((clump = next_clump(division)) != NOBODY &&
           (last || should_take(weight, division->weight[clump], share))) {
        join_region(division, clump, executor);
        weight += division->weight[clump];
    }
    return weight;
}

uint32_t *division_make(const struct scenario *scenario, uint32_t executors)
{
    CHECK(executors > 0);
    const struct division division = {
        .scenario = scenario,
        .executors = executors,
        .clump = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
        .weight = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
        .links = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
        .inside = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
        .executor_of = memory_zeroed(scenario->node_count, sizeof(uint32_t)),
    };
    uint32_t left = make_clumps(&division);
    for (uint32_t executor = 0; executor < executors; executor++)
        left -= grow_region(&division, executor, left);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        division.executor_of[i] = division.executor_of[division.clump[i]];
    free(division.clump);
    free(division.weight);
    free(division.links);
    free(division.inside);
    return division.executor_of;
}

/* ------------------------------------------------------------------ number of executors */

enum {
    EVENTS = 12, /* events of a full frame and its answer: about four links with one and a half
                  * events each */
    PART = 1024, /* scale of fractional events */
};

/* Minimum time after which an event at a node can affect another node. */
static time_ps lookahead_of(const struct scenario *scenario)
{
    time_ps least = WHEEL_WIDTH_MAX;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const uint64_t least_bytes = node->link == SCENARIO_FIBRE_CHANNEL ? WIRE_FC_WORD_BYTES
                                     : node->link == SCENARIO_INFINIBAND  ? WIRE_CREDIT_BYTES
                                                                          : WIRE_LEAST_BYTES;
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct port_params *params = node->ports[p].params;
            if (node->ports[p].link != SCENARIO_NO_LINK && p < node->outer_ports)
                least =
                    time_earlier(least, port_propagation(params) +
                                            units_transfer_ps(least_bytes, (uint64_t)params->rate));
        }
    }
    return least;
}

/* Events, scaled by PART, that full frames of the host cause in that time. */
static uint64_t events_of(const struct scenario_node *host, time_ps span)
{
    uint64_t sum = 0;
    for (uint16_t p = 0; p < host->port_count; p++) {
        const struct port_params *params = host->ports[p].params;
        sum += units_bytes_in(span, (uint64_t)params->rate) * EVENTS * PART / (uint64_t)params->mtu;
    }
    return sum;
}

/* Sum over all hosts at which workloads begin, or to which they go. */
static uint64_t events_of_side(const struct scenario *scenario, bool to, time_ps span)
{
    bool *counted = memory_zeroed(scenario->node_count, sizeof *counted);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t p = 0; p < workload->pair_count; p++) {
            const uint32_t node = to ? workload->pairs[p].to : workload->pairs[p].from;
            if (!counted[node])
                sum += events_of(&scenario->nodes[node], span);
            counted[node] = true;
        }
    }
    free(counted);
    return sum;
}

uint32_t division_worthwhile(const struct scenario *scenario, uint32_t most)
{
    const time_ps window = lookahead_of(scenario);
    const uint64_t from = events_of_side(scenario, false, window);
    const uint64_t to = events_of_side(scenario, true, window);
    const uint64_t pay = (from < to ? from : to) / ((uint64_t)ENGINE_WORTH * PART);
    return pay >= most ? most : pay <= 1 ? 1 : (uint32_t)pay;
}
