/* SPDX-License-Identifier: Apache-2.0
 * observe - the probe: events become rows and sums.
 * Accounts for time, sums drops by place and cause,
 * pairs the ends of blocked intervals, and hands everything on to the record and to explain.
 * Changes nothing in the run.
 * Owner: observe_fini; the fabric outlives it.  The record may come after the world: until
 * observe.record is set nothing is written. */
#ifndef STORMGLASS_REPLAY_RECORD_OBSERVE_H
#define STORMGLASS_REPLAY_RECORD_OBSERVE_H

#include "base/drop.h"
#include "base/probe.h"
#include "replay/breakdown/breakdown.h"
#include "replay/data/data_judge.h"
#include "replay/explain/explain.h"
#include "replay/harm/drops.h"
#include "replay/record/record.h"

struct observe {
    struct probe probe; /* for world_build */
    struct record *record;
    const struct explain_fabric *fabric;
    struct explain explain;
    struct data_judge data;
    struct breakdown *waits; /* the account of time, traced where wished */
    uint32_t workload_count;
    struct observe_drops *drops; /* in the order of their first drop */
    uint32_t drop_count, drop_room;
    time_ps *blocked_since; /* by port and priority; 0: it is not, else the time plus one */
};

/* What costs time, and is done for who wants it: every frame a row; the account of time. */
struct observe_wishes {
    bool frames, waits;
    bool acks; /* the account follows ACKs: a workload may send messages without NVMe */
};

void observe_init(struct observe *observe, const struct explain_fabric *fabric,
                  uint32_t workload_count, const struct observe_wishes *wishes);
void observe_fini(struct observe *observe);

/* Ends what is open, and folds the pauses. */
void observe_finish(struct observe *observe, time_ps now);

/* Frames of a cause, of lossless classes or of the others. */
uint64_t observe_dropped(const struct observe *observe, enum probe_drop_cause cause, bool lossless);

#endif
