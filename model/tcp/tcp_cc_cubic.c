/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_cubic - a window by the time since the last reduction.
 *   W(t)   = C (t - K)^3 + W_max                      segments, t in seconds
 *   K      = cube root of ((W_max - cwnd at the epoch) / C)
 *   reduction  ssthresh = beta cwnd;  W_max = cwnd, or cwnd (1 + beta) / 2 if it was below the last
 *              W_max (fast convergence)
 *   W_est      Reno with additive increase 3 (1 - beta) / (1 + beta): never below it
 *   cwnd grows by (W(t + RTT) - cwnd) / cwnd for each acknowledged segment
 * HyStart ends slow start when the ACKs of one window arrive over more than half of the least
 * round-trip time (ACK train), or when the round-trip time of 8 segments exceeds the least one by
 * an eighth of it, within 4 .. 16 ms (delay).
 * Source: RFC 9438 4.2-4.8; Linux net/ipv4/tcp_cubic.c for the values of HyStart, the update at
 * most every 1/32 s at the same cwnd, and the first increase of at most 5 % per round-trip time.
 * Linux counts time in 1/1024 s here, the model in us. */
#include "tcp/tcp_cc_cubic.h"

#include "tcp/tcp.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct tcp_cc_cubic) <= TCP_CC_STATE_BYTES, "the state fits");
static_assert(sizeof(struct tcp_cc_cubic_params) <= TCP_CC_PARAMS_MAX, "the parameters fit");

#define ROW(field) offsetof(struct tcp_cc_cubic_params, field)

static const struct opt opts[] = {
    {"cubic-c", OPT_RATIO, ROW(c), "0.4", "0.001", "10", NULL,
     "CUBIC: constant C, which sets how fast the window grows, in segments per second cubed.",
     "RFC 9438 5: 0.4", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"cubic-beta", OPT_RATIO, ROW(beta), "0.7", "0.1", "0.99", NULL,
     "CUBIC: share of the window that remains after a reduction.",
     "RFC 9438 4.6: 0.7; Linux tcp_cubic.c: 717/1024",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"cubic-fast-convergence", OPT_BOOL, ROW(fast_convergence), "true", NULL, NULL, NULL,
     "CUBIC: after a second reduction, the window grows less, so that new connections get "
     "bandwidth (fast convergence).",
     "RFC 9438 4.7", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"cubic-tcp-friendliness", OPT_BOOL, ROW(friendliness), "true", NULL, NULL, NULL,
     "CUBIC: the window is at least as large as Reno's window would be.", "RFC 9438 4.3",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"hystart", OPT_BOOL, ROW(hystart), "true", NULL, NULL, NULL,
     "CUBIC: end slow start before a loss occurs, when ACK trains or round-trip times show that "
     "the path is full (HyStart).",
     "Linux tcp_cubic.c; Ha and Rhee, Computer Networks 55(9), 2011",
     OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {"hystart-low-window", OPT_INT, ROW(hystart_low_window), "16", "2", "1000000", NULL,
     "CUBIC: smallest window, in segments, at which HyStart ends slow start.",
     "Linux tcp_cubic.c, hystart_low_window", OPT_ACTS_IF(OPT_NEED_TCP, CONGESTION, ANY, TRACE)},
    {0},
};

#define RATIO_ONE UINT64_C(1000000000000000)
#define US_PER_S  UINT64_C(1000000)

typedef unsigned __int128 wide;

enum {
    UPDATES_PER_S = 32,
    FIRST_COUNT = 20, /* 5 % of the window for each round-trip time */
    RENO_SHIFT = 10,
    TRAIN_GAP_MS = 2,
    DELAY_LEAST_MS = 4,
    DELAY_MOST_MS = 16,
    DELAY_SAMPLES = 8,
};

/* Bit by bit from the top: 43 steps for 128 bits. */
uint64_t tcp_cc_cubic_root(wide value)
{
    uint64_t root = 0;
    for (int bit = 42; bit >= 0; bit--) {
        const wide next = root | UINT64_C(1) << bit;
        if (next <= value / next / next)
            root = (uint64_t)next;
    }
    return root;
}

static struct tcp_cc_cubic *state_of(const struct tcp_cc_flow *flow)
{
    return flow->state;
}

static void begin_round(struct tcp_cc_flow *flow, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    cubic->round_start = cubic->last_ack = now;
    cubic->round_end = flow->nxt;
    cubic->delay_now = TIME_NEVER;
    cubic->samples = 0;
}

static void forget(struct tcp_cc_flow *flow, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    *cubic = (struct tcp_cc_cubic){.epoch = TIME_NEVER, .last_update = -1};
    begin_round(flow, now);
}

static void init(struct tcp_cc_flow *flow, time_ps now)
{
    forget(flow, now);
}

static void on_timeout(struct tcp_cc_flow *flow)
{
    forget(flow, state_of(flow)->last_ack);
}

static void on_event(struct tcp_cc_flow *flow, enum tcp_cc_event event, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    /* Time in which nothing was sent does not count, or W(t) would jump after it. */
    if (event == TCP_CC_TX_START && cubic->epoch != TIME_NEVER && now > cubic->last_sent_at)
        cubic->epoch = time_earlier(cubic->epoch + (now - cubic->last_sent_at), now);
}

/* cwnd beta, and what of it stays of the last W_max. */
static uint32_t ssthresh(struct tcp_cc_flow *flow, bool loss, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    const struct tcp_cc_cubic_params *params = flow->params;
    const uint64_t beta = (uint64_t)params->beta;
    (void)loss;
    (void)now;
    cubic->epoch = TIME_NEVER;
    if (flow->cwnd < cubic->last_max && params->fast_convergence)
        cubic->last_max = (uint32_t)((wide)flow->cwnd * (RATIO_ONE + beta) / (2 * RATIO_ONE));
    else
        cubic->last_max = flow->cwnd;
    const uint32_t left = (uint32_t)((wide)flow->cwnd * beta / RATIO_ONE);
    return left > 2 ? left : 2;
}

/* |t - K|^3 C in segments, from microseconds. */
static uint64_t distance(const struct tcp_cc_cubic_params *params, uint64_t us)
{
    const uint64_t most = UINT64_C(4000000000); /* beyond it every window is unlimited */
    const wide t = us < most ? us : most;
    const wide cube = t * t * t / (US_PER_S * US_PER_S); /* in 10^-6 s^3 */
    return (uint64_t)(cube * ((wide)(uint64_t)params->c / 1000000) / (RATIO_ONE));
}

uint32_t tcp_cc_cubic_window(const struct tcp_cc_cubic_params *params,
                             const struct tcp_cc_cubic *cubic, time_ps since)
{
    const bool before = since < cubic->k;
    const uint64_t us = (uint64_t)((before ? cubic->k - since : since - cubic->k) / PS_PER_US);
    const uint64_t by = distance(params, us);
    if (before)
        return by < cubic->origin ? cubic->origin - (uint32_t)by : 0;
    return by < TCP_CC_INFINITE - (uint64_t)cubic->origin ? cubic->origin + (uint32_t)by
                                                          : TCP_CC_INFINITE;
}

/* K in ps: the cube root of segments / C, with microseconds cubed below it. */
static time_ps inflection(const struct tcp_cc_cubic_params *params, uint32_t segments)
{
    const wide us_cubed =
        (wide)segments * RATIO_ONE / (uint64_t)params->c * US_PER_S * US_PER_S * US_PER_S;
    return (time_ps)tcp_cc_cubic_root(us_cubed) * PS_PER_US;
}

static void begin_epoch(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    cubic->epoch = now;
    cubic->acked = cubic->reno_acked = acked;
    cubic->reno = flow->cwnd;
    const bool below = flow->cwnd < cubic->last_max;
    cubic->k = below ? inflection(flow->params, cubic->last_max - flow->cwnd) : 0;
    cubic->origin = below ? cubic->last_max : flow->cwnd;
}

/* Reno's window: one segment for each `cost` acknowledged ones. */
static void follow_reno(struct tcp_cc_flow *flow)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    const struct tcp_cc_cubic_params *params = flow->params;
    const wide beta = (uint64_t)params->beta;
    const wide cost =
        ((wide)flow->cwnd << RENO_SHIFT) * (RATIO_ONE + beta) / (3 * (RATIO_ONE - beta));
    const uint64_t step = (uint64_t)(cost >> RENO_SHIFT) > 0 ? (uint64_t)(cost >> RENO_SHIFT) : 1;
    while (cubic->reno_acked > step) {
        cubic->reno_acked -= (uint32_t)step;
        cubic->reno++;
    }
    if (cubic->reno > flow->cwnd) {
        const uint32_t most = flow->cwnd / (cubic->reno - flow->cwnd);
        cubic->count = cubic->count < most ? cubic->count : most;
    }
}

/* Sets `count`. */
static void update(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    const struct tcp_cc_cubic_params *params = flow->params;
    const time_ps interval = PS_PER_S / UPDATES_PER_S;
    cubic->acked += acked;
    cubic->reno_acked += acked;
    if (cubic->epoch == TIME_NEVER)
        begin_epoch(flow, acked, now);
    const bool recent = cubic->last_update >= 0 && now - cubic->last_update <= interval;
    if (!recent || cubic->last_cwnd != flow->cwnd) {
        cubic->last_cwnd = flow->cwnd;
        cubic->last_update = now;
        const uint32_t target =
            tcp_cc_cubic_window(params, cubic, now - cubic->epoch + cubic->delay_min);
        cubic->count = target > flow->cwnd ? flow->cwnd / (target - flow->cwnd) : 100 * flow->cwnd;
        if (cubic->last_max == 0 && cubic->count > FIRST_COUNT)
            cubic->count = FIRST_COUNT;
    }
    if (params->friendliness)
        follow_reno(flow);
    /* RFC 9438 4.4: at most half of the window for each round-trip time. */
    cubic->count = cubic->count > 2 ? cubic->count : 2;
}

static void cong_avoid(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    state_of(flow)->last_sent_at = now;
    if (!flow->cwnd_limited)
        return;
    if (tcp_cc_in_slow_start(flow))
        acked = tcp_cc_slow_start(flow, acked);
    if (acked == 0)
        return;
    update(flow, acked, now);
    tcp_cc_additive(flow, state_of(flow)->count, acked);
}

/* ------------------------------------------------------------------ HyStart */

static void end_slow_start(struct tcp_cc_flow *flow, uint64_t *counter)
{
    state_of(flow)->found = true;
    flow->ssthresh = flow->cwnd > 2 ? flow->cwnd : 2;
    ++*counter;
}

static void watch_train(struct tcp_cc_flow *flow, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    if (now - cubic->last_ack > TRAIN_GAP_MS * PS_PER_MS)
        return;
    cubic->last_ack = now;
    const time_ps most = flow->paced ? cubic->delay_min : cubic->delay_min / 2;
    if (now - cubic->round_start > most)
        end_slow_start(flow, &flow->counters->hystart_train);
}

static void watch_delay(struct tcp_cc_flow *flow, time_ps rtt)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    const time_ps eighth = cubic->delay_min / 8;
    const time_ps least = DELAY_LEAST_MS * PS_PER_MS, most = DELAY_MOST_MS * PS_PER_MS;
    const time_ps above = eighth < least ? least : eighth > most ? most : eighth;
    cubic->delay_now = time_earlier(cubic->delay_now, rtt);
    if (cubic->samples < DELAY_SAMPLES)
        cubic->samples++;
    else if (cubic->delay_now > cubic->delay_min + above)
        end_slow_start(flow, &flow->counters->hystart_delay);
}

static void on_rtt(struct tcp_cc_flow *flow, time_ps rtt, time_ps now)
{
    struct tcp_cc_cubic *cubic = state_of(flow);
    const struct tcp_cc_cubic_params *params = flow->params;
    if (cubic->delay_min == 0 || rtt < cubic->delay_min)
        cubic->delay_min = rtt;
    if (!params->hystart || cubic->found || !tcp_cc_in_slow_start(flow))
        return;
    if (flow->una > cubic->round_end)
        begin_round(flow, now);
    if (flow->cwnd < (uint32_t)params->hystart_low_window)
        return;
    watch_train(flow, now);
    if (!cubic->found)
        watch_delay(flow, rtt);
}

const struct tcp_cc_ops tcp_cc_cubic = {
    .name = "cubic",
    .about = "CUBIC: a window that grows with the cube of the time since the last reduction.",
    .source = "RFC 9438; Linux net/ipv4/tcp_cubic.c",
    .opts = opts,
    .params_bytes = sizeof(struct tcp_cc_cubic_params),
    .state_bytes = sizeof(struct tcp_cc_cubic),
    .init = init,
    .ssthresh = ssthresh,
    .cong_avoid = cong_avoid,
    .on_rtt = on_rtt,
    .on_event = on_event,
    .on_timeout = on_timeout,
};
