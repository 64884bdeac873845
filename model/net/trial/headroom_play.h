/* SPDX-License-Identifier: Apache-2.0
 * headroom_play - one moment of congestion on one link, played with the real switch and ports.
 *
 *   sender ==link==> switch --> sink, which has paused the class since before the first frame
 *          <=======  reverse: one largest frame, so timed that it begins just before the pause
 *                    filler: one frame that lets a dynamic threshold sink between two frames
 *
 * The sender sends frames of the class without a gap and obeys PFC.  What it sends until then does
 * not depend on the reverse frame or on the headroom, so a first play tells when the pause is
 * decided, and the next ones put the reverse frame where they want it.
 * Units: bytes, picoseconds.  Errors: none.  All but the pool lives only as long as the call. */
#ifndef STORMGLASS_NET_TRIAL_HEADROOM_PLAY_H
#define STORMGLASS_NET_TRIAL_HEADROOM_PLAY_H

#include "net/frame/frame.h"
#include "net/headroom/headroom.h"

enum { HEADROOM_NO_REVERSE = -1 };

struct headroom_play {
    struct frame_pool *pool; /* the caller's, empty; empty again afterwards */
    const struct headroom_link *link;
    const int64_t *frames; /* sizes that the sender sends in turn, over and over */
    unsigned frame_count;
    int64_t headroom; /* of each lossless group, a multiple of the link's cell */
    time_ps reverse;  /* the reverse frame begins so long before `decided`; 0: in the same moment,
                         before the decision; or HEADROOM_NO_REVERSE */
    /* results, and `decided` and `seed` what later plays of the same frames begin from */
    time_ps decided;       /* the frame that makes the pause due is in the memory */
    uint64_t seed;         /* of an order of simultaneous events that is the worst one */
    uint64_t drops;        /* frames of the class for want of memory */
    uint64_t frames_after; /* that the sender sent behind the one that made the pause due */
};

void headroom_play(struct headroom_play *play);

#endif
