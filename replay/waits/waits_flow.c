/* SPDX-License-Identifier: Apache-2.0
 * waits_flow - queue pairs that send, and what each does with its time. */
#include "base/hash.h"
#include "base/memory.h"
#include "replay/waits/waits_private.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

/* ------------------------------------------------------------------ finding */

static uint32_t home_of(const struct waits *waits, uint32_t peer, uint32_t peer_qpn)
{
    return (uint32_t)hash_mix((uint64_t)peer << 32 | peer_qpn) & (waits->flow_room - 1);
}

static uint32_t place_of(const struct waits *waits, uint32_t peer, uint32_t peer_qpn)
{
    uint32_t at = home_of(waits, peer, peer_qpn);
    while (waits->flows[at] != NULL &&
           (waits->flows[at]->peer != peer || waits->flows[at]->peer_qpn != peer_qpn))
        at = (at + 1) & (waits->flow_room - 1);
    return at;
}

static void grow(struct waits *waits)
{
    struct waits_flow **old = waits->flows;
    const uint32_t room = waits->flow_room;
    waits->flow_room = room == 0 ? ROOM_FIRST : room * 2;
    waits->flows = memory_zeroed(waits->flow_room, sizeof(struct waits_flow *));
    for (uint32_t i = 0; i < room; i++)
        if (old[i] != NULL)
            waits->flows[place_of(waits, old[i]->peer, old[i]->peer_qpn)] = old[i];
    free(old);
}

struct waits_flow *waits_flow_to(struct waits *waits, uint32_t peer, uint32_t peer_qpn)
{
    struct waits_flow **recent =
        &waits->recent[(peer * WAITS_RECENT_STEP + peer_qpn) % WAITS_RECENT];
    if (*recent != NULL && (*recent)->peer == peer && (*recent)->peer_qpn == peer_qpn)
        return *recent;
    if (waits->flow_count * 2 >= waits->flow_room)
        grow(waits);
    const uint32_t at = place_of(waits, peer, peer_qpn);
    if (waits->flows[at] == NULL) {
        struct waits_flow *flow = memory_new(sizeof *flow);
        flow->peer = peer;
        flow->peer_qpn = peer_qpn;
        flow->port = WAITS_NONE;
        flow->state = PROBE_HOLD_NOTHING;
        waits->flows[at] = flow;
        waits->flow_count++;
    }
    return *recent = waits->flows[at];
}

void waits_flows_fini(struct waits *waits)
{
    for (uint32_t i = 0; i < waits->flow_room; i++) {
        if (waits->flows[i] == NULL)
            continue;
        free(waits->flows[i]->posted.items);
        free(waits->flows[i]->done.items);
        free(waits->flows[i]->answers.items);
        free(waits->flows[i]->reported);
        free(waits->flows[i]->crossing.list);
        free(waits->flows[i]->arrived.list);
        for (uint32_t k = 0; k < waits->flows[i]->passed_count; k++)
            free(waits->flows[i]->passed[k].list);
        free(waits->flows[i]->passed);
        free(waits->flows[i]);
    }
    free(waits->flows);
    free(waits->messages);
}

/* ------------------------------------------------------------------ the clock */

static enum waits_state state_of(const struct waits_flow *flow)
{
    switch ((enum probe_hold_state)flow->state) {
    case PROBE_HOLD_CONGESTION:
        return WAITS_BY_CONGESTION;
    case PROBE_HOLD_WINDOW:
        return WAITS_BY_WINDOW;
    case PROBE_HOLD_RNR:
        return WAITS_BY_RNR;
    case PROBE_HOLD_RNIC:
        return WAITS_BY_RNIC;
    case PROBE_HOLD_SOFTWARE:
        return WAITS_BY_SOFTWARE;
    case PROBE_HOLD_ENGINE:
        return WAITS_BY_ENGINE;
    case PROBE_HOLD_PCIE:
        return WAITS_BY_PCIE;
    case PROBE_HOLD_WIRE:
        return WAITS_AT_EGRESS;
    default:
        return WAITS_BY_NOTHING;
    }
}

void waits_flow_advance(struct waits *waits, struct waits_flow *flow, time_ps now)
{
    struct waits_clock *clock = &flow->clock;
    const time_ps wire_ends = flow->busy_until < now ? flow->busy_until : now;
    if (wire_ends > clock->at) {
        clock->ps[flow->resending ? WAITS_RESENDING : WAITS_SENDING] += wire_ends - clock->at;
        clock->at = wire_ends;
    }
    const enum waits_state state = state_of(flow);
    time_ps paused = 0;
    if (state == WAITS_AT_EGRESS && flow->port != WAITS_NONE)
        paused = waits_paused_between(
            &waits->pauses[flow->port * EXPLAIN_PRIORITIES + flow->priority], clock->at, now);
    clock->ps[WAITS_AT_PAUSED] += paused;
    clock->ps[state] += now - clock->at - paused;
    clock->at = now;
}

void waits_hold(struct waits *waits, const struct probe_hold *hold)
{
    struct waits_flow *flow = waits_flow_to(waits, hold->flow.peer, hold->flow.peer_qpn);
    if (flow->state == hold->state)
        return;
    waits_flow_advance(waits, flow, hold->at);
    flow->state = hold->state;
}
