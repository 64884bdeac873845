/* SPDX-License-Identifier: Apache-2.0
 * cause_headroom - too little headroom for the frames that still arrive after XOFF. */
#include "base/drop.h"
#include "replay/cause/causes.h"

static void find_headroom(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->drop_count; i++) {
        const struct observe_drops *drops = &scene->drops[i];
        if (!drops->lossless ||
            (drops->cause != PROBE_DROP_BUFFER && drops->cause != PROBE_DROP_EGRESS) ||
            (drops->cause == PROBE_DROP_BUFFER && cause_pauses_lost(scene, drops)))
            continue;
        struct cause_clue clue = cause_clue();
        clue.parts = HARM_LOST_PARTS;
        clue.rows = "headroom headroom-pool headroom-ratio length delay pfc-response egress-limit "
                    "pfc-quanta pfc-refresh pfc-xon fec-latency reserved buffer ports alpha xoff "
                    "policy";
        clue.general = "headroom headroom-pool headroom-ratio pfc-response egress-limit buffer";
        clue.late_faults = "drop-every random-loss bit-errors link-flap link-down";
        clue.otherwise = HARM_SWITCH;
        clue.proven = true;
        cause_report_drop(search, scene, drops, &clue,
                          drops->cause == PROBE_DROP_EGRESS
                              ? "a lossless queue was at its limit"
                              : "its headroom filled before the pause took effect");
    }
}

const struct cause_kind cause_headroom = {
    .name = "headroom",
    .about = "Headroom is too small for the frames that arrive after XOFF.",
    .look = find_headroom,
};
