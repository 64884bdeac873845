/* SPDX-License-Identifier: Apache-2.0
 * record_flows - the queue pairs of a run, as they are at its end. */
#ifndef STORMGLASS_REPLAY_RECORD_FLOWS_H
#define STORMGLASS_REPLAY_RECORD_FLOWS_H

#include "replay/store.h"
#include "scenarios/world.h"

/* Table flow. */
void record_flows(struct store *store, const struct world *world);

#endif
