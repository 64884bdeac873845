/* SPDX-License-Identifier: Apache-2.0
 * queued - who waited in a queue at its worst moment.
 * No run keeps the frames of its queues: it is played again, as it was.  First to its end, which
 * says how long each queue ever was and in which part of the run; then, event by event, up to the
 * moment at which the queue is that long, where its frames are looked at.
 * A flow is what goes from one host to a queue pair of another.  Its workload is that of the pair
 * of hosts and DSCP; where several fit, all are named.
 * Cost: two runs, the second up to the moment.  Owner: queued_free; names are the scenario's. */
#ifndef STORMGLASS_REPLAY_STEP_QUEUED_H
#define STORMGLASS_REPLAY_STEP_QUEUED_H

#include "replay/database/store.h"
#include "scenarios/load/scenario.h"

enum { QUEUED_WORDS = 160 };

/* An egress queue of a switch. */
struct queued_place {
    uint32_t node; /* of the scenario; UINT32_MAX: the longest of all */
    uint16_t port;
    uint8_t priority;
};

struct queued_flow {
    const char *from, *to;        /* hosts */
    uint32_t source, destination; /* endpoints */
    uint32_t qpn;                 /* of the queue pair that it is for */
    char workload[QUEUED_WORDS];  /* empty: nobody's, as of the connection management */
    uint64_t bytes;
    uint32_t frames;
};

struct queued {
    struct queued_place place;
    char port[QUEUED_WORDS];
    time_ps at;
    uint64_t bytes; /* 0: nothing ever waited there */
    uint32_t frames;
    struct queued_flow *flows; /* most bytes first */
    uint32_t flow_count;
    char why[QUEUED_WORDS];
};

/* Of a stored run: the congested egress that is the first root of its pauses, or the one to the
 * host that is; else the longest of all. */
struct queued_place queued_root(struct store *store);

/* A place that there is not stands for the longest.  False: see why, or the diag. */
bool queued_find(struct queued *queued, const struct scenario *scenario, time_ps until,
                 struct queued_place place, struct diag *diag);
void queued_free(struct queued *queued);

#endif
