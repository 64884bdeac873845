/* SPDX-License-Identifier: Apache-2.0
 * buffer_template - a group may have half of what is free.
 * Source: own; a template. */
#include "net/switch/buffer.h"

static int64_t threshold(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle)
{
    (void)view, (void)place, (void)alpha;
    return idle / 2;
}

static int64_t settled(const void *params, int64_t alpha, int64_t shared, int64_t busy)
{
    (void)params, (void)alpha;
    return shared / (2 + busy);
}

const struct buffer_policy buffer_template = {
    .about = "a group may use half of the free shared memory",
    .source = "own",
    .by_idle = true,
    .threshold = threshold,
    .settled = settled,
};
