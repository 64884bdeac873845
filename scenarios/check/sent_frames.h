/* SPDX-License-Identifier: Apache-2.0
 * sent_frames - how large the frames are that workloads send, by DSCP.
 * Of data: full packets, the rest of a message, and messages of less than a packet.  Small ones are
 * acknowledgements, requests and capsules, of which there are no more than operations under way.
 * Units: L2 bytes. */
#ifndef STORMGLASS_SCENARIOS_CHECK_SENT_FRAMES_H
#define STORMGLASS_SCENARIOS_CHECK_SENT_FRAMES_H

#include "scenarios/load/scenario.h"

enum { SENT_FRAMES_MAX = 32, SENT_FRAMES_DSCPS = 64 };

struct sent_frames {
    struct sent_sizes {
        int64_t sizes[SENT_FRAMES_MAX]; /* ascending */
        unsigned count;
        int64_t smalls; /* under way at once, of all workloads together */
    } by_dscp[SENT_FRAMES_DSCPS];
};

void sent_frames_gather(struct sent_frames *frames, const struct scenario *scenario);

#endif
