/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_newreno - additive increase, multiplicative decrease.
 *   slow start            cwnd += acknowledged segments
 *   congestion avoidance  cwnd += 1 for each cwnd acknowledged segments
 *   loss, ECN echo        ssthresh = cwnd / 2, at least 2
 * Source: RFC 5681 3.1, RFC 6582, RFC 3465 (appropriate byte counting, as Linux counts). */
#include "tcp/tcp_cc.h"

static void cong_avoid(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    (void)now;
    if (!flow->cwnd_limited)
        return;
    if (tcp_cc_in_slow_start(flow))
        acked = tcp_cc_slow_start(flow, acked);
    if (acked > 0)
        tcp_cc_additive(flow, flow->cwnd, acked);
}

static uint32_t ssthresh(struct tcp_cc_flow *flow, bool loss, time_ps now)
{
    (void)loss;
    (void)now;
    return flow->cwnd / 2 > 2 ? flow->cwnd / 2 : 2;
}

const struct tcp_cc_ops tcp_cc_newreno = {
    .name = "newreno",
    .about = "NewReno: additive increase by one segment, multiplicative decrease by half.",
    .source = "RFC 5681 3.1, RFC 6582",
    .ssthresh = ssthresh,
    .cong_avoid = cong_avoid,
};
