/* SPDX-License-Identifier: Apache-2.0
 * cause_timeout - retransmission timeouts alalthough no frame was lost. */
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

/* The largest pause share of members at the node; pauses also delay ACKs. */
static int64_t pause_share(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    int64_t most = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const int64_t part = scene->members[list.members[i]].part[HARM_PART_PAUSE];
        most = part > most ? part : most;
    }
    return most;
}

static bool gave_up(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        if (member->failed > 0 || !member->connected)
            return true;
    }
    return false;
}

/* Frames were lost, and each member there that lost time has a cause: the timers only waited for
 * those frames. */
static bool is_explained(const struct cause_search *search, const struct harm_scene *scene,
                         uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    bool explained = false;
    for (uint32_t i = 0; i < list.count; i++) {
        if (scene->members[list.members[i]].part[HARM_PART_LOSS] < HARM_NOTICED)
            continue;
        if (!cause_is_explained(search, list.members[i]))
            return false;
        explained = true;
    }
    return explained;
}

/* Adaptive timers start shorter, so they are left out. Both ends of a connection use the timer that
 * the connecting host requests, and hosts may request different ones. */
static void describe_timer(const struct harm_scene *scene, uint32_t node, char *text, size_t size)
{
    const struct scenario_node *nodes = scene->scenario->nodes;
    int64_t code = -1;
    text[0] = '\0';
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const uint32_t asks = scene->members[list.members[i]].from;
        const struct rnic_params *own = nodes[node].host->rnic;
        const int64_t asked = nodes[asks].host->rnic->timeout;
        const int64_t its = asks == node ? asked : rnic_accept_timeout(own, asked);
        if (own->adaptive || (code >= 0 && code != its))
            return;
        code = its;
    }
    if (code >= 0)
        snprintf(text, size, " (4.096 us x 2^%lld = %s each)", (long long)code,
                 words_time(INT64_C(4096000) << code).text);
}

/* Finds a deviating setting of a host whose timers run at the node. */
static bool find_setting(const struct harm_scene *scene, uint32_t node, struct cause_clue *clue,
                         struct suspect *suspect)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        struct suspects_place place = clue->place;
        place.node = scene->members[list.members[i]].from;
        if (!suspects_deviation(scene, clue->rows, place, suspect))
            continue;
        clue->place = place;
        return true;
    }
    return false;
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    uint64_t lost = 0, all = 0;
    for (uint32_t i = 0; i < scene->drop_count; i++)
        lost += scene->drops[i].frames;
    for (uint32_t node = 0; node < scene->scenario->host_count; node++)
        all += SCENE_COUNTER(scene, node, timeouts);
    for (uint32_t node = 0; all > 0 && node < scene->scenario->host_count; node++) {
        const uint64_t timeouts = SCENE_COUNTER(scene, node, timeouts);
        if (timeouts == 0)
            continue;
        struct cause_clue clue = cause_clue();
        clue.place.node = node;
        clue.parts = HARM_LOST_PARTS;
        clue.rows = gave_up(scene, node) ? "timeout retry-count" : "timeout";
        clue.otherwise = HARM_LOAD;
        clue.general = all > lost ? "timeout" : NULL; /* more timeouts than lost frames explain */
        struct suspect suspect;
        if (find_setting(scene, node, &clue, &suspect)) {
            clue.strength = PPM / 2;
            clue.proven = lost == 0 && gave_up(scene, node);
        } else if (lost > 0 && is_explained(search, scene, node))
            continue;
        else
            clue.strength = (PPM - pause_share(scene, node)) / (lost > 0 ? 4 : 2);
        char formula[96];
        describe_timer(scene, node, formula, sizeof formula);
        snprintf(clue.seen, sizeof clue.seen, "%s had %s retransmission %s%s%s",
                 scene->scenario->nodes[node].name, words_count((int64_t)timeouts).text,
                 plural(timeouts, "timeout", "timeouts"),
                 lost > 0 ? "" : " although no frame was lost", formula);
        cause_report(search, &clue);
    }
}

const struct cause_kind cause_timeout = {
    .name = "timeout",
    .about = "Retransmission timers run out before an answer can come.",
    .look = look,
};
