/* SPDX-License-Identifier: Apache-2.0
 * cause_rnr - SENDs that arrive without a posted receive. */
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t refusals_of(const struct harm_scene *scene, uint32_t workload)
{
    const struct scenario_workload *about = &scene->scenario->workloads[workload];
    bool *counted = memory_zeroed(scene->scenario->node_count, sizeof *counted);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < about->pair_count; i++) {
        const uint32_t node = about->pairs[i].to;
        sent += counted[node] ? 0 : SCENE_COUNTER(scene, node, rnr_naks_sent);
        counted[node] = true;
    }
    free(counted);
    return sent;
}

static void find_rnr(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t w = 0; w < scene->scenario->workload_count; w++) {
        const uint64_t sent = refusals_of(scene, w);
        struct cause_clue clue = cause_clue();
        if (sent == 0)
            continue;
        clue.workload = w;
        clue.parts = HARM_BIT(REFUSED) | HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(BEHIND);
        clue.everywhere = true;
        clue.of_workload = "receives receive-delay shared-receives receive-limit";
        clue.rows = "receive-queue shared-receives rnr-retry min-rnr-timer";
        clue.general = clue.rows;
        clue.ends = true;
        clue.otherwise = HARM_WORKLOAD;
        clue.proven = true;
        snprintf(clue.seen, sizeof clue.seen,
                 "messages of " SCENARIO_WORKLOAD_WORDS " found no posted receive (%s RNR %s)",
                 scene->scenario->workloads[w].name, words_count((int64_t)sent).text,
                 plural(sent, "NAK", "NAKs"));
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_rnr = {
    .name = "rnr",
    .about = "A receiver had no receive posted.",
    .look = find_rnr,
};
