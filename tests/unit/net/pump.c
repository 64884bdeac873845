/* SPDX-License-Identifier: Apache-2.0
 * pump - its port asks it for frames while it has some. */
#include "tests/unit/net/pump.h"

#include "net/port/credits.h"
#include "net/port/port_inline.h"

enum { PUMP_EVENT_START = NET_EVENT_FIRST_OWN };

const struct port_ingress pump_ingress = {0};

static uint32_t make_frame(struct pump *pump, uint8_t tos)
{
    const uint32_t handle = frame_take(pump->frames);
    struct frame *frame = frame_at(pump->frames, handle);
    *frame = (struct frame){
        .bytes = pump->bytes,
        .payload = (uint16_t)(pump->bytes - WIRE_ROCE_BYTES),
        .opcode = pump->opcode,
        .flags = pump->flags,
        .priority = tos >> 5,
        .tos = tos,
        .ttl = 64,
        .entropy = pump->endpoint * 7919u + 1,
        .source = pump->endpoint,
        .destination = pump->destination,
        .psn = pump->next_psn++,
        .blob = POOL_NONE,
    };
    if ((pump->flags & FRAME_TELEMETRY) != 0)
        *frame_telemetry(pump->frames, frame) = (struct telemetry){.hops = pump->hops};
    pump->sent++;
    if (pump->to_send != UINT64_MAX)
        pump->to_send--;
    return handle;
}

static uint8_t priorities_of(const struct pump *pump)
{
    return (uint8_t)(pump->every_priority ? 0xff : 1u << (pump->tos >> 5));
}

/* The next after the last that may be sent. */
static uint8_t tos_of_turn(struct pump *pump, uint8_t allowed)
{
    do
        pump->next = (uint8_t)((pump->next + 1) % PRIORITIES);
    while ((allowed & 1u << pump->next) == 0);
    return (uint8_t)(pump->next << 5);
}

static uint32_t source(struct port *port, uint8_t allowed, time_ps now)
{
    struct pump *pump = (struct pump *)(void *)port->node;
    const uint8_t possible = port->ready & allowed & priorities_of(pump);
    if (possible == 0)
        return POOL_NONE;
    const uint32_t handle =
        make_frame(pump, pump->every_priority ? tos_of_turn(pump, possible) : pump->tos);
    if (pump->to_send == 0 || pump->period > 0)
        port->ready = 0;
    if (pump->to_send > 0 && pump->period > 0)
        node_post(&pump->node, pump->node.id, now + pump->period, PUMP_EVENT_START, 0, 0);
    return handle;
}

static void on_event(struct node *node, const struct event *event)
{
    struct pump *pump = (struct pump *)(void *)node;
    if (event->kind == PUMP_EVENT_START) {
        pump->port.ready = priorities_of(pump);
        port_dequeue(&pump->port, event->at);
        return;
    }
    if (event->kind != NET_EVENT_ARRIVAL) {
        port_on_event(&pump->port, event);
        return;
    }
    const uint32_t handle = (uint32_t)event->argument;
    if (!port_receive(&pump->port, &pump->node, event, frame_at(pump->frames, handle)))
        return;
    const struct frame *frame = frame_at(pump->frames, handle);
    const time_ps gap = event->at - pump->last_arrival;
    if (pump->received > 0 && gap > pump->longest_gap) {
        pump->longest_gap = gap;
        pump->longest_gap_end = event->at;
    }
    pump->received++;
    pump->received_of[frame->priority]++;
    if ((frame->flags & FRAME_TELEMETRY) != 0)
        pump->heard = *frame_telemetry(pump->frames, frame);
    pump->received_bytes += frame->bytes;
    pump->out_of_order += frame->psn != pump->expected_psn;
    pump->expected_psn = frame->psn + 1;
    pump->marked += (frame->tos & 3) == ECN_CE;
    pump->first_arrival = pump->received == 1 ? event->at : pump->first_arrival;
    pump->last_arrival = event->at;
    const struct frame_head head = frame->head;
    frame_give(pump->frames, handle);
    if (pump->port.credits != NULL && (pump->keeps & 1u << head.priority) == 0)
        port_return_credits(&pump->port, head.priority, head.bytes, event->at);
}

static void audit(const struct node *node)
{
    port_audit(&((const struct pump *)(const void *)node)->port);
}

static const struct node_ops pump_ops = {.name = "pump", .on_event = on_event, .audit = audit};

void pump_init(struct pump *pump, struct engine *engine, const char *name,
               const struct port_params *params, struct frame_pool *frames)
{
    *pump = (struct pump){.frames = frames,
                          .bytes = 1518,
                          .tos = 26 << 2,
                          .opcode = FRAME_RC_WRITE_MIDDLE,
                          .to_send = UINT64_MAX};
    engine_add(engine, &pump->node, &pump_ops, name);
    port_init(&pump->port, &pump->node, 0, params, frames, &probe_none, source);
}

void pump_start(struct pump *pump, time_ps at)
{
    node_post(&pump->node, pump->node.id, at, PUMP_EVENT_START, 0, 0);
}
