/* SPDX-License-Identifier: Apache-2.0
 * cause_cq_overrun - completion queues that overflowed. */
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

static void find_cq_overrun(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t node = 0; node < scene->scenario->host_count; node++) {
        const uint64_t overruns = SCENE_COUNTER(scene, node, cq_overruns);
        struct cause_clue clue = cause_clue();
        if (overruns == 0)
            continue;
        clue.place.node = node;
        clue.parts = HARM_LOST_PARTS;
        clue.strength = PPM;
        clue.rows = "cq-size";
        clue.later_rows = "completion-cost interrupt-cost cq-moderation-time";
        clue.general = clue.rows;
        clue.otherwise = HARM_HOST;
        clue.proven = true;
        snprintf(
            clue.seen, sizeof clue.seen, "%s completion queue%s of %s, with %lld %s each, overran",
            words_count((int64_t)overruns).text, plural(overruns, "", "s"),
            scene->scenario->nodes[node].name,
            (long long)scene->scenario->nodes[node].host->rnic->pipeline.cq_size,
            plural(scene->scenario->nodes[node].host->rnic->pipeline.cq_size, "entry", "entries"));
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_cq_overrun = {
    .name = "cq-overrun",
    .about = "A completion queue was too small for its completions.",
    .look = find_cq_overrun,
};
