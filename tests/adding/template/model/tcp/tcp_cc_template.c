/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_template - a congestion control of TCP as docs/adding.md says: a window of 10 segments. */
#include "tcp/tcp_cc.h"

enum { WINDOW = 10 };

static void cong_avoid(struct tcp_cc_flow *flow, uint32_t acked, time_ps now)
{
    (void)acked;
    (void)now;
    flow->cwnd = WINDOW;
}

static uint32_t ssthresh(struct tcp_cc_flow *flow, bool loss, time_ps now)
{
    (void)flow;
    (void)loss;
    (void)now;
    return WINDOW;
}

const struct tcp_cc_ops tcp_cc_template = {
    .name = "template",
    .about = "A template: a constant window.",
    .source = "own",
    .ssthresh = ssthresh,
    .cong_avoid = cong_avoid,
};
