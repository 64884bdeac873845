/* SPDX-License-Identifier: Apache-2.0
 * playback - the events of a stored run between two times, from its database alone.
 * The run is simulated silently up to the first time; from there on each event is reported. Memory
 * is that of a short window. Errors: PLAYBACK_REFUSED and a message in `why`. */
#ifndef STORMGLASS_REPLAY_RUN_PLAYBACK_H
#define STORMGLASS_REPLAY_RUN_PLAYBACK_H

#include "replay/database/store.h"
#include "replay/run/eventlog.h"

struct playback {
    const char *path;
    time_ps from, until; /* after `from`, up to and including `until`; TIME_NEVER: to the end */
    const char *node;    /* NULL: all nodes */
    void (*tell)(void *self, const struct eventlog_reported *event); /* valid during the call */
    void *self;
};

enum playback_end { PLAYBACK_DONE, PLAYBACK_REFUSED };

enum playback_end playback_run(const struct playback *playback, char why[STORE_ERROR_BYTES],
                               struct diag *diag);

#endif
