/* SPDX-License-Identifier: Apache-2.0
 * headroom_proof - the headroom that a link needs, found by simulation.
 * Finds the smallest headroom in cells that loses no frame, by bisection over runs with the real
 * switch; a headroom passes when no phase of the reverse direction loses a frame. Phases: the
 * reverse frame begins at the moment of the decision, 1 ps before, and at a number of points spread
 * evenly over its time on the wire.
 * Units: bytes, picoseconds. Errors: none. */
#ifndef STORMGLASS_NET_TRIAL_HEADROOM_PROOF_H
#define STORMGLASS_NET_TRIAL_HEADROOM_PROOF_H

#include "net/headroom/headroom.h"

struct headroom_proof {
    int64_t frame;   /* frame size of the peer, L2 bytes */
    int64_t exact;   /* bytes according to the formula */
    int64_t found;   /* minimum bytes at which no phase loses a frame */
    unsigned phases; /* number of phases simulated */
    unsigned losing; /* phases that lose frames with one cell less than `found` */
    uint64_t drops;  /* maximum losses of a phase with one cell less */
    time_ps phase;   /* the phase of that maximum: time from the begin of the reverse frame to
                      * the decision */
    uint64_t plays;
    bool holds; /* one cell less loses frames, and the formula yields the same value */
};

/* A run contains every frame that the wire can deliver; false when those are too many (a loop of
 * hundreds of megabytes). */
bool headroom_can_prove(const struct headroom_link *link, int64_t frame);

/* For an endless stream of equal frames. */
void headroom_prove(const struct headroom_link *link, int64_t frame, unsigned phases,
                    struct headroom_proof *proof);

/* Number of losses over all phases with that headroom, for frames of these sizes in turn. */
uint64_t headroom_drops(const struct headroom_link *link, const int64_t *frames, unsigned count,
                        int64_t headroom, unsigned phases);

/* Frame sizes to test on a link: largest, smallest, and one that wastes most of a cell. Returns
 * their number. */
enum { HEADROOM_SIZES = 3 };
unsigned headroom_sizes(const struct headroom_link *link, int64_t sizes[HEADROOM_SIZES]);

#endif
