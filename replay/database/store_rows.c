/* SPDX-License-Identifier: Apache-2.0
 * store_rows - the values of a row. */
#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"
#include "replay/database/store_private.h"

#include <stdio.h>
#include <stdlib.h>

const char *store_nothing(sqlite3 *database)
{
    const int code = database == NULL ? SQLITE_NOMEM : sqlite3_errcode(database);
    if (code == SQLITE_NOMEM || sqlite3_extended_errcode(database) == SQLITE_IOERR_NOMEM)
        memory_out(0, "the run database");
    return "";
}

int store_columns(const struct store_statement *statement)
{
    return statement == NULL ? 0 : sqlite3_column_count(statement->handle);
}

const char *store_column_name(const struct store_statement *statement, int column)
{
    const char *name = sqlite3_column_name(statement->handle, column);
    return name == NULL ? store_nothing(statement->store->database) : name;
}

enum store_type store_column_type(const struct store_statement *statement, int column)
{
    switch (sqlite3_column_type(statement->handle, column)) {
    case SQLITE_INTEGER:
        return STORE_INTEGER;
    case SQLITE_FLOAT:
        return STORE_REAL;
    case SQLITE_NULL:
        return STORE_NULL;
    case SQLITE_BLOB:
        return STORE_BLOB;
    default:
        return STORE_TEXT;
    }
}

int64_t store_int(const struct store_statement *statement, int column)
{
    return sqlite3_column_int64(statement->handle, column);
}

double store_real(const struct store_statement *statement, int column)
{
    return sqlite3_column_double(statement->handle, column);
}

const unsigned char *store_blob(const struct store_statement *statement, int column, size_t *bytes)
{
    const unsigned char *blob = sqlite3_column_blob(statement->handle, column);
    *bytes = (size_t)sqlite3_column_bytes(statement->handle, column);
    if (blob == NULL)
        store_nothing(statement->store->database);
    return blob;
}

const char *store_raw_text(const struct store_statement *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement->handle, column);
    return text == NULL ? "" : (const char *)text;
}

const char *store_text(const struct store_statement *statement, int column)
{
    const char *text = store_raw_text(statement, column);
    if (printable_is(text))
        return text;
    if (statement->texts[column] == NULL)
        statement->texts[column] = printable_new(text, false);
    return statement->texts[column];
}

void store_forget_texts(const struct store_statement *statement)
{
    for (int i = 0; i < store_columns(statement); i++) {
        free(statement->texts[i]);
        statement->texts[i] = NULL;
    }
}

int64_t store_ask_int(struct store *store, const char *sql, int64_t otherwise)
{
    struct store_statement *statement = store_prepare(store, sql);
    int64_t answer = otherwise;
    if (store_step(statement) && store_column_type(statement, 0) != STORE_NULL)
        answer = store_int(statement, 0);
    store_finish(statement);
    return answer;
}

void store_ask_text(struct store *store, const char *sql, char *text, size_t size)
{
    CHECK(size > 0);
    text[0] = '\0';
    struct store_statement *statement = store_prepare(store, sql);
    if (store_step(statement))
        snprintf(text, size, "%s", store_text(statement, 0));
    store_finish(statement);
}

int64_t store_result(struct store *store, const char *path)
{
    struct store_statement *row = store_prepare(store, "SELECT value FROM result WHERE path=?");
    store_bind(row, 1, STORE_T(path));
    const int64_t value = store_step(row) ? store_int(row, 0) : 0;
    store_finish(row);
    return value;
}
