/* SPDX-License-Identifier: Apache-2.0
 * breakdown_private - what the files of the account of time share.
 *
 *   breakdown_pause      how long a port was paused between two moments
 *   breakdown_flow       one direction of a connection, and the clock of its sender
 *   breakdown_message    its messages
 *   breakdown_frame      frames, to the flows that they are of
 *   breakdown_transit    its last packets on their way from port to port
 *   breakdown_join       commands that are under way
 *   breakdown_command    their lives, from their messages and moments
 *   breakdown_stage      their stages
 *   breakdown_sum        sums by workload and operation
 */
#ifndef STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_PRIVATE_H
#define STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_PRIVATE_H

#include "replay/breakdown/breakdown.h"

#define BREAKDOWN_NONE UINT32_MAX

enum { BREAKDOWN_LEG_PLACES = 12 };

/* ------------------------------------------------------------------ pauses */

struct breakdown_pause {
    time_ps from, until;
    time_ps before; /* paused before `from`, in all */
};

/* Of one port and priority. */
struct breakdown_pauses {
    struct breakdown_pause *list;
    uint32_t count, room;
    bool open; /* the last has no end yet */
};

void breakdown_pauses_reported(struct breakdown_pauses *pauses, time_ps at, bool paused);

/* Of the time from one moment to another, neither after what was reported last but by a pause that
 * is open. */
time_ps breakdown_paused_between(const struct breakdown_pauses *pauses, time_ps from, time_ps to);

/* ------------------------------------------------------------------ a sender's clock */

/* What a queue pair does with its time. */
enum breakdown_state {
    BREAKDOWN_SENDING, /* a packet of its own is put on the wire */
    BREAKDOWN_RESENDING,
    BREAKDOWN_AT_PAUSED, /* it may send, and its port may not */
    BREAKDOWN_AT_EGRESS, /* it may send, and others are before it */
    BREAKDOWN_BY_CONGESTION,
    BREAKDOWN_BY_WINDOW,
    BREAKDOWN_BY_RNR,
    BREAKDOWN_BY_RNIC,
    BREAKDOWN_BY_SOFTWARE,
    BREAKDOWN_BY_ENGINE,
    BREAKDOWN_BY_PCIE,
    BREAKDOWN_BY_NOTHING,
    BREAKDOWN_STATES
};

/* Time in each state since the queue pair was first heard of: what was between two readings is
 * their difference, without gap or overlap. */
struct breakdown_clock {
    time_ps at;
    time_ps ps[BREAKDOWN_STATES];
};

/* ------------------------------------------------------------------ packets on their way */

enum breakdown_packet { BREAKDOWN_REQUEST, BREAKDOWN_RESPONSE_DATA, BREAKDOWN_ACKNOWLEDGEMENT };

/* The last packet of a message, or an ACK. */
struct breakdown_transit {
    uint32_t psn;
    uint8_t packet;   /* enum breakdown_packet */
    uint32_t at_port; /* that it arrives at */
    time_ps arrives_at;
    struct breakdown_clock sent; /* the sender's clock as its first bit left */
    time_ps serialisation, propagation, switching, paused, queued;
    uint32_t place_count;
    struct breakdown_place places[BREAKDOWN_LEG_PLACES]; /* last: only those in use are copied */
};

struct breakdown_transits {
    struct breakdown_transit *list;
    uint32_t count, room;
};

/* ------------------------------------------------------------------ messages */

struct breakdown_leg {
    time_ps from, until; /* until: its user hears */
    time_ps ps[BREAKDOWN_PARTS];
    struct breakdown_place places[BREAKDOWN_LEG_PLACES];
    uint32_t place_count;
    bool whole;        /* from its beginning to its end */
    bool by_interrupt; /* what comes after `until` is the wait for a core that polls */
};

struct breakdown_message {
    uint32_t references;
    uint8_t operation; /* enum probe_work_operation */
    bool own;          /* of a workload */
    bool answer;       /* to a workload's own */
    bool begun, sent;  /* its first, its last packet has left */
    bool asked;
    uint32_t psn;  /* of its last packet */
    uint32_t lead; /* the message that carries its data, or BREAKDOWN_NONE */
    struct breakdown_clock posted, first, last; /* the sender's, as each left for the first time */
    struct breakdown_clock asked_at;            /* the responder's */
    struct breakdown_leg leg;                   /* until it is all there */
    struct breakdown_leg ack;                   /* until the sender knows */
    time_ps taken_at;
    time_ps heard_at; /* of its completion */
    uint32_t next;    /* free ones */
};

/* A row of messages, oldest first. */
struct breakdown_row {
    uint32_t *items; /* a power of two */
    uint32_t room;
    uint64_t head, tail;
};

/* A packet of the message under way on a wire beyond a switch. */
struct breakdown_on_wire {
    time_ps from, until;
};

/* Those that left a port, oldest first: what comes behind them waits for its own message. */
struct breakdown_passed {
    uint32_t port;
    struct breakdown_on_wire *list;
    uint32_t count, room;
    bool write; /* the last was a WRITE's */
};

/* From one queue pair to another. */
struct breakdown_flow {
    uint32_t peer, peer_qpn; /* all that it sends goes there */
    uint32_t endpoint, qpn;
    uint32_t port; /* that it sends by, or BREAKDOWN_NONE */
    uint8_t priority;
    uint8_t state; /* enum probe_hold_state */
    bool resending;
    time_ps busy_until; /* its packet is on the wire until then */
    struct breakdown_clock clock;
    struct breakdown_row
        posted; /* not completed, or not taken: a peer may take what was given up */
    uint64_t unsent, untaken, uncompleted; /* the first such of the row */
    /* A workload's own messages that are completed, and what it says of its own: pairs in order.
     * At one moment either may be reported first. */
    struct breakdown_row done;
    struct breakdown_row answers; /* that have come, to what the other direction's workload sent */
    struct probe_message *reported;
    uint32_t reported_count, reported_room;
    bool own; /* there was a workload's own */
    struct breakdown_transits
        crossing; /* to a switch, in the order in which they left their host */
    struct breakdown_transits
        arrived;                     /* sent to their host's port; there may be many, sent again */
    struct breakdown_passed *passed; /* by port, in the order of first use */
    uint32_t passed_count, passed_room;
};

/* ------------------------------------------------------------------ commands */

/* One that is under way, as far as either end has reported it. */
struct breakdown_command {
    struct probe_target_io target; /* its first members name the command */
    bool used, answered;
    uint32_t message[PROBE_USE_MESSAGE]; /* by its use, or BREAKDOWN_NONE */
};

/* Commands beyond that count as not joined. */
enum { BREAKDOWN_COMMANDS_MAX = 1 << 18 };

struct breakdown_bin {
    uint64_t count;
    __int128 ps[BREAKDOWN_PARTS];
};

struct breakdown_row_sum {
    struct breakdown_sum sum;
    struct breakdown_bin *bins; /* in the order of first use */
    uint32_t bin_count, bin_room;
    uint32_t *bin_of; /* by bucket of the latency: one more than its bin, 0: none yet */
    uint32_t bucket_count;
};

struct breakdown_members {
    struct breakdown_member *list;
    uint32_t count, room;
};

/* Flows that were looked for last, each in one place; the step is odd, so that the queue pairs of
 * neighbouring hosts, whose numbers are alike, have places of their own. */
enum { BREAKDOWN_RECENT = 1024, BREAKDOWN_RECENT_STEP = 37 };

struct breakdown {
    const struct explain_fabric *fabric;
    struct breakdown_pauses *pauses; /* by port and priority */
    struct breakdown_flow **flows;   /* open addressing, a power of two */
    uint32_t flow_room, flow_count;
    struct breakdown_flow *recent[BREAKDOWN_RECENT];
    struct breakdown_message *messages;
    uint32_t message_count, message_room, message_free;
    struct breakdown_flow *last_flow; /* whose message was posted last */
    time_ps last_at;
    struct breakdown_command *commands; /* open addressing, a power of two */
    uint32_t command_room, command_count;
    bool traced;
    struct breakdown_life life;         /* for one at a time; without any part in between */
    struct breakdown_stage_sum *stages; /* by workload and operation of NVMe */
    struct breakdown_row_sum **rows;    /* by workload and operation; NULL: none yet */
    uint32_t workload_count;
    struct breakdown_members *members; /* by workload */
    struct breakdown_place_sum
        *places; /* open addressing until breakdown_finish, then a sorted row */
    uint32_t place_count, place_room;
    void (*each)(void *self, const struct breakdown_life *life);
    void *each_self;
};

struct breakdown_flow *breakdown_flow_to(struct breakdown *breakdown, uint32_t peer,
                                         uint32_t peer_qpn);
void breakdown_flows_fini(struct breakdown *breakdown);

/* Brings the clock to the present. */
void breakdown_flow_advance(struct breakdown *breakdown, struct breakdown_flow *flow, time_ps now);

struct breakdown_message *breakdown_message_at(const struct breakdown *breakdown, uint32_t index);
void breakdown_message_release(struct breakdown *breakdown, uint32_t index);

void breakdown_row_push(struct breakdown_row *row, uint32_t item);
uint32_t breakdown_row_at(const struct breakdown_row *row, uint64_t place);

/* A packet left a host: if it is one that is followed. */
void breakdown_transit_begin(struct breakdown *breakdown, struct breakdown_flow *flow,
                             const struct probe_hop *frame, enum breakdown_packet packet);
void breakdown_transit_on(struct breakdown *breakdown, struct breakdown_flow *flow,
                          const struct probe_hop *frame, enum breakdown_packet packet);

/* A data packet leaves a switch. */
void breakdown_transit_pass(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_hop *frame);

/* It was dropped at a node. */
void breakdown_transit_lost(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_drop *drop, enum breakdown_packet packet);

/* Of data, that of the PSN that was the last to arrive until `at`; of ACKs the first to arrive of
 * those that acknowledge the PSN; or NULL. */
const struct breakdown_transit *breakdown_transit_arrived(const struct breakdown_flow *flow,
                                                          enum breakdown_packet packet,
                                                          uint32_t psn, time_ps at);

/* Forgets those of the PSN; of ACKs those that were sent before. */
void breakdown_transit_forget(struct breakdown_flow *flow, enum breakdown_packet packet,
                              uint32_t psn, time_ps sent_at);

void breakdown_place_add(struct breakdown_place *places, uint32_t *count, uint32_t most,
                         const struct breakdown_place *place);
/* Puts together what there is of both. */
void breakdown_messages_join(struct breakdown *breakdown, struct breakdown_flow *flow);

/* NULL: there is none of that name. */
struct breakdown_command *breakdown_command_find(const struct breakdown *breakdown,
                                                 const struct probe_target_io *key);
/* Made where there is none; NULL: there are too many. */
struct breakdown_command *breakdown_command_of(struct breakdown *breakdown,
                                               const struct probe_target_io *key);
/* Its messages, if any, are no longer needed. */
void breakdown_command_release(struct breakdown *breakdown, struct breakdown_command *command);
/* Releases it, and it is no longer under way. */
void breakdown_command_forget(struct breakdown *breakdown, struct breakdown_command *command);
void breakdown_commands_fini(struct breakdown *breakdown);
void breakdown_stages_of_life(const struct breakdown_life *life, time_ps stages[BREAKDOWN_STAGES]);
void breakdown_stage_add(struct breakdown *breakdown, const struct breakdown_life *life);
void breakdown_sum_add(struct breakdown *breakdown, const struct breakdown_life *life);
void breakdown_sums_fini(struct breakdown *breakdown);

#endif
