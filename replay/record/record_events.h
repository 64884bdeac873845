/* SPDX-License-Identifier: Apache-2.0
 * record_events - the table `event`: what happened when, one row each.
 * Faults, links, connections, queue pairs, controllers, watchdogs and deadlocks; the summary, run
 * --json and the page list its rows through v_event.  What nodes note comes as it happens, the rest
 * at the end of the run.
 * Clock: virtual time.  At most RECORD_EVENTS_MAX rows of notes, and as many of links. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_EVENTS_H
#define STORMGLASS_REPLAY_RECORD_RECORD_EVENTS_H

#include "base/units.h"
#include "replay/database/store.h"

struct collect;

enum { RECORD_EVENTS_MAX = 10000 };

/* What a node noted; `owner` is its name. */
void record_event_of_note(struct store *store, time_ps at, const char *owner, const char *text);

/* What the scenario and the world have of the run up to its end. */
void record_events(struct store *store, const struct collect *collect);

#endif
