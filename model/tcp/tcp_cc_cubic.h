/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_cubic - parameters and state of CUBIC. */
#ifndef STORMGLASS_TCP_TCP_CC_CUBIC_H
#define STORMGLASS_TCP_TCP_CC_CUBIC_H

#include "tcp/tcp_cc.h"

struct tcp_cc_cubic_params {
    int64_t c, beta, fast_convergence, friendliness, hystart, hystart_low_window;
};

struct tcp_cc_cubic {
    uint32_t last_max; /* W_max, segments */
    uint32_t origin;   /* window at the inflection point, segments */
    uint32_t reno;     /* W_est: the window that Reno would have */
    uint32_t reno_acked;
    uint32_t acked;
    uint32_t count;       /* acknowledged segments for each increase by one */
    time_ps k;            /* from the epoch to the inflection point */
    time_ps epoch;        /* TIME_NEVER: none began */
    time_ps last_update;  /* of `count` */
    uint32_t last_cwnd;   /* at that time */
    time_ps last_sent_at; /* the connection was not idle then */

    /* HyStart */
    time_ps delay_min;   /* 0: no sample yet */
    time_ps round_start; /* of a window */
    time_ps last_ack;    /* of the ACK train */
    time_ps delay_now;   /* least round-trip time of the round */
    uint64_t round_end;  /* stream offset */
    uint32_t samples;    /* of the round */
    bool found;          /* slow start is over */
};

/* Cube root, rounded down. */
uint64_t tcp_cc_cubic_root(unsigned __int128 value);

/* W_cubic(t) in segments, RFC 9438 equation 1; `since` the epoch. */
uint32_t tcp_cc_cubic_window(const struct tcp_cc_cubic_params *params,
                             const struct tcp_cc_cubic *cubic, time_ps since);

#endif
