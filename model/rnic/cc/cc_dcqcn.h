/* SPDX-License-Identifier: Apache-2.0
 * cc_dcqcn - DCQCN: parameters and the reaction point's state.
 * Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section
 * 3. Units: rates bits per second, alpha 2^-32. */
#ifndef STORMGLASS_RNIC_CC_CC_DCQCN_H
#define STORMGLASS_RNIC_CC_CC_DCQCN_H

#include "rnic/cc/cc.h"

struct cc_dcqcn_params {
    int64_t g;             /* parts per 10^15 */
    int64_t initial_alpha; /* parts per 10^15 */
    int64_t alpha_timer;
    int64_t rate_timer;
    int64_t byte_counter;
    int64_t f;
    int64_t rai, rhai;
    int64_t min_rate;
    int64_t cnp_interval;
    int64_t cut_interval;
    int64_t clamp_target;
    int64_t rate_on_first_cnp; /* bits per second; 0: the first CNP cuts like any other */
    int64_t hyper_increase;    /* enum cc_dcqcn_hyper */
    int64_t alpha_first;
    int64_t gap_fixed;
};

/* Which counts of increases must exceed F for hyper increase. */
#define CC_DCQCN_HYPER(X) X(BOTH, "both") X(TIMER, "timer")

#define X(name, word) CC_DCQCN_HYPER_##name,
enum cc_dcqcn_hyper { CC_DCQCN_HYPER(X) };
#undef X

struct cc_dcqcn {
    uint64_t target;
    uint32_t timer_stage, byte_stage; /* events since the last cut */
    uint64_t alpha;
    time_ps alpha_due; /* next decay; TIME_NEVER before the first CNP */
    time_ps last_cut;
};

#endif
