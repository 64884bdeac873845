/* SPDX-License-Identifier: Apache-2.0
 * play_change - changes that change nothing, or all in proportion.
 *   a default that is written out, workloads with other names, a fault that never comes
 *                                   the same digest
 *   an idle host at the one switch  the same workloads, pauses and drops
 *   all rates twice, all times half the same counts, and all latencies half
 * Names of hosts and switches are not among them: they are what breaks ties and what random
 * streams belong to (docs/architecture.md). */
#ifndef STORMGLASS_TESTS_SWARM_PLAY_CHANGE_H
#define STORMGLASS_TESTS_SWARM_PLAY_CHANGE_H

#include "play.h"

#include "base/digest.h"

void play_change(const struct scenario *scenario, const char *text, uint64_t seed,
                 const struct digest *digest, struct play_outcome *outcome);

#endif
