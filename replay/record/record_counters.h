/* SPDX-License-Identifier: Apache-2.0
 * record_counters - ports, RNICs and queue pairs as rows, with their values at the end of a run.
 * Names are those of Linux and SONiC where they count the same thing: ethtool -S of mlx5
 * (rx_prio3_pause), the RDMA hw_counters (packet_seq_err), SAI port counters. Zeros are omitted. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_COUNTERS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_COUNTERS_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

/* Brief: only the counters that the text summary reads. */
void record_counters(struct store *store, const struct world *world, time_ps now, bool brief);

/* Fills table flow with the queue pairs. */
void record_flows(struct store *store, const struct world *world);

#endif
