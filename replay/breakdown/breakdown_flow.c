/* SPDX-License-Identifier: Apache-2.0
 * breakdown_flow - sending queue pairs, and how each spends its time. */
#include "base/hash.h"
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

/* ------------------------------------------------------------------ lookup */

struct key {
    uint32_t source, peer, peer_qpn;
};

static bool has_key(const struct breakdown_flow *flow, struct key key)
{
    return flow->peer == key.peer && flow->peer_qpn == key.peer_qpn && flow->source == key.source;
}

static uint32_t home_of(const struct breakdown *breakdown, struct key key)
{
    const uint64_t spread = key.source == BREAKDOWN_NONE ? 0 : hash_mix(key.source);
    return (uint32_t)hash_mix(((uint64_t)key.peer << 32 | key.peer_qpn) ^ spread) &
           (breakdown->flow_room - 1);
}

static uint32_t place_of(const struct breakdown *breakdown, struct key key)
{
    uint32_t at = home_of(breakdown, key);
    while (breakdown->flows[at] != NULL && !has_key(breakdown->flows[at], key))
        at = (at + 1) & (breakdown->flow_room - 1);
    return at;
}

static struct key key_of(const struct breakdown_flow *flow)
{
    return (struct key){flow->source, flow->peer, flow->peer_qpn};
}

static void grow_flows(struct breakdown *breakdown)
{
    struct breakdown_flow **old = breakdown->flows;
    const uint32_t room = breakdown->flow_room;
    breakdown->flow_room = room == 0 ? ROOM_FIRST : room * 2;
    breakdown->flows = memory_zeroed(breakdown->flow_room, sizeof(struct breakdown_flow *));
    for (uint32_t i = 0; i < room; i++)
        if (old[i] != NULL)
            breakdown->flows[place_of(breakdown, key_of(old[i]))] = old[i];
    free(old);
}

static struct breakdown_flow **recent_of(struct breakdown *breakdown, uint32_t peer,
                                         uint32_t peer_qpn)
{
    return &breakdown->recent[(peer * BREAKDOWN_RECENT_STEP + peer_qpn) % BREAKDOWN_RECENT];
}

static NOINLINE struct breakdown_flow *find_flow(struct breakdown *breakdown, struct key key)
{
    if (breakdown->flow_count * 2 >= breakdown->flow_room)
        grow_flows(breakdown);
    const uint32_t at = place_of(breakdown, key);
    if (breakdown->flows[at] == NULL) {
        struct breakdown_flow *flow = memory_new(sizeof *flow);
        flow->source = key.source;
        flow->peer = key.peer;
        flow->peer_qpn = key.peer_qpn;
        flow->port = BREAKDOWN_NONE;
        flow->state = PROBE_HOLD_NOTHING;
        breakdown->flows[at] = flow;
        breakdown->flow_count++;
    }
    return *recent_of(breakdown, key.peer, key.peer_qpn) = breakdown->flows[at];
}

static INLINE struct breakdown_flow *flow_of(struct breakdown *breakdown, struct key key)
{
    struct breakdown_flow *recent = *recent_of(breakdown, key.peer, key.peer_qpn);
    return LIKELY(recent != NULL && has_key(recent, key)) ? recent : find_flow(breakdown, key);
}

struct breakdown_flow *breakdown_flow_to(struct breakdown *breakdown, uint32_t peer,
                                         uint32_t peer_qpn)
{
    return flow_of(breakdown, (struct key){BREAKDOWN_NONE, peer, peer_qpn});
}

struct breakdown_flow *breakdown_flow_of_stream(struct breakdown *breakdown, uint32_t source,
                                                uint32_t destination, uint32_t qpn)
{
    struct breakdown_flow *flow = flow_of(breakdown, (struct key){source, destination, qpn});
    if (flow->stream == NULL) {
        flow->endpoint = source;
        flow->stream = memory_new(sizeof *flow->stream);
        flow->stream->taken = BREAKDOWN_NONE;
    }
    return flow;
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
        breakdown_stream_free(breakdown->flows[i]->stream);
        free(breakdown->flows[i]);
    }
    free(breakdown->flows);
    free(breakdown->messages);
}

/* ------------------------------------------------------------------ the clock */

static enum breakdown_state state_of(const struct breakdown_flow *flow)
{
    if (flow->stream != NULL && flow->stream->handed != flow->stream->left)
        return BREAKDOWN_AT_EGRESS; /* first of all, its own segments wait at the port */
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
    case PROBE_HOLD_LOSS:
        return BREAKDOWN_RESENDING;
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
