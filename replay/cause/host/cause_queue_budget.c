/* SPDX-License-Identifier: Apache-2.0
 * cause_queue_budget - a target has no I/O queue left for connecting hosts. */
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

static void find_queue_budget(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t node = 0; scene->world != NULL && node < scene->scenario->host_count; node++) {
        const struct nvme_target *target = scene->world->targets[node];
        const uint64_t refused = target == NULL ? 0 : nvme_target_stats(target)->refused;
        struct cause_clue clue = cause_clue();
        if (refused == 0)
            continue;
        clue.place.node = node;
        clue.parts = HARM_BIT(STOOD);
        clue.rows = clue.general = "queue-budget";
        clue.otherwise = HARM_HOST;
        clue.proven = true;
        snprintf(clue.seen, sizeof clue.seen,
                 "%s refused %s connect%s because it has no free I/O queue",
                 scene->scenario->nodes[node].name, words_count((int64_t)refused).text,
                 plural(refused, "", "s"));
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_queue_budget = {
    .name = "queue-budget",
    .about = "A target has no I/O queue left for hosts that connect.",
    .look = find_queue_budget,
};
