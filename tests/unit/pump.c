/* SPDX-License-Identifier: Apache-2.0
 * pump - its port asks it for frames while it has some. */
#include "pump.h"

enum { PUMP_EVENT_START = NET_EVENT_FIRST_OWN };

const struct port_ingress pump_ingress = {0};

static uint32_t make_frame(struct pump *pump)
{
    const uint32_t handle = frame_take(pump->frames);
    struct frame *frame = frame_at(pump->frames, handle);
    *frame = (struct frame){
        .bytes = pump->bytes,
        .payload = (uint16_t)(pump->bytes - WIRE_ROCE_BYTES),
        .opcode = FRAME_RC_WRITE_MIDDLE,
        .priority = pump->tos >> 5,
        .tos = pump->tos,
        .ttl = 64,
        .entropy = pump->endpoint * 7919u + 1,
        .source = pump->endpoint,
        .destination = pump->destination,
        .psn = pump->next_psn++,
        .blob = POOL_NONE,
    };
    pump->sent++;
    if (pump->to_send != UINT64_MAX)
        pump->to_send--;
    return handle;
}

static uint32_t source(struct port *port, uint8_t allowed, time_ps now)
{
    struct pump *pump = (struct pump *)(void *)port->node;
    const uint8_t bit = (uint8_t)(1u << (pump->tos >> 5));
    if ((port->ready & allowed & bit) == 0)
        return POOL_NONE;
    const uint32_t handle = make_frame(pump);
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
        pump->port.ready = (uint8_t)(1u << (pump->tos >> 5));
        port_kick(&pump->port, event->at);
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
    pump->received++;
    pump->received_bytes += frame->bytes;
    pump->out_of_order += frame->psn != pump->expected_psn;
    pump->expected_psn = frame->psn + 1;
    pump->marked += (frame->tos & 3) == ECN_CE;
    pump->first_arrival = pump->received == 1 ? event->at : pump->first_arrival;
    pump->last_arrival = event->at;
    frame_give(pump->frames, handle);
}

static void audit(const struct node *node)
{
    port_audit(&((const struct pump *)(const void *)node)->port);
}

static const struct node_ops pump_ops = {.name = "pump", .on_event = on_event, .audit = audit};

void pump_init(struct pump *pump, struct engine *engine, const char *name,
               const struct port_params *params, struct frame_pool *frames)
{
    *pump = (struct pump){.frames = frames, .bytes = 1518, .tos = 26 << 2, .to_send = UINT64_MAX};
    engine_add(engine, &pump->node, &pump_ops, name);
    port_init(&pump->port, &pump->node, 0, params, frames, &probe_none, source);
}

void pump_start(struct pump *pump, time_ps at)
{
    node_post(&pump->node, pump->node.id, at, PUMP_EVENT_START, 0, 0);
}
