/* SPDX-License-Identifier: Apache-2.0
 * cause_no_route - no way to a host, or a wrong one. */
#include "replay/cause/causes.h"

#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <string.h>

static void look_at_drops(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "misroute switch-down link-down link-flap target-crash";
    clue.anywhere = true;
    clue.everywhere = true;
    clue.far_rows = "routes";
    clue.otherwise = HARM_SWITCH;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_NO_ROUTE, -1, &clue,
                       "it has no route to where they go");
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    look_at_drops(search, scene);
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scene->scenario->faults[i];
        if (strcmp(fault->ops->name, "misroute") != 0 || fault->route == NULL ||
            fault->at >= scene->now)
            continue;
        const struct suspect suspect = suspects_named_fault(scene, i);
        for (uint32_t k = 0; k < fault->route->to_count; k++) {
            struct cause_clue clue = cause_clue();
            clue.place.node = fault->route->to[k].node;
            clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW) | HARM_BIT(PAUSE);
            clue.strength = PPM * 3 / 4;
            snprintf(clue.seen, sizeof clue.seen, "what goes to %s takes a wrong way",
                     scene->scenario->nodes[clue.place.node].name);
            cause_accuse(search, &clue, &suspect);
        }
    }
}

const struct cause_kind cause_no_route = {
    .name = "no-route",
    .about = "A switch has no route to a host, or a wrong one.",
    .look = look,
};
