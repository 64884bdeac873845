/* SPDX-License-Identifier: Apache-2.0
 * cause_no_route - frames without a route to their destination. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void look(struct cause_search *search, const struct harm_scene *scene)
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
                       "no route to their destination");
}

const struct cause_kind cause_no_route = {
    .name = "no-route",
    .about = "A switch has no route to a host.",
    .look = look,
};
