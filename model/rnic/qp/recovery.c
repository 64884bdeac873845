/* SPDX-License-Identifier: Apache-2.0
 * recovery - the list of loss recovery methods. */
#include "rnic/qp/recovery.h"

#include <stddef.h>

const struct recovery_ops *const recovery_list[] = {
#define RECOVERY(stem, word) &recovery_##stem,
#include "rnic/qp/recovery.def"
#undef RECOVERY
    NULL,
};
