/* SPDX-License-Identifier: Apache-2.0
 * cause_bottleneck - a resource that limits a workload is scarcer at its hosts than elsewhere.
 * The suspect is a deviating setting of these hosts whose row affects that resource. */
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A resource that costs this share of the time, or is busy for it, is scarce for all hosts. */
enum { SCARCE = PPM * 3 / 10 };

/* A limit of this workload that similar workloads do not have. A limit that all of them have is
 * intended. */
static bool is_limited_alone(const struct harm_scene *scene, enum opt_part part, uint32_t workload,
                             struct suspect *suspect)
{
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        for (size_t k = 0; k < deviation->change_count; k++) {
            const struct deviation_change *change = &deviation->changes[k];
            if (change->of != DEVIATION_WORK || change->index != workload ||
                change->row->effect.part != part || !suspects_is_worse(deviation, change))
                continue;
            *suspect = suspects_named_deviation(scene, deviation);
            return true;
        }
    }
    return false;
}

/* Cached result per part: a setting of all hosts that makes it scarce. */
struct scarce {
    bool looked, found;
    struct suspect suspect;
};

/* `scarce` is indexed by part. */
static bool is_scarce(const struct harm_scene *scene, enum opt_part part, struct scarce *scarce,
                      struct suspect *suspect)
{
    struct scarce *mine = &scarce[part];
    if (!mine->looked)
        mine->found = suspects_scarce(scene, part, &mine->suspect);
    mine->looked = true;
    if (mine->found)
        *suspect = mine->suspect;
    return mine->found;
}

static bool finds_of(const struct harm_scene *scene, enum opt_part part, bool scarce_for_all,
                     const struct suspects_place *place, struct scarce *scarce,
                     struct suspect *suspect)
{
    return suspects_deviation_of(scene, part, *place, suspect) ||
           (scarce_for_all && is_scarce(scene, part, scarce, suspect));
}

/* A peer delays no ACK for two full segments, so that a delay is also due to what leaves room for
 * fewer. */
static bool finds(const struct harm_scene *scene, const struct suspects_place *place,
                  uint32_t workload, struct scarce *scarce, struct suspect *suspect)
{
    const struct harm_limit *limit = &scene->limits[workload];
    const enum opt_part part = bottleneck_part(limit->resource);
    const bool for_all = limit->used >= SCARCE;
    if (limit->resource == BOTTLENECK_WORKLOAD_LIMIT)
        return is_limited_alone(scene, part, workload, suspect);
    return finds_of(scene, part, for_all, place, scarce, suspect) ||
           (part == OPT_PART_DELAYED_ACK &&
            (finds_of(scene, OPT_PART_WINDOW, for_all, place, scarce, suspect) ||
             finds_of(scene, OPT_PART_CONGESTION, for_all, place, scarce, suspect)));
}

/* The largest share of a member's time that a deviating cost can take: its excess over the common
 * value. 0: no limit. */
static int64_t largest_share(const struct harm_scene *scene, const struct suspect *suspect)
{
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        const struct deviation_change *change = &deviation->changes[0];
        char why[OPT_WHY_BYTES];
        int64_t value;
        if (strcmp(deviation->path, suspect->name) == 0 && change->row != NULL &&
            change->row->effect.by == OPT_BY_COST &&
            opt_parse(change->row, deviation->value, &value, why) && value > change->common)
            return (int64_t)((__int128)(value - change->common) * PPM / value);
    }
    return 0;
}

static void report_scarce(struct cause_search *search, const struct harm_scene *scene,
                          uint32_t node, uint32_t workload, struct scarce *scarce)
{
    const struct harm_limit *limit = &scene->limits[workload];
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    clue.place.node = node;
    if (!finds(scene, &clue.place, workload, scarce, &suspect))
        return;
    clue.workload = workload;
    clue.most = largest_share(scene, &suspect);
    clue.parts = HARM_BIT(BEHIND) | HARM_BIT(READS) | HARM_BIT(HELD);
    const bool is_all =
        limit->resource == BOTTLENECK_LIMIT || limit->resource == BOTTLENECK_WORKLOAD_LIMIT;
    clue.least = is_all ? limit->used : limit->used / 2;
    snprintf(
        clue.seen, sizeof clue.seen, "the I/O of " SCENARIO_WORKLOAD_WORDS " is limited by %.*s",
        scene->scenario->workloads[workload].name, (int)words_fit(limit->text, 150), limit->text);
    cause_accuse(search, &clue, &suspect);
}

static void look_at_bottleneck(struct cause_search *search, const struct harm_scene *scene)
{
    /* by node: 1 + the last workload whose members there were checked */
    uint32_t *looked = memory_zeroed(scene->fabric->node_count, sizeof *looked);
    struct scarce *scarce = memory_zeroed(OPT_PARTS, sizeof *scarce);
    for (uint32_t i = 0; scene->limits != NULL && i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (scene->limits[member->workload].resource == BOTTLENECK_UNKNOWN)
            continue;
        const uint32_t ends[] = {member->from, member->to};
        const bool fresh[] = {looked[ends[0]] <= member->workload,
                              looked[ends[1]] <= member->workload};
        for (int end = 0; end < 2; end++)
            if (fresh[end])
                report_scarce(search, scene, ends[end], member->workload, scarce);
        looked[ends[0]] = looked[ends[1]] = member->workload + 1;
    }
    free(looked);
    free(scarce);
}

const struct cause_kind cause_bottleneck = {
    .name = "bottleneck",
    .about = "The resource that limits a workload is scarcer at its hosts than at other hosts.",
    .look = look_at_bottleneck,
};
