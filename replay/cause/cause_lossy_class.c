/* SPDX-License-Identifier: Apache-2.0
 * cause_lossy_class - traffic in a class that one hop may drop although other hops treat it as
 * lossless. */
#include "base/drop.h"
#include "replay/cause/causes.h"

static bool is_lossless(const struct harm_scene *scene, uint32_t node, uint8_t priority)
{
    return (world_switch(scene->world, node)->lossless >> priority & 1) != 0;
}

static bool is_anywhere(const struct harm_scene *scene, uint8_t priority)
{
    const struct scenario *scenario = scene->scenario;
    for (uint32_t node = scenario->host_count; node < scenario->node_count; node++)
        if (priority < PRIORITIES ? is_lossless(scene, node, priority)
                                  : world_switch(scene->world, node)->lossless != 0)
            return true;
    return false;
}

static void find_lossy_class(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->drop_count; i++) {
        const struct observe_drops *drops = &scene->drops[i];
        if (drops->lossless ||
            (drops->cause != PROBE_DROP_BUFFER && drops->cause != PROBE_DROP_EGRESS))
            continue;
        struct cause_clue clue = cause_clue();
        clue.parts = HARM_LOST_PARTS;
        clue.rows = "pfc-priorities accept-dscp dscp priority";
        clue.ends = true;
        clue.of_workload = "priority dscp";
        clue.general =
            is_anywhere(scene, PRIORITIES) ? "priority dscp accept-dscp pfc-priorities" : NULL;
        if (is_anywhere(scene, PRIORITIES))
            clue.later_rows = "alpha-lossy alpha-egress lossy-pool egress-lossy-pool "
                              "reserved-lossy reserved-queue buffer";
        clue.proven = is_anywhere(scene, drops->priority);
        cause_report_drop(search, scene, drops, &clue, "not a lossless class on this port");
    }
}

const struct cause_kind cause_lossy_class = {
    .name = "lossy-class",
    .about = "Traffic is in a class that may be dropped on a hop.",
    .look = find_lossy_class,
};
