/* SPDX-License-Identifier: Apache-2.0
 * cc_template - sends at a share of line rate, whatever it hears.
 * Source: own; a template. */
#include "rnic/cc/cc.h"

#include <stddef.h>

struct params {
    int64_t share; /* ppm of the line rate */
};

static const struct opt rows[] = {
    {.name = "template-share",
     .type = OPT_PERCENT,
     .offset = offsetof(struct params, share),
     .preset = "100%",
     .min = "1%",
     .max = "100%",
     .about = "Share of line rate.",
     .source = "own",
     OPT_ACTS(CONGESTION, ANY, TRACE)},
    {0},
};

static void init(struct cc_flow *flow)
{
    const struct params *params = flow->site->params;
    flow->rate_bps = flow->site->line_bps / PPM * (uint64_t)params->share;
}

static void on_sent(struct cc_flow *flow, time_ps now)
{
    (void)now;
    flow->bytes_left = INT64_MAX;
}

const struct cc_ops cc_template = {
    .name = "template",
    .about = "sends at a share of line rate",
    .source = "own",
    .opts = rows,
    .params_bytes = sizeof(struct params),
    .init = init,
    .on_sent = on_sent,
};
