/* SPDX-License-Identifier: Apache-2.0
 * observe - the probe: turns events into rows and sums.
 * Feeds the time breakdown, sums drops by place and cause, pairs the ends of blocked intervals, and
 * passes everything on to the record and to explain. The run itself is not affected.
 * Owner: observe_fini; the fabric must outlive it. The record may be created after the world:
 * nothing is written until observe.record is set. */
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
    struct breakdown *waits; /* time breakdown, traced on request */
    uint32_t workload_count;
    struct observe_drops *drops; /* in the order of their first drop */
    uint32_t drop_count, drop_room;
    time_ps *blocked_since; /* by port and priority; 0: not blocked; otherwise start + 1 ps */
};

/* Expensive parts, done on request: a row per frame; the time breakdown. */
struct observe_wishes {
    bool frames, waits;
    bool acks; /* the breakdown follows ACKs, because a workload may send messages without NVMe */
};

void observe_init(struct observe *observe, const struct explain_fabric *fabric,
                  uint32_t workload_count, const struct observe_wishes *wishes);
void observe_fini(struct observe *observe);

/* Ends open intervals and folds the pauses. */
void observe_finish(struct observe *observe, time_ps now);

/* Dropped frames of one cause, in lossless or in other classes. */
uint64_t observe_dropped(const struct observe *observe, enum probe_drop_cause cause, bool lossless);

#endif
