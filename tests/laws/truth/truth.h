/* SPDX-License-Identifier: Apache-2.0
 * truth - random scenarios of which it is known who is to blame.
 * Small fabrics whose load is far below what they carry, all of it open loop, so that nothing waits
 * for long but for what is injected:
 *   culprits  one or two of different hosts: a host that stops draining or drains more slowly than
 *             its load by nature, a pause storm, a stalled target, a link that is down, flaps, has
 *             bit errors or loses frames - each at a host with traffic, for a good part of the run
 *   decoys    one or two faults that are there and do no harm: a link that is down where nobody
 *             uses it, a storm in a priority that nobody uses, errors and losses too rare to
 *             happen, a host or a target that stands still for as long as a frame takes
 * The culprits' lines are the first of the faults. */
#ifndef STORMGLASS_TESTS_LAWS_TRUTH_H
#define STORMGLASS_TESTS_LAWS_TRUTH_H

#include "tests/laws/truth/culprit.h"

enum { TRUTH_CULPRITS_MAX = 2 };

struct truth {
    struct culprit_draft draft;
    unsigned culprits, faults;
    struct {
        unsigned host;
        const char *kind;
        int fault; /* -1: by nature */
    } culprit[TRUTH_CULPRITS_MAX];
};

/* The scenario of that number. */
void truth_draft(struct truth *truth, uint64_t seed, unsigned number);

#endif
