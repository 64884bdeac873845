/* SPDX-License-Identifier: Apache-2.0
 * tcp_cc_dctcp - parameters and state of DCTCP. */
#ifndef STORMGLASS_TCP_TCP_CC_DCTCP_H
#define STORMGLASS_TCP_TCP_CC_DCTCP_H

#include "tcp/tcp_cc.h"

#define TCP_CC_DCTCP_ONE (UINT64_C(1) << 20)

struct tcp_cc_dctcp_params {
    int64_t g, alpha;
};

struct tcp_cc_dctcp {
    uint64_t alpha;                   /* in units of 2^-20 */
    uint64_t window_end;              /* stream offset at which the window ends */
    uint64_t delivered, delivered_ce; /* at its begin */
};

#endif
