/* SPDX-License-Identifier: Apache-2.0
 * test_brief - a database in memory that only a summary is made of. */
#include "replay/database/record_schema.h"
#include "replay/record/record.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "stormglass: 1\n"
                           "name: tiny\n"
                           "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2,"
                           " hosts-per-leaf: 2}}\n"
                           "workloads:\n"
                           "  - {name: a, kind: rdma-write, from: host0, to: host3}\n";

static int set_up(void **state)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "tiny.yaml", .text = text, .length = strlen(text)};
    *state = scenario_load(&input, &diag);
    if (*state == NULL)
        diag_print(&diag, stderr);
    assert_non_null(*state);
    return 0;
}

static int tear_down(void **state)
{
    scenario_free(*state);
    return 0;
}

static struct record *open_record(const struct scenario *scenario, bool brief)
{
    char error[STORE_ERROR_BYTES] = "";
    const struct record_options options = {
        .brief = brief, .until = TIME_NEVER, .threads = 1, .version = "1.2.3"};
    struct record *record = record_open(&options, scenario, error);
    if (record == NULL)
        fail_msg("%s", error);
    return record;
}

/* Rows that are made when they are read are those that are written, by whatever key. */
static void compare_tables(struct store *whole, struct store *brief, const char *sql)
{
    struct store_statement *left = store_prepare(whole, sql), *right = store_prepare(brief, sql);
    int64_t rows = 0;
    for (; store_step(left); rows++) {
        assert_true(store_step(right));
        for (int i = 0; i < store_columns(left); i++)
            assert_string_equal(store_column_text(left, i), store_column_text(right, i));
    }
    assert_false(store_step(right));
    assert_true(rows > 0);
    store_finish(left);
    store_finish(right);
}

static void brief_databases_have_the_same_fabric(void **state)
{
    static const char *const queries[] = {
        "SELECT * FROM node ORDER BY node",
        "SELECT * FROM port ORDER BY node, port",
        "SELECT * FROM link ORDER BY link",
        "SELECT count(*) FROM node WHERE kind='host'",
        "SELECT name FROM node WHERE node=2",
        "SELECT count(*) FROM node WHERE node IN (-1, 99, NULL, 'x', 1.5)",
        "SELECT name FROM port WHERE node=3 ORDER BY port",
        "SELECT count(*) FROM port WHERE node=3 AND port=77",
        "SELECT p.name, q.name FROM port p JOIN port q ON q.node=p.peer_node AND"
        " q.port=p.peer_port ORDER BY p.node, p.port",
        "SELECT name FROM port WHERE endpoint=1",
        "SELECT l.name, a.name, b.name FROM link l JOIN node a ON a.node=a_node JOIN node b"
        " ON b.node=b_node ORDER BY link",
    };
    struct record *whole = open_record(*state, false), *brief = open_record(*state, true);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        compare_tables(record_store(whole), record_store(brief), queries[i]);
    assert_null(record_error(brief));
    assert_true(record_close(whole) && record_close(brief));
}

/* An empty table is no answer. */
static void what_a_brief_database_leaves_out_cannot_be_read(void **state)
{
    for (int i = 0; i < RECORD_TABLES; i++) {
        char sql[128];
        struct record *brief = open_record(*state, true);
        struct store *store = record_store(brief);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", record_tables[i].name);
        const int64_t rows = store_ask_int(store, sql, -1);
        assert_int_equal(record_tables[i].unread, rows == -1);
        assert_int_equal(record_tables[i].unread, record_error(brief) != NULL);
        if (record_tables[i].unread)
            assert_false(store_keeps(store, i));
        record_close(brief);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brief_databases_have_the_same_fabric),
        cmocka_unit_test(what_a_brief_database_leaves_out_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
