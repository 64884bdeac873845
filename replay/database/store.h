/* SPDX-License-Identifier: Apache-2.0
 * store - SQLite as the rest of stormglass sees it.
 * A database being written is valid at any moment: schema and scenario are committed under a
 * temporary name, then the file gets its real name, and from there on the write-ahead log keeps it
 * whole, also after kill -9.
 * Errors stick: after the first one every call does nothing, and store_error says what went wrong;
 * whoever writes in a loop looks once in a while.  Sentences about errors do not name the file.
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

/* What a database is of: the application's number in the file's header. */
enum store_kind {
    STORE_RUN = 0x53746d47, /* "StmG" */
    STORE_PLAN = 0x53746d50 /* "StmP" */
};

enum store_type { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT, STORE_BLOB };

struct store_value {
    enum store_type type;
    int64_t integer; /* of a blob: its bytes */
    double real;
    const void *text; /* or the blob; copied when bound */
};

#define STORE_I(x) ((struct store_value){.type = STORE_INTEGER, .integer = (int64_t)(x)})
#define STORE_F(x) ((struct store_value){.type = STORE_REAL, .real = (x)})
#define STORE_T(x) store_text_value(x)
#define STORE_B(x, bytes)                                                                          \
    ((struct store_value){                                                                         \
        .type = (bytes) > 0 ? STORE_BLOB : STORE_NULL, .integer = (bytes), .text = (x)})
#define STORE_N ((struct store_value){.type = STORE_NULL})

/* NULL becomes SQL's NULL. */
static inline struct store_value store_text_value(const char *text)
{
    return (struct store_value){.type = text == NULL ? STORE_NULL : STORE_TEXT, .text = text};
}

/* A database as its file's bytes, without the zeros between its pieces. */
struct store_piece {
    size_t at, bytes;
    const unsigned char *data;
};

struct store_image {
    size_t bytes;
    const struct store_piece *pieces; /* the last: no bytes */
};

/* What is in the file from the first moment on: the tables, made by the SQL of `schema` or as
 * `image` has them (the other is NULL), and the rows that `fill` (may be NULL) inserts. */
struct store_beginning {
    enum store_kind kind; /* of an image: what that says */
    const char *schema;
    const struct store_image *image;
    void (*fill)(void *self, struct store *store);
    void *self;
    const struct store_brief *brief; /* of one in memory (store_brief.h); NULL: all is kept */
};

/* Creates a database; `path` NULL: in memory.  An existing file is replaced when it is a database
 * of the same kind or empty, and refused otherwise; a symbolic link stays one.  NULL and a sentence
 * in `error` on failure; then no file is left.  Until store_close nobody else can create one of
 * that name. */
struct store *store_create(const char *path, const struct store_beginning *beginning,
                           char error[STORE_ERROR_BYTES]);

/* A store that keeps nothing: nobody will read it.  Every call does nothing, without error. */
struct store *store_create_deaf(void);

/* True when store_create would refuse `path` because something else than a database of this kind is
 * there. */
bool store_is_foreign(const char *path, enum store_kind kind);

/* "a run database" */
const char *store_kind_words(enum store_kind kind);

/* Opens a database of either kind for reading only.  It may be anybody's: see store_guard.h. */
struct store *store_open(const char *path, char error[STORE_ERROR_BYTES]);

/* Of an open one. */
enum store_kind store_kind(struct store *store);

/* For statements that come from outside: those that do not only read are errors from here on. */
void store_read_only(struct store *store);

/* What is said when its tables are not those that a statement asks for. */
void store_blame(struct store *store, const char *sentence);

/* Ends every transaction; a file becomes one file again (the log is folded in).  False: the last
 * writes failed. */
bool store_close(struct store *store);

/* NULL while all is well. */
const char *store_error(const struct store *store);

void store_exec(struct store *store, const char *sql);

/* Rows written so far are safe after this, and a new transaction is open. */
void store_commit(struct store *store);

/* Rows inserted since the last commit. */
uint64_t store_pending(const struct store *store);

/* NULL (and a sticky error) when the SQL is wrong.  Every statement is finished before store_close.
 */
struct store_statement *store_prepare(struct store *store, const char *sql);
void store_finish(struct store_statement *statement);

/* To before its first row, with what is bound: it may be bound anew and stepped again. */
void store_rewind(struct store_statement *statement);

void store_insert_values(struct store_statement *statement, const struct store_value *values,
                         int count);

/* False: rows of that table (enum record_table) are not kept, and need not be made. */
bool store_keeps(const struct store *store, int table);

/* A row of the table with that number in record_schema.h, whose RECORD_ROW gives the values, one
 * for each column.  The INSERT is prepared with the first row. */
void store_insert_row(struct store *store, int table, const struct store_value *values);

/* One row of a prepared INSERT: STORE_INSERT(statement, STORE_I(1), STORE_T("two")). */
#define STORE_INSERT(statement, ...)                                                               \
    store_insert_values(                                                                           \
        statement, (const struct store_value[]){__VA_ARGS__},                                      \
        (int)(sizeof((const struct store_value[]){__VA_ARGS__}) / sizeof(struct store_value)))

void store_bind(struct store_statement *statement, int index, struct store_value value);

/* Moves to the next row; false at the end or on error. */
bool store_step(struct store_statement *statement);

/* Values of the row by the name that the SELECT gives the column: AS, where it is an expression or
 * another column has the same name.  A name that the query lacks, or has twice, is an error that
 * sticks, and the value is then that of NULL.  A query may gain a column at any position. */
int64_t store_int(const struct store_statement *statement, const char *column);
double store_real(const struct store_statement *statement, const char *column);
bool store_is_null(const struct store_statement *statement, const char *column);
/* NULL and 0 for SQL's NULL.  Valid until the next step. */
const unsigned char *store_blob(const struct store_statement *statement, const char *column,
                                size_t *bytes);
/* One line that can be printed (base/printable.h), whatever the database says.  Never NULL: SQL's
 * NULL is "".  Valid until the next step. */
const char *store_text(const struct store_statement *statement, const char *column);
/* The text unchanged: with its line breaks, or not for people to read. */
const char *store_raw_text(const struct store_statement *statement, const char *column);

/* The same by number, from 0, for tables that print every column of a query in its order. */
int store_columns(const struct store_statement *statement);
const char *store_column_name(const struct store_statement *statement, int column);
/* The number of a name; -1, and the error that sticks, where the query does not have it. */
int store_column(const struct store_statement *statement, const char *name);
enum store_type store_column_type(const struct store_statement *statement, int column);
int64_t store_column_int(const struct store_statement *statement, int column);
double store_column_real(const struct store_statement *statement, int column);
const unsigned char *store_column_blob(const struct store_statement *statement, int column,
                                       size_t *bytes);
const char *store_column_text(const struct store_statement *statement, int column);
const char *store_column_raw_text(const struct store_statement *statement, int column);

/* The first column of a query's first row; `otherwise` when there is none. */
int64_t store_ask_int(struct store *store, const char *sql, int64_t otherwise);
/* Likewise, copied into text. */
void store_ask_text(struct store *store, const char *sql, char *text, size_t size);

/* A row of the table of results; 0: there is none. */
int64_t store_result(struct store *store, const char *path);

#endif
