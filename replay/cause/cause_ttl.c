/* SPDX-License-Identifier: Apache-2.0
 * cause_ttl - frames whose TTL expires: a routing loop, or an initial TTL that is too low. */
#include "base/drop.h"
#include "replay/cause/causes.h"

static void find_ttl(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "misroute";
    clue.anywhere = true;
    clue.far_rows = "routes";
    clue.rows = "ttl";
    clue.general = "ttl";
    clue.ends = true;
    clue.everywhere = true;
    clue.otherwise = HARM_SWITCH;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_TTL, -1, &clue, "their hop limit expired");
}

const struct cause_kind cause_ttl = {
    .name = "ttl",
    .about = "Frames loop, or start with too few hops.",
    .look = find_ttl,
};
