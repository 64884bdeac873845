/* SPDX-License-Identifier: Apache-2.0
 * test_series - when samples are taken, and that a run that hangs has few.
 * What is in them: tests/golden/series.sh. */
#include "replay/run.h"

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

static struct store *play(struct run *run, struct scenario **scenario, time_ps interval)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct scenario_input input = {
        .name = "stuck.yaml", .text = stuck, .length = strlen(stuck)};
    *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    assert_non_null(*scenario);
    const struct run_options options = {
        .level = RECORD_COUNTERS, .until = TIME_NEVER, .interval = interval};
    assert_int_equal(run_scenario(run, *scenario, &options, diag), RUN_DONE);
    free(diag);
    return record_store(run->record);
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
        cmocka_unit_test(a_run_that_hangs_has_few_samples),
        cmocka_unit_test(none_are_taken_when_none_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
