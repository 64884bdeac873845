/* SPDX-License-Identifier: Apache-2.0
 * port_inline - the per-frame code of a port, for switches and RNICs.
 * A header, so that the event handlers of switches and RNICs have all of it inlined; other code
 * includes port.h and calls the functions. */
#ifndef STORMGLASS_NET_PORT_PORT_INLINE_H
#define STORMGLASS_NET_PORT_PORT_INLINE_H

#include "net/port/port.h"

#include <endian.h>

/* The highest priority of a non-empty mask. */
static inline unsigned port_highest(unsigned mask)
{
    return 31u ^ (unsigned)__builtin_clz(mask);
}

/* port_append, inlined. */
static inline void port_append_to(struct port *port, size_t priority, uint32_t handle,
                                  struct frame *frame)
{
    struct port_prio *prio = &port->prios[priority];
    frame->next = POOL_NONE;
    if (prio->head == POOL_NONE)
        prio->head = handle;
    else
        frame_at(port->frames, prio->tail)->next = handle;
    prio->tail = handle;
    prio->bytes += frame->bytes;
    if (prio->bytes > prio->peak)
        prio->peak = prio->bytes;
    port->ready |= (uint8_t)(1u << priority);
}

/* port_shift, inlined, for callers that have already read the first frame. */
static inline void port_shift_first(struct port *port, size_t priority, const struct frame *first,
                                    uint32_t bytes)
{
    struct port_prio *prio = &port->prios[priority];
    prio->bytes -= bytes;
    prio->head = first->next;
    if (prio->head == POOL_NONE)
        port->ready &= (uint8_t) ~(1u << priority);
    else /* it has waited so long that it has left the cache, and is sent next */
        __builtin_prefetch(frame_at(port->frames, prio->head));
}

/* The slow path of port_send, for an odd port. */
void port_send_odd(struct port *port, uint32_t handle, time_ps now);

/* A port's DEQUEUE event sorts before its frames, and there is at most one at a time. */
static inline uint64_t port_dequeue_order(const struct port *port)
{
    return node_order(port->node, port->index, 0);
}

static inline uint64_t port_next_order(struct port *port)
{
    return node_order(port->node, port->index, ++port->sent);
}

/* Sends a frame of a prio now by a port that is not odd and whose wire is free; `line` is its
 * port_dequeue_order. */
static inline void port_transmit(struct port *port, struct port_prio *prio, uint64_t handle,
                                 uint64_t bytes, uint64_t line, time_ps now)
{
    const time_ps free = now + (time_ps)((bytes + WIRE_GAP_BYTES) * port->ps_per_byte);
    port->busy_until = free;
    prio->tx_frames++;
    prio->tx_bytes += bytes;
    node_post_ordered(port->node, line + ++port->sent, port->target, free + port->after_wire,
                      handle);
}

/* Sends a frame now; the wire is free. Not for MAC control frames. */
static inline void port_send(struct port *port, uint32_t handle, const struct frame *frame,
                             time_ps now)
{
    if (UNLIKELY(port->odd != 0)) {
        port_send_odd(port, handle, now);
        return;
    }
    port_transmit(port, &port->prios[frame->priority], handle, frame->bytes,
                  port_dequeue_order(port), now);
}

/* Nothing is ready, paused or due in any priority. */
static inline bool port_is_quiet(const struct port *port)
{
    static_assert(offsetof(struct port, odd) == offsetof(struct port, busy), "the least byte");
    return le32toh(port->busy) <= UINT8_MAX;
}

static inline bool port_has_work(const struct port *port)
{
    return ((port->ready & ~port->paused) | port->pfc_due) != 0;
}

/* True when a frame of that priority may leave at once and no other waits before it. */
static inline bool port_is_free(const struct port *port, uint8_t priority, time_ps now)
{
    return port->busy_until <= now && !port_has_work(port) && (port->paused & 1u << priority) == 0;
}

/* Posts a DEQUEUE event at port->dequeue_at. */
static inline void port_post_dequeue(struct port *port)
{
    /* The highest waiting priority will probably be sent: naming it lets its state be
     * prefetched. */
    const unsigned priority = port_highest(port->ready | 1u);
    node_post_ordered(port->node, port_dequeue_order(port),
                      event_target(port->node->id, port->index, NET_EVENT_DEQUEUE),
                      port->dequeue_at, port->prios[priority].head);
}

/* Ensures a DEQUEUE when the wire is free. */
static inline void port_dequeue_later(struct port *port)
{
    if (port->dequeue_at == port->busy_until)
        return;
    port->dequeue_at = port->busy_until;
    port_post_dequeue(port);
}

static inline void port_set_odd(struct port *port, enum port_odd reason, bool on)
{
    port->odd = (uint8_t)(on ? port->odd | reason : port->odd & ~reason);
}

static inline bool port_is_choosing(const struct port *port)
{
    return (port->odd & PORT_CHOOSING) != 0;
}

static inline void port_set_choosing(struct port *port, bool choosing)
{
    port_set_odd(port, PORT_CHOOSING, choosing);
}

/* Sends the due PFC frame; the wire is free. With credits: sends the due update, or the next frame.
 * False: nothing was sent. */
bool port_send_due(struct port *port, time_ps now);

/* Sends the next frame after something became ready or the wire became free. Returns true when more
 * is left to send when the wire is free again. */
static INLINE bool port_send_next(struct port *port, port_source *source, time_ps now)
{
    if (!port_has_work(port) || port_is_choosing(port))
        return false;
    if (now < port->busy_until)
        return true;
    if (UNLIKELY(port->pfc_due != 0)) {
        if (!port_send_due(port, now))
            return false;
    } else {
        port_set_choosing(port, true);
        const uint32_t handle = source(port, (uint8_t)~port->paused, now);
        port_set_choosing(port, false);
        if (handle == POOL_NONE)
            return false;
        port_send(port, handle, frame_at(port->frames, handle), now);
    }
    return port_has_work(port);
}

/* Sends the next frame if the wire is free, and calls `later` if more is left. Functions named here
 * by the owner are inlined; other callers use port_dequeue. */
static INLINE void port_serve(struct port *port, port_source *source, port_later *later,
                              time_ps now)
{
    if (port_send_next(port, source, now))
        later(port);
}

/* Returns false when a later DEQUEUE has replaced this one; after true, port_serve must follow. */
static inline bool port_dequeue_came(struct port *port, time_ps now)
{
    if (port->dequeue_at != now)
        return false;
    port->dequeue_at = TIME_NEVER;
    return true;
}

/* The slow path of port_receive, for frames that usually may not be passed to the owner. Returns
 * true when it counted the frame, which the owner may have. */
bool port_receive_odd(struct port *port, const struct event *event);

/* Chains an arriving frame into the digest. */
static inline void port_digest(struct node *node, const struct frame *frame)
{
    node_digest(node, frame_word(frame));
}

/* Whether an arriving frame may be passed to the owner. */
static inline bool port_takes(const struct port *port, const struct frame *frame)
{
    return frame->bytes <= port->largest && (frame->flags & (FRAME_CONTROL | FRAME_CORRUPT)) == 0;
}

static inline void port_count(struct port_prio *prio, uint64_t bytes)
{
    prio->rx_frames++;
    prio->rx_bytes += bytes;
}

/* Handles a frame that arrived at a port of the node: counts it, and handles MAC control frames,
 * giants and corrupt ones. Returns false when the port has consumed or dropped the frame. */
static inline bool port_receive(struct port *port, struct node *node, const struct event *event,
                                struct frame *frame)
{
    port_digest(node, frame);
    if (UNLIKELY(!port_takes(port, frame))) {
        frame->in_port = event->port;
        return port_receive_odd(port, event);
    }
    port_count(&port->prios[frame->priority], frame->bytes);
    frame->in_port = event->port;
    return true;
}

#endif
