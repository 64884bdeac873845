/* SPDX-License-Identifier: Apache-2.0
 * cause_target - a target that stands still, dies, or does not let hosts to its namespaces. */
#include "replay/cause/causes.h"

#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *fault, *what;
    bool serves; /* on, but what failed */
} outages[] = {
    {"target-stall", "stood still", false},          {"target-crash", "died", false},
    {"ana-change", "said another ANA state", false}, {"port-closed", "closed a port", false},
    {"drive-failed", "lost a drive", true},
};

/* Who has several paths may go on by another. */
static bool has_paths(const struct harm_scene *scene, uint32_t node)
{
    for (uint32_t i = 0; i < scene->member_count; i++)
        if (scene->members[i].to == node &&
            scene->scenario->workloads[scene->members[i].workload].paths > 1)
            return true;
    return false;
}

static void accuse(struct cause_search *search, const struct harm_scene *scene, uint32_t index,
                   const char *what, bool serves)
{
    const struct scenario_fault *fault = &scene->scenario->faults[index];
    const time_ps until = time_earlier(fault->end, scene->window_end);
    const struct suspect suspect = suspects_named_fault(scene, index);
    for (uint32_t k = 0; k < fault->spot_count && fault->at < until; k++) {
        struct cause_clue clue = cause_clue();
        clue.place.node = fault->spots[k].node;
        clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW);
        clue.proven = true;
        if (!serves && !has_paths(scene, clue.place.node))
            clue.least = (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
        snprintf(clue.seen, sizeof clue.seen, "the target on %s %s",
                 scene->scenario->nodes[clue.place.node].name, what);
        cause_accuse(search, &clue, &suspect);
    }
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++)
        for (size_t k = 0; k < sizeof outages / sizeof outages[0]; k++)
            if (strcmp(scene->scenario->faults[i].ops->name, outages[k].fault) == 0)
                accuse(search, scene, i, outages[k].what, outages[k].serves);
}

const struct cause_kind cause_target = {
    .name = "target",
    .about = "A target stands still, dies, or lets nobody to its namespaces.",
    .look = look,
};
