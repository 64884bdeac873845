/* SPDX-License-Identifier: Apache-2.0
 * cause_odd_setting - a setting that others do not have, where those behind it do worse. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

enum { NOTABLE = PPM / 10 };

static int64_t loss_of(const struct harm_member *member)
{
    static const enum harm_part parts[] = {HARM_PART_FAILED, HARM_PART_STOOD, HARM_PART_BEHIND,
                                           HARM_PART_SLOW};
    int64_t lost = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        lost = member->part[parts[i]] > lost ? member->part[parts[i]] : lost;
    return lost;
}

static void compare(struct cause_search *search, const struct harm_scene *scene,
                    const struct deviation *deviation)
{
    const struct suspect suspect = suspects_named_deviation(deviation);
    int64_t lost[2] = {0}, count[2] = {0};
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const bool behind = scene_touches(scene, &scene->members[i], deviation);
        lost[behind] += loss_of(&scene->members[i]);
        count[behind]++;
    }
    if (count[0] == 0 || count[1] == 0 || lost[1] / count[1] < lost[0] / count[0] + NOTABLE)
        return;
    struct cause_clue clue = cause_clue();
    clue.deviation = deviation;
    clue.parts = HARM_LOST_PARTS | HARM_BIT(SLOW);
    clue.strength = PPM / 2;
    snprintf(clue.seen, sizeof clue.seen, "those behind it lose %s, the others %s",
             words_percent((double)(lost[1] / count[1]), PPM).text,
             words_percent((double)(lost[0] / count[0]), PPM).text);
    cause_accuse(search, &clue, &suspect);
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (size_t i = 0; i < scene->deviations.count; i++)
        compare(search, scene, &scene->deviations.list[i]);
}

const struct cause_kind cause_odd_setting = {
    .name = "odd-setting",
    .about = "A setting differs from that of its like, and who is behind it does worse.",
    .look = look,
};
