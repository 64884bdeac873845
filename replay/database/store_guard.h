/* SPDX-License-Identifier: Apache-2.0
 * store_guard - what a database that may be anybody's can make SQLite do.
 * The only place that includes <sqlite3.h>; for the files of a store alone. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_GUARD_H
#define STORMGLASS_REPLAY_DATABASE_STORE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* Its views and generated columns call no functions with effects, its triggers do not run, no other
 * file is opened beside it, and what is damaged is an error as soon as it is seen. */
void store_guard(sqlite3 *database);

/* From here on a statement is refused, and `refused` becomes true, unless it only reads.  What a
 * table-valued function declares looks like a new table of the file: those that would really make
 * one are not sqlite3_stmt_readonly. */
void store_guard_reading(sqlite3 *database, bool *refused);

/* Whether the journal of a database names another file.  Playing it back would remove that one, and
 * no run has ever written such a journal. */
bool store_guard_is_trap(const char *path);

#endif
