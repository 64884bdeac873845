/* SPDX-License-Identifier: Apache-2.0
 * record_events - the table `event`: one row for each event.
 * Faults, links, connections, queue pairs, controllers, watchdogs and deadlocks. The summary, run
 * --json and the page list its rows through v_event. Notes of nodes are written as they occur,
 * everything else at the end of the run.
 * Clock: virtual time. At most RECORD_EVENTS_MAX rows from notes, and as many for links. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_EVENTS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_EVENTS_H

#include "base/units.h"
#include "replay/database/store.h"

struct collect;

enum { RECORD_EVENTS_MAX = 10000 };

/* Writes the event of a node's note; `owner` is the node's name. */
void record_event_of_note(struct store *store, time_ps at, const char *owner, const char *text);

/* Writes the events that the scenario and the world contain up to the end of the run. */
void record_events(struct store *store, const struct collect *collect);

#endif
