/* SPDX-License-Identifier: Apache-2.0
 * dim - moderation that adapts itself: how many completions, and how long, before an interrupt.
 * Each 64 polls the rate of completions, and then how many came with each poll, are compared with
 * those of the 64 before: more by a tenth is better and goes on in the same direction, less turns
 * round; the same falls back to the first of nine levels unless completions come in numbers.
 * Source: Linux lib/dim/rdma_dim.c, dim.c and drivers/infiniband/core/cq.c (rdma_dim_prof).
 * Clock: now is passed in.  Owner: a completion queue. */
#ifndef STORMGLASS_RNIC_PIPELINE_DIM_H
#define STORMGLASS_RNIC_PIPELINE_DIM_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

enum { DIM_LEVELS = 9 };

struct dim {
    uint8_t level;
    bool left;                   /* goes to lower levels */
    bool measuring;              /* the sample below has begun */
    uint32_t polls, completions; /* of it */
    time_ps since;
    uint64_t rate, ratio; /* of the sample before: completions per ms; per 100 polls */
};

/* Of the level: completions, and time, of which the first to come makes an interrupt. */
int64_t dim_count(const struct dim *dim);
time_ps dim_time(const struct dim *dim);

/* So many completions were polled at once. */
void dim_polled(struct dim *dim, uint32_t completions, time_ps now);

#endif
