/* SPDX-License-Identifier: Apache-2.0
 * wl_replay - next I/O of a trace, and the time when it is due.
 * An I/O is due at its time in the trace, independently of earlier I/Os (open loop): start + (its
 * time - skip) / speed. The trace may be divided among the instances of a workload and repeated in
 * rounds: each round begins one mean gap after the last I/O of the previous one.
 * I/Os are extended to whole blocks of the namespace, including the first and the last block that
 * they touch. If I/Os are outside the region, the whole trace is rejected, or they are folded into
 * the region (modulo its size).
 * Clock: `now` is passed in. Owner: the script of an instance; the trace is not copied. Errors:
 * none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_REPLAY_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_REPLAY_H

#include "scenarios/trace/trace.h"
#include "scenarios/workload/wl_plan.h"

#define WL_REPLAY_TIMINGS(X) X(RECORDED, "recorded") X(ASAP, "asap")
#define WL_REPLAY_BEYONDS(X) X(REFUSE, "refuse") X(FOLD, "fold")
#define WL_REPLAY_SPLITS(X)  X(COPY, "copy") X(TURNS, "turns") X(FILE, "file")

#define X(name, word) WL_REPLAY_##name,
enum wl_replay_timing { WL_REPLAY_TIMINGS(X) };
enum wl_replay_beyond { WL_REPLAY_BEYONDS(X) };
enum wl_replay_split { WL_REPLAY_SPLITS(X) };
#undef X

struct wl_replay_params {
    const struct trace *trace; /* NULL: the workload has no trace */
    struct trace_sums sums;    /* of the trace */
    int64_t speed;             /* ppm of the recorded speed */
    int64_t timing;            /* enum wl_replay_timing */
    int64_t loop;              /* number of rounds; 0: until stop */
    int64_t skip;              /* ps to skip at the beginning of the trace */
    int64_t beyond;            /* enum wl_replay_beyond */
    int64_t split;             /* enum wl_replay_split: part for each instance */
    int64_t instances;         /* number of instances for the split */
};

struct wl_replay {
    const struct wl_replay_params *params;
    struct wl_region region; /* whole blocks */
    int64_t block_bytes;
    uint32_t instance;
    uint32_t first, next; /* indexes in the trace: first of each round, next to issue */
    uint32_t own;         /* I/Os of this instance per round */
    time_ps round_start, period;
    int64_t rounds_left; /* including the current one; INT64_MAX: endless */
    uint64_t rounded, folded;
};

struct wl_replay_io {
    time_ps due; /* TIME_NEVER: no I/O left */
    enum trace_op op;
    int64_t offset, bytes;
};

/* The part of the region that consists of whole blocks; false if the trace does not fit. */
bool wl_replay_region(const struct wl_replay_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region *region);

/* `region` comes from wl_replay_region. */
void wl_replay_init(struct wl_replay *replay, const struct wl_replay_params *params,
                    struct wl_region region, int64_t block_bytes, uint32_t instance, time_ps start);

/* wl_replay_peek returns the same I/O until wl_replay_take consumes it. */
struct wl_replay_io wl_replay_peek(struct wl_replay *replay, time_ps now);
void wl_replay_take(struct wl_replay *replay);

/* I/Os that were due before `stop` but not taken. */
uint64_t wl_replay_missed(const struct wl_replay *replay, time_ps stop);

/* Describes how I/Os were changed to fit the namespace; false if they were not. */
bool wl_replay_words(const struct wl_replay *replay, char *text, size_t size);

/* I/Os of the first round, of all instances, that are due within `span` from the start. */
uint64_t wl_replay_reach(const struct wl_replay_params *params, time_ps span);

#endif
