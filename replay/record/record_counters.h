/* SPDX-License-Identifier: Apache-2.0
 * record_counters - ports, RNICs and queue pairs as rows, as they are at the end of a run.
 * Names are those that Linux and SONiC use where they count the same thing: ethtool -S of mlx5
 * (rx_prio3_pause), the RDMA hw_counters (packet_seq_err), SAI port counters.  Zero is left out. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_COUNTERS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_COUNTERS_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

/* Brief: only those that the summary for people looks at. */
void record_counters(struct store *store, const struct world *world, time_ps now, bool brief);

/* Table flow: the queue pairs. */
void record_flows(struct store *store, const struct world *world);

#endif
