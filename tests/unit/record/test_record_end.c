/* SPDX-License-Identifier: Apache-2.0
 * What a run leaves in its database is what its result says, and what follows from the scenario. */
#include "replay/breakdown/breakdown.h"
#include "replay/database/store.h"
#include "replay/run/run.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* host0 takes little out of its receive buffer: senders wait, and so do those behind them. */
static const char text[] =
    "stormglass: 1\n"
    "name: rows\n"
    "duration: 500us\n"
    "drain: 20us\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 6}\n"
    "  switch: {buffer: 2MB, ports: 1, policy: static, xoff: 60KB}\n"
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "
    "\"null\"}]}}\n"
    "workloads:\n"
    "  - {name: hot, kind: rdma-write, from: \"host2..host3\", to: host0, message-size: 64KiB,\n"
    "     outstanding: 4}\n"
    "  - {name: reads, kind: nvme, from: host2, to: host1, read: 100%, block-size: 16KiB,\n"
    "     start: 10us, stop: 300us}\n"
    "  - {name: calm, kind: rdma-write, from: host4, to: host3, message-size: 4KiB, stop: 200us}\n"
    "  - {name: free, kind: rdma-write, from: host5, to: host4, start: 400us, stop: 410us}\n"
    "faults: [{at: 100us, kind: slow-receiver, drain: 2%, where: host0}]\n"
    "expect: [calm.failed == 0, calm.completed == 0]\n";

enum { HOT, READS, CALM, FREE, WORKLOADS };

static struct scenario *scenario;
static struct run run;
static struct store *store;

static int set_up(void **state)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "t", .text = text, .length = sizeof text - 1};
    const struct run_options options = {.level = RECORD_SUMMARY, .until = TIME_NEVER, .threads = 1};
    (void)state;
    scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    assert_int_equal(run_scenario(&run, scenario, &options, &diag), RUN_DONE);
    store = record_store(run.record);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_true(run_close(&run));
    scenario_free(scenario);
    return 0;
}

__attribute__((format(printf, 1, 2))) static int64_t ask(const char *format, ...)
{
    char sql[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    return store_ask_int(store, sql, -1);
}

/* The answer of one column and row; the caller's until the next. */
__attribute__((format(printf, 1, 2))) static const char *ask_text(const char *format, ...)
{
    static char found[1024];
    char sql[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    store_ask_text(store, sql, found, sizeof found);
    return found;
}

static void workloads_are_as_in_the_result(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        size_t at;
    } columns[] = {
#define COLUMN(name) {#name, offsetof(struct result_workload, name)}
        COLUMN(issued),        COLUMN(completed), COLUMN(failed), COLUMN(unfinished),
        COLUMN(corrupt),       COLUMN(missed),    COLUMN(bytes),  COLUMN(bytes_read),
        COLUMN(bytes_written), COLUMN(window_ps),
#undef COLUMN
    };
    static const int64_t pairs[WORKLOADS] = {2, 1, 1, 1};
    assert_int_equal(ask("SELECT count(*) FROM workload"), WORKLOADS);
    for (int w = 0; w < WORKLOADS; w++) {
        const struct result_workload *of = &run.result.workloads[w];
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
            const int64_t expected =
                *(const int64_t *)(const void *)((const char *)of + columns[i].at);
            const int64_t is =
                ask("SELECT %s FROM workload WHERE workload=%d", columns[i].column, w);
            if (is != expected)
                fail_msg("%s of %s: %lld", columns[i].column, of->name, (long long)is);
        }
        assert_string_equal(ask_text("SELECT name FROM workload WHERE workload=%d", w), of->name);
        assert_int_equal(ask("SELECT pairs FROM workload WHERE workload=%d", w), pairs[w]);
        assert_int_equal(ask("SELECT start_ps FROM workload WHERE workload=%d", w),
                         scenario->workloads[w].start);
        assert_int_equal(ask("SELECT stop_ps FROM workload WHERE workload=%d", w),
                         scenario->workloads[w].stop);
        const bool rates = of->window_ps > 0, iops = rates && !of->few;
        assert_int_equal(ask("SELECT iops IS NOT NULL FROM workload WHERE workload=%d", w), iops);
        assert_int_equal(ask("SELECT goodput_bps IS NOT NULL FROM workload WHERE workload=%d", w),
                         rates);
        if (iops)
            assert_int_equal(ask("SELECT round(iops * window_ps / 1e12) FROM workload "
                                 "WHERE workload=%d",
                                 w),
                             of->completed_window);
        if (rates)
            assert_int_equal(ask("SELECT round(goodput_bps * window_ps / 8e12) FROM workload "
                                 "WHERE workload=%d",
                                 w),
                             of->bytes_window);
    }
}

/* The times lie in the right order, and in the buckets that the histogram has. */
static void latencies_agree_with_their_histogram(void **state)
{
    (void)state;
    for (int w = 0; w < WORKLOADS; w++) {
        const struct result_workload *of = &run.result.workloads[w];
        assert_int_equal(ask("SELECT sum(count) FROM latency WHERE workload=%d", w), of->completed);
        assert_int_equal(ask("SELECT latency_min_ps <= latency_p50_ps AND "
                             "latency_p50_ps <= latency_p99_ps AND "
                             "latency_p99_ps <= latency_p99_9_ps AND "
                             "latency_p99_9_ps <= latency_max_ps AND "
                             "latency_mean_ps BETWEEN latency_min_ps AND latency_max_ps "
                             "FROM workload WHERE workload=%d",
                             w),
                         1);
        assert_int_equal(ask("SELECT count(*) FROM workload w JOIN latency l USING(workload) "
                             "WHERE workload=%d AND latency_min_ps >= from_ps AND "
                             "latency_min_ps < below_ps AND from_ps = (SELECT min(from_ps) "
                             "FROM latency WHERE workload=%d)",
                             w, w),
                         1);
        assert_int_equal(ask("SELECT count(*) FROM workload w JOIN latency l USING(workload) "
                             "WHERE workload=%d AND latency_max_ps >= from_ps AND "
                             "latency_max_ps < below_ps AND from_ps = (SELECT max(from_ps) "
                             "FROM latency WHERE workload=%d)",
                             w, w),
                         1);
        assert_int_equal(ask("SELECT count(*) FROM latency WHERE workload=%d AND "
                             "(count < 1 OR below_ps <= from_ps)",
                             w),
                         0);
    }
    assert_int_equal(ask("SELECT first_issue_ps >= start_ps AND last_completion_ps >= "
                         "first_issue_ps FROM workload WHERE name='free'"),
                     1);
}

/* Words for those that have something under way, and for no other. */
static void what_is_unfinished_says_what_it_waits_for(void **state)
{
    (void)state;
    assert_true(run.result.workloads[HOT].unfinished > 0);
    assert_true(run.result.workloads[READS].unfinished > 0);
    assert_int_equal(run.result.workloads[CALM].unfinished, 0);
    assert_int_equal(
        ask("SELECT count(*) FROM workload WHERE (waiting IS NULL) = (unfinished > 0)"), 0);
    assert_non_null(strstr(ask_text("SELECT waiting FROM workload WHERE name='hot'"),
                           "messages of 64 KiB to 10.0.0.1"));
    assert_non_null(
        strstr(ask_text("SELECT waiting FROM workload WHERE name='reads'"), "I/Os to 10.0.0.2"));
    assert_int_equal(ask("SELECT count(*) FROM recovery"), 0);
}

/* Through one switch: the ports of both hosts, and those of the switch to them; each once. */
static void ways_are_the_ports_between_the_hosts(void **state)
{
    (void)state;
    static const char *const ways[WORKLOADS] = {
        "host0:0 host2:0 host3:0 switch0:0 switch0:2 switch0:3",
        "host1:0 host2:0 switch0:1 switch0:2",
        "host3:0 host4:0 switch0:3 switch0:4",
        "host4:0 host5:0 switch0:4 switch0:5",
    };
    for (int w = 0; w < WORKLOADS; w++)
        assert_string_equal(ask_text("SELECT group_concat(place, ' ') FROM (SELECT name || ':' || "
                                     "port AS place FROM workload_way JOIN node USING(node) "
                                     "WHERE workload=%d AND priority=3 ORDER BY place)",
                                     w),
                            ways[w]);
    assert_int_equal(ask("SELECT count(*) FROM workload_way WHERE priority<>3"), 0);
}

/* hot sends to the culprit, reads and calm share a host with it, and free has none with it. */
static void victims_are_those_that_were_held(void **state)
{
    (void)state;
    static const struct {
        const char *workload, *class;
    } rows[WORKLOADS] = {
        {"hot", "direct"}, {"reads", "indirect"}, {"calm", "indirect"}, {"free", NULL}};
    assert_int_equal(ask("SELECT count(DISTINCT workload) FROM victim WHERE root=0"), 3);
    for (int w = 0; w < WORKLOADS; w++) {
        const struct result_workload *of = &run.result.workloads[w];
        if (rows[w].class == NULL) {
            assert_null(of->victim);
            continue;
        }
        assert_string_equal(ask_text("SELECT min(class) FROM victim JOIN workload USING(workload) "
                                     "WHERE root=0 AND name='%s'",
                                     rows[w].workload),
                            rows[w].class);
        assert_string_equal(of->victim, rows[w].class);
        assert_int_equal(ask("SELECT max(held_ps) FROM victim WHERE workload=%d", w), of->held_ps);
        /* The longest that one of its ports was stopped because of it. */
        assert_int_equal(ask("SELECT max(held_ps) FROM pause_path JOIN workload_way "
                             "USING(node, port) WHERE root=0 AND workload=%d",
                             w),
                         ask("SELECT max(held_ps) FROM victim WHERE root=0 AND workload=%d", w));
    }
    assert_string_equal(ask_text("SELECT group_concat(word, ' ') FROM (SELECT DISTINCT name || ' ' "
                                 "|| class AS word FROM victim JOIN node USING(node) "
                                 "WHERE root=0 ORDER BY name)"),
                        "host2 direct host2 indirect host3 direct host4 indirect");
    assert_int_equal(ask("SELECT min(held_ps) > 0 AND min(lost_ppm) >= 10000 FROM victim "
                         "WHERE root=0"),
                     1);
}

static void roots_are_the_result_s(void **state)
{
    (void)state;
    assert_string_equal(ask_text("SELECT name FROM pause_root JOIN node USING(node) "
                                 "WHERE position=0"),
                        "host0");
    assert_string_equal(ask_text("SELECT kind FROM pause_root WHERE position=0"), "slow-receiver");
    assert_string_equal(run.result.cause.kind, "slow-receiver");
    assert_int_equal(ask("SELECT port IS NULL FROM pause_root WHERE position=0"), 1);
    assert_int_equal(ask("SELECT priority FROM pause_root WHERE position=0"), 3);
    assert_non_null(strstr(run.result.root_cause, "host0"));
    /* All that was held is the sum along the paths; what the root held itself is one hop away. */
    assert_int_equal(ask("SELECT held_ps FROM pause_root WHERE position=0"),
                     ask("SELECT sum(held_ps) FROM pause_path WHERE root=0"));
    assert_int_equal(ask("SELECT direct_ps FROM pause_root WHERE position=0"),
                     ask("SELECT sum(held_ps) FROM pause_path WHERE root=0 AND hops=1"));
    assert_string_equal(ask_text("SELECT name || port FROM pause_path JOIN node USING(node) "
                                 "WHERE root=0 AND hops=1"),
                        "switch00");
}

/* The stages of a command end where the next begin, so that they add up to its latency. */
static void stages_add_up_to_the_latency(void **state)
{
    (void)state;
    assert_int_equal(ask("SELECT count(DISTINCT workload || operation) FROM stage"), 1);
    assert_int_equal(ask("SELECT count(*) FROM stage"), BREAKDOWN_STAGES);
    assert_int_equal(ask("SELECT min(count) FROM stage"), run.result.workloads[READS].completed);
    assert_int_equal(ask("SELECT max(count) FROM stage"), run.result.workloads[READS].completed);
    assert_int_equal(ask("SELECT abs((SELECT sum(sum_ps) FROM stage) - (SELECT latency_mean_ps * "
                         "completed FROM workload WHERE name='reads')) < 1000"),
                     1);
    assert_int_equal(ask("SELECT count(*) FROM stage WHERE max_ps > sum_ps OR "
                         "max_ps * count < sum_ps"),
                     0);
}

static void the_end_is_told(void **state)
{
    char digest[DIGEST_TEXT_BYTES];
    (void)state;
    digest_format(&run.result.digest, digest);
    assert_string_equal(ask_text("SELECT digest FROM meta"), digest);
    assert_string_equal(ask_text("SELECT status FROM meta"), "complete");
    assert_int_equal(ask("SELECT until_ps IS NULL FROM meta"), 1);
    assert_int_equal(ask("SELECT simulated_ps FROM meta"), run.result.totals.simulated_ps);
    assert_int_equal(ask("SELECT drain_ps FROM meta"), run.result.totals.drain_ps);
    assert_int_equal(ask("SELECT count(*) FROM node WHERE length(digest) = 16"),
                     scenario->node_count);
    assert_int_equal(ask("SELECT count(DISTINCT digest) FROM node"), scenario->node_count);
    assert_int_equal(ask("SELECT count(*) FROM expectation"), 2);
    assert_int_equal(ask("SELECT held FROM expectation WHERE text='calm.failed == 0'"), 1);
    assert_int_equal(ask("SELECT held FROM expectation WHERE text='calm.completed == 0'"), 0);
    assert_int_equal(ask("SELECT actual FROM expectation WHERE position=1"),
                     run.result.workloads[CALM].completed);
    assert_int_equal(ask("SELECT count(*) FROM failure"), run.result.failure_count);
    assert_int_equal(run.result.failure_count, 2);
    assert_string_equal(ask_text("SELECT min(text) FROM failure"), run.result.failures[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_are_as_in_the_result),
        cmocka_unit_test(latencies_agree_with_their_histogram),
        cmocka_unit_test(what_is_unfinished_says_what_it_waits_for),
        cmocka_unit_test(ways_are_the_ports_between_the_hosts),
        cmocka_unit_test(victims_are_those_that_were_held),
        cmocka_unit_test(roots_are_the_result_s),
        cmocka_unit_test(stages_add_up_to_the_latency),
        cmocka_unit_test(the_end_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
