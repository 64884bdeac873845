/* SPDX-License-Identifier: Apache-2.0
 * limit - token buckets with a slice of one millisecond. */
#include "nvme/limit.h"

#include "base/check.h"

#define SLICE (1 * PS_PER_MS)

static int64_t cost_of(bool read, uint32_t bytes, enum nvme_limit limit)
{
    switch (limit) {
    case NVME_LIMIT_IOPS:
        return 1000;
    case NVME_LIMIT_READ:
        return read ? (int64_t)bytes * 8000 : 0;
    case NVME_LIMIT_WRITE:
        return read ? 0 : (int64_t)bytes * 8000;
    default:
        return (int64_t)bytes * 8000;
    }
}

void nvme_bucket_init(struct nvme_bucket *bucket, const struct nvme_limits *most)
{
    *bucket = (struct nvme_bucket){.most = *most, .slice = -1};
}

void nvme_bucket_refill(struct nvme_bucket *bucket, time_ps now)
{
    const int64_t passed = now / SLICE - bucket->slice;
    bucket->slice += passed;
    for (int i = 0; i < NVME_LIMITS && passed > 0; i++) {
        const int64_t most = bucket->most.of[i],
                      owed = bucket->left.of[i] < 0 ? -bucket->left.of[i] : 0;
        if (most == 0)
            continue;
        bucket->left.of[i] = passed > owed / most + 1 ? most : passed * most - owed;
        CHECK(bucket->left.of[i] <= most);
    }
}

bool nvme_bucket_take(struct nvme_bucket *bucket, bool read, uint32_t bytes)
{
    for (int i = 0; i < NVME_LIMITS; i++)
        if (bucket->most.of[i] > 0 && bucket->left.of[i] <= 0 &&
            cost_of(read, bytes, (enum nvme_limit)i) > 0)
            return false;
    for (int i = 0; i < NVME_LIMITS; i++)
        if (bucket->most.of[i] > 0)
            bucket->left.of[i] -= cost_of(read, bytes, (enum nvme_limit)i);
    return true;
}

time_ps nvme_bucket_next(const struct nvme_bucket *bucket)
{
    return (bucket->slice + 1) * SLICE;
}
