/* SPDX-License-Identifier: Apache-2.0
 * waits_private - what the files of the account of time share.
 *
 *   waits_pause      how long a port was paused between two moments
 *   waits_flow       one direction of a connection, and the clock of its sender
 *   waits_message    its messages
 *   waits_frame      frames, to the flows that they are of
 *   waits_transit    its last packets on their way from port to port
 *   waits_command    NVMe commands put together from their messages and moments
 *   waits_sum        sums by workload and operation
 */
#ifndef STORMGLASS_REPLAY_WAITS_WAITS_PRIVATE_H
#define STORMGLASS_REPLAY_WAITS_WAITS_PRIVATE_H

#include "replay/waits/waits.h"

#define WAITS_NONE UINT32_MAX

enum { WAITS_LEG_PLACES = 12 };

/* ------------------------------------------------------------------ pauses */

struct waits_pause {
    time_ps from, until;
    time_ps before; /* paused before `from`, in all */
};

/* Of one port and priority. */
struct waits_pauses {
    struct waits_pause *list;
    uint32_t count, room;
    bool open; /* the last has no end yet */
};

void waits_pauses_reported(struct waits_pauses *pauses, time_ps at, bool paused);

/* Of the time from one moment to another, neither after what was reported last but by a pause that
 * is open. */
time_ps waits_paused_between(const struct waits_pauses *pauses, time_ps from, time_ps to);

/* ------------------------------------------------------------------ a sender's clock */

/* What a queue pair does with its time. */
enum waits_state {
    WAITS_SENDING, /* a packet of its own is put on the wire */
    WAITS_RESENDING,
    WAITS_AT_PAUSED, /* it may send, and its port may not */
    WAITS_AT_EGRESS, /* it may send, and others are before it */
    WAITS_BY_CONGESTION,
    WAITS_BY_WINDOW,
    WAITS_BY_RNR,
    WAITS_BY_RNIC,
    WAITS_BY_SOFTWARE,
    WAITS_BY_ENGINE,
    WAITS_BY_PCIE,
    WAITS_BY_NOTHING,
    WAITS_STATES
};

/* Time in each state since the queue pair was first heard of: what was between two readings is
 * their difference, without gap or overlap. */
struct waits_clock {
    time_ps at;
    time_ps ps[WAITS_STATES];
};

/* ------------------------------------------------------------------ packets on their way */

enum waits_packet { WAITS_REQUEST, WAITS_RESPONSE_DATA, WAITS_ACKNOWLEDGEMENT };

/* The last packet of a message, or an ACK. */
struct waits_transit {
    uint32_t psn;
    uint8_t packet;   /* enum waits_packet */
    uint32_t at_port; /* that it arrives at */
    time_ps arrives_at;
    struct waits_clock sent; /* the sender's clock as its first bit left */
    time_ps serialisation, propagation, switching, paused, queued;
    uint32_t place_count;
    struct waits_place places[WAITS_LEG_PLACES]; /* last: only those in use are copied */
};

struct waits_transits {
    struct waits_transit *list;
    uint32_t count, room;
};

/* ------------------------------------------------------------------ messages */

struct waits_leg {
    time_ps from, until; /* until: its user hears */
    time_ps ps[WAITS_PARTS];
    struct waits_place places[WAITS_LEG_PLACES];
    uint32_t place_count;
    bool whole;        /* from its beginning to its end */
    bool by_interrupt; /* what comes after `until` is the wait for a core that polls */
};

struct waits_message {
    uint32_t references;
    uint8_t operation; /* enum probe_work_operation */
    bool own;          /* of a workload */
    bool answer;       /* to a workload's own */
    bool begun, sent;  /* its first, its last packet has left */
    bool asked;
    uint32_t psn;                           /* of its last packet */
    uint32_t lead;                          /* the message that carries its data, or WAITS_NONE */
    struct waits_clock posted, first, last; /* the sender's, as each left for the first time */
    struct waits_clock asked_at;            /* the responder's */
    struct waits_leg leg;                   /* until it is all there */
    struct waits_leg ack;                   /* until the sender knows */
    time_ps taken_at;
    time_ps heard_at; /* of its completion */
    uint32_t next;    /* free ones */
};

/* A row of messages, oldest first. */
struct waits_row {
    uint32_t *items; /* a power of two */
    uint32_t room;
    uint64_t head, tail;
};

/* A packet of the message under way on a wire beyond a switch. */
struct waits_on_wire {
    time_ps from, until;
};

/* Those that left a port, oldest first: what comes behind them waits for its own message. */
struct waits_passed {
    uint32_t port;
    struct waits_on_wire *list;
    uint32_t count, room;
    bool write; /* the last was a WRITE's */
};

/* From one queue pair to another. */
struct waits_flow {
    uint32_t peer, peer_qpn; /* all that it sends goes there */
    uint32_t endpoint, qpn;
    uint32_t port; /* that it sends by, or WAITS_NONE */
    uint8_t priority;
    uint8_t state; /* enum probe_hold_state */
    bool resending;
    time_ps busy_until; /* its packet is on the wire until then */
    struct waits_clock clock;
    struct waits_row posted; /* not completed, or not taken: a peer may take what was given up */
    uint64_t unsent, untaken, uncompleted; /* the first such of the row */
    /* A workload's own messages that are completed, and what it says of its own: pairs in order.
     * At one moment either may be reported first. */
    struct waits_row done;
    struct waits_row answers; /* that have come, to what the other direction's workload sent */
    struct probe_message *reported;
    uint32_t reported_count, reported_room;
    bool own;                       /* there was a workload's own */
    struct waits_transits crossing; /* to a switch, in the order in which they left their host */
    struct waits_transits arrived;  /* sent to their host's port; there may be many, sent again */
    struct waits_passed *passed;    /* by port, in the order of first use */
    uint32_t passed_count, passed_room;
};

/* ------------------------------------------------------------------ commands */

struct waits_command {
    uint32_t host_ip, target_ip;
    uint16_t controller, qid, cid;
    bool used, answered;
    uint32_t message[PROBE_USE_MESSAGE]; /* by its use, or WAITS_NONE */
    struct probe_target_io target;
};

struct waits_bin {
    uint64_t count;
    __int128 ps[WAITS_PARTS];
};

struct waits_row_sum {
    struct waits_sum sum;
    struct waits_bin *bins; /* in the order of first use */
    uint32_t bin_count, bin_room;
    uint32_t *bin_of; /* by bucket of the latency: one more than its bin, 0: none yet */
    uint32_t bucket_count;
};

struct waits_members {
    struct waits_member *list;
    uint32_t count, room;
};

/* Flows that were looked for last, each in one place; the step is odd, so that the queue pairs of
 * neighbouring hosts, whose numbers are alike, have places of their own. */
enum { WAITS_RECENT = 1024, WAITS_RECENT_STEP = 37 };

struct waits {
    const struct explain_fabric *fabric;
    struct waits_pauses *pauses; /* by port and priority */
    struct waits_flow **flows;   /* open addressing, a power of two */
    uint32_t flow_room, flow_count;
    struct waits_flow *recent[WAITS_RECENT];
    struct waits_message *messages;
    uint32_t message_count, message_room, message_free;
    struct waits_flow *last_flow; /* whose message was posted last */
    time_ps last_at;
    struct waits_command *commands; /* open addressing, a power of two */
    uint32_t command_room, command_count;
    struct waits_row_sum **rows; /* by workload and operation; NULL: none yet */
    uint32_t workload_count;
    struct waits_members *members;  /* by workload */
    struct waits_place_sum *places; /* open addressing until waits_finish, then a sorted row */
    uint32_t place_count, place_room;
    void (*each)(void *self, const struct waits_life *life);
    void *each_self;
};

struct waits_flow *waits_flow_to(struct waits *waits, uint32_t peer, uint32_t peer_qpn);
void waits_flows_fini(struct waits *waits);

/* Brings the clock to the present. */
void waits_flow_advance(struct waits *waits, struct waits_flow *flow, time_ps now);

struct waits_message *waits_message_at(const struct waits *waits, uint32_t index);
void waits_message_release(struct waits *waits, uint32_t index);

void waits_row_push(struct waits_row *row, uint32_t item);
uint32_t waits_row_at(const struct waits_row *row, uint64_t place);

/* A packet left a host: if it is one that is followed. */
void waits_transit_begin(struct waits *waits, struct waits_flow *flow,
                         const struct probe_hop *frame, enum waits_packet packet);
void waits_transit_on(struct waits *waits, struct waits_flow *flow, const struct probe_hop *frame,
                      enum waits_packet packet);

/* A data packet leaves a switch. */
void waits_transit_pass(const struct waits *waits, struct waits_flow *flow,
                        const struct probe_hop *frame);

/* It was dropped at a node. */
void waits_transit_lost(const struct waits *waits, struct waits_flow *flow,
                        const struct probe_drop *drop, enum waits_packet packet);

/* Of data, that of the PSN that was the last to arrive until `at`; of ACKs the first to arrive of
 * those that acknowledge the PSN; or NULL. */
const struct waits_transit *waits_transit_arrived(const struct waits_flow *flow,
                                                  enum waits_packet packet, uint32_t psn,
                                                  time_ps at);

/* Forgets those of the PSN; of ACKs those that were sent before. */
void waits_transit_forget(struct waits_flow *flow, enum waits_packet packet, uint32_t psn,
                          time_ps sent_at);

void waits_place_add(struct waits_place *places, uint32_t *count, uint32_t most,
                     const struct waits_place *place);
/* Puts together what there is of both. */
void waits_messages_join(struct waits *waits, struct waits_flow *flow);
void waits_commands_fini(struct waits *waits);
void waits_sum_add(struct waits *waits, const struct waits_life *life);
void waits_sums_fini(struct waits *waits);

#endif
