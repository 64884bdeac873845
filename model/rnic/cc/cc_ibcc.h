/* SPDX-License-Identifier: Apache-2.0
 * cc_ibcc - parameters and state of InfiniBand's congestion control, for its tests. */
#ifndef STORMGLASS_RNIC_CC_CC_IBCC_H
#define STORMGLASS_RNIC_CC_CC_IBCC_H

#include "rnic/cc/cc.h"

/* How the entries of the table grow with their index. */
#define CC_IBCC_SHAPES(X) X(QUADRATIC, "quadratic") X(LINEAR, "linear")
#define X(name, word)     CC_IBCC_##name,
enum cc_ibcc_shape { CC_IBCC_SHAPES(X) };
#undef X

/* How a receiver returns the congestion notification of a packet with FECN. */
#define CC_IBCC_BECNS(X) X(CNP, "cnp") X(ACK, "ack")
#define X(name, word)    CC_IBCC_BY_##name,
enum cc_ibcc_becn { CC_IBCC_BECNS(X) };
#undef X

struct cc_ibcc_params {
    int64_t increase, limit, least; /* CCTI_Increase, CCTI_Limit, CCTI_Min */
    int64_t timer;                  /* CCTI_Timer: 1.024 us */
    int64_t last, shift, shape;     /* the Congestion Control Table */
    int64_t becn;                   /* enum cc_ibcc_becn */
};

struct cc_ibcc {
    time_ps tick;  /* when the index falls next; TIME_NEVER: it is at its minimum */
    uint32_t ccti; /* index into the table */
};

/* CCT_Multiplier of an entry. */
uint32_t cc_ibcc_multiplier(const struct cc_ibcc_params *params, uint32_t index);

#endif
