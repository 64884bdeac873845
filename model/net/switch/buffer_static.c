/* SPDX-License-Identifier: Apache-2.0
 * buffer_static - a constant threshold for every group.
 * Source: Zhu et al., SIGCOMM 2015, section 4 (t_PFC as a constant); SONiC static_th. */
#include "net/switch/buffer_static.h"

#include "net/switch/buffer.h"

/* This name is older than the rule that the names of a policy's parameters begin with its stem. */
static const struct opt opts[] = {
    {"xoff", OPT_SIZE, offsetof(struct buffer_static_params, xoff), "96KiB", "0B", "32TiB", NULL,
     "Static policy: fill level of an ingress group at which its sender is paused.", "assumed",
     OPT_SCALES(PAUSES, LESS, TRACE)},
    {0},
};

static int64_t threshold(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle)
{
    const struct buffer_static_params *params = view->params;
    (void)place, (void)alpha, (void)idle;
    return params->xoff / view->cell;
}

static int64_t settled(const void *params, int64_t alpha, int64_t shared, int64_t busy)
{
    (void)alpha, (void)shared, (void)busy;
    return ((const struct buffer_static_params *)params)->xoff;
}

const struct buffer_policy buffer_static = {
    .about = "a group may use a fixed number of bytes of shared memory",
    .source =
        "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 4",
    .opts = opts,
    .params_bytes = sizeof(struct buffer_static_params),
    .by_idle = true,
    .fixed = true,
    .threshold = threshold,
    .settled = settled,
};
