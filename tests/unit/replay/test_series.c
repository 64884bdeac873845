/* SPDX-License-Identifier: Apache-2.0
 * test_series - when samples are taken, that a run that hangs has few, and that they add up.
 * What is in them besides: tests/golden/series.sh. */
#include "replay/run/run.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_interval_follows_the_duration(void **state)
{
    (void)state;
    static const struct {
        time_ps duration, interval;
    } rows[] = {
        {1, 1},
        {500, 1},
        {501, 2},
        {1001, 5},
        {2501, 10},
        {4 * PS_PER_MS, 10 * PS_PER_US},
        {10 * PS_PER_MS, 20 * PS_PER_US},
        {20 * PS_PER_MS, 50 * PS_PER_US},
        {25 * PS_PER_MS, 50 * PS_PER_US},
        {PS_PER_S, 2 * PS_PER_MS},
        {TIME_NEVER, 20000000 * PS_PER_MS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(series_auto_interval(rows[i].duration), rows[i].interval);
}

/* A host that is paused for ever: the run drains for a second, in which nothing but refreshed
 * pauses happens. */
static const char stuck[] = "stormglass: 1\n"
                            "name: stuck\n"
                            "duration: 100us\n"
                            "drain: 200ms\n"
                            "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                            "workloads:\n"
                            "  - {name: a, kind: rdma-write, from: host0, to: host1}\n"
                            "faults: [{at: 20us, kind: pause-storm, where: host1, priority: 3}]\n";

/* Three write to one that drains slowly: marks, notifications, pauses; and frames that are lost. */
static const char busy[] =
    "stormglass: 1\n"
    "name: busy\n"
    "duration: 300us\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 4}\n"
    "  switch: {ecn-kmin: 20KiB, ecn-kmax: 80KiB}\n"
    "hosts: {defaults: {rnic: {profile: ideal, congestion-control: dcqcn}}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: \"host1..host3\", to: host0, message-size: 64KiB}\n"
    "faults:\n"
    "  - {at: 50us, for: 100us, kind: slow-receiver, drain: 10%, where: host0}\n"
    "  - {at: 0s, kind: drop-every, where: \"host1:p0\", n: 100}\n";

static struct store *play_text(const char *text, const char *set, struct run *run,
                               struct scenario **scenario, time_ps interval)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct scenario_input input = {.name = "test.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set != NULL};
    *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    assert_non_null(*scenario);
    const struct run_options options = {
        .level = RECORD_COUNTERS, .until = TIME_NEVER, .interval = interval};
    assert_int_equal(run_scenario(run, *scenario, &options, diag), RUN_DONE);
    free(diag);
    return record_store(run->record);
}

static struct store *play(struct run *run, struct scenario **scenario, time_ps interval)
{
    return play_text(stuck, NULL, run, scenario, interval);
}

/* What samples count adds up to the counters of the whole run: neither has a row that the other has
 * not. */
static void expect_sums(struct store *store, const char *table, const char *column,
                        const char *counter)
{
    const bool by_priority = strcmp(table, "series_port") == 0;
    char sql[1000], sums[200], ends[200];
    snprintf(sums, sizeof sums,
             "SELECT node, port, %s AS place, sum(%s) AS v FROM %s GROUP BY 1, 2, 3 HAVING v<>0",
             by_priority ? "priority" : "-1", column, table);
    snprintf(ends, sizeof ends,
             "SELECT node, port, coalesce(priority, -1), value FROM counter WHERE name=%s",
             counter);
    snprintf(sql, sizeof sql,
             "SELECT (SELECT count(*) FROM (SELECT * FROM (%s) EXCEPT %s))"
             " + (SELECT count(*) FROM (%s EXCEPT SELECT * FROM (%s)))",
             sums, ends, ends, sums);
    assert_int_equal(store_ask_int(store, sql, 1), 0);
    snprintf(sql, sizeof sql, "SELECT sum(%s) FROM %s", column, table);
    if (store_ask_int(store, sql, 0) == 0)
        fail_msg("%s.%s is always 0", table, column);
}

/* Of an RNIC whose held back queue pairs are all followed: their sum, and the least of them. */
static void the_slowest_queue_pair_is_the_least(void **state)
{
    (void)state;
    static const char rates[] =
        "SELECT %s FROM series_rnic r JOIN (SELECT sample, node, port, count(*) AS n,"
        " min(rate_bps) AS least, max(rate_bps) AS most, sum(rate_bps) AS whole FROM series_flow"
        " GROUP BY 1, 2, 3) USING(sample, node, port) WHERE n=limited AND %s";
    struct run run;
    struct scenario *scenario;
    struct store *store = play_text(busy, "workloads.0.qps=4", &run, &scenario, 7 * PS_PER_US);
    char sql[600];
    snprintf(sql, sizeof sql, rates, "count(*)", "n>1 AND most>least");
    assert_true(store_ask_int(store, sql, 0) > 5);
    snprintf(sql, sizeof sql, rates, "count(*)",
             "(slowest_rate_bps<>least OR limited_rate_bps<>whole)");
    assert_int_equal(store_ask_int(store, sql, 1), 0);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static void samples_add_up_to_the_counters(void **state)
{
    (void)state;
    static const struct {
        const char *table, *column, *counter;
    } rows[] = {
        {"series_port", "tx_bytes", "'tx_prio'||priority||'_bytes'"},
        {"series_port", "rx_bytes", "'rx_prio'||priority||'_bytes'"},
        {"series_port", "blocked_ps", "'tx_prio'||priority||'_blocked_ps'"},
        {"series_port", "xoff_frames", "'tx_prio'||priority||'_pause_xoff'"},
        {"series_port", "ecn_marked_frames", "'tx_prio'||priority||'_ecn_marked'"},
        {"series_rnic", "cnps_sent", "'np_cnp_sent'"},
        {"series_rnic", "cnps_handled", "'rp_cnp_handled'"},
        {"series_rnic", "ecn_marked_frames", "'np_ecn_marked_roce_packets'"},
        {"series_rnic", "retransmitted_frames", "'retransmitted_packets'"},
    };
    struct run run;
    struct scenario *scenario;
    struct store *store = play_text(busy, NULL, &run, &scenario, 7 * PS_PER_US);
    assert_true(store_ask_int(store, "SELECT count(*) FROM series", 0) > 40);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_sums(store, rows[i].table, rows[i].column, rows[i].counter);
    /* The longest of a sample is the end of its range in the histogram. */
    assert_int_equal(store_ask_int(store,
                                   "SELECT count(*) FROM workload w JOIN (SELECT workload,"
                                   " sum(issued) AS i, sum(completed) AS c, sum(failed) AS f,"
                                   " max(latency_max_ps) AS m FROM series_workload GROUP BY 1)"
                                   " USING(workload) WHERE issued=i AND completed=c AND failed=f"
                                   " AND i=c AND m BETWEEN latency_max_ps AND 1.02*latency_max_ps",
                                   0),
                     1);
    assert_int_equal(store_ask_int(store,
                                   "SELECT count(*) FROM series_workload s WHERE outstanding <>"
                                   " (SELECT sum(issued)-sum(completed) FROM series_workload b"
                                   " WHERE b.sample<=s.sample AND b.workload=s.workload)",
                                   1),
                     0);
    /* Of one operation all quantiles are that one; of more they are in order. */
    assert_true(store_ask_int(store, "SELECT count(*) FROM series_workload WHERE completed=1", 0) >
                3);
    assert_int_equal(store_ask_int(store,
                                   "SELECT count(*) FROM series_workload WHERE completed>0 AND NOT"
                                   " (latency_p50_ps>0 AND latency_p50_ps<=latency_p99_ps AND"
                                   " latency_p99_ps<=latency_p99_9_ps AND"
                                   " latency_p99_9_ps<=latency_max_ps AND"
                                   " (completed>1 OR latency_p50_ps=latency_max_ps))",
                                   1),
                     0);
    assert_int_equal(
        store_ask_int(store, "SELECT count(*) FROM counter WHERE name LIKE '%global%'", 1), 0);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

/* A pause of the whole port has counters of its own, and stands in the row of priority 0. */
static void global_pauses_are_counted_by_port(void **state)
{
    (void)state;
    struct run run;
    struct scenario *scenario;
    struct store *store =
        play_text(busy, "fabric.host-links.flow-control=global", &run, &scenario, 7 * PS_PER_US);
    assert_int_equal(
        store_ask_int(store, "SELECT count(*) FROM counter WHERE name LIKE 'tx_prio%_pause_xoff'",
                      1),
        0);
    assert_int_equal(store_ask_int(store,
                                   "SELECT sum(xoff_frames) - (SELECT sum(value) FROM counter"
                                   " WHERE name='tx_global_pause_xoff') FROM series_port"
                                   " WHERE priority=0",
                                   1),
                     0);
    /* Both ends of a cable count the same. */
    assert_int_equal(store_ask_int(store,
                                   "SELECT sum(iif(name LIKE 'tx%', value, -value)) FROM counter"
                                   " WHERE name LIKE '_x_global_pause_xoff'",
                                   1),
                     0);
    /* All pauses are those that stop and those that let go, in each direction of each port. */
    for (int way = 0; way < 2; way++) {
        char sql[600];
        const char *const of = way == 0 ? "tx" : "rx";
        snprintf(sql, sizeof sql,
                 "SELECT count(*) > 0 FROM counter a JOIN counter b USING(node, port)"
                 " WHERE a.name='%s_global_pause' AND b.name='%s_global_pause_xoff'"
                 " AND a.value > b.value AND a.value <= 2 * b.value",
                 of, of);
        assert_int_equal(store_ask_int(store, sql, 0), 1);
    }
    assert_int_equal(store_ask_int(store,
                                   "SELECT sum(iif(name LIKE 'tx%', value, -value)) FROM counter"
                                   " WHERE name LIKE '_x_global_pause'",
                                   1),
                     0);
    /* Whole microseconds of what a port was held, and each of those pauses ended. */
    assert_int_equal(
        store_ask_int(store,
                      "SELECT count(*) FROM counter a JOIN counter b USING(node, port)"
                      " WHERE a.name='rx_global_pause_duration' AND b.name='tx_prio0_blocked_ps'"
                      " AND (a.value != b.value / 1000000 OR (a.value > 0) != (SELECT c.value > 0"
                      " FROM counter c WHERE c.node=a.node AND c.port=a.port"
                      " AND c.name='rx_global_pause_transition'))",
                      1),
        0);
    assert_true(store_ask_int(store,
                              "SELECT max(value) FROM counter"
                              " WHERE name='rx_global_pause_duration'",
                              0) > 10);
    assert_true(store_ask_int(store,
                              "SELECT max(value) FROM counter"
                              " WHERE name='tx_global_pause_duration'",
                              0) > 10);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static void a_run_that_hangs_has_few_samples(void **state)
{
    (void)state;
    struct run run;
    struct scenario *scenario;
    struct store *store = play(&run, &scenario, PS_PER_US);
    const int64_t drain = store_ask_int(store, "SELECT drain_ps FROM meta", 0);
    const int64_t samples = store_ask_int(store, "SELECT count(*) FROM series", 0);
    assert_true(drain > 100 * PS_PER_MS);
    assert_true(samples > 1000 && samples < 600 + 500 * 9);
    /* The first 600 are of 1 us, the next 500 of 2 us, and all follow each other. */
    assert_int_equal(store_ask_int(store, "SELECT until_ps FROM series WHERE sample=599", 0),
                     600 * PS_PER_US);
    assert_int_equal(store_ask_int(store, "SELECT until_ps FROM series WHERE sample=1099", 0),
                     1600 * PS_PER_US);
    assert_int_equal(store_ask_int(store, "SELECT sum(until_ps-from_ps) FROM series", 0),
                     store_ask_int(store, "SELECT simulated_ps+drain_ps FROM meta", 0));
    /* The switch's port stands still to the end. */
    assert_int_equal(store_ask_int(store,
                                   "SELECT min(p.blocked_ps=s.until_ps-s.from_ps) FROM series s"
                                   " JOIN series_port p USING(sample) JOIN node n USING(node)"
                                   " WHERE n.kind='switch' AND p.port=1 AND p.priority=3"
                                   " AND s.from_ps>50000000",
                                   0),
                     1);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static void none_are_taken_when_none_are_wanted(void **state)
{
    (void)state;
    struct run run;
    struct scenario *scenario;
    struct store *store = play(&run, &scenario, 0);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM series", 9), 0);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_follows_the_duration),
        cmocka_unit_test(the_slowest_queue_pair_is_the_least),
        cmocka_unit_test(samples_add_up_to_the_counters),
        cmocka_unit_test(global_pauses_are_counted_by_port),
        cmocka_unit_test(a_run_that_hangs_has_few_samples),
        cmocka_unit_test(none_are_taken_when_none_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
