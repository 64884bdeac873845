/* SPDX-License-Identifier: Apache-2.0
 * record_deadlocks - deadlocks as text and as rows. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_DEADLOCKS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_DEADLOCKS_H

#include "net/deadlock/deadlock.h"
#include "replay/database/store.h"
#include "scenarios/data/scenario.h"

/* "deadlock since 1.23 ms: switch0:p1 -> switch1:p2 -> switch0:p1 (priority 3), 2 queues, 1.2 MB
 * stand". */
void record_deadlock_words(const struct scenario *scenario, const struct deadlock *deadlock,
                           char *text, size_t size);

/* Fills tables deadlock and deadlock_queue. */
void record_deadlocks(struct store *store, const struct scenario *scenario,
                      const struct deadlock_watch *watch);

#endif
