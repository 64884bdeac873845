/* SPDX-License-Identifier: Apache-2.0
 * series_rnic - congestion control over time.
 * An RNIC that never received a CNP has no queue pairs to look for. */
#include "replay/record/series_private.h"

/* What congestion control throttles at one RNIC. */
struct held_back {
    uint32_t queue_pairs;
    uint64_t rate_bps, slowest_bps; /* in total, and the slowest */
};

static bool is_limited(const struct qp *qp)
{
    return qp->qpn != 0 && (qp->flags & QP_LIMITED) != 0;
}

static struct cc_view view_of(const struct rnic *rnic, const struct qp *qp)
{
    return pacer_view(&qp->pacer, &rnic->cc_site, rnic_now(rnic));
}

/* Starts following the queue pair, if there is room. */
static void follow_queue_pair(struct series *series, const struct rnic *rnic, const struct qp *qp)
{
    const struct series_flow flow = {rnic->port.node->id, qp->qpn, rnic->port.index};
    if (series->flow_count == SERIES_FLOWS)
        return;
    for (uint32_t i = 0; i < series->flow_count; i++)
        if (series->flows[i].node == flow.node && series->flows[i].port == flow.port &&
            series->flows[i].qpn == flow.qpn)
            return;
    series->flows[series->flow_count++] = flow;
}

static struct held_back look_at_rnic(struct series *series, const struct rnic *rnic)
{
    struct held_back held = {0};
    for (uint32_t i = 0; i < rnic->qps.used && rnic->counters.cnps_handled > 0; i++) {
        const struct qp *qp = &rnic->qp_slots[i];
        if (!is_limited(qp))
            continue;
        const uint64_t rate = view_of(rnic, qp).rate_bps;
        if (held.queue_pairs++ == 0 || rate < held.slowest_bps)
            held.slowest_bps = rate;
        held.rate_bps += rate;
        follow_queue_pair(series, rnic, qp);
    }
    return held;
}

static void take_rnic(struct series *series, const struct rnic *rnic, struct series_rnic *before)
{
    const struct rnic_counters *counters = &rnic->counters;
    const struct series_rnic now = {
        .cnps_sent = counters->cnps_sent,
        .cnps_handled = counters->cnps_handled,
        .ecn_marked_frames = counters->ecn_marked,
        .retransmitted_frames = counters->retransmitted_packets,
    };
    const struct held_back held = look_at_rnic(series, rnic);
    const uint64_t grown = (now.cnps_sent - before->cnps_sent) |
                           (now.cnps_handled - before->cnps_handled) |
                           (now.ecn_marked_frames - before->ecn_marked_frames) |
                           (now.retransmitted_frames - before->retransmitted_frames);
    if ((grown | held.queue_pairs | (uint64_t)rnic->rx.held) == 0)
        return;
    const bool any = held.queue_pairs > 0;
    SERIES_ROW(series, series_rnic, .node = STORE_I(rnic->port.node->id),
               .port = STORE_I(rnic->port.index), .receive_bytes = STORE_I(rnic->rx.held),
               .limited = STORE_I(held.queue_pairs),
               .limited_rate_bps = any ? STORE_I(held.rate_bps) : STORE_N,
               .slowest_rate_bps = any ? STORE_I(held.slowest_bps) : STORE_N,
               .cnps_sent = STORE_I(now.cnps_sent - before->cnps_sent),
               .cnps_handled = STORE_I(now.cnps_handled - before->cnps_handled),
               .ecn_marked_frames = STORE_I(now.ecn_marked_frames - before->ecn_marked_frames),
               .retransmitted_frames =
                   STORE_I(now.retransmitted_frames - before->retransmitted_frames));
    *before = now;
}

static void take_flow(struct series *series, const struct series_flow *flow)
{
    const struct rnic *rnic =
        lag_owner(world_host(series->world, flow->node)->rnics[flow->port], flow->qpn);
    const struct qp *qp = rnic_find_qp(rnic, flow->qpn);
    if (qp == NULL || !is_limited(qp))
        return;
    const struct cc_view view = view_of(rnic, qp);
    SERIES_ROW(series, series_flow, .node = STORE_I(flow->node), .port = STORE_I(flow->port),
               .qpn = STORE_I(flow->qpn), .peer_ip = STORE_I(rnic_ip(qp->flow.destination)),
               .rate_bps = STORE_I(view.rate_bps), .target_bps = STORE_I(view.target_bps),
               .alpha_ppm = STORE_I(view.alpha_ppm));
}

void series_take_rnics(struct series *series)
{
    const struct world *world = series->world;
    struct series_rnic *before = series->rnics;
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++)
            take_rnic(series, world_host(world, node)->rnics[i], before++);
    }
    for (uint32_t i = 0; i < series->flow_count; i++)
        take_flow(series, &series->flows[i]);
}
