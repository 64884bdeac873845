/* SPDX-License-Identifier: Apache-2.0
 * pump - a test node with one port that sends frames and counts what arrives. */
#ifndef STORMGLASS_TESTS_PUMP_H
#define STORMGLASS_TESTS_PUMP_H

#include "net/port/port.h"

struct pump {
    struct node node;
    struct port port;
    struct frame_pool *frames;
    uint32_t endpoint, destination;
    uint16_t bytes; /* of each frame it sends */
    uint8_t tos;
    uint8_t opcode, flags;
    uint32_t hops;          /* that a frame has collected already, of those with FRAME_TELEMETRY */
    struct telemetry heard; /* of the last such frame that arrived */
    bool every_priority;    /* sends in all eight by turns, not by its tos */
    uint8_t next;
    uint8_t keeps;    /* mask: lanes in which it returns no credits */
    uint64_t to_send; /* frames still to send; UINT64_MAX: without end */
    time_ps period;   /* between frames' starts; 0: as fast as the wire takes them */
    uint64_t sent, received, received_bytes;
    uint32_t next_psn, expected_psn;
    uint64_t out_of_order, marked;
    uint64_t received_of[PRIORITIES];
    time_ps last_arrival, first_arrival;
    time_ps longest_gap, longest_gap_end; /* between two arrivals */
};

void pump_init(struct pump *pump, struct engine *engine, const char *name,
               const struct port_params *params, struct frame_pool *frames);

/* Begins to send at `at`. */
void pump_start(struct pump *pump, time_ps at);

extern const struct port_ingress pump_ingress;

#endif
