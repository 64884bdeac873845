/* SPDX-License-Identifier: Apache-2.0
 * switch_fetch - what a switch's events will touch, fetched into the cache.
 * A frame's arrival touches the lane and the group that it comes in by, the route to its
 * destination, and the port and lane that it leaves by, which the route tells. */
#include "net/switch_private.h"

/* The sender's priority is a good guess at this switch's; false: no arrival of data. */
static bool guess(const struct event *event, unsigned *priority)
{
    *priority = event->hint - 1u;
    return event->kind == NET_EVENT_ARRIVAL && event->hint != 0;
}

void switch_fetch(const struct node *node, const struct event *event)
{
    const struct swtch *swtch = (const struct swtch *)(const void *)node;
    const struct port *port = &swtch->ports[event->port];
    unsigned priority;
    if (!guess(event, &priority)) {
        __builtin_prefetch(port);
        return;
    }
    const struct frame *frame = frame_at(swtch->frames, (uint32_t)event->argument);
    __builtin_prefetch(&port->lanes[priority]);
    __builtin_prefetch(&swtch->buffer.groups[event->port * PRIORITIES + priority]);
    __builtin_prefetch(&swtch->routes.ways[frame->destination]);
}

void switch_fetch_on(const struct node *node, const struct event *event)
{
    const struct swtch *swtch = (const struct swtch *)(const void *)node;
    unsigned priority;
    if (!guess(event, &priority))
        return;
    const struct frame *frame = frame_at(swtch->frames, (uint32_t)event->argument);
    const uint16_t egress =
        route_pick(&swtch->routes, frame->destination, frame->entropy, swtch->ecmp_seed);
    if (egress == UINT16_MAX)
        return;
    __builtin_prefetch(&swtch->ports[egress]);
    __builtin_prefetch(&swtch->ports[egress].lanes[priority]);
}
