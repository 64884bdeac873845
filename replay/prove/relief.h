/* SPDX-License-Identifier: Apache-2.0
 * relief - a scenario with more of one resource.
 * Rows of parameters say which of them relieve it (`scales` of base/opt_effect.h), and kinds of
 * faults what they act on; both are changed in a scenario of the caller's own, within bounds.
 * Parameters that things share are changed once. */
#ifndef STORMGLASS_REPLAY_PROVE_RELIEF_H
#define STORMGLASS_REPLAY_PROVE_RELIEF_H

#include "replay/explain/bottleneck.h"
#include "scenarios/load/scenario.h"

/* How much of it, as a part of what is there: 1100 is a tenth more, or costs by a tenth smaller;
 * numbers grow by one at the least. */
enum { RELIEF_TENTH = 1100, RELIEF_LIMITLESS = 1000 * 1000, RELIEF_NOTHING = 1000 };

/* The scenario as it was read, with another seed if `seed` is not 0; NULL: see the diag. */
struct scenario *relief_reload(const struct scenario *scenario, uint64_t seed, struct diag *diag);

/* Likewise with one more of --set, "path=value"; NULL: as it was. */
struct scenario *relief_reload_with(const struct scenario *scenario, const char *set,
                                    struct diag *diag);

/* How many values were changed; 0: the scenario has nothing of it to relieve. */
uint32_t relief_apply(struct scenario *scenario, enum bottleneck_resource resource,
                      int64_t permille);

/* What would be changed, "workloads.oltp.queue-depth 32 -> 36, ..."; "" nothing. */
void relief_words(const struct scenario *scenario, enum bottleneck_resource resource,
                  int64_t permille, char *text, size_t size);

#endif
