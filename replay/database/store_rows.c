/* SPDX-License-Identifier: Apache-2.0
 * store_rows - the values of a row. */
#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"
#include "replay/database/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ by number */

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

int64_t store_column_int(const struct store_statement *statement, int column)
{
    return sqlite3_column_int64(statement->handle, column);
}

double store_column_real(const struct store_statement *statement, int column)
{
    return sqlite3_column_double(statement->handle, column);
}

const unsigned char *store_column_blob(const struct store_statement *statement, int column,
                                       size_t *bytes)
{
    const unsigned char *blob = sqlite3_column_blob(statement->handle, column);
    *bytes = (size_t)sqlite3_column_bytes(statement->handle, column);
    if (blob == NULL)
        store_nothing(statement->store->database);
    return blob;
}

const char *store_column_raw_text(const struct store_statement *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement->handle, column);
    return text == NULL ? "" : (const char *)text;
}

const char *store_column_text(const struct store_statement *statement, int column)
{
    const char *text = store_column_raw_text(statement, column);
    if (printable_is(text))
        return text;
    if (statement->texts[column] == NULL)
        statement->texts[column] = printable_new(text, false);
    return statement->texts[column];
}

/* ------------------------------------------------------------------ by name */

static void read_names(const struct store_statement *statement)
{
    struct store_names *names = statement->names;
    names->count = store_columns(statement);
    names->list = memory_zeroed((size_t)names->count, sizeof *names->list);
    for (int i = 0; i < names->count; i++)
        names->list[i].text = store_column_name(statement, i);
}

static int columns_of(const struct store_names *names, const char *name)
{
    int count = 0;
    for (int i = 0; i < names->count; i++)
        count += strcmp(names->list[i].text, name) == 0;
    return count;
}

static int fail_column(const struct store_statement *statement, const char *name)
{
    struct store *store = statement->store;
    if (store->failed)
        return -1;
    store->failed = true;
    snprintf(store->error, sizeof store->error, "SQL: %s column is named %.60s in %.400s",
             columns_of(statement->names, name) == 0 ? "no" : "more than one", name,
             sqlite3_sql(statement->handle));
    return -1;
}

int store_column(const struct store_statement *statement, const char *name)
{
    struct store_names *names = statement->names;
    if (names->list == NULL)
        read_names(statement);
    for (int i = 0, at = names->next; i < names->count; i++, at++) {
        at = at < names->count ? at : 0;
        struct store_name *found = &names->list[at];
        if (strcmp(found->text, name) != 0)
            continue;
        if (!found->single && columns_of(names, name) > 1)
            break;
        found->single = true;
        names->next = at + 1;
        return at;
    }
    return fail_column(statement, name);
}

bool store_is_null(const struct store_statement *statement, const char *column)
{
    const int number = store_column(statement, column);
    return number < 0 || store_column_type(statement, number) == STORE_NULL;
}

int64_t store_int(const struct store_statement *statement, const char *column)
{
    const int number = store_column(statement, column);
    return number < 0 ? 0 : store_column_int(statement, number);
}

double store_real(const struct store_statement *statement, const char *column)
{
    const int number = store_column(statement, column);
    return number < 0 ? 0 : store_column_real(statement, number);
}

const unsigned char *store_blob(const struct store_statement *statement, const char *column,
                                size_t *bytes)
{
    const int number = store_column(statement, column);
    *bytes = 0;
    return number < 0 ? NULL : store_column_blob(statement, number, bytes);
}

const char *store_raw_text(const struct store_statement *statement, const char *column)
{
    const int number = store_column(statement, column);
    return number < 0 ? "" : store_column_raw_text(statement, number);
}

const char *store_text(const struct store_statement *statement, const char *column)
{
    const int number = store_column(statement, column);
    return number < 0 ? "" : store_column_text(statement, number);
}

void store_forget_texts(const struct store_statement *statement)
{
    for (int i = 0; i < store_columns(statement); i++) {
        free(statement->texts[i]);
        statement->texts[i] = NULL;
    }
}

void store_rewind(struct store_statement *statement)
{
    if (statement == NULL)
        return;
    store_forget_texts(statement);
    sqlite3_reset(statement->handle);
}

int64_t store_ask_int(struct store *store, const char *sql, int64_t otherwise)
{
    struct store_statement *statement = store_prepare(store, sql);
    int64_t answer = otherwise;
    if (store_step(statement) && store_column_type(statement, 0) != STORE_NULL)
        answer = store_column_int(statement, 0);
    store_finish(statement);
    return answer;
}

void store_ask_text(struct store *store, const char *sql, char *text, size_t size)
{
    CHECK(size > 0);
    text[0] = '\0';
    struct store_statement *statement = store_prepare(store, sql);
    if (store_step(statement))
        snprintf(text, size, "%s", store_column_text(statement, 0));
    store_finish(statement);
}

int64_t store_result(struct store *store, const char *path)
{
    struct store_statement *row = store_prepare(store, "SELECT value FROM result WHERE path=?");
    store_bind(row, 1, STORE_T(path));
    const int64_t value = store_step(row) ? store_int(row, "value") : 0;
    store_finish(row);
    return value;
}
