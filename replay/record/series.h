/* SPDX-License-Identifier: Apache-2.0
 * series - a run over time in its database: one sample per interval.
 * Between two slices of the run, after all events up to the end of an interval and before any later
 * one, the model's counters are read and their increments written, together with the fill of queues
 * and buffers at that time. This is exact and does not affect the run. A place where all values are
 * zero has no row.
 * At level summary, a sample is delayed until enough events have occurred to pay for it, so that
 * the series takes a small share of the time whatever the size of the fabric; its interval is then
 * longer. After the measured window, the interval doubles after every SERIES_SAMPLES samples, so
 * the number of rows is bounded.
 * Owner: series_fini. Errors: recorded in the store. */
#ifndef STORMGLASS_REPLAY_RECORD_SERIES_H
#define STORMGLASS_REPLAY_RECORD_SERIES_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

enum {
    SERIES_AUTO = -1,     /* interval derived from the scenario's duration */
    SERIES_SAMPLES = 500, /* maximum with that interval in the measured window */
    SERIES_SAMPLES_MAX = 1000000,
    SERIES_FLOWS = 64, /* queue pairs to follow: the first ones throttled */
    /* Measured (tests/cost): a row costs about as much as 17 events, so one per 1000 events is 2
     * %. */
    SERIES_EVENTS_PER_ROW = 1000
};

struct series_prio;
struct series_rnic;
struct series_work;

/* A queue pair that congestion control has throttled. */
struct series_flow {
    uint32_t node, qpn;
    uint16_t port;
};

struct series {
    const struct world *world;
    struct store *store;
    struct series_prio *prios; /* previous counters, by port and priority */
    struct series_rnic *rnics; /* by RNIC, in the order of hosts */
    struct series_work *works; /* by workload */
    struct series_flow flows[SERIES_FLOWS];
    uint32_t flow_count;
    uint32_t number;        /* number of samples so far */
    uint32_t left;          /* until the interval doubles */
    uint32_t rows;          /* in the last sample */
    uint64_t events;        /* up to the last sample */
    bool thrifty;           /* delay samples until events have paid for them */
    time_ps from;           /* end of the last sample */
    time_ps span;           /* ps; of the current one; 0: too short for a rate */
    time_ps interval, next; /* TIME_NEVER: none */
};

/* The interval for SERIES_AUTO: 1, 2 or 5 times a power of ten. */
time_ps series_auto_interval(time_ps duration);

/* `interval` may be SERIES_AUTO; 0: no samples. `thrifty`: see above. */
void series_init(struct series *series, struct store *store, const struct world *world,
                 time_ps interval, bool thrifty);
void series_fini(struct series *series);

/* Call when the world has executed every event up to series->next. */
void series_take(struct series *series);

/* The run ended at `now`: takes the rest of the last interval. A frame counts entirely where it
 * begins, so less than half an interval gives no rate. */
void series_end(struct series *series, time_ps now);

#endif
