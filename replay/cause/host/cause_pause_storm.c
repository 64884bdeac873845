/* SPDX-License-Identifier: Apache-2.0
 * cause_pause_storm - a host that pauses though it has room. */
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_BIT(PAUSE) | HARM_BIT(STOOD) | HARM_BIT(FAILED);
    clue.faults = "pause-storm";
    clue.rows = "rx-xoff rx-xon rx-buffer pfc-quanta pfc-xon";
    clue.otherwise = HARM_HOST;
    clue.proven = true;
    cause_report_roots(search, scene, 1u << EXPLAIN_STORM, &clue);
}

const struct cause_kind cause_pause_storm = {
    .name = "pause-storm",
    .about = "A host sends PAUSE although its receive buffer has room.",
    .look = look,
};
