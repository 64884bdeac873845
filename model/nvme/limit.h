/* SPDX-License-Identifier: Apache-2.0
 * limit - IOPS and bandwidth that somebody may have: a namespace, a subsystem, a workload.
 * Each limit is a bucket: a millisecond's worth is put in at each whole millisecond, what was not
 * used by then is gone, and who finds something in it goes, also where that overdraws it.
 * Source: lib/bdev/bdev.c of SPDK, bdev_channel_poll_qos, bdev_qos_io_submit,
 * SPDK_BDEV_QOS_TIMESLICE_IN_USEC 1000; bdev_set_qos_limit, whose limits are whole thousands of
 * IOPS and MiB/s.
 * Units: thousandths of an I/O or a bit, so that a second's limit is a slice's.
 * Owner: whoever embeds it, and keeps those that wait.  Clock: passed in.  Errors: none. */
#ifndef STORMGLASS_NVME_LIMIT_H
#define STORMGLASS_NVME_LIMIT_H

#include "base/units.h"

#include <stdbool.h>

/* What may be had in a second: I/Os, or bits that are read and written, read, written. */
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
    struct nvme_limits most, left; /* most: of a slice; left: of this one */
    int64_t slice;                 /* number of the one that `left` is of */
};

void nvme_bucket_init(struct nvme_bucket *bucket, const struct nvme_limits *most);
void nvme_bucket_refill(struct nvme_bucket *bucket, time_ps now);
/* False: it waits, and nothing is taken. */
bool nvme_bucket_take(struct nvme_bucket *bucket, bool read, uint32_t bytes);
/* When there is more. */
time_ps nvme_bucket_next(const struct nvme_bucket *bucket);

#endif
