/* SPDX-License-Identifier: Apache-2.0
 * run - plays a scenario from its first event to its database.
 * The world is built first, so that a scenario that cannot be built leaves no file behind; then the
 * database gets its name, and the world plays in slices of virtual time.  Between two slices the
 * progress is shown, rows are made safe, and a signal to stop is seen.  The length of a slice
 * follows the wall clock and changes nothing in the run.
 * Owner: run_close. */
#ifndef STORMGLASS_REPLAY_RUN_RUN_H
#define STORMGLASS_REPLAY_RUN_RUN_H

#include "engine/engine.h"
#include "replay/record/record.h"
#include "replay/record/result.h"
#include "replay/record/series.h"
#include "scenarios/format/diag.h"
#include "scenarios/load/scenario.h"

/* As many threads as there are processors, or as are expected to pay for this scenario. */
#define RUN_THREADS_AUTO UINT32_MAX

/* Has the last word on what was lost and why, before that is recorded: of a run that was not
 * stopped and took so many events.  `self` is its own. */
typedef void run_judge_fn(void *self, const struct scenario *scenario, time_ps until,
                          uint64_t events, struct result *result);

struct run_options {
    const char *path; /* of the database; NULL: in memory */
    bool unread;      /* nobody looks at the database, only at the result: there is none */
    bool brief;       /* of the database only the summary and run --json are made */
    bool members;     /* ... and the members' rows are read */
    enum record_level level;
    time_ps until;    /* TIME_NEVER: to the end */
    time_ps interval; /* of the series; 0: none; SERIES_AUTO */
    uint32_t threads; /* at most; 0: one; RUN_THREADS_AUTO.  No result depends on it */
    bool progress;    /* is shown on stderr: progress.h */
    bool blind;       /* nobody asks for steady parts or limits: nothing is sampled for them */
    /* It is cut at the first look after a lossless frame was dropped for want of buffer; looks are
     * at the same moments in every run. */
    bool ends_at_loss;
    uint64_t events_most; /* it is cut at the first look after so many events; 0: never */
    run_judge_fn *judge; /* NULL: the account of the run stands */
    void *judge_self;
    bool waits; /* what commands and messages wait for is accounted: some 40 % more instructions */
};

enum run_end {
    RUN_DONE,    /* played, or stopped by a signal: result and database are there */
    RUN_REFUSED, /* the scenario cannot be built: messages are in the diag, nothing was written */
    RUN_BROKEN   /* the database cannot be written: see error */
};

/* Seconds of the clock on the wall, and of this process's processors. */
struct run_clock {
    double wall_s, cpu_s;
};

/* What the parts of a run cost. */
struct run_cost {
    struct run_clock build; /* a world of the scenario */
    struct run_clock play;  /* its events */
    struct run_clock end;   /* collecting and recording what came of them */
    struct run_clock judge; /* what the judge of the options took */
    int64_t built_bytes;    /* resident when it was built, and when it was played */
    int64_t played_bytes;
    int64_t peak_bytes;   /* until the end; freeing the world then touches a little more */
    uint64_t frames;      /* the most that were under way or waiting at once */
    uint64_t queue_pairs; /* the most that each RNIC had at once, together */
};

struct run {
    struct record *record; /* open until run_close */
    struct result result;
    struct run_cost cost;
    double wall_s, cpu_s; /* playing and the end */
    time_ps reached;      /* virtual time that was played */
    char error[STORE_ERROR_BYTES];
};

/* The scenario outlives the run. */
enum run_end run_scenario(struct run *run, const struct scenario *scenario,
                          const struct run_options *options, struct diag *diag);

/* False: the last writes failed. */
bool run_close(struct run *run);

#endif
