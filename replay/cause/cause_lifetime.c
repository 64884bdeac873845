/* SPDX-License-Identifier: Apache-2.0
 * cause_lifetime - frames that a switch discards because they waited too long for credits. */
#include "base/drop.h"
#include "replay/cause/causes.h"

/* A switch discards such frames on purpose: without another cause its limits are too short. */
static void find_lifetime(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "slow-receiver drop-every random-loss bit-errors link-flap";
    clue.anywhere = true;
    clue.rows = "edge-hold-time hold-time leaf-head-of-queue-lifetime head-of-queue-lifetime "
                "packet-life-time";
    clue.otherwise = HARM_SWITCH;
    cause_report_drops(search, scene, 1u << PROBE_DROP_LIFETIME, -1, &clue,
                       "no credits before the end of their lifetime");
}

const struct cause_kind cause_lifetime = {
    .name = "lifetime",
    .about = "A switch discards frames that waited too long for credits.",
    .look = find_lifetime,
};
