/* SPDX-License-Identifier: Apache-2.0
 * cc_none - no congestion control.
 * The trivial member of the kind: every queue pair sends at line rate for ever; marks are not
 * asked for. */
#include "rnic/cc/cc.h"

static const struct opt none_opts[] = {{0}};

const struct cc_ops cc_none = {
    .name = "none",
    .about = "sends at line rate; only PFC limits it",
    .source = "own",
    .opts = none_opts,
};
