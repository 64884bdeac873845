/* SPDX-License-Identifier: Apache-2.0
 * cause_throttle - congestion control that slows senders more than the links require, or more than
 * other senders that take the freed capacity. */
#include "replay/cause/causes.h"

#include "base/plural.h"
#include "replay/database/words.h"

#include <stdio.h>

static const char rows[] = "ecn-kmin ecn-kmax ecn-pmax ecn-mark";

enum { NOTABLE = PPM / 10, UNFAIR = PPM / 20, BUSY = PPM * 85 / 100, FULL = PPM * 95 / 100 };

/* No link on its paths is saturated, so the member could send more. */
static bool has_room(const struct harm_scene *scene, const struct harm_member *member)
{
    for (int way = 0; way < 2; way++) {
        const struct harm_path *path = scene_path(scene, member, way);
        for (uint32_t i = 0; i < path->count; i++)
            if (scene->uses[path->ports[i]].busy >= FULL)
                return false;
    }
    return true;
}

/* The marking threshold is below two frames of the largest MTU, so two frames that meet are already
 * marked. */
static bool marks_without_queue(const struct harm_scene *scene, uint32_t node)
{
    const struct scenario_node *about = &scene->scenario->nodes[node];
    int64_t largest = 0;
    for (uint16_t i = 0; i < about->port_count; i++)
        if (about->ports[i].params->mtu > largest)
            largest = about->ports[i].params->mtu;
    return about->switch_params->ecn_kmin < 2 * largest;
}

static void look_at_throttle(struct cause_search *search, const struct harm_scene *scene,
                             uint32_t node)
{
    const struct swtch *swtch = world_switch(scene->world, node);
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    clue.place.node = node;
    if (swtch->counters.ecn_marked == 0)
        return;
    if (suspects_deviation(scene, rows, clue.place, &suspect))
        clue.strength = PPM;
    else if (marks_without_queue(scene, node) && suspects_general(scene, rows, &suspect))
        clue.strength = PPM / 4; /* a deviating setting is the better suspect */
    else
        return;
    clue.parts = HARM_BIT(HELD) | HARM_BIT(BEHIND);
    snprintf(clue.seen, sizeof clue.seen, "%s marked %s %s, and senders slowed down",
             scene->scenario->nodes[node].name,
             words_count((int64_t)swtch->counters.ecn_marked).text,
             plural(swtch->counters.ecn_marked, "frame", "frames"));
    cause_accuse(search, &clue, &suspect);
}

/* ------------------------------------------------------------------ senders not held back */

static bool is_odd(const struct deviation *deviation, uint32_t node)
{
    return deviation_is_at(deviation, node, SCENARIO_ALL_PORTS);
}

/* Mean share of the time in which the other hosts at the port were held back; 0 if the deviating
 * hosts do not use it. */
static int64_t mean_throttling(const struct harm_scene *scene, const struct deviation *deviation,
                               uint32_t port)
{
    int64_t held = 0, odd = 0, others = 0;
    const struct member_list list = member_index_list(&scene->at_port, port);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const bool unheld = is_odd(deviation, member->from) || is_odd(deviation, member->to);
        odd += unheld;
        others += !unheld;
        if (!unheld)
            held += scene->uses[scene->fabric->first_port[member->from]].held;
    }
    return odd == 0 || others == 0 ? 0 : held / others;
}

static void look_beside(struct cause_search *search, const struct harm_scene *scene,
                        const struct deviation *deviation, uint32_t port)
{
    const struct suspect suspect = suspects_named_deviation(scene, deviation);
    struct cause_clue clue = cause_clue();
    char name[HARM_NAME_BYTES];
    clue.place.port = port;
    clue.least = mean_throttling(scene, deviation, port);
    if (clue.least < UNFAIR)
        return;
    snprintf(clue.seen, sizeof clue.seen,
             "%s is full; other traffic there is throttled %s of the time",
             cause_port_name(scene, port, name, sizeof name),
             words_percent((double)clue.least, PPM).text);
    cause_accuse(search, &clue, &suspect);
}

static void look_at_unheld(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (size_t i = 0; i < scene->deviations.count; i++) {
        const struct deviation *deviation = &scene->deviations.list[i];
        for (uint32_t port = 0; deviation->changes[0].of == DEVIATION_CONTROL && port < ports;
             port++)
            if (scene->uses[port].busy >= BUSY)
                look_beside(search, scene, deviation, port);
    }
}

static void find_throttle(struct cause_search *search, const struct harm_scene *scene)
{
    bool held = false;
    for (uint32_t i = 0; i < scene->member_count; i++)
        held |= scene->members[i].part[HARM_PART_HELD] >= NOTABLE &&
                has_room(scene, &scene->members[i]);
    for (uint32_t node = scene->scenario->host_count; held && node < scene->scenario->node_count;
         node++)
        look_at_throttle(search, scene, node);
    look_at_unheld(search, scene);
}

const struct cause_kind cause_throttle = {
    .name = "throttle",
    .about = "Congestion control throttles senders although no link is full, or because of senders "
             "that it does not throttle.",
    .look = find_throttle,
};
