/* SPDX-License-Identifier: Apache-2.0
 * run - simulates a scenario from its first event to its database.
 * The world is built first, so that an invalid scenario leaves no file behind; then the database
 * gets its name, and the world is simulated in slices of virtual time. Between two slices, progress
 * is shown, rows are committed, and a stop signal is noticed. The length of a slice follows the
 * wall clock and does not affect the run.
 * Owner: run_close. */
#ifndef STORMGLASS_REPLAY_RUN_RUN_H
#define STORMGLASS_REPLAY_RUN_RUN_H

#include "engine/engine.h"
#include "replay/record/record.h"
#include "replay/record/result.h"
#include "replay/record/series.h"
#include "replay/run/listener.h"
#include "scenarios/data/scenario.h"
#include "scenarios/format/diag.h"

/* The number of processors, or fewer if they would not pay off for this scenario. */
#define RUN_THREADS_AUTO UINT32_MAX

/* Final verdict on loss and causes before they are recorded, for a run that was not stopped.
 * `events` is the run's number of events; `self` is private to the function. */
typedef void run_judge_fn(void *self, const struct scenario *scenario, time_ps until,
                          uint64_t events, struct result *result);

struct run_options {
    const char *path; /* of the database; NULL: in memory */
    bool unread;      /* only the result is needed, not the database */
    bool brief;       /* the database only serves the summary and run --json */
    bool members;     /* members' rows are read, too */
    enum record_level level;
    time_ps until;    /* TIME_NEVER: to the end */
    time_ps interval; /* of the series; 0: none; SERIES_AUTO */
    uint32_t threads; /* maximum; 0: one; RUN_THREADS_AUTO. Does not affect results */
    bool progress;    /* show progress on stderr: progress.h */
    bool blind;       /* skip sampling for steady parts and bottlenecks */
    /* The run is cut off at the first check after a lossless frame was dropped for lack of buffer;
     * checks are at the same times in every run. */
    bool ends_at_loss;
    uint64_t events_most; /* cut off at the first check after so many events; 0: never */
    run_judge_fn *judge;  /* NULL: causes from evidence are final */
    void *judge_self;
    bool waits;                      /* compute the time breakdown: some 40 % more instructions */
    const struct listener *listener; /* NULL: none. It stops the run in place of signals */
};

enum run_end {
    RUN_DONE,    /* completed or stopped by a signal: result and database exist */
    RUN_REFUSED, /* the scenario is invalid: messages in the diag, nothing was written */
    RUN_BROKEN   /* the database cannot be written: see error */
};

/* Seconds of wall clock, and CPU time of this process. */
struct run_clock {
    double wall_s, cpu_s;
};

/* The cost of the parts of a run. */
struct run_cost {
    struct run_clock build; /* building the world of the scenario */
    struct run_clock play;  /* executing its events */
    struct run_clock end;   /* collecting and recording results */
    struct run_clock judge; /* judge of the options */
    int64_t built_bytes;    /* resident memory when it was built, and after the run */
    int64_t played_bytes;
    int64_t peak_bytes;   /* until the end; freeing the world then touches a little more */
    uint64_t frames;      /* maximum number in flight or queued at the same time */
    uint64_t queue_pairs; /* sum of each RNIC's maximum */
    uint64_t segments;    /* that TCP received: data and acknowledgments */
};

struct run {
    struct record *record; /* open until run_close */
    struct result result;
    struct run_cost cost;
    double wall_s, cpu_s; /* of `play` and `end` */
    time_ps reached;      /* virtual time at the end */
    char error[STORE_ERROR_BYTES];
};

/* The scenario must outlive the run. */
enum run_end run_scenario(struct run *run, const struct scenario *scenario,
                          const struct run_options *options, struct diag *diag);

/* Returns false if the last writes failed. */
bool run_close(struct run *run);

#endif
