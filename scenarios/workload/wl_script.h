/* SPDX-License-Identifier: Apache-2.0
 * wl_script - what a storage workload does next, and when.
 * The decisions of a workload of kind nvme or trace without the I/O: a script is asked for its next
 * step and told of completions; it reaches no host and no timer, so that it can be tested alone.
 * Rules, in this order: it ends when its latency search is done; it pauses (think time) with
 * nothing under way; at most `depth` are under way; what was written is read back in batches
 * (verify); it ends at its count or its bytes; each direction that has a rate waits until it is
 * due; after each so many writes it flushes (fsync).  A trace
 * decides instead of count, bytes, mix and rate (wl_replay.h).
 * Clock: `now` is passed in.  Owner: the instance.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_SCRIPT_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_SCRIPT_H

#include "scenarios/workload/wl_depth.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_plan.h"
#include "scenarios/workload/wl_replay.h"

enum wl_step_kind {
    WL_ISSUE, /* the I/O in `io`, due at `at` */
    WL_SLEEP, /* nothing before `at` unless an I/O completes */
    WL_WAIT,  /* nothing before an I/O completes */
    WL_END    /* nothing ever again */
};

/* What an I/O is. */
enum wl_deed {
    WL_TRANSFER, /* a read or a write */
    WL_FLUSH,    /* `io` has no bytes */
    WL_COMPARE,  /* as a read, where it is known what should be there */
    WL_ZERO,
    WL_DEALLOCATE
};

struct wl_step {
    enum wl_step_kind kind;
    time_ps at;
    struct wl_plan_io io;
    bool read_back; /* the I/O reads what the script wrote before */
    enum wl_deed deed;
};

struct wl_script {
    const struct wl_nvme_params *params;
    struct wl_plan_params plan_params; /* made from the rows, or a fio job's */
    struct wl_plan plan;
    struct wl_plan bookmark; /* where the writes of this batch begin */
    struct wl_pace pace[WL_DIRECTIONS];
    bool one_rate; /* one rate for both directions: pace[WL_READ] */
    struct wl_depth depth;
    int64_t issued;                 /* without read-back and traces */
    int64_t loop_bytes, bytes_left; /* of each loop, 0: no end; of this one */
    int64_t ios_left;               /* of this loop, where loop_ios bounds it */
    int64_t loops_left;
    int64_t batch_writes;   /* written since the bookmark */
    int64_t read_back_left; /* of the batch */
    bool batch_ends;        /* read the batch back once nothing is under way */
    bool draining;          /* issue nothing before all that is under way is done */
    bool pausing;           /* a think time begins then */
    int64_t since_pause;    /* completions */
    time_ps quiet_until;
    int64_t writes; /* issued, without read-back */
    bool flushed;   /* since the last of them, where writes are flushed */
    int drawn;      /* the direction that waits for its rate, or -1 */
    struct rng deeds;
    int64_t other_ppm; /* of the I/Os are no transfers */
    struct wl_replay replay;
};

/* Fills in the plan that the rows describe; a fio job brings its own. */
void wl_script_plan(const struct wl_nvme_params *params, struct wl_plan_params *plan);

/* The part of `whole` that the workload uses; false when its I/Os do not fit in. */
bool wl_script_region(const struct wl_nvme_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region wanted, struct wl_region *region);

/* Bytes of each I/O where reads can be compared with what was written before, else 0. */
int64_t wl_script_compares(const struct wl_nvme_params *params, struct wl_region region);

/* `depth`: I/Os of the instance that may be under way.  The region is wl_script_region's.  A script
 * with a trace needs wl_replay_init of its `replay` as well. */
void wl_script_init(struct wl_script *script, const struct wl_nvme_params *params,
                    struct wl_region region, int64_t depth, time_ps start, struct rng rng);

struct wl_step wl_script_next(struct wl_script *script, time_ps now, int64_t under_way);
void wl_script_completed(struct wl_script *script, time_ps now, time_ps latency);

/* I/Os that were due before `stop` and have not been issued. */
uint64_t wl_script_missed(const struct wl_script *script, time_ps stop);

#endif
