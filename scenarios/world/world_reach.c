/* SPDX-License-Identifier: Apache-2.0
 * world_reach - searches the routes in force. */
#include "scenarios/world/world_reach.h"

#include "base/memory.h"
#include "scenarios/world/world.h"

#include <stdlib.h>

enum met { NOT_MET, ON_THE_WAY, FOLLOWED };

struct search {
    const struct world *world;
    uint32_t endpoint, target; /* destination, and its node */
    uint8_t *met;              /* by node: enum met of a switch */
    uint32_t depth;            /* number of switches on the way */
};

enum { HOPS_MOST = UINT8_MAX }; /* limited by the range of a hop limit */

static uint32_t node_of_endpoint(const struct world *world, uint32_t endpoint)
{
    return world->rnics[endpoint]->port.node->id;
}

static bool takes_data(uint8_t frames)
{
    return frames == PORT_FAULT_ALL || frames == PORT_FAULT_DATA;
}

static bool loses_all(const struct port *port)
{
    const struct port_fault *fault = port->fault;
    if (fault == NULL)
        return false;
    const bool each = fault->drop_every == 1 && takes_data(fault->frames);
    return each ||
           (fault->loss_per_10_15 >= UINT64_C(1000000000000000) && takes_data(fault->loss_frames));
}

static bool follow_routes(struct search *search, uint32_t node);

/* True if a frame that leaves by the port arrives, or loops until its hop limit is used up. */
static bool follow_port(struct search *search, uint32_t node, uint16_t port)
{
    const struct scenario *scenario = search->world->scenario;
    const uint32_t index = scenario->nodes[node].ports[port].link;
    if (index == SCENARIO_NO_LINK || search->world->link_down[index] ||
        loses_all(world_port(search->world, node, port)))
        return false;
    const struct scenario_link *link = &scenario->links[index];
    const int near = link->node[0] == node && link->port[0] == port ? 0 : 1;
    const uint32_t peer = link->node[1 - near];
    if (peer == search->target || search->met[peer] == ON_THE_WAY)
        return true;
    return scenario->nodes[peer].kind == SCENARIO_SWITCH && search->met[peer] == NOT_MET &&
           follow_routes(search, peer);
}

static bool follow_routes(struct search *search, uint32_t node)
{
    const struct swtch *swtch = world_switch(search->world, node);
    const uint16_t *ports;
    const uint32_t count = route_all(&swtch->routes, search->endpoint, &ports);
    if (search->depth >= HOPS_MOST)
        return true; /* the frame loops and is dropped by its hop limit */
    search->depth++;
    search->met[node] = ON_THE_WAY;
    for (uint32_t i = 0; i < count; i++)
        if (follow_port(search, node, ports[i]))
            return true;
    search->met[node] = FOLLOWED;
    search->depth--;
    return false;
}

/* The NICs of a link aggregate send for each other. */
static bool begin_at(struct search *search, uint32_t from, uint32_t node)
{
    const struct scenario_node *host = &search->world->scenario->nodes[node];
    if (!host->is_aggregate)
        return follow_port(search, node, (uint16_t)(from - host->endpoint));
    bool arrives = false;
    for (uint16_t i = 0; i < host->port_count; i++)
        arrives |= follow_port(search, node, i);
    return arrives;
}

static bool leads(const struct world *world, uint32_t from, uint32_t to)
{
    const uint32_t node = node_of_endpoint(world, from);
    struct search search = {.world = world, .endpoint = to, .target = node_of_endpoint(world, to)};
    if (node == search.target)
        return true; /* a loopback does not use the fabric */
    search.met = memory_zeroed(world->scenario->node_count, 1);
    const bool arrives = begin_at(&search, from, node);
    free(search.met);
    return arrives;
}

bool world_reaches(const void *world, uint32_t from, uint32_t to)
{
    return leads(world, from, to) && leads(world, to, from);
}
