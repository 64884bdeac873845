/* SPDX-License-Identifier: Apache-2.0
 * record_private - the rows that record_end writes. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_RECORD_PRIVATE_H

#include "replay/database/record_schema.h"
#include "replay/record/collect.h"
#include "replay/record/record.h"

/* Ports, RNICs and switches, with their values at the end of a run. Names are those of Linux and
 * SONiC where they count the same thing: ethtool -S of mlx5 (rx_prio3_pause), the RDMA hw_counters
 * (packet_seq_err), SAI port counters. Zeros are omitted. Brief: only the counters that the text
 * summary reads. */
void record_counters(struct store *store, const struct world *world, time_ps now, bool brief);

/* Fills table flow with the queue pairs. */
void record_flows(struct store *store, const struct world *world);

/* Fills table tcp_connection. */
void record_connections(struct store *store, const struct world *world);

enum { RECORD_MEMBERS_MAX = 4096 }; /* limit below level counters */

/* One row per member of each workload. */
void record_members(struct record *record, const struct collect *collect);

/* Whether members have their own rows: at this level, there are not too many. */
bool record_has_members(const struct record *record, const struct scenario *scenario);

/* The time breakdown; no-op without one. */
void record_waits(struct record *record, const struct collect *collect);

#endif
