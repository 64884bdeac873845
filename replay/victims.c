/* SPDX-License-Identifier: Apache-2.0
 * victims - walking the routes. */
#include "replay/victims.h"

#include "base/memory.h"
#include "replay/explain_words.h"

#include <stdlib.h>

struct search {
    const struct world *world;
    const struct explain_fabric *fabric;
    time_ps *stopped;  /* by port: because of the root */
    uint32_t *seen_in; /* by node: the walk that came by last */
    uint32_t *stack;
    uint32_t walk;
    uint32_t culprit; /* node */
    uint8_t priority; /* of the root */
    bool *talks;      /* by node: to the culprit */
};

const char *victims_class_name(enum victim_class class)
{
    static const char *const names[] = {
        [VICTIM_DIRECT] = "direct",
        [VICTIM_INDIRECT] = "indirect",
        [VICTIM_SAME_PATH] = "same-path",
    };
    return class >= VICTIM_DIRECT && class < VICTIM_NONE ? names[class] : NULL;
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

static void mark_talkers(struct search *search)
{
    const struct scenario *scenario = search->world->scenario;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            search->talks[pair->from] |= pair->to == search->culprit;
            search->talks[pair->to] |= pair->from == search->culprit;
        }
    }
}

/* The priority of the workload's data at the host's own port. */
static uint8_t priority_at(const struct host *host, const struct verbs_class *class)
{
    const struct rnic *rnic = host->rnics[0];
    if (class->priority_set)
        return class->priority;
    return rnic->priority_of_dscp[class->tos_set ? class->tos >> 2 : rnic->params.dscp];
}

static struct victim of_pair(struct search *search, const struct scenario_workload *workload,
                             const struct scenario_pair *pair)
{
    const struct host *host = world_host(search->world, pair->from);
    if (priority_at(host, &workload->class) != search->priority)
        return (struct victim){VICTIM_NONE, 0};
    const time_ps there = longest_between(search, pair->from, pair->to);
    const time_ps back = longest_between(search, pair->to, pair->from);
    const bool direct = pair->from == search->culprit || pair->to == search->culprit;
    const bool indirect = search->talks[pair->from] || search->talks[pair->to];
    struct victim victim = {.held = there > back ? there : back};
    victim.class = victim.held == 0 ? VICTIM_NONE
                   : direct         ? VICTIM_DIRECT
                   : indirect       ? VICTIM_INDIRECT
                                    : VICTIM_SAME_PATH;
    return victim;
}

static void merge(struct victim *whole, struct victim part)
{
    whole->class = part.class < whole->class ? part.class : whole->class;
    whole->held = part.held > whole->held ? part.held : whole->held;
}

static void find_all(struct search *search, struct victim *workloads, struct victim *hosts)
{
    const struct scenario *scenario = search->world->scenario;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count && k < VICTIMS_PAIRS_MAX; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            const struct victim victim = of_pair(search, workload, pair);
            if (workloads != NULL)
                merge(&workloads[i], victim);
            if (hosts != NULL && pair->from != search->culprit)
                merge(&hosts[pair->from], victim);
            if (hosts != NULL && pair->to != search->culprit)
                merge(&hosts[pair->to], victim);
        }
    }
}

static void set_none(struct victim *victims, uint32_t count)
{
    for (uint32_t i = 0; victims != NULL && i < count; i++)
        victims[i] = (struct victim){VICTIM_NONE, 0};
}

void victims_find(const struct world *world, const struct explain *explain,
                  struct victim *workloads, struct victim *hosts)
{
    const struct explain_fabric *fabric = explain->fabric;
    set_none(workloads, world->scenario->workload_count);
    set_none(hosts, fabric->node_count);
    if (explain->root_count == 0 || explain_root_host(explain, 0) == EXPLAIN_NONE)
        return;
    struct search search = {
        .world = world,
        .fabric = fabric,
        .stopped = memory_zeroed(fabric->first_port[fabric->node_count], sizeof(time_ps)),
        .seen_in = memory_zeroed(fabric->node_count, sizeof(uint32_t)),
        .stack = memory_zeroed(fabric->node_count, sizeof(uint32_t)),
        .culprit = explain_root_host(explain, 0),
        .priority = explain->roots[0].priority,
        .talks = memory_zeroed(fabric->node_count, sizeof(bool)),
    };
    mark_stopped(&search, explain);
    mark_talkers(&search);
    find_all(&search, workloads, hosts);
    free(search.stopped);
    free(search.seen_in);
    free(search.stack);
    free(search.talks);
}
