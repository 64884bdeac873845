/* SPDX-License-Identifier: Apache-2.0
 * cause_target - a target that stalls, crashes, or denies hosts access to its namespaces. */
#include "replay/cause/causes.h"

#include "scenarios/data/fault.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *fault, *what;
    bool serves; /* continues without the failed part */
} outages[] = {
    {"target-stall", "stalled", false},
    {"target-crash", "crashed", false},
    {"ana-change", "reported a new ANA state", false},
    {"port-closed", "closed a port", false},
    {"drive-failed", "lost a drive", true},
    {"silent-corruption", "corrupted data", true},
};

/* Members with several paths may continue on another one. */
static bool has_paths(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        if (member->to == node && scene->scenario->workloads[member->workload].paths > 1)
            return true;
    }
    return false;
}

static struct cause_clue clue_at(const struct harm_scene *scene, uint32_t node, const char *what)
{
    struct cause_clue clue = cause_clue();
    clue.place.node = node;
    clue.parts = HARM_LOST_PARTS;
    clue.proven = true;
    snprintf(clue.seen, sizeof clue.seen, "the target on %s %s", scene->scenario->nodes[node].name,
             what);
    return clue;
}

/* Number of the workload's pairs whose target is this node, or is not. */
static uint32_t count_pairs(const struct scenario_workload *workload, uint32_t node, bool there)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++)
        count += workload->ops->needs_nvme_target && (workload->pairs[i].to == node) == there;
    return count;
}

/* The target continues, more slowly. A run cannot show by how much if all members use it. */
static void accuse_serving(struct cause_search *search, const struct harm_scene *scene,
                           uint32_t index, uint32_t node, const char *what)
{
    const struct suspect suspect = suspects_named_fault(scene, index);
    for (uint32_t i = 0; i < scene->scenario->workload_count; i++) {
        const struct scenario_workload *about = &scene->scenario->workloads[i];
        struct cause_clue clue = clue_at(scene, node, what);
        clue.workload = i;
        if (count_pairs(about, node, true) == 0)
            continue;
        clue.untold = count_pairs(about, node, false) == 0;
        cause_accuse(search, &clue, &suspect);
    }
}

static void accuse_standing(struct cause_search *search, const struct harm_scene *scene,
                            uint32_t index, uint32_t node, const char *what)
{
    const struct scenario_fault *fault = &scene->scenario->faults[index];
    const time_ps until = time_earlier(fault->end, scene->window_end);
    const struct suspect suspect = suspects_named_fault(scene, index);
    struct cause_clue clue = clue_at(scene, node, what);
    if (!has_paths(scene, node))
        clue.least = (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
    cause_accuse(search, &clue, &suspect);
}

static void report_outage(struct cause_search *search, const struct harm_scene *scene,
                          uint32_t index, const char *what, bool serves)
{
    const struct scenario_fault *fault = &scene->scenario->faults[index];
    for (uint32_t k = 0; k < fault->spot_count && fault->at < scene->window_end; k++)
        (serves ? accuse_serving : accuse_standing)(search, scene, index, fault->spots[k].node,
                                                    what);
}

static void find_target(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++)
        for (size_t k = 0; k < sizeof outages / sizeof outages[0]; k++)
            if (strcmp(scene->scenario->faults[i].ops->name, outages[k].fault) == 0)
                report_outage(search, scene, i, outages[k].what, outages[k].serves);
}

const struct cause_kind cause_target = {
    .name = "target",
    .about = "A target stalls, crashes, or denies access to its namespaces.",
    .look = find_target,
};
