/* SPDX-License-Identifier: Apache-2.0
 * port_credits - a port whose link has flow control by credits.
 * A port starts a frame only if the lane has credits for the largest frame, so it need not know the
 * next frame of an owner that makes frames on request. A lane below that is `low`. A low lane with
 * something to send stops when the wire is free, as if paused, until an update brings enough
 * credits: the time in which it is stopped is its transmit wait.
 * Low lanes and due updates set pfc_due, which every fast path of a port regards; so a port without
 * credits has no code for them. */
#include "net/port/credits.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "net/port/port_private.h"

#include <stdio.h>
#include <stdlib.h>

/* Makes the fast paths leave the port to port_send_due. */
static void show_work(struct port *port)
{
    port->pfc_due = port->credits->due | port->credits->low;
}

static bool is_fc(const struct port_credits *credits)
{
    return credits->unit == 0;
}

static uint32_t blocks_of(const struct port *port, uint32_t bytes)
{
    return credits_of(port->credits->unit, bytes);
}

/* ------------------------------------------------------------------ creation, carrier */

/* 65536 symbols of one of the four lanes of the cable, a byte each. */
static time_ps default_interval(const struct port_params *params)
{
    return (time_ps)units_transfer_ps(UINT64_C(4) * CREDIT_SYMBOLS, (uint64_t)params->rate);
}

void port_credits_make(struct port *port)
{
    const struct port_params *params = &port->params;
    struct port_credits *credits = memory_zeroed(1, sizeof *credits);
    const bool fc = params->kind == PORT_FIBRE_CHANNEL;
    const int64_t buffer = fc ? params->bb_credit : params->lane_buffer / CREDIT_UNIT_BYTES;
    CHECK(buffer > 0 && buffer <= CREDIT_WINDOW);
    credits->unit = fc ? 0 : CREDIT_UNIT_BYTES;
    credits->buffer = (uint16_t)buffer;
    credits->largest = (uint16_t)credits_of(credits->unit, port_largest_frame(params));
    credits->interval = fc                             ? params->link_reset
                        : params->credit_interval >= 0 ? params->credit_interval
                                                       : default_interval(params);
    for (unsigned i = 0; i < PRIORITIES; i++)
        credits->lanes[i].free = credits->buffer;
    port->credits = credits;
    port->enabled = 0;
    port->largest = 0;
    port_set_odd(port, PORT_SLOW_WIRE, true);
}

void port_credits_free(struct port *port)
{
    free(port->credits);
    port->credits = NULL;
}

/* Lanes without credits for the largest frame become low. */
static void find_low(struct port *port)
{
    struct port_credits *credits = port->credits;
    for (unsigned i = 0; i < PRIORITIES; i++)
        if (!credits_suffice(&credits->lanes[i], credits->largest))
            credits->low |= (uint8_t)(1u << i);
    show_work(port);
}

void port_credits_join(struct port *port, const struct port *peer)
{
    for (unsigned i = 0; i < PRIORITIES; i++)
        port->credits->lanes[i].limit = peer->credits->buffer;
    find_low(port);
}

/* When the link comes up, all counters are 0 and each end reports its free space. Frames sent into
 * a dead link need no credits. */
void port_credits_carrier(struct port *port, bool up)
{
    struct port_credits *credits = port->credits;
    for (unsigned i = 0; i < PRIORITIES; i++) {
        struct credit_lane *lane = &credits->lanes[i];
        lane->sent = lane->limit = lane->received = lane->owed = 0;
        lane->frames = lane->readies = 0;
        lane->primitive = is_fc(credits) && up ? CREDIT_BB_SC : CREDIT_UPDATE;
    }
    credits->fill = false;
    credits->low = 0;
    credits->due = up ? ALL_PRIORITIES : 0;
    show_work(port);
    if (up)
        find_low(port);
}

/* ------------------------------------------------------------------ updates */

static void tick_at(struct port *port, time_ps at)
{
    port->credits->ticks = true;
    node_post(port->node, port->node->id, at, NET_EVENT_CREDIT_TICK, port->index, 0);
}

/* From its first frame on, a lane has a periodic update; not on Fibre Channel. */
static void use_lane(struct port *port, uint8_t lane, time_ps now)
{
    struct port_credits *credits = port->credits;
    credits->used |= (uint8_t)(1u << lane);
    if (!credits->ticks && !is_fc(credits))
        tick_at(port, now + credits->interval);
}

/* A primitive of that kind is due before the R_RDYs that are owed. */
static void owe_primitive(struct port *port, uint8_t number, enum credit_primitive primitive)
{
    port->credits->lanes[number].primitive = (uint8_t)primitive;
    port->credits->due |= (uint8_t)(1u << number);
    show_work(port);
}

static void report_reset(const struct port *port, time_ps now)
{
    char text[NODE_NAME_BYTES + 96];
    snprintf(text, sizeof text, "link reset (LR) by %s:p%u after %s without credits",
             port->node->name, port->index, note_time(port->params.link_reset).text);
    if (port->probe->note != NULL)
        port->probe->note(port->probe->self, now, port->node->name, text);
}

/* When the lane has been without credits for so long that the link must be reset: now, if that time
 * has passed, which resets it. TIME_NEVER: it has credits. */
static time_ps watch_stop(struct port *port, uint8_t number, time_ps now)
{
    struct credit_lane *lane = &port->credits->lanes[number];
    const time_ps since = port->pauses[number].held_since, span = port->params.link_reset;
    if (since == TIME_NEVER)
        return TIME_NEVER;
    const time_ps due = (since > lane->reset_at ? since : lane->reset_at) + span;
    if (due > now)
        return due;
    lane->reset_at = now;
    lane->link_resets++;
    report_reset(port, now);
    owe_primitive(port, number, CREDIT_LR);
    return now + span;
}

static void watch_stops(struct port *port, time_ps now)
{
    time_ps next = TIME_NEVER;
    port->credits->ticks = false;
    for (uint8_t i = 0; i < PRIORITIES && (port->odd & PORT_DOWN) == 0; i++)
        next = time_earlier(next, watch_stop(port, i, now));
    if (next != TIME_NEVER)
        tick_at(port, next);
    port_dequeue(port, now);
}

void port_credits_tick(struct port *port, time_ps now)
{
    struct port_credits *credits = port->credits;
    if (is_fc(credits)) {
        watch_stops(port, now);
        return;
    }
    tick_at(port, now + credits->interval);
    if ((port->odd & PORT_DOWN) != 0)
        return;
    credits->due |= credits->used;
    show_work(port);
    port_dequeue(port, now);
}

/* What is still due after an update. A primitive with counters includes all R_RDYs owed. */
static void count_update(struct port *port, uint8_t number, uint8_t primitive)
{
    struct port_credits *credits = port->credits;
    struct credit_lane *lane = &credits->lanes[number];
    credits->due &= (uint8_t) ~(1u << number);
    lane->primitive = CREDIT_UPDATE;
    if (primitive != CREDIT_R_RDY) {
        lane->owed = lane->frames = lane->readies = 0;
        return;
    }
    lane->owed--;
    lane->readies++;
    if (port->params.bb_sc_n > 0 && lane->readies >= 1u << port->params.bb_sc_n)
        lane->primitive = CREDIT_BB_SC;
    if (lane->owed > 0 || lane->primitive != CREDIT_UPDATE)
        credits->due |= (uint8_t)(1u << number);
}

static void send_update(struct port *port, uint8_t number, time_ps now)
{
    struct credit_lane *lane = &port->credits->lanes[number];
    const uint32_t handle = frame_take(port->frames);
    const bool fc = is_fc(port->credits);
    const uint8_t primitive =
        fc && lane->primitive == CREDIT_UPDATE ? CREDIT_R_RDY : lane->primitive;
    *frame_at(port->frames, handle) = (struct frame){
        .bytes = (uint16_t)port_credits_bytes(port),
        .aeth = primitive,
        .opcode = FRAME_CREDIT,
        .priority = number,
        .flags = FRAME_CONTROL,
        .psn = credits_encode(lane->sent, credits_limit(lane)),
        .blob = POOL_NONE,
    };
    count_update(port, number, primitive);
    show_work(port);
    lane->updates_tx++;
    port_send_odd(port, handle, now);
    port->credits->fill = false;
}

/* The peer's counters: the frames that it has sent, so that lost ones occupy no buffer any more,
 * and how many it can take. */
static void compare_counts(struct port *port, uint8_t number, const struct frame *frame)
{
    struct credit_lane *lane = &port->credits->lanes[number];
    const uint16_t sent = credits_decode_sent(frame->psn);
    const uint16_t limit = credits_decode_limit(frame->psn);
    const uint32_t lost = (uint32_t)(sent - lane->received) % CREDIT_COUNTERS;
    const uint32_t back = (uint32_t)(limit - lane->limit) % CREDIT_COUNTERS;
    lane->received = sent;
    if (back <= CREDIT_WINDOW) { /* else an R_RDY that was sent later has arrived before */
        lane->recovered += back;
        lane->limit = limit;
    }
    lane->resets_rx += frame->aeth == CREDIT_LR;
    if (frame->aeth == CREDIT_LR)
        owe_primitive(port, number, CREDIT_LRR);
    else if (lost != 0 || frame->aeth == CREDIT_LRR)
        owe_primitive(port, number, CREDIT_BB_SC);
}

/* An R_RDY, or a primitive with counters. */
static void receive_primitive(struct port *port, uint8_t number, const struct frame *frame)
{
    struct credit_lane *lane = &port->credits->lanes[number];
    if (frame->aeth != CREDIT_R_RDY)
        compare_counts(port, number, frame);
    else if (credits_left(lane) < CREDIT_WINDOW)
        lane->limit = credits_count(lane->limit, 1);
}

/* The counter of received credits becomes the peer's counter of sent ones, so lost frames are not
 * missing from the limit any more. */
void port_credits_receive(struct port *port, uint32_t handle, time_ps now)
{
    const struct frame frame = *frame_at(port->frames, handle);
    struct port_credits *credits = port->credits;
    frame_give(port->frames, handle);
    if (credits == NULL || frame.priority >= PRIORITIES)
        return;
    const uint8_t bit = (uint8_t)(1u << frame.priority);
    struct credit_lane *lane = &credits->lanes[frame.priority];
    const uint16_t sent = credits_decode_sent(frame.psn);
    lane->updates_rx++;
    if (is_fc(credits)) {
        receive_primitive(port, frame.priority, &frame);
    } else {
        lane->limit = credits_decode_limit(frame.psn);
        if (lane->received != sent)
            credits->due |= bit;
        lane->received = sent;
    }
    if (credits_suffice(lane, credits->largest))
        credits->low &= (uint8_t)~bit;
    show_work(port);
    if ((port->held & bit) != 0 && credits_suffice(lane, credits->largest))
        port_rx_pause_forget(port, bit, now);
    port_dequeue(port, now);
}

void port_return_credits(struct port *port, uint8_t lane, uint32_t bytes, time_ps now)
{
    struct port_credits *credits = port->credits;
    CHECK(lane < PRIORITIES);
    credits->lanes[lane].free += (int32_t)blocks_of(port, bytes);
    CHECK(credits->lanes[lane].free <= credits->buffer);
    if ((port->odd & PORT_DOWN) != 0)
        return;
    credits->lanes[lane].owed += is_fc(credits);
    credits->due |= (uint8_t)(1u << lane);
    show_work(port);
    port_dequeue(port, now);
}

void port_return_credits_at(struct port *port, uint8_t lane, time_ps at)
{
    CHECK(is_fc(port->credits));
    node_post(port->node, port->node->id, at, NET_EVENT_CREDIT_FREE, port->index, lane);
}

/* ------------------------------------------------------------------ frames */

void port_credits_damaged(struct port *port, const struct frame *frame, time_ps now)
{
    struct port_credits *credits = port->credits;
    if (!is_fc(credits) || frame_is_mac_control(frame))
        return;
    struct credit_lane *lane = &credits->lanes[frame->priority];
    lane->received = credits_count(lane->received, 1);
    lane->free--;
    port_return_credits(port, frame->priority, frame->bytes, now);
}

bool port_credits_take(struct port *port, const struct frame *frame, time_ps now)
{
    struct credit_lane *lane = &port->credits->lanes[frame->priority];
    const int32_t blocks = (int32_t)blocks_of(port, frame->bytes);
    lane->received = credits_count(lane->received, blocks);
    lane->free -= blocks;
    lane->zeros_rx += lane->free == 0;
    use_lane(port, frame->priority, now);
    if (frame->bytes <= port_largest_frame(&port->params)) {
        port_count(&port->prios[frame->priority], frame->bytes);
        return true;
    }
    port_return_credits(port, frame->priority, frame->bytes, now);
    return false;
}

void port_credits_spend(struct port *port, const struct frame *frame, time_ps now)
{
    struct port_credits *credits = port->credits;
    struct credit_lane *lane = &credits->lanes[frame->priority];
    lane->sent = credits_count(lane->sent, (int32_t)blocks_of(port, frame->bytes));
    lane->zeros_tx += credits_left(lane) == 0;
    use_lane(port, frame->priority, now);
    credits->fill = is_fc(credits);
    const int64_t n = port->params.bb_sc_n;
    if (credits->fill && n > 0 && ++lane->frames >= 1u << n && lane->primitive == CREDIT_UPDATE)
        owe_primitive(port, frame->priority, CREDIT_BB_SC);
    if (credits_suffice(lane, credits->largest))
        return;
    credits->low |= (uint8_t)(1u << frame->priority);
    show_work(port);
}

/* Stops the low lanes that have something to send. */
static void stop_low(struct port *port, time_ps now)
{
    struct port_credits *credits = port->credits;
    const uint8_t stop = credits->low & port->ready;
    if (stop == 0)
        return;
    credits->low &= (uint8_t)~stop;
    show_work(port);
    port_rx_pause_hold(port, stop, now);
    if (is_fc(credits) && credits->interval > 0 && !credits->ticks)
        tick_at(port, now + credits->interval);
}

bool port_credits_serve(struct port *port, time_ps now)
{
    stop_low(port, now);
    const struct port_credits *credits = port->credits;
    while (credits->due != 0) {
        const bool free = credits->fill;
        send_update(port, (uint8_t)port_highest(credits->due), now);
        if (!free)
            return true;
    }
    if ((port->ready & ~port->paused) == 0)
        return false;
    port_set_choosing(port, true);
    const uint32_t handle = port->source(port, (uint8_t)~port->paused, now);
    port_set_choosing(port, false);
    if (handle == POOL_NONE)
        return false;
    port_send_odd(port, handle, now);
    return true;
}

/* ------------------------------------------------------------------ audit */

void credits_audit(const struct port *port)
{
    const struct port_credits *credits = port->credits;
    CHECK(port->pfc_due == (credits->due | credits->low));
    CHECK((credits->low & port->held) == 0 && port->asserted == 0 && port->enabled == 0);
    CHECK((port->odd & PORT_SLOW_WIRE) != 0 && port->largest == 0);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const struct credit_lane *lane = &credits->lanes[i];
        const bool stopped = ((credits->low | port->held) & 1u << i) != 0;
        CHECK(lane->free <= credits->buffer);
        CHECK(stopped || ((port->odd & PORT_DOWN) != 0 || credits_suffice(lane, credits->largest)));
    }
}
