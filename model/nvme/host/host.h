/* SPDX-License-Identifier: Apache-2.0
 * host - an NVMe over Fabrics host: one controller and its queues.
 * Connects, enables and scans one controller the way the Linux 6.1 host does, then carries I/O.
 * It reaches the world only through env and its transport, so the same code runs in the simulator
 * and on real devices.
 * Source: NVMe over Fabrics 1.1; drivers/nvme/host of Linux 6.1.
 * A controller that was live and loses its connection is connected again, each reconnect-delay,
 * until ctrl-loss-tmo: what was under way waits, is sent again and completes once.
 * Owner: the caller of nvme_host_create.  Clock: env.  Errors: a status on each I/O; a controller
 * that fails for good completes what waits with NVME_STATUS_TRANSPORT.  Several controllers of one
 * subsystem as paths: multipath/multipath.h. */
#ifndef STORMGLASS_NVME_HOST_HOST_H
#define STORMGLASS_NVME_HOST_HOST_H

#include "base/env.h"
#include "base/opt.h"
#include "base/probe.h"
#include "nvme/transport/transport.h"
#include "nvme/wire/ana.h"
#include "nvme/wire/discovery.h"
#include "nvme/wire/spec.h"

#include <stdbool.h>

struct nvme_host;

struct nvme_host_params {
    int64_t queues;           /* I/O queues asked for; the target may grant fewer */
    int64_t queue_size;       /* entries of an I/O submission queue; one less can be under way */
    int64_t keep_alive;       /* KATO; 0: none */
    int64_t io_timeout;       /* of one I/O command */
    int64_t admin_timeout;    /* of one admin command, and of connecting one queue */
    int64_t reconnect_delay;  /* from the loss of a connection, or a vain attempt, to the next */
    int64_t ctrl_loss_tmo;    /* attempts end after so long; NVME_HOST_NEVER: never */
    int64_t ctrl_loss_limit;  /* enum nvme_host_limits: what ctrl_loss_tmo bounds */
    int64_t fast_io_fail_tmo; /* I/O that waits fails after so long; NVME_HOST_NEVER: never */
    int64_t max_retries;      /* of a command that ended with a status without DNR */
    int64_t abort;            /* bool: a time-out is answered by Abort first */
    int64_t flow_control;     /* bool: of submission queues */
    int64_t submit_cost;      /* CPU time of one submission */
    int64_t complete_cost;    /* CPU time of one completion */
    int64_t in_capsule;       /* bool: small writes travel in the command capsule */
    int64_t max_transfer;     /* bytes of one command; the controller's MDTS lowers it */
    int64_t partition_scan;   /* bool: read what Linux reads of a namespace that it has found */
    int64_t shutdown;         /* bool: who is done with it shuts it down */
    int64_t pi_act;           /* bool: PRACT */
    int64_t pi_chk;           /* enum nvme_host_checks */
    int64_t app_tag;          /* of protection information */
};

enum { NVME_HOST_NEVER = -1 };

/* X(NAME, "word"): what of protection information the controller is asked to check. */
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

/* One I/O of any size that is a multiple of the block.  The caller owns it, it stays where it
 * is until on_io gives it back.  More than max_transfer is carried as several commands, one
 * after another as room permits. */
struct nvme_io {
    /* Set by the caller. */
    uint8_t opcode; /* enum nvme_opcode */
    uint32_t nsid;
    uint64_t lba;
    uint32_t bytes; /* of the range, whether or not they move; 0 for a flush */
    /* Write, compare: the tag of the data.  Read: set by the host, the tag of what came. */
    uint32_t content;
    time_ps issued_at; /* when the workload asked, which may be earlier than it found room */
    void *user;        /* the caller's own */
    /* Set by the host; of a split I/O: posted_at of the first command, the rest of the last. */
    uint16_t status; /* SCT<<8 | SC; 0: success; NVME_STATUS_TRANSPORT: no answer */
    uint16_t qid, cid;
    uint8_t path;         /* of several: multipath/multipath.h */
    time_ps posted_at;    /* the capsule was given to the transport */
    time_ps response_at;  /* the response capsule was received */
    time_ps completed_at; /* on_io is called */
    struct probe_command last;
    /* The host's own. */
    uint32_t uncompleted; /* bytes, and for a flush 1 */
};

/* An admin command of the caller's, with or without data for the host.  As nvme_io: it stays where
 * it is until on_admin. */
struct nvme_admin {
    uint8_t opcode; /* enum nvme_admin_opcode */
    uint32_t nsid, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
    uint32_t bytes; /* that come; at most NVME_HOST_ADMIN_BYTES */
    void *user;
    uint16_t status; /* as of nvme_io */
    uint64_t result;
    time_ps issued_at, completed_at;
};

enum { NVME_HOST_ADMIN_BYTES = 16384, NVME_HOST_RECORDS_MAX = 4096 };

struct nvme_host_user {
    void *self;
    /* Told once: 0 when I/O may be submitted, else the status that ended the attempt. */
    void (*on_ready)(void *self, uint16_t status);
    /* The I/O is the caller's again; the room it took is free.  May submit. */
    void (*on_io)(void *self, struct nvme_io *io);
    /* After on_ready: the controller was lost, an attempt was vain, it is back, or it is given up.
     * May submit.  NULL: nobody listens. */
    void (*on_change)(void *self);
    /* ANA states may be others, or the discovery log is.  May submit.  NULL: nobody listens. */
    void (*on_event)(void *self);
    void (*on_admin)(void *self, struct nvme_admin *admin); /* NULL: none is submitted */
};

/* Of a controller that was live. */
/* Timers of a host that run out and cost it the controller. */
enum nvme_host_timer {
    NVME_HOST_IO_TIMEOUT, /* io-timeout: of an I/O */
    NVME_HOST_KEEP_ALIVE, /* keep-alive: no answer to one, or the target had given it up */
    NVME_HOST_ADMIN,      /* admin-timeout: of a command, or of a step of the set-up */
    NVME_HOST_TIMERS
};

struct nvme_host_stats {
    uint64_t losses;     /* of the connection */
    uint64_t attempts;   /* to reconnect */
    uint64_t reconnects; /* attempts that succeeded */
    uint64_t given_up;   /* 1: permanently lost, no attempt is made any more */
    uint64_t requeued;   /* commands that were under way and are sent again */
    uint64_t retried;    /* commands that ended with a status and are sent again */
    uint64_t aborts;     /* sent */
    uint64_t expired[NVME_HOST_TIMERS];
};

struct nvme_host_site {
    const struct env *env;
    struct nvme_transport *transport;      /* the host's from now on */
    const struct nvme_host_params *params; /* copied */
    uint32_t target_ip;
    struct nvme_host_user user;
    const char *subsystem_nqn; /* copied; NULL: NVME_SUBSYSTEM_NQN */
    const char *host_nqn;      /* copied; NULL: one made from the owner's name */
    /* What is under way when it is lost, and what this path cannot carry out, is given back at
     * once with a status of path errors: there may be others. */
    bool gives_back;
    bool discovery; /* the controller is the discovery subsystem's: records, and no I/O */
};

struct nvme_host_namespace {
    uint32_t nsid;
    uint32_t block_bytes;
    uint64_t blocks;
    uint32_t ana_group;
    uint8_t pi_type;  /* 0: no protection information */
    uint8_t metadata; /* bytes that travel behind each block */
};

/* The NQN of a host that is given none: one of its own for every owner. */
void nvme_host_name(const char *owner, char nqn[NVME_NQN_BYTES]);

/* Begins to connect; on_ready comes later. */
struct nvme_host *nvme_host_create(const struct nvme_host_site *site);

/* When the world no longer runs: it may still know timers of the host.  I/O that is still under
 * way is forgotten, not completed. */
void nvme_host_destroy(struct nvme_host *host);

/* Takes the I/O and returns true, or returns false and leaves it alone: the queue is full, or
 * the controller is not live.  A bad range is the target's to judge.  queue: 0 ..
 * nvme_host_queues - 1. */
bool nvme_host_submit(struct nvme_host *host, uint32_t queue, struct nvme_io *io);

/* Takes the command and returns true; false: the controller is not live, or has no room. */
bool nvme_host_admin_submit(struct nvme_host *host, struct nvme_admin *admin);

/* Shuts the controller down (CC.SHN) and disconnects once nothing is under way; on_change tells
 * when it is closed. */
void nvme_host_shutdown(struct nvme_host *host);

bool nvme_host_live(const struct nvme_host *host);
/* I/O that waits for the controller will not be carried: it has failed for good, it is closed, or
 * it has been away for longer than fast-io-fail-tmo. */
bool nvme_host_lost(const struct nvme_host *host);
bool nvme_host_gone(const struct nvme_host *host);   /* it has failed for good, or was shut down */
bool nvme_host_closed(const struct nvme_host *host); /* it is over, and so are its connections */
/* Of a namespace, as the controller said last. */
enum nvme_ana_state nvme_host_ana(const struct nvme_host *host, uint32_t nsid);
/* The log is read again: a command has met another state than was known. */
void nvme_host_read_ana(struct nvme_host *host);
/* Of a discovery controller, without the discovery subsystem's own. */
uint32_t nvme_host_records(const struct nvme_host *host);
const struct nvme_discovery_record *nvme_host_record(const struct nvme_host *host, uint32_t index);
const struct nvme_host_stats *nvme_host_stats(const struct nvme_host *host);
/* By now, from each loss of the controller to its return, in all. */
time_ps nvme_host_without_service(const struct nvme_host *host, time_ps now);
/* As first agreed; one that comes back with fewer carries all I/O on those that it has. */
uint32_t nvme_host_queues(const struct nvme_host *host);
uint32_t nvme_host_queues_asked(const struct nvme_host *host);
uint32_t nvme_host_queue_size(const struct nvme_host *host); /* as negotiated */
uint32_t nvme_host_max_transfer(const struct nvme_host *host);
uint32_t nvme_host_namespaces(const struct nvme_host *host);
const struct nvme_host_namespace *nvme_host_namespace(const struct nvme_host *host, uint32_t index);
uint32_t nvme_host_target_ip(const struct nvme_host *host);
uint32_t nvme_host_local_ip(const struct nvme_host *host);   /* of the NIC that it connects by */
uint16_t nvme_host_controller(const struct nvme_host *host); /* CNTLID */

/* I/O taken and not given back, under way or waiting for the controller to return. */
uint64_t nvme_host_outstanding(const struct nvme_host *host);

/* How long the CPUs of its I/O queues have worked until now, together; each queue has one. */
time_ps nvme_host_busy(const struct nvme_host *host, time_ps now);

/* In words, where it stands: "live" or "connecting queue 3". */
void nvme_host_describe(const struct nvme_host *host, char *text, size_t size);

/* Where an I/O command is, as far as the host knows. */
enum nvme_host_stage {
    NVME_HOST_WAITS,     /* for room in the queue, or for the controller */
    NVME_HOST_SUBMITS,   /* the queue's CPU is to send it */
    NVME_HOST_SENT,      /* the capsule was posted, no response has come */
    NVME_HOST_ANSWERED,  /* the response is here; the transport has not let go of its buffers */
    NVME_HOST_COMPLETES, /* the queue's CPU is to complete it */
};

struct nvme_host_command {
    enum nvme_host_stage stage;
    uint16_t qid, cid; /* cid: not while it waits */
    uint8_t opcode;
    uint64_t lba;
    uint32_t bytes;
    time_ps issued_at;
    uint32_t qpn; /* of its queue pair, as the transport numbers them; 0: none */
};

/* Tells of each, queue by queue, the oldest first. */
typedef void nvme_host_looker(void *self, const struct nvme_host_command *command);
void nvme_host_look(const struct nvme_host *host, nvme_host_looker *look, void *self);

/* Data of the caller's I/O, with their protection information, that have come by the connections as
 * they are now, whether or not the I/O is complete; to be asked between events.  False: it is not
 * live, or nobody knows. */
bool nvme_host_arrived(const struct nvme_host *host, struct nvme_transport_arrived *sum);

/* CHECKs every invariant: SQ flow control, tags and credits. */
void nvme_host_audit(const struct nvme_host *host);

#endif
