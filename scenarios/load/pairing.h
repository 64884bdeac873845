/* SPDX-License-Identifier: Apache-2.0
 * pairing - who talks to whom when a workload has several hosts.
 *   all-to-all    each of from with each of to
 *   one-to-one    the first with the first, and so on; as many of one as of the other
 *   round-robin   as many pairs as the longer side has; the shorter one is gone through in turns
 *   permutation   each of from with one of to that nobody else has, drawn from the seed
 * No host talks to itself: all-to-all and round-robin leave such a pair out, permutation draws
 * around it. */
#ifndef STORMGLASS_SCENARIOS_LOAD_PAIRING_H
#define STORMGLASS_SCENARIOS_LOAD_PAIRING_H

#include "base/rng.h"
#include "scenarios/load/select.h"

#define PAIRINGS(X)                                                                                \
    X(ROUND_ROBIN, "round-robin")                                                                  \
    X(ALL_TO_ALL, "all-to-all")                                                                    \
    X(ONE_TO_ONE, "one-to-one")                                                                    \
    X(PERMUTATION, "permutation")

#define X(name, word) PAIRING_##name,
enum pairing { PAIRINGS(X) };
#undef X

enum { PAIRING_MAX = 1000000 };

struct pairing_list {
    struct scenario_pair *pairs;
    uint32_t count;
};

/* How they are paired; `loopback`: a host with itself, too. */
struct pairing_way {
    enum pairing pairing;
    bool loopback;
};

/* NULL, or a sentence that says why it cannot be done. */
const char *pairing_make(struct arena *arena, const struct pairing_way *way,
                         const struct selection *from, const struct selection *to, struct rng *rng,
                         struct pairing_list *list);

#endif
