/* SPDX-License-Identifier: Apache-2.0
 * credits - link flow control by credits: a transmitter sends only what the receive buffer at the
 * other end has room for.
 * Each lane (a virtual lane, which is a priority of the model) has its own buffer and counters. All
 * counters are absolute and modulo 4096: both ends count what was sent and received since the link
 * came up, and the receiver reports the total up to which the peer may send. So the next update
 * repairs a lost one, and a lost frame costs its credits only until the next update of the sender.
 *   sender                                   receiver
 *   sent  (FCTBS)  -- frame, n credits -->   received (ABR) += n, free -= n
 *   limit (FCCL)   <-- update ------------   received + free, after the owner has freed the frame
 * A lane may send a frame of n credits while (limit - sent - n) mod 4096 is at most 2048.
 * Source: IBTA Vol 1 7.9.4; widths and unit as in the reference sheet's flow-control packet: FCTBS
 * and FCCL of 12 bits, blocks of 64 bytes.
 * Fibre Channel, `unit` 0: a credit is one frame of any size, and an R_RDY for each frame that has
 * left the buffer returns it. A lost R_RDY, or a lost frame, costs a credit until the ends compare
 * their counts: at checkpoints (BB_SC), or when a port without credits resets the link (LR, which
 * the peer answers with LRR). In the model a checkpoint, LR and LRR carry the two counters of an
 * update; in FC-FS the ends derive the differences from the numbers of R_RDYs and frames since the
 * last checkpoint, and a link reset empties the buffers. Source: FC-FS-4 clauses 7.8.3 and 18
 * (BB_Credit, BB_SC_N). */
#ifndef STORMGLASS_NET_PORT_CREDITS_H
#define STORMGLASS_NET_PORT_CREDITS_H

#include "net/port/port.h"

enum {
    CREDIT_COUNTERS = 4096, /* the counters are modulo this */
    CREDIT_WINDOW = 2048,   /* largest number of credits that a peer can have */
    CREDIT_UNIT_BYTES = 64,
    CREDIT_SYMBOLS = 65536, /* an update is due at least once in that many symbol times */
};

/* Primitives of Fibre Channel. Values are those of the frame's field `aeth`. */
enum credit_primitive { CREDIT_UPDATE, CREDIT_R_RDY, CREDIT_BB_SC, CREDIT_LR, CREDIT_LRR };

struct credit_lane {
    uint16_t sent;     /* by this end, modulo 4096 */
    uint16_t limit;    /* total up to which this end may send */
    uint16_t received; /* by this end, modulo 4096 */
    int32_t free;      /* credits free in this end's buffer; below 0: frames from before the link
                        * went down, which the peer did not count */
    uint64_t updates_tx, updates_rx;
    uint64_t zeros_tx, zeros_rx; /* times that this end's last credit, or last free buffer, was
                                  * used up */
    /* Fibre Channel */
    uint16_t owed;            /* R_RDYs that are due */
    uint8_t primitive;        /* enum credit_primitive that is due before them; 0: none */
    uint16_t frames, readies; /* sent since the last checkpoint */
    time_ps reset_at;         /* the last LR */
    uint64_t link_resets;     /* LRs sent */
    uint64_t resets_rx;       /* LRs received */
    uint64_t recovered;       /* credits that this end's transmitter had lost and got back */
};

struct port_credits {
    struct credit_lane lanes[PRIORITIES];
    uint16_t unit;    /* bytes of one credit; 0: each frame takes one */
    uint16_t buffer;  /* credits of each lane's receive buffer */
    uint16_t largest; /* credits of the largest frame that this end sends */
    uint8_t due;      /* mask: lanes whose update is due */
    uint8_t low;      /* mask: lanes that run, but have no credits for the largest frame */
    uint8_t used;     /* mask: lanes that have carried a frame in either direction */
    bool fill;  /* Fibre Channel: the gap before `busy_until` has a fill word for a primitive */
    bool ticks; /* the next periodic update is scheduled */
    time_ps interval; /* between two periodic updates of a lane */
    uint64_t expired; /* frames that waited here too long: the owner has discarded them */
};

/* Number of credits of a frame. */
static inline uint32_t credits_of(uint32_t unit, uint32_t bytes)
{
    return unit == 0 ? 1 : (bytes + unit - 1) / unit;
}

/* Advances a counter, by a negative number too. */
static inline uint16_t credits_count(uint16_t counter, int32_t by)
{
    return (uint16_t)((uint32_t)(counter + by) % CREDIT_COUNTERS);
}

/* Whether a lane may send a frame of n credits. */
static inline bool credits_suffice(const struct credit_lane *lane, uint32_t n)
{
    return (lane->limit - lane->sent - n) % CREDIT_COUNTERS <= CREDIT_WINDOW;
}

/* Total up to which the peer may send. */
static inline uint16_t credits_limit(const struct credit_lane *lane)
{
    const int32_t free = lane->free < 0               ? 0
                         : lane->free > CREDIT_WINDOW ? CREDIT_WINDOW
                                                      : lane->free;
    return credits_count(lane->received, free);
}

/* An update: both counters of one lane. */
static inline uint32_t credits_encode(uint16_t sent, uint16_t limit)
{
    return (uint32_t)sent << 12 | limit;
}

static inline uint16_t credits_decode_sent(uint32_t update)
{
    return (uint16_t)(update >> 12 & (CREDIT_COUNTERS - 1));
}

static inline uint16_t credits_decode_limit(uint32_t update)
{
    return (uint16_t)(update & (CREDIT_COUNTERS - 1));
}

/* Credits that a lane has. */
static inline uint32_t credits_left(const struct credit_lane *lane)
{
    const uint32_t left = (uint32_t)(lane->limit - lane->sent) % CREDIT_COUNTERS;
    return left <= CREDIT_WINDOW ? left : 0;
}

/* The owner has freed the space of a frame that arrived in the lane: returns its credits. */
void port_return_credits(struct port *port, uint8_t lane, uint32_t bytes, time_ps now);

/* The frame leaves its buffer at that time: an event returns its credit. Fibre Channel only. */
void port_return_credits_at(struct port *port, uint8_t lane, time_ps at);

/* Bytes of an update or a primitive. */
static inline uint32_t port_credits_bytes(const struct port *port)
{
    return port->params.kind == PORT_FIBRE_CHANNEL ? WIRE_FC_WORD_BYTES : WIRE_CREDIT_BYTES;
}

/* Bytes that the buffers of all lanes hold. */
static inline int64_t port_credits_buffer(const struct port *port)
{
    return port->params.kind == PORT_FIBRE_CHANNEL
               ? port->params.bb_credit * port_largest_frame(&port->params)
               : PRIORITIES * port->params.lane_buffer;
}

/* A primitive that follows a frame replaces one of the fill words that must follow it anyway. */
static inline bool port_credits_fill_gap(const struct port *port)
{
    return port->credits->fill;
}

void credits_audit(const struct port *port);

#endif
