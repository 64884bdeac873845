/* SPDX-License-Identifier: Apache-2.0
 * wl_replay - which I/O of a trace comes next, and when it is due.
 * An I/O is due when it was asked for in the trace, whatever became of the ones before it (open
 * loop): start + (its time - skip) / speed.  The trace may be shared out among the instances of a
 * workload, and played in rounds: each begins one mean gap after the last I/O of the one before it.
 * I/Os become whole blocks of the namespace: the first and the last block that they touch count
 * whole.  What lies beyond the region is refused as a whole, or folded into it (modulo its size).
 * Clock: `now` is passed in.  Owner: the script of an instance; the trace stays where it is.
 * Errors: none. */
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
    const struct trace *trace; /* NULL: the workload plays none */
    struct trace_sums sums;    /* of it */
    int64_t speed;             /* ppm of the recorded one */
    int64_t timing;            /* enum wl_replay_timing */
    int64_t loop;              /* rounds; 0: until stop */
    int64_t skip;              /* ps of the trace that are left out at its beginning */
    int64_t beyond;            /* enum wl_replay_beyond */
    int64_t split;             /* enum wl_replay_split: what an instance plays */
    int64_t instances;         /* among which it is split */
};

struct wl_replay {
    const struct wl_replay_params *params;
    struct wl_region region; /* whole blocks */
    int64_t block_bytes;
    uint32_t instance;
    uint32_t first, next; /* I/Os of the trace: of each round, and to come */
    uint32_t own;         /* of this instance in each round */
    time_ps round_start, period;
    int64_t rounds_left; /* with this one; INT64_MAX: no end */
    uint64_t rounded, folded;
};

struct wl_replay_io {
    time_ps due; /* TIME_NEVER: there is none any more */
    enum trace_op op;
    int64_t offset, bytes;
};

/* The part of the region that is whole blocks; false when the trace does not fit in. */
bool wl_replay_region(const struct wl_replay_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region *region);

/* `region` is wl_replay_region's. */
void wl_replay_init(struct wl_replay *replay, const struct wl_replay_params *params,
                    struct wl_region region, int64_t block_bytes, uint32_t instance, time_ps start);

/* The next I/O stays the next until it is taken. */
struct wl_replay_io wl_replay_peek(struct wl_replay *replay, time_ps now);
void wl_replay_take(struct wl_replay *replay);

/* I/Os that were due before `stop` and have not been taken. */
uint64_t wl_replay_missed(const struct wl_replay *replay, time_ps stop);

/* What was done to I/Os so that they fit the namespace; false when nothing was. */
bool wl_replay_words(const struct wl_replay *replay, char *text, size_t size);

/* I/Os of the first round, of all instances, that are due within so long from the start. */
uint64_t wl_replay_reach(const struct wl_replay_params *params, time_ps span);

#endif
