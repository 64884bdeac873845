/* SPDX-License-Identifier: Apache-2.0
 * cause_watchdog - lossless frames that the PFC watchdog drops. */
#include "base/drop.h"
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    const struct explain_root *first = scene->explain->roots;
    /* it did what it is for: the host had no reason to pause */
    const bool due = scene->explain->root_count > 0 && first->kind == EXPLAIN_STORM &&
                     scene->uses[first->port].drained < PPM * 85 / 100;
    clue.rows = "watchdog-detection watchdog-poll watchdog-rule pfc-watchdog watchdog "
                "watchdog-restoration";
    clue.general = clue.rows;
    clue.otherwise = HARM_SWITCH;
    clue.proven = !due;
    if (due)
        clue.strength = PPM / 4;
    cause_report_drops(search, scene, 1u << PROBE_DROP_WATCHDOG, -1, &clue, "by its PFC watchdog");
}

const struct cause_kind cause_watchdog = {
    .name = "watchdog",
    .about = "The PFC watchdog drops a queue that was paused.",
    .look = look,
};
