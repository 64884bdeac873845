/* SPDX-License-Identifier: Apache-2.0
 * cause_odd_setting - a setting that differs from that of comparable devices, if traffic through it
 * does worse. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"
#include "scenarios/effect/effect.h"

#include <stdio.h>
#include <string.h>

enum { NOTABLE = PPM / 20 };

/* Kinds of loss that show worse service. */
enum { SERVED = HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(BEHIND) };

/* How much more the affected members lose than the other members of the workload. */
static int64_t excess_loss(const struct harm_scene *scene, const struct deviation *deviation,
                           uint32_t workload)
{
    int64_t lost[2] = {0, 0}, count[2] = {0, 0};
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->workload != workload)
            continue;
        const bool touched = scene_touches(scene, member, deviation);
        int64_t most = 0;
        for (int part = 0; part < HARM_PART_COUNT; part++)
            if ((SERVED >> part & 1) != 0 && member->part[part] > most)
                most = member->part[part];
        lost[touched] += most;
        count[touched]++;
    }
    return count[0] == 0 || count[1] == 0 ? 0 : lost[1] / count[1] - lost[0] / count[0];
}

/* Whether the change slows service without a trace of its own. */
static bool is_felt_as_service(const struct deviation_change *change)
{
    if (change->row == NULL)
        return change->of == DEVIATION_CONTROL || change->of == DEVIATION_MEDIA;
    return change->row->effect.by == OPT_BY_SERVICE || change->row->effect.by == OPT_BY_RATE;
}

static void look_at_odd_setting(struct cause_search *search, const struct harm_scene *scene,
                                const struct deviation *deviation, uint32_t workload)
{
    const struct suspect suspect = suspects_named_deviation(scene, deviation);
    struct cause_clue clue = cause_clue();
    clue.deviation = deviation;
    clue.workload = workload;
    clue.least = excess_loss(scene, deviation, workload);
    if (clue.least < NOTABLE)
        return;
    snprintf(clue.seen, sizeof clue.seen,
             "where this setting applies, I/O of " SCENARIO_WORKLOAD_WORDS
             " takes %s longer than elsewhere",
             scene->scenario->workloads[workload].name,
             words_percent((double)clue.least, PPM).text);
    cause_accuse(search, &clue, &suspect);
}

/* Whether the deviation has no effect. A host without congestion control is not slower for it. */
static bool does_nothing(const struct harm_scene *scene, const struct deviation *deviation)
{
    const struct deviation_change *change = &deviation->changes[0];
    if (change->of == DEVIATION_CONTROL)
        return strcmp(deviation->value, "none") == 0;
    return effect_is_void(scene->scenario, change->spot.node, change->row);
}

static void find_odd_setting(struct cause_search *search, const struct harm_scene *scene)
{
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        if (!is_felt_as_service(&deviation->changes[0]) ||
            !suspects_is_worse(deviation, &deviation->changes[0]) || does_nothing(scene, deviation))
            continue;
        for (uint32_t w = 0; w < scene->scenario->workload_count; w++)
            look_at_odd_setting(search, scene, deviation, w);
    }
}

const struct cause_kind cause_odd_setting = {
    .name = "odd-setting",
    .about = "A device has a setting that its peers do not have, and its traffic is slower.",
    .look = find_odd_setting,
};
