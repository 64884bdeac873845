/* SPDX-License-Identifier: Apache-2.0
 * store_brief - virtual tables of SQLite, and an authorizer. */
#include "replay/database/store_brief.h"

#include "base/check.h"
#include "base/memory.h"
#include "replay/database/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 2 };

/* Context of an SQLite module, which frees it. */
struct declaration {
    const struct store_made *made;
    char *sql; /* CREATE statement of the table that it replaces */
};

struct table {
    sqlite3_vtab base; /* SQLite's part; must be first */
    const struct store_made *made;
};

struct cursor {
    sqlite3_vtab_cursor base; /* SQLite's part; must be first */
    struct store_range rows;  /* `first` is the current row */
    bool read;                /* the current row's values have been read */
    struct store_value values[STORE_MADE_COLUMNS];
    char text[STORE_MADE_TEXT_BYTES];
};

static const struct store_made *made_of(const sqlite3_vtab_cursor *cursor)
{
    return ((const struct table *)(const void *)cursor->pVtab)->made;
}

/* ------------------------------------------------------------------ virtual tables */

static int connect_table(sqlite3 *database, void *self, int argc, const char *const *argv,
                         sqlite3_vtab **vtab, char **error)
{
    (void)argc, (void)argv, (void)error;
    const struct declaration *declaration = self;
    const int code = sqlite3_declare_vtab(database, declaration->sql);
    if (code != SQLITE_OK)
        return code;
    struct table *table = memory_zeroed(1, sizeof *table);
    table->made = declaration->made;
    *vtab = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
    free(vtab);
    return SQLITE_OK;
}

/* Uses as many leading keys as the query has values for. A full scan generates all rows, so its
 * cost makes it the planner's last choice. */
static int plan_lookup(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    const struct store_made *made = ((const struct table *)(const void *)vtab)->made;
    const double rows = (double)made->find(made->self, NULL, 0).end;
    int keys = 0;
    for (; keys < made->key_count; keys++) {
        int i = 0;
        while (i < info->nConstraint &&
               (info->aConstraint[i].iColumn != keys || !info->aConstraint[i].usable ||
                info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ))
            i++;
        if (i == info->nConstraint)
            break;
        info->aConstraintUsage[i].argvIndex = keys + 1;
    }
    info->idxNum = keys;
    const double found = keys == 0 ? rows : keys < made->key_count ? 64 : 1;
    info->estimatedCost = keys == 0 ? 1e6 * rows : found;
    info->estimatedRows = (sqlite3_int64)found;
    info->idxFlags = keys == made->key_count ? SQLITE_INDEX_SCAN_UNIQUE : 0;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **made)
{
    (void)vtab;
    struct cursor *cursor = memory_zeroed(1, sizeof *cursor);
    *made = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int find_rows(sqlite3_vtab_cursor *base, int keys, const char *name, int argc,
                     sqlite3_value **argv)
{
    (void)name, (void)argc;
    struct cursor *cursor = (struct cursor *)(void *)base;
    const struct store_made *made = made_of(base);
    int64_t values[KEYS_MAX] = {0};
    bool numbers = true;
    for (int i = 0; i < keys; i++) {
        const int type = sqlite3_value_numeric_type(argv[i]);
        numbers &= type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        values[i] = sqlite3_value_int64(argv[i]);
    }
    cursor->rows =
        numbers ? made->find(made->self, values, keys) : (struct store_range){.first = 0};
    cursor->read = false;
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    cursor->rows.first++;
    cursor->read = false;
    return SQLITE_OK;
}

static int is_over(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)(const void *)base;
    return cursor->rows.first >= cursor->rows.end;
}

static int read_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    struct cursor *cursor = (struct cursor *)(void *)base;
    const struct store_made *made = made_of(base);
    if (!cursor->read)
        made->read(made->self, cursor->rows.first, cursor->values, cursor->text);
    cursor->read = true;
    const struct store_value *value = &cursor->values[column];
    if (value->type == STORE_INTEGER)
        sqlite3_result_int64(context, value->integer);
    else if (value->type == STORE_TEXT)
        sqlite3_result_text(context, value->text, -1, SQLITE_TRANSIENT);
    else
        CHECK(value->type == STORE_NULL);
    return SQLITE_OK;
}

static int read_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((const struct cursor *)(const void *)base)->rows.first;
    return SQLITE_OK;
}

static void free_declaration(void *self)
{
    free(((struct declaration *)self)->sql);
    free(self);
}

static void make_virtual(struct store *store, const struct store_made *made)
{
    static const sqlite3_module module = {
        .xCreate = connect_table,
        .xConnect = connect_table,
        .xBestIndex = plan_lookup,
        .xDisconnect = disconnect_table,
        .xDestroy = disconnect_table,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = find_rows,
        .xNext = next_row,
        .xEof = is_over,
        .xColumn = read_column,
        .xRowid = read_rowid,
    };
    const char *name = record_tables[made->table].name;
    CHECK(record_tables[made->table].columns <= STORE_MADE_COLUMNS && made->key_count <= KEYS_MAX);
    struct store_statement *row =
        store_prepare(store, "SELECT sql FROM sqlite_schema WHERE name=?");
    store_bind(row, 1, STORE_T(name));
    if (store_step(row)) {
        struct declaration *declaration = memory_new(sizeof *declaration);
        *declaration = (struct declaration){made, memory_text(store_raw_text(row, "sql"))};
        sqlite3_create_module_v2(store->database, name, &module, declaration, free_declaration);
    }
    store_finish(row);
    char sql[128];
    snprintf(sql, sizeof sql, "DROP TABLE %s; CREATE VIRTUAL TABLE %s USING %s", name, name, name);
    store_exec(store, sql);
}

/* ------------------------------------------------------------------ omitted tables */

static bool is_unread(const char *table)
{
    for (int i = 0; i < RECORD_TABLES; i++)
        if (record_tables[i].unread && strcmp(record_tables[i].name, table) == 0)
            return true;
    return false;
}

static int authorize(void *self, int action, const char *table, const char *column,
                     const char *database, const char *within)
{
    (void)self, (void)column, (void)database, (void)within;
    return action == SQLITE_READ && is_unread(table) ? SQLITE_DENY : SQLITE_OK;
}

void store_make_brief(struct store *store, const struct store_brief *brief)
{
    for (int i = 0; i < RECORD_TABLES; i++)
        store->left_out[i] = record_tables[i].unread;
    for (int i = 0; i < brief->count; i++) {
        store->left_out[brief->tables[i].table] = true;
        make_virtual(store, &brief->tables[i]);
    }
    sqlite3_set_authorizer(store->database, authorize, NULL);
}
