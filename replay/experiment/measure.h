/* SPDX-License-Identifier: Apache-2.0
 * measure - what a run showed: its verdict, and what it cost its members.
 * Of each pair of hosts of a workload the work that it did (loss.h): how long its commands or
 * messages were under way, all together. Those that never completed count from the last completion
 * until the run's end, at least.
 * Times are virtual picoseconds.  Owner: measure_free, measure_members_free. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_MEASURE_H
#define STORMGLASS_REPLAY_EXPERIMENT_MEASURE_H

#include "replay/experiment/trial.h"
#include "replay/harm/loss.h"
#include "replay/run/run.h"

/* The instances of a workload from one host to another. */
struct measure_member {
    uint32_t workload, from, to; /* hosts: TRIAL_ANY_HOST where there are too many pairs */
};

/* Sorted. */
struct measure_members {
    struct measure_member *rows;
    uint32_t count, room;
};

/* Of a run with the table `member`; without, or of more pairs than MEASURE_PAIRS_MAX, each workload
 * is one. */
enum { MEASURE_PAIRS_MAX = 4096 };
void measure_members_read(struct measure_members *members, struct store *store, uint32_t workloads);
void measure_members_free(struct measure_members *members);

/* A transmitter and priority that frames of workloads may use. */
struct measure_hop {
    int64_t node, port, priority;
};

int measure_hop_order(const struct measure_hop *a, const struct measure_hop *b);

/* All hops of all workloads of the scenario, sorted by key. */
struct measure_hops {
    struct measure_hop *rows;
    uint32_t count, room;
};

void measure_hops_read(struct measure_hops *hops, struct store *store);

enum { MEASURE_CAUSE_BYTES = 240 };

/* What the run said of itself. */
struct measure_verdict {
    char digest[DIGEST_TEXT_BYTES];
    struct bottleneck limit;
    char cause[MEASURE_CAUSE_BYTES]; /* "host host4"; "nobody" if there is no cause */
    uint64_t held;                   /* mask of the first expectations */
};

enum { MEASURE_EXPECTS = 64 };

struct measure_workload {
    struct loss_work sum; /* of its members */
    int64_t p99_ps;
    double goodput_bps, latency_ps; /* steady, where nothing but load is there; mean */
    bool satisfied;                 /* open loops, and they got all that they offered */
    struct bottleneck limit;
    int64_t used[BOTTLENECK_RESOURCES], waiting[BOTTLENECK_RESOURCES];
};

struct measure {
    int64_t lossless_drops; /* lossless frames, including watchdog drops */
    int64_t drops;          /* all frames */
    struct measure_verdict *verdict;
    struct loss_work *works;            /* by member; NULL: it could not be run */
    struct measure_workload *workloads; /* of the scenario */
    int64_t *stopped_ps;                /* by hop */
};

/* How many a measure has of each. */
struct measure_shape {
    uint32_t members, workloads, hops;
};

void measure_make(struct measure *measure, struct measure_shape shape);
void measure_copy(struct measure *to, const struct measure *from, struct measure_shape shape);
void measure_free(struct measure *measure);

/* As bytes behind each other, for a pipe. */
size_t measure_bytes(struct measure_shape shape);
void measure_pack(const struct measure *measure, struct measure_shape shape, void *bytes);
void measure_unpack(struct measure *measure, struct measure_shape shape, const void *bytes);

/* What members did: `store` has a run of these members of `workloads`, or of fewer. */
void measure_read(struct measure *measure, struct store *store,
                  const struct measure_members *members, uint32_t workloads,
                  const struct measure_hops *hops);

/* What the run says of itself and of its workloads, of a measure that was made or read.  `whole`:
 * also where there is a steady part, the whole counts: faults belong to no steady part. */
void measure_judge(struct measure *measure, const struct result *result, bool whole);

#endif
