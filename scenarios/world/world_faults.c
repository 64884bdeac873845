/* SPDX-License-Identifier: Apache-2.0
 * world_faults - applies the events of the timeline to the world.
 * All changes happen between two events, so they do not depend on the order in which nodes run. */
#include "scenarios/world/world_faults.h"

#include "base/memory.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/fabric/timeline.h"

#include <stdio.h>
#include <stdlib.h>

struct world_faults {
    struct timeline *timeline;
    struct fault_order order;
    struct port **faulty; /* ports with a port_fault, to be freed */
    uint32_t faulty_count, faulty_room;
};

/* ------------------------------------------------------------------ access for faults */

struct port_fault *world_faults_port(struct world *world, const struct scenario_spot *spot)
{
    struct port *port = world_port(world, spot->node, spot->port);
    if (port->fault != NULL)
        return port->fault;
    struct world_faults *faults = world->faults;
    faults->faulty = memory_grown(faults->faulty, faults->faulty_count, &faults->faulty_room,
                                  sizeof(struct port *));
    faults->faulty[faults->faulty_count++] = port;
    port_set_fault(port, memory_zeroed(1, sizeof(struct port_fault)));
    char owner[NODE_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "%s:p%u", port->node->name, port->index);
    port->fault->errors = rng_stream(world->scenario->seed, owner, "bit-errors");
    port->fault->losses = rng_stream(world->scenario->seed, owner, "random-loss");
    return port->fault;
}

struct nvme_target *world_faults_target(const struct world *world, uint32_t node)
{
    struct nvme_target *target = world->targets[world->scenario->nodes[node].index];
    CHECK(target != NULL);
    return target;
}

static void on_fault(void *self, uint32_t index, bool begins)
{
    struct world *world = self;
    const struct scenario_fault *fault = &world->scenario->faults[index];
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        bool on;
        const struct scenario_fault *now =
            fault_in_force(world->scenario, &world->faults->order, index, spot, begins, &on);
        if (now->ops->at_target != NULL)
            now->ops->at_target(world_faults_target(world, spot->node),
                                world->scenario->nodes[spot->node].host, now->params, on);
        else if (now->ops->apply != NULL)
            now->ops->apply(world, now, spot, on);
    }
}

/* ------------------------------------------------------------------ links, switches, routes */

static void on_link(void *self, uint32_t index, bool up)
{
    struct world *world = self;
    const struct scenario_link *link = &world->scenario->links[index];
    world->link_down[index] = !up;
    for (int end = 0; end < 2; end++)
        port_set_up(world_port(world, link->node[end], link->port[end]), up, world->engine.now);
}

/* Applies the power loss of the faults that begin now. */
static void lose_host(struct world *world, uint32_t node)
{
    const struct scenario_spot spot = {node, SCENARIO_ALL_PORTS};
    for (uint32_t i = 0; i < world->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &world->scenario->faults[i];
        if (fault->ops->power_lost != NULL && fault->at == world->engine.now &&
            fault_has_spot(fault, &spot))
            fault->ops->power_lost(world_faults_target(world, node), fault->params);
    }
}

static void on_lost(void *self, uint32_t node)
{
    struct world *world = self;
    if (world->scenario->nodes[node].kind == SCENARIO_SWITCH)
        switch_lose(world_switch(world, node), world->engine.now);
    else
        lose_host(world, node);
}

/* Frames that are already queued stay in their queues. */
static void on_routes(void *self, const struct routing_view *view)
{
    struct world *world = self;
    struct route_table *tables = routing_compute_view(world->scenario, view);
    for (uint32_t i = 0; i < world->scenario->node_count; i++) {
        if (world->scenario->nodes[i].kind != SCENARIO_SWITCH)
            continue;
        struct swtch *swtch = world_switch(world, i);
        route_table_fini(&swtch->routes);
        swtch->routes = tables[i];
    }
    free(tables);
}

/* A host whose NICs are one link aggregate moves the traffic of that link. */
static void on_known(void *self, uint32_t index, bool up)
{
    struct world *world = self;
    const struct scenario_link *link = &world->scenario->links[index];
    for (int end = 0; end < 2; end++)
        if (world->scenario->nodes[link->node[end]].is_aggregate)
            lag_set_down(world_host(world, link->node[end])->lag, link->port[end], !up,
                         world->engine.now);
}

/* ------------------------------------------------------------------ time */

void world_faults_init(struct world *world)
{
    world->faults = memory_zeroed(1, sizeof *world->faults);
    world->faults->timeline = timeline_new(world->scenario);
    world->faults->order = fault_order_new(world->scenario);
}

void world_faults_fini(struct world *world)
{
    struct world_faults *faults = world->faults;
    if (faults == NULL)
        return;
    for (uint32_t i = 0; i < faults->faulty_count; i++) {
        free(faults->faulty[i]->fault);
        port_set_fault(faults->faulty[i], NULL);
    }
    timeline_free(faults->timeline);
    fault_order_free(&faults->order);
    free(faults->faulty);
    free(faults);
    world->faults = NULL;
}

time_ps world_faults_due(const struct world *world)
{
    return timeline_due(world->faults->timeline);
}

void world_faults_apply(struct world *world)
{
    const struct timeline_calls calls = {world, on_fault, on_link, on_lost, on_routes, on_known};
    timeline_step(world->faults->timeline, &calls);
}
