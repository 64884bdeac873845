/* SPDX-License-Identifier: Apache-2.0
 * cc_none - no congestion control.
 * Every queue pair always sends at line rate; ECN is not used. */
#include "rnic/cc/cc.h"

static const struct opt none_opts[] = {{0}};

const struct cc_ops cc_none = {
    .name = "none",
    .about = "sends at line rate; only PFC limits it",
    .source = "own",
    .opts = none_opts,
};
