/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc - congestion control of TCP, a plug-in: one file and one line in tcp_cc.def.
 *
 * An algorithm answers ACKs and losses with a window (cwnd) and a slow-start threshold (ssthresh),
 * both in segments, as Linux's struct tcp_congestion_ops does.  Loss detection, proportional rate
 * reduction and pacing are TCP's.
 *
 * Contract.
 *   Hooks     each may be NULL, except ssthresh and cong_avoid.
 *   Flow      a hook gets a struct tcp_cc_flow and may write cwnd, cwnd_cnt and ssthresh; `state`
 *             is its own, everything else is read only.
 *   Limits    cwnd >= 1 at all times; ssthresh >= 2.
 *   Determinism  integers only, no memory of its own, no random numbers, no global state.
 *   Owner     the state lies in the connection, zeroed before init. */
#ifndef STORMGLASS_TCP_TCP_CC_H
#define STORMGLASS_TCP_TCP_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum { TCP_CC_STATE_BYTES = 160, TCP_CC_PARAMS_MAX = 64, TCP_CC_INFINITE = INT32_MAX };

struct tcp_counters;

/* A connection as its congestion control sees it. */
struct tcp_cc_flow {
    const void *params;
    void *state;
    struct tcp_counters *counters;
    uint32_t cwnd, ssthresh; /* segments */
    uint32_t cwnd_cnt;       /* acknowledged segments that have not increased cwnd yet */
    uint32_t in_flight;      /* segments, before this ACK */
    bool cwnd_limited;       /* cwnd, and not the application, limited the last flight */
    bool paced;
    bool ecn;                         /* ECN was negotiated */
    uint64_t una, nxt;                /* stream offsets */
    uint64_t delivered, delivered_ce; /* segments */
    time_ps srtt, min_rtt;
};

enum tcp_cc_event {
    TCP_CC_TX_START,    /* the first segment after an idle time */
    TCP_CC_CWND_RESTART /* cwnd is reset after an idle time */
};

struct tcp_cc_ops {
    const char *name;
    const char *about;
    const char *source;
    const struct opt *opts; /* NULL: none */
    size_t params_bytes;    /* at most TCP_CC_PARAMS_MAX */
    size_t state_bytes;     /* at most TCP_CC_STATE_BYTES */
    bool wants_ecn;         /* negotiates ECN and marks every packet ECT(0) */
    bool echoes_each_mark;  /* the receiver echoes exactly what was marked, RFC 8257 3.2 */

    void (*init)(struct tcp_cc_flow *flow, time_ps now);
    /* The threshold after a loss or an ECN echo. */
    uint32_t (*ssthresh)(struct tcp_cc_flow *flow, bool loss, time_ps now);
    /* `acked` segments were acknowledged, and nothing is lost. */
    void (*cong_avoid)(struct tcp_cc_flow *flow, uint32_t acked, time_ps now);
    /* Round-trip time of a segment that an ACK acknowledges and that was sent once. */
    void (*on_rtt)(struct tcp_cc_flow *flow, time_ps rtt, time_ps now);
    /* Each ACK; flow->delivered is up to date. */
    void (*on_ack)(struct tcp_cc_flow *flow, time_ps now);
    void (*on_event)(struct tcp_cc_flow *flow, enum tcp_cc_event event, time_ps now);
    /* A timeout: the path is new. */
    void (*on_timeout)(struct tcp_cc_flow *flow);
    /* The share of marked segments in ppm, for reports.  NULL: none. */
    uint32_t (*alpha_ppm)(const struct tcp_cc_flow *flow);
};

/* What newreno does; others do it in slow start. */
static inline bool tcp_cc_in_slow_start(const struct tcp_cc_flow *flow)
{
    return flow->cwnd < flow->ssthresh;
}

/* Slow start by `acked` segments; returns those that are left when ssthresh is reached. */
static inline uint32_t tcp_cc_slow_start(struct tcp_cc_flow *flow, uint32_t acked)
{
    const uint32_t room = flow->ssthresh - flow->cwnd;
    const uint32_t used = acked < room ? acked : room;
    flow->cwnd += used;
    return acked - used;
}

/* One segment more for each `window` acknowledged ones. */
void tcp_cc_additive(struct tcp_cc_flow *flow, uint32_t window, uint32_t acked);

#define TCP_CC(stem, about) extern const struct tcp_cc_ops tcp_cc_##stem;
#include "tcp/tcp_cc.def"
#undef TCP_CC

enum {
#define TCP_CC(stem, about) TCP_CC_##stem,
#include "tcp/tcp_cc.def"
#undef TCP_CC
    TCP_CCS
};

extern const struct tcp_cc_ops *const tcp_cc_list[TCP_CCS];

#endif
