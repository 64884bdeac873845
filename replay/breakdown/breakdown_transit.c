/* SPDX-License-Identifier: Apache-2.0
 * breakdown_transit - packets on their way from port to port.
 * The time between arrival and departure at a switch is divided when the packet leaves: while
 * packets of its own message were serialized, while the port was otherwise paused, and the rest, in
 * which other frames were ahead of it. */
#include "base/drop.h"
#include "base/memory.h"
#include "net/frame/frame.h"
#include "replay/breakdown/breakdown_private.h"
#include "rnic/psn.h"

#include <stddef.h>
#include <string.h>

void breakdown_place_add(struct breakdown_place *places, uint32_t *count, uint32_t most,
                         const struct breakdown_place *place)
{
    uint32_t i = 0;
    if (place->paused_ps == 0 && place->queued_ps == 0)
        return;
    while (i < *count && (places[i].port != place->port || places[i].priority != place->priority))
        i++;
    if (i == *count && *count < most)
        places[(*count)++] = *place;
    else {
        i = i < most ? i : most - 1;
        places[i].paused_ps += place->paused_ps;
        places[i].queued_ps += place->queued_ps;
    }
}

/* The packet leaves a port. Returns true if the next port is a host's. */
static bool leave_port(const struct breakdown *breakdown, struct breakdown_transit *transit,
                       const struct probe_hop *frame, uint32_t port)
{
    const time_ps wire = frame->arrives_at - frame->at - frame->propagation_ps - frame->latency_ps;
    transit->serialisation += wire;
    transit->propagation += frame->propagation_ps;
    transit->switching += frame->latency_ps;
    transit->arrives_at = frame->arrives_at;
    transit->at_port = breakdown->fabric->peer[port];
    return breakdown->fabric->is_host[breakdown->fabric->node_of[transit->at_port]];
}

static uint32_t port_of(const struct breakdown *breakdown, const struct probe_hop *frame)
{
    return breakdown->fabric->first_port[frame->node] + frame->port;
}

static struct breakdown_transit *new_transit(struct breakdown_transits *transits)
{
    if (transits->count == transits->room)
        transits->list =
            memory_grown(transits->list, transits->count, &transits->room, sizeof *transits->list);
    return &transits->list[transits->count++];
}

/* Copies only the places in use. */
static void append(struct breakdown_transits *transits, const struct breakdown_transit *transit)
{
    const size_t bytes = offsetof(struct breakdown_transit, places) +
                         transit->place_count * sizeof transit->places[0];
    memcpy(new_transit(transits), transit, bytes);
}

struct breakdown_transit *breakdown_transit_begin(struct breakdown *breakdown,
                                                  struct breakdown_flow *flow,
                                                  const struct probe_hop *frame,
                                                  enum breakdown_packet packet)
{
    if (frame->lost)
        return NULL;
    const uint32_t port = port_of(breakdown, frame);
    const uint32_t at_port = breakdown->fabric->peer[port];
    const bool arrives = breakdown->fabric->is_host[breakdown->fabric->node_of[at_port]];
    struct breakdown_transit *transit = new_transit(arrives ? &flow->arrived : &flow->crossing);
    transit->psn = frame->psn;
    transit->packet = (uint8_t)packet;
    transit->sent = flow->clock;
    transit->serialisation = transit->propagation = transit->switching = 0;
    transit->paused = transit->queued = 0;
    transit->drained_at = 0;
    transit->place_count = 0;
    leave_port(breakdown, transit, frame, port);
    return transit;
}

static void take_out(struct breakdown_transits *transits, struct breakdown_transit *transit)
{
    const size_t behind = (size_t)(transits->list + --transits->count - transit);
    memmove(transit, transit + 1, behind * sizeof *transit);
}

/* The first copy waiting at that node: retransmissions of the same packet do not overtake each
 * other. */
static struct breakdown_transit *find_transit(const struct breakdown *breakdown,
                                              const struct breakdown_flow *flow,
                                              const struct probe_hop *frame,
                                              enum breakdown_packet packet)
{
    for (uint32_t i = 0; i < flow->crossing.count; i++) {
        struct breakdown_transit *transit = &flow->crossing.list[i];
        if (transit->psn == frame->psn && transit->packet == (uint8_t)packet &&
            transit->arrives_at <= frame->at &&
            breakdown->fabric->node_of[transit->at_port] == frame->node)
            return transit;
    }
    return NULL;
}

/* ------------------------------------------------------------------ own message ahead of it */

static struct breakdown_passed *passed_by(struct breakdown_flow *flow, uint32_t port)
{
    for (uint32_t i = 0; i < flow->passed_count; i++)
        if (flow->passed[i].port == port)
            return &flow->passed[i];
    flow->passed =
        memory_grown(flow->passed, flow->passed_count, &flow->passed_room, sizeof *flow->passed);
    flow->passed[flow->passed_count] = (struct breakdown_passed){.port = port};
    return &flow->passed[flow->passed_count++];
}

static bool is_write(uint8_t opcode)
{
    return opcode >= FRAME_RC_WRITE_FIRST && opcode <= FRAME_RC_WRITE_ONLY_IMM;
}

/* Whether the packet starts a new message. A SEND right after a WRITE is the response to a read and
 * continues its data. */
static bool begins(const struct breakdown_passed *passed, uint8_t opcode)
{
    switch ((enum frame_opcode)opcode) {
    case FRAME_RC_SEND_FIRST:
    case FRAME_RC_SEND_ONLY:
    case FRAME_RC_SEND_ONLY_IMM:
    case FRAME_RC_SEND_ONLY_INV:
        return !passed->write;
    case FRAME_RC_WRITE_FIRST:
    case FRAME_RC_WRITE_ONLY:
    case FRAME_RC_WRITE_ONLY_IMM:
    case FRAME_RC_READ_REQUEST:
    case FRAME_RC_READ_RESPONSE_FIRST:
    case FRAME_RC_READ_RESPONSE_ONLY:
        return true;
    default:
        return false;
    }
}

/* Messages of a stream may begin within a segment, so segments remain until they are received. */
static void forget_passed(const struct breakdown_flow *flow, struct breakdown_passed *passed)
{
    uint32_t left = 0;
    if (passed->count < passed->room)
        return;
    for (uint32_t i = 0; i < passed->count; i++)
        if (breakdown_apart(passed->list[i].psn, flow->stream->known) >= 0)
            passed->list[left++] = passed->list[i];
    passed->count = left;
}

void breakdown_transit_pass(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_hop *frame)
{
    struct breakdown_passed *passed = passed_by(flow, port_of(breakdown, frame));
    const uint8_t opcode = frame->opcode;
    if (flow->stream != NULL)
        forget_passed(flow, passed);
    else if (begins(passed, opcode))
        passed->count = 0;
    passed->write = is_write(opcode);
    passed->list = memory_grown(passed->list, passed->count, &passed->room, sizeof *passed->list);
    passed->list[passed->count++] =
        (struct breakdown_on_wire){frame->at, frame->at + frame->wire_ps, frame->psn};
}

/* How long packets of the same message were on that wire in the interval. Pause time within that is
 * subtracted from *paused. */
static time_ps own_between(struct breakdown_flow *flow, uint32_t port,
                           const struct breakdown_transit *transit, time_ps to,
                           const struct breakdown_pauses *pauses, time_ps *paused)
{
    const struct breakdown_passed *passed = passed_by(flow, port);
    const time_ps from = transit->arrives_at;
    time_ps own = 0;
    for (uint32_t i = passed->count; i-- > 0 && passed->list[i].until > from;) {
        const struct breakdown_on_wire *wire = &passed->list[i];
        if (flow->stream != NULL && breakdown_apart(wire->psn, transit->start) < 0)
            continue;
        const time_ps begin = wire->from > from ? wire->from : from;
        const time_ps end = wire->until < to ? wire->until : to;
        own += end - begin;
        *paused -= breakdown_paused_between(pauses, begin, end);
    }
    return own;
}

void breakdown_transit_on(struct breakdown *breakdown, struct breakdown_flow *flow,
                          const struct probe_hop *frame, enum breakdown_packet packet)
{
    struct breakdown_transit *transit = find_transit(breakdown, flow, frame, packet);
    if (transit == NULL)
        return;
    const uint32_t port = port_of(breakdown, frame);
    const uint8_t priority = frame->priority;
    const struct breakdown_pauses *pauses =
        &breakdown->pauses[port * EXPLAIN_PRIORITIES + priority];
    time_ps paused = breakdown_paused_between(pauses, transit->arrives_at, frame->at);
    const time_ps own = packet == BREAKDOWN_ACKNOWLEDGEMENT
                            ? 0
                            : own_between(flow, port, transit, frame->at, pauses, &paused);
    const time_ps queued = frame->at - transit->arrives_at - own - paused;
    const struct breakdown_place place = {port, priority, paused, queued};
    transit->serialisation += own;
    transit->paused += paused;
    transit->queued += queued;
    breakdown_place_add(transit->places, &transit->place_count, BREAKDOWN_LEG_PLACES, &place);
    const bool arrives = !frame->lost && leave_port(breakdown, transit, frame, port);
    if (arrives)
        append(&flow->arrived, transit);
    if (arrives || frame->lost)
        take_out(&flow->crossing, transit);
}

/* Removes the copy that arrives at the node at this instant. Otherwise the frame was dropped from a
 * queue, and the first matching copy is removed; a frame lost on the wire (injected loss, link
 * down) matches only by its arrival. */
void breakdown_transit_lost(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_drop *drop, enum breakdown_packet packet)
{
    const bool sent = drop->cause == PROBE_DROP_INJECTED || drop->cause == PROBE_DROP_LINK_DOWN;
    const bool host = breakdown->fabric->is_host[drop->node];
    struct breakdown_transits *transits = host ? &flow->arrived : &flow->crossing;
    struct breakdown_transit *found = NULL;
    for (uint32_t i = 0; i < transits->count; i++) {
        struct breakdown_transit *transit = &transits->list[i];
        if (transit->psn != drop->psn || transit->packet != (uint8_t)packet ||
            breakdown->fabric->node_of[transit->at_port] != drop->node)
            continue;
        if (transit->arrives_at == drop->at || (found == NULL && !sent))
            found = transit;
    }
    if (found != NULL)
        take_out(transits, found);
}

static bool is_better(const struct breakdown_transit *transit,
                      const struct breakdown_transit *found)
{
    if (found == NULL)
        return true;
    return transit->packet == BREAKDOWN_ACKNOWLEDGEMENT ? transit->arrives_at < found->arrives_at
                                                        : transit->arrives_at >= found->arrives_at;
}

const struct breakdown_transit *breakdown_transit_arrived(const struct breakdown_flow *flow,
                                                          enum breakdown_packet packet,
                                                          uint32_t psn, time_ps at)
{
    const struct breakdown_transit *found = NULL;
    for (uint32_t i = 0; i < flow->arrived.count; i++) {
        const struct breakdown_transit *transit = &flow->arrived.list[i];
        const bool meant = packet == BREAKDOWN_ACKNOWLEDGEMENT ? psn_diff(transit->psn, psn) >= 0
                                                               : transit->psn == psn;
        if (transit->packet == (uint8_t)packet && meant && transit->arrives_at <= at &&
            is_better(transit, found))
            found = transit;
    }
    return found;
}

void breakdown_transit_remove(struct breakdown_transits *transits,
                              bool (*is_over)(const struct breakdown_transit *transit,
                                              const void *what),
                              const void *what)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < transits->count; i++) {
        const struct breakdown_transit *transit = &transits->list[i];
        if (is_over(transit, what))
            continue;
        if (left != i)
            transits->list[left] = *transit;
        left++;
    }
    transits->count = left;
}

struct over {
    enum breakdown_packet packet;
    uint32_t psn;
    time_ps sent_at;
};

static bool is_over(const struct breakdown_transit *transit, const void *what)
{
    const struct over *over = what;
    if (transit->packet != (uint8_t)over->packet)
        return false;
    return over->packet == BREAKDOWN_ACKNOWLEDGEMENT ? transit->sent.at < over->sent_at
                                                     : transit->psn == over->psn;
}

void breakdown_transit_forget(struct breakdown_flow *flow, enum breakdown_packet packet,
                              uint32_t psn, time_ps sent_at)
{
    const struct over over = {packet, psn, sent_at};
    breakdown_transit_remove(&flow->crossing, is_over, &over);
    breakdown_transit_remove(&flow->arrived, is_over, &over);
}
