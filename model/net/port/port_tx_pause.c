/* SPDX-License-Identifier: Apache-2.0
 * port_tx_pause - pauses that this end requests from its peer.
 *            assert                       release        (the owner's buffer)
 *   wanted   |-----------------------------|
 *   asserted |-----------------------------|             wanted and enabled
 *   frames   XOFF    XOFF    XOFF    XOFF  XON           each pfc-refresh; XON if pfc-xon
 * With global flow control the same frames apply to all priorities, from the first class asserted
 * to the last released. */
#include "net/port/port_private.h"

static bool is_global(const struct port *port)
{
    return port->params.flow_control == PORT_FLOW_GLOBAL;
}

/* The refresh timer of a priority; with global flow control there is one. */
static uint8_t timer_of(const struct port *port, uint8_t priority)
{
    return is_global(port) ? 0 : priority;
}

/* ------------------------------------------------------------------ frames */

static void note_reported(struct port *port, struct port_asserted *pauses, uint8_t bits, bool xoff)
{
    port->reported = (uint8_t)(xoff ? port->reported | bits : port->reported & ~bits);
    pauses->tx_xoff += xoff;
    pauses->tx_xon += !xoff;
}

static uint32_t pause_frame(struct port *port)
{
    const uint32_t handle = frame_take(port->frames);
    struct frame *frame = frame_at(port->frames, handle);
    const uint16_t quanta = (uint16_t)port->params.pfc_quanta;
    *frame = (struct frame){
        .bytes = WIRE_PFC_BYTES,
        .opcode = is_global(port) ? FRAME_PAUSE : FRAME_PFC,
        .priority = PRIORITIES - 1,
        .flags = FRAME_CONTROL,
        .classes = is_global(port) ? 0 : port->pfc_due,
        .blob = POOL_NONE,
    };
    if (is_global(port)) {
        frame->quanta[0] = port->asserted != 0 ? quanta : 0;
        note_reported(port, &port->global, ALL_PRIORITIES, port->asserted != 0);
    }
    for (unsigned i = 0; i < PRIORITIES; i++) {
        if ((frame->classes & 1u << i) == 0)
            continue;
        const bool xoff = (port->asserted & 1u << i) != 0;
        frame->quanta[i] = xoff ? quanta : 0;
        note_reported(port, &port->pauses[i].frames, (uint8_t)(1u << i), xoff);
    }
    port->pfc_due = 0;
    port->pfc_frames_tx++;
    return handle;
}

bool port_send_due(struct port *port, time_ps now)
{
    if (port->credits != NULL)
        return port_credits_serve(port, now);
    port_send_odd(port, pause_frame(port), now);
    return true;
}

/* Schedules an XOFF or XON, unless there is no carrier. */
static void make_due(struct port *port, uint8_t bits)
{
    if ((port->odd & PORT_DOWN) == 0)
        port->pfc_due |= bits;
}

/* ------------------------------------------------------------------ edges */

static void refresh_later(struct port *port, uint8_t timer, time_ps now)
{
    port->refresh_at[timer] = now + port->params.pfc_refresh;
    node_post(port->node, port->node->id, port->refresh_at[timer], NET_EVENT_PFC_REFRESH,
              port->index, timer);
}

/* A global pause is reported as an edge of each priority, because it stops each. */
static void report_pause(const struct port *port, uint8_t bits, const struct probe_pause *why)
{
    struct probe_pause edge = *why;
    for (edge.priority = 0; edge.priority < PRIORITIES; edge.priority++)
        if ((bits & 1u << edge.priority) != 0)
            port->probe->pause(port->probe->self, &edge);
}

/* The priorities whose requested state differs between `before` and the present mask. */
static uint8_t changed_priorities(const struct port *port, uint8_t before)
{
    if (!is_global(port))
        return before ^ port->asserted;
    return (before == 0) != (port->asserted == 0) ? ALL_PRIORITIES : 0;
}

static void start_time(time_ps *since, time_ps now)
{
    CHECK(*since == TIME_NEVER);
    *since = now;
}

static void stop_time(struct port_asserted *pauses, time_ps now)
{
    CHECK(pauses->asserted_since != TIME_NEVER);
    pauses->asserted_ps += now - pauses->asserted_since;
    pauses->asserted_since = TIME_NEVER;
}

static void begin_pause(struct port *port, uint8_t priority, const struct probe_pause *why)
{
    const uint8_t before = port->asserted;
    port->asserted |= (uint8_t)(1u << priority);
    start_time(&port->pauses[priority].asserted_since, why->at);
    const uint8_t bits = changed_priorities(port, before);
    if (bits == 0)
        return;
    if (is_global(port))
        start_time(&port->global.asserted_since, why->at);
    make_due(port, bits);
    report_pause(port, bits, why);
    refresh_later(port, timer_of(port, priority), why->at);
    port_dequeue(port, why->at);
}

/* Ends a pause. With `silent`, or when pfc-xon is false, no XON is sent and the peer's quanta
 * expire. */
static void end_pause(struct port *port, uint8_t priority, const struct probe_pause *why,
                      bool silent)
{
    const uint8_t before = port->asserted;
    port->asserted &= (uint8_t) ~(1u << priority);
    stop_time(&port->pauses[priority].frames, why->at);
    const uint8_t bits = changed_priorities(port, before);
    if (bits == 0)
        return;
    if (is_global(port))
        stop_time(&port->global, why->at);
    port->pfc_due &= (uint8_t)~bits; /* an XOFF that has not left is no longer needed */
    if (!silent && port->params.pfc_xon != 0)
        make_due(port, bits & port->reported); /* the peer may never have received the XOFF */
    if (silent)
        port->reported &= (uint8_t)~bits;
    port->refresh_at[timer_of(port, priority)] = TIME_NEVER;
    report_pause(port, bits, why);
    port_dequeue(port, why->at);
}

void port_pfc_assert(struct port *port, uint8_t priority, const struct probe_pause *why)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    port->wanted |= bit;
    if ((port->enabled & ~port->asserted & bit) != 0)
        begin_pause(port, priority, why);
}

void port_pfc_release(struct port *port, uint8_t priority, const struct probe_pause *why)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    port->wanted &= (uint8_t)~bit;
    if ((port->asserted & bit) != 0)
        end_pause(port, priority, why, false);
}

/* ------------------------------------------------------------------ time, carrier, settings */

static struct probe_pause no_reason_yet(const struct port *port, uint8_t priority, bool xoff,
                                        time_ps now)
{
    return (struct probe_pause){.at = now,
                                .node = port->node->id,
                                .port = port->index,
                                .priority = priority,
                                .xoff = xoff,
                                .egress = UINT16_MAX};
}

static void find_reason(const struct port *port, struct probe_pause *why)
{
    if (port->reason != NULL)
        port->reason(port, why);
}

void port_refresh(struct port *port, uint8_t timer, time_ps now)
{
    if (port->refresh_at[timer] != now)
        return; /* released since, or released and asserted again */
    refresh_later(port, timer, now);
    if ((port->odd & PORT_DOWN) != 0)
        return;
    make_due(port, (uint8_t)(is_global(port) ? ALL_PRIORITIES : 1u << timer));
    struct probe_pause again = no_reason_yet(port, timer, true, now);
    again.refresh = true;
    if (is_global(port))
        again.priority = (uint8_t)__builtin_ctz(port->asserted);
    find_reason(port, &again);
    port->probe->pause(port->probe->self, &again);
    port_dequeue(port, now);
}

void port_tx_pause_carrier(struct port *port, bool up)
{
    port->reported = 0; /* the peer resets its pauses when its carrier is lost */
    port->pfc_due = 0;
    const bool all = is_global(port) && port->asserted != 0;
    if (up)
        make_due(port, all ? (uint8_t)ALL_PRIORITIES : port->asserted);
}

void port_tx_pause_enable(struct port *port, time_ps now)
{
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        const uint8_t bit = (uint8_t)(1u << i);
        struct probe_pause why = no_reason_yet(port, i, (port->enabled & bit) != 0, now);
        if ((port->asserted & ~port->enabled & bit) != 0) {
            end_pause(port, i, &why, true);
        } else if ((port->wanted & port->enabled & ~port->asserted & bit) != 0) {
            find_reason(port, &why);
            begin_pause(port, i, &why);
        }
    }
}
