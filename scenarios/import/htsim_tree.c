/* SPDX-License-Identifier: Apache-2.0
 * htsim_tree - the switches and cables of htsim's fat tree. */
#include "scenarios/import/htsim.h"

#include <inttypes.h>

enum { TOR, AGG, CORE };

/* Number of nodes and pods. */
struct counts {
    int64_t pods, tors_per_pod, aggs_per_pod, tors, aggs, cores;
};

static bool disagree(struct cabling *cabling, const struct htsim_tree *tree, const char *what)
{
    diag_add(cabling->diag, DIAG_ERROR, tree->place, NULL, "the fat tree does not add up: %s",
             what);
    return false;
}

static bool count_pods(struct cabling *cabling, const struct htsim_tree *tree,
                       struct counts *counts)
{
    const struct htsim_tier *tor = &tree->tier[TOR], *agg = &tree->tier[AGG];
    if (tree->pod == 0 || tree->nodes % tree->pod != 0)
        return disagree(cabling, tree, "Nodes is not a multiple of Podsize");
    if (tree->pod % tor->radix_down != 0)
        return disagree(cabling, tree, "Podsize is not a multiple of Radix_Down of tier 0");
    if (tor->bundle != 1)
        return disagree(cabling, tree, "expected no Bundle in tier 0: hosts have one link");
    if (tor->radix_up % agg->bundle != 0)
        return disagree(cabling, tree, "Radix_Up of tier 0 is not a multiple of Bundle of tier 1");
    counts->pods = tree->nodes / tree->pod;
    counts->tors_per_pod = tree->pod / tor->radix_down;
    counts->aggs_per_pod = tor->radix_up / agg->bundle;
    counts->tors = counts->pods * counts->tors_per_pod;
    counts->aggs = counts->pods * counts->aggs_per_pod;
    if (agg->radix_down != counts->tors_per_pod * agg->bundle)
        return disagree(cabling, tree,
                        "Radix_Down of tier 1 is not that of the ToRs of a pod times Bundle");
    return true;
}

static bool count_cores(struct cabling *cabling, const struct htsim_tree *tree,
                        struct counts *counts)
{
    const struct htsim_tier *agg = &tree->tier[AGG], *core = &tree->tier[CORE];
    if (tree->tiers == 2)
        return counts->pods == 1 || disagree(cabling, tree,
                                             "two tiers have one pod: expected "
                                             "Podsize to be Nodes");
    if (agg->radix_up % core->bundle != 0)
        return disagree(cabling, tree, "Radix_Up of tier 1 is not a multiple of Bundle of tier 2");
    counts->cores = counts->aggs_per_pod * (agg->radix_up / core->bundle);
    if (core->radix_down != counts->pods * core->bundle)
        return disagree(cabling, tree,
                        "Radix_Down of tier 2 is not the number of pods times Bundle");
    return true;
}

/* ------------------------------------------------------------------ nodes and links */

struct building {
    struct cabling *cabling;
    const struct htsim_tree *tree;
    struct cabling_node **hosts, **tors, **aggs, **cores;
};

static bool add_nodes(struct building *building, const char *word, int64_t count,
                      enum cabling_role role, struct cabling_node ***list)
{
    struct arena *arena = building->cabling->arena;
    *list = arena_array(arena, (size_t)count, sizeof **list);
    for (int64_t i = 0; i < count; i++) {
        struct cabling_node *node = cabling_node(
            building->cabling, arena_format(arena, "%s%" PRId64, word, i), building->tree->place);
        if (node == NULL)
            return false;
        node->role = role;
        node->why =
            role == CABLING_HOST ? "they are the tree's nodes" : "they are the tree's tiers";
        (*list)[i] = node;
    }
    return true;
}

/* Connects a switch of the tier below to an upper switch with as many cables as a bundle has. */
static bool add_links(struct building *building, struct cabling_node *down, struct cabling_node *up,
                      const struct htsim_tier *tier)
{
    struct cabling *cabling = building->cabling;
    for (int64_t i = 0; i < tier->bundle; i++) {
        struct cabling_link *link = cabling_link(cabling, building->tree->place);
        if (link == NULL)
            return false;
        link->ends[0].node = down;
        link->ends[1].node = up;
        const struct cabling_value values[] = {
            {"rate", arena_format(cabling->arena, "%" PRId64 "Gbps", tier->rate_gbps),
             building->tree->place},
            {"delay", arena_format(cabling->arena, "%" PRId64 "ns", tier->latency_ns),
             building->tree->place},
            {"length", "0m", building->tree->place},
        };
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            if (!cabling_set(cabling, link, values[k]))
                return false;
    }
    return true;
}

/* As init_network in fat_tree_topology.cpp: core = index of the agg in its pod + aggs per pod *
 * l. */
static bool add_cables(struct building *building, const struct counts *counts)
{
    const struct htsim_tier *tier = building->tree->tier;
    bool fine = true;
    for (int64_t host = 0; host < building->tree->nodes && fine; host++)
        fine = add_links(building, building->hosts[host],
                         building->tors[host / tier[TOR].radix_down], &tier[TOR]);
    for (int64_t tor = 0; tor < counts->tors && fine; tor++)
        for (int64_t i = 0; i < counts->aggs_per_pod && fine; i++)
            fine = add_links(building, building->tors[tor],
                             building->aggs[tor / counts->tors_per_pod * counts->aggs_per_pod + i],
                             &tier[AGG]);
    for (int64_t agg = 0; agg < counts->aggs && counts->cores > 0 && fine; agg++)
        for (int64_t l = 0; l < tier[AGG].radix_up / tier[CORE].bundle && fine; l++)
            fine = add_links(building, building->aggs[agg],
                             building->cores[agg % counts->aggs_per_pod + counts->aggs_per_pod * l],
                             &tier[CORE]);
    return fine;
}

bool htsim_build(struct cabling *cabling, const struct htsim_tree *tree)
{
    struct counts counts = {0};
    struct building building = {.cabling = cabling, .tree = tree};
    if (!count_pods(cabling, tree, &counts) || !count_cores(cabling, tree, &counts))
        return false;
    return add_nodes(&building, "host", tree->nodes, CABLING_HOST, &building.hosts) &&
           add_nodes(&building, "tor", counts.tors, CABLING_SWITCH, &building.tors) &&
           add_nodes(&building, "agg", counts.aggs, CABLING_SWITCH, &building.aggs) &&
           add_nodes(&building, "core", counts.cores, CABLING_SWITCH, &building.cores) &&
           add_cables(&building, &counts);
}
