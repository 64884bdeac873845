/* SPDX-License-Identifier: Apache-2.0
 * port_rx_pause - pauses that the peer asks for and this end obeys.
 * An XOFF is acted upon one response delay after its last bit; then no frame of the priority
 * begins until the quanta have run out, counted from there, or an XON is acted upon.  A newer XOFF
 * replaces the time, so the PAUSE_END of the older one finds another time and does nothing. */
#include "net/port_private.h"

static void tell_blocked(const struct port *port, uint8_t priority, bool blocked, time_ps now)
{
    const struct probe_blocked told = {now, port->node->id, port->index, priority, blocked};
    port->probe->blocked(port->probe->self, &told);
}

static void block(struct port *port, uint8_t priority, time_ps now)
{
    port->paused |= (uint8_t)(1u << priority);
    port->pauses[priority].blocked_since = now;
    tell_blocked(port, priority, true, now);
}

static void unblock(struct port *port, uint8_t priority, time_ps now)
{
    struct port_pauses *pauses = &port->pauses[priority];
    const time_ps span = now - pauses->blocked_since;
    CHECK(span >= 0);
    pauses->blocked_ps += span;
    pauses->blocked_longest = span > pauses->blocked_longest ? span : pauses->blocked_longest;
    pauses->blocked_since = TIME_NEVER;
    port->paused &= (uint8_t) ~(1u << priority);
    tell_blocked(port, priority, false, now);
    port_kick(port, now);
}

/* What the peer asks for has changed, or whether it is heeded: the transmitter follows. */
static void follow(struct port *port, uint8_t priority, time_ps now)
{
    const bool paused = (port->paused & 1u << priority) != 0;
    const bool wanted = (port->held & ~port->ignored & 1u << priority) != 0;
    if (wanted && !paused)
        block(port, priority, now);
    else if (!wanted && paused)
        unblock(port, priority, now);
}

static void hold(struct port *port, uint8_t priority, time_ps until, time_ps now)
{
    if ((port->held & 1u << priority) == 0)
        port->pauses[priority].held_since = now;
    port->held |= (uint8_t)(1u << priority);
    port->pause_until[priority] = until;
    node_post(port->node, port->node->id, until, NET_EVENT_PAUSE_END, port->index, priority);
    follow(port, priority, now);
}

static void let_go(struct port *port, uint8_t priority, time_ps now)
{
    if ((port->held & 1u << priority) == 0)
        return;
    port->pauses[priority].held_ps += now - port->pauses[priority].held_since;
    port->pauses[priority].held_since = TIME_NEVER;
    port->held &= (uint8_t) ~(1u << priority);
    follow(port, priority, now);
}

static void obey_class(struct port *port, uint8_t priority, uint16_t quanta, time_ps now)
{
    if (quanta == 0)
        let_go(port, priority, now);
    else
        hold(port, priority, now + port_quanta_ps(port, quanta), now);
}

void port_ignore_pauses(struct port *port, uint8_t priority, bool on, time_ps now)
{
    CHECK(priority < PRIORITIES);
    const unsigned bit = 1u << priority;
    port->ignored = (uint8_t)(on ? port->ignored | bit : port->ignored & ~bit);
    follow(port, priority, now);
}

time_ps port_held_ps(const struct port *port, uint8_t priority, time_ps now)
{
    const struct port_pauses *pauses = &port->pauses[priority];
    return pauses->held_ps + (pauses->held_since == TIME_NEVER ? 0 : now - pauses->held_since);
}

void port_obey(struct port *port, uint32_t handle, time_ps now)
{
    const struct frame frame = *frame_at(port->frames, handle);
    frame_give(port->frames, handle);
    for (uint8_t i = 0; i < PRIORITIES; i++)
        if ((frame.classes & port->params.pfc_enabled & 1 << i) != 0)
            obey_class(port, i, frame.quanta[i], now);
}

void port_receive_pfc(struct port *port, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(port->frames, handle);
    port->pfc_frames_rx++;
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const bool named = (frame->classes & 1u << i) != 0;
        port->pauses[i].rx_xoff += named && frame->quanta[i] > 0;
        port->pauses[i].rx_xon += named && frame->quanta[i] == 0;
    }
    if (port->params.pfc_response == 0)
        port_obey(port, handle, now);
    else
        node_post(port->node, port->node->id, now + port->params.pfc_response, NET_EVENT_PFC_ACT,
                  port->index, handle);
}

void port_pause_end(struct port *port, uint8_t priority, time_ps now)
{
    if (port->pause_until[priority] == now)
        let_go(port, priority, now);
}
