/* SPDX-License-Identifier: Apache-2.0
 * raw_host - a host without manners: sends any bytes as a capsule.
 * For what a well-behaved host never does, and for fuzzing. */
#ifndef STORMGLASS_TESTS_RAW_HOST_H
#define STORMGLASS_TESTS_RAW_HOST_H

#include "nvme/rdma/rdma.h"
#include "nvme/target/target.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "tests/unit/rnic/fake_verbs.h"

enum { RAW_SECOND_PORT = 1 };
enum { RAW_QUEUES = 3, RAW_RECEIVES = 256, RAW_BUFFER_BYTES = 16384 };

struct raw_queue {
    struct verbs_conn *conn;
    struct verbs_mr *capsule, *responses;
    struct nvme_response last;
    uint32_t answered; /* responses */
    uint32_t limited;  /* of them with Abort Command Limit Exceeded */
    uint32_t failed;   /* work requests that ended badly */
    int reject;        /* status of a refused connection, and its private data's STS */
    uint16_t reject_sts;
    uint16_t crqsize;
    uint32_t port; /* of the target, that it connects to: 0, or RAW_SECOND_PORT */
    bool up, down;
};

struct raw_host {
    struct fake_world world;
    struct verbs_device *device, *target_device, *second_device; /* of the second port */
    struct nvme_target_params params;
    struct nvme_target_namespace ns;
    struct nvme_target *target;
    struct verbs_mr *buffer; /* what keyed descriptors name */
    struct raw_queue queues[RAW_QUEUES];
};

void raw_init(struct raw_host *raw);
/* The target has these subsystems, says that it is an enum nvme_target_identity, and takes so long
 * for a command; 0: the preset. */
void raw_init_as(struct raw_host *raw, const struct nvme_target_subsystem *subsystems,
                 uint32_t count, int64_t identity, time_ps cost);
/* The target has two ports. */
void raw_init_with_ports(struct raw_host *raw, int64_t identity);
/* The namespace, of 512-byte blocks, keeps its content there; the store becomes the target's. */
void raw_init_with(struct raw_host *raw, struct nvme_store *store, int64_t size);
/* The namespace has protection information of the type. */
void raw_init_protected(struct raw_host *raw, int64_t pi_type);
void raw_fini(struct raw_host *raw);

/* Connects queue `index` with these bytes as private data, and runs. */
void raw_connect(struct raw_host *raw, unsigned index, const void *private_data, uint8_t length);

/* Connects queue `index` with well-formed private data, and runs. */
void raw_connect_as(struct raw_host *raw, unsigned index, uint16_t qid, uint16_t size);

/* Sends the first `length` bytes of queues[index].capsule and runs. */
void raw_send_bytes(struct raw_host *raw, unsigned index, uint32_t length);

/* Sends at once so many capsules of 64 bytes, one after the other at queues[index].capsule. */
void raw_post_many(struct raw_host *raw, unsigned index, unsigned count);

/* Encodes the command, sends it with `more` bytes behind it and runs; the response's status. */
uint16_t raw_send(struct raw_host *raw, unsigned index, const struct nvme_command *command,
                  uint32_t more);

/* A Connect command; its data is in the buffer. */
uint16_t raw_fabrics_connect(struct raw_host *raw, unsigned index, uint16_t qid, uint16_t sqsize,
                             const struct nvme_connect_data *data);

/* Connects and enables the admin queue (0) and one I/O queue (1). */
void raw_bring_up(struct raw_host *raw);
void raw_bring_up_named(struct raw_host *raw, const char *subsystem);

/* Connects and enables an admin queue (0) of the discovery subsystem. */
void raw_bring_up_discovery(struct raw_host *raw);

struct nvme_connect_data raw_identity(uint16_t cntlid);

#endif
