/* SPDX-License-Identifier: Apache-2.0
 * flight - what a queue pair has sent and not heard of, for congestion controls that hear of ACKs.
 * A record for each SEND or WRITE packet under way: its PSN, its bytes and when it left.  ACKs take
 * records from the front; going back takes those from the back that will be sent again.
 * READ responses are in no flight, as nobody acknowledges them.
 * Owner: the queue pair's pacer.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_CC_FLIGHT_H
#define STORMGLASS_RNIC_CC_FLIGHT_H

#include "rnic/cc/cc.h"

#include <stdalign.h>

struct flight_packet {
    time_ps at; /* when it left; 0: it was sent before, so nobody knows which one is answered */
    uint32_t psn, bytes;
};

struct flight {
    uint64_t window;
    uint64_t bytes;        /* under way */
    uint64_t acked;        /* in all */
    uint32_t packet_bytes; /* of a full packet */
    uint32_t head, tail;   /* of the ring; they count up for ever */
    uint32_t room;         /* a power of two, or 0 */
    struct flight_packet *packets;
    struct flight_packet newest;     /* of those acknowledged */
    uint32_t new_bytes, new_packets; /* acknowledged, of which the algorithm has not heard */
    time_ps paced_until;             /* the rate lets the next packet leave from then on */
    alignas(16) unsigned char state[CC_ACK_STATE_BYTES];
};

struct flight *flight_new(uint32_t packet_bytes);
void flight_free(struct flight *flight);

/* A packet has left, `again` if one with its PSN had before. */
void flight_sent(struct flight *flight, uint32_t psn, uint32_t bytes, bool again, time_ps now);

/* All packets before the PSN are acknowledged. */
void flight_acknowledge(struct flight *flight, uint32_t psn);

/* All packets from the PSN on will be sent again, or are given up. */
void flight_go_back(struct flight *flight, uint32_t psn);

/* All is acknowledged or given up. */
void flight_clear(struct flight *flight);

/* How long the packet with the PSN, newest of those acknowledged, was under way until now; 0: it is
 * another, or was sent more than once. */
time_ps flight_rtt(const struct flight *flight, uint32_t psn, time_ps now);

/* No packet may leave until one lands. */
static inline bool flight_is_full(const struct flight *flight)
{
    return flight->bytes >= flight->window;
}

#endif
