/* SPDX-License-Identifier: Apache-2.0
 * record_counters - the value of each counter, and the state of each connection. */
#include "replay/record/record_private.h"

#include "base/drop.h"
#include "net/port/credits.h"
#include "net/switch/watchdog.h"
#include "replay/database/counter.h"
#include "replay/usage/usage.h"
#include "tcp/tcp.h"

struct place {
    struct store *store;
    bool brief;
    uint32_t node;
    int32_t port, priority; /* -1: none */
};

struct counted {
    enum counter_id id;
    uint64_t value;
};

/* Counters that reports/summary/text.c reads. */
static bool is_summarised(enum counter_id id)
{
    return id == COUNTER_TX_PRIO_BLOCKED || id == COUNTER_RX_GLOBAL_PAUSE ||
           id == COUNTER_PFCWD_STORMS || id == COUNTER_TX_LINK_RESETS;
}

/* Zeros are omitted: a large fabric has a hundred thousand counters, and most are zero. */
static void write_counter(const struct place *place, enum counter_id id, uint64_t value)
{
    const struct counter_about *about = &counters_about[id];
    char name[COUNTER_NAME_BYTES], sonic[COUNTER_NAME_BYTES];
    if (value == 0 || (place->brief && !is_summarised(id)))
        return;
    counter_text(name, about->name, place->priority);
    if (about->sai != NULL)
        counter_text(sonic, about->sai, place->priority);
    RECORD_ROW(place->store, counter, .node = STORE_I(place->node),
               .port = place->port < 0 ? STORE_N : STORE_I(place->port),
               .priority = place->priority < 0 ? STORE_N : STORE_I(place->priority),
               .name = STORE_T(name), .sonic = about->sai == NULL ? STORE_N : STORE_T(sonic),
               .value = STORE_I(value), .unit = STORE_T(about->unit));
}

static void write_counters(const struct place *place, const struct counted *counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_counter(place, counters[i].id, counters[i].value);
}

#define WRITE(place, counters) write_counters(place, counters, sizeof counters / sizeof counters[0])

static uint64_t asserted_us(const struct port_asserted *pauses, time_ps now)
{
    const time_ps open = pauses->asserted_since == TIME_NEVER ? 0 : now - pauses->asserted_since;
    return (uint64_t)((pauses->asserted_ps + open) / PS_PER_US);
}

static void write_pauses(const struct place *place, const struct port *port,
                         const struct port_pauses *pauses, time_ps now)
{
    const time_ps held = port_held_ps(port, (uint8_t)place->priority, now);
    write_counter(place, COUNTER_TX_PRIO_PAUSE, pauses->tx_xoff + pauses->tx_xon);
    write_counter(place, COUNTER_RX_PRIO_PAUSE, pauses->rx_xoff + pauses->rx_xon);
    write_counter(place, COUNTER_TX_PRIO_PAUSE_XOFF, pauses->tx_xoff);
    write_counter(place, COUNTER_RX_PRIO_PAUSE_XOFF, pauses->rx_xoff);
    write_counter(place, COUNTER_RX_PRIO_PAUSE_TRANSITION, pauses->rx_transitions);
    write_counter(place, COUNTER_RX_PRIO_PAUSE_DURATION, (uint64_t)(held / PS_PER_US));
    write_counter(place, COUNTER_TX_PRIO_PAUSE_DURATION, asserted_us(&pauses->frames, now));
}

/* MAC control frames leave with priority 7, and credit updates with the priority of their lane, but
 * do not count as its packets. */
static uint64_t control_frames(const struct port *port, int priority)
{
    if (port->credits != NULL)
        return port->credits->lanes[priority].updates_tx;
    return priority == PRIORITIES - 1 ? port->pfc_frames_tx : 0;
}

static void write_port_priority(struct place place, const struct port *port, int priority,
                                time_ps now)
{
    const uint64_t control = control_frames(port, priority);
    const uint64_t each = port->credits != NULL ? port_credits_bytes(port) : WIRE_PFC_BYTES;
    place.priority = priority;
    write_counter(&place, COUNTER_TX_PRIO_PACKETS, port->prios[priority].tx_frames - control);
    write_counter(&place, COUNTER_TX_PRIO_BYTES, port->prios[priority].tx_bytes - control * each);
    write_counter(&place, COUNTER_RX_PRIO_PACKETS, port->prios[priority].rx_frames);
    write_counter(&place, COUNTER_RX_PRIO_BYTES, port->prios[priority].rx_bytes);
    if (port->params.flow_control == PORT_FLOW_PFC)
        write_pauses(&place, port, &port->pauses[priority], now);
    write_counter(&place, COUNTER_TX_PRIO_BLOCKED, (uint64_t)usage_blocked_ps(port, priority, now));
    write_counter(&place, COUNTER_TX_PRIO_BLOCKED_LONGEST,
                  (uint64_t)collect_blocked_longest_ps(port, priority, now));
}

/* Global pause stops all priorities together, so the times of one priority are those of the
 * port. */
static void write_global(const struct place *place, const struct port *port, time_ps now)
{
    const struct port_asserted *pauses = &port->global;
    const struct counted counters[] = {
        {COUNTER_TX_GLOBAL_PAUSE, pauses->tx_xoff + pauses->tx_xon},
        {COUNTER_RX_GLOBAL_PAUSE, pauses->rx_xoff + pauses->rx_xon},
        {COUNTER_TX_GLOBAL_PAUSE_XOFF, pauses->tx_xoff},
        {COUNTER_RX_GLOBAL_PAUSE_XOFF, pauses->rx_xoff},
        {COUNTER_TX_GLOBAL_PAUSE_DURATION, asserted_us(pauses, now)},
        {COUNTER_RX_GLOBAL_PAUSE_DURATION, (uint64_t)(port_held_ps(port, 0, now) / PS_PER_US)},
        {COUNTER_RX_GLOBAL_PAUSE_TRANSITION, port->pauses[0].rx_transitions},
    };
    WRITE(place, counters);
}

static void write_credits(const struct place *place, const struct port_credits *credits)
{
    struct credit_lane sum = {0};
    for (int i = 0; i < PRIORITIES; i++) {
        const struct credit_lane *lane = &credits->lanes[i];
        sum.updates_tx += lane->updates_tx;
        sum.updates_rx += lane->updates_rx;
        sum.zeros_tx += lane->zeros_tx;
        sum.zeros_rx += lane->zeros_rx;
        sum.link_resets += lane->link_resets;
        sum.resets_rx += lane->resets_rx;
        sum.recovered += lane->recovered;
    }
    const struct counted counters[] = {
        {COUNTER_TX_CREDIT_UPDATES, sum.updates_tx},
        {COUNTER_RX_CREDIT_UPDATES, sum.updates_rx},
        {COUNTER_TX_CREDIT_ZERO, sum.zeros_tx},
        {COUNTER_RX_CREDIT_ZERO, sum.zeros_rx},
        {COUNTER_TX_LINK_RESETS, sum.link_resets},
        {COUNTER_RX_LINK_RESETS, sum.resets_rx},
        {COUNTER_CREDITS_RECOVERED, sum.recovered},
        {COUNTER_TX_LIFETIME_DISCARDS, credits->expired},
    };
    WRITE(place, counters);
}

static void write_port(struct place place, const struct port *port, time_ps now)
{
    uint64_t tx_frames = 0, tx_bytes = 0, rx_frames = 0, rx_bytes = 0;
    for (int i = 0; i < PRIORITIES; i++) {
        tx_frames += port->prios[i].tx_frames;
        tx_bytes += port->prios[i].tx_bytes;
        rx_frames += port->prios[i].rx_frames;
        rx_bytes += port->prios[i].rx_bytes;
        write_port_priority(place, port, i, now);
    }
    const struct counted counters[] = {
        {COUNTER_TX_PACKETS, tx_frames},
        {COUNTER_TX_BYTES, tx_bytes},
        {COUNTER_RX_PACKETS, rx_frames + port->pfc_frames_rx},
        {COUNTER_RX_BYTES, rx_bytes + port->pfc_frames_rx * WIRE_PFC_BYTES},
        {COUNTER_TX_PAUSE_CTRL, port->pfc_frames_tx},
        {COUNTER_RX_PAUSE_CTRL, port->pfc_frames_rx - port->pfc_frames_ignored},
        {COUNTER_TX_MAC_CONTROL, port->pfc_frames_tx},
        {COUNTER_RX_MAC_CONTROL, port->pfc_frames_rx},
        {COUNTER_RX_UNSUPPORTED_OP, port->pfc_frames_ignored},
        {COUNTER_TX_DISCARDS, port->tx_discards},
        {COUNTER_LINK_DOWN_EVENTS, port->carrier},
        {COUNTER_RX_OVERSIZE, port->giants},
        {COUNTER_RX_CRC_ERRORS, port->corrupt},
        {COUNTER_TX_BUSY, (uint64_t)collect_busy_ps(port, now)},
    };
    WRITE(&place, counters);
    if (port->params.flow_control == PORT_FLOW_GLOBAL)
        write_global(&place, port, now);
    if (port->credits != NULL)
        write_credits(&place, port->credits);
}

static void write_tcp(const struct place *place, const struct tcp_counters *from)
{
    static const enum counter_id ids[TCP_COUNTERS] = {
#define TCP_COUNTER(field, name, about) COUNTER_TCP_##field,
#include "tcp/tcp_counters.def"
#undef TCP_COUNTER
    };
    for (unsigned i = 0; i < TCP_COUNTERS; i++)
        write_counter(place, ids[i], tcp_counter(from, i));
}

static void write_rnic(const struct place *place, const struct rnic *rnic)
{
    const struct rnic_counters *from = &rnic->counters;
    const struct counted counters[] = {
        {COUNTER_MESSAGES, from->messages},
        {COUNTER_MESSAGE_BYTES, from->message_bytes},
        {COUNTER_RECEIVED_MESSAGES, from->received_messages},
        {COUNTER_RECEIVED_BYTES, from->received_bytes},
        {COUNTER_RX_READ_REQUESTS, from->read_requests},
        {COUNTER_RX_WRITE_REQUESTS, from->write_requests},
        {COUNTER_RETRANSMITTED_PACKETS, from->retransmitted_packets},
        {COUNTER_ACKS_SENT, from->acks_sent},
        {COUNTER_LOCAL_ACK_TIMEOUT_ERR, from->timeouts},
        {COUNTER_PACKET_SEQ_ERR, from->naks},
        {COUNTER_IMPLIED_NAK_SEQ_ERR, from->implied_naks},
        {COUNTER_RNR_NAK_RETRY_ERR, from->rnr_naks},
        {COUNTER_OUT_OF_BUFFER, from->rnr_naks_sent},
        {COUNTER_OUT_OF_SEQUENCE, from->out_of_sequence},
        {COUNTER_DUPLICATE_REQUEST, from->duplicate_requests},
        {COUNTER_REQ_REMOTE_ACCESS_ERRORS, from->remote_errors},
        {COUNTER_REQ_TRANSPORT_RETRIES_EXCEEDED, from->retries_exceeded},
        {COUNTER_CQ_OVERRUNS, from->cq_overruns},
        {COUNTER_QP_ERRORS, from->qp_errors},
        {COUNTER_NP_ECN_MARKED_ROCE_PACKETS, from->ecn_marked},
        {COUNTER_NP_CNP_SENT, from->cnps_sent},
        {COUNTER_RP_CNP_HANDLED, from->cnps_handled},
        {COUNTER_RX_DISCARDS, from->rx_buffer_drops},
        {COUNTER_RX_OUT_OF_BUFFER, from->rx_out_of_buffer},
        {COUNTER_TX_PAUSE_STORM_WARNING, from->stall_warnings},
        {COUNTER_TX_PAUSE_STORM_ERROR, from->stalls},
    };
    WRITE(place, counters);
    if (rnic->tcp != NULL)
        write_tcp(place, tcp_counters(rnic->tcp));
}

/* As in `show pfcwd stats`. */
static void write_watchdog(const struct place *place, const struct watchdog_queue *queue)
{
    const struct counted counters[] = {
        {COUNTER_PFCWD_STORMS, queue->storms},   {COUNTER_PFCWD_RESTORED, queue->restored},
        {COUNTER_PFCWD_TX_OK, queue->tx_passed}, {COUNTER_PFCWD_TX_DROPPED, queue->tx_dropped},
        {COUNTER_PFCWD_RX_OK, queue->rx_passed}, {COUNTER_PFCWD_RX_DROPPED, queue->rx_dropped},
    };
    WRITE(place, counters);
}

/* The ASIC's watermarks of one priority: priority group at ingress, queue at egress. */
static void write_switch_priority(struct place place, const struct swtch *swtch, uint16_t index,
                                  int priority)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = &buffer->groups[index * PRIORITIES + priority];
    const struct port_prio *prio = &swtch->ports[index].prios[priority];
    const struct counted marks[] = {
        {COUNTER_RX_PRIO_SHARED_PEAK,
         (uint64_t)buffer_bytes(buffer, buffer_above(group->used_peak, group->reserved))},
        {COUNTER_RX_PRIO_HEADROOM_PEAK, (uint64_t)buffer_bytes(buffer, group->headroom_peak)},
        {COUNTER_RX_PRIO_BUFFER_DROPPED, group->dropped},
        {COUNTER_TX_PRIO_QUEUE_PEAK, (uint64_t)buffer_bytes(buffer, prio->cells_peak)},
        {COUNTER_TX_PRIO_QUEUE_DROPPED, swtch->port_counters[index].queue_dropped[priority]},
    };
    place.priority = priority;
    WRITE(&place, marks);
}

static void write_switch_port(struct place place, const struct swtch *swtch, uint16_t index)
{
    const struct switch_port_counters *from = &swtch->port_counters[index];
    for (int i = 0; i < PRIORITIES; i++) {
        place.priority = i;
        write_counter(&place, COUNTER_TX_PRIO_ECN_MARKED, from->ecn_marked[i]);
        write_switch_priority(place, swtch, index, i);
        if (swtch->watchdog != NULL)
            write_watchdog(&place, &swtch->watchdog->queues[index * PRIORITIES + i]);
    }
    place.priority = -1;
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        write_counter(&place, counters_of_drops[i], from->dropped[i]);
}

static void write_switch(const struct place *place, const struct swtch *swtch)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct {
        enum counter_id id;
        uint32_t cells;
    } peaks[] = {
        {COUNTER_BUFFER_USED_PEAK, buffer->used_peak},
        {COUNTER_BUFFER_SHARED_PEAK, buffer->pools[BUFFER_POOL_LOSSLESS].shared_peak},
        {COUNTER_BUFFER_LOSSY_SHARED_PEAK, buffer->pools[BUFFER_POOL_LOSSY].shared_peak},
        {COUNTER_BUFFER_EGRESS_LOSSY_PEAK, buffer->egress.peak},
        {COUNTER_BUFFER_HEADROOM_PEAK, buffer->headroom_peak},
        {COUNTER_BUFFER_HEADROOM_TOTAL_PEAK, buffer->headroom_used_peak},
    };
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++)
        write_counter(place, peaks[i].id, (uint64_t)buffer_bytes(buffer, peaks[i].cells));
}

void record_counters(struct store *store, const struct world *world, time_ps now, bool brief)
{
    struct place place = {.store = store, .brief = brief, .port = -1, .priority = -1};
    for (uint32_t node = 0; RECORD_KEEPS(store, counter) && node < world->scenario->node_count;
         node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        place.node = node;
        for (uint16_t i = 0; i < about->port_count; i++) {
            place.port = i;
            write_port(place, world_port(world, node, i), now);
            if (about->kind == SCENARIO_SWITCH)
                write_switch_port(place, world_switch(world, node), i);
            else
                write_rnic(&place, world_host(world, node)->rnics[i]);
        }
        place.port = -1;
        if (about->kind == SCENARIO_SWITCH)
            write_switch(&place, world_switch(world, node));
    }
}

/* ------------------------------------------------------------------ TCP connections */

struct connection_rows {
    struct store *store;
    uint32_t node;
    uint16_t port;
};

static void write_connection(void *self, const struct tcp_view *view)
{
    const struct connection_rows *rows = self;
    struct stream_info info;
    tcp_stream_ops.info(view->conn, &info);
    const struct record_row_tcp_connection row = {
        .node = STORE_I(rows->node),
        .port = STORE_I(rows->port),
        .local_port = STORE_I(tcp_stream_ops.local_port(view->conn)),
        .peer_ip = STORE_I(tcp_stream_ops.peer_ip(view->conn)),
        .peer_port = STORE_I(tcp_stream_ops.peer_port(view->conn)),
        .state = STORE_T(info.state),
        .congestion_control = STORE_T(info.congestion_control),
#define SS(column, field, text) .column = STORE_I(info.field),
#include "replay/database/ss_field.def"
    };
    store_insert_row(rows->store, RECORD_TABLE_tcp_connection, &row.node);
}

void record_connections(struct store *store, const struct world *world)
{
    for (uint32_t node = 0;
         RECORD_KEEPS(store, tcp_connection) && node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++) {
            const struct tcp *tcp = world_host(world, node)->rnics[i]->tcp;
            struct connection_rows rows = {store, node, i};
            if (tcp != NULL)
                tcp_view(tcp, write_connection, &rows);
        }
    }
}

/* ------------------------------------------------------------------ queue pairs */

static void write_flow(struct store *store, const struct rnic *rnic, const struct qp *qp)
{
    const struct cc_view view = pacer_view(&qp->pacer, &rnic->cc_site, rnic_now(rnic));
    RECORD_ROW(store, flow, .node = STORE_I(rnic->port.node->id), .port = STORE_I(rnic->port.index),
               .qpn = STORE_I(qp->qpn), .state = STORE_T(qp_state_name(qp->state)),
               .peer_ip = STORE_I(rnic_ip(qp->flow.destination)), .peer_qpn = STORE_I(qp->flow.qpn),
               .udp_source = STORE_I(qp_entropy_port(qp->flow.entropy, rnic_ip(rnic->endpoint),
                                                     rnic_ip(qp->flow.destination))),
               .dscp = STORE_I(qp->data.tos >> 2), .priority = STORE_I(qp->data.priority),
               .path_mtu_bytes = STORE_I(qp->mtu),
               .limited = STORE_I((qp->flags & QP_LIMITED) != 0),
               .rate_bps = STORE_I(view.rate_bps), .target_bps = STORE_I(view.target_bps),
               .alpha_ppm = STORE_I(view.alpha_ppm));
}

void record_flows(struct store *store, const struct world *world)
{
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++) {
            const struct rnic *rnic = world_host(world, node)->rnics[i];
            for (uint32_t slot = 0; slot < rnic->qps.used; slot++)
                if (rnic->qp_slots[slot].qpn != 0)
                    write_flow(store, rnic, &rnic->qp_slots[slot]);
        }
    }
}
