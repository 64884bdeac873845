/* SPDX-License-Identifier: Apache-2.0
 * probe - the interface through which the model reports to an observer of a run.
 * The model calls these functions where something happens; a recorder sets those that it needs. A
 * probe never changes the run: it schedules nothing, draws no random numbers and is not part of the
 * digest. All times are picoseconds, all sizes bytes. */
#ifndef STORMGLASS_BASE_PROBE_H
#define STORMGLASS_BASE_PROBE_H

#include "base/units.h"

#include <stdbool.h>

struct frame;

struct probe_drop {
    time_ps at;
    uint32_t node;
    uint16_t port; /* ingress port; for frames lost as they were sent (injected, link-down):
                    * egress port */
    uint8_t priority;
    uint8_t cause;   /* enum probe_drop_cause of base/drop.h */
    bool lossless;   /* out of buffer in a class configured as lossless */
    uint16_t egress; /* intended egress port; UINT16_MAX: unknown */
    int64_t frame_bytes;
    int64_t occupancy; /* bytes in the priority group, egress queue or buffer that refused the
                        * frame */
    int64_t threshold; /* bytes: XOFF threshold, or drop limit of the egress queue */
    int64_t headroom;  /* bytes of headroom in use, out of headroom_limit */
    int64_t headroom_limit;
    uint32_t source, destination, qpn, psn; /* of the frame; opcode: enum frame_opcode */
    uint8_t opcode;
    uint16_t payload; /* bytes */
};

enum { PROBE_REASONS = 4 };

/* An egress queue that contributes to a switch's pause, and its share. */
struct probe_reason {
    uint16_t egress;
    uint8_t priority;
    int64_t weight; /* relative to the other reasons of the same edge */
    int64_t queued; /* bytes queued, from all ingress ports */
};

/* One PFC edge at its sender, which requests the peer on `port` to stop (XOFF) or resume (XON). */
struct probe_pause {
    time_ps at;
    uint32_t node;
    uint16_t port; /* the ingress port whose peer is paused */
    uint8_t priority;
    bool xoff;       /* false: XON */
    bool refresh;    /* XOFF repeated while the pause is in force */
    uint16_t egress; /* XOFF: of the first reason; XON: of the departing frame; UINT16_MAX: host */
    int64_t occupancy, threshold;
    int64_t headroom;     /* bytes that can still arrive after an XOFF */
    uint8_t reason_count; /* XOFF of a switch: heaviest first; 0: host */
    struct probe_reason reasons[PROBE_REASONS];
    const struct frame *frame; /* XOFF of a switch: the frame that reached the threshold; XON:
                                * the frame that left; or NULL */
};

/* The transmitter reacts: from this moment `port` of `node` stops, or resumes, sending the
 * priority. */
struct probe_blocked {
    time_ps at;
    uint32_t node;
    uint16_t port;
    uint8_t priority;
    bool blocked;
};

/* Timestamps of one NVMe command at the target, in order; 0 where a step did not happen. */
struct probe_target_io {
    uint32_t host_ip, target_ip;
    uint16_t controller, qid, cid; /* CNTLID: a host may have several controllers at one target */
    uint16_t status;               /* as in probe_host_io, and DNR */
    time_ps capsule_at;            /* command capsule received */
    time_ps core_at;               /* core begins processing after waiting in its queue */
    time_ps worked_at;             /* core has finished processing */
    time_ps begun_at;              /* target software, which may be stalled, takes up the command */
    time_ps buffered_at;           /* data buffers allocated, after waiting for them */
    time_ps wrs_at;                /* data work requests allocated, after waiting for them */
    time_ps fetch_at;              /* RDMA READ of the data posted */
    time_ps fetched_at;            /* data has arrived */
    time_ps limit_at;              /* begins waiting for a limit of its namespace, until media_at */
    time_ps media_at;              /* submitted to the media */
    time_ps media_begun_at;        /* media begins service, after queueing */
    time_ps media_done_at;
    time_ps response_at; /* RDMA WRITE and response capsule posted */
};

/* Timestamps of a command that only its host records. */
struct probe_command {
    time_ps tagged_at;   /* command identifier allocated */
    time_ps sent_at;     /* capsule passed to the transport */
    time_ps released_at; /* transport has released all resources */
    bool requeued;       /* a part was in flight when the controller was lost, and was sent again */
};

/* An NVMe command at its host; reported on completion, always after the target's record. */
struct probe_host_io {
    uint32_t host_ip, target_ip;
    uint16_t controller, qid, cid;
    uint32_t workload, member; /* workload and its instance, by pair and copy */
    uint64_t serial;           /* order of issue within its instance, from 1 */
    uint8_t opcode;            /* NVM command set: 1 write, 2 read */
    uint16_t
        status; /* of the CQE, shifted right by one: SCT<<8 | SC; UINT16_MAX: transport failed */
    uint64_t lba;
    uint32_t bytes;
    uint32_t nsid, block_bytes;
    uint64_t store;       /* identifies the backing store: equal for all paths to one namespace */
    uint32_t content;     /* tag of the data written or read (nvme/media/tag_store.h) */
    time_ps issued_at;    /* issued by the workload */
    time_ps admitted_at;  /* admitted after waiting for the workload's limits; 0: did not wait */
    time_ps posted_at;    /* capsule passed to the RNIC */
    time_ps response_at;  /* response capsule received */
    time_ps completed_at; /* completion reported to the workload */
    struct probe_command last; /* the command that completed last */
};

/* A frame on a wire, reported when its first bit leaves. */
struct probe_frame {
    time_ps at;
    uint32_t node; /* sender */
    uint16_t port;
    time_ps wire_ps;        /* serialization, including preamble and gap */
    time_ps arrives_at;     /* when the peer acts on the frame: after its last bit, or its header
                         * (cut-through) */
    time_ps propagation_ps; /* share of the delay along the cable */
    time_ps latency_ps;     /* share of the delay in the peer's pipeline */
    bool lost;              /* never arrives: dead link or injected fault */
    const struct frame *frame;
    const unsigned char *head; /* real bytes at the start of the payload */
    uint32_t head_bytes;
};

/* The fields of a frame of a reliable connection that the time accounting needs, in one cache line;
 * reported when its first bit leaves. */
struct probe_hop {
    time_ps at, arrives_at; /* this and the other fields as in probe_frame */
    time_ps wire_ps, propagation_ps, latency_ps;
    uint32_t node;
    uint32_t destination, qpn, psn; /* of the frame */
    uint16_t port;
    uint8_t priority, opcode;
    bool resent, lost;
};

/* A TCP segment with data, as it leaves a port. qpn: port of its sender << 16 | port of its peer;
 * psn: sequence number. Or a frame of Fibre Channel, which counts as one byte of a direction of an
 * exchange: qpn and psn are frame_exchange and frame_exchange_number of net/frame/frame.h. */
struct probe_segment {
    struct probe_hop hop;
    uint32_t source, payload;
};

/* The sending queue pair, whose messages all go to one peer; or one direction of a TCP connection,
 * with qpn as in probe_segment. */
struct probe_flow {
    uint32_t endpoint, qpn;
    uint32_t peer, peer_qpn;
};

enum probe_work_kind {
    PROBE_WORK_POSTED,   /* message posted to the RNIC */
    PROBE_WORK_ASKED,    /* peer has received the READ request */
    PROBE_WORK_TAKEN,    /* peer has received all of a SEND or WRITE */
    PROBE_WORK_COMPLETED /* RNIC has finished: READ data arrived, other operations acknowledged */
};

enum probe_work_operation { PROBE_WORK_SEND, PROBE_WORK_WRITE, PROBE_WORK_READ };

/* A message of a queue pair. The messages of one queue pair pass each step in the order in which
 * they were posted. */
struct probe_work {
    time_ps at;
    time_ps heard_at;       /* TAKEN, COMPLETED: when the user is notified; software RNIC: `at` */
    struct probe_flow flow; /* of the requester */
    uint32_t psn;           /* COMPLETED: last PSN of the message */
    uint8_t kind, operation;
    bool good;         /* COMPLETED: successfully */
    bool by_interrupt; /* TAKEN, COMPLETED: the interrupt notifies the user later than heard_at */
};

/* Why a queue pair that has something to send does not send it. */
enum probe_hold_state {
    PROBE_HOLD_NOTHING,    /* nothing to send, as far as the RNIC knows */
    PROBE_HOLD_WIRE,       /* sends as soon as the port allows it */
    PROBE_HOLD_CONGESTION, /* congestion control: rate or window */
    PROBE_HOLD_WINDOW,     /* unacknowledged packets, outstanding READs, fence */
    PROBE_HOLD_RNR,        /* RNR: the peer had no receive posted */
    PROBE_HOLD_RNIC,       /* RNIC fetches the data that a READ requested */
    PROBE_HOLD_SOFTWARE,   /* processor of a software RNIC is busy */
    PROBE_HOLD_ENGINE,     /* engines of the RNIC are busy with other queue pairs */
    PROBE_HOLD_PCIE,       /* PCIe link of the RNIC is busy */
    PROBE_HOLD_LOSS,       /* TCP: lost segments are repaired first */
    PROBE_HOLD_STATES
};

struct probe_hold {
    time_ps at;
    struct probe_flow flow;
    uint8_t state;
};

/* What happens to the bytes of one direction of a TCP connection. Messages of the protocol above
 * (NVMe/TCP: PDUs) pass each step in the order in which they were posted. */
enum probe_stream_kind {
    PROBE_STREAM_OPEN,          /* established */
    PROBE_STREAM_HOLD,          /* sender: what the NIC has; `state` holds up the bytes after it */
    PROBE_STREAM_POSTED,        /* sender: a message waits for the send buffer */
    PROBE_STREAM_POSTED_DATA,   /* likewise; the next message posted at this time continues it */
    PROBE_STREAM_POSTED_ANSWER, /* likewise; answers the message that the sender took last */
    PROBE_STREAM_BUFFERED,      /* sender: the next posted message is in the send buffer */
    PROBE_STREAM_ARRIVED,       /* receiver: TCP has the segment */
    PROBE_STREAM_DELIVERED,     /* receiver: all bytes in order were processed */
    PROBE_STREAM_TAKEN          /* receiver: its user has read a message */
};

struct probe_stream {
    time_ps at;
    time_ps begun_at, woken_at; /* DELIVERED: the core began this work; its last interrupt */
    struct probe_flow flow;     /* of the sender */
    uint32_t number; /* sequence number: ARRIVED: of the segment; otherwise where its bytes end */
    uint8_t kind, state; /* HOLD: enum probe_hold_state */
};

/* What the message posted last in the same event carries: an NVMe capsule or its data, a workload's
 * own message, or the answer to one. */
enum probe_use_kind {
    PROBE_USE_COMMAND,
    PROBE_USE_FETCH,
    PROBE_USE_RESPONSE,
    PROBE_USE_MESSAGE,
    PROBE_USE_ANSWER
};

struct probe_use {
    time_ps at;
    uint16_t controller, qid, cid; /* unused for MESSAGE and ANSWER */
    uint8_t kind;
};

/* A message of a workload without NVMe; reported when its completion reaches the workload. */
struct probe_message {
    time_ps issued_at, completed_at;
    uint32_t host_ip, qpn, workload, member;
    uint8_t operation; /* enum probe_work_operation */
    bool good;
    bool answered; /* completes only when its answer has arrived too */
    bool by_core;  /* a core of the host was busy until it was posted */
};

/* A state machine of the NVMe host or target changes state. */
struct probe_state {
    time_ps at;
    const char *machine;           /* "host", "host_queue", "target_queue" */
    const char *owner;             /* name of the node */
    const char *from, *event, *to; /* as in the machine's list of edges */
    uint32_t peer_ip;
    int32_t qid;      /* -1: the controller as a whole */
    uint32_t *number; /* the observer's number for this machine, initially 0 */
};

struct probe {
    void *self;
    void (*drop)(void *self, const struct probe_drop *drop);
    void (*pause)(void *self, const struct probe_pause *pause);
    void (*blocked)(void *self, const struct probe_blocked *blocked);
    void (*target_io)(void *self, const struct probe_target_io *io);
    void (*host_io)(void *self, const struct probe_host_io *io);
    void (*state)(void *self, const struct probe_state *state);
    void (*frame)(void *self, const struct probe_frame *frame); /* NULL unless frames are
                                                                 * recorded (level packets) */
    /* All NULL without time accounting. ACKs have a function of their own, NULL unless a workload
     * sends messages of its own: nothing else waits for ACKs. */
    void (*hop)(void *self, const struct probe_hop *hop);
    void (*ack)(void *self, const struct probe_hop *hop);
    void (*work)(void *self, const struct probe_work *work);
    void (*hold)(void *self, const struct probe_hold *hold);
    void (*use)(void *self, const struct probe_use *use);
    void (*message)(void *self, const struct probe_message *message);
    void (*segment)(void *self, const struct probe_segment *segment);
    void (*stream)(void *self, const struct probe_stream *stream);
    void (*note)(void *self, time_ps at, const char *owner, const char *text); /* losses, errors */
};

/* Does nothing: functions that may be NULL are NULL. */
extern const struct probe probe_none;

#endif
