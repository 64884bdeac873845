/* SPDX-License-Identifier: Apache-2.0
 * bottleneck - what kept a run from going faster.
 * A pure function of sums, of a run or of what one workload used of it: the first of these that
 * holds is named.
 *   pauses              some transmitter was stopped for a tenth of the time or more while
 *                       something waited there
 *   link                a link was busy for 95 % of the time or more
 *   recovery            a controller was away for a tenth of the time or more
 *   congestion control  senders were told to slow down although no link was full
 *   credit              receivers had nowhere to put a message: one RNR NAK a millisecond or more
 *   media, target cpu, host software, network
 *                       the largest part of the commands' latency (closed loops wait for it)
 *   loss                frames were dropped or sent again: senders wait for them and for timeouts
 *   outstanding limit   nothing is full: the workloads ask for no more */
#ifndef STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_H
#define STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_H

#include "replay/explain/iojoin.h"

#include <stddef.h>

struct bottleneck_input {
    time_ps span;         /* of the measured part of the run */
    char paused_port[96]; /* the transmitter that was stopped longest, and how long */
    time_ps paused_ps;
    const char *root_cause; /* of pauses; empty: none */
    char busiest_port[96];  /* the link direction that was busy longest, and its peer */
    char busiest_peer[96];
    time_ps busiest_ps;
    int64_t cnps;                          /* congestion notifications that senders handled */
    int64_t drops;                         /* frames, whatever the cause */
    int64_t retransmitted, timeouts;       /* packets, and times that a sender waited in vain */
    int64_t losses;                        /* NVMe controllers that were lost ... */
    time_ps without_service;               /* ... and how long they were away, summed */
    int64_t rnr_naks;                      /* times that a sender met no posted receive */
    uint64_t commands;                     /* NVMe commands with known stages */
    __int128 stage_ps[IOJOIN_STAGE_COUNT]; /* sums over them */
};

/* A sentence that begins with the rule's word. */
void bottleneck_find(const struct bottleneck_input *input, char *text, size_t size);

/* "target cpu" of such a sentence. */
void bottleneck_word(const char *text, char *word, size_t size);

#endif
