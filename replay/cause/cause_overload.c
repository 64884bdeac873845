/* SPDX-License-Identifier: Apache-2.0
 * cause_overload - an open loop that completes less than it offers. Operations that were never
 * issued are lost, although the latency of the others does not show it.
 * Runs last: the loss of members that another cause explains stays with that cause. */
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <stdlib.h>

static void report(struct cause_search *search, const struct harm_scene *scene, uint32_t workload)
{
    const struct harm_limit *limit = &scene->limits[workload];
    struct cause_clue clue = cause_clue();
    clue.workload = workload;
    clue.least = limit->unmet;
    snprintf(clue.seen, sizeof clue.seen,
             SCENARIO_WORKLOAD_WORDS " completes %s less than its offered load; %.*s",
             scene->scenario->workloads[workload].name,
             words_percent((double)limit->unmet, PPM).text, (int)words_fit(limit->text, 140),
             limit->text);
    cause_report(search, &clue);
}

static void find_overload(struct cause_search *search, const struct harm_scene *scene)
{
    bool *explained = memory_zeroed(scene->scenario->workload_count + 1, sizeof *explained);
    for (uint32_t i = 0; i < scene->member_count; i++)
        explained[scene->members[i].workload] |= cause_is_blamed(search, i);
    for (uint32_t i = 0; scene->limits != NULL && i < scene->scenario->workload_count; i++)
        if (!explained[i] && scene->limits[i].unmet >= HARM_NOTICED)
            report(search, scene, i);
    free(explained);
}

const struct cause_kind cause_overload = {
    .name = "overload",
    .about = "An open loop offers more than is completed.",
    .look = find_overload,
};
