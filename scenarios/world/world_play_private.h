/* SPDX-License-Identifier: Apache-2.0
 * world_play_private - workloads and faults of a world over time.
 * Included only by world.c, world_play.c and world_ask.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_PLAY_PRIVATE_H

#include "scenarios/carrier/nvme_carrier.h"
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

/* An entry whose instances are on several executors, which may become idle in any order. */
struct entry {
    struct instance *instances;
    uint32_t *busy_on; /* by executor, the only writer while events are executed */
    uint32_t count;
    atomic_uint busy;
    _Atomic time_ps idle_at; /* time of the latest idle instance so far */
    time_ps finish_at;       /* TIME_NEVER: unknown yet */
    time_ps measure_at;      /* next beginning or end of its measured part; TIME_NEVER: none left */
    struct arrivals arrivals;
};

struct world_play {
    struct entry *entries;
    struct job_state *jobs;
    struct workload_stats **reported; /* by executor and entry: parts of world->stats; NULL: none */
    uint32_t serial;
    bool emptied;
    _Atomic time_ps finish_at; /* next entry to finish; TIME_NEVER: unknown yet */
    time_ps measure_at;        /* earliest of all entries, including samples of arrivals */
    bool attention;            /* an entry has finished */
};

void world_play_init(struct world *world);
void world_play_fini(struct world *world);

/* Sets device, address and paths of an instance; site->way_self must be the world. */
void world_give_way(struct workload_site *site);

/* NIC and destination address of an instance's queue pair. */
struct verbs_device *world_way(const struct workload_site *site, uint32_t queue, uint32_t *ip);
/* Returns the number of transports of a target. */
uint32_t world_make_transports(const struct world *world, const struct scenario_node *node,
                               struct nvme_transport *transports[NVME_CARRIERS * HOST_RNICS]);
void world_make_nvme_tcp(const struct world *world);
/* A TCP at each NIC that a tcp-stream uses, and a sink at each that it sends to. */
void world_make_tcp(struct world *world);
void world_free_tcp(struct world *world);

/* Devices and sinks of plain RDMA on the verbs of a transport; after its TCP. */
void world_make_verbs(struct world *world);
/* The device there of a host in `from`. */
struct verbs_device *world_verbs_at(const struct world *world, uint32_t node, uint16_t nic);
void world_free_verbs(struct world *world);

/* The same for a TCP connection. */
struct stream_device *world_stream_way(const struct workload_site *site, uint32_t conn,
                                       uint32_t *ip);

/* For NVMe over TCP: the streams of a NIC of the instance's host. */
struct fc *world_fc_at(const struct workload_site *site, const struct verbs_device *device);
struct stream_device *world_stream_at(const struct workload_site *site,
                                      const struct verbs_device *device);

/* Bytes delivered by the members of an entry. */
uint64_t world_entry_delivered(const struct entry *entry);

#endif
