/* SPDX-License-Identifier: Apache-2.0
 * host - an NVMe over Fabrics host: one controller and its queues.
 * Connects, enables and scans one controller as the Linux 6.1 host does, then transfers I/O. It
 * uses only env and its transport, so the same code runs in the simulator and on real devices.
 * Source: NVMe over Fabrics 1.1; drivers/nvme/host of Linux 6.1. A live controller that loses its
 * connection is reconnected, with an attempt each reconnect-delay, until ctrl-loss-tmo: outstanding
 * I/O waits, is sent again and completes once. Owner: the caller of nvme_host_create. Clock: env.
 * Errors: a status on each I/O; a controller that fails permanently completes waiting I/O with
 * NVME_STATUS_TRANSPORT. Several controllers of one subsystem as paths: multipath/multipath.h. */
#ifndef STORMGLASS_NVME_HOST_HOST_H
#define STORMGLASS_NVME_HOST_HOST_H

#include "base/env.h"
#include "base/opt.h"
#include "base/probe.h"
#include "nvme/server.h"
#include "nvme/transport/transport.h"
#include "nvme/wire/ana.h"
#include "nvme/wire/discovery.h"
#include "nvme/wire/spec.h"

#include <stdbool.h>

struct nvme_host;

struct nvme_host_params {
    int64_t queues;           /* requested I/O queues; the target may grant fewer */
    int64_t write_queues;     /* requested in addition; then `queues` carry only reads */
    int64_t poll_queues;      /* likewise, for I/O that is polled */
    int64_t cpus;             /* of the host; 0: as many as the most numerous type of queue */
    int64_t queue_size;       /* entries of an I/O submission queue; at most one less is
                               * outstanding */
    int64_t keep_alive;       /* KATO; 0: none */
    int64_t io_timeout;       /* ps, for one I/O command */
    int64_t admin_timeout;    /* ps, for one admin command, and for connecting one queue */
    int64_t reconnect_delay;  /* ps, from the loss of a connection or a failed attempt to the
                               * next attempt */
    int64_t ctrl_loss_tmo;    /* ps until attempts end; NVME_HOST_NEVER: never */
    int64_t ctrl_loss_limit;  /* enum nvme_host_limits: what ctrl_loss_tmo limits */
    int64_t fast_io_fail_tmo; /* ps until waiting I/O fails; NVME_HOST_NEVER: never */
    int64_t max_retries;      /* for a command that failed with a status without DNR */
    int64_t abort;            /* bool: on a timeout, send Abort first */
    int64_t flow_control;     /* bool: SQ flow control */
    int64_t submit_cost;      /* ps of CPU time per submission */
    int64_t complete_cost;    /* ps of CPU time per completion */
    int64_t in_capsule;       /* bool: small writes are sent in the command capsule */
    int64_t max_transfer;     /* bytes per command; reduced to the controller's MDTS */
    int64_t partition_scan;   /* bool: issue the reads that Linux issues for a new namespace */
    int64_t shutdown;         /* bool: shut the controller down at the end of use */
    int64_t pi_act;           /* bool: PRACT */
    int64_t pi_chk;           /* enum nvme_host_checks */
    int64_t app_tag;          /* application tag of protection information */
};

enum { NVME_HOST_NEVER = -1 };

/* X(NAME, "word"): parts of the protection information that the controller checks. */
#define NVME_HOST_CHECKS(X)                                                                        \
    X(NOTHING, "none")                                                                             \
    X(GUARD, "guard")                                                                              \
    X(REFERENCE, "guard+ref")                                                                      \
    X(ALL, "guard+app+ref")

#define NVME_HOST_LIMITS(X) X(TIME, "time") X(ATTEMPTS, "attempts")

#define X(name, word) NVME_HOST_LIMITS_##name,
enum nvme_host_limits { NVME_HOST_LIMITS(X) };
#undef X

#define X(name, word) NVME_HOST_CHECKS_##name,
enum nvme_host_checks { NVME_HOST_CHECKS(X) };
#undef X

extern const struct opt nvme_host_opts[];

/* One I/O, of any size that is a multiple of the block size. The caller owns it and must not move
 * it until on_io returns it. An I/O above max_transfer is sent as several commands, one after
 * another as space permits. */
struct nvme_io {
    /* Set by the caller. */
    uint8_t opcode; /* enum nvme_opcode */
    bool polled; /* its issuer polls for the completion: it takes a poll queue, if there is one */
    uint32_t nsid;
    uint64_t lba;
    uint32_t bytes; /* length of the range, whether or not data is transferred; 0 for a flush */
    /* Write, compare: tag of the data. Read: set by the host, tag of the data read. */
    uint32_t content;
    time_ps issued_at; /* when the workload issued it, possibly before there was space */
    void *user;        /* for the caller's use */
    /* Set by the host; for a split I/O posted_at is of the first command, the rest of the last. */
    uint16_t status; /* SCT<<8 | SC; 0: success; NVME_STATUS_TRANSPORT: no answer */
    uint16_t qid, cid;
    uint8_t path;         /* index among several: multipath/multipath.h */
    time_ps posted_at;    /* capsule passed to the transport */
    time_ps response_at;  /* response capsule received */
    time_ps completed_at; /* when on_io is called */
    struct probe_command last;
    /* Private to the host. */
    uint32_t uncompleted; /* bytes left; 1 for a flush */
    uint16_t spins;       /* the core that polls for it, from 1; 0: none */
};

/* The parameters with no more queues of a type than CPUs. */
struct nvme_host_params nvme_host_params_capped(const struct nvme_host_params *params);
/* Of capped parameters, if all queues are granted: the queues of all types, and the cores. */
int64_t nvme_host_params_queues(const struct nvme_host_params *params);
int64_t nvme_host_params_cores(const struct nvme_host_params *params);
/* The largest number of cores that share a queue for such I/O if the target grants so many. */
int64_t nvme_host_params_sharing(const struct nvme_host_params *params, int64_t granted,
                                 const struct nvme_io *io);

/* An admin command of the caller, with or without data to the host. Like nvme_io it must not move
 * until on_admin. */
struct nvme_admin {
    uint8_t opcode; /* enum nvme_admin_opcode */
    uint32_t nsid, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
    uint32_t bytes; /* data length; at most NVME_HOST_ADMIN_BYTES */
    void *user;
    uint16_t status; /* as in nvme_io */
    uint64_t result;
    time_ps issued_at, completed_at;
};

enum { NVME_HOST_ADMIN_BYTES = 16384, NVME_HOST_RECORDS_MAX = 4096 };

struct nvme_host_user {
    void *self;
    /* Called once: status 0 when I/O may be submitted, else the status that ended the attempt. */
    void (*on_ready)(void *self, uint16_t status);
    /* Returns the I/O to the caller; the space it used is free. May submit. */
    void (*on_io)(void *self, struct nvme_io *io);
    /* After on_ready: the controller was lost, an attempt failed, the controller is back, or the
     * host has given up. May submit. NULL: no callback. */
    void (*on_change)(void *self);
    /* ANA states or the discovery log may have changed. May submit. NULL: no callback. */
    void (*on_event)(void *self);
    void (*on_admin)(void *self, struct nvme_admin *admin); /* NULL: no admin commands are
                                                             * submitted */
};

/* ---- statistics of a controller that was live ---- */
/* Host timers whose expiry causes the loss of the controller. */
enum nvme_host_timer {
    NVME_HOST_IO_TIMEOUT, /* io-timeout of an I/O */
    NVME_HOST_KEEP_ALIVE, /* keep-alive: unanswered, or the target had already timed out */
    NVME_HOST_ADMIN,      /* admin-timeout of a command or a set-up step */
    NVME_HOST_TIMERS
};

struct nvme_host_stats {
    uint64_t losses;     /* connection losses */
    uint64_t attempts;   /* reconnect attempts */
    uint64_t reconnects; /* successful attempts */
    uint64_t given_up;   /* 1: permanently lost, no more attempts */
    uint64_t requeued;   /* commands outstanding at a loss and sent again */
    uint64_t retried;    /* commands that failed with a status and were sent again */
    uint64_t aborts;     /* Abort commands sent */
    uint64_t expired[NVME_HOST_TIMERS];
};

struct nvme_host_site {
    const struct env *env;
    struct nvme_transport *transport;      /* owned by the host from now on */
    const struct nvme_host_params *params; /* copied */
    uint32_t target_ip;
    struct nvme_host_user user;
    const char *subsystem_nqn; /* copied; NULL: NVME_SUBSYSTEM_NQN */
    const char *host_nqn;      /* copied; NULL: derived from the owner's name */
    /* Outstanding I/O at a loss, and I/O that this path cannot execute, is returned at once with a
     * path-related status, because there may be other paths. */
    bool gives_back;
    bool discovery; /* controller of the discovery subsystem: log records, no I/O */
};

struct nvme_host_namespace {
    uint32_t nsid;
    uint32_t block_bytes;
    uint64_t blocks;
    uint32_t ana_group;
    uint8_t pi_type;  /* 0: no protection information */
    uint8_t metadata; /* metadata bytes transferred with each block */
};

/* The default host NQN, unique per owner. */
void nvme_host_name(const char *owner, char nqn[NVME_NQN_BYTES]);

/* Starts connecting; on_ready is called later. */
struct nvme_host *nvme_host_create(const struct nvme_host_site *site);

/* Call when the world no longer runs, because it may still have timers of the host. Outstanding I/O
 * is discarded without completion. */
void nvme_host_destroy(struct nvme_host *host);

/* Accepts the I/O and returns true; returns false without accepting it when the queue is full or
 * the controller is not live. The target checks the range. core: 0 .. nvme_host_cores - 1. */
bool nvme_host_submit(struct nvme_host *host, uint32_t core, struct nvme_io *io);
/* The queue that it would take now: 0 .. nvme_host_queues - 1. */
uint32_t nvme_host_queue_of(const struct nvme_host *host, uint32_t core, const struct nvme_io *io);

/* Accepts the command and returns true; false: the controller is not live or has no space. */
bool nvme_host_admin_submit(struct nvme_host *host, struct nvme_admin *admin);

/* Shuts the controller down (CC.SHN) and disconnects when nothing is outstanding; on_change reports
 * that it is closed. */
void nvme_host_shutdown(struct nvme_host *host);

bool nvme_host_live(const struct nvme_host *host);
/* I/O waiting for the controller will not be executed: the controller has failed permanently, is
 * closed, or has been lost for longer than fast-io-fail-tmo. */
bool nvme_host_lost(const struct nvme_host *host);
bool nvme_host_gone(const struct nvme_host *host);   /* failed permanently, or shut down */
bool nvme_host_closed(const struct nvme_host *host); /* finished, and all its connections are
                                                      * closed */
/* ANA state of a namespace, as last reported by the controller. */
enum nvme_ana_state nvme_host_ana(const struct nvme_host *host, uint32_t nsid);
/* Reads the ANA log again, after a command met a state other than the known one. */
void nvme_host_read_ana(struct nvme_host *host);
/* Records of a discovery controller, without that of the discovery subsystem itself. */
uint32_t nvme_host_records(const struct nvme_host *host);
const struct nvme_discovery_record *nvme_host_record(const struct nvme_host *host, uint32_t index);
const struct nvme_host_stats *nvme_host_stats(const struct nvme_host *host);
/* Total time until now from each loss of the controller to its return. */
time_ps nvme_host_without_service(const struct nvme_host *host, time_ps now);
/* Number of queues first agreed; after a reconnect with fewer, those carry all I/O. */
uint32_t nvme_host_queues(const struct nvme_host *host);
uint32_t nvme_host_queues_asked(const struct nvme_host *host);
/* Cores that issue I/O, each on one queue of a type: the largest number of queues of one type. */
uint32_t nvme_host_cores(const struct nvme_host *host);
uint32_t nvme_host_queue_size(const struct nvme_host *host); /* as negotiated */
uint32_t nvme_host_max_transfer(const struct nvme_host *host);
uint32_t nvme_host_namespaces(const struct nvme_host *host);
const struct nvme_host_namespace *nvme_host_namespace(const struct nvme_host *host, uint32_t index);
uint32_t nvme_host_target_ip(const struct nvme_host *host);
uint32_t nvme_host_local_ip(const struct nvme_host *host);   /* IP of the NIC that it uses */
uint16_t nvme_host_controller(const struct nvme_host *host); /* CNTLID */

/* I/O accepted and not returned: outstanding or waiting for the controller. */
uint64_t nvme_host_outstanding(const struct nvme_host *host);

/* Time that the CPUs of its I/O queues worked for commands until now; each queue has one CPU. */
time_ps nvme_host_busy(const struct nvme_host *host, time_ps now);
/* The same, with the work of a transport that takes turns on these CPUs. */
time_ps nvme_host_occupied(const struct nvme_host *host, time_ps now);

/* Time that cores of the host worked for it, or polled for its I/O without other work, until now,
 * over all its connections. */
struct nvme_cpu nvme_host_cpu(const struct nvme_host *host, time_ps now);

/* The controllers that it connected to, in order: identifier and time of the Connect response. */
struct nvme_host_session {
    uint16_t cntlid;
    time_ps at;
};
const struct nvme_host_session *nvme_host_sessions(const struct nvme_host *host, uint32_t *count);

/* Describes the present state: "live" or "connecting queue 3". */
void nvme_host_describe(const struct nvme_host *host, char *text, size_t size);

/* Stage of an I/O command, as known to the host. */
enum nvme_host_stage {
    NVME_HOST_WAITS,     /* waiting for space in the queue, or for the controller */
    NVME_HOST_SUBMITS,   /* waiting for the queue's CPU to send it */
    NVME_HOST_SENT,      /* capsule posted, no response yet */
    NVME_HOST_ANSWERED,  /* response received; the transport still uses its buffers */
    NVME_HOST_COMPLETES, /* waiting for the queue's CPU to complete it */
};

struct nvme_host_command {
    enum nvme_host_stage stage;
    uint16_t qid, cid; /* cid: undefined while it waits */
    uint8_t opcode;
    uint64_t lba;
    uint32_t bytes;
    time_ps issued_at;
    uint32_t qpn; /* number of its queue pair in the transport; 0: none */
};

/* Calls back for each command, queue by queue, oldest first. */
typedef void nvme_host_looker(void *self, const struct nvme_host_command *command);
void nvme_host_look(const struct nvme_host *host, nvme_host_looker *look, void *self);

/* Data of the caller's I/O, including protection information, received on the present connections,
 * whether or not the I/O is complete. Call between events. False: not live, or unknown. */
bool nvme_host_arrived(const struct nvme_host *host, struct nvme_transport_arrived *sum);

/* CHECKs every invariant: SQ flow control, tags and credits. */
void nvme_host_audit(const struct nvme_host *host);

#endif
