/* SPDX-License-Identifier: Apache-2.0
 * series - when samples are taken, and the workloads' values in each. */
#include "replay/record/series.h"

#include "base/memory.h"
#include "replay/record/series_private.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ bytes and rates */

uint64_t series_take_room(uint64_t *room, uint64_t bytes)
{
    const uint64_t taken = bytes < *room ? bytes : *room;
    *room -= taken;
    return taken;
}

uint64_t series_room(const struct series *series, uint64_t bps)
{
    const unsigned __int128 bits = (unsigned __int128)bps * (uint64_t)series->span / PS_PER_S;
    return series->span == 0 || bits / 8 > UINT64_MAX ? UINT64_MAX : (uint64_t)(bits / 8);
}

static void mark_hosts(const struct scenario *scenario, const struct scenario_workload *about,
                       uint64_t *from_bps, uint64_t *to_bps)
{
    bool *seen = memory_zeroed((size_t)scenario->node_count * 2, sizeof *seen);
    for (uint32_t i = 0; i < about->pair_count; i++) {
        const uint32_t ends[2] = {about->pairs[i].from, about->pairs[i].to};
        for (uint32_t end = 0; end < 2; end++) {
            const struct scenario_node *node = &scenario->nodes[ends[end]];
            for (uint16_t p = 0; p < node->port_count && !seen[ends[end] * 2 + end]; p++)
                *(end == 0 ? from_bps : to_bps) += (uint64_t)node->ports[p].params->rate;
            seen[ends[end] * 2 + end] = true;
        }
    }
    free(seen);
}

/* Total rate of the links of all hosts at one end, for the end with less; loopback uses no link. */
static uint64_t links_bps(const struct scenario *scenario, const struct scenario_workload *about)
{
    uint64_t from_bps = 0, to_bps = 0;
    for (uint32_t i = 0; i < about->pair_count; i++)
        if (about->pairs[i].from == about->pairs[i].to)
            return UINT64_MAX;
    mark_hosts(scenario, about, &from_bps, &to_bps);
    return from_bps < to_bps ? from_bps : to_bps;
}

/* ------------------------------------------------------------------ workloads */

/* Quantiles of what the histogram counted since the last sample: the midpoint of the bucket with
 * that sample, as in hist_at; 0 after the last one. */
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

/* The mean is exact, in contrast to values from buckets; a single sample is exact, too. */
static struct quantiles quantiles_between(const struct hist *before, const struct hist *now,
                                          time_ps mean)
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
            found.max = hist_floor(i + 1) - 1;
    }
    if (count == 1)
        return (struct quantiles){mean, mean, mean, mean};
    found.max = time_earlier(found.max, now->max);
    found.p50 = time_earlier(time_later(found.p50, now->min), found.max);
    found.p99 = time_earlier(time_later(found.p99, now->min), found.max);
    found.p99_9 = time_earlier(time_later(found.p99_9, now->min), found.max);
    return found;
}

/* Only the buckets in use are copied, a small part of all. */
static void keep_histogram(struct hist *before, const struct hist *now)
{
    before->count = now->count;
    before->sum = now->sum;
    const unsigned first = hist_bucket(now->min), end = hist_bucket(now->max) + 1;
    memcpy(before->buckets + first, now->buckets + first, (end - first) * sizeof *now->buckets);
}

/* If the counter decreased, a connection failed and what it delivered is void. */
static uint64_t grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* Payload as it arrived. Completions would come in bursts that exceed the link rate. */
static uint64_t take_bytes(struct series *series, uint32_t index)
{
    struct series_work *work = &series->works[index];
    const struct workload_delivered now = world_arrived(series->world, index);
    uint64_t in = series_room(series, work->bps), out = in;
    const uint64_t read = series_take_room(&in, grown(now.read, work->read));
    const uint64_t written = series_take_room(&out, grown(now.written, work->written));
    work->read += read;
    work->written += written;
    return read + written;
}

static void take_workload(struct series *series, uint32_t index)
{
    const struct workload_stats *now = &series->world->stats[index];
    struct series_work *before = &series->works[index];
    const uint64_t outstanding = now->issued - now->completed - now->failed;
    const uint64_t measured = now->latency.count - before->latency.count;
    const uint64_t bytes = take_bytes(series, index);
    if (outstanding == 0 && now->issued == before->issued && now->completed == before->completed &&
        now->failed == before->failed && bytes == 0)
        return;
    const bool any = measured > 0;
    const time_ps mean = any ? (time_ps)((now->latency.sum - before->latency.sum) / measured) : 0;
    const struct quantiles latency = quantiles_between(&before->latency, &now->latency, mean);
    SERIES_ROW(series, series_workload, .workload = STORE_I(index),
               .issued = STORE_I(now->issued - before->issued),
               .completed = STORE_I(now->completed - before->completed),
               .failed = STORE_I(now->failed - before->failed), .outstanding = STORE_I(outstanding),
               .bytes = STORE_I(bytes), .latency_mean_ps = any ? STORE_I(mean) : STORE_N,
               .latency_p50_ps = any ? STORE_I(latency.p50) : STORE_N,
               .latency_p99_ps = any ? STORE_I(latency.p99) : STORE_N,
               .latency_p99_9_ps = any ? STORE_I(latency.p99_9) : STORE_N,
               .latency_max_ps = any ? STORE_I(latency.max) : STORE_N);
    before->issued = now->issued;
    before->completed = now->completed;
    before->failed = now->failed;
    if (any)
        keep_histogram(&before->latency, &now->latency);
}

/* ------------------------------------------------------------------ schedule */

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

/* Samples before the interval doubles: those of the measured window, plus the usual number after
 * it. */
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
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        series->works[i].bps = links_bps(scenario, &scenario->workloads[i]);
    series->rows = ports; /* cost of the first sample */
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

/* Whether no event occurred since a sample in which everything was idle, so everything still is. */
static bool is_at_rest(const struct series *series)
{
    return series->number > 0 && series->rows == 0 &&
           engine_events(&series->world->engine) == series->events;
}

static void sample(struct series *series, time_ps now, bool partial)
{
    series->span = partial ? 0 : now - series->from;
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
