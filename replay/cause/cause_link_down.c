/* SPDX-License-Identifier: Apache-2.0
 * cause_link_down - a failed link, a failed switch, a flapping link. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include "scenarios/data/fault.h"

#include <stdio.h>
#include <string.h>

static void look_at_drops(struct cause_search *search, const struct harm_scene *scene)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.faults = "link-down link-flap switch-down target-crash";
    clue.anywhere = true;
    clue.otherwise = HARM_LINK;
    clue.everywhere = true;
    clue.proven = true;
    cause_report_drops(search, scene, 1u << PROBE_DROP_LINK_DOWN, -1, &clue, "the link was down");
}

/* Members at such a host had no other path, so they lost the whole outage. */
static void cut_off(struct cause_search *search, const struct harm_scene *scene, uint32_t index,
                    uint32_t host)
{
    const struct scenario_fault *fault = &scene->scenario->faults[index];
    const time_ps until = time_earlier(fault->end, scene->window_end);
    const struct suspect suspect = suspects_named_fault(scene, index);
    struct cause_clue clue = cause_clue();
    if (fault->at >= until || !scene_is_used(scene, host))
        return;
    clue.place.node = host;
    clue.parts = HARM_LOST_PARTS;
    clue.proven = true;
    clue.least = (int64_t)((__int128)(until - fault->at) * PPM / scene->window_end);
    if (strcmp(fault->ops->name, "link-flap") == 0)
        clue.least /= 4;
    snprintf(clue.seen, sizeof clue.seen, "%s was cut off from the fabric",
             scene->scenario->nodes[host].name);
    cause_accuse(search, &clue, &suspect);
}

static void look_at_spot(struct cause_search *search, const struct harm_scene *scene,
                         uint32_t index, const struct scenario_spot *spot)
{
    const struct scenario_node *nodes = scene->scenario->nodes;
    const struct scenario_node *node = &nodes[spot->node];
    if (node->kind == SCENARIO_HOST) {
        if (node->port_count == 1)
            cut_off(search, scene, index, spot->node);
        return;
    }
    for (uint16_t i = 0; i < node->port_count; i++) {
        const uint32_t peer = node->ports[i].peer_node;
        if ((spot->port == SCENARIO_ALL_PORTS || spot->port == i) &&
            nodes[peer].kind == SCENARIO_HOST && nodes[peer].port_count == 1)
            cut_off(search, scene, index, peer);
    }
}

static void find_link_down(struct cause_search *search, const struct harm_scene *scene)
{
    look_at_drops(search, scene);
    for (uint32_t i = 0; i < scene->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scene->scenario->faults[i];
        if (!suspects_listed("link-down link-flap switch-down", fault->ops->name))
            continue;
        for (uint32_t k = 0; k < fault->spot_count; k++)
            look_at_spot(search, scene, i, &fault->spots[k]);
    }
}

const struct cause_kind cause_link_down = {
    .name = "link-down",
    .about = "A link or a switch is down.",
    .look = find_link_down,
};
