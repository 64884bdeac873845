/* SPDX-License-Identifier: Apache-2.0
 * series_private - internal interface of series; each file writes the rows of one kind of place.
 * `sample` is the number of the current sample. */
#ifndef STORMGLASS_REPLAY_RECORD_SERIES_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_SERIES_PRIVATE_H

#include "replay/database/record_schema.h"
#include "replay/record/series.h"

/* One priority of a port at the last sample. */
struct series_prio {
    uint64_t tx_bytes, rx_bytes; /* already in rows */
    uint64_t xoff_frames, ecn_marked_frames;
    time_ps blocked_ps;
};

struct series_rnic {
    uint64_t cnps_sent, cnps_handled, ecn_marked_frames, retransmitted_frames;
};

struct series_work {
    uint64_t issued, completed, failed;
    uint64_t read, written; /* bytes already in rows */
    uint64_t bps;           /* capacity of its links in one direction */
    struct hist latency;
};

/* Takes from `room` as much of the counted `bytes` as the links can have carried. A frame counts
 * entirely where it begins or ends, although the end of a sample may cut it; the rest is left for
 * the next sample, so that no rate exceeds the link rate. */
uint64_t series_take_room(uint64_t *room, uint64_t bytes);

/* Bytes that fit into the current sample at that rate; unlimited if it is too short for a rate. */
uint64_t series_room(const struct series *series, uint64_t bps);

/* Samples ports and switches. */
void series_take_fabric(struct series *series, time_ps now);

/* Samples RNICs, and the queue pairs that congestion control throttles. */
void series_take_rnics(struct series *series);

/* Writes a row of the current sample. */
#define SERIES_ROW(series, table, ...)                                                             \
    do {                                                                                           \
        (series)->rows++;                                                                          \
        RECORD_ROW((series)->store, table, .sample = STORE_I((series)->number), __VA_ARGS__);      \
    } while (false)

#endif
