/* SPDX-License-Identifier: Apache-2.0
 * wl_replay - next I/O of a trace, and the time when it is due. */
#include "scenarios/workload/wl_replay.h"

#include "base/check.h"
#include "base/plural.h"

#include <inttypes.h>
#include <stdio.h>

static time_ps bounded(__int128 time)
{
    return time < TIME_NEVER / 4 ? (time_ps)time : TIME_NEVER / 4;
}

/* Time from the beginning of a round, for a time in the trace. */
static time_ps delay(const struct wl_replay_params *params, time_ps at)
{
    return bounded((__int128)(at - params->skip) * PPM / params->speed);
}

static uint32_t first_of(const struct wl_replay_params *params)
{
    uint32_t low = 0, high = params->trace->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (params->trace->ios[middle].at < params->skip)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_own(const struct wl_replay *replay, uint32_t index)
{
    const struct wl_replay_params *params = replay->params;
    const uint32_t number =
        params->split == WL_REPLAY_FILE ? params->trace->ios[index].file : index;
    return params->split == WL_REPLAY_COPY || number % params->instances == replay->instance;
}

static uint64_t own_before(const struct wl_replay *replay, uint32_t from, time_ps span)
{
    uint64_t count = 0;
    const struct trace *trace = replay->params->trace;
    for (uint32_t i = from; i < trace->count; i++) {
        if (delay(replay->params, trace->ios[i].at) >= span)
            break;
        count += is_own(replay, i);
    }
    return count;
}

bool wl_replay_region(const struct wl_replay_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region *region)
{
    const int64_t blocks = whole.bytes / block_bytes;
    *region = (struct wl_region){.offset = whole.offset, .bytes = blocks * block_bytes};
    if (whole.offset % block_bytes != 0 || blocks <= 0)
        return false;
    /* An unaligned I/O touches one more block. */
    const int64_t largest = ((int64_t)params->sums.largest / block_bytes + 2) * block_bytes;
    return params->beyond == WL_REPLAY_FOLD ? largest <= region->bytes
                                            : params->sums.end <= region->bytes;
}

void wl_replay_init(struct wl_replay *replay, const struct wl_replay_params *params,
                    struct wl_region region, int64_t block_bytes, uint32_t instance, time_ps start)
{
    CHECK(params->trace != NULL && params->trace->count > 0);
    CHECK(params->speed > 0 && params->instances > 0);
    const uint32_t count = params->trace->count, first = first_of(params), left = count - first;
    *replay = (struct wl_replay){
        .params = params,
        .region = region,
        .block_bytes = block_bytes,
        .instance = instance % (uint32_t)params->instances,
        .first = first,
        .next = first,
        .round_start = start,
        .rounds_left = params->loop > 0 ? params->loop : INT64_MAX,
    };
    replay->own = (uint32_t)own_before(replay, first, TIME_NEVER);
    if (left == 0)
        return;
    const time_ps span = delay(params, params->trace->ios[count - 1].at);
    const time_ps begin = delay(params, params->trace->ios[first].at);
    replay->period = bounded((__int128)span + (left > 1 ? (span - begin) / (left - 1) : 0));
}

/* Advances to the next I/O of this instance; false if there is none. */
static bool find_next(struct wl_replay *replay)
{
    if (replay->own == 0)
        return false;
    while (replay->rounds_left > 0) {
        for (; replay->next < replay->params->trace->count; replay->next++)
            if (is_own(replay, replay->next))
                return true;
        replay->next = replay->first;
        replay->round_start = bounded((__int128)replay->round_start + replay->period);
        replay->rounds_left -= replay->rounds_left < INT64_MAX;
    }
    return false;
}

/* Converts an I/O to whole blocks inside the region. */
static void place(struct wl_replay *replay, const struct trace_io *io, struct wl_replay_io *out)
{
    const int64_t block = replay->block_bytes, room = replay->region.bytes;
    const int64_t end = (io->offset + io->bytes + block - 1) / block * block;
    out->offset = io->offset / block * block;
    out->bytes = end - out->offset;
    if (end > room) {
        const int64_t folded = out->offset % room;
        out->offset = folded + out->bytes <= room ? folded : room - out->bytes;
    }
    CHECK(out->offset >= 0 && out->offset + out->bytes <= room);
    out->offset += replay->region.offset;
}

struct wl_replay_io wl_replay_peek(struct wl_replay *replay, time_ps now)
{
    struct wl_replay_io out = {.due = TIME_NEVER};
    if (!find_next(replay))
        return out;
    const struct trace_io *io = &replay->params->trace->ios[replay->next];
    out.op = (enum trace_op)io->op;
    if (replay->params->timing == WL_REPLAY_ASAP)
        out.due = now;
    else
        out.due = bounded((__int128)replay->round_start + delay(replay->params, io->at));
    if (out.op != TRACE_FLUSH)
        place(replay, io, &out);
    return out;
}

void wl_replay_take(struct wl_replay *replay)
{
    const struct trace_io *io = &replay->params->trace->ios[replay->next];
    replay->rounded +=
        io->offset % replay->block_bytes != 0 || io->bytes % replay->block_bytes != 0;
    replay->folded += io->offset + io->bytes > replay->region.bytes;
    replay->next++;
}

uint64_t wl_replay_missed(const struct wl_replay *replay, time_ps stop)
{
    if (replay->params->timing == WL_REPLAY_ASAP || replay->rounds_left <= 0)
        return 0;
    uint64_t missed = own_before(replay, replay->next, stop - replay->round_start);
    if (replay->period <= 0 || stop <= replay->round_start || replay->rounds_left == 1)
        return missed;
    /* Rounds that begin before stop; all but the last one are completely before stop. */
    int64_t rounds = (stop - replay->round_start - 1) / replay->period;
    if (rounds > replay->rounds_left - 1)
        rounds = replay->rounds_left - 1;
    if (rounds == 0)
        return missed;
    const time_ps last = replay->round_start + rounds * replay->period;
    return missed + (uint64_t)(rounds - 1) * replay->own +
           own_before(replay, replay->first, stop - last);
}

bool wl_replay_words(const struct wl_replay *replay, char *text, size_t size)
{
    snprintf(text, size,
             "workload: of the trace's I/Os %" PRIu64 " %s rounded to whole blocks of %" PRId64
             " B, %" PRIu64 " folded into the namespace",
             replay->rounded, plural(replay->rounded, "was", "were"), replay->block_bytes,
             replay->folded);
    return replay->rounded + replay->folded > 0;
}

uint64_t wl_replay_reach(const struct wl_replay_params *params, time_ps span)
{
    const struct trace *trace = params->trace;
    const uint32_t first = first_of(params);
    uint32_t end = trace->count;
    while (params->timing == WL_REPLAY_RECORDED && end > first &&
           delay(params, trace->ios[end - 1].at) >= span)
        end--;
    return end - first;
}
