/* SPDX-License-Identifier: Apache-2.0
 * timeline - heap of pending steps.
 * Several faults may keep a link down; its carrier changes when the first of these reasons appears
 * or the last one disappears. All reasons of one moment are counted before carriers change, so a
 * fault that ends when another begins causes no glitch. */
#include "scenarios/fabric/timeline.h"

#include "base/memory.h"
#include "engine/heap.h"
#include "scenarios/data/fault.h"

#include <stdlib.h>
#include <string.h>

/* Steps within one moment, in this order. */
enum step { FAULT_EDGE, DETECTION, CONVERGENCE };

struct link_state {
    uint32_t reasons;   /* number of faults that keep the link down */
    bool down;          /* no carrier */
    time_ps changed_at; /* time of the latest carrier change */
};

struct outage {
    uint32_t *links; /* each link once */
    uint32_t count;
};

struct timeline {
    const struct scenario *scenario;
    struct heap due;
    struct link_state *links;
    struct outage *outages;  /* by fault: links at its places */
    uint32_t *power_reasons; /* by node: number of faults that keep it powered off */
    uint8_t *is_lost;        /* by node: it lost power at this moment */
    bool power_lost;         /* some node lost power */
    uint8_t *detected, *converged, *misrouted;
    uint32_t *touched; /* links whose reasons changed at this moment */
    uint8_t *is_touched;
    uint32_t touched_count;
    uint64_t serial; /* number of the next step; steps due at the same time keep their order */
    bool routes_changed;
};

static void add_step(struct timeline *timeline, time_ps at, enum step step, uint32_t index, bool on)
{
    const struct event event = {
        .at = at,
        .order = (uint64_t)step << 62 | timeline->serial++,
        .node = index,
        .kind = on,
    };
    heap_push(&timeline->due, &event);
}

static enum step step_of(const struct event *event)
{
    return (enum step)(event->order >> 62);
}

/* ------------------------------------------------------------------ links at the places of a
 * fault */

static void add_link(struct outage *outage, const struct scenario *scenario, uint8_t *seen,
                     const struct scenario_spot *spot)
{
    const uint32_t link = scenario->nodes[spot->node].ports[spot->port].link;
    if (link == SCENARIO_NO_LINK || seen[link])
        return;
    seen[link] = 1;
    outage->links[outage->count++] = link;
}

static void find_links(const struct scenario *scenario, const struct scenario_fault *fault,
                       uint8_t *seen, struct outage *outage)
{
    size_t ports = 0;
    for (uint32_t i = 0; i < fault->spot_count; i++)
        ports += fault->spots[i].port == SCENARIO_ALL_PORTS
                     ? scenario->nodes[fault->spots[i].node].outer_ports
                     : 1u;
    outage->links = memory_zeroed(ports, sizeof *outage->links);
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        struct scenario_spot spot = fault->spots[i];
        if (spot.port != SCENARIO_ALL_PORTS) {
            add_link(outage, scenario, seen, &spot);
            continue;
        }
        for (spot.port = 0; spot.port < scenario->nodes[spot.node].outer_ports; spot.port++)
            add_link(outage, scenario, seen, &spot);
    }
    for (uint32_t i = 0; i < outage->count; i++)
        seen[outage->links[i]] = 0;
}

struct timeline *timeline_new(const struct scenario *scenario)
{
    struct timeline *timeline = memory_zeroed(1, sizeof *timeline);
    timeline->scenario = scenario;
    timeline->links = memory_zeroed(scenario->link_count, sizeof *timeline->links);
    timeline->outages = memory_zeroed(scenario->fault_count, sizeof *timeline->outages);
    timeline->power_reasons = memory_zeroed(scenario->node_count, sizeof *timeline->power_reasons);
    timeline->is_lost = memory_zeroed(scenario->node_count, 1);
    timeline->detected = memory_zeroed(scenario->link_count, 1);
    timeline->converged = memory_zeroed(scenario->link_count, 1);
    timeline->misrouted = memory_zeroed(scenario->fault_count, 1);
    timeline->touched = memory_zeroed(scenario->link_count, sizeof *timeline->touched);
    timeline->is_touched = memory_zeroed(scenario->link_count, 1);
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        find_links(scenario, fault, timeline->is_touched, &timeline->outages[i]);
        add_step(timeline, fault->at, FAULT_EDGE, i, true);
        if (fault->end != TIME_NEVER && !fault->ops->has_cycle)
            add_step(timeline, fault->end, FAULT_EDGE, i, false);
    }
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    for (uint32_t i = 0; timeline != NULL && i < timeline->scenario->fault_count; i++)
        free(timeline->outages[i].links);
    if (timeline != NULL) {
        heap_fini(&timeline->due);
        free(timeline->links);
        free(timeline->outages);
        free(timeline->power_reasons);
        free(timeline->is_lost);
        free(timeline->detected);
        free(timeline->converged);
        free(timeline->misrouted);
        free(timeline->touched);
        free(timeline->is_touched);
    }
    free(timeline);
}

time_ps timeline_due(const struct timeline *timeline)
{
    return timeline->due.count > 0 ? heap_top(&timeline->due)->at : TIME_NEVER;
}

struct routing_view timeline_view(const struct timeline *timeline)
{
    return (struct routing_view){timeline->converged, timeline->detected, timeline->misrouted};
}

/* ------------------------------------------------------------------ faults */

void timeline_carrier(struct timeline *timeline, uint32_t fault, bool down)
{
    const struct outage *outage = &timeline->outages[fault];
    for (uint32_t i = 0; i < outage->count; i++) {
        const uint32_t link = outage->links[i];
        CHECK(down || timeline->links[link].reasons > 0);
        timeline->links[link].reasons += down ? 1 : UINT32_MAX;
        if (!timeline->is_touched[link])
            timeline->touched[timeline->touched_count++] = link;
        timeline->is_touched[link] = 1;
    }
}

static void node_power(struct timeline *timeline, uint32_t node, bool off)
{
    CHECK(off || timeline->power_reasons[node] > 0);
    timeline->power_reasons[node] += off ? 1 : UINT32_MAX;
    if (!off || timeline->power_reasons[node] > 1)
        return;
    timeline->is_lost[node] = 1;
    timeline->power_lost = true;
}

void timeline_power(struct timeline *timeline, uint32_t fault, bool off)
{
    const struct scenario_fault *at = &timeline->scenario->faults[fault];
    for (uint32_t i = 0; i < at->spot_count; i++)
        node_power(timeline, at->spots[i].node, off);
    timeline_carrier(timeline, fault, off);
}

void timeline_misroute(struct timeline *timeline, uint32_t fault, bool on)
{
    timeline->misrouted[fault] = on;
    timeline->routes_changed = true;
}

void timeline_again(struct timeline *timeline, uint32_t fault, time_ps at, bool begins)
{
    add_step(timeline, at, FAULT_EDGE, fault, begins);
}

static void fault_edge(struct timeline *timeline, const struct event *event,
                       const struct timeline_calls *calls)
{
    const struct scenario_fault *fault = &timeline->scenario->faults[event->node];
    const struct fault_edge edge = {fault, event->node, event->at, event->kind != 0};
    if (fault->ops->edge == NULL || fault->ops->edge(timeline, &edge))
        calls->fault(calls->self, edge.index, edge.begins);
}

/* ------------------------------------------------------------------ carrier, detection and
 * convergence */

static void settle_links(struct timeline *timeline, time_ps now, const struct timeline_calls *calls)
{
    for (uint32_t i = 0; i < timeline->touched_count; i++) {
        const uint32_t index = timeline->touched[i];
        struct link_state *link = &timeline->links[index];
        timeline->is_touched[index] = 0;
        if (link->down == (link->reasons > 0))
            continue;
        link->down = link->reasons > 0;
        link->changed_at = now;
        calls->link(calls->self, index, !link->down);
        add_step(timeline, now + timeline->scenario->routing.detection, DETECTION, index,
                 link->down);
    }
    timeline->touched_count = 0;
}

static void detect(struct timeline *timeline, const struct event *event,
                   const struct timeline_calls *calls)
{
    const struct scenario *scenario = timeline->scenario;
    const uint32_t index = event->node;
    if (timeline->links[index].changed_at != event->at - scenario->routing.detection ||
        timeline->links[index].down != (event->kind != 0) ||
        timeline->detected[index] == event->kind)
        return; /* the carrier changed again before it was detected */
    timeline->detected[index] = event->kind;
    timeline->routes_changed |= scenario->routing.local_repair != 0;
    if (calls->known != NULL)
        calls->known(calls->self, index, event->kind == 0);
    if (routing_is_announced(scenario, index))
        add_step(timeline, event->at + scenario->routing.convergence, CONVERGENCE, index,
                 event->kind != 0);
}

static void converge(struct timeline *timeline, const struct event *event)
{
    timeline->routes_changed |= timeline->converged[event->node] != event->kind;
    timeline->converged[event->node] = event->kind;
}

static void lose_power(struct timeline *timeline, const struct timeline_calls *calls)
{
    for (uint32_t i = 0; timeline->power_lost && i < timeline->scenario->node_count; i++) {
        if (timeline->is_lost[i])
            calls->lost(calls->self, i);
        timeline->is_lost[i] = 0;
    }
    timeline->power_lost = false;
}

static bool is_due(const struct timeline *timeline, time_ps now, enum step last)
{
    return timeline_due(timeline) == now && step_of(heap_top(&timeline->due)) <= last;
}

void timeline_step(struct timeline *timeline, const struct timeline_calls *calls)
{
    const time_ps now = timeline_due(timeline);
    CHECK(now != TIME_NEVER);
    timeline->routes_changed = false;
    while (is_due(timeline, now, FAULT_EDGE)) {
        const struct event event = heap_pop(&timeline->due);
        fault_edge(timeline, &event, calls);
    }
    settle_links(timeline, now, calls);
    lose_power(timeline, calls);
    while (is_due(timeline, now, CONVERGENCE)) {
        const struct event event = heap_pop(&timeline->due);
        if (step_of(&event) == DETECTION)
            detect(timeline, &event, calls);
        else
            converge(timeline, &event);
    }
    const struct routing_view view = timeline_view(timeline);
    if (timeline->routes_changed)
        calls->routes(calls->self, &view);
}
