/* SPDX-License-Identifier: Apache-2.0
 * telemetry - what switches write into a packet that asks for it (in-band network telemetry).
 * It is kept beside the frames, one record for each frame of the pool, and only where somebody
 * asks: a frame stays one cache line, and a record goes from thread to thread with its frame.
 * Source:  Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1.
 * Not modelled: the coarse units of its fields (24 bits of time, 20 of 128-byte units sent, 16 of
 * 80-byte units queued); more hops than it has room for add nothing. */
#ifndef STORMGLASS_NET_FRAME_TELEMETRY_H
#define STORMGLASS_NET_FRAME_TELEMETRY_H

#include "base/units.h"

/* On the wire: 2 bytes for the number of hops and the path, 8 for each hop. */
enum { TELEMETRY_HOPS = 5, TELEMETRY_BYTES = 2 + 8 * TELEMETRY_HOPS };

/* Of the port that the packet leaves a switch by, as its first bit leaves. */
struct telemetry_hop {
    time_ps at;
    uint64_t line_bps;
    uint64_t wire_bytes; /* that have left by the port before it, preamble and gap included */
    uint64_t queue;      /* bytes that wait behind it, in all priorities */
};

struct telemetry {
    uint32_t path; /* of the ports: another one tells another path */
    uint32_t hops;
    struct telemetry_hop hop[TELEMETRY_HOPS];
};

static inline void telemetry_clear(struct telemetry *telemetry)
{
    telemetry->path = telemetry->hops = 0;
}

#endif
