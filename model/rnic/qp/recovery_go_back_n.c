/* SPDX-License-Identifier: Apache-2.0
 * recovery_go_back_n - go-back-N: from the missing packet on, everything is sent again.
 * Source: IBTA Vol 1 9.7.5 and 9.7.6. */
#include "rnic/qp/recovery.h"

const struct recovery_ops recovery_go_back_n = {
    .name = "go-back-n",
};
