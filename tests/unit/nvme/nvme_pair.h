/* SPDX-License-Identifier: Apache-2.0
 * nvme_pair - a host and a target on fake verbs, for tests. */
#ifndef STORMGLASS_TESTS_NVME_PAIR_H
#define STORMGLASS_TESTS_NVME_PAIR_H

#include "nvme/host/host.h"
#include "nvme/rdma/rdma.h"
#include "nvme/target/target.h"
#include "tests/unit/rnic/fake_verbs.h"

enum { PAIR_HOST_IP = 2, PAIR_TARGET_IP = 1, PAIR_IOS = 4096 };

struct nvme_pair {
    struct fake_world world;
    struct verbs_device *host_device, *target_device;
    struct nvme_host_params host_params;
    struct nvme_target_params target_params;
    struct nvme_rdma_params rdma_params;
    struct nvme_target_namespace namespaces[2];
    unsigned char media_params[MEDIA_PARAMS_MAX];
    struct nvme_host *host;
    struct nvme_target *target, *former; /* former: dead; its timers are known to the world */
    struct nvme_io ios[PAIR_IOS];
    struct probe_target_io last; /* of the target */
    uint64_t target_ios;
    char note[160]; /* the first one since a test emptied it */
    uint32_t namespace_count;
    /* NULL: as nvme_target_site and nvme_host_site have it then. */
    const struct nvme_target_subsystem *subsystems;
    uint32_t subsystem_count;
    const char *subsystem_nqn, *host_nqn;
    bool discovery, gives_back;
    uint32_t events, changes, admin_done;
    uint32_t completed;
    uint32_t target_ip; /* that the host connects to */
    uint16_t ready_status;
    bool ready;
    bool resubmit; /* every I/O is issued again when it completes */
};

/* Presets everywhere; a test changes what it wants and then calls nvme_pair_start. */
void nvme_pair_init(struct nvme_pair *pair, const char *media);
void nvme_pair_fini(struct nvme_pair *pair);

void nvme_pair_make_target(struct nvme_pair *pair);
void nvme_pair_make_host(struct nvme_pair *pair);

/* Makes target and host and runs until the host is ready or has failed. */
void nvme_pair_start(struct nvme_pair *pair);

/* Fills in ios[index]; nvme_pair_io also submits it on queue 0 and plays it to its end. */
struct nvme_io *nvme_pair_fill(struct nvme_pair *pair, uint32_t index, enum nvme_opcode opcode,
                               uint64_t lba, uint32_t bytes);
struct nvme_io *nvme_pair_io(struct nvme_pair *pair, enum nvme_opcode opcode, uint64_t lba,
                             uint32_t bytes, uint32_t content);

/* Runs for a span and audits both sides. */
void nvme_pair_run(struct nvme_pair *pair, time_ps span);

#endif
