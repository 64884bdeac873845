/* SPDX-License-Identifier: Apache-2.0
 * probe - what is reported to an observer of a run.
 * The model calls these where something happens; whoever records fills in the functions
 * it wants.  A probe never changes the run: it schedules nothing, draws nothing and the digest does
 * not see it. All times are picoseconds, all sizes bytes. */
#ifndef STORMGLASS_BASE_PROBE_H
#define STORMGLASS_BASE_PROBE_H

#include "base/units.h"

#include <stdbool.h>

struct frame;

struct probe_drop {
    time_ps at;
    uint32_t node;
    uint16_t port; /* that it came in by; lost as it was sent (injected, link-down): sent by */
    uint8_t priority;
    uint8_t cause;   /* enum probe_drop_cause of base/drop.h */
    bool lossless;   /* the class was meant to be lossless and the cause is want of buffer */
    uint16_t egress; /* where it was to go; UINT16_MAX when not known */
    int64_t frame_bytes;
    int64_t occupancy; /* of the priority group, egress queue or buffer that refused it */
    int64_t threshold; /* above which it pauses, or the egress queue drops */
    int64_t headroom;  /* bytes of headroom in use, of ... */
    int64_t headroom_limit;
    uint32_t destination, qpn, psn; /* the frame's; opcode: enum frame_opcode */
    uint8_t opcode;
};

enum { PROBE_REASONS = 4 };

/* A queue that a switch's pause is due to, and its share of the blame. */
struct probe_reason {
    uint16_t egress;
    uint8_t priority;
    int64_t weight; /* against those of the other reasons of the same edge */
    int64_t queued; /* bytes that wait in it, of whatever ingress */
};

/* One PFC edge at the node that sends it: it asks the peer on `port` to stop or to go on. */
struct probe_pause {
    time_ps at;
    uint32_t node;
    uint16_t port; /* the ingress port whose peer is paused */
    uint8_t priority;
    bool xoff;       /* false: XON */
    bool refresh;    /* an XOFF again while it still holds */
    uint16_t egress; /* the first reason's, of an XON the frame's that left; UINT16_MAX: a host */
    int64_t occupancy, threshold;
    int64_t headroom;     /* bytes that may still come after an XOFF */
    uint8_t reason_count; /* XOFF of a switch: the heaviest first; 0: a host */
    struct probe_reason reasons[PROBE_REASONS];
    const struct frame *frame; /* XOFF of a switch: it reached the threshold; XON: it left; or NULL
                                */
};

/* A transmitter obeys: from this moment `port` of `node` sends nothing of the priority, or may
 * again. */
struct probe_blocked {
    time_ps at;
    uint32_t node;
    uint16_t port;
    uint8_t priority;
    bool blocked;
};

/* The moments of one NVMe command at the target, in order; 0 where a step did not happen. */
struct probe_target_io {
    uint32_t host_ip, target_ip;
    uint16_t controller, qid, cid; /* CNTLID: a host may have several controllers at one target */
    uint16_t status;               /* as of probe_host_io, and DNR */
    time_ps capsule_at;            /* the command capsule was received */
    time_ps core_at;               /* the core began with it: before that it waited */
    time_ps worked_at;             /* the core was done with it */
    time_ps begun_at;              /* the software, which may stand still, took it up */
    time_ps buffered_at;           /* it got data buffers, for which it had waited */
    time_ps wrs_at;                /* it got data work requests, for which it had waited */
    time_ps fetch_at;              /* RDMA READ of the data posted */
    time_ps fetched_at;            /* its data is here */
    time_ps limit_at;              /* waits for a limit of its namespace, until media_at */
    time_ps media_at;              /* handed to the media */
    time_ps media_begun_at;        /* the media began to serve it: before that it waited */
    time_ps media_done_at;
    time_ps response_at; /* RDMA WRITE and response capsule posted */
};

/* Moments of a command that only its host knows. */
struct probe_command {
    time_ps tagged_at;   /* it got its identifier */
    time_ps sent_at;     /* its capsule was given to the transport */
    time_ps released_at; /* the transport has let go of all of it */
    bool requeued;       /* a part was under way when the controller was lost, and was sent again */
};

/* An NVMe command at its host; reported when it is complete, always after the target's record. */
struct probe_host_io {
    uint32_t host_ip, target_ip;
    uint16_t controller, qid, cid;
    uint32_t workload, member; /* and which of its instances, by pair and copy */
    uint64_t serial;           /* among those of its instance in the order of issue, from 1 */
    uint8_t opcode;            /* NVM command set: 1 write, 2 read */
    uint16_t
        status; /* of the CQE, shifted right by one: SCT<<8 | SC; UINT16_MAX: transport failed */
    uint64_t lba;
    uint32_t bytes;
    uint32_t nsid, block_bytes;
    uint64_t store;       /* where its blocks are: equal for all paths to one namespace */
    uint32_t content;     /* tag of what was written, or came (nvme/media/tag_store.h) */
    time_ps issued_at;    /* the workload asked */
    time_ps admitted_at;  /* by the workload's limits, for which it had waited; 0: it had not */
    time_ps posted_at;    /* the capsule was given to the RNIC */
    time_ps response_at;  /* the response capsule was received */
    time_ps completed_at; /* the workload knows */
    struct probe_command last; /* of its commands the one that was done last */
};

/* A frame on a wire: reported when its first bit leaves. */
struct probe_frame {
    time_ps at;
    uint32_t node; /* sender */
    uint16_t port;
    time_ps wire_ps;    /* serialisation, preamble and gap included */
    time_ps arrives_at; /* the peer acts on it: after its last bit, or its header (cut-through) */
    time_ps propagation_ps; /* of that: along the cable ... */
    time_ps latency_ps;     /* ... and through the peer's pipeline */
    bool lost;              /* it never arrives: a dead link, or a fault of the scenario */
    const struct frame *frame;
    const unsigned char *head; /* real bytes at the head of its payload */
    uint32_t head_bytes;
};

/* What the account of time needs of a frame of a reliable connection, in one line of memory:
 * reported when its first bit leaves. */
struct probe_hop {
    time_ps at, arrives_at; /* as of probe_frame, as are the others */
    time_ps wire_ps, propagation_ps, latency_ps;
    uint32_t node;
    uint32_t destination, qpn, psn; /* the frame's */
    uint16_t port;
    uint8_t priority, opcode;
    bool resent, lost;
};

/* The queue pair that sends, and the one to which all that it sends goes. */
struct probe_flow {
    uint32_t endpoint, qpn;
    uint32_t peer, peer_qpn;
};

enum probe_work_kind {
    PROBE_WORK_POSTED,   /* a message was given to the RNIC */
    PROBE_WORK_ASKED,    /* the peer has taken a READ's request */
    PROBE_WORK_TAKEN,    /* the peer has all of a SEND or WRITE */
    PROBE_WORK_COMPLETED /* the RNIC is done with it: a READ's data are here, others acknowledged */
};

enum probe_work_operation { PROBE_WORK_SEND, PROBE_WORK_WRITE, PROBE_WORK_READ };

/* A message of a queue pair.  Messages of one are asked for or taken, and completed, in the order
 * in which they were posted. */
struct probe_work {
    time_ps at;
    time_ps heard_at;       /* TAKEN, COMPLETED: its user hears of it; of a software RNIC: at */
    struct probe_flow flow; /* the requester's */
    uint32_t psn;           /* COMPLETED: the message's last */
    uint8_t kind, operation;
    bool good;         /* COMPLETED */
    bool by_interrupt; /* TAKEN, COMPLETED: its user hears later than heard_at */
};

/* What keeps a queue pair that has something to send from sending it. */
enum probe_hold_state {
    PROBE_HOLD_NOTHING,    /* nothing is to be sent, as far as the RNIC knows */
    PROBE_HOLD_WIRE,       /* it may send as soon as the port lets it */
    PROBE_HOLD_CONGESTION, /* congestion control: its rate, or its window */
    PROBE_HOLD_WINDOW,     /* unacknowledged packets, READs under way, a fence */
    PROBE_HOLD_RNR,        /* the peer had no receive */
    PROBE_HOLD_RNIC,       /* the RNIC fetches what a READ asks for */
    PROBE_HOLD_SOFTWARE,   /* the processor of a software RNIC */
    PROBE_HOLD_ENGINE,     /* the engines of the RNIC, which others use */
    PROBE_HOLD_PCIE,       /* the PCIe link below the RNIC */
    PROBE_HOLD_STATES
};

struct probe_hold {
    time_ps at;
    struct probe_flow flow;
    uint8_t state;
};

/* The message posted last in the same event carries an NVMe capsule or its data, or is a workload's
 * own, or the answer to one. */
enum probe_use_kind {
    PROBE_USE_COMMAND,
    PROBE_USE_FETCH,
    PROBE_USE_RESPONSE,
    PROBE_USE_MESSAGE,
    PROBE_USE_ANSWER
};

struct probe_use {
    time_ps at;
    uint16_t controller, qid, cid; /* not of a MESSAGE or an ANSWER */
    uint8_t kind;
};

/* A message of a workload without NVMe; reported when the workload knows that it is complete. */
struct probe_message {
    time_ps issued_at, completed_at;
    uint32_t host_ip, qpn, workload, member;
    uint8_t operation; /* enum probe_work_operation */
    bool good;
    bool answered; /* complete when its answer has come too */
    bool by_core;  /* a core of the host was busy until it was posted */
};

/* A machine of the NVMe host or target went to another state. */
struct probe_state {
    time_ps at;
    const char *machine;           /* "host", "host_queue", "target_queue" */
    const char *owner;             /* name of its node */
    const char *from, *event, *to; /* as the machine's list of edges has them */
    uint32_t peer_ip;
    int32_t qid;      /* -1: the controller as a whole */
    uint32_t *number; /* one for each machine, 0 at first: the observer's own */
};

struct probe {
    void *self;
    void (*drop)(void *self, const struct probe_drop *drop);
    void (*pause)(void *self, const struct probe_pause *pause);
    void (*blocked)(void *self, const struct probe_blocked *blocked);
    void (*target_io)(void *self, const struct probe_target_io *io);
    void (*host_io)(void *self, const struct probe_host_io *io);
    void (*state)(void *self, const struct probe_state *state);
    void (*frame)(void *self, const struct probe_frame *frame); /* NULL below level packets */
    /* All NULL where nobody accounts for time.  ACKs are apart, and NULL where no workload sends
     * messages of its own: nothing else waits for them. */
    void (*hop)(void *self, const struct probe_hop *hop);
    void (*ack)(void *self, const struct probe_hop *hop);
    void (*work)(void *self, const struct probe_work *work);
    void (*hold)(void *self, const struct probe_hold *hold);
    void (*use)(void *self, const struct probe_use *use);
    void (*message)(void *self, const struct probe_message *message);
    void (*note)(void *self, time_ps at, const char *owner, const char *text); /* losses, errors */
};

/* None does anything; those that may be NULL are. */
extern const struct probe probe_none;

#endif
