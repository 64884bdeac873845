/* SPDX-License-Identifier: Apache-2.0
 * limit - IOPS and bandwidth limits of a namespace, a subsystem or a workload.
 * Each limit is a token bucket: at each whole millisecond it is refilled with one millisecond's
 * worth of tokens, and unused ones expire. A request passes when any tokens are left, even if it
 * overdraws the bucket.
 * Source: lib/bdev/bdev.c of SPDK, bdev_channel_poll_qos, bdev_qos_io_submit,
 * SPDK_BDEV_QOS_TIMESLICE_IN_USEC 1000; bdev_set_qos_limit, whose limits are whole thousands of
 * IOPS and MiB/s. Units: thousandths of an I/O or a bit, so that the limit per second is the number
 * of tokens per slice. Owner: the struct that embeds it, which also queues waiting requests. Clock:
 * passed in. Errors: none. */
#ifndef STORMGLASS_NVME_LIMIT_H
#define STORMGLASS_NVME_LIMIT_H

#include "base/units.h"

#include <stdbool.h>

/* Limits per second: I/Os, or bits read and written, read, written. */
enum nvme_limit {
    NVME_LIMIT_IOPS,
    NVME_LIMIT_RATE,
    NVME_LIMIT_READ,
    NVME_LIMIT_WRITE,
    NVME_LIMITS
};

struct nvme_limits {
    int64_t of[NVME_LIMITS]; /* 0: no limit */
};

static inline bool nvme_limits_any(const struct nvme_limits *limits)
{
    bool any = false;
    for (int i = 0; i < NVME_LIMITS; i++)
        any |= limits->of[i] > 0;
    return any;
}

struct nvme_bucket {
    struct nvme_limits most, left; /* most: tokens per slice; left: in the present slice */
    int64_t slice;                 /* number of the slice to which `left` applies */
};

void nvme_bucket_init(struct nvme_bucket *bucket, const struct nvme_limits *most);
void nvme_bucket_refill(struct nvme_bucket *bucket, time_ps now);
/* Returns false, and takes nothing, when the request has to wait. */
bool nvme_bucket_take(struct nvme_bucket *bucket, bool read, uint32_t bytes);
/* Time of the next refill. */
time_ps nvme_bucket_next(const struct nvme_bucket *bucket);

#endif
