/* SPDX-License-Identifier: Apache-2.0
 * test_measure - what a run cost its workloads, from tables that are written by hand. */
#include "replay/experiment/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Of the tables what is read; the run lasted 1000 ps and 200 more. */
static const char tables[] =
    "CREATE TABLE meta(simulated_ps, drain_ps); INSERT INTO meta VALUES(1000, 200);"
    "CREATE TABLE workload(workload, unfinished, start_ps, last_completion_ps, latency_mean_ps,"
    "  latency_p99_ps, failed);"
    "CREATE TABLE result(path, value);"
    "CREATE TABLE latency(workload, count);"
    "CREATE TABLE member(workload, from_node, to_node, issued, completed, failed, first_issue_ps,"
    "  last_completion_ps, latency_mean_ps);"
    "CREATE TABLE workload_way(workload, node, port, priority);"
    "CREATE TABLE counter(node, port, priority, name, value);";

static void measure_of(struct measure *measure, struct store *store, uint32_t workloads)
{
    const struct measure_hops ways = {0};
    struct measure_members members;
    measure_members_read(&members, store, workloads);
    measure_read(measure, store, &members, workloads, &ways);
    measure_members_free(&members);
}

static struct store *store_with(const char *rows)
{
    char error[STORE_ERROR_BYTES];
    const struct store_beginning beginning = {.kind = STORE_RUN, .schema = tables};
    struct store *store = store_create(NULL, &beginning, error);
    assert_non_null(store);
    store_exec(store, rows);
    assert_null(store_error(store));
    return store;
}

static void ways_are_in_order_of_node_port_and_priority(void **state)
{
    (void)state;
    static const struct measure_hop ways[] = {
        {0, 0, 0}, {0, 0, 3}, {0, 1, 0}, {0, 7, 7}, {1, 0, 0}, {1, 0, 1}, {9, 3, 2}, {10, 0, 0},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    for (int a = 0; a < WAYS; a++)
        for (int b = 0; b < WAYS; b++)
            assert_int_equal(measure_hop_order(&ways[a], &ways[b]), a < b ? -1 : a > b);
}

static void a_way_of_several_workloads_is_read_once(void **state)
{
    (void)state;
    struct store *store = store_with("INSERT INTO workload_way VALUES(0, 2, 1, 3), (1, 2, 1, 3),"
                                     " (1, 2, 1, 0), (0, 1, 5, 3), (1, 10, 0, 3), (0, 2, 0, 3)");
    static const struct measure_hop expected[] = {
        {1, 5, 3}, {2, 0, 3}, {2, 1, 0}, {2, 1, 3}, {10, 0, 3}};
    struct measure_hops ways = {0};
    measure_hops_read(&ways, store);
    assert_int_equal(ways.count, 5);
    for (uint32_t i = 0; i < ways.count; i++)
        assert_int_equal(measure_hop_order(&ways.rows[i], &expected[i]), 0);
    free(ways.rows);
    assert_true(store_close(store));
}

/* Keys of one list that the other has not are passed over, at both ends and between. */
static void stops_are_of_the_ways_alone(void **state)
{
    (void)state;
    struct store *store = store_with(
        "INSERT INTO workload_way VALUES(0, 1, 0, 3), (0, 1, 1, 3), (0, 2, 0, 3), (0, 2, 0, 4);"
        "INSERT INTO counter VALUES(0, 0, 3, 'tx_prio3_blocked_ps', 1),"
        " (1, 0, 0, 'tx_prio0_blocked_ps', 2), (1, 0, 3, 'tx_prio3_blocked_ps', 4),"
        " (1, 0, 3, 'tx_prio3_bytes', 8), (1, 5, 3, 'tx_prio3_blocked_ps', 16),"
        " (2, 0, 4, 'tx_prio4_blocked_ps', 32), (2, 0, 5, 'tx_prio5_blocked_ps', 64),"
        " (3, 0, 3, 'tx_prio3_blocked_ps', 128)");
    struct measure_hops ways = {0};
    struct measure measure;
    measure_hops_read(&ways, store);
    const struct measure_members nobody = {0};
    measure_read(&measure, store, &nobody, 0, &ways);
    static const int64_t expected[] = {4, 0, 0, 32};
    assert_int_equal(ways.count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(measure.stopped_ps[i], expected[i]);
    measure_free(&measure);
    assert_null(measure.works);
    assert_null(measure.stopped_ps);
    free(ways.rows);
    assert_true(store_close(store));
}

/* Under way: what was measured, and for each that never completed the time since the last that
 * did, or since the workload began. */
static void work_is_measured_and_waited_for(void **state)
{
    (void)state;
    static const struct {
        const char *workload, *counts; /* unfinished, start, last completion, mean, p99, failed */
        struct loss_work expected;
        int64_t p99_ps;
    } rows[] = {
        {"0, 0, 900, 10.0, 15, 0", "(0, 1), (0, 3)", {4, 40}, 15},
        {"0, 0, 900, 10.4, 15, 2", "(0, 3)", {3, 31, 2}, 15},
        {"0, 0, 900, 10.5, 15, 0", "(0, 3)", {3, 32}, 15},
        {"1, 0, 900, 10.0, 15, 0", "(0, 4)", {4, 340, 0, 1}, 15},
        {"3, 100, 900, 10.0, 15, 0", "(0, 4), (1, 70)", {4, 940, 0, 3}, 15},
        {"2, 100, NULL, NULL, NULL, 1", "(1, 1)", {0, 2200, 1, 2}, 0},
        {"0, 100, NULL, NULL, NULL, 1", "(1, 1)", {0, 0, 1}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char sql[256];
        snprintf(sql, sizeof sql,
                 "INSERT INTO workload VALUES(0, %s); INSERT INTO latency VALUES%s",
                 rows[i].workload, rows[i].counts);
        struct store *store = store_with(sql);
        struct measure measure;
        measure_of(&measure, store, 1);
        assert_int_equal(measure.works[0].done, rows[i].expected.done);
        assert_int_equal(measure.works[0].under_way_ps, rows[i].expected.under_way_ps);
        assert_int_equal(measure.workloads[0].p99_ps, rows[i].p99_ps);
        assert_int_equal(measure.works[0].failed, rows[i].expected.failed);
        assert_int_equal(measure.works[0].unfinished, rows[i].expected.unfinished);
        measure_free(&measure);
        assert_true(store_close(store));
    }
}

/* A run that has fewer workloads than the scenario, and one that says more. */
static void works_are_by_number(void **state)
{
    (void)state;
    struct store *store = store_with("INSERT INTO workload VALUES(1, 0, 0, 900, 7.0, 9, 0),"
                                     " (2, 0, 0, 900, 8.0, 10, 3);"
                                     "INSERT INTO latency VALUES(1, 1), (2, 2)");
    struct measure measure;
    measure_of(&measure, store, 2);
    assert_int_equal(measure.works[0].done, 0);
    assert_int_equal(measure.works[1].under_way_ps, 7);
    measure_free(&measure);
    measure_of(&measure, store, 4);
    assert_int_equal(measure.works[2].under_way_ps, 16);
    assert_int_equal(measure.works[3].done, 0);
    measure_free(&measure);
    assert_true(store_close(store));
}

/* A watchdog's drops are of lossless frames; a total without a row is none. */
static void drops_and_idle_members_are_those_of_the_result(void **state)
{
    (void)state;
    struct store *store =
        store_with("INSERT INTO workload VALUES(1, 0, 0, 900, 7.0, 9, 0);"
                   "INSERT INTO result VALUES('drops.lossless', 3), ('drops.watchdog', 4),"
                   " ('drops.mtu', 16), ('packets', 100), ('workloads[1].members_idle', 5)");
    struct measure measure;
    measure_of(&measure, store, 2);
    assert_int_equal(measure.lossless_drops, 7);
    assert_int_equal(measure.drops, 23);
    assert_int_equal(measure.works[0].inactive, 0);
    assert_int_equal(measure.works[1].inactive, 5);
    measure_free(&measure);
    assert_true(store_close(store));
}

/* Instances of one pair go together; who did nothing is inactive, what never ended is waited for
 * since the last that did, or since the first was issued. */
static void members_are_pairs_of_hosts(void **state)
{
    (void)state;
    struct store *store = store_with(
        "INSERT INTO workload VALUES(0, 1, 0, 900, 7.0, 9, 0), (1, 0, 0, 900, 8.0, 11, 0);"
        "INSERT INTO member VALUES(0, 2, 7, 4, 3, 0, 10, 900, 20), (0, 2, 7, 2, 2, 0, 10, 800, 30),"
        " (0, 1, 7, 3, 0, 1, 200, NULL, NULL), (1, 2, 7, 0, 0, 0, NULL, NULL, NULL)");
    static const struct loss_work expected[] = {
        {0, 2000, 1, 2, 1}, {5, 420, 0, 1, 0}, {0, 0, 0, 0, 1}};
    const struct measure_hops ways = {0};
    struct measure_members members;
    struct measure measure;
    measure_members_read(&members, store, 2);
    measure_read(&measure, store, &members, 2, &ways);
    assert_int_equal(members.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(members.rows[i].workload, i == 2);
        assert_int_equal(members.rows[i].from, i == 0 ? 1 : 2);
        assert_int_equal(members.rows[i].to, 7);
        assert_memory_equal(&measure.works[i], &expected[i], sizeof expected[i]);
    }
    assert_int_equal(measure.workloads[0].p99_ps, 9);
    assert_int_equal(measure.workloads[1].p99_ps, 11);
    measure_free(&measure);
    measure_members_free(&members);
    assert_true(store_close(store));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_in_order_of_node_port_and_priority),
        cmocka_unit_test(a_way_of_several_workloads_is_read_once),
        cmocka_unit_test(stops_are_of_the_ways_alone),
        cmocka_unit_test(work_is_measured_and_waited_for),
        cmocka_unit_test(works_are_by_number),
        cmocka_unit_test(drops_and_idle_members_are_those_of_the_result),
        cmocka_unit_test(members_are_pairs_of_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
