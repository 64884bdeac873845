/* SPDX-License-Identifier: Apache-2.0
 * flight - the unacknowledged packets of a queue pair, for congestion controls that process ACKs.
 * One record per outstanding SEND or WRITE packet: its PSN, its bytes and its departure time. ACKs
 * remove records from the front; going back removes those at the end that will be retransmitted.
 * READ responses have no records because they are not acknowledged.
 * Owner: the queue pair's pacer. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_CC_FLIGHT_H
#define STORMGLASS_RNIC_CC_FLIGHT_H

#include "rnic/cc/cc.h"

#include <stdalign.h>

struct flight_packet {
    time_ps at; /* departure; 0: retransmitted, so an ACK does not identify the transmission */
    uint32_t psn, bytes;
};

struct flight {
    uint64_t window;
    uint64_t bytes;        /* outstanding */
    uint64_t acked;        /* total bytes */
    uint32_t packet_bytes; /* size of a full packet */
    uint32_t head, tail;   /* free-running indices of the ring */
    uint32_t room;         /* a power of two, or 0 */
    struct flight_packet *packets;
    struct flight_packet newest;     /* last acknowledged packet */
    uint32_t new_bytes, new_packets; /* acknowledged but not yet reported to the algorithm */
    time_ps paced_until;             /* earliest departure of the next packet at the present rate */
    alignas(16) unsigned char state[CC_ACK_STATE_BYTES];
};

struct flight *flight_new(uint32_t packet_bytes);
void flight_free(struct flight *flight);

/* A packet has left; `again`: its PSN was sent before. */
void flight_sent(struct flight *flight, uint32_t psn, uint32_t bytes, bool again, time_ps now);

/* Acknowledges all packets before the PSN. */
void flight_acknowledge(struct flight *flight, uint32_t psn);

/* All packets from the PSN on will be retransmitted, or are given up. */
void flight_go_back(struct flight *flight, uint32_t psn);

/* Everything is acknowledged or given up. */
void flight_clear(struct flight *flight);

/* Round-trip time until now of the packet with that PSN; 0: it is not the last acknowledged one, or
 * was sent more than once. */
time_ps flight_rtt(const struct flight *flight, uint32_t psn, time_ps now);

/* No packet may leave until one is acknowledged. */
static inline bool flight_is_full(const struct flight *flight)
{
    return flight->bytes >= flight->window;
}

#endif
