/* SPDX-License-Identifier: Apache-2.0
 * cause_pause_storm - a host that sends pauses although it has buffer space. */
#include "replay/cause/causes.h"

#include "base/drop.h"
#include "replay/explain/verdict.h"

/* A PFC watchdog drops long-paused traffic, which costs senders more than the pause. */
static bool watchdog_dropped(const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->drop_count; i++)
        if (scene->drops[i].cause == PROBE_DROP_WATCHDOG)
            return true;
    return false;
}

static void find_pause_storm(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_BIT(PAUSE) | HARM_BIT(STOOD) | HARM_BIT(FAILED) |
                 (watchdog_dropped(scene) ? HARM_LOST_PARTS : 0);
    clue.faults = "pause-storm";
    clue.rows = "rx-xoff rx-xon rx-buffer pfc-quanta pfc-xon";
    clue.otherwise = HARM_HOST;
    clue.proven = true;
    cause_report_roots(search, scene, 1u << EXPLAIN_STORM, &clue);
}

const struct cause_kind cause_pause_storm = {
    .name = "pause-storm",
    .about = "A host sends PAUSE although its receive buffer has room.",
    .look = find_pause_storm,
};
