/* SPDX-License-Identifier: Apache-2.0
 * record_schema - the tables of a run database.
 * The text is the documentation: SQLite keeps it, comments included, in the file's own
 * sqlite_schema. */
#ifndef STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H
#define STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H

enum { RECORD_FORMAT = 4 }; /* meta.format: raised when a table changes its meaning */

/* meta.epoch_unix_s: where the run's begin lies in a calendar, 2000-01-01 00:00 UTC. */
enum { RECORD_EPOCH_UNIX_S = 946684800 };

extern const char record_schema[];
extern const char record_schema_counters[], record_schema_series[],
    record_schema_events[]; /* further parts */

#endif
