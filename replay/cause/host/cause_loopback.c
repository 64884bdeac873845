/* SPDX-License-Identifier: Apache-2.0
 * cause_loopback - loopback traffic of a host takes RNIC capacity that received traffic needs. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

enum { NOTABLE = PPM / 10 };

/* The workload with the most loopback bytes at the host; HARM_NONE if there is none. */
static uint32_t loudest(const struct harm_scene *scene, uint32_t host, uint64_t *bytes)
{
    const struct member_list list = scene_members_at(scene, host);
    uint32_t most = HARM_NONE;
    *bytes = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        if (member->from != host || member->to != host || member->bytes < *bytes)
            continue;
        *bytes = member->bytes;
        most = member->workload;
    }
    return most;
}

static bool is_of_card(enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_PCIE || resource == BOTTLENECK_RNIC;
}

static void look_at_loopback(struct cause_search *search, const struct harm_scene *scene,
                             const struct harm_member *member, uint32_t host)
{
    const struct harm_limit *limit = &scene->limits[member->workload];
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    uint64_t inner;
    if (scene->scenario->nodes[host].port_count == scene->scenario->nodes[host].outer_ports)
        return;
    const uint32_t workload = loudest(scene, host, &inner);
    if (workload == HARM_NONE || inner == 0 ||
        !suspects_of_workload(scene, "loopback", workload, &suspect))
        return;
    const int64_t part = (int64_t)((__int128)inner * PPM / (inner + member->bytes));
    if (part < NOTABLE)
        return;
    clue.place.node = host;
    clue.workload = member->workload;
    clue.parts = HARM_BIT(BEHIND) | HARM_BIT(PAUSE) | HARM_BIT(HELD);
    clue.least = limit->used / 2;
    clue.standing = true;
    snprintf(clue.seen, sizeof clue.seen,
             "loopback traffic of " SCENARIO_WORKLOAD_WORDS
             " is %s of the bytes %s of %s, which " SCENARIO_WORKLOAD_WORDS " also uses (%.*s)",
             scene->scenario->workloads[workload].name, words_percent((double)part, PPM).text,
             limit->resource == BOTTLENECK_PCIE ? "on the PCIe link" : "in the RNIC",
             scene->scenario->nodes[host].name, scene->scenario->workloads[member->workload].name,
             (int)words_fit(limit->text, 80), limit->text);
    cause_accuse(search, &clue, &suspect);
}

static void find_loopback(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; scene->limits != NULL && i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->from == member->to || !is_of_card(scene->limits[member->workload].resource))
            continue;
        look_at_loopback(search, scene, member, member->from);
        look_at_loopback(search, scene, member, member->to);
    }
}

const struct cause_kind cause_loopback = {
    .name = "loopback",
    .about = "Traffic of a host to itself competes with external traffic at its RNIC.",
    .look = find_loopback,
};
