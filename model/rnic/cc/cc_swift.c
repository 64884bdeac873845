/* SPDX-License-Identifier: Apache-2.0
 * cc_swift - Swift: a window computed from delay, in integer arithmetic.
 *   target   base-target + hops x hop-scaling + flow scaling, which is
 *            fs-range (r(w) - r(fs-max-cwnd)) / (r(fs-min-cwnd) - r(fs-max-cwnd))
 *            within 0 .. fs-range, where r(x) = 1 / sqrt(x)
 *   ACK of n packets, delay below the target:
 *            w >= 1: w += ai n / w;  w < 1: w += ai n
 *   ACK, delay d at or above it, and no decrease for one round-trip time:
 *            w *= max(1 - beta (d - target) / d, 1 - max-mdf)
 *   loss     w *= 1 - max-mdf, at most once per round-trip time
 *   timeout  the same; from retx-reset-th consecutive timeouts on w = min-cwnd
 *   w < 1    one packet is outstanding, and packets are rtt / w apart
 * Delay is the entire round-trip time at the NIC, from the departure of a packet to the arrival of
 * its ACK.
 * Not modeled: the window for the hosts' own delay (endpoint target), because the NIC answers
 * without a software stack; smoothing of the round-trip time; selective acknowledgment, instead of
 * which RoCE uses go-back-n. */
#include "rnic/cc/cc_swift.h"

#include <assert.h>

static_assert(sizeof(struct cc_swift) <= CC_ACK_STATE_BYTES, "the state fits");

#define PAPER      "Kumar et al., SIGCOMM 2020"
#define OPEN       "assumed, as in htsim (Broadcom csg-htsim): the Swift paper gives no value"
#define ROW(field) offsetof(struct cc_swift_params, field)

static const struct opt swift_opts[] = {
    {"base-target", OPT_TIME, ROW(base_target), "20us", "100ns", "1s", NULL,
     "Target delay of a path without switches, before flow scaling.", PAPER ", 3.5; value " OPEN,
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"hop-scaling", OPT_TIME, ROW(hop_scaling), "3053ns", "0ns", "1s", NULL,
     "Amount by which each switch on the path increases the target delay.",
     PAPER ", 3.5 (h); value " OPEN ": base-target / 6.55",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"fs-range", OPT_TIME, ROW(fs_range), "100us", "0ns", "1s", NULL,
     "Maximum target delay added by flow scaling.", PAPER ", 3.5; value " OPEN ": 5 base-target",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"fs-min-cwnd", OPT_RATIO, ROW(fs_min_cwnd), "0.1", "0.001", "1", NULL,
     "Window size, in packets, at or below which flow scaling adds its maximum (fs-range).",
     PAPER ", 3.5; value " OPEN, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"fs-max-cwnd", OPT_RATIO, ROW(fs_max_cwnd), "100", "1", "1000", NULL,
     "Window size, in packets, at or above which flow scaling adds nothing.",
     PAPER ", 3.5; value " OPEN, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"ai", OPT_RATIO, ROW(ai), "1", "0.001", "100", NULL,
     "Additive increase of the window: number of packets per round-trip time.",
     PAPER ", algorithm 1; value " OPEN, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"beta", OPT_RATIO, ROW(beta), "0.8", "0.001", "1", NULL,
     "Factor of the multiplicative decrease: a higher value decreases the window more for the "
     "same delay above the target.",
     PAPER ", algorithm 1; value " OPEN, OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"max-mdf", OPT_RATIO, ROW(max_mdf), "0.5", "0.001", "0.999", NULL,
     "Largest share of the window that one decrease removes.", PAPER ", algorithm 1; value " OPEN,
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"min-cwnd", OPT_RATIO, ROW(min_cwnd), "0.01", "0.001", "1", NULL,
     "The smallest window, in packets.",
     PAPER ", algorithm 1, which leaves the value open; a guess: 100 flows share one packet",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"max-cwnd", OPT_RATIO, ROW(max_cwnd), "1000", "1", "1000", NULL,
     "The largest window, in packets.", PAPER ", algorithm 1; value " OPEN,
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"initial-cwnd", OPT_RATIO, ROW(initial_cwnd), "10", "0.001", "1000", NULL,
     "The window of a new queue pair, in packets.",
     "assumed: about the bandwidth-delay product of 100 Gb/s and 4 us; the Swift paper gives no "
     "value",
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {"retx-reset-threshold", OPT_INT, ROW(retx_reset), "5", "1", "1000", NULL,
     "Number of consecutive timeouts after which the window falls to its minimum.",
     PAPER ", algorithm 1 (RETX_RESET_THRESHOLD); value " OPEN,
     OPT_ACTS_IF(OPT_NEED_RDMA, CONGESTION, ANY, TRACE)},
    {0},
};

enum { PACKET_BITS = 32 };
#define PACKET    (UINT64_C(1) << PACKET_BITS)
#define RATIO_ONE UINT64_C(1000000000000000)

typedef unsigned __int128 wide;

static uint64_t times_ratio(uint64_t value, int64_t ratio)
{
    return (uint64_t)((wide)value * (uint64_t)ratio / RATIO_ONE);
}

static uint64_t root(wide square)
{
    uint64_t result = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit != 0; bit >>= 1)
        if ((wide)(result | bit) * (result | bit) <= square)
            result |= bit;
    return result;
}

/* 1 / sqrt(window), both in 2^-32. */
static uint64_t inverse_root(uint64_t window)
{
    return (uint64_t)(((wide)1 << (2 * PACKET_BITS)) / root((wide)window << PACKET_BITS));
}

static uint64_t flow_scaling(const struct cc_swift_params *params, uint64_t cwnd)
{
    const uint64_t least = inverse_root(times_ratio(PACKET, params->fs_max_cwnd));
    const uint64_t most = inverse_root(times_ratio(PACKET, params->fs_min_cwnd));
    const uint64_t here = inverse_root(cwnd);
    if (here <= least)
        return 0;
    if (here >= most)
        return (uint64_t)params->fs_range;
    return (uint64_t)((wide)(uint64_t)params->fs_range * (here - least) / (most - least));
}

time_ps cc_swift_target(const struct cc_swift_params *params, uint64_t cwnd, unsigned hops)
{
    return params->base_target + hops * params->hop_scaling + (time_ps)flow_scaling(params, cwnd);
}

/* Sets the window to whole packets, at least one, and the rate that spaces packets when it is below
 * one. */
static void set_window(struct cc_flow *flow, uint64_t cwnd, time_ps now)
{
    const struct cc_swift_params *params = flow->site->params;
    struct cc_swift *state = flow->state;
    const uint64_t least = times_ratio(PACKET, params->min_cwnd);
    const uint64_t most = times_ratio(PACKET, params->max_cwnd);
    cwnd = cwnd < least ? least : cwnd > most ? most : cwnd;
    if (cwnd < state->cwnd)
        state->last_decrease = now;
    state->cwnd = cwnd;
    const wide bytes = (wide)cwnd * flow->packet_bytes;
    flow->window = cwnd < PACKET ? flow->packet_bytes : (cwnd >> PACKET_BITS) * flow->packet_bytes;
    flow->rate_bps = flow->site->line_bps;
    if (cwnd >= PACKET || state->rtt == 0)
        return;
    const wide rate = (bytes * 8 * (uint64_t)PS_PER_S / (uint64_t)state->rtt) >> PACKET_BITS;
    if (rate < flow->site->line_bps)
        flow->rate_bps = rate == 0 ? 1 : (uint64_t)rate;
}

static void init(struct cc_flow *flow)
{
    const struct cc_swift_params *params = flow->site->params;
    *(struct cc_swift *)flow->state = (struct cc_swift){.last_decrease = -1};
    set_window(flow, times_ratio(PACKET, params->initial_cwnd), 0);
}

static bool may_decrease(const struct cc_swift *state, time_ps now)
{
    return state->last_decrease < 0 || now - state->last_decrease >= state->rtt;
}

static uint64_t increased(const struct cc_swift_params *params, uint64_t cwnd, uint32_t packets)
{
    const uint64_t step = times_ratio(PACKET, params->ai) * packets;
    return cwnd + (cwnd < PACKET ? step : (uint64_t)(((wide)step << PACKET_BITS) / cwnd));
}

static uint64_t decreased(const struct cc_swift_params *params, uint64_t cwnd, time_ps delay,
                          time_ps target)
{
    const wide beyond = (wide)(uint64_t)(delay - target) * (uint64_t)params->beta;
    const int64_t part = (int64_t)(beyond / (uint64_t)delay);
    return cwnd - times_ratio(cwnd, part < params->max_mdf ? part : params->max_mdf);
}

static void on_ack(struct cc_flow *flow, const struct cc_ack *ack, time_ps now)
{
    const struct cc_swift_params *params = flow->site->params;
    struct cc_swift *state = flow->state;
    uint64_t cwnd = state->cwnd;
    state->timeouts = 0;
    if (ack->rtt == 0)
        return;
    state->rtt = ack->rtt;
    const time_ps target = cc_swift_target(params, cwnd, ack->hops);
    if (ack->rtt < target)
        cwnd = increased(params, cwnd, ack->packets);
    else if (may_decrease(state, now))
        cwnd = decreased(params, cwnd, ack->rtt, target);
    set_window(flow, cwnd, now);
}

static void on_nak(struct cc_flow *flow, enum cc_nak why, time_ps now)
{
    const struct cc_swift_params *params = flow->site->params;
    struct cc_swift *state = flow->state;
    if (why == CC_NAK_RNR)
        return;
    state->timeouts = why == CC_NAK_TIMEOUT ? state->timeouts + 1 : 0;
    uint64_t cwnd = state->cwnd;
    if (state->timeouts >= params->retx_reset)
        cwnd = 0;
    else if (may_decrease(state, now))
        cwnd -= times_ratio(cwnd, params->max_mdf);
    set_window(flow, cwnd, now);
}

/* Reports the window per round-trip time as the rate. */
static void observe(struct cc_flow *flow, time_ps now, struct cc_view *view)
{
    const struct cc_swift *state = flow->state;
    (void)now;
    if (state->rtt == 0)
        return;
    const wide rate = (wide)flow->window * 8 * (uint64_t)PS_PER_S / (uint64_t)state->rtt;
    if (rate < view->rate_bps)
        view->rate_bps = view->target_bps = (uint64_t)rate;
}

/* A window below one packet becomes one packet and a rate. */
static void audit(const struct cc_flow *flow, time_ps now)
{
    const struct cc_swift_params *params = flow->site->params;
    const struct cc_swift *state = flow->state;
    const uint64_t packets = state->cwnd >> PACKET_BITS;
    CHECK(state->cwnd >= times_ratio(PACKET, params->min_cwnd));
    CHECK(state->cwnd <= times_ratio(PACKET, params->max_cwnd));
    CHECK(flow->window == (packets > 0 ? packets : 1) * flow->packet_bytes);
    CHECK(flow->rate_bps == flow->site->line_bps || (packets == 0 && state->rtt > 0));
    CHECK(state->last_decrease <= now && state->rtt >= 0 && state->timeouts >= 0);
}

const struct cc_ops cc_swift = {
    .name = "swift",
    .about = "Swift: a window by round-trip delay and its target",
    .source = PAPER,
    .opts = swift_opts,
    .params_bytes = sizeof(struct cc_swift_params),
    .state_bytes = sizeof(struct cc_swift),
    .init = init,
    .on_ack = on_ack,
    .on_nak = on_nak,
    .observe = observe,
    .audit = audit,
};
