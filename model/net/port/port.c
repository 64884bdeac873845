/* SPDX-License-Identifier: Apache-2.0
 * port - transmission.
 *
 *    start      preamble       frame             gap
 *      |-----------|==============================|-----------|
 *           8                  bytes                   12
 *                                                 '- + propagation: the last bit has arrived
 *                                                             '- busy_until: the next may start */
#include "base/drop.h"
#include "base/hash.h"
#include "net/frame/mail.h"
#include "net/port/credits.h"
#include "net/port/port_private.h"

#include <stdlib.h>

static uint32_t own_queues(struct port *port, uint8_t allowed, time_ps now)
{
    (void)now;
    const unsigned mask = port->ready & allowed;
    return mask == 0 ? POOL_NONE : port_shift(port, (uint8_t)port_highest(mask));
}

static uint8_t enabled_of(const struct port *port, int64_t priorities)
{
    const int64_t kind = port->params.flow_control;
    return kind == PORT_FLOW_NONE || kind == PORT_FLOW_CREDITS ? 0 : (uint8_t)priorities;
}

/* Sends by an event when the wire is free. */
static void later(struct port *port)
{
    port_dequeue_later(port);
}

void port_init(struct port *port, struct node *node, uint16_t index,
               const struct port_params *params, struct frame_pool *frames,
               const struct probe *probe, port_source *source)
{
    *port = (struct port){
        .dequeue_at = TIME_NEVER,
        .node = node,
        .index = index,
        .largest = (uint16_t)port_largest_frame(params),
        .rate = wire_rate((uint64_t)params->rate),
        .propagation = port_propagation(params),
        .source = source != NULL ? source : own_queues,
        .later = later,
        .frames = frames,
        .params = *params,
        .probe = probe,
    };
    for (int i = 0; i < PRIORITIES; i++) {
        port->prios[i] = (struct port_prio){.head = POOL_NONE, .tail = POOL_NONE};
        port->pauses[i].blocked_since = port->pauses[i].asserted_since = TIME_NEVER;
        port->pauses[i].held_since = TIME_NEVER;
        port->refresh_at[i] = TIME_NEVER;
    }
    port->global.asserted_since = TIME_NEVER;
    port->enabled = enabled_of(port, params->pfc_enabled);
    if (params->pfc_refresh == 0)
        port->params.pfc_refresh = port_quanta_ps(port, (uint32_t)params->pfc_quanta) / 2;
    const time_ps back_to_back =
        units_transfer_ps(WIRE_PFC_BYTES + WIRE_GAP_BYTES, (uint64_t)params->rate);
    if (port->params.pfc_refresh < back_to_back)
        port->params.pfc_refresh = back_to_back; /* more refreshes do not fit on the wire */
    CHECK(port_largest_frame(params) <= UINT16_MAX);
    CHECK(port->rate.ps_per_byte <= UINT32_MAX);
    port->ps_per_byte = (uint32_t)port->rate.ps_per_byte;
    port_set_odd(port, PORT_SLOW_WIRE, port->ps_per_byte == 0 || params->kind != PORT_ETHERNET);
    port_set_odd(port, PORT_WATCHED, probe->frame != NULL || probe->hop != NULL);
    if (params->flow_control == PORT_FLOW_CREDITS)
        port_credits_make(port);
}

void port_fini(struct port *port)
{
    if (port->credits != NULL)
        port_credits_free(port);
}

static void aim(struct port *from, const struct port *to, struct port_ingress ingress)
{
    from->peer_node = to->node->id;
    from->peer_port = to->index;
    from->peer_response = to->params.pfc_response;
    from->peer_mtu = to->params.mtu;
    from->target = event_target(from->peer_node, from->peer_port, NET_EVENT_ARRIVAL);
    from->arrival_delay = from->propagation + ingress.latency;
    from->after_wire =
        from->arrival_delay - (WIRE_GAP_BYTES - WIRE_PREAMBLE_BYTES) * (time_ps)from->ps_per_byte;
    from->cut_through = ingress.cut_through;
    port_set_odd(from, PORT_CUT_THROUGH, ingress.cut_through != 0);
    CHECK((from->credits != NULL) == (to->credits != NULL));
    if (from->credits != NULL)
        port_credits_join(from, to);
}

/* Bytes of the preamble. */
static uint64_t preamble_of(const struct port *port)
{
    return port->params.kind == PORT_ETHERNET ? WIRE_PREAMBLE_BYTES : 0;
}

/* A PFC frame and an R_RDY take effect on arrival; all others, credit updates of InfiniBand too,
 * after the ingress pipeline, which for cut-through starts at the header. */
time_ps port_reach(const struct port *port)
{
    struct wire_rate update = wire_rate(port->rate.bps);
    if (port->credits != NULL)
        return (port->params.kind == PORT_FIBRE_CHANNEL ? port->propagation : port->arrival_delay) +
               wire_rate_take(&update, port_credits_bytes(port));
    struct wire_rate fresh = wire_rate(port->rate.bps), other = fresh;
    const bool early = port->cut_through != 0 && port->cut_through < WIRE_LEAST_BYTES;
    const uint64_t bytes = early ? port->cut_through : (uint64_t)WIRE_LEAST_BYTES;
    const time_ps pause =
        port->propagation + wire_rate_take(&fresh, WIRE_PFC_BYTES + WIRE_PREAMBLE_BYTES);
    const time_ps frame = port->arrival_delay + wire_rate_take(&other, bytes + WIRE_PREAMBLE_BYTES);
    return pause < frame ? pause : frame;
}

void port_join(struct port *a, struct port_ingress a_ingress, struct port *b,
               struct port_ingress b_ingress)
{
    aim(a, b, b_ingress);
    aim(b, a, a_ingress);
    if (a->node == b->node)
        return;
    engine_link(a->node->engine, port_reach(a));
    engine_link(b->node->engine, port_reach(b));
}

void port_set_mail(struct port *port, struct mail *mail)
{
    port->mail = mail;
    port_set_odd(port, PORT_REMOTE, mail != NULL);
}

time_ps port_quanta_ps(const struct port *port, uint32_t quanta)
{
    return units_transfer_ps(UINT64_C(64) * quanta, port->rate.bps);
}

/* ------------------------------------------------------------------ queues */

void port_append(struct port *port, uint32_t handle, struct frame *frame)
{
    port_append_to(port, frame->priority, handle, frame);
}

uint32_t port_shift(struct port *port, uint8_t priority)
{
    const uint32_t handle = port->prios[priority].head;
    CHECK(handle != POOL_NONE);
    const struct frame *frame = frame_at(port->frames, handle);
    port_shift_first(port, priority, frame, frame->bytes);
    return handle;
}

/* ------------------------------------------------------------------ sending */

static void drop_frame(const struct port *port, uint32_t handle, enum probe_drop_cause cause,
                       time_ps now)
{
    const struct frame *frame = frame_at(port->frames, handle);
    const struct probe_drop dropped = {
        .at = now,
        .node = port->node->id,
        .port = port->index,
        .priority = frame->priority,
        .cause = (uint8_t)cause,
        .egress = UINT16_MAX,
        .frame_bytes = frame->bytes,
        .source = frame->source,
        .destination = frame->destination,
        .qpn = frame->qpn,
        .psn = frame->psn,
        .opcode = frame->opcode,
        .payload = frame->payload,
    };
    port->probe->drop(port->probe->self, &dropped);
    frame_give(port->frames, handle);
}

static bool stops_something(const struct frame *frame)
{
    bool stops = frame->opcode == FRAME_PAUSE && frame->quanta[0] > 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        stops |= (frame->classes & 1u << i) != 0 && frame->quanta[i] > 0;
    return stops;
}

static bool fault_concerns(enum port_fault_frames frames, const struct frame *frame)
{
    const bool control = frame_is_mac_control(frame);
    switch (frames) {
    case PORT_FAULT_DATA:
        return frame->payload > 0;
    case PORT_FAULT_PAUSE:
        return control && stops_something(frame);
    case PORT_FAULT_RESUME:
        return control && !stops_something(frame);
    case PORT_FAULT_ALL:
    case PORT_FAULT_KINDS:
        break;
    }
    return true;
}

/* True when the fault drops the frame. A corrupt frame continues and fails the FCS check at its
 * receiver. */
static bool fault_takes(struct port_fault *fault, struct frame *frame)
{
    if (fault->bits_between_errors > 0) {
        fault->bits_to_error -= frame->bytes * 8;
        if (fault->bits_to_error <= 0) {
            frame->flags |= FRAME_CORRUPT;
            fault->bits_to_error = rng_exponential(&fault->errors, fault->bits_between_errors);
        }
    }
    bool taken = fault->loss_per_10_15 > 0 && fault_concerns(fault->loss_frames, frame) &&
                 rng_chance(&fault->losses, fault->loss_per_10_15, UINT64_C(1000000000000000));
    if (fault->drop_every > 0 && fault_concerns(fault->frames, frame))
        taken |= ++fault->seen % fault->drop_every == 0;
    return taken;
}

/* MAC control frames and R_RDYs take effect on arrival. Credit updates with counters stay in order
 * with the frames that they count. */
static bool skips_ingress(const struct frame *frame)
{
    return frame_is_mac_control(frame) &&
           (frame->opcode != FRAME_CREDIT || frame->aeth == CREDIT_R_RDY);
}

/* When the peer acts on a frame whose first bit leaves now. */
static time_ps arrival_time(struct port *port, const struct frame *frame, time_ps now)
{
    const uint64_t preamble = preamble_of(port);
    const time_ps last_bit = now + wire_rate_take(&port->rate, frame->bytes + preamble);
    port->busy_until = last_bit;
    if (frame->opcode != FRAME_CREDIT)
        port->busy_until += wire_rate_take(&port->rate, port_gap_bytes(&port->params) - preamble);
    else if (port_credits_fill_gap(port))
        port->busy_until = now;
    if (skips_ingress(frame))
        return last_bit + port->propagation;
    if (port->cut_through == 0 || frame->bytes <= port->cut_through)
        return last_bit + port->arrival_delay;
    struct wire_rate header = port->rate;
    return now + wire_rate_take(&header, port->cut_through + preamble) + port->arrival_delay;
}

static void count_sent(struct port *port, const struct frame *frame)
{
    struct port_prio *prio = &port->prios[frame->priority];
    prio->tx_frames++;
    prio->tx_bytes += frame->bytes;
}

static void report_sent(const struct port *port, const struct frame *frame, bool lost, time_ps now,
                        time_ps arrives)
{
    const struct probe_frame sent = {
        .at = now,
        .node = port->node->id,
        .port = port->index,
        .wire_ps = port->busy_until - now,
        .arrives_at = arrives,
        .propagation_ps = port->propagation,
        .latency_ps = skips_ingress(frame) ? 0 : port->arrival_delay - port->propagation,
        .lost = lost,
        .frame = frame,
        .head = frame->blob == POOL_NONE ? NULL : frame_blob(port->frames, frame),
        .head_bytes = frame_blob_bytes(frame),
    };
    port->probe->frame(port->probe->self, &sent);
}

static struct probe_hop hop_of(const struct port *port, const struct frame *frame, bool lost,
                               time_ps now, time_ps arrives)
{
    return (struct probe_hop){
        .at = now,
        .arrives_at = arrives,
        .wire_ps = port->busy_until - now,
        .propagation_ps = port->propagation,
        .latency_ps = port->arrival_delay - port->propagation,
        .node = port->node->id,
        .destination = frame->destination,
        .qpn = frame->qpn,
        .psn = frame->psn,
        .port = port->index,
        .priority = frame->priority,
        .opcode = frame->opcode,
        .resent = (frame->flags & FRAME_RESENT) != 0,
        .lost = lost,
    };
}

static void report_segment(const struct port *port, const struct frame *frame, bool lost,
                           time_ps now, time_ps arrives)
{
    const struct probe *probe = port->probe;
    const bool of_exchange = frame_is_of_exchange(frame);
    const bool of_stream = frame->opcode == FRAME_TCP && frame->payload > 0;
    if (probe->segment == NULL || (!of_exchange && !of_stream))
        return;
    struct probe_segment segment = {
        .hop = hop_of(port, frame, lost, now, arrives),
        .source = frame->source,
        .payload = frame->payload,
    };
    if (of_exchange) {
        segment.hop.qpn = frame_exchange(frame);
        segment.hop.psn = frame_exchange_number(frame);
        segment.payload = 1;
    }
    probe->segment(probe->self, &segment);
}

/* Reports packets of reliable connections to the time accounting. */
static void report_hop(const struct port *port, const struct frame *frame, bool lost, time_ps now,
                       time_ps arrives)
{
    const struct probe *probe = port->probe;
    if (frame->opcode > FRAME_RC_SEND_ONLY_INV) {
        report_segment(port, frame, lost, now, arrives);
        return;
    }
    void (*const tell)(void *, const struct probe_hop *) =
        frame->opcode == FRAME_RC_ACKNOWLEDGE ? probe->ack : probe->hop;
    if (tell == NULL)
        return;
    const struct probe_hop hop = hop_of(port, frame, lost, now, arrives);
    tell(probe->self, &hop);
}

static void send_by_mail(struct port *port, uint32_t handle, time_ps at)
{
    const struct event event = {
        .at = at,
        .order = port_next_order(port),
        .target = port->target,
        .argument = handle,
    };
    mail_send(port->mail, port->frames, &event);
}

void port_tell_telemetry(struct port *port)
{
    port_set_odd(port, PORT_TELEMETRY, true);
}

/* Only requests that collect telemetry get a record; ACKs merely return it. */
static void add_hop(const struct port *port, const struct frame *frame, time_ps now)
{
    struct telemetry *telemetry = frame_telemetry(port->frames, frame);
    if ((frame->flags & FRAME_TELEMETRY) == 0 || frame->opcode == FRAME_RC_ACKNOWLEDGE ||
        telemetry->hops == TELEMETRY_HOPS)
        return;
    struct telemetry_hop *hop = &telemetry->hop[telemetry->hops++];
    telemetry->path ^= (uint32_t)hash_mix((uint64_t)port->node->id << 16 | port->index);
    *hop = (struct telemetry_hop){.at = now, .line_bps = port->rate.bps};
    for (unsigned i = 0; i < PRIORITIES; i++) {
        const struct port_prio *prio = &port->prios[i];
        hop->wire_bytes += prio->tx_bytes + prio->tx_frames * port_gap_bytes(&port->params);
        hop->queue += (uint64_t)prio->bytes;
    }
}

/* The slow path, for frames whose sending needs more than computing the arrival time. */
void port_send_odd(struct port *port, uint32_t handle, time_ps now)
{
    struct frame *frame = frame_at(port->frames, handle);
    if (port->odd == PORT_WATCHED && port->probe->frame == NULL && !frame_is_mac_control(frame)) {
        port_transmit(port, &port->prios[frame->priority], handle, frame->bytes,
                      port_dequeue_order(port), now);
        report_hop(port, frame, false, now, port->busy_until + port->after_wire);
        return;
    }
    if ((port->odd & PORT_TELEMETRY) != 0)
        add_hop(port, frame, now);
    const time_ps at = arrival_time(port, frame, now);
    count_sent(port, frame);
    const bool down = (port->odd & PORT_DOWN) != 0;
    if (port->credits != NULL && !down && !frame_is_mac_control(frame))
        port_credits_spend(port, frame, now);
    const bool taken = !down && port->fault != NULL && fault_takes(port->fault, frame);
    port->tx_discards += down;
    if ((port->odd & PORT_WATCHED) != 0) {
        if (port->probe->frame != NULL)
            report_sent(port, frame, down || taken, now, at);
        report_hop(port, frame, down || taken, now, at);
    }
    if (down || taken)
        drop_frame(port, handle, down ? PROBE_DROP_LINK_DOWN : PROBE_DROP_INJECTED, now);
    else if ((port->odd & PORT_REMOTE) != 0)
        send_by_mail(port, handle, at);
    else
        node_post_ordered(port->node, port_next_order(port), port->target, at, handle);
}

void port_dequeue(struct port *port, time_ps now)
{
    port_serve(port, port->source, port->later, now);
}

void port_set_up(struct port *port, bool up, time_ps now)
{
    const bool was_up = (port->odd & PORT_DOWN) == 0;
    if (up == was_up)
        return;
    port_set_odd(port, PORT_DOWN, !up);
    port->carrier += !up;
    const bool fast = up && port->credits == NULL;
    port->largest = fast ? (uint16_t)port_largest_frame(&port->params) : 0;
    port_tx_pause_carrier(port, up);
    if (port->credits != NULL)
        port_credits_carrier(port, up);
    if (up)
        port_dequeue(port, now);
    else
        port_rx_pause_forget(port, ALL_PRIORITIES, now);
}

void port_enable_pauses(struct port *port, uint8_t priorities, time_ps now)
{
    port->enabled = enabled_of(port, priorities);
    const bool global = port->params.flow_control == PORT_FLOW_GLOBAL;
    port_tx_pause_enable(port, now);
    port_rx_pause_forget(port, global && port->enabled != 0 ? 0 : (uint8_t)~port->enabled, now);
}

void port_set_fault(struct port *port, struct port_fault *fault)
{
    port->fault = fault;
    port_set_odd(port, PORT_FAULTY, fault != NULL);
}

/* ------------------------------------------------------------------ events */

bool port_receive_odd(struct port *port, const struct event *event)
{
    const uint32_t handle = (uint32_t)event->argument;
    const time_ps now = event->at;
    const struct frame *frame = frame_at(port->frames, handle);
    if ((port->odd & PORT_DOWN) != 0) {
        drop_frame(port, handle, PROBE_DROP_LINK_DOWN, now);
    } else if ((frame->flags & FRAME_CORRUPT) != 0) {
        port->corrupt++;
        if (port->credits != NULL)
            port_credits_damaged(port, frame, now);
        drop_frame(port, handle, PROBE_DROP_CORRUPT, now);
    } else if (frame->opcode == FRAME_CREDIT) {
        port_credits_receive(port, handle, now);
    } else if (frame_is_mac_control(frame)) {
        port_receive_pfc(port, handle, now);
    } else if (port->credits != NULL && port_credits_take(port, frame, now)) {
        return true;
    } else {
        port->giants++;
        drop_frame(port, handle, PROBE_DROP_MTU, now);
    }
    return false;
}

void port_on_event(struct port *port, const struct event *event)
{
    switch ((enum net_event)event->kind) {
    case NET_EVENT_DEQUEUE:
        if (port_dequeue_came(port, event->at))
            port_dequeue(port, event->at);
        return;
    case NET_EVENT_PFC_ACT:
        port_obey(port, (uint32_t)event->argument, event->at);
        return;
    case NET_EVENT_PAUSE_END:
        port_pause_end(port, (uint8_t)event->argument, event->at);
        return;
    case NET_EVENT_PFC_REFRESH:
        port_refresh(port, (uint8_t)event->argument, event->at);
        return;
    case NET_EVENT_CREDIT_TICK:
        port_credits_tick(port, event->at);
        return;
    case NET_EVENT_CREDIT_FREE:
        port_return_credits(port, (uint8_t)event->argument, 0, event->at);
        return;
    case NET_EVENT_ARRIVAL:
    case NET_EVENT_FIRST_OWN:
        break;
    }
    check_failed("a port's event has one of the kinds above", __FILE__, __LINE__);
}
