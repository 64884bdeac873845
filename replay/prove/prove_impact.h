/* SPDX-License-Identifier: Apache-2.0
 * prove_impact - what a run cost its members.
 * Of each pair of hosts of a workload how long its commands or messages were under way, all
 * together: a figure that grows with what waits, whatever it waits for.
 * Those that never completed count from the last completion until the run's end, at least.  Who did
 * less than in another run has lost the time that the missing ones take there: what failed, what
 * was never issued, all of a member that never connected.
 * Times are virtual picoseconds.  Owner: prove_measure_free, prove_members_free. */
#ifndef STORMGLASS_REPLAY_PROVE_PROVE_IMPACT_H
#define STORMGLASS_REPLAY_PROVE_PROVE_IMPACT_H

#include "replay/database/store.h"

struct prove_work {
    int64_t done; /* commands or messages */
    int64_t under_way_ps;
    int64_t failed;
    int64_t unfinished;
    int64_t inactive; /* instances that did nothing, as those that never connected */
};

#define PROVE_ANY_HOST UINT32_MAX

/* The instances of a workload from one host to another. */
struct prove_member {
    uint32_t workload, from, to; /* hosts: PROVE_ANY_HOST where there are too many pairs */
};

/* In their order. */
struct prove_members {
    struct prove_member *rows;
    uint32_t count, room;
};

/* Of a run with the table `member`; without, or of more pairs than PROVE_PAIRS_MAX, each workload
 * is one. */
enum { PROVE_PAIRS_MAX = 4096 };
void prove_members_read(struct prove_members *members, struct store *store, uint32_t workloads);
void prove_members_free(struct prove_members *members);

/* A transmitter in one priority that frames of workloads may leave by. */
struct prove_hop {
    int64_t node, port, priority;
};

int prove_hop_order(const struct prove_hop *a, const struct prove_hop *b);

/* All hops of all workloads of the scenario, in the order of their keys. */
struct prove_hops {
    struct prove_hop *rows;
    uint32_t count, room;
};

void prove_hops_read(struct prove_hops *hops, struct store *store);

/* What one run showed. */
struct prove_measure {
    struct prove_work *works; /* by member */
    int64_t *p99_ps;          /* by workload of the scenario */
    int64_t *stopped_ps;      /* by hop */
    int64_t lossless_drops;   /* of lossless frames, those by watchdogs with them */
    int64_t drops;            /* of all frames */
};

/* `store` has a run of these members of `workloads`, or of fewer. */
void prove_measure(struct prove_measure *measure, struct store *store,
                   const struct prove_members *members, uint32_t workloads,
                   const struct prove_hops *hops);
void prove_measure_free(struct prove_measure *measure);

/* How much longer the work was under way than the same number of commands was in the ideal run, or
 * what those take there that are missing here, whichever is more; 0 when nothing was lost, or
 * nothing was done in the ideal one. */
int64_t prove_work_lost(const struct prove_work *work, const struct prove_work *ideal);

/* What the loss is a part of: the time under way, or that of the ideal run where it was more. */
int64_t prove_work_whole(const struct prove_work *work, const struct prove_work *ideal);

#endif
