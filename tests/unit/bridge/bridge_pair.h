/* SPDX-License-Identifier: Apache-2.0
 * bridge_pair - the portable NVMe host and target on verbs_real over fake_rdma, in real time. */
#ifndef STORMGLASS_TESTS_BRIDGE_PAIR_H
#define STORMGLASS_TESTS_BRIDGE_PAIR_H

#include "base/probe.h"
#include "bridge/verbs/verbs_real.h"
#include "nvme/host/host.h"
#include "nvme/rdma/rdma.h"
#include "nvme/target/target.h"

#define BRIDGE_HOST_IP   0x0A000001u
#define BRIDGE_TARGET_IP 0x0A000002u

enum { BRIDGE_IOS = 64 };

struct bridge_pair {
    struct loop *loop;
    struct probe probe;
    struct env env;
    struct verbs_real_site site; /* of both devices; a test may change it before it opens them */
    struct verbs_device *host_device, *target_device;
    struct nvme_host_params host_params;
    struct nvme_target_params target_params;
    struct nvme_rdma_params rdma_params;
    struct nvme_target_namespace space;
    unsigned char media_params[MEDIA_PARAMS_MAX];
    struct nvme_host *host;
    struct nvme_target *target;
    struct nvme_io ios[BRIDGE_IOS];
    unsigned port_changes;
    char fatal[320], refused[320];       /* what could not be survived, and what a peer asked for */
    unsigned completed, removed, wanted; /* the loop stops when so many are completed */
    uint16_t ready_status;
    bool ready;
};

void bridge_pair_init(struct bridge_pair *pair);
void bridge_pair_open(struct bridge_pair *pair);  /* devices and target */
void bridge_pair_start(struct bridge_pair *pair); /* a host; plays until it is ready or failed */
void bridge_pair_end_host(struct bridge_pair *pair);
void bridge_pair_open_target(struct bridge_pair *pair); /* again, after bridge_pair_end_target */
void bridge_pair_end_target(struct bridge_pair *pair);
/* Everything goes; asserts that nothing is left behind. */
void bridge_pair_fini(struct bridge_pair *pair);

void bridge_pair_run(struct bridge_pair *pair, time_ps span);
void bridge_pair_submit(struct bridge_pair *pair, unsigned index, enum nvme_opcode opcode,
                        uint64_t lba, uint32_t bytes, uint32_t content);
/* Plays until `count` I/Os are complete, at most 5 s. */
void bridge_pair_await(struct bridge_pair *pair, unsigned count);
struct nvme_io *bridge_pair_io(struct bridge_pair *pair, enum nvme_opcode opcode, uint64_t lba,
                               uint32_t bytes, uint32_t content);

#endif
