/* SPDX-License-Identifier: Apache-2.0
 * hist - bucket arithmetic.
 * A value below 2^(BITS+1) has a bucket of its own. Above, with top bit t, the next BITS bits
 * select one of 2^BITS buckets of width 2^(t-BITS); the rows of the powers of two follow each
 * other. */
#include "base/hist.h"

#include "base/check.h"
#include "base/units.h"

#include <string.h>

unsigned hist_bucket(int64_t signed_value)
{
    const uint64_t value = (uint64_t)signed_value;
    if (value < (UINT64_C(2) << HIST_BITS))
        return (unsigned)value;
    const unsigned top = 63u - (unsigned)__builtin_clzll(value);
    const unsigned shift = top - HIST_BITS;
    return (shift << HIST_BITS) + (unsigned)(value >> shift);
}

int64_t hist_floor(unsigned bucket)
{
    if (bucket < (2u << HIST_BITS))
        return bucket;
    const unsigned shift = (bucket >> HIST_BITS) - 1;
    const uint64_t head = (bucket & ((1u << HIST_BITS) - 1)) | (1u << HIST_BITS);
    return (int64_t)(head << shift);
}

void hist_reset(struct hist *hist)
{
    memset(hist, 0, sizeof *hist);
    hist->min = INT64_MAX;
}

void hist_add(struct hist *hist, int64_t value)
{
    CHECK(value >= 0);
    hist->buckets[hist_bucket(value)]++;
    hist->count++;
    hist->sum += (uint64_t)value;
    hist->min = value < hist->min ? value : hist->min;
    hist->max = value > hist->max ? value : hist->max;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
    into->count += from->count;
    into->sum += from->sum;
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
}

/* Middle of the bucket, clamped to [min, max]. */
static int64_t middle_of(const struct hist *hist, unsigned bucket)
{
    const int64_t low = hist_floor(bucket);
    const int64_t middle = low + (hist_floor(bucket + 1) - low) / 2;
    return middle < hist->min ? hist->min : middle > hist->max ? hist->max : middle;
}

int64_t hist_at(const struct hist *hist, int64_t ppm)
{
    CHECK(ppm >= 0 && ppm <= PPM);
    if (hist->count == 0)
        return 0;
    const unsigned __int128 scaled = (unsigned __int128)hist->count * (uint64_t)ppm;
    uint64_t rank = (uint64_t)((scaled + PPM - 1) / PPM); /* 1-based rank of the entry */
    rank = rank == 0 ? 1 : rank;
    unsigned bucket = 0;
    for (uint64_t seen = hist->buckets[0]; seen < rank; seen += hist->buckets[bucket])
        bucket++;
    return middle_of(hist, bucket);
}

int64_t hist_tail_mean(const struct hist *hist, int64_t ppm)
{
    CHECK(ppm > 0 && ppm <= PPM);
    if (hist->count == 0)
        return 0;
    const unsigned __int128 scaled = (unsigned __int128)hist->count * (uint64_t)ppm;
    const uint64_t tail = (uint64_t)((scaled + PPM - 1) / PPM);
    unsigned __int128 sum = 0;
    uint64_t left = tail;
    for (unsigned bucket = hist_bucket(hist->max); left > 0; bucket--) {
        const uint64_t some = hist->buckets[bucket] < left ? hist->buckets[bucket] : left;
        sum += (unsigned __int128)some * (uint64_t)middle_of(hist, bucket);
        left -= some;
    }
    /* Bucket middles are off by up to 1 %: keep the mean of the slowest entries from falling below
     * the mean of all. */
    const int64_t slowest = (int64_t)(sum / tail);
    const int64_t mean =
        (int64_t)(((__int128)hist->sum + (int64_t)hist->count - 1) / (int64_t)hist->count);
    return slowest > mean ? slowest : mean;
}
