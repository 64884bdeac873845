/* SPDX-License-Identifier: Apache-2.0
 * port_rx_pause - pauses that the peer requests and this end obeys.
 * An XOFF takes effect one response delay after its last bit; then no frame of the priority begins
 * until the quanta have expired, counted from there, or an XON takes effect. A newer XOFF replaces
 * the expiry time, so the PAUSE_END of the older one finds a different time and does nothing. */
#include "net/port/port_private.h"

static void report_blocked(const struct port *port, uint8_t priority, bool blocked, time_ps now)
{
    const struct probe_blocked reported = {now, port->node->id, port->index, priority, blocked};
    port->probe->blocked(port->probe->self, &reported);
}

static void block(struct port *port, uint8_t priority, time_ps now)
{
    port->paused |= (uint8_t)(1u << priority);
    port->pauses[priority].blocked_since = now;
    report_blocked(port, priority, true, now);
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
    report_blocked(port, priority, false, now);
}

/* ------------------------------------------------------------------ pause state */

/* Updates the transmitter after a change of the peer's pauses, or of whether they are obeyed. All
 * priorities are updated before it sends, so that of several resumed together the highest goes
 * first. */
static void update_transmitter(struct port *port, time_ps now)
{
    const uint8_t wanted = port->held & (uint8_t)~port->ignored;
    const uint8_t changed = wanted ^ port->paused;
    for (uint8_t i = 0; changed != 0 && i < PRIORITIES; i++) {
        if ((changed & wanted & 1u << i) != 0)
            block(port, i, now);
        else if ((changed & 1u << i) != 0)
            unblock(port, i, now);
    }
    if ((changed & ~wanted) != 0)
        port_dequeue(port, now);
}

static void hold(struct port *port, uint8_t priority, time_ps until, time_ps now)
{
    if ((port->held & 1u << priority) == 0)
        port->pauses[priority].held_since = now;
    port->held |= (uint8_t)(1u << priority);
    port->pause_until[priority] = until;
    node_post(port->node, port->node->id, until, NET_EVENT_PAUSE_END, port->index, priority);
}

static void let_go(struct port *port, uint8_t priority, time_ps now)
{
    if ((port->held & 1u << priority) == 0)
        return;
    port->pauses[priority].rx_transitions++;
    port->pauses[priority].held_ps += now - port->pauses[priority].held_since;
    port->pauses[priority].held_since = TIME_NEVER;
    port->held &= (uint8_t) ~(1u << priority);
}

static void ask_class(struct port *port, uint8_t priority, uint16_t quanta, time_ps now)
{
    if (quanta == 0)
        let_go(port, priority, now);
    else
        hold(port, priority, now + port_quanta_ps(port, quanta), now);
}

/* True for a frame that would have paused a priority, where no affected priority obeys pauses. */
static bool is_unheeded(const struct port *port, const struct frame *frame)
{
    if (frame->opcode == FRAME_PAUSE)
        return port->enabled == 0 && frame->quanta[0] > 0;
    unsigned asked = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        asked |= (unsigned)(frame->quanta[i] > 0) << i;
    asked &= frame->classes;
    return asked != 0 && (asked & port->enabled) == 0;
}

void port_obey(struct port *port, uint32_t handle, time_ps now)
{
    const struct frame frame = *frame_at(port->frames, handle);
    frame_give(port->frames, handle);
    if (frame.psn != port->carrier)
        return; /* the link has gone down in the meantime */
    port->xoffs_unheeded += is_unheeded(port, &frame);
    for (uint8_t i = 0; i < PRIORITIES; i++)
        if (frame.opcode == FRAME_PAUSE && port->enabled != 0)
            ask_class(port, i, frame.quanta[0], now);
        else if (frame.opcode == FRAME_PFC && (frame.classes & port->enabled & 1u << i) != 0)
            ask_class(port, i, frame.quanta[i], now);
    update_transmitter(port, now);
}

void port_pause_end(struct port *port, uint8_t priority, time_ps now)
{
    if (port->pause_until[priority] != now)
        return;
    let_go(port, priority, now);
    update_transmitter(port, now);
}

void port_rx_pause_forget(struct port *port, uint8_t priorities, time_ps now)
{
    for (uint8_t i = 0; i < PRIORITIES; i++)
        if ((priorities & 1u << i) != 0)
            let_go(port, i, now);
    update_transmitter(port, now);
}

void port_rx_pause_hold(struct port *port, uint8_t priorities, time_ps now)
{
    for (uint8_t i = 0; i < PRIORITIES; i++)
        if ((priorities & ~port->held & 1u << i) != 0)
            port->pauses[i].held_since = now;
    port->held |= priorities;
    update_transmitter(port, now);
}

/* ------------------------------------------------------------------ frames */

static void count_quanta(struct port_asserted *pauses, uint16_t quanta)
{
    pauses->rx_xoff += quanta > 0;
    pauses->rx_xon += quanta == 0;
}

static bool is_of_our_kind(const struct port *port, const struct frame *frame)
{
    const enum port_flow_control kind =
        frame->opcode == FRAME_PFC ? PORT_FLOW_PFC : PORT_FLOW_GLOBAL;
    return port->params.flow_control == (int64_t)kind;
}

void port_receive_pfc(struct port *port, uint32_t handle, time_ps now)
{
    struct frame *frame = frame_at(port->frames, handle);
    port->pfc_frames_rx++;
    if (!is_of_our_kind(port, frame)) {
        port->pfc_frames_ignored++;
        frame_give(port->frames, handle);
        return;
    }
    if (frame->opcode == FRAME_PAUSE)
        count_quanta(&port->global, frame->quanta[0]);
    for (unsigned i = 0; i < PRIORITIES; i++)
        if ((frame->classes & 1u << i) != 0)
            count_quanta(&port->pauses[i].frames, frame->quanta[i]);
    frame->psn = port->carrier;
    if (port->params.pfc_response == 0)
        port_obey(port, handle, now);
    else
        node_post(port->node, port->node->id, now + port->params.pfc_response, NET_EVENT_PFC_ACT,
                  port->index, handle);
}

/* ------------------------------------------------------------------ settings of the owner */

void port_ignore_pauses(struct port *port, uint8_t priority, bool on, time_ps now)
{
    CHECK(priority < PRIORITIES);
    const unsigned bit = 1u << priority;
    port->ignored = (uint8_t)(on ? port->ignored | bit : port->ignored & ~bit);
    update_transmitter(port, now);
}

time_ps port_held_ps(const struct port *port, uint8_t priority, time_ps now)
{
    const struct port_pauses *pauses = &port->pauses[priority];
    return pauses->held_ps + (pauses->held_since == TIME_NEVER ? 0 : now - pauses->held_since);
}
