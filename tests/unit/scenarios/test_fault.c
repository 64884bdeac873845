/* SPDX-License-Identifier: Apache-2.0
 * Faults as the loader leaves them: every line of fault.def by itself, places and times, values. */
#include "scenarios/fault/fault.h"

#include "scenarios/load/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct scenario *load(const char *faults)
{
    static struct diag diag;
    char text[1500];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\n"
             "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n"
             "hosts: {targets: {where: host0, namespaces: [{media: fixed}]}}\n"
             "workloads: [{name: w, kind: nvme, from: host4, to: host0}]\nfaults:\n%s",
             faults);
    const struct scenario_input input = {.name = "test", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static int64_t value(const struct scenario_fault *fault, const char *name)
{
    const size_t offset = opt_find(fault->ops->opts, name)->offset;
    return *(const int64_t *)(const void *)((const char *)fault->params + offset);
}

static void where_and_when_become_spots_and_times(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("  - {at: 1ms, for: 2ms, kind: slow-receiver, where: [host0, host3], drain: 10%}\n"
             "  - {kind: link-down, where: leaf0-spine0}\n"
             "  - {kind: drop-every, where: \"leaf1:p2\", n: 256, frames: all}\n"
             "  - {kind: bit-errors, where: spine0, rate: 1e-9}\n"
             "  - {kind: pause-storm, where: host1, priority: 4}\n"
             "  - {kind: random-loss, where: \"leaf1:p2\", rate: 1/256}\n");
    const struct scenario_fault *faults = scenario->faults;
    assert_int_equal(scenario->fault_count, 6);
    assert_ptr_equal(faults[0].ops, &fault_slow_receiver);
    assert_int_equal(faults[0].at, PS_PER_MS);
    assert_int_equal(faults[0].end, 3 * PS_PER_MS);
    assert_int_equal(value(&faults[0], "drain"), 100000);
    assert_int_equal(faults[0].spot_count, 2);
    assert_int_equal(faults[0].spots[1].node, 3);
    assert_int_equal(faults[0].spots[1].port, SCENARIO_ALL_PORTS);
    assert_int_equal(faults[1].end, TIME_NEVER);
    assert_int_equal(faults[1].spot_count, 2);
    assert_int_equal(faults[1].spots[0].port, 4);
    assert_int_equal(value(&faults[2], "n"), 256);
    assert_int_equal(value(&faults[2], "frames"), 0);
    assert_int_equal(faults[3].spot_count, 2);
    assert_int_equal(value(&faults[3], "rate"), 1000000);
    assert_int_equal(value(&faults[4], "priority"), 4);
    assert_int_equal(value(&faults[5], "rate"), INT64_C(3906250000000)); /* of 10^15 */
    scenario_free(scenario);
}

/* Each line of the list by itself, those that are not written yet too. */
static void every_kind_loads_and_does_something(void **state)
{
    static const char *const places[] = {
        [FAULT_AT_PORTS] = "\"leaf0:p0\"",
        [FAULT_AT_HOSTS] = "host0",
        [FAULT_AT_SWITCHES] = "leaf0",
        [FAULT_AT_TARGETS] = "host0",
    };
    (void)state;
    for (int i = 0; fault_kinds[i] != NULL; i++) {
        const struct fault_ops *ops = fault_kinds[i];
        char entry[200];
        snprintf(entry, sizeof entry, "  - {kind: %s, where: %s%s}\n", ops->name,
                 places[ops->place], ops->has_route ? ", to: host7, via: spine0" : "");
        struct scenario *scenario = load(entry);
        const struct scenario_fault *fault = scenario->faults;
        assert_ptr_equal(fault->ops, ops);
        assert_true(strlen(ops->about) > 10);
        assert_true(ops->edge != NULL || ops->apply != NULL);
        assert_int_equal(ops->breaks(fault->params) & ~63u, 0);
        assert_int_equal(fault->route != NULL, ops->has_route);
        assert_true(!ops->has_cycle || ops->edge != NULL);
        assert_true(ops->in_vain == NULL || ops->in_vain(fault->params) == NULL);
        assert_true(ops->overlap == NULL || ops->overlap(fault->params, fault->params));
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_and_when_become_spots_and_times),
        cmocka_unit_test(every_kind_loads_and_does_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
