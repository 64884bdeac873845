/* SPDX-License-Identifier: Apache-2.0
 * series_private - the parts of series, each writing the rows of one kind of place.
 * `sample` is the number of the sample that is being taken. */
#ifndef STORMGLASS_REPLAY_RECORD_SERIES_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_SERIES_PRIVATE_H

#include "replay/database/record_schema.h"
#include "replay/record/series.h"

/* One priority of a port as it was at the last sample. */
struct series_prio {
    uint64_t tx_bytes, rx_bytes; /* that rows have */
    uint64_t xoff_frames, ecn_marked_frames;
    time_ps blocked_ps;
};

struct series_rnic {
    uint64_t cnps_sent, cnps_handled, ecn_marked_frames, retransmitted_frames;
};

struct series_work {
    uint64_t issued, completed, failed;
    uint64_t read, written; /* bytes that rows have */
    uint64_t bps;           /* what its links carry in one direction */
    struct hist latency;
};

/* Of `bytes` that were counted, those that a link or several can have carried in the time that
 * `room` is left of, and takes them from it.  A frame counts whole where it begins or ends, though
 * a sample's end cuts it: the rest is for the next sample, so that no rate is above the links'. */
uint64_t series_take_room(uint64_t *room, uint64_t bytes);

/* How many bytes the present sample has room for at that rate; any number in one that is too short
 * for a rate. */
uint64_t series_room(const struct series *series, uint64_t bps);

/* Ports and switches. */
void series_take_fabric(struct series *series, time_ps now);

/* RNICs, and the queue pairs that congestion control holds back. */
void series_take_rnics(struct series *series);

/* A row of the present sample. */
#define SERIES_ROW(series, table, ...)                                                             \
    do {                                                                                           \
        (series)->rows++;                                                                          \
        RECORD_ROW((series)->store, table, .sample = STORE_I((series)->number), __VA_ARGS__);      \
    } while (false)

#endif
