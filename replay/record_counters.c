/* SPDX-License-Identifier: Apache-2.0
 * record_counters - tables of names.
 * Source: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst and
 * drivers/infiniband/hw/mlx5/counters.c; SAI saiport.h. */
#include "replay/record_counters.h"

#include "net/watchdog.h"
#include "replay/collect.h"

#include <stdio.h>

struct place {
    struct store_statement *insert;
    uint32_t node;
    int32_t port, priority; /* -1: none */
};

struct named {
    const char *name, *sonic; /* sonic may be NULL */
    uint64_t value;
    const char *unit;
};

static void write_counter(const struct place *place, const struct named *counter)
{
    if (counter->value == 0)
        return;
    STORE_INSERT(place->insert, STORE_I(place->node),
                 place->port < 0 ? STORE_N : STORE_I(place->port),
                 place->priority < 0 ? STORE_N : STORE_I(place->priority), STORE_T(counter->name),
                 STORE_T(counter->sonic), STORE_I(counter->value), STORE_T(counter->unit));
}

/* `name` and `sonic` have one %d for the priority. */
static void write_priority(const struct place *place, const char *name, const char *sonic,
                           uint64_t value, const char *unit)
{
    if (value == 0)
        return; /* most are: a large fabric has a hundred thousand counters */
    char named_text[48], sonic_text[64];
    snprintf(named_text, sizeof named_text, "%s%d_%s", name[0] == 'r' ? "rx_prio" : "tx_prio",
             place->priority, name + 3);
    snprintf(sonic_text, sizeof sonic_text, "SAI_PORT_STAT_PFC_%d_%s", place->priority,
             sonic == NULL ? "" : sonic);
    write_counter(place,
                  &(struct named){named_text, sonic == NULL ? NULL : sonic_text, value, unit});
}

static uint64_t asserted_us(const struct port_pauses *pauses, time_ps now)
{
    const time_ps open = pauses->asserted_since == TIME_NEVER ? 0 : now - pauses->asserted_since;
    return (uint64_t)((pauses->asserted_ps + open) / PS_PER_US);
}

static void write_pauses(const struct place *place, const struct port *port,
                         const struct port_pauses *pauses, time_ps now)
{
    const time_ps held = port_held_ps(port, (uint8_t)place->priority, now);
    write_priority(place, "tx_pause", "TX_PKTS", pauses->tx_xoff + pauses->tx_xon, "count");
    write_priority(place, "rx_pause", "RX_PKTS", pauses->rx_xoff + pauses->rx_xon, "count");
    write_priority(place, "tx_pause_xoff", NULL, pauses->tx_xoff, "count");
    write_priority(place, "rx_pause_xoff", NULL, pauses->rx_xoff, "count");
    write_priority(place, "rx_pause_transition", "ON2OFF_RX_PKTS", pauses->rx_transitions, "count");
    write_priority(place, "rx_pause_duration", "RX_PAUSE_DURATION_US", (uint64_t)(held / PS_PER_US),
                   "us");
    write_priority(place, "tx_pause_duration", "TX_PAUSE_DURATION_US", asserted_us(pauses, now),
                   "us");
}

static void write_port_priority(struct place place, const struct port *port, int priority,
                                time_ps now)
{
    /* MAC control frames leave by priority 7 and are no packets of it. */
    const uint64_t control = priority == PRIORITIES - 1 ? port->pfc_frames_tx : 0;
    place.priority = priority;
    write_priority(&place, "tx_packets", NULL, port->lanes[priority].tx_frames - control, "count");
    write_priority(&place, "tx_bytes", NULL,
                   port->lanes[priority].tx_bytes - control * WIRE_PFC_BYTES, "bytes");
    write_priority(&place, "rx_packets", NULL, port->lanes[priority].rx_frames, "count");
    write_priority(&place, "rx_bytes", NULL, port->lanes[priority].rx_bytes, "bytes");
    if (port->params.flow_control == PORT_FLOW_PFC)
        write_pauses(&place, port, &port->pauses[priority], now);
    write_priority(&place, "tx_blocked_ps", NULL, (uint64_t)collect_blocked_ps(port, priority, now),
                   "ps");
    write_priority(&place, "tx_blocked_longest_ps", NULL,
                   (uint64_t)collect_blocked_longest_ps(port, priority, now), "ps");
}

/* Global pause stops all priorities together: the times of one are those of the port. */
static void write_global(const struct place *place, const struct port *port, time_ps now)
{
    const struct port_pauses *pauses = &port->global;
    const struct named counters[] = {
        {"tx_global_pause", "SAI_PORT_STAT_PAUSE_TX_PKTS", pauses->tx_xoff + pauses->tx_xon,
         "count"},
        {"rx_global_pause", "SAI_PORT_STAT_PAUSE_RX_PKTS", pauses->rx_xoff + pauses->rx_xon,
         "count"},
        {"tx_global_pause_xoff", NULL, pauses->tx_xoff, "count"},
        {"rx_global_pause_xoff", NULL, pauses->rx_xoff, "count"},
        {"tx_global_pause_duration", NULL, asserted_us(pauses, now), "us"},
        {"rx_global_pause_duration", NULL, (uint64_t)(port_held_ps(port, 0, now) / PS_PER_US),
         "us"},
        {"rx_global_pause_transition", NULL, port->pauses[0].rx_transitions, "count"},
    };
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        write_counter(place, &counters[i]);
}

static void write_port(struct place place, const struct port *port, time_ps now)
{
    uint64_t tx_frames = 0, tx_bytes = 0, rx_frames = 0, rx_bytes = 0;
    for (int i = 0; i < PRIORITIES; i++) {
        tx_frames += port->lanes[i].tx_frames;
        tx_bytes += port->lanes[i].tx_bytes;
        rx_frames += port->lanes[i].rx_frames;
        rx_bytes += port->lanes[i].rx_bytes;
        write_port_priority(place, port, i, now);
    }
    const struct named counters[] = {
        {"tx_packets_phy", NULL, tx_frames, "count"},
        {"tx_bytes_phy", NULL, tx_bytes, "bytes"},
        {"rx_packets_phy", NULL, rx_frames + port->pfc_frames_rx, "count"},
        {"rx_bytes_phy", NULL, rx_bytes + port->pfc_frames_rx * WIRE_PFC_BYTES, "bytes"},
        {"tx_pause_ctrl_phy", NULL, port->pfc_frames_tx, "count"},
        {"rx_pause_ctrl_phy", NULL, port->pfc_frames_rx - port->pfc_frames_ignored, "count"},
        {"tx_mac_control_phy", NULL, port->pfc_frames_tx, "count"},
        {"rx_mac_control_phy", NULL, port->pfc_frames_rx, "count"},
        {"rx_unsupported_op_phy", "SAI_PORT_STAT_DOT3_CONTROL_IN_UNKNOWN_OPCODES",
         port->pfc_frames_ignored, "count"},
        {"tx_discards_phy", "SAI_PORT_STAT_IF_OUT_DISCARDS", port->tx_discards, "count"},
        {"link_down_events_phy", NULL, port->carrier, "count"},
        {"rx_oversize_pkts_phy", "SAI_PORT_STAT_ETHER_RX_OVERSIZE_PKTS", port->giants, "count"},
        {"rx_crc_errors_phy", "SAI_PORT_STAT_IF_IN_ERRORS", port->corrupt, "count"},
        {"tx_busy_ps", NULL, (uint64_t)collect_busy_ps(port), "ps"},
    };
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        write_counter(&place, &counters[i]);
    if (port->params.flow_control == PORT_FLOW_GLOBAL)
        write_global(&place, port, now);
}

static void write_rnic(const struct place *place, const struct rnic *rnic)
{
    const struct rnic_counters *from = &rnic->counters;
    const struct named counters[] = {
        {"messages", NULL, from->messages, "count"},
        {"message_bytes", NULL, from->message_bytes, "bytes"},
        {"received_messages", NULL, from->received_messages, "count"},
        {"received_bytes", NULL, from->received_bytes, "bytes"},
        {"rx_read_requests", NULL, from->read_requests, "count"},
        {"rx_write_requests", NULL, from->write_requests, "count"},
        {"retransmitted_packets", NULL, from->retransmitted_packets, "count"},
        {"acks_sent", NULL, from->acks_sent, "count"},
        {"local_ack_timeout_err", NULL, from->timeouts, "count"},
        {"packet_seq_err", NULL, from->naks, "count"},
        {"implied_nak_seq_err", NULL, from->implied_naks, "count"},
        {"rnr_nak_retry_err", NULL, from->rnr_naks, "count"},
        {"out_of_buffer", NULL, from->rnr_naks_sent, "count"},
        {"out_of_sequence", NULL, from->out_of_sequence, "count"},
        {"duplicate_request", NULL, from->duplicate_requests, "count"},
        {"req_remote_access_errors", NULL, from->remote_errors, "count"},
        {"req_transport_retries_exceeded", NULL, from->retries_exceeded, "count"},
        {"qp_errors", NULL, from->qp_errors, "count"},
        {"np_ecn_marked_roce_packets", NULL, from->ecn_marked, "count"},
        {"np_cnp_sent", NULL, from->cnps_sent, "count"},
        {"rp_cnp_handled", NULL, from->cnps_handled, "count"},
        {"rx_discards_phy", NULL, from->rx_buffer_drops, "count"},
        {"tx_pause_storm_warning_events", NULL, from->stall_warnings, "count"},
        {"tx_pause_storm_error_events", NULL, from->stalls, "count"},
    };
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        write_counter(place, &counters[i]);
}

/* As `show pfcwd stats` has them. */
static void write_watchdog(const struct place *place, const struct watchdog_queue *queue)
{
    const struct named counters[] = {
        {"pfcwd_storms", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", queue->storms, "count"},
        {"pfcwd_restored", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", queue->restored, "count"},
        {"pfcwd_tx_ok", "PFC_WD_QUEUE_STATS_TX_PACKETS", queue->tx_passed, "count"},
        {"pfcwd_tx_dropped", "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", queue->tx_dropped, "count"},
        {"pfcwd_rx_ok", "PFC_WD_QUEUE_STATS_RX_PACKETS", queue->rx_passed, "count"},
        {"pfcwd_rx_dropped", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS", queue->rx_dropped, "count"},
    };
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        write_counter(place, &counters[i]);
}

/* What the ASIC's watermarks tell of one priority: the group at its ingress, the queue at its
 * egress. */
static void write_switch_priority(struct place place, const struct swtch *swtch, uint16_t index,
                                  int priority)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = &buffer->groups[index * PRIORITIES + priority];
    const struct port_lane *lane = &swtch->ports[index].lanes[priority];
    const struct {
        const char *name, *sonic;
        uint64_t value;
        const char *unit;
    } marks[] = {
        {"rx_prio%d_shared_peak", "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
         (uint64_t)buffer_bytes(buffer, buffer_above(group->used_peak, group->reserved)), "bytes"},
        {"rx_prio%d_headroom_peak", "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
         (uint64_t)buffer_bytes(buffer, group->headroom_peak), "bytes"},
        {"rx_prio%d_buffer_dropped", "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
         group->dropped, "count"},
        {"tx_prio%d_queue_peak", "SAI_QUEUE_STAT_WATERMARK_BYTES",
         (uint64_t)buffer_bytes(buffer, lane->cells_peak), "bytes"},
        {"tx_prio%d_queue_dropped", "SAI_QUEUE_STAT_DROPPED_PACKETS",
         swtch->port_counters[index].queue_dropped[priority], "count"},
    };
    place.priority = priority;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        char name[48];
        if (marks[i].value == 0)
            continue;
        snprintf(name, sizeof name, marks[i].name, priority);
        write_counter(&place, &(struct named){name, marks[i].sonic, marks[i].value, marks[i].unit});
    }
}

static void write_switch_port(struct place place, const struct swtch *swtch, uint16_t index)
{
    const struct switch_port_counters *from = &swtch->port_counters[index];
    for (int i = 0; i < PRIORITIES; i++) {
        place.priority = i;
        write_priority(&place, "tx_ecn_marked", NULL, from->ecn_marked[i], "count");
        write_switch_priority(place, swtch, index, i);
        if (swtch->watchdog != NULL)
            write_watchdog(&place, &swtch->watchdog->queues[index * PRIORITIES + i]);
    }
    place.priority = -1;
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++) {
        char name[48];
        if (from->dropped[i] == 0)
            continue;
        snprintf(name, sizeof name, "rx_dropped_%s", record_drop_cause((uint8_t)i));
        write_counter(&place, &(struct named){name, NULL, from->dropped[i], "count"});
    }
}

static void write_switch(const struct place *place, const struct swtch *swtch)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct {
        const char *name, *sonic;
        uint32_t cells;
    } peaks[] = {
        {"buffer_used_peak", NULL, buffer->used_peak},
        {"buffer_shared_peak", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES",
         buffer->pools[BUFFER_POOL_LOSSLESS].shared_peak},
        {"buffer_lossy_shared_peak", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES",
         buffer->pools[BUFFER_POOL_LOSSY].shared_peak},
        {"buffer_egress_lossy_peak", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", buffer->egress.peak},
        {"buffer_headroom_peak", NULL, buffer->headroom_peak},
        {"buffer_headroom_total_peak", "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES",
         buffer->headroom_used_peak},
    };
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++)
        write_counter(place,
                      &(struct named){peaks[i].name, peaks[i].sonic,
                                      (uint64_t)buffer_bytes(buffer, peaks[i].cells), "bytes"});
}

void record_counters(struct store *store, const struct world *world, time_ps now)
{
    struct place place = {.port = -1, .priority = -1};
    place.insert = store_prepare(store, "INSERT INTO counter VALUES(?,?,?,?,?,?,?)");
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
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
    store_finish(place.insert);
}
