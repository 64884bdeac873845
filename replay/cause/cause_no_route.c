/* SPDX-License-Identifier: Apache-2.0
 * cause_no_route - frames without a route to their destination. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/data/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A router has no route for frames without an IP header, whatever its table. */
static bool is_v1_at_router(const struct harm_scene *scene, const struct observe_drops *drops)
{
    const struct scenario *scenario = scene->scenario;
    bool v1 = false;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        v1 |= scenario->nodes[i].host->rnic->roce_version == 1;
    return v1 && drops->node >= scenario->host_count &&
           scenario->nodes[drops->node].switch_params->router != 0;
}

static void report_drops(struct cause_search *search, const struct harm_scene *scene,
                         const struct observe_drops *drops, const struct cause_clue *shape)
{
    struct cause_clue clue = *shape;
    if (!is_v1_at_router(scene, drops)) {
        cause_report_drop(search, scene, drops, &clue, "no route to their destination");
        return;
    }
    clue.rows = "roce-version router";
    clue.general = "roce-version";
    cause_report_drop(search, scene, drops, &clue,
                      "a router forwards no RoCE v1, which has no IP header");
}

static void find_no_route(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "misroute switch-down link-down link-flap target-crash";
    clue.anywhere = true;
    clue.everywhere = true;
    clue.far_rows = "routes";
    clue.otherwise = HARM_SWITCH;
    clue.proven = true;
    for (uint32_t i = 0; i < scene->drop_count; i++)
        if (scene->drops[i].cause == PROBE_DROP_NO_ROUTE)
            report_drops(search, scene, &scene->drops[i], &clue);
}

const struct cause_kind cause_no_route = {
    .name = "no-route",
    .about = "A switch has no route to a host.",
    .look = find_no_route,
};
