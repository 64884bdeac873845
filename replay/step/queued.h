/* SPDX-License-Identifier: Apache-2.0
 * queued - the flows in a queue at its maximum length.
 * Runs do not record the frames of their queues, so the run is repeated twice: once to its end, to
 * find the maximum length of each queue and in which slice it occurs; then event by event up to
 * that time, to look at the frames in the queue.
 * A flow goes from one host to a queue pair of another. Its workload is found by hosts and DSCP; if
 * several match, all are named.
 * Cost: two runs, the second one up to the maximum. Owner: queued_free; names belong to the
 * scenario. */
#ifndef STORMGLASS_REPLAY_STEP_QUEUED_H
#define STORMGLASS_REPLAY_STEP_QUEUED_H

#include "replay/database/store.h"
#include "scenarios/data/scenario.h"

enum { QUEUED_WORDS = 160 };

/* An egress queue of a switch. */
struct queued_place {
    uint32_t node; /* in the scenario; UINT32_MAX: the longest of all */
    uint16_t port;
    uint8_t priority;
};

struct queued_flow {
    const char *from, *to;        /* hosts */
    uint32_t source, destination; /* endpoints */
    uint32_t qpn;                 /* of the destination queue pair */
    char workload[QUEUED_WORDS];  /* empty: no workload, e.g. connection management */
    uint64_t bytes;
    uint32_t frames;
};

struct queued {
    struct queued_place place;
    char port[QUEUED_WORDS];
    time_ps at;
    uint64_t bytes; /* 0: nothing was ever queued there */
    uint32_t frames;
    struct queued_flow *flows; /* most bytes first */
    uint32_t flow_count;
    char why[QUEUED_WORDS];
};

/* For a stored run: the congested egress that is the first root of its pauses, or the egress to the
 * host that is; otherwise the longest queue. */
struct queued_place queued_root(struct store *store);

/* A place that does not exist stands for the longest queue. Returns false, with the reason in `why`
 * or the diag. */
bool queued_find(struct queued *queued, const struct scenario *scenario, time_ps until,
                 struct queued_place place, struct diag *diag);
void queued_free(struct queued *queued);

#endif
