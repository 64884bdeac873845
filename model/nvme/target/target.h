/* SPDX-License-Identifier: Apache-2.0
 * target - an NVMe over Fabrics target: subsystems at ports, and their discovery.
 * Answers as nvmet of Linux 6.1 does, with the same admin commands and values and the same order of
 * responses. Uses only env and its transport.
 * Source: NVMe over Fabrics 1.1; drivers/nvme/target of Linux 6.1. Owner: the caller of
 * nvme_target_create. Clock: env. Errors: statuses to the host; a broken transport ends the
 * controller. Not modeled: authentication, reservations. */
#ifndef STORMGLASS_NVME_TARGET_TARGET_H
#define STORMGLASS_NVME_TARGET_TARGET_H

#include "base/env.h"
#include "base/opt.h"
#include "base/probe.h"
#include "nvme/limit.h"
#include "nvme/media/array.h"
#include "nvme/media/media.h"
#include "nvme/media/store.h"
#include "nvme/server.h"
#include "nvme/transport/transport.h"
#include "nvme/wire/ana.h"
#include "nvme/wire/spec.h"

#include <stdbool.h>

struct nvme_target;

/* X(NAME, "word"): implementation whose values Identify returns. */
#define NVME_TARGET_IDENTITIES(X)                                                                  \
    X(OWN, "stormglass")                                                                           \
    X(NVMET, "linux-nvmet")                                                                        \
    X(SPDK, "spdk")

#define X(name, word) NVME_TARGET_IS_##name,
enum nvme_target_identity { NVME_TARGET_IDENTITIES(X) };
#undef X

/* X(NAME, "word"): assignment of queues to CPUs (target_cores.c). */
#define NVME_TARGET_SCHEDULINGS(X)                                                                 \
    X(ROUND_ROBIN, "round-robin")                                                                  \
    X(LEAST_QUEUES, "least-queues")                                                                \
    X(QUEUE_NUMBER, "queue-number")

#define X(name, word) NVME_TARGET_##name,
enum nvme_target_scheduling { NVME_TARGET_SCHEDULINGS(X) };
#undef X

struct nvme_target_params {
    int64_t cores;           /* CPUs shared by the queues */
    int64_t core_scheduling; /* enum nvme_target_scheduling */
    int64_t command_cost;    /* ps of CPU time per command */
    int64_t lock_cost;       /* ps of a lock that all cores share, per I/O command */
    int64_t in_capsule;      /* maximum in-capsule data, bytes */
    int64_t max_queues;      /* I/O queues granted to one controller */
    int64_t queue_budget;    /* I/O queues granted to all controllers; 0: no limit */
    int64_t max_queue_size;  /* CAP.MQES + 1 */
    int64_t max_transfer;    /* MDTS: bytes, a power of two of 4 KiB pages */
    int64_t identity;        /* enum nvme_target_identity */
    int64_t data_buffers;    /* shared by the commands of all queues; 0: unlimited */
    int64_t io_unit;         /* bytes per data buffer */
    int64_t data_wr_pool;    /* RDMA operations beyond a command's first; 0: unlimited */
    /* Queues without a Connect: above this number plus the queues that the controllers may have,
     * the oldest is closed; 0: no limit. Not a scenario parameter, because a scenario has no
     * unknown hosts. */
    int64_t strangers;
};

extern const struct opt nvme_target_opts[];

/* Maximum bytes per command, as reported in MDTS: max_transfer, or less when the buffers available
 * to a command are smaller (target_pools.c). */
int64_t nvme_target_carries(const struct nvme_target_params *params);

/* One namespace: a device or an array of devices with its own content. */
struct nvme_namespace_params {
    int64_t size;              /* bytes */
    int64_t block_size;        /* 512 or 4096 */
    int64_t pi_type;           /* protection information type 1 to 3; 0: none */
    struct nvme_limits limits; /* for all users together */
    struct array_params array; /* a single drive: no array */
};

extern const struct opt nvme_namespace_opts[];

struct nvme_target_namespace {
    struct nvme_namespace_params params;
    const struct media_ops *media;
    const void *media_params; /* copied */
    /* Owned by the target from now on; NULL: tags. All stores of a target use the same kind of
     * memory. */
    struct nvme_store *store;
    uint32_t ana_group; /* from 1; 0: 1 */
};

enum {
    NVME_TARGET_PORTS_MAX = 32,
    NVME_TARGET_SUBSYSTEMS_MAX = 16,
    NVME_TARGET_ALL = UINT16_MAX, /* all ports, or all ANA groups */
};

extern const struct opt nvme_subsystem_opts[]; /* limits of a subsystem */

/* A subsystem, to which hosts connect by NQN. */
struct nvme_target_subsystem {
    const char *nqn;
    struct nvme_limits limits;
    const uint32_t *namespaces; /* indices in the target's list; the first is NSID 1 */
    uint32_t namespace_count;
    uint64_t ports;           /* bit mask of its ports; 0: all */
    const char *const *hosts; /* NQNs of the allowed hosts; empty: any */
    uint32_t host_count;
};

struct nvme_target_site {
    const struct env *env;
    struct nvme_transport *transport;      /* owned by the target from now on */
    struct nvme_transport *const *further; /* transports for more ports, also
                                            * owned; the list is copied */
    uint32_t further_count;
    const struct nvme_target_params *params;        /* copied */
    const struct nvme_target_namespace *namespaces; /* copied; the first is NSID 1 */
    uint32_t namespace_count;
    const char *nqn; /* copied: NQN of the default subsystem when none are given; NULL:
                      * NVME_SUBSYSTEM_NQN */
    /* Copied; empty: one subsystem with all namespaces, at all ports, for any host. */
    const struct nvme_target_subsystem *subsystems;
    uint32_t subsystem_count;
};

struct nvme_target_stats {
    uint64_t commands, reads, writes, flushes, admin, errors;
    uint64_t bytes_read, bytes_written;
    uint64_t damaged;  /* writes with data from several sources: a transport error */
    uint64_t refused;  /* controllers rejected because the budget had no I/O queue left */
    uint64_t admitted; /* controllers that a host has had, without those for discovery */
    uint32_t controllers, queues; /* connected at present */
};

/* Starts listening; NULL when the port is unavailable. */
struct nvme_target *nvme_target_create(const struct nvme_target_site *site);
/* Call when the world no longer runs, because it may still have timers of the target. */
void nvme_target_destroy(struct nvme_target *target);

const struct nvme_target_stats *nvme_target_stats(const struct nvme_target *target);

/* While stalled, the target's software does nothing: commands and connection requests arrive and
 * wait, its timers are late, and its device and media continue. A stall survives a crash: a target
 * revived before the stall ends is stalled. */
void nvme_target_stall(struct nvme_target *target, bool stalled);

/* The target's software crashes: it no longer listens, and its connections, controllers and
 * outstanding commands are lost. An unanswered write was not executed. data_lost: the namespaces
 * are empty afterwards. Called from outside, never from a callback. */
void nvme_target_kill(struct nvme_target *target, bool data_lost);
/* Listens again; false when the port is unavailable. */
bool nvme_target_revive(struct nvme_target *target);

/* The same for one port: the one of two storage controllers that has this port crashes or comes
 * back. */
void nvme_target_kill_port(struct nvme_target *target, uint32_t port);
bool nvme_target_revive_port(struct nvme_target *target, uint32_t port);

/* closed: removes all subsystems from the port, or restores them. Their controllers end, connecting
 * hosts are rejected, and the discovery log changes. */
void nvme_target_close_port(struct nvme_target *target, uint32_t port, bool closed);

/* Sets the state of an ANA group at a port; NVME_TARGET_ALL: all groups or ports. Hosts are
 * notified by an event. */
void nvme_target_set_ana(struct nvme_target *target, uint32_t port, uint32_t group,
                         enum nvme_ana_state state);
enum nvme_ana_state nvme_target_ana(const struct nvme_target *target, uint32_t port,
                                    uint32_t group);
uint32_t nvme_target_ports(const struct nvme_target *target);

/* Fails or replaces a drive, from 0, of a namespace, from 1 in the site's order. False: no such
 * drive, or the namespace is not an array. */
bool nvme_target_fail_drive(struct nvme_target *target, uint32_t ns, uint32_t drive);
bool nvme_target_replace_drive(struct nvme_target *target, uint32_t ns, uint32_t drive);

/* X(NAME, "word"): silent data corruption by a drive. */
#define NVME_CORRUPTIONS(X)                                                                        \
    X(MISDIRECTED_READ, "misdirected-read")   /* returns the blocks after the requested ones */    \
    X(MISDIRECTED_WRITE, "misdirected-write") /* writes the blocks after the requested ones */     \
    X(LOST_WRITE, "lost-write")               /* is not executed */                                \
    X(FLIPPED_BIT, "flipped-bit")             /* flips a bit of the written data */

#define X(name, word) NVME_CORRUPTION_##name,
enum nvme_corruption { NVME_CORRUPTIONS(X) };
#undef X

/* Corrupts every `every`-th read or write of a namespace from now on; 0: no more. False: no such
 * namespace, or it stores real bytes. */
bool nvme_target_corrupt(struct nvme_target *target, uint32_t ns, enum nvme_corruption how,
                         uint32_t every);

/* Stage of an I/O command. */
enum nvme_target_stage {
    NVME_TARGET_ON_CORE,     /* waiting for a core or on one, before the media */
    NVME_TARGET_UNBUFFERED,  /* waiting for data buffers */
    NVME_TARGET_WITHOUT_WRS, /* waiting for data work requests */
    NVME_TARGET_STARVED,     /* waiting for send queue space */
    NVME_TARGET_FETCHES,     /* fetching its data from the host */
    NVME_TARGET_LIMITED,     /* waiting for a limit of its namespace */
    NVME_TARGET_IN_MEDIA,    /* waiting there, or being served */
    NVME_TARGET_AFTER_MEDIA, /* waiting for a core or on one, before the response */
    NVME_TARGET_RESPONDED    /* data and response posted, not yet acknowledged */
};

struct nvme_target_command {
    enum nvme_target_stage stage;
    struct probe_target_io times; /* identity and timestamps; 0: not reached yet */
    uint8_t opcode;
    uint32_t bytes;
    uint32_t qpn; /* number of its queue pair in the transport; 0: none */
};

typedef void nvme_target_looker(void *self, const struct nvme_target_command *command);
void nvme_target_look(const struct nvme_target *target, nvme_target_looker *look, void *self);
/* Calls back for its cores, then for the parts of each namespace's medium. */
void nvme_target_stations(const struct nvme_target *target, nvme_station_fn *call, void *self);
/* Calls back for every controller there ever was, in the order of their creation, with the time
 * that cores worked for it until now; at last, with CNTLID 0, for queues without a controller. */
typedef void nvme_target_cpu_fn(void *self, uint16_t cntlid, time_ps made_at, struct nvme_cpu cpu);
void nvme_target_cpu(const struct nvme_target *target, nvme_target_cpu_fn *call, void *self);
/* Adds the media statistics of the run; returns false, and adds nothing, when no medium ages. */
bool nvme_target_wear(const struct nvme_target *target, struct media_wear *sum);
/* Adds the array statistics of the run; returns false, and adds nothing, when there is no array. */
bool nvme_target_arrays(const struct nvme_target *target, struct array_stats *sum);
bool nvme_target_is_stalled(const struct nvme_target *target);
bool nvme_target_is_dead(const struct nvme_target *target);

/* CHECKs every invariant: receives, credits and slots of each queue, and shared buffers. */
void nvme_target_audit(const struct nvme_target *target);

#endif
