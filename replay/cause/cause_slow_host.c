/* SPDX-License-Identifier: Apache-2.0
 * cause_slow_host - a host that takes frames slower than they come. */
#include "replay/cause/causes.h"

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_BIT(PAUSE) | HARM_BIT(STOOD) | HARM_BIT(FAILED);
    clue.faults = "slow-receiver";
    clue.rows = "drain rx-buffer rx-xoff rx-xon rx-delay software";
    clue.general = "drain rx-buffer rx-xoff";
    clue.otherwise = HARM_HOST;
    clue.proven = true;
    cause_report_roots(search, scene, 1u << EXPLAIN_SLOW_RECEIVER, &clue);
    clue.parts = HARM_LOST_PARTS;
    cause_report_drops(search, scene, 1u << PROBE_DROP_RX_BUFFER, -1, &clue,
                       "its receive buffer was full");
}

const struct cause_kind cause_slow_host = {
    .name = "slow-host",
    .about = "A host drains its receive buffer slower than its link delivers.",
    .look = look,
};
