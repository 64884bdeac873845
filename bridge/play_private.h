/* SPDX-License-Identifier: Apache-2.0
 * play_private - what the files of play share.
 * play.c         devices, target, sinks, workloads, time
 * play_record.c  the result and its database */
#ifndef STORMGLASS_BRIDGE_PLAY_PRIVATE_H
#define STORMGLASS_BRIDGE_PLAY_PRIVATE_H

#include "bridge/play.h"
#include "nvme/host.h"
#include "nvme/target.h"
#include "replay/observe.h"
#include "scenarios/world.h"

struct play_instance {
    struct play *play;
    const struct workload_ops *ops;
    struct workload *workload;
    struct nvme_host_params nvme;
    struct env env;
    bool idle;
};

struct play {
    struct play_options options;
    const struct scenario *scenario;
    struct loop *loop;
    struct explain_fabric fabric;
    struct observe observe;
    struct probe probe;  /* the observer's, as the role has it */
    struct world *world; /* never runs: names, tables, statistics */
    struct record *record;
    struct result result;
    struct verbs_device *host_device, *target_device; /* may be the same */
    struct env target_env;
    struct nvme_target *target;
    struct rdma_sink *sink;
    struct play_instance *instances;
    uint32_t instance_count, busy, target_node;
    bool cut_short, gone;
    double wall_s, cpu_s;
    char error[STORE_ERROR_BYTES];
};

/* play_record.c */
bool play_record_open(struct play *play);
void play_record_finish(struct play *play);

#endif
