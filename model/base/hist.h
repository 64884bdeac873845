/* SPDX-License-Identifier: Apache-2.0
 * hist - a log-linear histogram of non-negative integers.
 * Each power of two is divided into 128 equal buckets, so a reported value is off by less than
 * 1/256 of itself (values below 256 are exact). Fixed memory, any value up to 2^63-1.
 * Idea: HdrHistogram (G. Tene). */
#ifndef STORMGLASS_BASE_HIST_H
#define STORMGLASS_BASE_HIST_H

#include <stdint.h>

#define HIST_BITS    7
#define HIST_BUCKETS ((64 - HIST_BITS) << HIST_BITS)

struct hist {
    uint64_t count;
    unsigned __int128 sum;
    int64_t min, max;
    uint32_t buckets[HIST_BUCKETS];
};

void hist_reset(struct hist *hist);
void hist_add(struct hist *hist, int64_t value);
void hist_merge(struct hist *into, const struct hist *from);

/* The value at or below which `ppm` millionths of the entries lie (990000 is p99); 0 when empty.
 * The result is the middle of its bucket, clamped to [min, max]. */
int64_t hist_at(const struct hist *hist, int64_t ppm);

/* Mean of the slowest `ppm` millionths of the entries, of at least one entry; 0 when empty. Each
 * entry counts as the middle of its bucket, at most max. */
int64_t hist_tail_mean(const struct hist *hist, int64_t ppm);

/* Bucket bounds, for reports: values in [hist_floor(b), hist_floor(b + 1)); and the bucket of a
 * value. */
int64_t hist_floor(unsigned bucket);
unsigned hist_bucket(int64_t value);

#endif
