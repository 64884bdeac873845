/* SPDX-License-Identifier: Apache-2.0
 * test_trial - what a trial changes is changed, the rest stays. */
#include "replay/experiment/trial.h"

#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: repaired\n"
    "fabric: {topology: {kind: single-switch, hosts: 4}}\n"
    "hosts:\n"
    "  overrides: [{where: host1, rnic: {drain: 5Gbps}}]\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: [host0, host2, host3], to: host1, outstanding: 1,"
    " pairing: all-to-all}\n"
    "  - {name: b, kind: rdma-write, from: host0, to: [host1, host2], outstanding: 1,"
    " pairing: all-to-all}\n"
    "faults:\n"
    "  - {at: 1us, kind: slow-receiver, where: [host1, host2], drain: 10%}\n"
    "  - {at: 2us, kind: link-down, where: host3-switch0}\n"
    "  - {at: 3us, kind: pause-storm, where: host0, priority: 3}\n";

static int load(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct scenario_input input = {
        .name = "repaired.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stdout);
    free(diag);
    struct trial_base *base = *state = calloc(1, sizeof *base);
    if (scenario == NULL || base == NULL)
        return -1;
    trial_base_find(base, scenario);
    return 0;
}

static int unload(void **state)
{
    struct trial_base *base = *state;
    scenario_free((struct scenario *)(uintptr_t)base->scenario);
    trial_base_free(base);
    free(base);
    return 0;
}

static void apply(struct tried *tried, const struct trial_change *changes, uint32_t count,
                  const struct trial_base *base)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct trial trial = {.count = count};
    for (uint32_t i = 0; i < count; i++)
        trial.changes[i] = changes[i];
    assert_true(trial_apply(tried, &trial, base, diag));
    free(diag);
}

static void assert_words(const struct trial_base *base, struct trial_change repair,
                         const char *words)
{
    char said[200];
    trial_words(&repair, base, said, sizeof said);
    assert_string_equal(said, words);
}

static void one_fault_is_taken_away_and_the_others_keep_their_order(void **state)
{
    const struct trial_base *base = *state;
    const struct scenario *scenario = base->scenario;
    for (uint32_t i = 0; i < 3; i++) {
        struct tried tried;
        apply(&tried, &(struct trial_change){.kind = TRIAL_REMOVE_FAULT, .fault = i}, 1, base);
        assert_int_equal(tried.scenario.fault_count, 2);
        for (uint32_t k = 0; k < 2; k++)
            assert_memory_equal(&tried.scenario.faults[k], &scenario->faults[k < i ? k : k + 1],
                                sizeof *scenario->faults);
        tried_free(&tried);
    }
    assert_int_equal(scenario->fault_count, 3);
    assert_words(base, (struct trial_change){.kind = TRIAL_REMOVE_FAULT, .fault = 0},
                 "slow-receiver at host1 and 1 more from 1us, removed");
    assert_words(base, (struct trial_change){.kind = TRIAL_REMOVE_FAULT, .fault = 1},
                 "link-down at host3-switch0 from 2us, removed");
    assert_words(base, (struct trial_change){.kind = TRIAL_REMOVE_FAULT, .fault = 2},
                 "pause-storm at host0 from 3us, removed");
}

static void one_host_drains_without_limit(void **state)
{
    const struct trial_base *base = *state;
    const struct scenario *scenario = base->scenario;
    const struct trial_change repair = {.kind = TRIAL_RESTORE_DRAIN, .host = 1};
    struct tried tried;
    apply(&tried, &repair, 1, base);
    assert_int_equal(tried.scenario.nodes[1].host->rnic->drain, RNIC_UNLIMITED);
    assert_ptr_equal(tried.scenario.nodes[0].host, scenario->nodes[0].host);
    assert_int_equal(scenario->nodes[1].host->rnic->drain, 5 * INT64_C(1000000000));
    tried_free(&tried);
    assert_words(base, repair, "host1 drains at line rate");
}

static void a_workload_loses_its_pairs_with_a_host_or_all(void **state)
{
    const struct trial_base *base = *state;
    const struct scenario *scenario = base->scenario;
    const struct trial_change some = {.kind = TRIAL_REMOVE_TRAFFIC, .workload = 1, .host = 1};
    const struct trial_change all = {
        .kind = TRIAL_REMOVE_TRAFFIC, .workload = 0, .host = TRIAL_ANY_HOST};
    struct tried tried;
    apply(&tried, &some, 1, base);
    assert_int_equal(tried.scenario.workloads[1].pair_count, 1);
    assert_int_equal(tried.scenario.workloads[1].pairs[0].to, 2);
    assert_int_equal(tried.scenario.workloads[0].pair_count, 3);
    tried_free(&tried);
    apply(&tried, &all, 1, base);
    assert_int_equal(tried.scenario.workloads[0].pair_count, 0);
    assert_int_equal(tried.scenario.workloads[1].pair_count, 2);
    tried_free(&tried);
    assert_int_equal(scenario->workloads[1].pair_count, 2);
    assert_words(base, some, "b, traffic with host1 removed");
    assert_words(base, all, "a removed");
    assert_true(trial_change_equal(&some, &some));
    assert_false(trial_change_equal(&some, &all));
}

static void several_at_a_time_are_each_as_if_alone(void **state)
{
    const struct trial_base *base = *state;
    const struct scenario *scenario = base->scenario;
    const struct trial_change repairs[] = {
        {.kind = TRIAL_REMOVE_FAULT, .fault = 2},
        {.kind = TRIAL_RESTORE_DRAIN, .host = 1},
        {.kind = TRIAL_REMOVE_FAULT, .fault = 0},
        {.kind = TRIAL_REMOVE_TRAFFIC, .workload = 0, .host = TRIAL_ANY_HOST},
    };
    struct tried tried;
    apply(&tried, repairs, 4, base);
    assert_int_equal(tried.scenario.fault_count, 1);
    assert_memory_equal(&tried.scenario.faults[0], &scenario->faults[1], sizeof *scenario->faults);
    assert_int_equal(tried.scenario.nodes[1].host->rnic->drain, RNIC_UNLIMITED);
    assert_int_equal(tried.scenario.workloads[0].pair_count, 0);
    assert_int_equal(tried.scenario.workloads[1].pair_count, 2);
    tried_free(&tried);
    apply(&tried, NULL, 0, base);
    assert_int_equal(tried.scenario.fault_count, 3);
    tried_free(&tried);
}

/* Another seed and another value, and a fault less: of a scenario of its own. */
static void values_and_faults_change_together(void **state)
{
    const struct trial_base *base = *state;
    struct diag *diag = calloc(1, sizeof *diag);
    const struct trial trial = {
        .changes = {{.kind = TRIAL_SCALE, .set = "workloads.a.outstanding=7"},
                    {.kind = TRIAL_REMOVE_FAULT, .fault = 1},
                    {.kind = TRIAL_REMOVE_TRAFFIC, .workload = 1, .host = TRIAL_ANY_HOST}},
        .count = 3,
        .seed = 77,
        .later = 1,
    };
    struct tried tried;
    assert_true(trial_apply(&tried, &trial, base, diag));
    assert_int_equal(tried.scenario.seed, 77);
    assert_int_equal(tried.scenario.fault_count, 2);
    assert_int_equal(tried.scenario.workloads[0].pair_count, 3);
    assert_int_equal(tried.scenario.workloads[1].pair_count, 0);
    assert_int_equal(tried.scenario.workloads[0].start, base->scenario->workloads[0].start);
    assert_int_equal(tried.scenario.workloads[0].nudge, 300 * PS_PER_NS);
    assert_true(scenario_nudge(&tried.scenario, 0, 0) != scenario_nudge(&tried.scenario, 0, 1));
    const struct opt *row = opt_find(tried.scenario.workloads[0].ops->opts, "outstanding");
    assert_int_equal(*opt_field(row, (void *)(uintptr_t)tried.scenario.workloads[0].params), 7);
    assert_int_equal(*opt_field(row, (void *)(uintptr_t)base->scenario->workloads[0].params), 1);
    tried_free(&tried);
    free(diag);
}

static void a_value_that_is_not_valid_cannot_be_tried(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    const struct trial trial = {
        .changes = {{.kind = TRIAL_SCALE, .set = "workloads.a.outstanding=-7"}}, .count = 1};
    struct tried tried;
    assert_false(trial_apply(&tried, &trial, *state, diag));
    assert_true(diag_failed(diag));
    tried_free(&tried);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fault_is_taken_away_and_the_others_keep_their_order),
        cmocka_unit_test(one_host_drains_without_limit),
        cmocka_unit_test(a_workload_loses_its_pairs_with_a_host_or_all),
        cmocka_unit_test(several_at_a_time_are_each_as_if_alone),
        cmocka_unit_test(values_and_faults_change_together),
        cmocka_unit_test(a_value_that_is_not_valid_cannot_be_tried),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
