/* SPDX-License-Identifier: Apache-2.0
 * pairing - which hosts of a workload form pairs.
 *   all-to-all    each of from with each of to
 *   one-to-one    the first with the first, and so on; both sides have the same number
 *   round-robin   as many pairs as the longer side has hosts; the shorter side is repeated in turn
 *   permutation   each of from with a different one of to, drawn from the seed
 * No host is paired with itself: all-to-all and round-robin skip such a pair, permutation draws
 * other partners. */
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

/* How hosts are paired; `loopback`: a host may be paired with itself. */
struct pairing_way {
    enum pairing pairing;
    bool loopback;
};

/* NULL, or a sentence that explains why the pairing is impossible. */
const char *pairing_make(struct arena *arena, const struct pairing_way *way,
                         const struct selection *from, const struct selection *to, struct rng *rng,
                         struct pairing_list *list);

#endif
