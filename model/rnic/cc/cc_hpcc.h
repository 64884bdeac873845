/* SPDX-License-Identifier: Apache-2.0
 * cc_hpcc - HPCC: parameters and state.
 * Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3. Units:
 * windows bytes, utilization 2^-32, ratios parts per 10^15. */
#ifndef STORMGLASS_RNIC_CC_CC_HPCC_H
#define STORMGLASS_RNIC_CC_CC_HPCC_H

#include "net/frame/telemetry.h"
#include "rnic/cc/cc.h"

struct cc_hpcc_params {
    int64_t eta;
    int64_t max_stage;
    int64_t w_ai;
    int64_t base_rtt;
};

struct cc_hpcc {
    uint64_t reference;        /* Wc */
    uint64_t utilisation;      /* U */
    uint64_t update_after;     /* lastUpdateSeq: the reference window is updated when more than
                                * this is acknowledged */
    int64_t stage;             /* incStage */
    struct telemetry previous; /* L; no hops: none yet */
};

#endif
