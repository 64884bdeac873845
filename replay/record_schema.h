/* SPDX-License-Identifier: Apache-2.0
 * record_schema - the tables of a run database.
 * The text is the documentation: SQLite keeps it, comments included, in the file's own
 * sqlite_schema. */
#ifndef STORMGLASS_REPLAY_RECORD_SCHEMA_H
#define STORMGLASS_REPLAY_RECORD_SCHEMA_H

enum { RECORD_FORMAT = 3 }; /* meta.format: raised when a table changes its meaning */

extern const char record_schema[];

#endif
