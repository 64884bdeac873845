/* SPDX-License-Identifier: Apache-2.0
 * series - when samples are taken, and what the workloads did in each. */
#include "replay/record/series.h"

#include "base/memory.h"
#include "replay/record/series_private.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ workloads */

/* What the histogram counted since the last sample: the middle of the bucket that holds the
 * ppm-th part of it, as hist_at; 0 behind the last. */
struct quantiles {
    time_ps p50, p99, p99_9, max;
};

static time_ps middle_of(unsigned bucket)
{
    const int64_t low = hist_floor(bucket);
    return low + (hist_floor(bucket + 1) - low) / 2;
}

static uint64_t rank_of(uint64_t count, uint64_t ppm)
{
    const uint64_t rank = (uint64_t)(((unsigned __int128)count * ppm + PPM - 1) / PPM);
    return rank == 0 ? 1 : rank;
}

static struct quantiles quantiles_between(const struct hist *before, const struct hist *now)
{
    const uint64_t count = now->count - before->count;
    const uint64_t p50 = rank_of(count, 500000), p99 = rank_of(count, 990000);
    const uint64_t p99_9 = rank_of(count, 999000);
    struct quantiles found = {0};
    uint64_t seen = 0;
    for (unsigned i = hist_bucket(now->min); seen < count; i++) {
        const uint64_t below = seen;
        seen += now->buckets[i] - before->buckets[i];
        if (below < p50 && seen >= p50)
            found.p50 = middle_of(i);
        if (below < p99 && seen >= p99)
            found.p99 = middle_of(i);
        if (below < p99_9 && seen >= p99_9)
            found.p99_9 = middle_of(i);
        if (seen == count)
            found.max = middle_of(i);
    }
    return found;
}

/* The buckets in use are a small part of all. */
static void keep_histogram(struct hist *before, const struct hist *now)
{
    before->count = now->count;
    before->sum = now->sum;
    const unsigned first = hist_bucket(now->min), end = hist_bucket(now->max) + 1;
    memcpy(before->buckets + first, now->buckets + first, (end - first) * sizeof *now->buckets);
}

static void take_workload(struct series *series, uint32_t index)
{
    const struct workload_stats *now = &series->world->stats[index];
    struct series_work *before = &series->works[index];
    const uint64_t outstanding = now->issued - now->completed - now->failed;
    const uint64_t measured = now->latency.count - before->latency.count;
    if (outstanding == 0 && now->issued == before->issued && now->completed == before->completed &&
        now->failed == before->failed)
        return;
    const struct quantiles latency = quantiles_between(&before->latency, &now->latency);
    const double mean =
        measured == 0 ? 0.0 : (double)(now->latency.sum - before->latency.sum) / (double)measured;
    const bool any = measured > 0;
    SERIES_ROW(series, series_workload, .workload = STORE_I(index),
               .issued = STORE_I(now->issued - before->issued),
               .completed = STORE_I(now->completed - before->completed),
               .failed = STORE_I(now->failed - before->failed), .outstanding = STORE_I(outstanding),
               .bytes = STORE_I(now->bytes - before->bytes),
               .latency_mean_ps = any ? STORE_I(mean) : STORE_N,
               .latency_p50_ps = any ? STORE_I(latency.p50) : STORE_N,
               .latency_p99_ps = any ? STORE_I(latency.p99) : STORE_N,
               .latency_p99_9_ps = any ? STORE_I(latency.p99_9) : STORE_N,
               .latency_max_ps = any ? STORE_I(latency.max) : STORE_N);
    before->issued = now->issued;
    before->completed = now->completed;
    before->failed = now->failed;
    before->bytes = now->bytes;
    if (any)
        keep_histogram(&before->latency, &now->latency);
}

/* ------------------------------------------------------------------ when */

time_ps series_auto_interval(time_ps duration)
{
    const time_ps least = (duration - 1) / SERIES_SAMPLES + 1;
    time_ps interval = 1;
    while (interval < least) {
        time_ps digit = interval;
        while (digit >= 10)
            digit /= 10;
        interval = digit == 2 ? interval / 2 * 5 : interval * 2;
    }
    return interval;
}

/* Before the interval doubles: those of the measured window, and as many after it as every time. */
static uint32_t samples_of(time_ps duration, time_ps interval)
{
    const time_ps count = duration / interval;
    return SERIES_SAMPLES + (count > SERIES_SAMPLES_MAX ? SERIES_SAMPLES_MAX : (uint32_t)count);
}

static void make_room(struct series *series)
{
    const struct scenario *scenario = series->world->scenario;
    uint32_t ports = 0, rnics = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        ports += scenario->nodes[i].port_count;
        rnics += scenario->nodes[i].kind == SCENARIO_HOST ? scenario->nodes[i].port_count : 0;
    }
    series->prios = memory_zeroed((size_t)ports * PRIORITIES, sizeof *series->prios);
    series->rnics = memory_zeroed(rnics, sizeof *series->rnics);
    series->works = memory_zeroed(scenario->workload_count, sizeof *series->works);
    series->rows = ports; /* what the first sample has to be paid for */
}

void series_init(struct series *series, struct store *store, const struct world *world,
                 time_ps interval, bool thrifty)
{
    *series =
        (struct series){.store = store, .world = world, .next = TIME_NEVER, .thrifty = thrifty};
    if (interval == 0)
        return;
    const time_ps duration = world->scenario->duration;
    series->interval = interval == SERIES_AUTO ? series_auto_interval(duration) : interval;
    series->left = samples_of(duration, series->interval);
    series->next = series->interval;
    make_room(series);
}

void series_fini(struct series *series)
{
    free(series->prios);
    free(series->rnics);
    free(series->works);
    *series = (struct series){.next = TIME_NEVER};
}

/* Nothing happened since a sample that found all at rest: all is still at rest. */
static bool is_at_rest(const struct series *series)
{
    return series->number > 0 && series->rows == 0 &&
           engine_events(&series->world->engine) == series->events;
}

static void sample(struct series *series, time_ps now, bool partial)
{
    RECORD_ROW(series->store, series, .sample = STORE_I(series->number),
               .from_ps = STORE_I(series->from), .until_ps = STORE_I(now),
               .partial = STORE_I(partial));
    if (!is_at_rest(series)) {
        series->rows = 0;
        series_take_fabric(series, now);
        series_take_rnics(series);
        for (uint32_t i = 0; i < series->world->workload_count; i++)
            take_workload(series, i);
    }
    series->events = engine_events(&series->world->engine);
    series->from = now;
    series->number++;
}

static bool is_paid_for(const struct series *series)
{
    const uint64_t events = engine_events(&series->world->engine) - series->events;
    return !series->thrifty || events >= (uint64_t)series->rows * SERIES_EVENTS_PER_ROW;
}

void series_take(struct series *series)
{
    if (is_paid_for(series))
        sample(series, series->next, false);
    if (--series->left == 0) {
        series->interval *= 2;
        series->left = SERIES_SAMPLES;
    }
    const bool more = series->next <= TIME_NEVER - series->interval;
    series->next = more ? series->next + series->interval : TIME_NEVER;
}

void series_end(struct series *series, time_ps now)
{
    const bool rest = series->number > 0 && now - series->from < series->interval / 2;
    if (series->interval > 0 && now > series->from)
        sample(series, now, rest);
}
