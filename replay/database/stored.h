/* SPDX-License-Identifier: Apache-2.0
 * stored - the scenario that a run database holds, loaded again.
 * The database alone is enough: it has the scenario, the files that it names and the changes of the
 * command line.
 * Owner: stored_free, after whatever plays the scenario. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORED_H
#define STORMGLASS_REPLAY_DATABASE_STORED_H

#include "replay/database/store.h"
#include "scenarios/load/scenario.h"

struct stored {
    struct scenario *scenario; /* NULL: messages are in the diag */
    time_ps until;             /* played up to there; TIME_NEVER: to the end */
    struct scenario_source *files;
    char **sets;
    uint32_t file_count, set_count;
};

/* A run database to be read; NULL, and a sentence, when it is none, or of a later format than this
 * program knows.  Owner: store_close. */
struct store *stored_open(const char *path, char why[STORE_ERROR_BYTES]);

/* The second of these alone, of a store that is open: false and the sentence. */
bool stored_is_readable(struct store *store, char why[STORE_ERROR_BYTES]);

/* False, and a sentence, when an earlier version has written it, without tables that are there now:
 * it can be played again and explained, but not shown whole. */
bool stored_is_of_today(struct store *store, char why[STORE_ERROR_BYTES]);

/* True, and how far it got, when the run did not end: it was killed, or is still being played. */
bool stored_is_cut(struct store *store, char why[STORE_ERROR_BYTES]);

/* Up to where everything that happened is in the database; -1: a format before 4 does not say. */
time_ps stored_reached(struct store *store);

/* False when the scenario cannot be loaded; stored_free is due in any case. */
bool stored_load(struct stored *stored, struct store *store, struct diag *diag);
void stored_free(struct stored *stored);

#endif
