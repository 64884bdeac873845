/* SPDX-License-Identifier: Apache-2.0
 * check_hash_seeds - consecutive switches hash flows differently.
 * Two switches with the same seed and hash fields compute the same hash for a flow. All flows that
 * the first switch sends over one link then have hashes in one range, and the second switch spreads
 * them only over the matching part of its links (hash polarization). */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/flow_walk.h"

#include "base/plural.h"
#include "net/switch/switch.h"

static bool hash_alike(const struct scenario_node *a, const struct scenario_node *b)
{
    return a->switch_params->ecmp_seed != SWITCH_ECMP_SEED_OWN &&
           a->switch_params->ecmp_seed == b->switch_params->ecmp_seed &&
           a->switch_params->ecmp_hash == b->switch_params->ecmp_hash;
}

/* Number of the `next` links that are reachable with the hashes that `count` links at the previous
 * switch map to link `at`: route_pick takes link floor(hash * links). */
static uint32_t count_reached(uint32_t at, uint32_t count, uint32_t next)
{
    const uint64_t first = (uint64_t)next * at / count;
    const uint64_t end = ((uint64_t)next * (at + 1) + count - 1) / count;
    return (uint32_t)(end - first);
}

struct checking {
    const struct scenario *scenario;
    struct check_report *report;
    struct check_seen reported;
};

/* Checks the next switch behind link `at` of a hop. */
static void check_next(struct checking *checking, const struct flow_hop *hop, uint32_t at)
{
    const struct scenario_node *node = &checking->scenario->nodes[hop->node];
    const uint32_t peer = node->ports[hop->ports[at]].peer_node;
    const struct scenario_node *next = &checking->scenario->nodes[peer];
    const uint16_t *ports;
    if (next->kind != SCENARIO_SWITCH || !hash_alike(node, next))
        return;
    const uint32_t links = route_all(&hop->tables[peer], hop->traffic->endpoint, &ports);
    const uint32_t used = count_reached(at, hop->count, links);
    if (used >= links || !check_first_time(&checking->reported, next))
        return;
    const struct check_thing thing = check_of_switch(next, "ecmp-seed");
    check_alike(checking->report, DIAG_WARNING, &thing,
                "the ECMP hash is the same as at the previous hop (ecmp-seed %lld): flows from "
                "one switch of that hop use only %u of %u equal %s",
                (long long)next->switch_params->ecmp_seed, used, links,
                plural(links, "link", "links"));
    check_remedy(checking->report, "give each switch its own hash seed: ecmp-seed auto");
    check_set(checking->report, &thing, "auto");
}

static void check_hop(void *self, const struct flow_hop *hop)
{
    for (uint32_t at = 0; hop->count > 1 && at < hop->count; at++)
        check_next(self, hop, at);
}

static void run_hash_seeds_check(const struct scenario *scenario, struct check_report *report)
{
    struct checking checking = {.scenario = scenario, .report = report};
    flow_walk(scenario, check_hop, &checking);
    arena_free(&checking.reported.arena);
}

const struct check_rule check_hash_seeds = {
    .name = "hash-seeds",
    .about = "Consecutive switches on a path use different ECMP hashes.",
    .ethernet = true,
    .run = run_hash_seeds_check,
};
