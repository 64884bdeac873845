/* SPDX-License-Identifier: Apache-2.0
 * What a statement from outside may do to a run's database: read, and nothing else; and what a
 * database that somebody else has made can make this program do: nothing. */
#include "replay/database/store_guard.h"

#include "replay/database/store.h"
#include "replay/files/output_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char folder[64], path[96], journal[128];
    sqlite3 *database;
    bool refused;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/a.db", fixture->folder);
    snprintf(fixture->journal, sizeof fixture->journal, "%s%s", fixture->path,
             output_suffixes[OUTPUT_SUFFIX_JOURNAL]);
    assert_int_equal(sqlite3_open(fixture->path, &fixture->database), SQLITE_OK);
    static const char made[] = "CREATE TABLE t(x); INSERT INTO t VALUES(1), (2);"
                               "CREATE TABLE log(x);"
                               "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log"
                               " VALUES(new.x); END;";
    assert_int_equal(sqlite3_exec(fixture->database, made, NULL, NULL, NULL), SQLITE_OK);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(sqlite3_close(fixture->database), SQLITE_OK);
    unlink(fixture->journal);
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static bool runs(const struct fixture *fixture, const char *sql)
{
    return sqlite3_exec(fixture->database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void reading_is_allowed(void **state)
{
    struct fixture *fixture = *state;
    static const char *const statements[] = {
        "SELECT x FROM t",
        "SELECT count(*), max(x), upper('a') FROM t",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3) SELECT i FROM n",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT name FROM pragma_table_info('t')",
        "PRAGMA table_info(t)",
        "PRAGMA TABLE_LIST",
        "PRAGMA integrity_check",
        "PRAGMA quick_check",
        "PRAGMA collation_list",
        "PRAGMA compile_options",
        "PRAGMA user_version",
        "PRAGMA encoding",
        "PRAGMA page_count",
    };
    store_guard_reading(fixture->database, &fixture->refused);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!runs(fixture, statements[i]))
            fail_msg("%s", statements[i]);
        assert_false(fixture->refused);
    }
}

static void everything_else_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char *const statements[] = {
        "INSERT INTO t VALUES(3)",
        "UPDATE t SET x=3",
        "DELETE FROM t",
        "DROP TABLE t",
        "CREATE INDEX i ON t(x)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TEMP TABLE u(x)",
        "CREATE TRIGGER h AFTER DELETE ON t BEGIN SELECT 1; END",
        "ALTER TABLE t ADD COLUMN y",

        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "PRAGMA user_version=1",
        "PRAGMA application_id=1",
        "PRAGMA encoding='UTF-16'",
        "PRAGMA journal_mode=WAL",
        "PRAGMA writable_schema",
        "PRAGMA query_only",
        "PRAGMA optimize",
        "SELECT load_extension('./evil.so')",
        "SELECT LOAD_EXTENSION('./evil.so')",
    };
    store_guard_reading(fixture->database, &fixture->refused);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        fixture->refused = false;
        if (runs(fixture, statements[i]) || !fixture->refused)
            fail_msg("%s", statements[i]);
    }
    assert_true(runs(fixture, "SELECT count(*) FROM t"));
}

/* A table-valued function declares its table. */
static void what_is_no_table_of_the_file_is_left_alone(void **state)
{
    struct fixture *fixture = *state;
    store_guard_reading(fixture->database, &fixture->refused);
    assert_false(runs(fixture, "INSERT INTO log VALUES(1)"));
    assert_true(fixture->refused);
    fixture->refused = false;
    assert_false(runs(fixture, "SELECT nothing_of_that_name(1)"));
    assert_false(fixture->refused); /* that is another mistake */
}

static int count_of(const struct fixture *fixture, const char *sql)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(fixture->database, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const int count = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return count;
}

static bool is_set(const struct fixture *fixture, int option)
{
    int value = -1;
    assert_int_equal(sqlite3_db_config(fixture->database, option, -1, &value), SQLITE_OK);
    return value != 0;
}

static void a_guarded_database_runs_nothing(void **state)
{
    struct fixture *fixture = *state;
    assert_true(runs(fixture, "INSERT INTO t VALUES(3)"));
    assert_int_equal(count_of(fixture, "SELECT count(*) FROM log"), 1);
    store_guard(fixture->database);
    assert_true(runs(fixture, "INSERT INTO t VALUES(4)")); /* and no trigger runs */
    assert_int_equal(count_of(fixture, "SELECT count(*) FROM log"), 1);
    assert_int_equal(count_of(fixture, "SELECT count(*) FROM t"), 4);
    assert_false(runs(fixture, "ATTACH ':memory:' AS other"));
    assert_false(is_set(fixture, SQLITE_DBCONFIG_TRUSTED_SCHEMA));
    assert_true(is_set(fixture, SQLITE_DBCONFIG_DEFENSIVE));
    assert_false(is_set(fixture, SQLITE_DBCONFIG_ENABLE_TRIGGER));
    assert_false(is_set(fixture, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION));
    assert_false(is_set(fixture, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER));
    assert_int_equal(sqlite3_limit(fixture->database, SQLITE_LIMIT_LENGTH, -1), 256 * 1024 * 1024);
    assert_int_equal(count_of(fixture, "PRAGMA cell_size_check"), 1);
}

/* ------------------------------------------------------------------ journals */

static void write_journal(const struct fixture *fixture, const void *bytes, size_t length)
{
    FILE *file = fopen(fixture->journal, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* Its last eight bytes tell, all of them. */
static void a_journal_that_names_another_file_is_a_trap(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[] = "0123456789abcdef\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    const size_t length = sizeof bytes - 1;
    assert_false(store_guard_is_trap(fixture->path)); /* there is none */
    write_journal(fixture, bytes, length);
    assert_true(store_guard_is_trap(fixture->path));
    write_journal(fixture, bytes + 16, 8);
    assert_true(store_guard_is_trap(fixture->path));
    write_journal(fixture, bytes + 17, 7);
    assert_false(store_guard_is_trap(fixture->path));
    write_journal(fixture, bytes, length - 1);
    assert_false(store_guard_is_trap(fixture->path));
    write_journal(fixture, bytes, 0);
    assert_false(store_guard_is_trap(fixture->path));
    for (size_t i = 16; i < length; i++) {
        bytes[i] ^= 1;
        write_journal(fixture, bytes, length);
        assert_false(store_guard_is_trap(fixture->path));
        bytes[i] ^= 1;
    }
}

static void a_column_that_the_query_lacks_or_has_twice_is_an_error(void **state)
{
    static const struct {
        const char *sql, *error;
    } rows[] = {
        {"SELECT 1 AS one", "SQL: no column is named two in SELECT 1 AS one"},
        {"SELECT 1 AS two, 3 AS two", "SQL: more than one column is named two in SELECT 1 AS two, "
                                      "3 AS two"},
        {"SELECT 3 AS one, 2 AS two", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char error[STORE_ERROR_BYTES];
        const struct store_beginning beginning = {.kind = STORE_RUN, .schema = "CREATE TABLE t(x)"};
        struct store *store = store_create(NULL, &beginning, error);
        assert_non_null(store);
        struct store_statement *row = store_prepare(store, rows[i].sql);
        assert_true(store_step(row));
        assert_int_equal(store_int(row, "two"), rows[i].error == NULL ? 2 : 0);
        if (rows[i].error == NULL) {
            assert_int_equal(store_int(row, "one"), 3);
            assert_null(store_error(store));
        } else {
            assert_string_equal(store_error(store), rows[i].error);
        }
        store_finish(row);
        store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_column_that_the_query_lacks_or_has_twice_is_an_error,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_is_allowed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(everything_else_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_table_of_the_file_is_left_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_guarded_database_runs_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_journal_that_names_another_file_is_a_trap, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
