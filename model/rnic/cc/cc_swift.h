/* SPDX-License-Identifier: Apache-2.0
 * cc_swift - Swift: parameters and state.
 * Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, section 3. Units: windows in packets of 2^-32, ratios parts per
 * 10^15. */
#ifndef STORMGLASS_RNIC_CC_CC_SWIFT_H
#define STORMGLASS_RNIC_CC_CC_SWIFT_H

#include "rnic/cc/cc.h"

struct cc_swift_params {
    int64_t base_target, hop_scaling;
    int64_t fs_range, fs_min_cwnd, fs_max_cwnd;
    int64_t ai, beta, max_mdf;
    int64_t min_cwnd, max_cwnd, initial_cwnd;
    int64_t retx_reset;
};

struct cc_swift {
    uint64_t cwnd;
    time_ps rtt;           /* latest; 0: none yet */
    time_ps last_decrease; /* -1: none yet */
    int64_t timeouts;      /* consecutive, without an ACK in between */
};

/* Target delay for that window and number of switches on the path. */
time_ps cc_swift_target(const struct cc_swift_params *params, uint64_t cwnd, unsigned hops);

#endif
