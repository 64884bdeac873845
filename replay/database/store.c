/* SPDX-License-Identifier: Apache-2.0
 * store - calls to SQLite.
 * Creating a database: lock the name; write the schema to a temporary file without a journal (an
 * unfinished file is discarded); close it, so that only the file itself remains; remove the
 * write-ahead log of a former database of that name (otherwise its frames would be replayed into
 * the new file); rename; open again and switch to the write-ahead log.
 * Closing checkpoints the log and returns to a rollback journal, so a finished run is a single file
 * that can be read from a read-only directory. */
#include "replay/database/store.h"

#include "base/check.h"
#include "base/memory.h"
#include "replay/database/store_private.h"
#include "replay/files/name_lock.h"
#include "replay/files/output_place.h"
#include "replay/files/staged_file.h"
#include "scenarios/format/filekind.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(struct store *store, const char *what)
{
    if (store->failed)
        return;
    store_nothing(store->database);
    store->failed = true;
    snprintf(store->error, sizeof store->error, "%s: %s", what, sqlite3_errmsg(store->database));
}

/* SQLite's message, followed by the system's if there is one ("No space left on device"). */
static void fail_write(struct store *store)
{
    if (store->failed)
        return;
    const int reason = sqlite3_system_errno(store->database);
    const int code = sqlite3_errcode(store->database);
    fail(store, "writing the run database");
    if (reason == 0 || code == SQLITE_FULL)
        return;
    const size_t used = strlen(store->error);
    snprintf(store->error + used, sizeof store->error - used, " (%s)", strerror(reason));
}

/* Memory statistics are not used, and counting takes a mutex per allocation. */
static void configure(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* No connection is used by two threads at the same time. */
static struct store *store_open_flags(const char *path, int flags, char error[STORE_ERROR_BYTES])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
    struct store *store = memory_new(sizeof *store);
    const int code = sqlite3_open_v2(path, &store->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(store->database, 2000);
        return store;
    }
    store_nothing(store->database);
    const int reason = sqlite3_system_errno(store->database);
    snprintf(error, STORE_ERROR_BYTES, "%s", reason != 0 ? strerror(reason) : sqlite3_errstr(code));
    sqlite3_close(store->database);
    free(store);
    return NULL;
}

void store_exec(struct store *store, const char *sql)
{
    if (store->failed || store->database == NULL)
        return;
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_write(store);
}

void store_commit(struct store *store)
{
    CHECK(store->writable);
    store_exec(store, "COMMIT; BEGIN");
    store->pending = 0;
}

uint64_t store_pending(const struct store *store)
{
    return store->pending;
}

const char *store_error(const struct store *store)
{
    return store->failed ? store->error : NULL;
}

bool store_close(struct store *store)
{
    if (store == NULL)
        return true;
    if (store->database == NULL) {
        free(store);
        return true;
    }
    for (int i = 0; i < RECORD_TABLES; i++)
        store_finish(store->inserts[i]);
    if (store->writable)
        store_exec(store, "COMMIT");
    bool well = !store->failed;
    /* A reader that has the file open keeps the log in use. The database then stays in WAL mode,
     * which is equally valid. */
    if (well && store->writable) {
        const int end =
            sqlite3_exec(store->database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
        well = end == SQLITE_OK || end == SQLITE_BUSY || end == SQLITE_LOCKED;
    }
    const int code = sqlite3_close(store->database);
    CHECK(code == SQLITE_OK);
    if (store->lock != NULL)
        name_lock_release(store->lock);
    free(store->lock);
    free(store);
    return well;
}

static void make_tables(struct store *store, const struct store_beginning *beginning)
{
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d", (int)beginning->kind);
    store_exec(store, pragma);
    store_exec(store, beginning->schema);
}

/* No sync is needed here: later transactions are synchronized, and these pages with them. */
static void copy_tables(struct store *store, const struct store_image *image)
{
    store_exec(store, "PRAGMA synchronous=OFF");
    if (!store->failed && store_image_copy(store->database, image) != SQLITE_OK)
        fail_write(store);
    store_exec(store, "PRAGMA synchronous=FULL");
}

static void write_beginning(struct store *store, const struct store_beginning *beginning)
{
    store_exec(store, "PRAGMA journal_mode=OFF");
    if (beginning->image != NULL)
        copy_tables(store, beginning->image);
    store_exec(store, "BEGIN");
    if (beginning->image == NULL)
        make_tables(store, beginning);
    if (beginning->brief != NULL)
        store_make_brief(store, beginning->brief);
    if (beginning->fill != NULL)
        beginning->fill(beginning->self, store);
    store_exec(store, "COMMIT");
}

static void start_writing(struct store *store)
{
    store_exec(store, "PRAGMA journal_mode=WAL");
    store_exec(store, "PRAGMA synchronous=NORMAL");
    store_exec(store, "PRAGMA cache_size=-4096"); /* KiB: bounds memory */
    store_exec(store, "BEGIN");
    store->writable = true;
}

/* Removes leftovers of a former database of this name and renames the new file to it. */
static bool take_name(struct staged_file *fresh, const char *path)
{
    char name[PATH_MAX + OUTPUT_SUFFIX_BYTES];
    for (int i = 0; i < OUTPUT_SUFFIX_LOCK; i++) {
        snprintf(name, sizeof name, "%s%s", path, output_suffixes[i]);
        unlink(name);
    }
    return staged_file_commit(fresh, path);
}

static struct store *fail_close(struct store *store, char error[STORE_ERROR_BYTES])
{
    snprintf(error, STORE_ERROR_BYTES, "%s", store->error);
    store->writable = false;
    store_close(store);
    return NULL;
}

static struct store *create_memory(const struct store_beginning *beginning,
                                   char error[STORE_ERROR_BYTES])
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    struct store *store = store_open_flags(":memory:", flags, error);
    if (store == NULL)
        return NULL;
    write_beginning(store, beginning);
    start_writing(store);
    return store->failed ? fail_close(store, error) : store;
}

static bool create_file(const char *fresh, const struct store_beginning *beginning,
                        char error[STORE_ERROR_BYTES])
{
    struct store *store =
        store_open_flags(fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (store == NULL)
        return false;
    write_beginning(store, beginning);
    const bool well = !store->failed;
    snprintf(error, STORE_ERROR_BYTES, "%s", store->error);
    store_close(store);
    return well;
}

/* Creates the file with its initial contents under its final name. */
static bool make_file(const char *path, const struct store_beginning *beginning,
                      char error[STORE_ERROR_BYTES])
{
    char name[PATH_MAX];
    struct staged_file fresh;
    /* The suffix -run keeps a page that is written to the same path from removing this file, which
     * is not locked after staged_file_unlock, as a stale one. */
    if (snprintf(name, sizeof name, "%s-run", path) >= PATH_MAX ||
        !staged_file_create(&fresh, name, 0666)) {
        snprintf(error, STORE_ERROR_BYTES, "%s", strerror(errno));
        return false;
    }
    staged_file_unlock(&fresh);
    if (!create_file(fresh.path, beginning, error)) {
        staged_file_discard(&fresh);
        return false;
    }
    if (take_name(&fresh, path))
        return true;
    snprintf(error, STORE_ERROR_BYTES, "%s", strerror(errno));
    return false;
}

static struct store *create_locked(const char *path, const struct store_beginning *beginning,
                                   char error[STORE_ERROR_BYTES])
{
    struct store *store = NULL;
    if (make_file(path, beginning, error))
        store = store_open_flags(path, SQLITE_OPEN_READWRITE, error);
    if (store == NULL)
        return NULL;
    start_writing(store);
    return store->failed ? fail_close(store, error) : store;
}

/* Resolves symbolic links, which are kept, to the place of the file. */
static bool find_place(struct output_place *place, const char *path, enum store_kind kind,
                       char error[STORE_ERROR_BYTES])
{
    if (!output_place_find(place, path))
        snprintf(error, STORE_ERROR_BYTES, "%s", strerror(errno));
    else if (strcmp(path, "-") == 0)
        snprintf(error, STORE_ERROR_BYTES,
                 "%s cannot be written to standard output: expected a file's name",
                 store_kind_words(kind));
    else if (place->kind != OUTPUT_FILE || store_is_foreign(place->path, kind))
        snprintf(error, STORE_ERROR_BYTES, "exists and is not %s; not overwritten",
                 store_kind_words(kind));
    else
        return true;
    return false;
}

struct store *store_create(const char *path, const struct store_beginning *beginning,
                           char error[STORE_ERROR_BYTES])
{
    struct output_place place;
    if (path == NULL)
        return create_memory(beginning, error);
    if (!find_place(&place, path, beginning->kind, error))
        return NULL;
    struct name_lock *lock = memory_new(sizeof *lock);
    struct store *store = NULL;
    if (name_lock_take(lock, place.path)) {
        store = create_locked(place.path, beginning, error);
        if (store == NULL)
            name_lock_release(lock);
    } else {
        snprintf(error, STORE_ERROR_BYTES, "%s",
                 errno == EWOULDBLOCK ? "another run is writing it" : strerror(errno));
    }
    if (store == NULL)
        free(lock);
    else
        store->lock = lock;
    return store;
}

struct store *store_create_deaf(void)
{
    struct store *store = memory_new(sizeof *store);
    store->writable = true;
    return store;
}

/* Returns NULL if it is not one of our databases, or if `torn`: it must be repaired before it can
 * be read. */
static struct store *open_run(const char *path, int flags, bool *torn,
                              char error[STORE_ERROR_BYTES])
{
    struct store *store = store_open_flags(path, flags, error);
    *torn = false;
    if (store == NULL)
        return NULL;
    store_guard(store->database);
    const int64_t kind = store_kind(store);
    if (kind == STORE_RUN || kind == STORE_PLAN)
        return store;
    *torn = store->failed && sqlite3_errcode(store->database) == SQLITE_READONLY;
    const char *words = filekind_words(filekind_of_file(path));
    if (!store->failed && words == NULL)
        words = "an empty file";
    if (words != NULL && (!store->failed || sqlite3_errcode(store->database) == SQLITE_NOTADB))
        snprintf(error, STORE_ERROR_BYTES, "not a run database: this is %s", words);
    else
        snprintf(error, STORE_ERROR_BYTES, "not a run database of stormglass%s%.300s",
                 store->failed ? ": " : "", store->error);
    store_close(store);
    return NULL;
}

/* A run that is killed while it changes the journal mode, at its start or end, leaves a hot
 * journal. Opening the file for writing lets SQLite roll it back. */
static struct store *open_torn(const char *path, char error[STORE_ERROR_BYTES])
{
    bool torn;
    struct store *store = open_run(path, SQLITE_OPEN_READWRITE, &torn, error);
    if (store != NULL)
        store_exec(store, "PRAGMA query_only=1");
    return store;
}

struct store *store_open(const char *path, char error[STORE_ERROR_BYTES])
{
    const bool there = access(path, R_OK) == 0;
    if (!there)
        snprintf(error, STORE_ERROR_BYTES, "%s%s", strerror(errno),
                 strcmp(path, "-") == 0 ? ": a run database is not read from standard input" : "");
    if (!there)
        return NULL;
    bool torn;
    struct store *store = open_run(path, SQLITE_OPEN_READONLY, &torn, error);
    if (!torn || (store_is_foreign(path, STORE_RUN) && store_is_foreign(path, STORE_PLAN)))
        return store;
    if (!store_guard_is_trap(path))
        return open_torn(path, error);
    snprintf(error, STORE_ERROR_BYTES, "its journal names another file, so it is not applied");
    return NULL;
}

void store_read_only(struct store *store)
{
    store->reading = true;
    store_guard_reading(store->database, &store->refused);
}

void store_blame(struct store *store, const char *sentence)
{
    snprintf(store->blame, sizeof store->blame, "%s", sentence);
}

/* An invalid statement, or one that does not match the tables. */
static void fail_sql(struct store *store)
{
    const int code = sqlite3_errcode(store->database);
    fail(store, "SQL");
    if (store->refused)
        snprintf(store->error, sizeof store->error, "SQL: only statements that read are allowed");
    else if (code == SQLITE_ERROR && store->blame[0] != '\0')
        snprintf(store->error, sizeof store->error, "%s", store->blame);
}

struct store_statement *store_prepare(struct store *store, const char *sql)
{
    if (store->failed || store->database == NULL)
        return NULL;
    sqlite3_stmt *handle = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(store->database, sql, -1, &handle, &rest) != SQLITE_OK) {
        fail_sql(store);
        return NULL;
    }
    if (store->reading && handle != NULL && !sqlite3_stmt_readonly(handle)) {
        sqlite3_finalize(handle);
        store->refused = true;
        fail_sql(store);
        return NULL;
    }
    if (handle == NULL || rest[strspn(rest, " \t\r\n;")] != '\0') {
        sqlite3_finalize(handle);
        store->failed = true;
        snprintf(store->error, sizeof store->error, "SQL: expected exactly one statement");
        return NULL;
    }
    struct store_statement *statement = memory_new(sizeof *statement);
    statement->store = store;
    statement->handle = handle;
    statement->names = memory_new(sizeof *statement->names);
    statement->texts =
        memory_zeroed((size_t)sqlite3_column_count(handle), sizeof *statement->texts);
    return statement;
}

void store_finish(struct store_statement *statement)
{
    if (statement == NULL)
        return;
    store_forget_texts(statement);
    free(statement->texts);
    free(statement->names->list);
    free(statement->names);
    sqlite3_finalize(statement->handle);
    free(statement);
}

void store_bind(struct store_statement *statement, int index, struct store_value value)
{
    if (statement == NULL)
        return;
    int code = SQLITE_OK;
    if (value.type == STORE_INTEGER)
        code = sqlite3_bind_int64(statement->handle, index, value.integer);
    else if (value.type == STORE_REAL)
        code = sqlite3_bind_double(statement->handle, index, value.real);
    else if (value.type == STORE_TEXT)
        code = sqlite3_bind_text(statement->handle, index, value.text, -1, SQLITE_TRANSIENT);
    else if (value.type == STORE_BLOB)
        code = sqlite3_bind_blob64(statement->handle, index, value.text,
                                   (sqlite3_uint64)value.integer, SQLITE_TRANSIENT);
    else
        code = sqlite3_bind_null(statement->handle, index);
    CHECK(code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG);
    if (code != SQLITE_OK)
        fail_write(statement->store);
}

static void insert(struct store_statement *statement, const struct store_value *values, int count)
{
    for (int i = 0; i < count; i++)
        store_bind(statement, i + 1, values[i]);
    if (sqlite3_step(statement->handle) != SQLITE_DONE)
        fail_write(statement->store);
    sqlite3_reset(statement->handle);
    statement->store->pending++;
}

void store_insert_values(struct store_statement *statement, const struct store_value *values,
                         int count)
{
    if (statement == NULL || statement->store->failed)
        return;
    CHECK(sqlite3_bind_parameter_count(statement->handle) == count);
    insert(statement, values, count);
}

static struct store_statement *prepare_insert(struct store *store, const struct record_about *table)
{
    char sql[256];
    int used = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", table->name);
    for (int i = 1; i < table->columns; i++)
        used += snprintf(sql + used, sizeof sql - (size_t)used, ",?");
    snprintf(sql + used, sizeof sql - (size_t)used, ")");
    return store_prepare(store, sql);
}

bool store_keeps(const struct store *store, int table)
{
    return !store->failed && store->database != NULL && !store->left_out[table];
}

void store_insert_row(struct store *store, int table, const struct store_value *values)
{
    if (!store_keeps(store, table))
        return;
    struct store_statement **statement = &store->inserts[table];
    if (*statement == NULL)
        *statement = prepare_insert(store, &record_tables[table]);
    if (*statement != NULL)
        insert(*statement, values, record_tables[table].columns);
}

bool store_step(struct store_statement *statement)
{
    if (statement == NULL || statement->store->failed)
        return false;
    store_forget_texts(statement);
    const int code = sqlite3_step(statement->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail_sql(statement->store);
    return code == SQLITE_ROW;
}
