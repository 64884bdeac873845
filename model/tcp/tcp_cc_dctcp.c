/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_dctcp - reduces the window by the share of marked segments.
 *   once per window   alpha = (1 - g) alpha + g F,  F = marked / delivered
 *   ECN echo          ssthresh = cwnd (1 - alpha / 2), at least 2
 *   loss              ssthresh = cwnd / 2
 * Increase as newreno.  alpha in units of 2^-20, so that g = 1/16 leaves no visible remainder.
 * Source: RFC 8257 3.3; Linux net/ipv4/tcp_dctcp.c for g and the first alpha. */
#include "tcp/tcp_cc_dctcp.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct tcp_cc_dctcp) <= TCP_CC_STATE_BYTES, "the state fits");

#define ROW(field) offsetof(struct tcp_cc_dctcp_params, field)

static const struct opt opts[] = {
    {"dctcp-g", OPT_RATIO, ROW(g), "0.0625", "0.0001", "1", NULL,
     "DCTCP: weight of the newest measurement in alpha, the moving average of the share of marked "
     "segments.",
     "RFC 8257 4.2: 1/16; Linux tcp_dctcp.c, dctcp_shift_g 4",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"dctcp-alpha-on-init", OPT_RATIO, ROW(alpha), "1", "0", "1", NULL,
     "DCTCP: initial alpha (share of marked segments) of a new connection.",
     "Linux tcp_dctcp.c, dctcp_alpha_on_init: 1",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {0},
};

#define RATIO_ONE UINT64_C(1000000000000000)

static uint64_t of_ratio(int64_t ratio)
{
    return (uint64_t)((unsigned __int128)(uint64_t)ratio * TCP_CC_DCTCP_ONE / RATIO_ONE);
}

static void begin_window(struct tcp_cc_dctcp *dctcp, const struct tcp_cc_flow *flow)
{
    dctcp->window_end = flow->nxt;
    dctcp->delivered = flow->delivered;
    dctcp->delivered_ce = flow->delivered_ce;
}

static void init(struct tcp_cc_flow *flow, time_ps now)
{
    struct tcp_cc_dctcp *dctcp = flow->state;
    const struct tcp_cc_dctcp_params *params = flow->params;
    (void)now;
    dctcp->alpha = of_ratio(params->alpha);
    begin_window(dctcp, flow);
}

static void on_ack(struct tcp_cc_flow *flow, time_ps now)
{
    struct tcp_cc_dctcp *dctcp = flow->state;
    const struct tcp_cc_dctcp_params *params = flow->params;
    (void)now;
    if (flow->una < dctcp->window_end || !flow->ecn)
        return;
    const uint64_t delivered = flow->delivered - dctcp->delivered;
    const uint64_t counted = flow->delivered_ce - dctcp->delivered_ce;
    const uint64_t marked = counted < delivered ? counted : delivered; /* ACE counts ACKs, too */
    const uint64_t g = of_ratio(params->g);
    const uint64_t share = delivered == 0 ? 0 : marked * TCP_CC_DCTCP_ONE / delivered;
    dctcp->alpha = (dctcp->alpha * (TCP_CC_DCTCP_ONE - g) + share * g) / TCP_CC_DCTCP_ONE;
    begin_window(dctcp, flow);
}

static uint32_t ssthresh(struct tcp_cc_flow *flow, bool loss, time_ps now)
{
    const struct tcp_cc_dctcp *dctcp = flow->state;
    if (loss || !flow->ecn)
        return tcp_cc_newreno.ssthresh(flow, loss, now);
    const uint32_t cut = (uint32_t)((uint64_t)flow->cwnd * dctcp->alpha / (2 * TCP_CC_DCTCP_ONE));
    return flow->cwnd - cut > 2 ? flow->cwnd - cut : 2;
}

static void cong_avoid(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    tcp_cc_newreno.cong_avoid(flow, acked, now);
}

static uint32_t alpha_ppm(const struct tcp_cc_flow *flow)
{
    const struct tcp_cc_dctcp *dctcp = flow->state;
    return (uint32_t)(dctcp->alpha * (uint64_t)PPM / TCP_CC_DCTCP_ONE);
}

const struct tcp_cc_ops tcp_cc_dctcp = {
    .name = "dctcp",
    .about = "DCTCP: a window reduction in proportion to the share of ECN-marked segments.",
    .source = "RFC 8257; Alizadeh et al., SIGCOMM 2010",
    .opts = opts,
    .params_bytes = sizeof(struct tcp_cc_dctcp_params),
    .state_bytes = sizeof(struct tcp_cc_dctcp),
    .wants_ecn = true,
    .echoes_each_mark = true,
    .init = init,
    .ssthresh = ssthresh,
    .cong_avoid = cong_avoid,
    .on_ack = on_ack,
    .alpha_ppm = alpha_ppm,
};
