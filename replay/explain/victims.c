/* SPDX-License-Identifier: Apache-2.0
 * victims - the stops on the ways of each pair. */
#include "replay/explain/victims.h"

#include "base/memory.h"
#include "replay/explain/explain_words.h"
#include "replay/explain/paths.h"

#include <stdlib.h>

struct search {
    const struct scenario *scenario;
    const struct explain_fabric *fabric;
    struct paths paths;
    time_ps *stopped; /* by port: because of the root */
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

static void mark_stopped(struct search *search, const struct explain *explain, uint32_t root)
{
    for (uint32_t i = 0; i < explain->path_count; i++)
        if (explain->paths[i].root == root)
            search->stopped[explain->paths[i].port] += explain->paths[i].held_ps;
}

struct longest {
    const time_ps *stopped;
    time_ps longest;
};

static void keep_longest(void *self, uint32_t port)
{
    struct longest *longest = self;
    if (longest->stopped[port] > longest->longest)
        longest->longest = longest->stopped[port];
}

/* The longest stop of a port on any way from one host to another. */
static time_ps longest_between(struct search *search, uint32_t from, uint32_t to)
{
    struct longest longest = {.stopped = search->stopped};
    paths_visit(&search->paths, from, to, keep_longest, &longest);
    return longest.longest;
}

static void mark_talkers(struct search *search)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            search->talks[pair->from] |= pair->to == search->culprit;
            search->talks[pair->to] |= pair->from == search->culprit;
        }
    }
}

static struct victim of_pair(struct search *search, const struct scenario_workload *workload,
                             const struct scenario_pair *pair)
{
    if (paths_priority(&search->paths, workload, pair) != search->priority)
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

void victims_merge(struct victim *whole, struct victim part)
{
    whole->class = part.class < whole->class ? part.class : whole->class;
    whole->held = part.held > whole->held ? part.held : whole->held;
}

static void find_all(struct search *search, struct victim *workloads, struct victim *hosts)
{
    const struct scenario *scenario = search->scenario;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t k = 0; k < workload->pair_count && k < WAYS_PAIRS_MAX; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            const struct victim victim = of_pair(search, workload, pair);
            if (workloads != NULL)
                victims_merge(&workloads[i], victim);
            if (hosts != NULL && pair->from != search->culprit)
                victims_merge(&hosts[pair->from], victim);
            if (hosts != NULL && pair->to != search->culprit)
                victims_merge(&hosts[pair->to], victim);
        }
    }
}

static void set_none(struct victim *victims, uint32_t count)
{
    for (uint32_t i = 0; victims != NULL && i < count; i++)
        victims[i] = (struct victim){VICTIM_NONE, 0};
}

void victims_find(const struct scenario *scenario, const struct route_table *routes,
                  const struct explain *explain, uint32_t root, struct victim *workloads,
                  struct victim *hosts)
{
    const struct explain_fabric *fabric = explain->fabric;
    set_none(workloads, scenario->workload_count);
    set_none(hosts, fabric->node_count);
    if (root >= explain->root_count || explain_root_host(explain, root) == EXPLAIN_NONE)
        return;
    struct search search = {
        .scenario = scenario,
        .fabric = fabric,
        .stopped = memory_zeroed(fabric->first_port[fabric->node_count], sizeof(time_ps)),
        .culprit = explain_root_host(explain, root),
        .priority = explain->roots[root].priority,
        .talks = memory_zeroed(fabric->node_count, sizeof(bool)),
    };
    paths_init(&search.paths, scenario, routes, fabric);
    mark_stopped(&search, explain, root);
    mark_talkers(&search);
    find_all(&search, workloads, hosts);
    free(search.stopped);
    paths_fini(&search.paths);
    free(search.talks);
}
