/* SPDX-License-Identifier: Apache-2.0
 * store_private - internal interface of the store. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_PRIVATE_H
#define STORMGLASS_REPLAY_DATABASE_STORE_PRIVATE_H

#include "replay/database/record_schema.h"
#include "replay/database/store.h"
#include "replay/database/store_brief.h"
#include "replay/database/store_guard.h"
#include "replay/files/name_lock.h"

struct store {
    sqlite3 *database; /* NULL: discards everything */
    uint64_t pending;
    bool failed;
    bool writable;
    bool reading, refused;                          /* read-only statements; one was rejected */
    struct name_lock *lock;                         /* of a file being written */
    struct store_statement *inserts[RECORD_TABLES]; /* NULL: no row inserted yet */
    bool left_out[RECORD_TABLES];                   /* rows of these tables are discarded */
    char error[STORE_ERROR_BYTES];
    char blame[STORE_ERROR_BYTES]; /* empty: default error message */
};

struct store_statement {
    struct store *store;
    sqlite3_stmt *handle;
    char **texts; /* by column: printable copy of the text, or NULL */
    struct store_names *names;
};

/* The columns of a statement by name. Filled at the first read, because SQLite may recompile the
 * statement before it. */
struct store_names {
    struct store_name {
        const char *text;
        bool single; /* read before, so the name is unique */
    } * list;        /* NULL: not read yet */
    int count;
    int next; /* column after the last one read: most reads follow the order of the query */
};

/* SQLite returned NULL: the value is NULL, or memory ran out, which ends the program. */
const char *store_nothing(sqlite3 *database);

/* Makes the new database `to` a copy of the image. Returns an SQLite result code. */
int store_image_copy(sqlite3 *to, const struct store_image *image);

/* `store` is a new database in memory with all its tables. */
void store_make_brief(struct store *store, const struct store_brief *brief);

/* Call when the statement leaves its row. */
void store_forget_texts(const struct store_statement *statement);

#endif
