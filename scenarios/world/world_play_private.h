/* SPDX-License-Identifier: Apache-2.0
 * world_play_private - workloads and faults of a world over time.
 * Included only by world.c, world_play.c and world_ask.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H

#include "scenarios/world/arrivals.h"
#include "scenarios/world/world.h"

#include <stdatomic.h>

struct instance {
    struct workload *workload;
    const struct workload_ops *ops;
    struct world *world;
    const struct env *env;
    uint32_t entry, executor;
    bool idle;
};

/* Its instances are on several executors, which may find them idle in any order. */
struct entry {
    struct instance *instances;
    uint32_t *busy_on; /* by executor, who alone writes it while events are executed */
    uint32_t count;
    atomic_uint busy;
    _Atomic time_ps idle_at; /* of the last so far */
    time_ps finish_at;       /* TIME_NEVER: not known yet */
    time_ps measure_at;      /* its measured part begins or ends then; TIME_NEVER: not any more */
    struct arrivals arrivals;
};

struct world_play {
    struct entry *entries;
    struct job_state *jobs;
    struct workload_stats *
        *reported; /* by executor and entry, what world->stats adds up; NULL: none */
    uint32_t serial;
    bool emptied;
    _Atomic time_ps finish_at; /* the next that is finished; TIME_NEVER: not known yet */
    time_ps measure_at;        /* the next of all, and of all looks at what arrived */
    bool attention;            /* an entry has finished */
};

void world_play_init(struct world *world);
void world_play_fini(struct world *world);

/* Fills in device, address and paths of an instance whose way_self is the world. */
void world_give_way(struct workload_site *site);

/* By which NIC an instance's queue pair goes, and to which address. */
struct verbs_device *world_way(const struct workload_site *site, uint32_t queue, uint32_t *ip);

/* What the members of an entry have delivered, in bytes. */
uint64_t world_entry_delivered(const struct entry *entry);

#endif
