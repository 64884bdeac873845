/* SPDX-License-Identifier: Apache-2.0
 * dim - adaptive moderation: the number of completions and the time before an interrupt.
 * Every 64 polls the rate of completions, and then the number of completions per poll, are compared
 * with those of the previous 64: a rise by a tenth is better and keeps the direction, a fall turns
 * around; no change returns to the first of nine levels unless several completions come per poll.
 * Source: Linux lib/dim/rdma_dim.c, dim.c and drivers/infiniband/core/cq.c (rdma_dim_prof). Clock:
 * now is passed in. Owner: a completion queue. */
#ifndef STORMGLASS_RNIC_PIPELINE_DIM_H
#define STORMGLASS_RNIC_PIPELINE_DIM_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

enum { DIM_LEVELS = 9 };

struct dim {
    uint8_t level;
    bool left;                   /* direction: towards lower levels */
    bool measuring;              /* the present sample has begun */
    uint32_t polls, completions; /* of the present sample */
    time_ps since;
    uint64_t rate, ratio; /* previous sample: completions per ms; per 100 polls */
};

/* Completions and time of the present level; whichever is reached first triggers an interrupt. */
int64_t dim_count(const struct dim *dim);
time_ps dim_time(const struct dim *dim);

/* Reports that `completions` completions were found in one poll. */
void dim_polled(struct dim *dim, uint32_t completions, time_ps now);

#endif
