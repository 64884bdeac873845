/* SPDX-License-Identifier: Apache-2.0
 * test_plan_grow - years of load, drives that are too small, and axes of some alone. */
#include "base/memory.h"
#include "scenarios/vary/plan.h"
#include "tests/unit/plan/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "stormglass-plan: 1\n"
                           "name: n\n"
                           "scenario: base.yaml\n"
                           "vary:\n"
                           "  - {path: fabric.topology.spines, as: spines, values: [2]}\n"
                           "slo: [\"io.latency.p99 < 1ms\"]\n"
                           "survive: [{name: spine, kind: switch-down, each: spines}]\n"
                           "prices:\n"
                           "  currency: EUR\n"
                           "  parts:\n"
                           "    - {part: drive, price: 100, capacity: 8TB, endurance: 10PB}\n";

static const char base[] =
    "stormglass: 1\n"
    "name: base\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
    "  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}\n"
    "  fabric-links: {rate: 100Gbps, length: 30m, mtu: 4200B}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: storage-class, count: 3}]}\n"
    "workloads:\n"
    "  - {name: io, kind: nvme, from: \"host2..host3\", to: host0}\n"
    "  - {name: paced, kind: nvme, from: host2, to: host0, block-size: 4KiB, rate: 1000}\n";

static struct diag *fresh(void)
{
    return memory_new(sizeof(struct diag));
}

/* The text with some more before the first line that begins with `from`. */
static struct plan *load_with(const char *from, const char *more)
{
    char copy[sizeof text + 512];
    struct diag *diag = fresh();
    const char *at = strstr(text, from);
    const int length = snprintf(copy, sizeof copy, "%.*s%s%s", (int)(at - text), text, more, at);
    struct plan *plan = plan_load("plan.yaml", copy, (size_t)length, diag);
    diag_print(diag, stderr);
    assert_non_null(plan);
    free(diag);
    return plan;
}

static struct scenario *load_base(const char *set)
{
    return load_changed(base, set);
}

/* 1,000 a second, a quarter more each year, a tenth uncertain: 1,375, 1,718.75 and 2,148.4375. */
static void load_grows_each_year_and_last_with_every_failure(void **state)
{
    (void)state;
    static const struct {
        const char *name, *set;
    } cases[] = {{"", NULL},
                 {"spine: spine0", NULL},
                 {"spine: spine1", NULL},
                 {"in 1 year", "workloads.paced.rate=1375"},
                 {"in 2 years", "workloads.paced.rate=1718.75"},
                 {"in 3 years", "workloads.paced.rate=2148.438"},
                 {"spine: spine0, in 3 years", "workloads.paced.rate=2148.438"},
                 {"spine: spine1, in 3 years", "workloads.paced.rate=2148.438"}};
    struct plan *plan =
        load_with("prices:", "grow: {years: 3, load: [{path: workloads.paced.rate, each-year: 25%, "
                             "uncertainty: 10%}, {path: workloads.io.queue-depth, "
                             "each-year: 10%}]}\n");
    struct scenario *scenario = load_base(NULL);
    struct plan_cases *made = memory_new(sizeof *made);
    struct diag *diag = fresh();
    assert_true(plan_cases_of(plan, scenario, made, diag));
    assert_int_equal(made->count, 8);
    for (uint32_t i = 0; i < made->count; i++) {
        const struct plan_case *of = &made->cases[i];
        assert_string_equal(of->name, cases[i].name);
        if (cases[i].set != NULL)
            assert_string_equal(of->sets[of->set_count - 2], cases[i].set);
    }
    free(diag);
    free(made);
    scenario_free(scenario);
    plan_free(plan);
}

static void what_cannot_grow_is_said(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"workloads.io.rate", "it is 0 in the scenario"},
        {"workloads.ia.rate", "no such setting"},
        {"workloads.io.read", "expected a number"},
        {"workloads.io.queues", "after 2 years"},
    };
    for (size_t i = 0; i < 4; i++) {
        char entry[160];
        sprintf(entry, "grow: {years: 3, load: [{path: %s, each-year: 900%%}]}\n", rows[i][0]);
        struct plan *plan = load_with("prices:", entry);
        struct scenario *scenario = load_base("workloads.io.queues=100");
        struct plan_cases *made = memory_new(sizeof *made);
        struct diag *diag = fresh();
        assert_false(plan_cases_of(plan, scenario, made, diag));
        const struct diag_message *first = &diag->messages[0];
        if (strstr(first->text, rows[i][1]) == NULL || first->place.line != 8)
            fail_msg("%s: line %d: %s", rows[i][0], first->place.line, first->text);
        free(diag);
        free(made);
        scenario_free(scenario);
        plan_free(plan);
    }
}

/* Three drives of 8 TB, of which 75 % are usable: 18 TB; each may be written 10 PB. */
static void drives_are_too_small_or_worn_out(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *why; /* NULL: they will do */
    } rows[] = {
        {"needed: 18TB", NULL},
        {"needed: 18000000000001B", "in 1 year 18.00 TB are needed, and 18.00 TB are usable on 3 "
                                    "drives"},
        {"needed: 15TB, each-year: 20%", NULL},
        {"needed: 15TB, each-year: 20%, uncertainty: 1%",
         "in 1 year 18.18 TB are needed, and 18.00 TB are usable on 3 drives"},
        {"written-each-day: 82TB", NULL},
        {"written-each-day: 41TB, write-amplification: 2.1",
         "in 1 year 31.42 PB are written, and the endurance of 3 drives is 30.00 PB"},
    };
    struct plan *plan = load_with("prices:", "");
    struct scenario *scenario = load_base(NULL);
    struct prices_bill bill;
    char why[DIAG_TEXT_BYTES];
    assert_true(prices_of(&plan->prices, scenario, &bill, why));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256], said[GROW_WHY_BYTES] = "";
        struct diag *diag = fresh();
        struct arena arena = {0};
        struct grow grow;
        sprintf(line, "{years: 1, capacity: {usable: 75%%, %s}}", rows[i].asked);
        const struct tree_file *file = tree_hold(&arena, "grow", line, strlen(line));
        assert_true(grow_read(&arena, tree_parse(&arena, file, 0, diag), &grow, diag));
        assert_int_equal(grow_refuses(&grow, &plan->prices, &bill, said), rows[i].why != NULL);
        if (rows[i].why != NULL)
            assert_string_equal(said, rows[i].why);
        arena_free(&arena);
        free(diag);
    }
    scenario_free(scenario);
    plan_free(plan);
}

static void an_axis_may_be_of_some_alone(void **state)
{
    (void)state;
    struct plan *plan = load_with(
        "slo:",
        "  - {path: rnic.pcie.rate, where: targets, as: bus, values: [64Gbps]}\n"
        "  - {path: rate, where: links of targets, as: trate, values: [25Gbps, 100Gbps]}\n");
    assert_int_equal(plan->grid.cell_count, 2);
    assert_string_equal(plan->grid.axes[2].path, "rate of links of targets");
    assert_string_equal(plan->grid.cells[1].sets[1],
                        "fabric.overrides[+]={where: \"targets\", rnic: {pcie: {rate: 64Gbps}}}");
    assert_string_equal(plan->grid.cells[1].sets[2],
                        "fabric.overrides[+]={where: \"links of targets\", rate: 100Gbps}");
    struct scenario *scenario = load_base(plan->grid.cells[0].sets[2]);
    assert_int_equal(scenario->nodes[0].ports[0].params->rate, 25000000000);
    assert_int_equal(scenario->nodes[1].ports[0].params->rate, 100000000000);
    scenario_free(scenario);
    plan_free(plan);
}

static void a_wrong_row_ends_it(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{years: 0, load: 3}", "{yaers: 2, load: 3}", "{years: 2}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct diag *diag = fresh();
        struct arena arena = {0};
        struct grow grow;
        const struct tree_file *file = tree_hold(&arena, "grow", wrong[i], strlen(wrong[i]));
        assert_false(grow_read(&arena, tree_parse(&arena, file, 0, diag), &grow, diag));
        assert_int_equal(diag->errors, 1);
        arena_free(&arena);
        free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_row_ends_it),
        cmocka_unit_test(load_grows_each_year_and_last_with_every_failure),
        cmocka_unit_test(what_cannot_grow_is_said),
        cmocka_unit_test(drives_are_too_small_or_worn_out),
        cmocka_unit_test(an_axis_may_be_of_some_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
