/* SPDX-License-Identifier: Apache-2.0
 * cause_aggregate - a host's flows that share one member link of its LAG. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"

#include <stdio.h>

/* The same limit as in cause_ecmp. */
enum { FULL = PPM * 85 / 100 };

/* The ports of the LAG with the highest and lowest utilization. Returns false if a port lost
 * carrier: an idle member is then not the hash's fault. */
static bool extremes(const struct harm_scene *scene, uint32_t host, uint32_t *most, uint32_t *least)
{
    const struct scenario_node *node = &scene->scenario->nodes[host];
    *most = *least = HARM_NONE;
    for (uint16_t i = 0; i < node->port_count; i++) {
        const uint32_t port = scene->fabric->first_port[host] + i;
        if (node->ports[i].link == SCENARIO_NO_LINK)
            continue;
        if (scene_port(scene, port)->carrier > 0)
            return false;
        if (*most == HARM_NONE || scene->uses[port].busy > scene->uses[*most].busy)
            *most = port;
        if (*least == HARM_NONE || scene->uses[port].busy < scene->uses[*least].busy)
            *least = port;
    }
    return true;
}

/* Number of the host's connected queue pairs. */
static uint32_t flows(const struct harm_scene *scene, uint32_t host)
{
    uint32_t count = 0;
    for (uint16_t i = 0; i < scene->scenario->nodes[host].port_count; i++) {
        const struct rnic *rnic = world_host(scene->world, host)->rnics[i];
        for (uint32_t slot = 0; slot < rnic->qps.used; slot++)
            count += rnic->qp_slots[slot].qpn != 0 && rnic->qp_slots[slot].flow.qpn != 0;
    }
    return count;
}

/* A single flow uses one member link whatever the hash is. */
static void look_at_aggregate(struct cause_search *search, const struct harm_scene *scene,
                              uint32_t host)
{
    uint32_t most, least;
    char full[HARM_NAME_BYTES], idle[HARM_NAME_BYTES];
    if (!extremes(scene, host, &most, &least))
        return;
    const int64_t busy = scene->uses[most].busy, left = scene->uses[least].busy;
    if (busy < FULL || left > busy / 2)
        return;
    struct cause_clue clue = cause_clue();
    clue.place.port = most;
    clue.parts = HARM_BIT(BEHIND) | HARM_BIT(PAUSE);
    clue.least = (busy - left) / 2;
    const bool alone = flows(scene, host) < 2;
    if (!alone)
        clue.rows = clue.general = "lag";
    snprintf(clue.seen, sizeof clue.seen,
             "%s is %s busy, but %s of the same link aggregation group only %s, because %s",
             cause_port_name(scene, most, full, sizeof full), words_percent((double)busy, PPM).text,
             cause_port_name(scene, least, idle, sizeof idle),
             words_percent((double)left, PPM).text,
             alone ? "a queue pair uses one member" : "its flows share one member");
    cause_report(search, &clue);
}

static void find_aggregate(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t host = 0; scene->world != NULL && host < scene->scenario->host_count; host++)
        if (scene->scenario->nodes[host].is_aggregate)
            look_at_aggregate(search, scene, host);
}

const struct cause_kind cause_aggregate = {
    .name = "aggregate",
    .about = "A host's flows share one member of its link aggregate.",
    .look = find_aggregate,
};
