/* SPDX-License-Identifier: Apache-2.0
 * store_private - what the files of a store share. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_PRIVATE_H
#define STORMGLASS_REPLAY_DATABASE_STORE_PRIVATE_H

#include "replay/database/record_schema.h"
#include "replay/database/store.h"
#include "replay/database/store_brief.h"
#include "replay/database/store_guard.h"
#include "replay/files/name_lock.h"

struct store {
    sqlite3 *database; /* NULL: it keeps nothing */
    uint64_t pending;
    bool failed;
    bool writable;
    bool reading, refused;                          /* statements may only read; one was refused */
    struct name_lock *lock;                         /* of a file that is written */
    struct store_statement *inserts[RECORD_TABLES]; /* NULL: no row of that table so far */
    bool left_out[RECORD_TABLES];                   /* rows of these tables are not kept */
    char error[STORE_ERROR_BYTES];
    char blame[STORE_ERROR_BYTES]; /* empty: its tables are as they should be */
};

struct store_statement {
    struct store *store;
    sqlite3_stmt *handle;
    char **texts; /* of its columns: of this row, those that could not be printed; else NULL */
    struct store_names *names;
};

/* The columns of a statement by name, from the first read on: before it SQLite may compile the
 * statement again. */
struct store_names {
    struct store_name {
        const char *text;
        bool single; /* read before: no other column has this name */
    } * list;        /* NULL: not read so far */
    int count;
    int next; /* behind the column that was read last: most reads are in the order of the query */
};

/* SQLite gave nothing: because there is nothing, or there was no memory for it, which ends the
 * program. */
const char *store_nothing(sqlite3 *database);

/* Makes the new database `to` one like the image.  A code of SQLite. */
int store_image_copy(sqlite3 *to, const struct store_image *image);

/* Of a new database in memory that has all its tables. */
void store_make_brief(struct store *store, const struct store_brief *brief);

/* The row is over. */
void store_forget_texts(const struct store_statement *statement);

#endif
