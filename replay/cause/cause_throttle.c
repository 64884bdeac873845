/* SPDX-License-Identifier: Apache-2.0
 * cause_throttle - congestion control that holds senders back more than the links do. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

static const char rows[] = "ecn-kmin ecn-kmax ecn-pmax ecn-mark";

enum { NOTABLE = PPM / 10, FULL = PPM * 85 / 100 };

/* No link on its ways is full: there is room that it may not use. */
static bool has_room(const struct harm_scene *scene, const struct harm_member *member)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (uint32_t i = 0; i < ports; i++)
        if (scene->uses[i].busy >= FULL && scene_crosses(scene, member, i))
            return false;
    return true;
}

static void look_at(struct cause_search *search, const struct harm_scene *scene, uint32_t node)
{
    const struct swtch *swtch = world_switch(scene->world, node);
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    clue.place.node = node;
    if (swtch->counters.ecn_marked == 0)
        return;
    if (suspects_deviation(scene, rows, clue.place, &suspect))
        clue.strength = PPM;
    else if (suspects_general(scene, rows, &suspect))
        clue.strength = PPM / 4; /* every switch has it: others may be to blame for what is odd */
    else
        return;
    clue.parts = HARM_BIT(HELD) | HARM_BIT(BEHIND);
    snprintf(clue.seen, sizeof clue.seen, "%s marked %s frames, and senders slowed down",
             scene->scenario->nodes[node].name,
             words_count((int64_t)swtch->counters.ecn_marked).text);
    cause_accuse(search, &clue, &suspect);
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    bool held = false;
    for (uint32_t i = 0; i < scene->member_count; i++)
        held |= scene->members[i].part[HARM_PART_HELD] >= NOTABLE &&
                has_room(scene, &scene->members[i]);
    for (uint32_t node = scene->scenario->host_count; held && node < scene->scenario->node_count;
         node++)
        look_at(search, scene, node);
}

const struct cause_kind cause_throttle = {
    .name = "throttle",
    .about = "Congestion control holds senders back for no full link.",
    .look = look,
};
