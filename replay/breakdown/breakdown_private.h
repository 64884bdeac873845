/* SPDX-License-Identifier: Apache-2.0
 * breakdown_private - internal interface of the time breakdown.
 *   breakdown_pause      how long a port was paused between two times
 *   breakdown_flow       one direction of a connection, and the clock of its sender
 *   breakdown_message    messages of a flow
 *   breakdown_frame      assigns frames to flows
 *   breakdown_stream     TCP connections and their messages
 *   breakdown_transit    last packets of messages, from port to port
 *   breakdown_join       outstanding commands
 *   breakdown_command    breakdown of commands from their messages and times
 *   breakdown_stage      stages of commands
 *   breakdown_sum        sums by workload and operation */
#ifndef STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_PRIVATE_H
#define STORMGLASS_REPLAY_BREAKDOWN_BREAKDOWN_PRIVATE_H

#include "replay/breakdown/breakdown.h"

#define BREAKDOWN_NONE UINT32_MAX

enum { BREAKDOWN_LEG_PLACES = 12 };

/* ------------------------------------------------------------------ pauses */

struct breakdown_pause {
    time_ps from, until;
    time_ps before; /* total pause time before `from` */
};

/* Pauses of one port and priority. */
struct breakdown_pauses {
    struct breakdown_pause *list;
    uint32_t count, room;
    bool open; /* the last pause has no end yet */
};

void breakdown_pauses_reported(struct breakdown_pauses *pauses, time_ps at, bool paused);

/* Pause time between two times. Neither may be later than the last report, unless a pause is
 * open. */
time_ps breakdown_paused_between(const struct breakdown_pauses *pauses, time_ps from, time_ps to);

/* ------------------------------------------------------------------ a sender's clock */

/* What a queue pair is doing or waiting for. */
enum breakdown_state {
    BREAKDOWN_SENDING,   /* one of its packets is being serialized */
    BREAKDOWN_RESENDING, /* or it repairs losses first */
    BREAKDOWN_AT_PAUSED, /* ready to send, but its port is paused */
    BREAKDOWN_AT_EGRESS, /* ready to send, but behind other frames */
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

/* Time in each state since the queue pair was first seen. The time between two readings is their
 * difference, without gap or overlap. */
struct breakdown_clock {
    time_ps at;
    time_ps ps[BREAKDOWN_STATES];
};

/* ------------------------------------------------------------------ packets in flight */

enum breakdown_packet { BREAKDOWN_REQUEST, BREAKDOWN_RESPONSE_DATA, BREAKDOWN_ACKNOWLEDGEMENT };

/* The last packet of a message, or an ACK. */
struct breakdown_transit {
    uint32_t psn;
    uint8_t packet;   /* enum breakdown_packet */
    uint32_t at_port; /* next port that it reaches */
    time_ps arrives_at;
    time_ps drained_at;          /* of TCP: the receiver's stack has it; 0: not yet */
    uint32_t start;              /* of TCP: where the message that ends in it starts */
    struct breakdown_clock sent; /* the sender's clock when its first bit left */
    time_ps serialisation, propagation, switching, paused, queued;
    uint32_t place_count;
    struct breakdown_place places[BREAKDOWN_LEG_PLACES]; /* partly copied, so last */
};

struct breakdown_transits {
    struct breakdown_transit *list;
    uint32_t count, room;
};

/* ------------------------------------------------------------------ messages */

struct breakdown_leg {
    time_ps from, until; /* until: receiver notified */
    time_ps ps[BREAKDOWN_PARTS];
    uint32_t place_count;
    bool whole;              /* observed from start to end */
    bool by_interrupt;       /* after `until`, it waits for a core (interrupt mode) */
    bool of_stream;          /* of TCP: both ends have software */
    time_ps core_wait, core; /* of TCP: the receiver's */
    time_ps taken;           /* of TCP: its user has read the message */
    struct breakdown_behind behind;
    struct breakdown_place places[BREAKDOWN_LEG_PLACES]; /* the rest is zero at first */
};

struct breakdown_message {
    uint32_t references;
    uint8_t operation; /* enum probe_work_operation */
    bool own;          /* posted by a workload */
    bool answer;       /* answers a message of a workload */
    bool begun, sent;  /* its first / last packet has left */
    bool asked;
    uint32_t psn;        /* of its last packet */
    uint32_t lead;       /* message that carries its data, or BREAKDOWN_NONE */
    uint32_t follower;   /* of TCP: message that its receiver sent as an answer to it */
    uint32_t start, end; /* of TCP: sequence numbers */
    time_ps own_at;      /* of TCP: arrival of its last segment or of its lead's */
    struct breakdown_clock posted, first, last; /* sender's clock at these events */
    struct breakdown_clock asked_at;            /* the responder's clock when the request arrived */
    struct breakdown_leg leg;                   /* until all of it has arrived */
    struct breakdown_leg ack;                   /* until the sender has the ACK */
    time_ps taken_at;
    time_ps heard_at; /* when its completion was reported */
    uint32_t next;    /* next in the free list */
};

/* A FIFO of messages, oldest first. */
struct breakdown_row {
    uint32_t *items; /* ring of `room` entries, a power of two */
    uint32_t room;
    uint64_t head, tail;
};

/* A packet of the current message on a wire behind a switch. */
struct breakdown_on_wire {
    time_ps from, until;
    uint32_t psn;
};

/* Packets that left a port, oldest first. Packets queued behind them wait for their own message. */
struct breakdown_passed {
    uint32_t port;
    struct breakdown_on_wire *list;
    uint32_t count, room;
    bool write; /* the last packet belonged to a WRITE */
};

/* A TCP segment that is not known to be received: the sender's clock when it left first. */
struct breakdown_sent {
    uint32_t psn;
    time_ps before; /* the one before it had left */
    struct breakdown_clock clock;
};

/* Work of the receiver after which all bytes before `end` were delivered in order. */
struct breakdown_delivery {
    uint32_t end;
    time_ps woken_at, begun_at, at;
};

/* One direction of a connection between two queue pairs, or of a TCP connection. */
struct breakdown_flow {
    uint32_t source;         /* of TCP: its sender; BREAKDOWN_NONE: queue pairs */
    uint32_t peer, peer_qpn; /* destination of all its packets */
    uint32_t endpoint, qpn;
    uint32_t port; /* its egress port, or BREAKDOWN_NONE */
    uint8_t priority;
    uint8_t state; /* enum probe_hold_state */
    bool resending;
    time_ps busy_until; /* its packet is being serialized until then */
    struct breakdown_clock clock;
    struct breakdown_row posted;           /* not completed or not received by the peer */
    uint64_t unsent, untaken, uncompleted; /* positions in `posted` of the first ones */
    /* Completed messages of a workload, and the workload's own reports on them; both in the same
     * order. Either may come first within one instant. */
    struct breakdown_row done;
    struct breakdown_row answers; /* arrived answers to the other direction */
    struct probe_message *reported;
    uint32_t reported_count, reported_room;
    bool own;                           /* a workload has posted a message */
    struct breakdown_transits crossing; /* in flight to a switch, in the order of departure */
    struct breakdown_transits arrived;  /* in flight to the host's port */
    struct breakdown_passed *passed;    /* by port, in the order of first use */
    uint32_t passed_count, passed_room;
    struct breakdown_stream *stream; /* NULL: queue pairs */
};

/* What a flow of TCP, or a direction of an exchange of Fibre Channel, has besides. */
struct breakdown_stream {
    bool exchange;               /* of Fibre Channel: the HBA does all, without a core */
    uint64_t unbuffered;         /* position in `posted` of the first message without an end */
    uint32_t buffered;           /* sequence number at which the message before it ends */
    uint32_t handed, left;       /* sequence numbers: the NIC has, has sent */
    uint32_t known;              /* segments before it are forgotten */
    uint32_t taken;              /* message taken last, or BREAKDOWN_NONE */
    time_ps filled_at;           /* arrival of the last segment that it waited for */
    struct breakdown_sent *sent; /* by sequence number, from `sent_first` on */
    uint32_t sent_first, sent_count, sent_room;
    struct breakdown_delivery *deliveries; /* oldest first */
    uint32_t delivery_count, delivery_room;
};

/* How far `number` is behind `from`; sequence numbers wrap around. */
static inline int32_t breakdown_apart(uint32_t number, uint32_t from)
{
    return (int32_t)(number - from);
}

/* ------------------------------------------------------------------ commands */

/* An outstanding command, as far as host and target have reported it. */
struct breakdown_command {
    struct probe_target_io target; /* its first members identify the command */
    bool used, answered;
    uint32_t message[PROBE_USE_MESSAGE]; /* by purpose, or BREAKDOWN_NONE */
};

/* Further commands count as not joined. */
enum { BREAKDOWN_COMMANDS_MAX = 1 << 18 };

struct breakdown_bin {
    uint64_t count;
    __int128 ps[BREAKDOWN_PARTS];
};

struct breakdown_row_sum {
    struct breakdown_sum sum;
    struct breakdown_bin *bins; /* in the order of first use */
    uint32_t bin_count, bin_room;
    uint32_t *bin_of; /* by latency bucket: index of its bin plus 1; 0: no bin */
    uint32_t bucket_count;
};

struct breakdown_members {
    struct breakdown_member *list;
    uint32_t count, room;
};

/* A direct-mapped cache of recently used flows. The step is odd, so that queue pairs of neighboring
 * hosts, which have similar numbers, use different slots. */
enum { BREAKDOWN_RECENT = 1024, BREAKDOWN_RECENT_STEP = 37 };

struct breakdown {
    const struct explain_fabric *fabric;
    struct breakdown_pauses *pauses; /* by port and priority */
    struct breakdown_flow **flows;   /* open addressing; flow_room is a power of two */
    uint32_t flow_room, flow_count;
    struct breakdown_flow *recent[BREAKDOWN_RECENT];
    struct breakdown_message *messages;
    uint32_t message_count, message_room, message_free;
    struct breakdown_flow *last_flow; /* flow of the message posted last */
    time_ps last_at;
    struct breakdown_command *commands; /* open addressing; command_room is a power of two */
    uint32_t command_room, command_count;
    bool traced;
    struct breakdown_life life;         /* scratch for one command at a time; all zero in between */
    struct breakdown_stage_sum *stages; /* by workload and NVMe operation */
    struct breakdown_row_sum **rows;    /* by workload and operation; NULL: no completions */
    uint32_t workload_count;
    struct breakdown_members *members; /* by workload */
    struct breakdown_place_sum
        *places; /* open addressing until breakdown_finish, then a sorted array */
    uint32_t place_count, place_room;
    void (*each)(void *self, const struct breakdown_life *life);
    void *each_self;
};

struct breakdown_flow *breakdown_flow_to(struct breakdown *breakdown, uint32_t peer,
                                         uint32_t peer_qpn);
/* The flow of TCP, which it creates if it is new; `qpn` as in probe_segment. */
struct breakdown_flow *breakdown_flow_of_stream(struct breakdown *breakdown, uint32_t source,
                                                uint32_t destination, uint32_t qpn);
/* A segment was dropped. */
void breakdown_stream_lost(struct breakdown *breakdown, const struct probe_drop *drop);
void breakdown_stream_free(struct breakdown_stream *stream);
void breakdown_flows_fini(struct breakdown *breakdown);

/* Advances the flow's clock to `now`. */
void breakdown_flow_advance(struct breakdown *breakdown, struct breakdown_flow *flow, time_ps now);

struct breakdown_message *breakdown_message_at(const struct breakdown *breakdown, uint32_t index);
void breakdown_message_release(struct breakdown *breakdown, uint32_t index);

/* Adds a message of the flow, with the clock of this moment; returns its index. */
uint32_t breakdown_message_post(struct breakdown *breakdown, struct breakdown_flow *flow,
                                uint8_t operation, time_ps at);
/* Finds the first of the data messages posted together with the flow's last message: its lead. */
void breakdown_message_find_lead(struct breakdown *breakdown, const struct breakdown_flow *flow,
                                 uint32_t index);
/* The message whose first packet starts the transfer: a read's data precede its response. */
const struct breakdown_message *breakdown_message_lead(const struct breakdown *breakdown,
                                                       const struct breakdown_message *message);

/* Adds what the sender did between two clock readings. Sending its own packets counts as `sending`,
 * having nothing to send as `nothing`. */
void breakdown_leg_clock(struct breakdown_leg *leg, const struct breakdown_flow *flow,
                         const struct breakdown_clock *from, const struct breakdown_clock *to,
                         enum breakdown_part sending, enum breakdown_part nothing);
void breakdown_leg_transit(struct breakdown_leg *leg, const struct breakdown_transit *transit);

void breakdown_row_push(struct breakdown_row *row, uint32_t item);
uint32_t breakdown_row_at(const struct breakdown_row *row, uint64_t place);

/* A packet to follow left a host; NULL: it is lost. */
struct breakdown_transit *breakdown_transit_begin(struct breakdown *breakdown,
                                                  struct breakdown_flow *flow,
                                                  const struct probe_hop *frame,
                                                  enum breakdown_packet packet);
void breakdown_transit_on(struct breakdown *breakdown, struct breakdown_flow *flow,
                          const struct probe_hop *frame, enum breakdown_packet packet);

/* A data packet leaves a switch. */
void breakdown_transit_pass(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_hop *frame);

/* A packet was dropped at a node. */
void breakdown_transit_lost(const struct breakdown *breakdown, struct breakdown_flow *flow,
                            const struct probe_drop *drop, enum breakdown_packet packet);

/* Removes packets as far as `is_over` is true. */
void breakdown_transit_remove(struct breakdown_transits *transits,
                              bool (*is_over)(const struct breakdown_transit *transit,
                                              const void *what),
                              const void *what);

/* For data, the last packet with that PSN to arrive by `at`; for ACKs, the first to arrive that
 * acknowledges the PSN. NULL if there is none. */
const struct breakdown_transit *breakdown_transit_arrived(const struct breakdown_flow *flow,
                                                          enum breakdown_packet packet,
                                                          uint32_t psn, time_ps at);

/* Forgets packets with that PSN; for ACKs, those sent before `sent_at`. */
void breakdown_transit_forget(struct breakdown_flow *flow, enum breakdown_packet packet,
                              uint32_t psn, time_ps sent_at);

void breakdown_place_add(struct breakdown_place *places, uint32_t *count, uint32_t most,
                         const struct breakdown_place *place);
/* Pairs completed messages with the workload's reports as far as both are available. */
void breakdown_messages_join(struct breakdown *breakdown, struct breakdown_flow *flow);

/* Returns NULL if there is no such command. */
struct breakdown_command *breakdown_command_find(const struct breakdown *breakdown,
                                                 const struct probe_target_io *key);
/* Adds the command if it is new. Returns NULL at BREAKDOWN_COMMANDS_MAX. */
struct breakdown_command *breakdown_command_of(struct breakdown *breakdown,
                                               const struct probe_target_io *key);
/* Releases the command's messages, if any. */
void breakdown_command_release(struct breakdown *breakdown, struct breakdown_command *command);
/* Releases the command's messages and removes the command. */
void breakdown_command_forget(struct breakdown *breakdown, struct breakdown_command *command);
void breakdown_commands_fini(struct breakdown *breakdown);
void breakdown_stages_of_life(const struct breakdown_life *life, time_ps stages[BREAKDOWN_STAGES]);
void breakdown_stage_add(struct breakdown *breakdown, const struct breakdown_life *life);
void breakdown_sum_add(struct breakdown *breakdown, const struct breakdown_life *life);
void breakdown_sums_fini(struct breakdown *breakdown);

#endif
