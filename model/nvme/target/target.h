/* SPDX-License-Identifier: Apache-2.0
 * target - an NVMe over Fabrics target: one subsystem, and the discovery of it.
 * Answers as nvmet of Linux 6.1 does: same admin commands and values, same order of responses.
 * Reaches the world only through env and its transport.
 * Source: NVMe over Fabrics 1.1; drivers/nvme/target of Linux 6.1.
 * Owner: the caller of nvme_target_create.  Clock: env.  Errors: statuses to the host; a broken
 * transport ends the controller.  Not modelled: referrals, hosts that are not allowed,
 * authentication, reservations, protection information. */
#ifndef STORMGLASS_NVME_TARGET_TARGET_H
#define STORMGLASS_NVME_TARGET_TARGET_H

#include "base/env.h"
#include "base/opt.h"
#include "base/probe.h"
#include "nvme/media/media.h"
#include "nvme/media/store.h"
#include "nvme/transport/transport.h"
#include "nvme/wire/spec.h"

#include <stdbool.h>

struct nvme_target;

struct nvme_target_params {
    int64_t cores;          /* CPUs; the queues share them round robin */
    int64_t command_cost;   /* CPU time of one command */
    int64_t in_capsule;     /* bytes of data that a command capsule may carry */
    int64_t max_queues;     /* I/O queues granted to one controller */
    int64_t max_queue_size; /* CAP.MQES + 1 */
    int64_t max_transfer;   /* MDTS, a power of two of 4 KiB pages */
};

extern const struct opt nvme_target_opts[];

/* One namespace: a device of its own with its own content. */
struct nvme_namespace_params {
    int64_t size;       /* bytes */
    int64_t block_size; /* 512 or 4096 */
};

extern const struct opt nvme_namespace_opts[];

struct nvme_target_namespace {
    struct nvme_namespace_params params;
    const struct media_ops *media;
    const void *media_params; /* copied */
    /* The target's from now on; NULL: tags.  All of a target take the same kind of memory. */
    struct nvme_store *store;
};

struct nvme_target_site {
    const struct env *env;
    struct nvme_transport *transport;      /* the target's from now on */
    struct nvme_transport *const *further; /* of the same kind, for more ports; likewise, and the
                                            * list is copied */
    uint32_t further_count;
    const struct nvme_target_params *params;        /* copied */
    const struct nvme_target_namespace *namespaces; /* copied; the first is NSID 1 */
    uint32_t namespace_count;
};

struct nvme_target_stats {
    uint64_t commands, reads, writes, flushes, admin, errors;
    uint64_t bytes_read, bytes_written;
    uint32_t controllers, queues; /* connected now */
};

/* Listens; NULL when the port cannot be had. */
struct nvme_target *nvme_target_create(const struct nvme_target_site *site);
/* When the world no longer runs: it may still know timers of the target. */
void nvme_target_destroy(struct nvme_target *target);

const struct nvme_target_stats *nvme_target_stats(const struct nvme_target *target);

/* While stalled the target's software does nothing: commands arrive and requests to connect come,
 * and wait, its timers are late, and its device and media go on alone.  A stall outlives a death: a
 * target that is revived before the stall ends is stalled. */
void nvme_target_stall(struct nvme_target *target, bool stalled);

/* The target's software dies: nobody listens, its connections are gone, and so are its controllers
 * and all that was under way.  A write that was not answered was not carried out.  data_lost: the
 * namespaces are empty when it comes back.  Called from outside, never from a callback. */
void nvme_target_kill(struct nvme_target *target, bool data_lost);
/* It listens again; false when the port cannot be had. */
bool nvme_target_revive(struct nvme_target *target);

/* Where an I/O command is. */
enum nvme_target_stage {
    NVME_TARGET_ON_CORE,     /* waits for a core or is on one, before the media */
    NVME_TARGET_STARVED,     /* waits for room in the send queue */
    NVME_TARGET_FETCHES,     /* its data are under way from the host */
    NVME_TARGET_IN_MEDIA,    /* waits there, or is served */
    NVME_TARGET_AFTER_MEDIA, /* waits for a core or is on one, before the response */
    NVME_TARGET_RESPONDED    /* data and response are posted and not acknowledged */
};

struct nvme_target_command {
    enum nvme_target_stage stage;
    struct probe_target_io times; /* what it is; moments that are still to come are 0 */
    uint8_t opcode;
    uint32_t bytes;
    uint32_t qpn; /* of its queue pair, as the transport numbers them; 0: none */
};

typedef void nvme_target_looker(void *self, const struct nvme_target_command *command);
void nvme_target_look(const struct nvme_target *target, nvme_target_looker *look, void *self);
/* Each of its cores, then what the medium of each namespace is made of. */
void nvme_target_stations(const struct nvme_target *target, nvme_station_fn *call, void *self);
/* Adds what a run did to its media; false, and nothing is added: none of them ages. */
bool nvme_target_wear(const struct nvme_target *target, struct media_wear *sum);
bool nvme_target_is_stalled(const struct nvme_target *target);
bool nvme_target_is_dead(const struct nvme_target *target);

/* CHECKs every invariant: receives, credits and slots of each queue. */
void nvme_target_audit(const struct nvme_target *target);

#endif
