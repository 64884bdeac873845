/* SPDX-License-Identifier: Apache-2.0
 * cause_watchdog - lossless frames that the PFC watchdog drops. */
#include "base/drop.h"
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

/* The device's own watchdog settings first; whether it is enabled before its timing. */
static const char of_host[] =
    "pfc-watchdog watchdog watchdog-detection watchdog-poll watchdog-rule "
    "watchdog-restoration";
static const char of_switch[] = "watchdog watchdog-detection watchdog-poll watchdog-rule "
                                "pfc-watchdog watchdog-restoration";

static void find_watchdog(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    const struct explain_root *first = scene->explain->roots;
    /* the watchdog did its job: a storming host paused without need */
    const bool due = scene->explain->root_count > 0 && first->kind == EXPLAIN_STORM &&
                     scene->uses[first->port].drained < PPM * 85 / 100;
    clue.otherwise = HARM_SWITCH;
    clue.proven = !due;
    if (due)
        clue.strength = PPM / 4;
    for (uint32_t i = 0; i < scene->drop_count; i++) {
        const struct observe_drops *drops = &scene->drops[i];
        clue.rows = clue.general = scene->fabric->is_host[drops->node] ? of_host : of_switch;
        if (drops->cause == PROBE_DROP_WATCHDOG)
            cause_report_drop(search, scene, drops, &clue, "by its PFC watchdog");
    }
}

const struct cause_kind cause_watchdog = {
    .name = "watchdog",
    .about = "The PFC watchdog drops a queue that was paused.",
    .look = find_watchdog,
};
