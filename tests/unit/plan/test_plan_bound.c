/* SPDX-License-Identifier: Apache-2.0
 * test_plan_bound - which quantities have a bound.  Bounds themselves: test_plan. */
#include "replay/plan/plan_bound.h"
#include "tests/unit/plan/base.h"

static const char two[] =
    "stormglass: 1\n"
    "name: two\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 100Gbps, length: 3m}}\n"
    "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 16KiB}]\n";

/* No latency is below the least of all, whichever quantity of it a plan names; the width of an
 * interval of confidence is no latency. */
static void every_latency_has_the_same_bound(void **state)
{
    static const struct {
        enum expect_quantity quantity;
        const char *path;
    } rows[] = {
#define FIGURE(name, path, plain, kind, basis, known, value) {EXPECT_##name, path},
#include "scenarios/load/quantity_workload.def"
    };
    (void)state;
    struct scenario *scenario = load_changed(two, NULL);
    char why[PLAN_BOUND_BYTES];
    struct expectation asked = {
        .text = "", .workload = 0, .op = EXPECT_LT, .quantity = EXPECT_LATENCY_MEAN};
    const int64_t least = plan_bound(scenario, &asked, why);
    unsigned bounded = 0;
    assert_true(least > 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = rows[i].path;
        const bool width = strcmp(path + strlen(path) - 3, "_ci") == 0;
        const bool latency = strstr(path, "latency_ns") != NULL && !width;
        asked.quantity = rows[i].quantity;
        if ((plan_bound(scenario, &asked, why) == least) != latency)
            fail_msg("%s: %lld", path, (long long)plan_bound(scenario, &asked, why));
        bounded += latency;
    }
    assert_true(bounded > 15);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_latency_has_the_same_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
