/* SPDX-License-Identifier: Apache-2.0
 * store_guard - settings, limits, and the authorizer of statements. */
#include "replay/database/store_guard.h"

#include "replay/database/store.h"
#include "replay/files/output_place.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 256 * 1024 * 1024 }; /* the largest stored source is a quarter of that */

void store_guard(sqlite3 *database)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    sqlite3_exec(database, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ read-only statements */

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && sqlite3_stricmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Pragmas that only report on the database; with a value, some of them would change it. */
static bool is_telling(const char *pragma, const char *value)
{
    static const char *const about[] = {"table_info",
                                        "table_xinfo",
                                        "table_list",
                                        "index_list",
                                        "index_info",
                                        "index_xinfo",
                                        "database_list",
                                        "function_list",
                                        "foreign_key_check",
                                        "pragma_list",
                                        "foreign_key_list",
                                        "module_list",
                                        "compile_options",
                                        "integrity_check",
                                        "quick_check",
                                        "collation_list",
                                        NULL};
    static const char *const values[] = {
        "user_version",   "application_id", "page_count",   "page_size", "freelist_count",
        "schema_version", "data_version",   "journal_mode", "encoding",  NULL};
    return is_among(about, pragma) || (value == NULL && is_among(values, pragma));
}

static bool is_reading(int action, const char *first, const char *second)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TABLE: /* this and the next two: declaration of a table-valued function */
        return true;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
        return strcmp(first, "sqlite_master") == 0;
    case SQLITE_FUNCTION:
        return sqlite3_stricmp(second, "load_extension") != 0;
    case SQLITE_PRAGMA:
        return is_telling(first, second);
    default:
        return false;
    }
}

static int authorize(void *self, int action, const char *first, const char *second,
                     const char *database, const char *within)
{
    bool *refused = self;
    (void)database, (void)within;
    if (is_reading(action, first, second))
        return SQLITE_OK;
    *refused = true;
    return SQLITE_DENY;
}

void store_guard_reading(sqlite3 *database, bool *refused)
{
    sqlite3_set_authorizer(database, authorize, refused);
}

/* ------------------------------------------------------------------ journals */

/* A journal that is part of a transaction over several databases ends with the name of another
 * file, its length, a checksum and these eight bytes (SQLite file format, section 3). */
bool store_guard_is_trap(const char *path)
{
    static const unsigned char mark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    char name[PATH_MAX + OUTPUT_SUFFIX_BYTES];
    unsigned char end[sizeof mark] = {0};
    snprintf(name, sizeof name, "%s%s", path, output_suffixes[OUTPUT_SUFFIX_JOURNAL]);
    FILE *journal = fopen(name, "rbe");
    if (journal == NULL)
        return false;
    const bool trap = fseek(journal, -(long)sizeof end, SEEK_END) == 0 &&
                      fread(end, sizeof end, 1, journal) == 1 &&
                      memcmp(end, mark, sizeof mark) == 0;
    fclose(journal);
    return trap;
}
