/* SPDX-License-Identifier: Apache-2.0
 * store - stub that stores nothing, because Debian has no SQLite package for WebAssembly. Only runs
 * without a reader (run_options.unread) are possible here. */
#include "replay/database/store.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct store {
    char nothing;
};

static struct store *refuse(char error[STORE_ERROR_BYTES])
{
    snprintf(error, STORE_ERROR_BYTES, "this build does not support databases");
    return NULL;
}

struct store *store_create_deaf(void)
{
    return memory_new(sizeof(struct store));
}

struct store *store_create(const char *path, const struct store_beginning *beginning,
                           char error[STORE_ERROR_BYTES])
{
    (void)path;
    (void)beginning;
    return refuse(error);
}

bool store_is_foreign(const char *path, enum store_kind kind)
{
    (void)path;
    (void)kind;
    return true;
}

const char *store_kind_words(enum store_kind kind)
{
    (void)kind;
    return "a database";
}

enum store_kind store_kind(struct store *store)
{
    (void)store;
    return STORE_RUN;
}

bool store_close(struct store *store)
{
    free(store);
    return true;
}

bool store_keeps(const struct store *store, int table)
{
    (void)store;
    (void)table;
    return false;
}

const char *store_error(const struct store *store)
{
    (void)store;
    return NULL;
}

void store_exec(struct store *store, const char *sql)
{
    (void)store;
    (void)sql;
}

void store_commit(struct store *store)
{
    (void)store;
}

uint64_t store_pending(const struct store *store)
{
    (void)store;
    return 0;
}

/* ---- statements: there are none, so all operations are no-ops ---- */

struct store_statement *store_prepare(struct store *store, const char *sql)
{
    (void)store;
    (void)sql;
    return NULL;
}

void store_finish(struct store_statement *statement)
{
    (void)statement;
}

void store_insert_values(struct store_statement *statement, const struct store_value *values,
                         int count)
{
    (void)statement;
    (void)values;
    (void)count;
}

void store_insert_row(struct store *store, int table, const struct store_value *values)
{
    (void)store;
    (void)table;
    (void)values;
}

void store_bind(struct store_statement *statement, int index, struct store_value value)
{
    (void)statement;
    (void)index;
    (void)value;
}

bool store_step(struct store_statement *statement)
{
    (void)statement;
    return false;
}

const char *store_text(const struct store_statement *statement, const char *column)
{
    (void)statement;
    (void)column;
    return NULL;
}

int64_t store_int(const struct store_statement *statement, const char *column)
{
    (void)statement;
    (void)column;
    return 0;
}

const unsigned char *store_blob(const struct store_statement *statement, const char *column,
                                size_t *bytes)
{
    (void)statement;
    (void)column;
    *bytes = 0;
    return NULL;
}

int64_t store_ask_int(struct store *store, const char *sql, int64_t otherwise)
{
    (void)store;
    (void)sql;
    return otherwise;
}
