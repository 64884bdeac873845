/* SPDX-License-Identifier: Apache-2.0
 * sent_frames - sizes of the frames that workloads send, by DSCP.
 * Data frames: full packets, the last packet of a message, and messages shorter than a packet.
 * Small frames are acknowledgments, requests and capsules; there are no more of them than
 * operations in flight.
 * Units: L2 bytes. */
#ifndef STORMGLASS_SCENARIOS_CHECK_SENT_FRAMES_H
#define STORMGLASS_SCENARIOS_CHECK_SENT_FRAMES_H

#include "scenarios/data/scenario.h"

enum { SENT_FRAMES_MAX = 32, SENT_FRAMES_DSCPS = 64 };

struct sent_frames {
    struct sent_sizes {
        int64_t sizes[SENT_FRAMES_MAX]; /* ascending */
        unsigned count;
        int64_t smalls; /* small frames in flight at once, of all workloads together */
    } by_dscp[SENT_FRAMES_DSCPS];
};

void sent_frames_gather(struct sent_frames *frames, const struct scenario *scenario);

#endif
