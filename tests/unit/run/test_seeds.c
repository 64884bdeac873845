/* SPDX-License-Identifier: Apache-2.0
 * Several seeds together: mean, interval, the worst, and runs that failed to start. */
#include "replay/run/seeds.h"

#include "replay/run/run.h"
#include "scenarios/load/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool close_to(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void a_summary_is_that_of_the_runs_that_were_played(void **state)
{
    (void)state;
    static const double values[] = {10, 14, 12, 99};
    struct seeds_run runs[4] = {{.seed = 5, .played = true},
                                {.seed = 6, .played = true},
                                {.seed = 7, .played = true},
                                {.seed = 8}};
    double figures[4][SEEDS_FIGURE_COUNT] = {{0}};
    for (int i = 0; i < 4; i++)
        figures[i][SEEDS_IOPS] = figures[i][SEEDS_LATENCY_P99] = values[i];
    const struct scenario scenario = {.workload_count = 1};
    const struct seeds seeds = {
        .scenario = &scenario, .runs = runs, .figures = figures, .count = 4};
    const struct seeds_summary iops = seeds_summarise(&seeds, 0, SEEDS_IOPS);
    assert_true(close_to(iops.mean, 12));
    assert_true(close_to(iops.half, 4.303 * sqrt(4.0 / 3)));
    assert_true(close_to(iops.worst, 10));
    assert_int_equal(iops.worst_seed, 5);
    const struct seeds_summary p99 = seeds_summarise(&seeds, 0, SEEDS_LATENCY_P99);
    assert_true(close_to(p99.worst, 14));
    assert_int_equal(p99.worst_seed, 6);
    const struct seeds one = {.scenario = &scenario, .runs = runs, .figures = figures, .count = 1};
    assert_true(close_to(seeds_summarise(&one, 0, SEEDS_IOPS).half, 0));
    const struct seeds none = {
        .scenario = &scenario, .runs = runs + 3, .figures = figures + 3, .count = 1};
    assert_true(close_to(seeds_summarise(&none, 0, SEEDS_IOPS).mean, 0));
}

static void students_quantiles_fall_to_that_of_the_normal_distribution(void **state)
{
    (void)state;
    static const struct {
        uint32_t degrees;
        double quantile;
    } rows[] = {{1, 12.706}, {2, 4.303},  {9, 2.262},  {19, 2.093},  {29, 2.045},
                {30, 2.042}, {40, 2.021}, {60, 2.000}, {120, 1.980}, {9999, 1.960}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(seeds_student(rows[i].degrees) - rows[i].quantile) < 2e-3);
    for (uint32_t i = 1; i < 200; i++)
        assert_true(seeds_student(i + 1) < seeds_student(i));
}

/* ------------------------------------------------------------------ seeds that are played */

static struct scenario *load(const char *set, struct diag *diag)
{
    static const char text[] =
        "stormglass: 1\nname: t\nduration: 100us\nseed: 7\n"
        "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
        "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host1, namespaces: [{media: "
        "{kind: flash-tlc}}]}}\n"
        "workloads:\n"
        "  - {name: a, kind: rdma-write, from: host0, to: host2, message-size: 4KiB}\n"
        "  - {name: b, kind: nvme, from: host0, to: host1, read: 50%, block-size: 4KiB}\n"
        "expect: [b.failed == 0]\n";
    const char *sets[] = {"workloads.b.queue-depth=3", set};
    const struct scenario_input input = {.name = "t.yaml",
                                         .text = text,
                                         .length = sizeof text - 1,
                                         .sets = sets,
                                         .set_count = set == NULL ? 1 : 2};
    *diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, diag);
    if (scenario == NULL)
        fail_msg("%s", diag->messages[0].text);
    return scenario;
}

/* Each seed by itself, in this process. */
static void check_seed(const struct seeds *seeds, uint32_t index)
{
    static struct diag diag;
    char set[40];
    snprintf(set, sizeof set, "seed=%u", 7 + index);
    struct scenario *scenario = load(set, &diag);
    const struct run_options options = {.until = TIME_NEVER};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, &diag), RUN_DONE);
    const struct seeds_run *made = &seeds->runs[index];
    assert_int_equal(made->seed, 7 + index);
    assert_true(made->played && made->held && !made->stopped);
    assert_memory_equal(&made->digest, &run.result.digest, sizeof made->digest);
    for (uint32_t w = 0; w < 2; w++)
        for (int i = 0; i < SEEDS_FIGURE_COUNT; i++) {
            char sql[120];
            snprintf(sql, sizeof sql, "SELECT value FROM result WHERE path='workloads[%u].%s'", w,
                     seeds_figure_path((enum seeds_figure)i));
            struct store_statement *row = store_prepare(record_store(run.record), sql);
            assert_true(store_step(row));
            assert_true(close_to(store_column_real(row, 0), seeds->figures[index * 2 + w][i]));
            store_finish(row);
        }
    assert_true(seeds->figures[index * 2][SEEDS_COMPLETED] > 0);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static void each_seed_is_the_run_of_that_seed(void **state)
{
    (void)state;
    enum { SEEDS = 5 };
    static struct diag diag;
    struct scenario *scenario = load(NULL, &diag);
    struct seeds seeds;
    const int free_before = dup(STDIN_FILENO);
    close(free_before);
    seeds_play(&seeds, scenario, SEEDS, TIME_NEVER);
    const int free_after = dup(STDIN_FILENO);
    close(free_after);
    assert_int_equal(free_after, free_before); /* no pipe stays open */
    assert_int_equal(seeds.count, SEEDS);
    assert_in_range(seeds.jobs, 1, SEEDS);
    for (uint32_t i = 0; i < SEEDS; i++)
        check_seed(&seeds, i);
    assert_memory_not_equal(&seeds.runs[0].digest, &seeds.runs[1].digest,
                            sizeof seeds.runs[0].digest);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* all workers are waited for */
    seeds_free(&seeds);
    assert_null(seeds.runs);
    scenario_free(scenario);
}

static void seeds_are_played_as_far_as_asked(void **state)
{
    (void)state;
    static struct diag diag;
    struct scenario *scenario = load("workloads.a.start=50us", &diag);
    struct seeds seeds;
    seeds_play(&seeds, scenario, 1, 40 * PS_PER_US);
    assert_int_equal(seeds.jobs, 1);
    assert_true(seeds.runs[0].played);
    assert_int_equal(seeds.figures[0][SEEDS_COMPLETED], 0);
    seeds_free(&seeds);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_is_that_of_the_runs_that_were_played),
        cmocka_unit_test(each_seed_is_the_run_of_that_seed),
        cmocka_unit_test(seeds_are_played_as_far_as_asked),
        cmocka_unit_test(students_quantiles_fall_to_that_of_the_normal_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
