/* SPDX-License-Identifier: Apache-2.0
 * host_private - declarations shared by the files of the host.
 *   host.c             the controller: life cycle, failure, interface to callers
 *   host_recovery.c    lost connections: waiting, attempts, return, giving up
 *   host_admin.c       runs the steps that bring a controller up; Connect; keep-alive
 *   host_steps.c       the steps: the commands in Linux's order
 *   host_map.c         types of queues: default, read, poll; their cores
 *   host_queue.c       one queue: connection, submission queue, commands and responses
 *   host_io.c          I/O: splitting, the queue's CPU, timeouts
 *   host_live.c        admin commands of a live controller: events, their logs, a user's commands
 *   host_discovery.c   the discovery log, in pieces
 *   host_partitions.c  the host's own reads before it is ready */
#ifndef STORMGLASS_NVME_HOST_HOST_PRIVATE_H
#define STORMGLASS_NVME_HOST_HOST_PRIVATE_H

#include "base/state_time.h"
#include "nvme/fsm/fsm.h"
#include "nvme/host/host.h"
#include "nvme/host/tags.h"
#include "nvme/server.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/identify.h"

#include <assert.h>

enum {
    HOST_ADMIN_TAGS = 30, /* NVME_AQ_MQ_TAG_DEPTH: 32 less one empty slot and one event request */
    HOST_ADMIN_RESERVED = 2, /* Connect and keep-alive, properties */
    HOST_EVENT_TAG = 31,     /* NVME_AQ_BLK_MQ_DEPTH: the asynchronous event request */
    HOST_IO_RESERVED = 1,    /* Connect */
    HOST_ADMIN_DATA_BYTES = NVME_HOST_ADMIN_BYTES, /* the ANA log of 1024 namespaces has 8208
                                                    * bytes */
    HOST_NAMESPACES_MAX = NVME_IDENTIFY_BYTES / 4, /* one active namespace list */
};

/* A request is done when neither is left. Linux counts references for the same reason: a buffer
 * must not be reused before the transport has released it. */
enum { HOST_AWAITS_RESPONSE = 1, HOST_AWAITS_RELEASE = 2 };

struct host_request;

/* Result of evaluating a step's response. */
enum host_verdict { HOST_NEXT, HOST_AGAIN_LATER, HOST_GIVE_UP };

/* One step in bringing up or shutting down a controller: a command and the evaluation of its
 * response, or an action. */
struct host_step {
    const char *name;
    bool (*wanted)(const struct nvme_host *host); /* NULL: always */
    void (*build)(const struct nvme_host *host, struct host_request *request);
    enum host_verdict (*judge)(struct nvme_host *host,
                               const struct host_request *request); /* or NULL */
    bool (*act)(struct nvme_host *host); /* instead of a command; true: continue at once */
    bool reserved;                       /* uses the tags reserved for Connect and properties */
    bool optional;                       /* an error status does not fail the set-up */
};

struct host_queue;

struct host_request {
    struct nvme_job job; /* first member: a job is cast to its request */
    struct host_queue *queue;
    struct nvme_io *io;                                      /* NULL: not I/O */
    struct nvme_admin *admin;                                /* user's command, or NULL */
    void (*done)(struct nvme_host *, struct host_request *); /* for requests other than I/O */
    struct host_request *older, *newer;
    uint32_t at; /* offset of its bytes in the I/O */
    struct nvme_command command;
    struct nvme_buffer *data; /* data buffer of the command, or NULL */
    struct nvme_buffer bulk;  /* the request's own buffer for I/O; grows */
    struct nvme_buffer own;   /* its own buffer of real bytes: a log page, block ranges; grows */
    uint32_t bytes;           /* to transfer */
    uint32_t units;           /* bytes; 1 for a flush */
    time_ps deadline, tagged_at, posted_at, response_at, released_at;
    uint64_t result;
    uint16_t tag, status;
    uint8_t generation, awaits;
    uint8_t retries;
    bool completing; /* waiting for the CPU to complete it */
    bool aborting;   /* timed out once */
};

/* A part of an I/O without a command so far. */
struct host_piece {
    struct nvme_io *io;
    uint32_t at, units; /* bytes; 1 for a flush */
    uint8_t retries;
};

/* A core that polls for I/O. */
struct host_spin {
    uint32_t ios;          /* that it polls for; 0: it does not */
    time_ps since, worked; /* when it began, and its work until then */
    time_ps spun;          /* earlier, without other work */
};

struct host_queue {
    struct nvme_host *host;
    struct nvme_transport_conn *conn;
    struct host_request *requests; /* indexed by tag */
    struct nvme_buffer connect_data;
    struct cpu_core core; /* of a transport whose work takes a core, too */
    struct host_spin spin;
    struct nvme_server cpu;
    time_ps transport_cpu; /* of earlier connections */
    struct nvme_tags reserved, tags;
    struct host_request *oldest, *newest; /* outstanding, by age */
    struct host_piece *pieces;            /* to be sent, in order */
    uint32_t piece_at, piece_count, piece_room;
    struct timer timeout;
    uint32_t capsule_room; /* maximum in-capsule data of this queue, bytes */
    uint16_t qid, size;    /* size: entries of the submission queue */
    uint16_t sq_tail, sq_head;
    uint32_t number; /* probe_state.number */
    uint8_t state;   /* enum nvme_host_queue_state */
    bool parting;    /* disconnecting, not confirmed by the peer yet */
};

enum host_queue_type { HOST_QUEUE_DEFAULT, HOST_QUEUE_READ, HOST_QUEUE_POLL, HOST_QUEUE_TYPES };

/* The I/O queues of a type, numbered from 0. */
struct host_queue_set {
    uint32_t first, count;
};

enum host_log_state { HOST_LOG_HEADER, HOST_LOG_PIECES, HOST_LOG_HEADER_AGAIN };
/* RESTLESS: the log changed during every attempt to read it. */
enum host_log_verdict { HOST_LOG_MORE, HOST_LOG_WHOLE, HOST_LOG_RESTLESS };

/* The discovery log: known records, and progress of the present read. */
struct host_log {
    struct nvme_discovery_record *records, *draft; /* same capacity */
    uint32_t record_count, draft_count, room;
    uint32_t there;      /* number of records in the log being read */
    uint64_t generation; /* generation of the log being read */
    uint64_t at;         /* bytes read, including the header */
    uint8_t retries;
    uint8_t state; /* enum host_log_state */
};

struct nvme_host {
    struct nvme_host_site site;
    struct nvme_host_params params;
    uint32_t number; /* probe_state.number */
    uint8_t state;   /* enum nvme_host_state */
    bool reported_ready, stopping, seen_completion;
    struct host_queue *queues; /* [0] is the admin queue */
    uint32_t queue_count;      /* including the admin queue */
    uint32_t connecting;       /* the queue being connected */
    uint32_t offered;          /* I/O queues announced to the caller */
    uint32_t cores;            /* that issue I/O, announced likewise */
    struct host_queue_set sets[HOST_QUEUE_TYPES];
    uint64_t outstanding; /* I/Os */
    uint64_t units;       /* incomplete part of the outstanding I/O: bytes, and 1 per flush */
    struct nvme_host_stats stats;
    uint32_t attempts; /* since the loss of the controller */
    /* Time from each loss until the controller is back or shut down; it stays open after giving
     * up. */
    struct state_time without_service;
    bool away;         /* was live, and is now lost or being reconnected */
    bool failing_fast; /* fast-io-fail-tmo has expired */
    bool resets;       /* the host itself dropped the controller: the first attempt is immediate */
    struct timer retry_timer, fast_timer;

    struct nvme_connect_data identity;
    uint64_t cap;
    uint32_t cc;
    uint16_t cntlid;
    struct nvme_host_session *sessions; /* by time */
    uint32_t session_count, session_room;
    struct nvme_identify_controller controller;
    uint32_t io_queue_size, max_transfer;

    unsigned step;    /* index in the set-up list */
    uint32_t scanned; /* namespaces scanned so far */
    struct nvme_buffer admin_data;
    struct timer step_timer; /* timeout of the present step */
    struct timer poll_timer; /* next read of CSTS */
    struct timer keep_alive_timer;
    bool keep_alive_sent;
    uint32_t aborts; /* Abort commands without a response */

    uint8_t ana[NVME_ANA_GROUPS_MAX + 1]; /* enum nvme_ana_state, by group */
    bool ana_old, ana_asked;              /* the ANA log must be read; is being read */
    struct timer anatt_timer;             /* a group has been in the change state for too long */
    struct host_log log;                  /* for a discovery controller */
    bool records_old, records_asked;      /* the log must be read; is being read */

    struct nvme_host_namespace *namespaces; /* from the first scan: as announced to the caller */
    uint32_t namespace_count;
    struct nvme_host_namespace *found; /* from the present or last scan */
    uint32_t found_count;

    struct nvme_io partition_io;
    uint64_t partition_bytes; /* read since the last connect */
    uint32_t partition_reads; /* reads started; one more when all are done */
};

/* host.c */
void nvme_host_event(struct nvme_host *host, enum nvme_host_event event);
void nvme_host_note(const struct nvme_host *host, const char *text);
void nvme_host_fail(struct nvme_host *host, uint16_t status, const char *why);
void nvme_host_expire(struct nvme_host *host, enum nvme_host_timer timer, uint16_t status,
                      const char *why);
void nvme_host_make_queues(struct nvme_host *host, uint32_t io_queues);
void nvme_host_ready(struct nvme_host *host);
void nvme_host_parted(struct nvme_host *host);

static inline bool nvme_host_over(const struct nvme_host *host)
{
    return host->state == HOST_FAILED || host->state == HOST_CLOSED;
}

/* Nothing can be sent: callers check after anything that can fail. */
static inline bool nvme_host_down(const struct nvme_host *host)
{
    return nvme_host_over(host) || host->state == HOST_LOST;
}

/* host_recovery.c */
void nvme_host_recovery_init(struct nvme_host *host);
void nvme_host_recovery_quiet(struct nvme_host *host);
bool nvme_host_recovery_may_try(const struct nvme_host *host);
void nvme_host_recovery_wait(struct nvme_host *host);
void nvme_host_recovery_returned(struct nvme_host *host);
bool nvme_host_recovery_same_namespaces(const struct nvme_host *host);
void nvme_host_recovery_end(struct nvme_host *host);
void nvme_host_recovery_give_back(struct nvme_host *host); /* fails all I/O */
void nvme_host_recovery_audit(const struct nvme_host *host);

/* host_map.c */
void nvme_host_map_queues(struct nvme_host *host, uint32_t granted);
bool nvme_host_queue_polls(const struct host_queue *queue);
/* Its commands and its connection take turns on the core. */
void nvme_host_queue_run(struct host_queue *queue);
/* False if an earlier I/O queue has the same core. */
bool nvme_host_queue_leads(const struct host_queue *queue);
/* The core polls for the I/O until it ends, if there are poll queues. */
void nvme_host_spin_begin(struct nvme_host *host, uint32_t core, struct nvme_io *io);
void nvme_host_spin_end(struct nvme_host *host, struct nvme_io *io);
/* Time that the core polled without other work until now. */
time_ps nvme_host_spun(const struct nvme_host *host, uint32_t core, time_ps now);

/* host_queue.c */
void nvme_host_queue_init(struct host_queue *queue, struct nvme_host *host, uint16_t qid);
/* Initializes requests, tags and counters for a queue of `size` entries; released with its
 * connection. */
void nvme_host_queue_open(struct host_queue *queue, uint16_t size);
void nvme_host_queue_release(struct host_queue *queue);
void nvme_host_queue_fini(struct host_queue *queue);
void nvme_host_queue_connect(struct host_queue *queue);
void nvme_host_queue_close(struct host_queue *queue);
void nvme_host_queue_event(struct host_queue *queue, enum nvme_host_queue_event event);
bool nvme_host_queue_has_room(const struct host_queue *queue);
/* Allocates a request with its tag, its place in the submission queue and its deadline; NULL: no
 * space. */
struct host_request *nvme_host_queue_get(struct host_queue *queue, struct nvme_tags *tags);
struct host_request *nvme_host_queue_get_event(struct host_queue *queue);
void nvme_host_queue_put(struct host_request *request);
void nvme_host_queue_post(struct host_request *request);
/* Units of I/O of the queue that are outstanding or waiting. */
uint64_t nvme_host_queue_audit(const struct host_queue *queue);

/* host_admin.c */
void nvme_host_admin_established(struct host_queue *queue);
void nvme_host_admin_stop(struct nvme_host *host);
void nvme_host_admin_advance(struct nvme_host *host); /* to the next step that applies */
void nvme_host_admin_init(struct nvme_host *host);
void nvme_host_admin_expect(struct nvme_host *host);
void nvme_host_admin_quiet(struct nvme_host *host);
void nvme_host_admin_begin(struct nvme_host *host);
void nvme_host_admin_audit(const struct nvme_host *host);
const char *nvme_host_admin_step_name(const struct nvme_host *host);

bool nvme_host_admin_connect(struct nvme_host *host);
bool nvme_host_admin_connect_queues(struct nvme_host *host);
bool nvme_host_admin_keep_alive(struct nvme_host *host);

/* host_live.c */
void nvme_host_live_init(struct nvme_host *host);
void nvme_host_live_quiet(struct nvme_host *host);
void nvme_host_live_begin(struct nvme_host *host); /* call when the controller has just become
                                                    * live */
bool nvme_host_live_event(struct nvme_host *host); /* keeps an event request outstanding at the
                                                    * controller */
/* Fails a user's outstanding admin command, which will not be answered. */
void nvme_host_live_lost(struct host_request *request);
/* Returns false when the controller's limit of Aborts (ACL) is already outstanding. */
bool nvme_host_live_abort(struct host_request *request);
void nvme_host_live_take_ana(struct nvme_host *host, const unsigned char *bytes, size_t length);
uint64_t nvme_host_live_ana_bytes(const struct nvme_host *host);
bool nvme_host_live_has_ana(const struct nvme_host *host);
void nvme_host_live_get_log(struct host_request *request, enum nvme_log log, uint32_t nsid,
                            uint32_t bytes);

/* host_discovery.c: one command after the other, until the log is complete. */
void nvme_host_discovery_begin(struct nvme_host *host);
uint32_t nvme_host_discovery_bytes(const struct nvme_host *host); /* data length of the next
                                                                   * command */
void nvme_host_discovery_build(const struct nvme_host *host, struct host_request *request);
enum host_log_verdict nvme_host_discovery_take(struct nvme_host *host, const unsigned char *bytes,
                                               uint32_t length);
void nvme_host_discovery_free(struct nvme_host *host);

/* host_steps.c; the first has index 0 */
enum {
    HOST_STEP_RECORDS = 18,
    HOST_STEP_NAMESPACES = 21,
    HOST_STEP_PARTITIONS = 26,
    HOST_STEP_SHUTDOWN = 28,
    HOST_STEP_COUNT = 31
};
extern const struct host_step nvme_host_steps[];

/* host_io.c */
void nvme_host_io_init(struct host_queue *queue);
void nvme_host_io_begin(struct host_queue *queue, struct nvme_io *io); /* requires space */
void nvme_host_io_arrived(struct host_request *request);
/* Turns outstanding commands back into pieces, ahead of the waiting ones. */
void nvme_host_io_park(struct host_queue *queue);
void nvme_host_io_move(struct host_queue *from, struct host_queue *to);
void nvme_host_io_send(struct host_queue *queue);
void nvme_host_io_abandon(struct host_queue *queue, uint16_t status);

/* host_partitions.c: the host's own reads before it is ready */
bool nvme_host_partitions_wanted(const struct nvme_host *host);
bool nvme_host_partitions_begin(struct nvme_host *host);
bool nvme_host_partitions_await(struct nvme_host *host); /* false: reads are still outstanding */
/* Returns false for an I/O that is not one of these reads. */
bool nvme_host_partitions_done(struct nvme_host *host, const struct nvme_io *io);

#endif
