/* SPDX-License-Identifier: Apache-2.0
 * target - an NVMe over Fabrics target: subsystems at ports, and the discovery of them.
 * Answers as nvmet of Linux 6.1 does: same admin commands and values, same order of responses.
 * Reaches the world only through env and its transport.
 * Source: NVMe over Fabrics 1.1; drivers/nvme/target of Linux 6.1.
 * Owner: the caller of nvme_target_create.  Clock: env.  Errors: statuses to the host; a broken
 * transport ends the controller.  Not modelled: authentication, reservations. */
#ifndef STORMGLASS_NVME_TARGET_TARGET_H
#define STORMGLASS_NVME_TARGET_TARGET_H

#include "base/env.h"
#include "base/opt.h"
#include "base/probe.h"
#include "nvme/limit.h"
#include "nvme/media/array.h"
#include "nvme/media/media.h"
#include "nvme/media/store.h"
#include "nvme/transport/transport.h"
#include "nvme/wire/ana.h"
#include "nvme/wire/spec.h"

#include <stdbool.h>

struct nvme_target;

/* X(NAME, "word"): whose values Identify has. */
#define NVME_TARGET_IDENTITIES(X)                                                                  \
    X(OWN, "stormglass")                                                                           \
    X(NVMET, "linux-nvmet")                                                                        \
    X(SPDK, "spdk")

#define X(name, word) NVME_TARGET_IS_##name,
enum nvme_target_identity { NVME_TARGET_IDENTITIES(X) };
#undef X

/* X(NAME, "word"): which CPU a queue gets (target_cores.c). */
#define NVME_TARGET_SCHEDULINGS(X)                                                                 \
    X(ROUND_ROBIN, "round-robin")                                                                  \
    X(LEAST_QUEUES, "least-queues")                                                                \
    X(QUEUE_NUMBER, "queue-number")

#define X(name, word) NVME_TARGET_##name,
enum nvme_target_scheduling { NVME_TARGET_SCHEDULINGS(X) };
#undef X

struct nvme_target_params {
    int64_t cores;           /* CPUs that the queues share */
    int64_t core_scheduling; /* enum nvme_target_scheduling */
    int64_t command_cost;    /* CPU time of one command */
    int64_t in_capsule;      /* bytes of data that a command capsule may carry */
    int64_t max_queues;      /* I/O queues granted to one controller */
    int64_t queue_budget;    /* I/O queues granted to all; 0: no limit */
    int64_t max_queue_size;  /* CAP.MQES + 1 */
    int64_t max_transfer;    /* MDTS, a power of two of 4 KiB pages */
    int64_t identity;        /* enum nvme_target_identity */
    int64_t data_buffers;    /* that the commands of all queues share; 0: as many as are needed */
    int64_t io_unit;         /* bytes of one of them */
    int64_t data_wr_pool;    /* RDMA operations beyond a command's first; 0: as many as needed */
    /* Queues that have sent no Connect: beyond so many, and as many as the controllers may have,
     * the oldest ends; 0: no limit.  It is no parameter of a scenario, where everybody is known. */
    int64_t strangers;
};

extern const struct opt nvme_target_opts[];

/* Bytes that one command may transfer, as MDTS says: max_transfer, or less where the buffers that a
 * command may hold are smaller (target_pools.c). */
int64_t nvme_target_carries(const struct nvme_target_params *params);

/* One namespace: a device of its own, or an array of them, with its own content. */
struct nvme_namespace_params {
    int64_t size;              /* bytes */
    int64_t block_size;        /* 512 or 4096 */
    int64_t pi_type;           /* of protection information: 1 to 3; 0: it has none */
    struct nvme_limits limits; /* of all users together */
    struct array_params array; /* one drive: no array */
};

extern const struct opt nvme_namespace_opts[];

struct nvme_target_namespace {
    struct nvme_namespace_params params;
    const struct media_ops *media;
    const void *media_params; /* copied */
    /* The target's from now on; NULL: tags.  All of a target take the same kind of memory. */
    struct nvme_store *store;
    uint32_t ana_group; /* from 1; 0: 1 */
};

enum {
    NVME_TARGET_PORTS_MAX = 16,
    NVME_TARGET_SUBSYSTEMS_MAX = 16,
    NVME_TARGET_ALL = UINT16_MAX, /* ports, or ANA groups */
};

extern const struct opt nvme_subsystem_opts[]; /* of its limits */

/* What hosts connect to by its name. */
struct nvme_target_subsystem {
    const char *nqn;
    struct nvme_limits limits;
    const uint32_t *namespaces; /* indices of the target's; the first is NSID 1 */
    uint32_t namespace_count;
    uint64_t ports;           /* a bit for each port that it is at; 0: all */
    const char *const *hosts; /* NQNs of those that may connect; none: any */
    uint32_t host_count;
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
    const char *nqn; /* copied: of the one that there is without subsystems; NULL:
                      * NVME_SUBSYSTEM_NQN */
    /* Copied; none: one that has all namespaces, at all ports, for any host. */
    const struct nvme_target_subsystem *subsystems;
    uint32_t subsystem_count;
};

struct nvme_target_stats {
    uint64_t commands, reads, writes, flushes, admin, errors;
    uint64_t bytes_read, bytes_written;
    uint64_t damaged; /* writes whose data came from several places: a transport's mistake */
    uint64_t refused; /* controllers: no I/O queue was left in the budget */
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

/* The same at one port: the controller of two that has it dies, or comes back. */
void nvme_target_kill_port(struct nvme_target *target, uint32_t port);
bool nvme_target_revive_port(struct nvme_target *target, uint32_t port);

/* No subsystem is at the port any more, or all are again that were: its controllers end, hosts that
 * connect are refused, and the discovery log changes. */
void nvme_target_close_port(struct nvme_target *target, uint32_t port, bool closed);

/* The state of an ANA group at a port, or of NVME_TARGET_ALL: hosts are told by an event. */
void nvme_target_set_ana(struct nvme_target *target, uint32_t port, uint32_t group,
                         enum nvme_ana_state state);
enum nvme_ana_state nvme_target_ana(const struct nvme_target *target, uint32_t port,
                                    uint32_t group);
uint32_t nvme_target_ports(const struct nvme_target *target);

/* A drive, from 0, of a namespace, from 1 as the site lists them, is gone, or replaced.  False:
 * there is no such, or the namespace is no array. */
bool nvme_target_fail_drive(struct nvme_target *target, uint32_t ns, uint32_t drive);
bool nvme_target_replace_drive(struct nvme_target *target, uint32_t ns, uint32_t drive);

/* X(NAME, "word"): what a drive does to data and does not report. */
#define NVME_CORRUPTIONS(X)                                                                        \
    X(MISDIRECTED_READ, "misdirected-read")   /* of the blocks behind those asked for */           \
    X(MISDIRECTED_WRITE, "misdirected-write") /* likewise */                                       \
    X(LOST_WRITE, "lost-write")               /* not carried out */                                \
    X(FLIPPED_BIT, "flipped-bit")             /* of what is written */

#define X(name, word) NVME_CORRUPTION_##name,
enum nvme_corruption { NVME_CORRUPTIONS(X) };
#undef X

/* Each so many reads or writes of a namespace from now on; 0: none any more.  False: there is no
 * such namespace, or it holds real bytes. */
bool nvme_target_corrupt(struct nvme_target *target, uint32_t ns, enum nvme_corruption how,
                         uint32_t every);

/* Where an I/O command is. */
enum nvme_target_stage {
    NVME_TARGET_ON_CORE,     /* waits for a core or is on one, before the media */
    NVME_TARGET_UNBUFFERED,  /* waits for data buffers */
    NVME_TARGET_WITHOUT_WRS, /* waits for data work requests */
    NVME_TARGET_STARVED,     /* waits for room in the send queue */
    NVME_TARGET_FETCHES,     /* its data are under way from the host */
    NVME_TARGET_LIMITED,     /* waits for a limit of its namespace */
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
/* Adds what a run did to its arrays; false, and nothing is added: it has none. */
bool nvme_target_arrays(const struct nvme_target *target, struct array_stats *sum);
bool nvme_target_is_stalled(const struct nvme_target *target);
bool nvme_target_is_dead(const struct nvme_target *target);

/* CHECKs every invariant: receives, credits and slots of each queue, and shared buffers. */
void nvme_target_audit(const struct nvme_target *target);

#endif
