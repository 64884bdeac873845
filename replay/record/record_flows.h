/* SPDX-License-Identifier: Apache-2.0
 * record_flows - the queue pairs of a run, as they are at its end. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_FLOWS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_FLOWS_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

/* Table flow. */
void record_flows(struct store *store, const struct world *world);

#endif
