/* SPDX-License-Identifier: Apache-2.0
 * store_guard - limits what an untrusted database can make SQLite do.
 * The only file that includes <sqlite3.h>; for the files of the store only. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_GUARD_H
#define STORMGLASS_REPLAY_DATABASE_STORE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* Views and generated columns cannot call functions with side effects, triggers do not run, no
 * other file is opened, and corruption is reported as soon as it is detected. */
void store_guard(sqlite3 *database);

/* From here on, a statement is rejected, and `refused` set, unless it only reads. Table-valued
 * functions declare their columns with CREATE TABLE, so those are allowed here; statements that
 * really create a table are not sqlite3_stmt_readonly. */
void store_guard_reading(sqlite3 *database, bool *refused);

/* Whether a database's journal names another file. Rolling it back would delete that file, and no
 * run writes such a journal. */
bool store_guard_is_trap(const char *path);

#endif
