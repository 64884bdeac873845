/* SPDX-License-Identifier: Apache-2.0
 * cause_frame_loss - frames that a fault drops on the wire. */
#include "base/drop.h"
#include "replay/cause/causes.h"

static void find_frame_loss(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    char kinds[HARM_NAME_BYTES];
    clue.faults = suspects_kinds("drops.injected", kinds, sizeof kinds);
    clue.otherwise = HARM_LINK;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_INJECTED, -1, &clue, "lost on the wire");
}

const struct cause_kind cause_frame_loss = {
    .name = "frame-loss",
    .about = "A link loses frames that no device dropped.",
    .look = find_frame_loss,
};
