/* SPDX-License-Identifier: Apache-2.0
 * breakdown_flow - sending queue pairs, and how each spends its time. */
#include "base/hash.h"
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

/* ------------------------------------------------------------------ lookup */

static uint32_t home_of(const struct breakdown *breakdown, uint32_t peer, uint32_t peer_qpn)
{
    return (uint32_t)hash_mix((uint64_t)peer << 32 | peer_qpn) & (breakdown->flow_room - 1);
}

static uint32_t place_of(const struct breakdown *breakdown, uint32_t peer, uint32_t peer_qpn)
{
    uint32_t at = home_of(breakdown, peer, peer_qpn);
    while (breakdown->flows[at] != NULL &&
           (breakdown->flows[at]->peer != peer || breakdown->flows[at]->peer_qpn != peer_qpn))
        at = (at + 1) & (breakdown->flow_room - 1);
    return at;
}

static void grow_flows(struct breakdown *breakdown)
{
    struct breakdown_flow **old = breakdown->flows;
    const uint32_t room = breakdown->flow_room;
    breakdown->flow_room = room == 0 ? ROOM_FIRST : room * 2;
    breakdown->flows = memory_zeroed(breakdown->flow_room, sizeof(struct breakdown_flow *));
    for (uint32_t i = 0; i < room; i++)
        if (old[i] != NULL)
            breakdown->flows[place_of(breakdown, old[i]->peer, old[i]->peer_qpn)] = old[i];
    free(old);
}

struct breakdown_flow *breakdown_flow_to(struct breakdown *breakdown, uint32_t peer,
                                         uint32_t peer_qpn)
{
    struct breakdown_flow **recent =
        &breakdown->recent[(peer * BREAKDOWN_RECENT_STEP + peer_qpn) % BREAKDOWN_RECENT];
    if (*recent != NULL && (*recent)->peer == peer && (*recent)->peer_qpn == peer_qpn)
        return *recent;
    if (breakdown->flow_count * 2 >= breakdown->flow_room)
        grow_flows(breakdown);
    const uint32_t at = place_of(breakdown, peer, peer_qpn);
    if (breakdown->flows[at] == NULL) {
        struct breakdown_flow *flow = memory_new(sizeof *flow);
        flow->peer = peer;
        flow->peer_qpn = peer_qpn;
        flow->port = BREAKDOWN_NONE;
        flow->state = PROBE_HOLD_NOTHING;
        breakdown->flows[at] = flow;
        breakdown->flow_count++;
    }
    return *recent = breakdown->flows[at];
}

void breakdown_flows_fini(struct breakdown *breakdown)
{
    for (uint32_t i = 0; i < breakdown->flow_room; i++) {
        if (breakdown->flows[i] == NULL)
            continue;
        free(breakdown->flows[i]->posted.items);
        free(breakdown->flows[i]->done.items);
        free(breakdown->flows[i]->answers.items);
        free(breakdown->flows[i]->reported);
        free(breakdown->flows[i]->crossing.list);
        free(breakdown->flows[i]->arrived.list);
        for (uint32_t k = 0; k < breakdown->flows[i]->passed_count; k++)
            free(breakdown->flows[i]->passed[k].list);
        free(breakdown->flows[i]->passed);
        free(breakdown->flows[i]);
    }
    free(breakdown->flows);
    free(breakdown->messages);
}

/* ------------------------------------------------------------------ the clock */

static enum breakdown_state state_of(const struct breakdown_flow *flow)
{
    switch ((enum probe_hold_state)flow->state) {
    case PROBE_HOLD_CONGESTION:
        return BREAKDOWN_BY_CONGESTION;
    case PROBE_HOLD_WINDOW:
        return BREAKDOWN_BY_WINDOW;
    case PROBE_HOLD_RNR:
        return BREAKDOWN_BY_RNR;
    case PROBE_HOLD_RNIC:
        return BREAKDOWN_BY_RNIC;
    case PROBE_HOLD_SOFTWARE:
        return BREAKDOWN_BY_SOFTWARE;
    case PROBE_HOLD_ENGINE:
        return BREAKDOWN_BY_ENGINE;
    case PROBE_HOLD_PCIE:
        return BREAKDOWN_BY_PCIE;
    case PROBE_HOLD_WIRE:
        return BREAKDOWN_AT_EGRESS;
    default:
        return BREAKDOWN_BY_NOTHING;
    }
}

void breakdown_flow_advance(struct breakdown *breakdown, struct breakdown_flow *flow, time_ps now)
{
    struct breakdown_clock *clock = &flow->clock;
    const time_ps wire_ends = flow->busy_until < now ? flow->busy_until : now;
    if (wire_ends > clock->at) {
        clock->ps[flow->resending ? BREAKDOWN_RESENDING : BREAKDOWN_SENDING] +=
            wire_ends - clock->at;
        clock->at = wire_ends;
    }
    const enum breakdown_state state = state_of(flow);
    time_ps paused = 0;
    if (state == BREAKDOWN_AT_EGRESS && flow->port != BREAKDOWN_NONE)
        paused = breakdown_paused_between(
            &breakdown->pauses[flow->port * EXPLAIN_PRIORITIES + flow->priority], clock->at, now);
    clock->ps[BREAKDOWN_AT_PAUSED] += paused;
    clock->ps[state] += now - clock->at - paused;
    clock->at = now;
}

void breakdown_hold(struct breakdown *breakdown, const struct probe_hold *hold)
{
    struct breakdown_flow *flow =
        breakdown_flow_to(breakdown, hold->flow.peer, hold->flow.peer_qpn);
    if (flow->state == hold->state)
        return;
    breakdown_flow_advance(breakdown, flow, hold->at);
    flow->state = hold->state;
}
