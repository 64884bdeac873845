/* SPDX-License-Identifier: Apache-2.0
 * recovery_go_back_n - go-back-N: retransmits everything from the missing packet on.
 * Source: IBTA Vol 1 9.7.5 and 9.7.6. */
#include "rnic/qp/recovery.h"

const struct recovery_ops recovery_go_back_n = {
    .name = "go-back-n",
};
