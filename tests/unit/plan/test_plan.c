/* SPDX-License-Identifier: Apache-2.0
 * test_plan - a plan's file, its failures as cases, and the bill of a scenario. */
#include "base/memory.h"
#include "replay/plan/plan_bound.h"
#include "replay/plan/plan_state.h"
#include "scenarios/vary/plan.h"
#include "tests/unit/plan/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass-plan: 1\n"
    "name: n\n"
    "scenario: base.yaml\n"
    "vary:\n"
    "  - {path: fabric.topology.spines, as: spines, values: [2, 3], better: higher}\n"
    "  - {path: workloads.io.queue-depth, as: qd, values: [4, 8], better: lower}\n"
    "  - {path: duration, as: s, values: [1ms]}\n"
    "slo: [\"io.latency.p99 < 1ms\", no-lossless-drop]\n"
    "survive:\n"
    "  - {name: spine, kind: switch-down, each: \"spine*\"}\n"
    "  - {kind: link-down, each: \"leaf*-spine*\", sample: 3, at: 2ms, for: 1ms,\n"
    "     slo: [\"io.latency.p99 < 5ms\"]}\n"
    "prices:\n"
    "  currency: EUR\n"
    "  date: 2026\n"
    "  source: own\n"
    "  parts:\n"
    "    - {part: nic, rate: 100Gbps, price: 10.5, power: 2}\n"
    "    - {part: nic, rate: 25Gbps, price: 4}\n"
    "    - {part: switch, rate: 100Gbps, ports: 4, price: 50, rack-units: 1}\n"
    "    - {part: switch, rate: 400Gbps, ports: 8, price: 80, rack-units: 2}\n"
    "    - {part: cable, rate: 100Gbps, up-to: 3m, price: 1}\n"
    "    - {part: cable, rate: 100Gbps, up-to: 30m, price: 3}\n"
    "    - {part: drive, media: storage-class, price: 100, power: 0.5}\n"
    "    - {part: target, price: 1000}\n"
    "    - {part: host, price: 500}\n"
    "seeds: 4\n"
    "most-seeds: 9\n";

static const char base[] =
    "stormglass: 1\n"
    "name: base\n"
    "duration: 3ms\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
    "  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}\n"
    "  fabric-links: {rate: 100Gbps, length: 30m, mtu: 4200B}\n"
    "  switch: {profile: shared-buffer-32mb}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: rnic-100g, path-mtu: 4096B}}\n"
    "  targets: {where: host0, namespaces: [{media: storage-class, count: 3}]}\n"
    "workloads:\n"
    "  - {name: io, kind: nvme, from: \"host2..host3\", to: host0, read: 100%, block-size: 16KiB}\n"
    "  - {name: paced, kind: nvme, from: host2, to: host0, block-size: 4KiB, rate: 1000}\n";

static struct diag *fresh(void)
{
    return memory_new(sizeof(struct diag));
}

static struct plan *load(const char *source)
{
    struct diag *diag = fresh();
    struct plan *plan = plan_load("folder/plan.yaml", source, strlen(source), diag);
    diag_print(diag, stderr);
    assert_int_equal(plan != NULL, !diag_failed(diag));
    free(diag);
    return plan;
}

static struct scenario *load_base(const char *set)
{
    return load_changed(base, set);
}

static void a_plan_is_what_it_says(void **state)
{
    (void)state;
    struct plan *plan = load(text);
    assert_non_null(plan);
    assert_string_equal(plan->grid.scenario, "folder/base.yaml");
    assert_int_equal(plan->grid.cell_count, 4);
    assert_int_equal(plan->grid.axes[0].better, GRID_BETTER_HIGHER);
    assert_int_equal(plan->grid.axes[1].better, GRID_BETTER_LOWER);
    assert_int_equal(plan->grid.axes[2].better, GRID_BETTER_UNKNOWN);
    assert_int_equal(plan->slo_count, 2);
    assert_int_equal(plan->failure_count, 2);
    assert_string_equal(plan->failures[0].name, "spine");
    assert_null(plan->failures[0].at);
    assert_int_equal(plan->failures[0].slo_count, 0);
    assert_string_equal(plan->failures[1].name, "link-down");
    assert_string_equal(plan->failures[1].at, "2ms");
    assert_string_equal(plan->failures[1].keys, ", for: \"1ms\"");
    assert_int_equal(plan->failures[1].sample, 3);
    assert_int_equal(plan->failures[1].slo_count, 1);
    assert_int_equal(plan->rules.objective, PLAN_CHEAPEST);
    assert_int_equal(plan->rules.seeds, 4);
    assert_int_equal(plan->rules.most_seeds, 9);
    assert_int_equal(plan->rules.longest, -1);
    assert_int_equal(plan->rules.confidence, 950000);
    assert_int_equal(plan->rules.tolerance, 50000);
    assert_int_equal(plan->prices.count, 9);
    assert_string_equal(plan->prices.currency, "EUR");
    plan_free(plan);
}

static void failures_are_cases(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "spine: spine0",
        "spine: spine1",
        "spine: spine2",
        "link-down: leaf0-spine0",
        "link-down: leaf0-spine2",
        "link-down: leaf1-spine1",
    };
    struct plan *plan = load(text);
    struct scenario *scenario = load_base("fabric.topology.spines=3");
    struct plan_cases *cases = memory_new(sizeof *cases);
    struct diag *diag = fresh();
    assert_true(plan_cases_of(plan, scenario, cases, diag));
    assert_int_equal(cases->count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_string_equal(cases->cases[i].name, names[i]);
    assert_int_equal(cases->cases[0].set_count, 0);
    assert_int_equal(cases->cases[2].set_count, 3);
    assert_string_equal(cases->cases[2].sets[0],
                        "faults[+]={kind: switch-down, where: \"spine1\", at: \"0s\"}");
    assert_int_equal(cases->cases[5].set_count, 2);
    assert_string_equal(cases->cases[5].sets[1], "drain=60s");
    assert_string_equal(
        cases->cases[5].sets[0],
        "faults[+]={kind: link-down, where: \"leaf0-spine2\", at: \"2ms\", for: \"1ms\"}");
    free(diag);
    free(cases);
    scenario_free(scenario);
    plan_free(plan);
}

static void failures_come_together(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"each: \"spine*\", together: 2", "spine0 and spine1|spine0 and spine2|spine1 and spine2|"},
        {"each: \"spine*\", together: 2, sample: 2", "spine0 and spine1|spine0 and spine2|"},
        {"each: spine1, together: 2", "spine1|"},
        {"each: \"spine*\", together: all", "all 3|"},
    };
    for (size_t i = 0; i < 4; i++) {
        char copy[sizeof text + 64], names[256] = "";
        const char *at = strstr(text, "  - {name: spine");
        sprintf(copy, "%.*s  - {name: n, kind: switch-down, %s}\n%s", (int)(at - text), text,
                rows[i][0], strstr(text, "prices:"));
        struct plan *plan = load(copy);
        struct scenario *scenario = load_base("fabric.topology.spines=3");
        struct plan_cases *cases = memory_new(sizeof *cases);
        struct diag *diag = fresh();
        assert_true(plan_cases_of(plan, scenario, cases, diag));
        for (uint32_t k = 1; k < cases->count; k++)
            sprintf(names + strlen(names), "%s|", cases->cases[k].name + strlen("n: "));
        assert_string_equal(names, rows[i][1]);
        if (i == 3)
            assert_string_equal(cases->cases[1].sets[0],
                                "faults[+]={kind: switch-down, where: [\"spine0\", \"spine1\", "
                                "\"spine2\"], at: \"0s\"}");
        free(diag);
        free(cases);
        scenario_free(scenario);
        plan_free(plan);
    }
}

static void only_targets_crash(void **state)
{
    (void)state;
    struct wrong_each {
        const char *each;
        uint32_t cases;
    } rows[] = {{"\"host*\"", 2}, {"host0", 2}, {"host1..host3", 0}};
    for (size_t i = 0; i < 3; i++) {
        char copy[sizeof text + 64];
        const char *at = strstr(text, "  - {name: spine");
        sprintf(copy, "%.*s  - {kind: target-crash, each: %s, at: 1ms}\n%s", (int)(at - text), text,
                rows[i].each, strstr(text, "prices:"));
        struct plan *plan = load(copy);
        struct scenario *scenario = load_base("drain=60s");
        struct plan_cases *cases = memory_new(sizeof *cases);
        struct diag *diag = fresh();
        assert_int_equal(plan_cases_of(plan, scenario, cases, diag), rows[i].cases > 0);
        if (rows[i].cases > 0) {
            assert_int_equal(cases->count, rows[i].cases);
            assert_string_equal(cases->cases[1].name, "target-crash: host0");
            assert_int_equal(cases->cases[1].set_count, 1); /* it waits as long by itself */
        } else {
            assert_non_null(strstr(diag->messages[0].text, "no target among these"));
        }
        free(diag);
        free(cases);
        scenario_free(scenario);
        plan_free(plan);
    }
}

/* Of the steady part, but where something fails in mid-run; each failure may have its own. */
static void objectives_are_of_the_steady_part(void **state)
{
    (void)state;
    struct plan *plan = load(text);
    struct scenario *scenario = load_base(NULL);
    struct plan_cases *cases = memory_new(sizeof *cases);
    struct expectation asked[PLAN_SLO_MAX];
    struct diag *diag = fresh();
    assert_true(plan_cases_of(plan, scenario, cases, diag));
    assert_int_equal(plan_expectations(plan, &cases->cases[0], scenario, asked, diag), 2);
    assert_int_equal(asked[0].quantity, EXPECT_STEADY_LATENCY_P99);
    assert_int_equal(asked[0].value, 1000000000);
    assert_int_equal(asked[1].quantity, EXPECT_DROPS_LOSSLESS);
    assert_int_equal(plan_expectations(plan, &cases->cases[1], scenario, asked, diag), 2);
    assert_int_equal(asked[0].quantity, EXPECT_STEADY_LATENCY_P99);
    const struct plan_case *last = &cases->cases[cases->count - 1];
    assert_int_equal(plan_expectations(plan, last, scenario, asked, diag), 1);
    assert_int_equal(asked[0].quantity, EXPECT_LATENCY_P99);
    assert_int_equal(asked[0].value, 5000000000);
    free(diag);
    free(cases);
    scenario_free(scenario);
    plan_free(plan);
}

/* Four hosts, one of them a target of three drives; two leaves of four ports, two spines of two;
 * four links of 3 m and four of 30 m. */
static void a_bill_counts_every_part(void **state)
{
    (void)state;
    static const uint32_t counts[] = {4, 0, 4, 0, 4, 4, 3, 1, 3};
    struct plan *plan = load(text);
    struct scenario *scenario = load_base(NULL);
    struct prices_bill bill;
    char why[DIAG_TEXT_BYTES] = "";
    assert_true(prices_of(&plan->prices, scenario, &bill, why));
    for (int i = 0; i < 9; i++)
        assert_int_equal(bill.counts[i], counts[i]);
    assert_int_equal(bill.price, 42000 + 200000 + 4000 + 12000 + 300000 + 1000000 + 1500000);
    assert_int_equal(bill.power, 8000 + 1500);
    assert_int_equal(bill.rack_units, 4);
    scenario_free(scenario);
    scenario = load_base("fabric.topology.hosts-per-leaf=3"); /* five ports: the larger switch */
    assert_true(prices_of(&plan->prices, scenario, &bill, why));
    assert_int_equal(bill.counts[2], 2);
    assert_int_equal(bill.counts[3], 2);
    scenario_free(scenario);
    static const struct {
        const char *set, *says;
    } lacks[] = {
        {"fabric.host-links.rate=40Gbps", "prices: no nic of 40Gbps"},
        {"fabric.fabric-links.length=31m", "prices: no cable of 100Gbps for 31m"},
        {"fabric.topology.hosts-per-leaf=7", "prices: no switch of 9 ports of 100Gbps"},
        {"hosts.targets.namespaces[0].media=flash-tlc", "prices: no drive flash-tlc"},
    };
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        scenario = load_base(lacks[i].set);
        assert_false(prices_of(&plan->prices, scenario, &bill, why));
        assert_string_equal(why, lacks[i].says);
        scenario_free(scenario);
    }
    plan_free(plan);
}

/* 16 KiB at 100 Gb/s: 1310.72 ns; twice 3 m of fiber at each end, four ways of 14.7 ns. */
static void bounds_are_those_of_links_and_light(void **state)
{
    (void)state;
    struct scenario *scenario = load_base(NULL);
    char why[PLAN_BOUND_BYTES];
    struct expectation asked = {.text = "", .workload = 0, .op = EXPECT_LT};
    asked.quantity = EXPECT_STEADY_LATENCY_P99;
    const int64_t least = plan_bound(scenario, &asked, why);
    assert_in_range(least, 1310720 + 4 * 14000, 1310720 + 4 * 16000);
    asked.value = least;
    assert_false(plan_bound_refuses(scenario, &asked, why));
    asked.value = least - 1;
    assert_true(plan_bound_refuses(scenario, &asked, why));
    asked.op = EXPECT_GT;
    assert_false(plan_bound_refuses(scenario, &asked, why));
    asked.quantity = EXPECT_STEADY_GOODPUT;
    assert_int_equal(plan_bound(scenario, &asked, why), 100000000000);
    asked.value = 100000000001;
    assert_true(plan_bound_refuses(scenario, &asked, why));
    asked.value = 100000000000;
    assert_false(plan_bound_refuses(scenario, &asked, why));
    asked.op = EXPECT_LT;
    asked.value = 1;
    assert_false(plan_bound_refuses(scenario, &asked, why));
    /* 1,000 of 4 KiB, and their headers; and in a quarter of 3 ms 33 that were due before. */
    asked.workload = 1;
    asked.quantity = EXPECT_STEADY_GOODPUT;
    assert_in_range(plan_bound(scenario, &asked, why), 44000 * 32768 + 32768000,
                    44001 * 32768 + 34000000);
    assert_non_null(strstr(why, "offers at most"));
    asked.quantity = EXPECT_STEADY_IOPS;
    assert_in_range(plan_bound(scenario, &asked, why), 45000, 45040);
    asked.workload = EXPECT_WHOLE_RUN;
    assert_int_equal(plan_bound(scenario, &asked, why), -1);
    scenario_free(scenario);
}

/* 1,000 I/Os a second, and in a quarter of 3 ms what was begun or due before: the depth and one. */
static void a_paced_loop_is_bound_by_its_rate_and_its_depth(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        int64_t least; /* and the headers, a little; -1: the pace bounds nothing */
    } rows[] = {
        {"workloads.paced.queue-depth=1", 1000 + 2 * 4000 / 3},
        {"workloads.paced.queue-depth=2", 1000 + 3 * 4000 / 3},
        {"workloads.paced.queues=2", 1000 + 65 * 4000 / 3},
        {"workloads.paced.count=5", -1}, /* no steady part is known */
        {"workloads.paced.stop=2ms", 1000 + 33 * 2000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario *scenario = load_base(rows[i].set);
        const struct expectation asked = {
            .text = "", .workload = 1, .op = EXPECT_GT, .quantity = EXPECT_STEADY_IOPS};
        char why[PLAN_BOUND_BYTES] = "";
        const int64_t most = plan_bound(scenario, &asked, why);
        assert_int_equal(strstr(why, "offers at most") != NULL, rows[i].least >= 0);
        if (rows[i].least >= 0)
            assert_in_range(most, rows[i].least, rows[i].least + 40);
        scenario_free(scenario);
    }
}

struct wrong {
    const char *from, *to; /* in the text above */
    int line;
    const char *words;
};

static const struct wrong wrongs[] = {
    {"stormglass-plan: 1", "stormglass-plan: 2", 1, "version 1"},
    {"name: n\n", "", 1, "expected name"},
    {"scenario: base.yaml\n", "", 1, "expected scenario"},
    {"slo: [", "sla: [", 1, "expected slo"},
    {"slo: [\"io.latency.p99 < 1ms\", no-lossless-drop]", "slo: []", 8, "1 to 32 objectives"},
    {"no-lossless-drop]", "[x]]", 8, "expected a text"},
    {"kind: switch-down", "kind: switch-dawn", 10, "did you mean 'switch-down'"},
    {", each: \"spine*\"", "", 10, "expected each"},
    {"name: spine", "name: link-down", 11, "another failure has the name"},
    {"name: spine", "name: \"a\\\"b\"", 10, "without quotes"},
    {"sample: 3", "sample: 0", 11, "from 1 to 255"},
    {"sample: 3", "sample: 256", 11, "from 1 to 255"},
    {"for: 1ms", "for: [1ms]", 11, "expected a value"},
    {"better: higher", "better: more", 5, "higher or lower"},
    {"rate: 25Gbps", "rate: 100Gbps", 19, "in line 18 already"},
    {"part: host", "part: hast", 26, "host"},
    {"price: 500", "price: -1", 26, "price"},
    {"{part: host, price: 500}", "{price: 500}", 26, "expected a part"},
    {"seeds: 4", "seeds: 2", 27, "minimum"},
    {"seeds: 4", "objective: quickest", 27, "objective"},
    {"seeds: 4", "sedes: 4", 27, "unknown key"},
    {"seeds: 4", "grow: {years: 0, load: [{path: seed}]}", 27, "minimum"},
    {"seeds: 4", "grow: {years: 2}", 27, "expected load, capacity or both"},
    {"seeds: 4", "grow: {load: [{each-year: 10%}]}", 27, "the setting that grows"},
    {"seeds: 4", "grow: {load: []}", 27, "expected 1 to 8 loads"},
    {"seeds: 4", "grow: {capacity: {needed: 1TB}}", 27, "a part: drive has a capacity"},
    {"better: higher", "where: [spines]", 5, "where"},
    {"better: higher", "where: \"a\\\"b\"", 5, "expected a selection"},
};

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct diag *diag = fresh();
        const char *at = strstr(text, wrongs[i].from);
        assert_non_null(at);
        char copy[sizeof text + 64];
        sprintf(copy, "%.*s%s%s", (int)(at - text), text, wrongs[i].to,
                at + strlen(wrongs[i].from));
        assert_null(plan_load("plan.yaml", copy, strlen(copy), diag));
        const struct diag_message *first = &diag->messages[0];
        if (first->place.line != wrongs[i].line || strstr(first->text, wrongs[i].words) == NULL)
            fail_msg("%s -> %s: %d: %s", wrongs[i].from, wrongs[i].to, first->place.line,
                     first->text);
        free(diag);
    }
}

static void without_prices_headroom_decides(void **state)
{
    (void)state;
    char copy[sizeof text + 64];
    const char *at = strstr(text, "prices:");
    sprintf(copy, "%.*s", (int)(at - text), text);
    struct plan *plan = load(copy);
    assert_non_null(plan);
    assert_int_equal(plan->rules.objective, PLAN_HEADROOM);
    assert_int_equal(plan->rules.seeds, 5);
    assert_int_equal(plan->rules.most_seeds, 200);
    plan_free(plan);
    strcat(copy, "objective: cheapest\n");
    struct diag *diag = fresh();
    assert_null(plan_load("plan.yaml", copy, strlen(copy), diag));
    assert_non_null(strstr(diag->messages[0].text, "expected prices"));
    free(diag);
    sprintf(strstr(copy, "objective"), "seeds: 30\nmost-seeds: 20\n");
    plan = load(copy);
    assert_int_equal(plan->rules.most_seeds, 30); /* never fewer than the first stage */
    plan_free(plan);
}

static void a_budget_is_of_runs_or_of_time(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t runs, time;
        const char *wrong;
    } rows[] = {{"", 10000, 0, NULL},
                {"budget: 500\n", 500, 0, NULL},
                {"most-runs: 500\n", 500, 0, NULL},
                {"budget: 0.5h\n", 10000, 1800 * PS_PER_S, NULL},
                {"most-runs: 7\nbudget: 600s\n", 7, 600 * PS_PER_S, NULL},
                {"most-runs: 7\nbudget: 7\n", 0, 0, "most-runs sets the budget too"},
                {"budget: 0\n", 0, 0, "expected 1 to 1000000 runs"},
                {"budget: 0s\n", 0, 0, "or a time such as 600s"},
                {"budget: soon\n", 0, 0, "expected runs such as 500"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char copy[sizeof text + 64];
        struct diag *diag = fresh();
        sprintf(copy, "%s%s", text, rows[i].line);
        struct plan *plan = plan_load("plan.yaml", copy, strlen(copy), diag);
        if (rows[i].wrong != NULL) {
            assert_null(plan);
            assert_non_null(strstr(diag->messages[0].text, rows[i].wrong));
        } else {
            assert_int_equal(plan->rules.most_runs, rows[i].runs);
            assert_int_equal(plan->most_time, rows[i].time);
            assert_string_equal(plan->question, text); /* so it goes on with more of it */
        }
        plan_free(plan);
        free(diag);
    }
}

/* 10 runs in 20 s, of which 4 were known from before: 6 were played. */
static void the_time_left_is_that_of_the_runs_ahead(void **state)
{
    (void)state;
    struct plan *plan = memory_new(sizeof *plan);
    struct plan_state search = {.plan = plan};
    plan->rules.most_runs = 1000;
    plan_expect(&search, 16);
    assert_true(plan_left_s(&search, 0) < 0); /* no pace yet */
    search.runs = 10;
    search.played = 6;
    assert_true(plan_left_s(&search, 20) > 19.99 && plan_left_s(&search, 20) < 20.01);
    plan_expect(&search, 3); /* anew: these are all that are left */
    assert_true(plan_left_s(&search, 20) > 9.99 && plan_left_s(&search, 20) < 10.01);
    plan->rules.most_runs = 11; /* the budget ends it before */
    assert_true(plan_left_s(&search, 20) > 3.33 && plan_left_s(&search, 20) < 3.34);
    plan->most_time = 21 * PS_PER_S;
    assert_true(plan_left_s(&search, 20) > 0.99 && plan_left_s(&search, 20) < 1.01);
    assert_true(plan_left_s(&search, 30) >= 0 && plan_left_s(&search, 30) < 0.01);
    search.runs = 99; /* more than was thought */
    assert_true(plan_left_s(&search, 20) >= 0 && plan_left_s(&search, 20) < 0.01);
    free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_what_it_says),
        cmocka_unit_test(failures_are_cases),
        cmocka_unit_test(failures_come_together),
        cmocka_unit_test(only_targets_crash),
        cmocka_unit_test(objectives_are_of_the_steady_part),
        cmocka_unit_test(a_bill_counts_every_part),
        cmocka_unit_test(bounds_are_those_of_links_and_light),
        cmocka_unit_test(a_paced_loop_is_bound_by_its_rate_and_its_depth),
        cmocka_unit_test(the_time_left_is_that_of_the_runs_ahead),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(without_prices_headroom_decides),
        cmocka_unit_test(a_budget_is_of_runs_or_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
