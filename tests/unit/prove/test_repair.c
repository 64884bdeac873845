/* SPDX-License-Identifier: Apache-2.0
 * test_repair - what is repaired is gone, what is not stays. */
#include "replay/prove/repair.h"

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
    *state = scenario_load(&input, diag);
    diag_print(diag, stdout);
    free(diag);
    return *state == NULL ? -1 : 0;
}

static int unload(void **state)
{
    scenario_free(*state);
    return 0;
}

static void assert_words(const struct scenario *scenario, struct repair repair, const char *words)
{
    char said[200];
    repair_words(&repair, scenario, said, sizeof said);
    assert_string_equal(said, words);
}

static void one_fault_is_taken_away_and_the_others_keep_their_order(void **state)
{
    const struct scenario *scenario = *state;
    for (uint32_t i = 0; i < 3; i++) {
        struct repaired repaired;
        repair_apply(&repaired, &(struct repair){.kind = REPAIR_FAULT, .fault = i}, 1, scenario);
        assert_int_equal(repaired.scenario.fault_count, 2);
        for (uint32_t k = 0; k < 2; k++)
            assert_memory_equal(&repaired.scenario.faults[k], &scenario->faults[k < i ? k : k + 1],
                                sizeof *scenario->faults);
        repair_free(&repaired);
    }
    assert_int_equal(scenario->fault_count, 3);
    assert_words(scenario, (struct repair){.kind = REPAIR_FAULT, .fault = 0},
                 "slow-receiver at host1 and 1 more from 1us, removed");
    assert_words(scenario, (struct repair){.kind = REPAIR_FAULT, .fault = 1},
                 "link-down at host3-switch0 from 2us, removed");
    assert_words(scenario, (struct repair){.kind = REPAIR_FAULT, .fault = 2},
                 "pause-storm at host0 from 3us, removed");
}

static void one_host_drains_without_limit(void **state)
{
    const struct scenario *scenario = *state;
    const struct repair repair = {.kind = REPAIR_DRAIN, .host = 1};
    struct repaired repaired;
    repair_apply(&repaired, &repair, 1, scenario);
    assert_int_equal(repaired.scenario.nodes[1].host->rnic->drain, RNIC_UNLIMITED);
    assert_ptr_equal(repaired.scenario.nodes[0].host, scenario->nodes[0].host);
    assert_int_equal(scenario->nodes[1].host->rnic->drain, 5 * INT64_C(1000000000));
    repair_free(&repaired);
    assert_words(scenario, repair, "host1 drains at line rate");
}

static void a_workload_loses_its_pairs_with_a_host_or_all(void **state)
{
    const struct scenario *scenario = *state;
    const struct repair some = {.kind = REPAIR_TRAFFIC, .workload = 1, .host = 1};
    const struct repair all = {.kind = REPAIR_TRAFFIC, .workload = 0, .host = REPAIR_ANY_HOST};
    struct repaired repaired;
    repair_apply(&repaired, &some, 1, scenario);
    assert_int_equal(repaired.scenario.workloads[1].pair_count, 1);
    assert_int_equal(repaired.scenario.workloads[1].pairs[0].to, 2);
    assert_int_equal(repaired.scenario.workloads[0].pair_count, 3);
    repair_free(&repaired);
    repair_apply(&repaired, &all, 1, scenario);
    assert_int_equal(repaired.scenario.workloads[0].pair_count, 0);
    assert_int_equal(repaired.scenario.workloads[1].pair_count, 2);
    repair_free(&repaired);
    assert_int_equal(scenario->workloads[1].pair_count, 2);
    assert_words(scenario, some, "b, traffic with host1 removed");
    assert_words(scenario, all, "a removed");
    assert_true(repair_equal(&some, &some));
    assert_false(repair_equal(&some, &all));
}

static void several_at_a_time_are_each_as_if_alone(void **state)
{
    const struct scenario *scenario = *state;
    const struct repair repairs[] = {
        {.kind = REPAIR_FAULT, .fault = 2},
        {.kind = REPAIR_DRAIN, .host = 1},
        {.kind = REPAIR_FAULT, .fault = 0},
        {.kind = REPAIR_TRAFFIC, .workload = 0, .host = REPAIR_ANY_HOST},
    };
    struct repaired repaired;
    repair_apply(&repaired, repairs, 4, scenario);
    assert_int_equal(repaired.scenario.fault_count, 1);
    assert_memory_equal(&repaired.scenario.faults[0], &scenario->faults[1],
                        sizeof *scenario->faults);
    assert_int_equal(repaired.scenario.nodes[1].host->rnic->drain, RNIC_UNLIMITED);
    assert_int_equal(repaired.scenario.workloads[0].pair_count, 0);
    assert_int_equal(repaired.scenario.workloads[1].pair_count, 2);
    repair_free(&repaired);
    repair_apply(&repaired, NULL, 0, scenario);
    assert_int_equal(repaired.scenario.fault_count, 3);
    repair_free(&repaired);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fault_is_taken_away_and_the_others_keep_their_order),
        cmocka_unit_test(one_host_drains_without_limit),
        cmocka_unit_test(a_workload_loses_its_pairs_with_a_host_or_all),
        cmocka_unit_test(several_at_a_time_are_each_as_if_alone),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
