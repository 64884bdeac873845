/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc - the list of congestion controls, and additive increase. */
#include "tcp/tcp_cc.h"

const struct tcp_cc_ops *const tcp_cc_list[TCP_CCS] = {
#define TCP_CC(stem, about) &tcp_cc_##stem,
#include "tcp/tcp_cc.def"
#undef TCP_CC
};

void tcp_cc_additive(struct tcp_cc_flow *flow, uint32_t window, uint32_t acked)
{
    /* Credit from the time of a larger `window` is one segment, however much it is. Otherwise
     * CUBIC, whose `window` is large until Reno is ahead by one segment, would grow by several. */
    if (flow->cwnd_cnt >= window) {
        flow->cwnd_cnt = 0;
        flow->cwnd++;
    }
    flow->cwnd_cnt += acked;
    if (flow->cwnd_cnt < window)
        return;
    flow->cwnd += flow->cwnd_cnt / window;
    flow->cwnd_cnt %= window;
}
