/* SPDX-License-Identifier: Apache-2.0
 * series - a run over time, in its database: one sample for each interval.
 * Between two slices of the run, when every event up to an interval's end is in and none behind it,
 * the counters of the model are read and what they grew by is written, with what queues and buffers
 * hold at that moment: exact at the boundary, and nothing in the run knows of it.  A place where
 * all is zero has no row.
 * At level summary a sample waits until the events since the last one have paid for it, so that the
 * series stays a small part of the run's time whatever the fabric; the next one is then longer.
 * Behind the measured window each SERIES_SAMPLES samples double the interval: rows are bounded.
 * Owner: series_fini.  Errors: those of the store stick there. */
#ifndef STORMGLASS_REPLAY_RECORD_SERIES_H
#define STORMGLASS_REPLAY_RECORD_SERIES_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

enum {
    SERIES_AUTO = -1,     /* an interval by the scenario's duration */
    SERIES_SAMPLES = 500, /* at most, of such an interval in the measured window */
    SERIES_SAMPLES_MAX = 1000000,
    SERIES_FLOWS = 64, /* queue pairs that are followed: the first that are limited */
    /* Measured (tests/cost): a row costs about as much as 17 events; one in 1000 is 2 %. */
    SERIES_EVENTS_PER_ROW = 1000
};

struct series_prio;
struct series_rnic;
struct series_work;

/* A queue pair that congestion control has limited. */
struct series_flow {
    uint32_t node, qpn;
    uint16_t port;
};

struct series {
    const struct world *world;
    struct store *store;
    struct series_prio *prios; /* counters as they were, by port and priority */
    struct series_rnic *rnics; /* by RNIC, in the order of hosts */
    struct series_work *works; /* by workload */
    struct series_flow flows[SERIES_FLOWS];
    uint32_t flow_count;
    uint32_t number;        /* samples so far */
    uint32_t left;          /* until the interval doubles */
    uint32_t rows;          /* of the last sample */
    uint64_t events;        /* at the last sample */
    bool thrifty;           /* a sample waits until it is paid for */
    time_ps from;           /* end of the last sample */
    time_ps span;           /* of the present one; 0: too short for a rate */
    time_ps interval, next; /* TIME_NEVER: none */
};

/* What SERIES_AUTO stands for: 1, 2 or 5 times a power of ten. */
time_ps series_auto_interval(time_ps duration);

/* `interval`: of the samples; 0: there are none; SERIES_AUTO.  `thrifty`: see above. */
void series_init(struct series *series, struct store *store, const struct world *world,
                 time_ps interval, bool thrifty);
void series_fini(struct series *series);

/* The world has executed every event up to series->next. */
void series_take(struct series *series);

/* The run ended at `now`: what is left of the last interval.  A frame counts whole where it begins,
 * so less than half an interval gives no rate. */
void series_end(struct series *series, time_ps now);

#endif
