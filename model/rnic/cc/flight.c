/* SPDX-License-Identifier: Apache-2.0
 * flight - a ring of outstanding packets. */
#include "rnic/cc/flight.h"

#include "base/memory.h"
#include "rnic/psn.h"

#include <stdlib.h>

struct flight *flight_new(uint32_t packet_bytes)
{
    struct flight *flight = memory_new(sizeof *flight);
    flight->packet_bytes = packet_bytes;
    flight->window = CC_NO_WINDOW;
    return flight;
}

void flight_free(struct flight *flight)
{
    free(flight->packets);
    free(flight);
}

static struct flight_packet *packet_at(const struct flight *flight, uint32_t index)
{
    return &flight->packets[index & (flight->room - 1)];
}

static void grow(struct flight *flight)
{
    enum { ROOM_FIRST = 16 };
    const uint32_t room = flight->room == 0 ? ROOM_FIRST : flight->room * 2;
    struct flight_packet *packets = memory_zeroed(room, sizeof *packets);
    for (uint32_t i = flight->head; i != flight->tail; i++)
        packets[i & (room - 1)] = *packet_at(flight, i);
    free(flight->packets);
    flight->packets = packets;
    flight->room = room;
}

void flight_sent(struct flight *flight, uint32_t psn, uint32_t bytes, bool again, time_ps now)
{
    if (flight->tail - flight->head == flight->room)
        grow(flight);
    *packet_at(flight, flight->tail++) = (struct flight_packet){again ? 0 : now, psn, bytes};
    flight->bytes += bytes;
}

void flight_acknowledge(struct flight *flight, uint32_t psn)
{
    while (flight->head != flight->tail) {
        const struct flight_packet *oldest = packet_at(flight, flight->head);
        if (psn_diff(oldest->psn, psn) >= 0)
            return;
        flight->newest = *oldest;
        flight->bytes -= oldest->bytes;
        flight->acked += oldest->bytes;
        flight->new_bytes += oldest->bytes;
        flight->new_packets++;
        flight->head++;
    }
}

void flight_go_back(struct flight *flight, uint32_t psn)
{
    while (flight->head != flight->tail) {
        const struct flight_packet *last = packet_at(flight, flight->tail - 1);
        if (psn_diff(last->psn, psn) < 0)
            return;
        flight->bytes -= last->bytes;
        flight->tail--;
    }
}

void flight_clear(struct flight *flight)
{
    flight->head = flight->tail;
    flight->bytes = 0;
}

time_ps flight_rtt(const struct flight *flight, uint32_t psn, time_ps now)
{
    return flight->newest.psn == psn && flight->newest.at > 0 ? now - flight->newest.at : 0;
}
