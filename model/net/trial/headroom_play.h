/* SPDX-License-Identifier: Apache-2.0
 * headroom_play - simulates one moment of congestion on one link with the real switch and ports.
 *   sender ==link==> switch --> sink, which has paused the class since before the first frame
 *          <=======  reverse: one largest frame, timed to begin just before the pause
 *                    filler: one frame that makes a dynamic threshold fall between two frames
 * The sender sends back-to-back frames of the class and obeys PFC. Until the pause its sending does
 * not depend on the reverse frame or the headroom, so a first run determines when the pause is
 * decided, and later runs place the reverse frame relative to that time.
 * Units: bytes, picoseconds. Errors: none. All state except the pool lives only during the call. */
#ifndef STORMGLASS_NET_TRIAL_HEADROOM_PLAY_H
#define STORMGLASS_NET_TRIAL_HEADROOM_PLAY_H

#include "net/frame/frame.h"
#include "net/headroom/headroom.h"

enum { HEADROOM_NO_REVERSE = -1 };

struct headroom_play {
    struct frame_pool *pool; /* owned by the caller; empty before and after */
    const struct headroom_link *link;
    const int64_t *frames; /* frame sizes that the sender uses in turn, repeatedly */
    unsigned frame_count;
    int64_t headroom; /* bytes per lossless group, a multiple of the link's cell */
    time_ps reverse;  /* the reverse frame begins this long before `decided`; 0: at the same
                       * time, just before the decision; or HEADROOM_NO_REVERSE */
    /* results; later runs of the same frames start with the same `decided` and `seed` */
    time_ps decided;       /* the frame that triggers the pause is in the memory */
    uint64_t seed;         /* seed of the worst order of simultaneous events */
    uint64_t drops;        /* frames of the class dropped for lack of memory */
    uint64_t frames_after; /* frames sent after the one that triggered the pause */
};

void headroom_play(struct headroom_play *play);

#endif
