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
#include "net/port/port_private.h"

#include <stdlib.h>

/* Makes the fast paths leave the port to port_send_due. */
static void show_work(struct port *port)
{
    port->pfc_due = port->credits->due | port->credits->low;
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
    const int64_t buffer = params->lane_buffer / CREDIT_UNIT_BYTES;
    CHECK(buffer > 0 && buffer <= CREDIT_WINDOW);
    credits->unit = CREDIT_UNIT_BYTES;
    credits->buffer = (uint16_t)buffer;
    credits->largest = (uint16_t)credits_of(CREDIT_UNIT_BYTES, port_largest_frame(params));
    credits->interval =
        params->credit_interval >= 0 ? params->credit_interval : default_interval(params);
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
        lane->sent = lane->limit = lane->received = 0;
    }
    credits->low = 0;
    credits->due = up ? ALL_PRIORITIES : 0;
    show_work(port);
    if (up)
        find_low(port);
}

/* ------------------------------------------------------------------ updates */

static void tick_later(struct port *port, time_ps now)
{
    port->credits->ticks = true;
    node_post(port->node, port->node->id, now + port->credits->interval, NET_EVENT_CREDIT_TICK,
              port->index, 0);
}

/* From its first frame on, a lane has a periodic update. */
static void use_lane(struct port *port, uint8_t lane, time_ps now)
{
    port->credits->used |= (uint8_t)(1u << lane);
    if (!port->credits->ticks)
        tick_later(port, now);
}

void port_credits_tick(struct port *port, time_ps now)
{
    struct port_credits *credits = port->credits;
    tick_later(port, now);
    if ((port->odd & PORT_DOWN) != 0)
        return;
    credits->due |= credits->used;
    show_work(port);
    port_dequeue(port, now);
}

static void send_update(struct port *port, uint8_t number, time_ps now)
{
    struct credit_lane *lane = &port->credits->lanes[number];
    const uint32_t handle = frame_take(port->frames);
    *frame_at(port->frames, handle) = (struct frame){
        .bytes = WIRE_CREDIT_BYTES,
        .opcode = FRAME_CREDIT,
        .priority = number,
        .flags = FRAME_CONTROL,
        .psn = credits_encode(lane->sent, credits_limit(lane)),
        .blob = POOL_NONE,
    };
    port->credits->due &= (uint8_t) ~(1u << number);
    show_work(port);
    lane->updates_tx++;
    port_send_odd(port, handle, now);
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
    lane->limit = credits_decode_limit(frame.psn);
    if (lane->received != sent)
        credits->due |= bit;
    lane->received = sent;
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
    credits->due |= (uint8_t)(1u << lane);
    show_work(port);
    port_dequeue(port, now);
}

/* ------------------------------------------------------------------ frames */

bool port_credits_take(struct port *port, const struct frame *frame, time_ps now)
{
    struct credit_lane *lane = &port->credits->lanes[frame->priority];
    const int32_t blocks = (int32_t)blocks_of(port, frame->bytes);
    lane->received = credits_count(lane->received, blocks);
    lane->free -= blocks;
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
    use_lane(port, frame->priority, now);
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
}

bool port_credits_serve(struct port *port, time_ps now)
{
    stop_low(port, now);
    const struct port_credits *credits = port->credits;
    if (credits->due != 0) {
        send_update(port, (uint8_t)port_highest(credits->due), now);
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
