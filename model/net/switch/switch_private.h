/* SPDX-License-Identifier: Apache-2.0
 * switch_private - declarations shared by the files of a switch.
 * Included only by switch*.c. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_PRIVATE_H
#define STORMGLASS_NET_SWITCH_SWITCH_PRIVATE_H

#include "base/drop.h"
#include "net/port/port_inline.h"
#include "net/switch/switch.h"

/* Events of a switch. A LIFETIME changes something only if a frame has waited too long. */
enum switch_event {
    SWITCH_EVENT_CUT_WAIT = NET_EVENT_FIRST_OWN,
    SWITCH_EVENT_WATCHDOG,
    SWITCH_EVENT_LIFETIME = NET_EVENT_DEQUEUE + 1, /* argument: priority */
};

/* Bytes that a cut-through switch needs before it forwards: Ethernet 14, IPv4 20, UDP 8, BTH 12,
 * and 10 more. */
enum { CUT_THROUGH_BYTES = 64 };
enum { SWITCH_DWRR_QUANTUM = 512 }; /* bytes added per turn and unit of weight */

static inline struct buffer_group *switch_group(struct swtch *swtch, const struct frame *frame)
{
    return &swtch->buffer.groups[frame->in_port * PRIORITIES + frame->priority];
}

/* The queue of that egress port for the frame. */
static inline struct buffer_place switch_queue_place(const struct frame *frame, uint16_t egress)
{
    return (struct buffer_place){.port = egress, .priority = frame->priority, .egress = true};
}

static inline bool switch_is_lossless(const struct swtch *swtch, const struct frame *frame)
{
    return (swtch->lossless & 1u << frame->priority) != 0;
}

/* The priority in `mask` to be served next, none of which is strict. */
NOINLINE uint8_t switch_weighted_pick(const struct swtch *swtch, const struct port *port,
                                      unsigned mask);

/* The frame has left the memory: its credits go back to the peer of its ingress port, if that has
 * credits. */
NOINLINE void switch_return_credits(struct swtch *swtch, const struct frame *frame, time_ps now);

/* The same for a frame that leaves by `port` now and came by `from`. Fibre Channel returns the
 * credit when the last byte has left. */
NOINLINE void switch_free_buffer(const struct port *port, struct port *from, uint8_t priority,
                                 uint32_t bytes, time_ps now);

/* Drop a frame: refuse for lack of buffer, reject because it cannot be forwarded at all, discard
 * for the watchdog, expire at the end of its lifetime, lose_frame on power loss. */
NOINLINE void switch_refuse(struct swtch *swtch, uint32_t handle, uint16_t egress,
                            enum probe_drop_cause cause, time_ps now);
/* A router drops a frame without an IP header, and returns true: it has no route for it. */
bool switch_refuses(struct swtch *swtch, uint32_t handle, time_ps now);
NOINLINE void switch_reject(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now);
NOINLINE void switch_discard(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now);
NOINLINE void switch_expire(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now);
NOINLINE void switch_lose_frame(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now);

/* port_source of a switch's ports: removes the frame that the scheduler selects and releases its
 * space. */
uint32_t switch_take(struct port *port, uint8_t allowed, time_ps now);

static inline bool switch_leads_to_host(const struct swtch *swtch, const struct port *port)
{
    return swtch->node.engine->nodes[port->peer_node]->ops != &switch_node_ops;
}

/* The port_later of a switch's ports. */
void switch_dequeue_later(struct port *port);

/* Fills in occupancy, threshold and the reasons of an XOFF of why->port and why->priority.
 * `crossing` is the frame about to enter the queue of `egress`; NULL: none. */
void switch_reasons(const struct swtch *swtch, const struct frame *crossing, uint16_t egress,
                    struct probe_pause *why);

/* The port_reason of a switch's ports. */
void switch_reason(const struct port *port, struct probe_pause *why);

/* CHECKs every invariant. */
void switch_audit(const struct node *node);

/* Drops the frames in a queue of the port for the watchdog and releases their space, which may send
 * XON. Returns the number of frames. */
uint64_t switch_flush(struct swtch *swtch, struct port *port, uint8_t priority, time_ps now);

#endif
