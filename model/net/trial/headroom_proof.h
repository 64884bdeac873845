/* SPDX-License-Identifier: Apache-2.0
 * headroom_proof - the need of a link, found by playing.
 * The smallest headroom in cells that loses no frame, by bisection over plays with the real switch;
 * a headroom passes when no phase of the reverse direction loses a frame.  Phases: the reverse
 * frame begins in the moment of the decision, 1 ps before, and at so many points spread evenly over
 * its time on the wire.
 * Units: bytes, picoseconds.  Errors: none. */
#ifndef STORMGLASS_NET_TRIAL_HEADROOM_PROOF_H
#define STORMGLASS_NET_TRIAL_HEADROOM_PROOF_H

#include "net/headroom/headroom.h"

struct headroom_proof {
    int64_t frame;   /* the peer's frames, L2 bytes */
    int64_t exact;   /* bytes that the formula gives */
    int64_t found;   /* bytes with which no phase loses a frame, and no fewer */
    unsigned phases; /* that were played */
    unsigned losing; /* phases that lose a frame with one cell less than that, ... */
    uint64_t drops;  /* ... the most that one of them loses, ... */
    time_ps phase;   /* ... the reverse frame having begun so long before the decision */
    uint64_t plays;
    bool holds; /* a cell less loses frames, and the formula gives the same */
};

/* Plays hold every frame that the wire can bring: false when those are too many (a loop of
 * hundreds of megabytes). */
bool headroom_can_prove(const struct headroom_link *link, int64_t frame);

/* Equal frames without end. */
void headroom_prove(const struct headroom_link *link, int64_t frame, unsigned phases,
                    struct headroom_proof *proof);

/* Frames of these sizes in turn: how many are lost over all phases with that headroom. */
uint64_t headroom_drops(const struct headroom_link *link, const int64_t *frames, unsigned count,
                        int64_t headroom, unsigned phases);

/* Sizes that a proof should try on a link: largest, smallest, and one that wastes most of a cell.
 * Returns how many there are. */
enum { HEADROOM_SIZES = 3 };
unsigned headroom_sizes(const struct headroom_link *link, int64_t sizes[HEADROOM_SIZES]);

#endif
