/* SPDX-License-Identifier: Apache-2.0
 * store - the interface of stormglass to SQLite.
 * A database being written is valid at any moment, even after kill -9: schema and scenario are
 * committed under a temporary name, then the file is renamed, and from then on the write-ahead log
 * keeps it consistent.
 * Errors are sticky: after the first error all calls are no-ops, and store_error returns the
 * message. Loops that write should check it occasionally. Error messages do not contain the file's
 * name.
 * Owner: store_close. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_H
#define STORMGLASS_REPLAY_DATABASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;
struct store_brief;
struct store_statement;

enum { STORE_ERROR_BYTES = 512 };

/* The kind of a database: the application ID in the file header. */
enum store_kind {
    STORE_RUN = 0x53746d47, /* "StmG" */
    STORE_PLAN = 0x53746d50 /* "StmP" */
};

enum store_type { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT, STORE_BLOB };

struct store_value {
    enum store_type type;
    int64_t integer; /* of a blob: its size in bytes */
    double real;
    const void *text; /* text or blob; copied when bound */
};

#define STORE_I(x) ((struct store_value){.type = STORE_INTEGER, .integer = (int64_t)(x)})
#define STORE_F(x) ((struct store_value){.type = STORE_REAL, .real = (x)})
#define STORE_T(x) store_text_value(x)
#define STORE_B(x, bytes)                                                                          \
    ((struct store_value){                                                                         \
        .type = (bytes) > 0 ? STORE_BLOB : STORE_NULL, .integer = (bytes), .text = (x)})
#define STORE_N ((struct store_value){.type = STORE_NULL})

/* A NULL text becomes SQL NULL. */
static inline struct store_value store_text_value(const char *text)
{
    return (struct store_value){.type = text == NULL ? STORE_NULL : STORE_TEXT, .text = text};
}

/* A database as the bytes of its file, without the zeros between the pieces. */
struct store_piece {
    size_t at, bytes;
    const unsigned char *data;
};

struct store_image {
    size_t bytes;
    const struct store_piece *pieces; /* ends with a piece of 0 bytes */
};

/* Initial contents of the file: the tables, created by the SQL of `schema` or copied from `image`
 * (the other is NULL), and the rows that `fill` (may be NULL) inserts. */
struct store_beginning {
    enum store_kind kind; /* ignored with an image, which contains the kind */
    const char *schema;
    const struct store_image *image;
    void (*fill)(void *self, struct store *store);
    void *self;
    const struct store_brief *brief; /* only in memory (store_brief.h); NULL: keep all tables */
};

/* Creates a database; `path` NULL: in memory. An existing file is replaced if it is empty or a
 * database of the same kind, otherwise rejected; symbolic links are followed and kept. Returns NULL
 * and a message in `error` on failure, without leaving a file. Until store_close, no other process
 * can create a database of that name. */
struct store *store_create(const char *path, const struct store_beginning *beginning,
                           char error[STORE_ERROR_BYTES]);

/* A store that discards everything. All calls are no-ops without errors. */
struct store *store_create_deaf(void);

/* True if store_create would reject `path` because the file there is not a database of this
 * kind. */
bool store_is_foreign(const char *path, enum store_kind kind);

/* "a run database" */
const char *store_kind_words(enum store_kind kind);

/* Opens a database of either kind read-only. The file may be untrusted: see store_guard.h. */
struct store *store_open(const char *path, char error[STORE_ERROR_BYTES]);

/* The kind of an open database. */
enum store_kind store_kind(struct store *store);

/* For untrusted statements: from here on, statements that do more than read are errors. */
void store_read_only(struct store *store);

/* Sets the error message for statements that do not match the database's tables. */
void store_blame(struct store *store, const char *sentence);

/* Ends all transactions and turns the database into a single file (checkpoints the log). Returns
 * false if the last writes failed. */
bool store_close(struct store *store);

/* NULL if no error has occurred. */
const char *store_error(const struct store *store);

void store_exec(struct store *store, const char *sql);

/* Commits all rows written so far and begins a new transaction. */
void store_commit(struct store *store);

/* Rows inserted since the last commit. */
uint64_t store_pending(const struct store *store);

/* Returns NULL, with a sticky error, if the SQL is invalid. Finish every statement before
 * store_close. */
struct store_statement *store_prepare(struct store *store, const char *sql);
void store_finish(struct store_statement *statement);

/* Resets the statement to before its first row and keeps its bindings; it can be bound and stepped
 * again. */
void store_rewind(struct store_statement *statement);

void store_insert_values(struct store_statement *statement, const struct store_value *values,
                         int count);

/* False if rows of that table (enum record_table) are not kept, so the caller need not build
 * them. */
bool store_keeps(const struct store *store, int table);

/* Inserts a row into the table with that number in record_schema.h; RECORD_ROW makes the values,
 * one per column. The INSERT is prepared with the first row. */
void store_insert_row(struct store *store, int table, const struct store_value *values);

/* Inserts a row with a prepared INSERT: STORE_INSERT(statement, STORE_I(1), STORE_T("two")). */
#define STORE_INSERT(statement, ...)                                                               \
    store_insert_values(                                                                           \
        statement, (const struct store_value[]){__VA_ARGS__},                                      \
        (int)(sizeof((const struct store_value[]){__VA_ARGS__}) / sizeof(struct store_value)))

void store_bind(struct store_statement *statement, int index, struct store_value value);

/* Moves to the next row; false at the end or on error. */
bool store_step(struct store_statement *statement);

/* Values of the row by the column's name in the SELECT; expressions and duplicate names need AS. A
 * name that the query lacks or has twice is a sticky error, and the value is then that of NULL.
 * Columns may be added to a query at any position. */
int64_t store_int(const struct store_statement *statement, const char *column);
double store_real(const struct store_statement *statement, const char *column);
bool store_is_null(const struct store_statement *statement, const char *column);
/* NULL and size 0 for SQL NULL. Valid until the next step. */
const unsigned char *store_blob(const struct store_statement *statement, const char *column,
                                size_t *bytes);
/* A single printable line (base/printable.h), whatever the database contains. Never NULL: SQL NULL
 * is "". Valid until the next step. */
const char *store_text(const struct store_statement *statement, const char *column);
/* The text unchanged: with line breaks, or for use by programs. */
const char *store_raw_text(const struct store_statement *statement, const char *column);

/* Access by number, from 0, for tables that print all columns of a query in order. */
int store_columns(const struct store_statement *statement);
const char *store_column_name(const struct store_statement *statement, int column);
/* The number of a named column; -1 and a sticky error if the query does not have it. */
int store_column(const struct store_statement *statement, const char *name);
enum store_type store_column_type(const struct store_statement *statement, int column);
int64_t store_column_int(const struct store_statement *statement, int column);
double store_column_real(const struct store_statement *statement, int column);
const unsigned char *store_column_blob(const struct store_statement *statement, int column,
                                       size_t *bytes);
const char *store_column_text(const struct store_statement *statement, int column);
const char *store_column_raw_text(const struct store_statement *statement, int column);

/* The first column of the first row; `otherwise` if there is no row. */
int64_t store_ask_int(struct store *store, const char *sql, int64_t otherwise);
/* Like store_ask_int, copied into `text`. */
void store_ask_text(struct store *store, const char *sql, char *text, size_t size);

/* The number of a row in the results table; 0 if there is none. */
int64_t store_result(struct store *store, const char *path);

#endif
