/* SPDX-License-Identifier: Apache-2.0
 * queued - the longest queue, its time, its frames. */
#include "replay/step/queued.h"

#include "base/memory.h"
#include "replay/step/stepper.h"
#include "scenarios/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 1024 };

/* Tolerances in bytes below the maximum. The queue just after an event may be shorter than its
 * maximum, because a frame that arrives while another leaves makes it longer for no time. */
static const int64_t shorter[] = {0, 2048, 4608, 9728, 66560};

static const struct queued_place longest = {.node = UINT32_MAX};

struct queued_place queued_root(struct store *store)
{
    struct store_statement *row = store_prepare(
        store,
        "SELECT coalesce(CASE WHEN r.port IS NULL THEN p.peer_node ELSE r.node END, -1) AS node,"
        " coalesce(CASE WHEN r.port IS NULL THEN p.peer_port ELSE r.port END, -1) AS port,"
        " priority"
        " FROM pause_root r LEFT JOIN port p ON p.node=r.node AND p.port=0"
        " WHERE position=0");
    struct queued_place place = longest;
    if (store_step(row)) {
        const int64_t node = store_int(row, "node"), port = store_int(row, "port"),
                      priority = store_int(row, "priority");
        if (node >= 0 && node < UINT32_MAX && port >= 0 && port < UINT16_MAX && priority >= 0 &&
            priority < PRIORITIES)
            place = (struct queued_place){(uint32_t)node, (uint16_t)port, (uint8_t)priority};
    }
    store_finish(row);
    return place;
}

/* ------------------------------------------------------------------ time of the maximum */

/* Maximum length of a queue, and the slice in which it occurred. */
struct peak {
    int64_t bytes;
    time_ps after, until;
};

struct search {
    const struct scenario *scenario;
    struct queued_place place;
    struct peak peak;
};

static void look_at(struct search *search, const struct world *world, struct queued_place place,
                    time_ps before, time_ps now)
{
    const struct port *port = world_port(world, place.node, place.port);
    if (port->prios[place.priority].peak > search->peak.bytes) {
        search->peak = (struct peak){port->prios[place.priority].peak, before, now};
        search->place = place;
    }
}

/* Looks at the given queue, or at all queues for a new maximum. */
static void look(struct search *search, const struct world *world, bool anywhere, time_ps before,
                 time_ps now)
{
    const struct scenario *scenario = search->scenario;
    if (!anywhere) {
        look_at(search, world, search->place, before, now);
        return;
    }
    for (uint32_t node = scenario->host_count; node < scenario->node_count; node++)
        for (uint16_t port = 0; port < scenario->nodes[node].port_count; port++)
            for (uint8_t priority = 0; priority < PRIORITIES; priority++)
                look_at(search, world, (struct queued_place){node, port, priority}, before, now);
}

static bool find_peak(struct search *search, time_ps until, struct diag *diag)
{
    struct world *world = world_build(search->scenario, &probe_none, diag);
    const bool anywhere = search->place.node == longest.node;
    const time_ps slice = time_later(search->scenario->duration / SLICES, PS_PER_NS);
    time_ps now = 0;
    if (world == NULL)
        return false;
    for (bool more = true; more && now < until;) {
        const time_ps before = now;
        now = until - now < slice ? until : now + slice;
        more = world_run(world, now);
        look(search, world, anywhere, before, now);
    }
    world_free(world);
    return true;
}

/* ------------------------------------------------------------------ flows */

static bool fits_flow(const struct scenario *scenario, uint32_t index, uint32_t from, uint32_t to,
                      uint8_t dscp)
{
    const struct scenario_workload *workload = &scenario->workloads[index];
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        if ((pair->from == from && pair->to == to &&
             scenario_dscp(scenario, workload, pair) == dscp) ||
            (pair->from == to && pair->to == from &&
             scenario_dscp_back(scenario, workload, pair) == dscp))
            return true;
    }
    return false;
}

static void name_workloads(const struct scenario *scenario, uint32_t from, uint32_t to,
                           uint8_t dscp, struct queued_flow *flow)
{
    size_t used = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (used < sizeof flow->workload && fits_flow(scenario, i, from, to, dscp))
            used += (size_t)snprintf(flow->workload + used, sizeof flow->workload - used, "%s%s",
                                     used == 0 ? "" : " or ", scenario->workloads[i].name);
}

static bool is_flow(const struct queued_flow *flow, const struct frame *frame)
{
    return flow->source == frame->source && flow->destination == frame->destination &&
           flow->qpn == frame->qpn;
}

static struct queued_flow *flow_of(struct queued *queued, const struct scenario *scenario,
                                   const struct world *world, const struct frame *frame,
                                   uint32_t *room)
{
    for (uint32_t i = 0; i < queued->flow_count; i++)
        if (is_flow(&queued->flows[i], frame))
            return &queued->flows[i];
    queued->flows = memory_grown(queued->flows, queued->flow_count, room, sizeof *queued->flows);
    struct queued_flow *flow = &queued->flows[queued->flow_count++];
    const uint32_t from = world->rnics[frame->source]->port.node->id,
                   to = world->rnics[frame->destination]->port.node->id;
    *flow = (struct queued_flow){.from = scenario->nodes[from].name,
                                 .to = scenario->nodes[to].name,
                                 .source = frame->source,
                                 .destination = frame->destination,
                                 .qpn = frame->qpn};
    name_workloads(scenario, from, to, frame->tos >> 2, flow);
    return flow;
}

static int by_bytes(const void *a, const void *b)
{
    const struct queued_flow *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->qpn > y->qpn) - (x->qpn < y->qpn);
}

static void take_frames(struct queued *queued, const struct scenario *scenario,
                        const struct world *world)
{
    const struct frame_pool *pool = world_frames(world, queued->place.node);
    const struct port *port = world_port(world, queued->place.node, queued->place.port);
    uint32_t room = 0;
    for (uint32_t handle = port->prios[queued->place.priority].head; handle != POOL_NONE;) {
        const struct frame *frame = frame_at(pool, handle);
        struct queued_flow *flow = flow_of(queued, scenario, world, frame, &room);
        flow->bytes += frame->bytes;
        flow->frames++;
        queued->bytes += frame->bytes;
        queued->frames++;
        handle = frame->next;
    }
    if (queued->flow_count > 0)
        qsort(queued->flows, queued->flow_count, sizeof *queued->flows, by_bytes);
}

/* ------------------------------------------------------------------ entry point */

/* Moves to just after the event that makes the queue that long. */
static bool move_to(struct stepper *stepper, const struct search *search, int64_t bytes,
                    struct step_moved *moved)
{
    struct step_goal goal = {
        .events = UINT64_MAX, .until = search->peak.after, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, moved);
    goal.until = search->peak.until;
    goal.hits = 1;
    goal.condition_count = 1;
    goal.conditions[0] = step_condition_of(STEP_QUEUE);
    goal.conditions[0].subject.node = search->place.node;
    goal.conditions[0].subject.port = search->place.port;
    goal.conditions[0].subject.priority = search->place.priority;
    goal.conditions[0].above = bytes - 1;
    stepper_move(stepper, &goal, moved);
    return moved->end == STEP_AT_HIT;
}

static bool find_moment(struct queued *queued, const struct search *search, struct diag *diag)
{
    const int64_t most = search->peak.bytes;
    bool found = false;
    for (size_t i = 0; i < sizeof shorter / sizeof shorter[0] && !found; i++) {
        struct stepper *stepper = stepper_new(search->scenario, NULL, diag);
        struct step_moved moved;
        if (stepper == NULL)
            return false;
        found = move_to(stepper, search, most > shorter[i] ? most - shorter[i] : 1, &moved);
        if (found) {
            queued->at = moved.position.now;
            take_frames(queued, search->scenario, stepper_world(stepper));
            world_port_name(stepper_world(stepper), search->place.node, search->place.port,
                            queued->port, sizeof queued->port);
        }
        stepper_free(stepper);
    }
    return true;
}

static bool is_place(const struct scenario *scenario, struct queued_place place)
{
    return place.node >= scenario->host_count && place.node < scenario->node_count &&
           place.port < scenario->nodes[place.node].port_count && place.priority < PRIORITIES;
}

bool queued_find(struct queued *queued, const struct scenario *scenario, time_ps until,
                 struct queued_place place, struct diag *diag)
{
    struct search search = {.scenario = scenario, .place = place};
    *queued = (struct queued){.place = place};
    if (!is_place(scenario, place))
        search.place = longest;
    bool well = find_peak(&search, until, diag);
    queued->place = search.place;
    if (well && search.peak.bytes > 0)
        well = find_moment(queued, &search, diag);
    if (!well)
        snprintf(queued->why, sizeof queued->why, "the scenario cannot be run");
    return well;
}

void queued_free(struct queued *queued)
{
    free(queued->flows);
    *queued = (struct queued){0};
}
