/* SPDX-License-Identifier: Apache-2.0
 * wl_history - intervals that double in length, and samples that are thinned out. */
#include "scenarios/workload/wl_history.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT_FIRST = 14 }; /* 512 intervals of 16 ns are 8 us */

void wl_history_init(struct wl_history *history, time_ps base)
{
    *history = (struct wl_history){.base = base, .shift = SHIFT_FIRST};
}

void wl_history_fini(struct wl_history *history)
{
    free(history->intervals);
    free(history->samples);
    *history = (struct wl_history){0};
}

static void add_interval(struct wl_history_interval *into, const struct wl_history_interval *from)
{
    into->completed += from->completed;
    into->bytes += from->bytes;
    into->latency_sum += from->latency_sum;
}

static void make_intervals(struct wl_history *history)
{
    if (history->intervals == NULL)
        history->intervals = memory_zeroed(WL_HISTORY_INTERVALS, sizeof *history->intervals);
}

static void double_intervals(struct wl_history *history)
{
    struct wl_history_interval *all = history->intervals;
    for (int i = 0; i < WL_HISTORY_INTERVALS / 2; i++) {
        struct wl_history_interval both = all[2 * i];
        add_interval(&both, &all[2 * i + 1]);
        all[i] = both;
    }
    memset(all + WL_HISTORY_INTERVALS / 2, 0, WL_HISTORY_INTERVALS / 2 * sizeof *all);
    history->shift++;
}

/* ---- samples ---- */

static bool is_kept(const struct wl_history *history, const struct wl_history_sample *sample)
{
    const uint64_t hash = hash_mix((uint64_t)sample->at ^ hash_mix((uint64_t)sample->latency));
    return history->level == 0 || hash >> (64 - history->level) == 0;
}

/* Removes half of the samples. */
static void thin_samples(struct wl_history *history)
{
    uint32_t kept = 0;
    history->level++;
    for (uint32_t i = 0; i < history->sample_count; i++)
        if (is_kept(history, &history->samples[i]))
            history->samples[kept++] = history->samples[i];
    history->sample_count = kept;
}

static void add_sample(struct wl_history *history, const struct wl_history_sample *sample)
{
    while (is_kept(history, sample) && history->sample_count == WL_HISTORY_SAMPLES)
        thin_samples(history);
    if (!is_kept(history, sample))
        return;
    history->samples = memory_grown(history->samples, history->sample_count, &history->sample_room,
                                    sizeof *history->samples);
    history->samples[history->sample_count++] = *sample;
}

/* ---- adding data ---- */

void wl_history_add(struct wl_history *history, time_ps now, time_ps latency, uint64_t bytes,
                    uint32_t member)
{
    CHECK(now >= history->base);
    const uint64_t since = (uint64_t)(now - history->base);
    make_intervals(history);
    while (since >> history->shift >= WL_HISTORY_INTERVALS)
        double_intervals(history);
    add_interval(&history->intervals[since >> history->shift],
                 &(struct wl_history_interval){1, bytes, (uint64_t)latency});
    add_sample(history, &(struct wl_history_sample){now, latency, member});
}

void wl_history_deliver(struct wl_history *history, time_ps at, uint64_t bytes, int intervals)
{
    const uint64_t since = at > history->base ? (uint64_t)(at - history->base) - 1 : 0;
    make_intervals(history);
    while (since >> history->shift >= (uint64_t)intervals)
        double_intervals(history);
    history->intervals[since >> history->shift].bytes += bytes;
}

time_ps wl_history_next(const struct wl_history *history, time_ps now)
{
    const uint64_t since = now > history->base ? (uint64_t)(now - history->base) : 0;
    return history->base + (time_ps)(((since >> history->shift) + 1) << history->shift);
}

void wl_history_forget_bytes(struct wl_history *history)
{
    for (int i = 0; history->intervals != NULL && i < WL_HISTORY_INTERVALS; i++)
        history->intervals[i].bytes = 0;
}

void wl_history_fold(struct wl_history *into, const struct wl_history *from)
{
    CHECK(into->base == from->base);
    if (from->intervals == NULL)
        return;
    make_intervals(into);
    while (into->shift < from->shift)
        double_intervals(into);
    for (int i = 0; i < WL_HISTORY_INTERVALS; i++)
        add_interval(&into->intervals[i >> (into->shift - from->shift)], &from->intervals[i]);
    while (into->level < from->level)
        thin_samples(into);
    for (uint32_t i = 0; i < from->sample_count; i++)
        add_sample(into, &from->samples[i]);
}

/* ---- worst member ---- */

static int by_member(const void *a, const void *b)
{
    const struct wl_history_sample *x = a, *y = b;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    return x->latency < y->latency ? -1 : x->latency > y->latency;
}

/* Maximum of `worst` and `value`; WL_HISTORY_UNKNOWN if either is unknown. */
static int64_t worst_of(int64_t worst, int64_t value, bool known)
{
    return worst == WL_HISTORY_UNKNOWN || !known ? WL_HISTORY_UNKNOWN
           : value > worst                       ? value
                                                 : worst;
}

/* Adds one member, whose samples are sorted. */
static void add_member(struct wl_history_worst *worst, const struct wl_history_sample *samples,
                       uint32_t count)
{
    __int128 sum = 0;
    const uint64_t rank = ((uint64_t)count * 99 + 99) / 100;
    for (uint32_t i = 0; i < count; i++)
        sum += samples[i].latency;
    worst->mean = worst_of(worst->mean, (int64_t)(sum / count), count >= WL_HISTORY_WORST_MEAN);
    worst->p99 = worst_of(worst->p99, samples[rank - 1].latency, count >= WL_HISTORY_WORST_P99);
}

struct wl_history_worst wl_history_worst(const struct wl_history *history, time_ps from,
                                         time_ps until)
{
    struct wl_history_worst worst = {0, 0};
    struct wl_history_sample *all = memory_zeroed(history->sample_count + 1, sizeof *all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < history->sample_count; i++)
        if (history->samples[i].at >= from && history->samples[i].at < until)
            all[count++] = history->samples[i];
    qsort(all, count, sizeof *all, by_member);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].member == all[i].member;)
            end++;
        add_member(&worst, all + i, end - i);
    }
    free(all);
    return count == 0 ? (struct wl_history_worst){WL_HISTORY_UNKNOWN, WL_HISTORY_UNKNOWN} : worst;
}
