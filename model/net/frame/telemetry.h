/* SPDX-License-Identifier: Apache-2.0
 * telemetry - in-band network telemetry: what switches record in a packet that requests it.
 * Records are stored separately, one per frame of the pool, and only when telemetry is in use, so
 * that a frame stays one cache line; a record moves from thread to thread with its frame.
 * Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1. Not
 * modeled: the coarse units of its fields (24 bits of time, 20 of 128-byte units sent, 16 of
 * 80-byte units queued). Hops beyond TELEMETRY_HOPS add nothing. */
#ifndef STORMGLASS_NET_FRAME_TELEMETRY_H
#define STORMGLASS_NET_FRAME_TELEMETRY_H

#include "base/units.h"

/* On the wire: 2 bytes for hop count and path, 8 per hop. */
enum { TELEMETRY_HOPS = 5, TELEMETRY_BYTES = 2 + 8 * TELEMETRY_HOPS };

/* State of the egress port of a switch when the packet's first bit leaves. */
struct telemetry_hop {
    time_ps at;
    uint64_t line_bps;
    uint64_t wire_bytes; /* sent by the port before this packet, including preamble and gap */
    uint64_t queue;      /* bytes queued behind it, in all priorities */
};

struct telemetry {
    uint32_t path; /* hash of the ports passed: a different value means a different path */
    uint32_t hops;
    struct telemetry_hop hop[TELEMETRY_HOPS];
};

static inline void telemetry_clear(struct telemetry *telemetry)
{
    telemetry->path = telemetry->hops = 0;
}

#endif
