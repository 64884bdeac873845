/* SPDX-License-Identifier: Apache-2.0
 * wl_script - decides what a storage workload does next, and when.
 * These are the decisions of a workload of kind nvme or trace, without the I/O. The caller asks for
 * the next step and reports completions. The script uses no host and no timer, so it can be tested
 * alone.
 * Rules, in this order: it ends when its latency search is done; it pauses (think time) with
 * nothing in flight; at most `depth` I/Os are in flight; written data are read back in batches
 * (verify); it ends at its count or its bytes; each direction with a rate waits until it is due; it
 * flushes after a number of writes (fsync). With a trace, the trace replaces count, bytes, mix and
 * rate (wl_replay.h).
 * Clock: `now` is passed in. Owner: the instance. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_SCRIPT_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_SCRIPT_H

#include "scenarios/workload/wl_depth.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_plan.h"
#include "scenarios/workload/wl_replay.h"

enum wl_step_kind {
    WL_ISSUE, /* issue the I/O in `io`, due at `at` */
    WL_SLEEP, /* nothing before `at` unless an I/O completes */
    WL_WAIT,  /* nothing before an I/O completes */
    WL_END    /* nothing any more */
};

/* Kind of I/O. */
enum wl_deed {
    WL_TRANSFER, /* a read or a write */
    WL_FLUSH,    /* `io` has no bytes */
    WL_COMPARE,  /* like a read, where the expected content is known */
    WL_ZERO,
    WL_DEALLOCATE
};

struct wl_step {
    enum wl_step_kind kind;
    time_ps at;
    struct wl_plan_io io;
    bool read_back; /* the I/O reads back what the script wrote before */
    enum wl_deed deed;
};

struct wl_script {
    const struct wl_nvme_params *params;
    struct wl_plan_params plan_params; /* derived from the parameters, or from a fio job */
    struct wl_plan plan;
    struct wl_plan bookmark; /* beginning of this batch's writes */
    struct wl_pace pace[WL_DIRECTIONS];
    bool one_rate; /* one rate for both directions: pace[WL_READ] */
    struct wl_depth depth;
    int64_t issued;                 /* without read-back and traces */
    int64_t loop_bytes, bytes_left; /* limit per loop, 0: none; rest of this loop */
    int64_t ios_left;               /* in this loop, if loop_ios limits it */
    int64_t loops_left;
    int64_t batch_writes;   /* writes since the bookmark */
    int64_t read_back_left; /* of the batch */
    bool batch_ends;        /* read the batch back once nothing is in flight */
    bool draining;          /* issue nothing before everything in flight is done */
    bool pausing;           /* a think time begins after draining */
    int64_t since_pause;    /* completions */
    time_ps quiet_until;
    int64_t writes; /* issued, without read-back */
    bool flushed;   /* flushed since the last write, if writes are flushed */
    int drawn;      /* direction that waits for its rate, or -1 */
    struct rng deeds;
    int64_t other_ppm; /* ppm of the I/Os that are not transfers */
    struct wl_replay replay;
};

/* Sets the plan according to the parameters; a fio job has its own plan. */
void wl_script_plan(const struct wl_nvme_params *params, struct wl_plan_params *plan);

/* The part of `whole` that the workload uses; false if its I/Os do not fit. */
bool wl_script_region(const struct wl_nvme_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region wanted, struct wl_region *region);

/* Size of each I/O if reads can be compared with earlier writes, else 0. */
int64_t wl_script_compares(const struct wl_nvme_params *params, struct wl_region region);

/* `depth`: maximum number of I/Os in flight of the instance. The region comes from
 * wl_script_region. A script with a trace also needs wl_replay_init of its `replay`. */
void wl_script_init(struct wl_script *script, const struct wl_nvme_params *params,
                    struct wl_region region, int64_t depth, time_ps start, struct rng rng);

struct wl_step wl_script_next(struct wl_script *script, time_ps now, int64_t under_way);
void wl_script_completed(struct wl_script *script, time_ps now, time_ps latency);

/* I/Os that were due before `stop` but not issued. */
uint64_t wl_script_missed(const struct wl_script *script, time_ps stop);

#endif
