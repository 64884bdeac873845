/* SPDX-License-Identifier: Apache-2.0
 * victims - walking the routes. */
#include "replay/victims.h"

#include "base/check.h"
#include "replay/explain_words.h"

#include <stdlib.h>

struct search {
    const struct world *world;
    const struct explain_fabric *fabric;
    time_ps *stopped;  /* by port: because of the root */
    uint32_t *seen_in; /* by node: the walk that came by last */
    uint32_t *stack;
    uint32_t walk;
};

static void *row(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

static void mark_stopped(struct search *search, const struct explain *explain)
{
    for (uint32_t i = 0; i < explain->path_count; i++)
        if (explain->paths[i].root == 0)
            search->stopped[explain->paths[i].port] += explain->paths[i].held_ps;
}

static void see(struct search *search, uint32_t node, uint32_t *depth)
{
    if (search->fabric->is_host[node] || search->seen_in[node] == search->walk)
        return;
    search->seen_in[node] = search->walk;
    search->stack[(*depth)++] = node;
}

/* The longest stop of a port on any shortest path from one host to another. */
static time_ps longest_between(struct search *search, uint32_t from, uint32_t to)
{
    const struct explain_fabric *fabric = search->fabric;
    const uint32_t host = search->world->scenario->nodes[to].index;
    const uint32_t endpoint = search->world->endpoint_of[host];
    const uint32_t first = fabric->first_port[from];
    time_ps longest = search->stopped[first];
    uint32_t depth = 0;
    search->walk++;
    see(search, fabric->node_of[fabric->peer[first]], &depth);
    while (depth > 0) {
        const uint32_t node = search->stack[--depth];
        const uint16_t *ways;
        const uint32_t count =
            route_all(&world_switch(search->world, node)->routes, endpoint, &ways);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t port = fabric->first_port[node] + ways[i];
            if (search->stopped[port] > longest)
                longest = search->stopped[port];
            see(search, fabric->node_of[fabric->peer[port]], &depth);
        }
    }
    return longest;
}

static time_ps of_workload(struct search *search, const struct scenario_workload *workload,
                           uint32_t root_host)
{
    time_ps longest = 0;
    for (uint32_t i = 0; i < workload->pair_count && i < VICTIMS_PAIRS_MAX; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        if (pair->from == root_host || pair->to == root_host)
            continue;
        const time_ps there = longest_between(search, pair->from, pair->to);
        const time_ps back = longest_between(search, pair->to, pair->from);
        longest = there > longest ? there : longest;
        longest = back > longest ? back : longest;
    }
    return longest;
}

void victims_find(const struct world *world, const struct explain *explain, time_ps *held)
{
    const struct explain_fabric *fabric = explain->fabric;
    const struct scenario *scenario = world->scenario;
    const uint32_t root_host =
        explain->root_count == 0 ? EXPLAIN_NONE : explain_root_host(explain, 0);
    struct search search = {
        .world = world,
        .fabric = fabric,
        .stopped = row(fabric->first_port[fabric->node_count], sizeof(time_ps)),
        .seen_in = row(fabric->node_count, sizeof(uint32_t)),
        .stack = row(fabric->node_count, sizeof(uint32_t)),
    };
    mark_stopped(&search, explain);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        /* A root between switches has no host of its own: nobody is more a victim than another. */
        held[i] = 0;
        if (root_host != EXPLAIN_NONE)
            held[i] = of_workload(&search, &scenario->workloads[i], root_host);
    }
    free(search.stopped);
    free(search.seen_in);
    free(search.stack);
}
