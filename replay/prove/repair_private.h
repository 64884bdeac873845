/* SPDX-License-Identifier: Apache-2.0
 * repair_private - what the parts of repair share. */
#ifndef STORMGLASS_REPLAY_PROVE_REPAIR_PRIVATE_H
#define STORMGLASS_REPLAY_PROVE_REPAIR_PRIVATE_H

#include "replay/prove/repair.h"

/* The deviation is one of those that the repair covers. */
bool repair_covers(const struct repair *repair, const struct deviations *deviations, size_t index);

/* Nodes and workloads are the repaired scenario's own, in its arena. */
void repair_setting(struct repaired *repaired, const struct deviation *deviation,
                    const struct scenario *scenario);

#endif
