/* SPDX-License-Identifier: Apache-2.0
 * target_private - declarations shared by the files of the target.
 *   target.c             listening, controllers, interface to callers
 *   target_conduct.c     differences between identities
 *   target_cids.c        commands with the identifier of another one
 *   target_subsystem.c   subsystems: names, namespaces, ports, allowed hosts
 *   target_port.c        ANA states of a port; a port that is closed or crashes alone
 *   target_event.c       asynchronous events, and Abort
 *   target_accept.c      creation and end of queues
 *   target_queue.c       one queue: capsules, responses, commands waiting for space
 *   target_command.c     one command: from the capsule to the response
 *   target_budget.c      I/O queues shared by all controllers
 *   target_cores.c       assignment of queues to cores
 *   target_pools.c       data buffers and data work requests shared by all commands
 *   target_connect.c     Connect and properties
 *   target_identify.c    Identify
 *   target_admin.c       features, keep-alive
 *   target_logs.c        log pages
 *   target_io.c          read, write, flush
 *   target_protection.c  protection information, and silent data corruption
 *   target_drives.c      failure and replacement of drives of arrays
 *   target_outage.c      stalls, crashes and revival of the software */
#ifndef STORMGLASS_NVME_TARGET_TARGET_PRIVATE_H
#define STORMGLASS_NVME_TARGET_TARGET_PRIVATE_H

#include "base/probe.h"
#include "nvme/fsm/fsm.h"
#include "nvme/media/store.h"
#include "nvme/server.h"
#include "nvme/stall.h"
#include "nvme/target/target.h"
#include "nvme/target/target_conduct.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/identify.h"

enum {
    TARGET_EVENT_REQUESTS = 4,      /* AERL 3 is 0's based; NVMET_ASYNC_EVENTS */
    TARGET_ABORTS = 4,              /* ACL 3 is 0's based */
    TARGET_NAMESPACES_MAX = 1024,   /* NN and MNAN of nvmet: NVMET_MAX_NAMESPACES */
    TARGET_ADMIN_DATA_KEPT = 16384, /* bytes of a command's buffer kept after its response */
    TARGET_ERROR_ENTRIES = 128,     /* entries of the error log; NVMET_ERROR_LOG_SLOTS */
    TARGET_CID_SLOTS = 4096,        /* maximum size of struct target_queue.cids */
    POOL_WANTED = -1,               /* waiting for the resource */
};

struct target_queue;
struct target_controller;

enum target_pool_kind { TARGET_BUFFERS, TARGET_WORK_REQUESTS, TARGET_POOLS };

/* Silent data corruption by a namespace's drives. */
struct target_corruption {
    uint32_t every, seen; /* every 0: none */
    uint8_t how;          /* enum nvme_corruption */
};

struct target_namespace {
    uint32_t number; /* number in the target, from 1 */
    uint32_t ana_group;
    const struct media_ops *ops;
    struct media *media;
    struct nvme_store *store;
    struct target_limits *limits;         /* NULL: none */
    struct target_protection *protection; /* NULL: none */
    struct target_corruption corruption;
    bool plain; /* no protection and no corruption */
    uint64_t blocks;
    uint32_t block_bytes;
};

/* What the cores did for a controller, kept after its end. */
struct target_account {
    uint16_t cntlid;
    time_ps made_at;
    struct nvme_cpu ended; /* of queues that have ended */
};

struct target_command {
    struct nvme_job job; /* first member: a job is cast to its command */
    struct target_queue *queue;
    struct target_command *next;    /* next in the list in which it waits */
    struct nvme_transfer transfer;  /* data is bulk or bytes; NULL: none or in the capsule */
    struct nvme_buffer bulk, bytes; /* its own buffers, allocated on first use and kept */
    void (*run)(struct target_command *command);
    struct target_namespace *ns;
    struct media_request media;
    struct nvme_command sqe;
    struct probe_target_io times;
    uint64_t result;
    uint16_t status;            /* including DNR */
    int16_t held[TARGET_POOLS]; /* units held of each pool; or POOL_WANTED */
    bool in_capsule;
    bool aborted; /* completes as soon as it begins */
    bool counted; /* counted in its queue's cids */
    bool same_cid;
    bool abort, beyond_acl; /* counts as an outstanding Abort; exceeds the limit */
};

/* A port on which the target listens. */
struct target_port {
    struct nvme_target *target;
    struct nvme_transport *transport;
    uint32_t ip, index;
    uint32_t nic;                         /* index of the first port with the same address */
    bool dead;                            /* this port has crashed alone */
    bool closed;                          /* no subsystem at this port */
    uint8_t ana[NVME_ANA_GROUPS_MAX + 1]; /* enum nvme_ana_state, by group */
};

struct target_subsystem {
    char nqn[NVME_NQN_BYTES];
    struct target_namespace **namespaces; /* indexed by NSID - 1 */
    struct target_limits *limits;         /* NULL: none */
    uint32_t namespace_count, host_count, index;
    uint64_t ports; /* bit mask; 0: all */
    char (*hosts)[NVME_NQN_BYTES];
};

struct target_list {
    struct target_command *first, *last;
};

/* A resource shared by the commands of all queues. */
struct target_pool {
    int64_t size, free; /* size 0: unlimited */
    struct target_list waiting;
};

struct target_queue {
    struct nvme_target *target;
    const struct target_port *port;
    struct target_queue *next;
    struct target_controller *controller; /* NULL before Connect */
    struct nvme_transport_conn *conn;
    struct nvme_server *core;
    int64_t expected;                 /* bytes of data that its commands fetch */
    time_ps cpu;                      /* time that the core worked for it */
    struct target_command **commands; /* allocated as needed */
    struct target_list free;
    struct target_list early;   /* received before ESTABLISHED */
    struct target_list starved; /* waiting for space in the transport */
    uint32_t command_count, command_limit;
    uint16_t *cids; /* outstanding commands by low bits of their identifier (target_cids.c); or
                     * NULL */
    uint32_t cid_slots;
    uint32_t outside;    /* commands in a core's queue or in the media, which will return */
    uint32_t carried;    /* commands whose data or response is in the transport, which will
                          * return too */
    uint32_t unsupplied; /* commands waiting for the target's pools */
    uint32_t peer_ip;
    uint16_t entries;       /* maximum entries of its submission queue; 0: not accepted */
    uint16_t qid;           /* 0: not known yet */
    bool announced;         /* qid is known; otherwise Connect specifies it */
    bool no_flow_control;   /* SQ flow control disabled: responses have no SQHD */
    uint16_t sq_size, sqhd; /* 0 before Connect */
    uint32_t number;        /* probe_state.number */
    uint32_t taken;         /* its number in the target plus one; 0: none */
    bool counted;           /* counted as an I/O queue of its core */
    uint8_t state;          /* enum nvme_target_queue_state */
    bool gone;              /* the transport has reported the end */
};

struct target_controller {
    struct nvme_target *target;
    struct target_controller *next;
    const struct target_subsystem *subsystem; /* NULL: discovery subsystem */
    const struct target_port *port;           /* port of its admin queue */
    struct timer keep_alive_timer;
    time_ps keep_alive; /* ps; 0: none */
    char host_nqn[NVME_NQN_BYTES];
    unsigned char host_id[NVME_HOST_ID_BYTES];
    uint32_t account; /* its index among the target's accounts */
    uint32_t queues;
    uint32_t granted; /* I/O queues held from the target's budget */
    struct target_command *event_requests[TARGET_EVENT_REQUESTS]; /* outstanding event requests */
    uint32_t events;                                              /* number of outstanding event
                                                                   * requests */
    uint32_t aborts;                                 /* Abort commands without a response so far */
    uint32_t arbitration, error_recovery, atomicity; /* features that have no effect */
    uint32_t events_wanted;  /* enabled by the host: bits NVME_EVENT_BIT_... */
    uint32_t events_masked;  /* reported; the log page has not been read since */
    uint32_t events_pending; /* occurred without an outstanding request */
    unsigned char *errors;   /* ring of log entries, allocated with the first */
    uint64_t error_count;    /* total number of errors */
    uint32_t cc, csts;
    uint16_t cntlid;
    bool discovery;    /* controller of the discovery subsystem */
    bool seen_command; /* a command was received since the keep-alive timer was set */
    bool ended;        /* its queues are being closed */
};

struct nvme_target {
    struct nvme_target_site site;
    struct nvme_target_params params;
    struct nvme_target_stats stats;
    const struct target_conduct *conduct;
    struct target_namespace *namespaces;
    uint32_t namespace_count;
    struct target_subsystem *subsystems;
    uint32_t subsystem_count;
    uint64_t ana_changes, discovery_changes; /* change counts in log pages */
    enum nvme_memory memory;                 /* memory type of I/O data, as the stores require */
    bool limited;                            /* some namespace or subsystem has limits */
    struct nvme_server *cores;
    struct nvme_server lock; /* shared by the cores */
    struct cpu_core *processors; /* of the cores, where a transport takes turns with commands */
    uint32_t next_core, next_admin_core;
    struct target_account *accounts; /* of all controllers there ever were */
    uint32_t account_count, account_room;
    time_ps unknown_cpu;   /* for queues that ended without a controller */
    uint32_t *core_queues; /* by core: number of I/O queues */
    uint8_t *numbers;      /* by number: 1 if a queue has it */
    uint32_t number_room;
    uint32_t granted; /* I/O queues granted from its budget */
    struct target_pool pools[TARGET_POOLS];
    bool pooled; /* some pool is limited */
    struct target_queue *queues;
    struct target_controller *controllers;
    struct target_controller *spare; /* ended controllers for reuse */
    struct timer reaper;
    struct target_port *ports;
    uint32_t port_count;
    uint16_t next_cntlid;
    struct nvme_stall stall; /* deferred calls while it is stalled */
    bool to_stall;           /* a stall is requested and not over, possibly during a crash */
    bool dead;
};

/* target.c */
struct target_controller *nvme_target_find(const struct nvme_target *target, uint16_t cntlid);
struct target_controller *nvme_target_add_controller(struct nvme_target *target);
void nvme_target_fatal(struct target_controller *controller, const char *why);
void nvme_target_reap(struct nvme_target *target);
/* Listens at all ports; on failure returns false and listens at none. */
bool nvme_target_listen(struct nvme_target *target);
bool nvme_target_listen_at(struct target_port *port);
void nvme_target_unlisten(struct nvme_target *target);
/* Maximum in-capsule data of I/O queues; SGLs and IOCCSZ count in units of 16 bytes. */
uint32_t nvme_target_capsule_room(const struct target_port *port);

static inline const struct nvme_transport_ops *nvme_target_ops(const struct target_port *port)
{
    return port->transport->ops;
}

static inline struct nvme_transport *nvme_target_transport(const struct target_queue *queue)
{
    return queue->port->transport;
}

/* The same for all stores of a target. */
static inline bool nvme_target_zeroes(const struct nvme_target *target)
{
    return target->namespace_count > 0 && target->namespaces[0].store->ops->zero != NULL;
}

static inline time_ps nvme_target_now(const struct target_queue *queue)
{
    return env_now(queue->target->site.env);
}

static inline bool nvme_target_compares(const struct nvme_target *target)
{
    return target->namespace_count > 0 && target->namespaces[0].store->ops->compare != NULL &&
           target->conduct->compares != 0;
}

/* target_subsystem.c */
void nvme_target_make_subsystems(struct nvme_target *target, const struct nvme_target_site *site);
void nvme_target_free_subsystems(struct nvme_target *target);
/* NULL: no such subsystem at the port. */
const struct target_subsystem *nvme_target_find_subsystem(const struct target_port *port,
                                                          const char *nqn);
bool nvme_target_has_port(const struct target_subsystem *subsystem, const struct target_port *port);
bool nvme_target_allows(const struct target_subsystem *subsystem, const char *host_nqn);
/* NULL: no such namespace. */
struct target_namespace *nvme_target_namespace(const struct target_controller *controller,
                                               uint32_t nsid);

/* Whether the NSID is in 1 .. NN. */
bool nvme_target_valid_namespace(const struct target_controller *controller, uint32_t nsid);
/* Status of a command that needs a namespace when none has that NSID. */
uint16_t nvme_target_no_namespace(const struct target_controller *controller, uint32_t nsid);

/* target_event.c */
/* Completes its event requests without an event. */
void nvme_target_events_end(struct target_controller *controller);
/* Events that are enabled before the host sets any. */
uint32_t nvme_target_events_at_first(const struct target_controller *controller);
void nvme_target_event_tell(struct target_controller *controller, unsigned bit);
/* The host has read the log page of the event. */
void nvme_target_event_read(struct target_controller *controller, unsigned bit);
void nvme_target_event_run(struct target_command *command);
void nvme_target_abort_run(struct target_command *command);

/* target_cids.c */
void nvme_target_cids_open(struct target_queue *queue);
void nvme_target_cids_add(struct target_command *command);  /* on receipt */
void nvme_target_cids_drop(struct target_command *command); /* when it has its response */

/* target_limit.c */
/* NULL: no limits. Otherwise sets the target's `limited`. */
struct target_limits *nvme_target_limit_create(struct nvme_target *target,
                                               const struct nvme_limits *most);
void nvme_target_limit_destroy(struct target_limits *limits);
/* Applies the limits of the subsystem, then of the namespace; false: the command waits and is
 * submitted to the media later. */
bool nvme_target_limit_admits(struct target_command *command);

/* target_protection.c */
/* NULL: type 0. */
struct target_protection *nvme_target_protection_create(unsigned type, uint32_t block_bytes);
void nvme_target_protection_destroy(struct target_protection *protection);
unsigned nvme_target_protection_type(const struct target_namespace *ns);
bool nvme_target_is_protected(const struct target_subsystem *subsystem); /* any namespace */
/* Bytes of protection information for `bytes` of data. */
uint32_t nvme_target_protection_bytes(const struct target_namespace *ns, uint32_t bytes);
/* Checks a command that has all its data, before the media; data: of a write or a comparison. */
uint16_t nvme_target_protection_judge(const struct target_command *command,
                                      const struct nvme_buffer *data);
/* For a namespace that is not plain. */
uint16_t nvme_target_protection_read(struct target_command *command);
uint16_t nvme_target_protection_write(struct target_command *command,
                                      const struct nvme_buffer *data, uint64_t at);
uint16_t nvme_target_protection_compare(struct target_command *command,
                                        const struct nvme_buffer *data, uint64_t at);
void nvme_target_protection_zeroed(struct target_command *command);
void nvme_target_protection_forget(struct target_namespace *ns, struct nvme_range range);

/* target_io.c: submits a prepared media request. */
void nvme_target_io_submit(struct target_command *command);

/* target_port.c */
void nvme_target_port_init(struct target_port *port);

/* target_identify.c */
void nvme_target_identify_run(struct target_command *command);
uint32_t nvme_target_most_namespaces(const struct nvme_target *target); /* NN */
/* The firmware revision in Identify and the firmware log. */
const char *nvme_target_firmware(const struct nvme_target *target);
uint32_t nvme_target_events_offered(const struct target_controller *controller);

/* target_accept.c */
void nvme_target_queue_request(void *port, struct nvme_transport_conn *conn,
                               const struct nvme_transport_request *request);
void nvme_target_queue_free(struct target_queue *queue);

/* target_queue.c */
void nvme_target_queue_vanish(struct target_queue *queue);
void nvme_target_queue_close(struct target_queue *queue);
void nvme_target_queue_error(struct target_queue *queue, const char *why);
void nvme_target_queue_event(struct target_queue *queue, enum nvme_target_queue_event event);
void nvme_target_queue_fetch(struct target_command *command);
void nvme_target_queue_respond(struct target_command *command);
/* The callbacks for the transport. */
struct nvme_transport_target nvme_target_queue_user(struct target_queue *queue);
/* Starts commands that waited for transport space, as far as there is space now. */
void nvme_target_queue_resume(struct target_queue *queue);
bool nvme_target_queue_reserve(struct target_command *command);
void nvme_target_queue_audit(const struct target_queue *queue);
void nvme_target_list_add(struct target_list *list, struct target_command *command);
struct target_command *nvme_target_list_take(struct target_list *list);

/* target_command.c */
void nvme_target_command_on_core(void *self, struct nvme_job *job);
void nvme_target_command_locked(void *self, struct nvme_job *job);
void nvme_target_command_enter(struct target_command *command);
void nvme_target_command_fetched(struct target_command *command);
void nvme_target_command_begin(struct target_command *command);
/* Completes the command; status includes DNR, as on the wire. */
void nvme_target_command_done(struct target_command *command, uint16_t status);
/* Returns false, with the command completed, when the SGL does not describe this length. */
bool nvme_target_command_expects(struct target_command *command, uint64_t length);
/* Call when the command returns from a core or the media; false: its queue is closing, and the
 * command has been freed. */
bool nvme_target_command_back(struct target_command *command);

/* The command has its buffers: it begins, or waits for space in the transport. */
void nvme_target_command_room(struct target_command *command);

/* target_budget.c */
/* Whether another controller can be admitted. */
bool nvme_target_budget_left(const struct nvme_target *target);
/* A new controller takes its first I/O queue. */
void nvme_target_budget_admit(struct target_controller *controller);
/* Grants up to `wanted` queues; returns the number granted. */
uint32_t nvme_target_budget_grant(struct target_controller *controller, uint32_t wanted);
/* Returns the present grant without changing it. */
uint32_t nvme_target_budget_of(const struct target_controller *controller);
void nvme_target_budget_audit(const struct nvme_target *target);

/* target_cores.c */
void nvme_target_cores_init(struct nvme_target *target);
void nvme_target_cores_fini(struct nvme_target *target);
void nvme_target_core_take(struct target_queue *queue, bool admin);
void nvme_target_core_give(struct target_queue *queue); /* when the queue ends */
/* Adds what the cores did for a queue that ends to its controller. */
void nvme_target_core_settle(const struct target_queue *queue);
void nvme_target_cores_audit(const struct nvme_target *target);

/* target_pools.c */
void nvme_target_pools_init(struct nvme_target *target);
/* Returns false when the command waits; nvme_target_command_room is called later. */
bool nvme_target_pools_take(struct target_command *command);
void nvme_target_pools_give(struct target_command *command);
void nvme_target_pools_forget(struct target_queue *queue); /* when the queue ends */
void nvme_target_pools_audit(const struct nvme_target *target);

/* Each sets command->run or returns a status. */
uint16_t nvme_target_connect_parse(struct target_command *command);
uint16_t nvme_target_connect_parse_property(struct target_command *command);
uint16_t nvme_target_connect_parse_again(struct target_command *command); /* for an I/O queue */
/* Restarts the keep-alive timer with a new interval; 0: none. */
void nvme_target_keep_alive(struct target_controller *controller, uint32_t milliseconds);
uint16_t nvme_target_admin_parse(struct target_command *command);
uint16_t nvme_target_io_parse(struct target_command *command);

/* target_admin.c: zeroed buffer for the response data; NULL, with the command completed, when the
 * length does not match. */
unsigned char *nvme_target_admin_answer(struct target_command *command, uint64_t length);

/* target_logs.c */
void nvme_target_logs_run(struct target_command *command);
/* Logs the command's error; true: the controller has an entry for it. */
bool nvme_target_logs_error(const struct target_command *command);

#endif
