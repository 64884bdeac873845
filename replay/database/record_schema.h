/* SPDX-License-Identifier: Apache-2.0
 * record_schema - the tables of a run database, all from record_schema.def.
 * The text is the documentation: SQLite keeps it, comments included, in the file's own
 * sqlite_schema. */
#ifndef STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H
#define STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H

#include "replay/database/store.h"

enum { RECORD_FORMAT = 10 }; /* meta.format: raised when a table changes its meaning */

/* meta.epoch_unix_s: where the run's begin lies in a calendar, 2000-01-01 00:00 UTC. */
enum { RECORD_EPOCH_UNIX_S = 946684800 };

extern const char record_schema[];

/* What executing it leaves: written where the program is built (record_image.c), because it
 * takes SQLite longer than to play a small scenario. */
extern const struct store_image record_image;

enum record_table {
#define TABLE(name, text) RECORD_TABLE_##name,
#include "replay/database/record_schema.def"
    RECORD_TABLES
};

/* A row of each table: a value for each column, by its name. */
/* clang-format off */
#define TABLE(name, text)  struct record_row_##name {
#define COLUMN(name, text)     struct store_value name;
#define END(text)          };
/* clang-format on */
#include "replay/database/record_schema.def"

/* INSERTs a row: RECORD_ROW(store, blocked, .node = STORE_I(1), .from_ps = STORE_I(2)).
 * A column that is not named is NULL. */
#define RECORD_ROW(store, table, ...)                                                              \
    store_insert_row(store, RECORD_TABLE_##table,                                                  \
                     (const struct store_value *)&(const struct record_row_##table){__VA_ARGS__})

/* Rows of the table are kept: RECORD_KEEPS(store, blocked). */
#define RECORD_KEEPS(store, table) store_keeps(store, RECORD_TABLE_##table)

struct record_about {
    const char *name;
    int columns;
    bool unread; /* a brief database leaves it empty */
};
extern const struct record_about record_tables[RECORD_TABLES];

#endif
