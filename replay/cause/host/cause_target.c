/* SPDX-License-Identifier: Apache-2.0
 * cause_target - a target that stands still, dies, or is slow. */
#include "replay/cause/causes.h"

#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <string.h>

static void accuse(struct cause_search *search, const struct harm_scene *scene, uint32_t index)
{
    const struct scenario_fault *fault = &scene->scenario->faults[index];
    const time_ps until = time_earlier(fault->end, scene->window_end);
    const struct suspect suspect = suspects_named_fault(scene, index);
    for (uint32_t k = 0; k < fault->spot_count && fault->at < until; k++) {
        struct cause_clue clue = cause_clue();
        clue.place.node = fault->spots[k].node;
        clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW);
        clue.proven = true;
        clue.least = (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
        snprintf(clue.seen, sizeof clue.seen, "the target on %s %s",
                 scene->scenario->nodes[clue.place.node].name,
                 strcmp(fault->ops->name, "target-stall") == 0 ? "stood still" : "died");
        cause_accuse(search, &clue, &suspect);
    }
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++)
        if (suspects_listed("target-stall target-crash", scene->scenario->faults[i].ops->name))
            accuse(search, scene, i);
}

const struct cause_kind cause_target = {
    .name = "target",
    .about = "A target stands still or dies.",
    .look = look,
};
