/* SPDX-License-Identifier: Apache-2.0
 * cause_bit_errors - frames corrupted by bit errors. */
#include "base/drop.h"
#include "replay/cause/causes.h"

static void look_at_bit_errors(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    char kinds[HARM_NAME_BYTES];
    clue.faults = suspects_kinds("drops.corrupt", kinds, sizeof kinds);
    clue.otherwise = HARM_LINK;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_CORRUPT, -1, &clue, "damaged by bit errors");
}

const struct cause_kind cause_bit_errors = {
    .name = "bit-errors",
    .about = "A link damages frames.",
    .look = look_at_bit_errors,
};
