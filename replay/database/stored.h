/* SPDX-License-Identifier: Apache-2.0
 * stored - reloads the scenario that a run database contains.
 * The database alone is sufficient: it contains the scenario, the files that the scenario names,
 * and the changes from the command line.
 * Owner: stored_free, after the simulation of the scenario has ended. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORED_H
#define STORMGLASS_REPLAY_DATABASE_STORED_H

#include "replay/database/store.h"
#include "scenarios/data/scenario.h"

struct stored {
    struct scenario *scenario; /* NULL: see messages in the diag */
    time_ps until;             /* simulated up to this time; TIME_NEVER: to the end */
    struct scenario_source *files;
    char **sets;
    uint32_t file_count, set_count;
};

/* Opens a run database for reading; NULL and a message if it is not one or has a newer format.
 * Owner: store_close. */
struct store *stored_open(const char *path, char why[STORE_ERROR_BYTES]);

/* Checks the format of an open store; false and a message if it is newer. */
bool stored_is_readable(struct store *store, char why[STORE_ERROR_BYTES]);

/* False and a message if an earlier version wrote it without tables that exist now. The run can
 * then be repeated and explained, but not fully displayed. */
bool stored_is_of_today(struct store *store, char why[STORE_ERROR_BYTES]);

/* True, and up to which time, if the run did not end: it was killed or is still in progress. */
bool stored_is_cut(struct store *store, char why[STORE_ERROR_BYTES]);

/* Time up to which all events are in the database; -1: formats before 4 do not record it. */
time_ps stored_reached(struct store *store);

/* False if the scenario cannot be loaded; call stored_free in either case. */
bool stored_load(struct stored *stored, struct store *store, struct diag *diag);
void stored_free(struct stored *stored);

#endif
