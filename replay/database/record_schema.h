/* SPDX-License-Identifier: Apache-2.0
 * record_schema - the tables of a run database, generated from record_schema.def.
 * The text is the documentation: SQLite keeps it, with comments, in sqlite_schema of the file. */
#ifndef STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H
#define STORMGLASS_REPLAY_DATABASE_RECORD_SCHEMA_H

#include "replay/database/store.h"

enum { RECORD_FORMAT = 10 }; /* meta.format: incremented when the meaning of a table changes */

/* meta.epoch_unix_s: calendar time of the start of the run, 2000-01-01 00:00 UTC. */
enum { RECORD_EPOCH_UNIX_S = 946684800 };

extern const char record_schema[];

/* The database after executing the schema, built at compile time (record_image.c) because executing
 * it takes SQLite longer than a small simulation. */
extern const struct store_image record_image;

enum record_table {
#define TABLE(name, text) RECORD_TABLE_##name,
#include "replay/database/record_schema.def"
    RECORD_TABLES
};

/* A row of each table: one value per column, by name. */
/* clang-format off */
#define TABLE(name, text)  struct record_row_##name {
#define COLUMN(name, text)     struct store_value name;
#define END(text)          };
/* clang-format on */
#include "replay/database/record_schema.def"

/* INSERTs a row: RECORD_ROW(store, blocked, .node = STORE_I(1), .from_ps = STORE_I(2)). Columns
 * that are not named are NULL. */
#define RECORD_ROW(store, table, ...)                                                              \
    store_insert_row(store, RECORD_TABLE_##table,                                                  \
                     (const struct store_value *)&(const struct record_row_##table){__VA_ARGS__})

/* Whether rows of the table are kept: RECORD_KEEPS(store, blocked). */
#define RECORD_KEEPS(store, table) store_keeps(store, RECORD_TABLE_##table)

struct record_about {
    const char *name;
    int columns;
    bool unread; /* a brief database leaves it empty */
};
extern const struct record_about record_tables[RECORD_TABLES];

#endif
