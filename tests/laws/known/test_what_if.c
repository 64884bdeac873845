/* SPDX-License-Identifier: Apache-2.0
 * What more of each resource would gain, where one limit is known: its rows are in order, and what
 * they hold is given back. */
#include "replay/experiment/what_if.h"

#include "replay/experiment/experiment.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

/* Two hosts and one wire, of which eight messages under way make use. */
static struct scenario *load(const char *rest)
{
    char text[2400];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nduration: 300us\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 10Gbps}}\n"
             "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\n"
             "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, "
             "message-size: 16KiB, %s}]\n",
             rest);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

static void rows_are_in_order(const struct whatif *whatif)
{
    for (uint32_t i = 0; i < whatif->row_count; i++) {
        const struct whatif_row *row = &whatif->rows[i];
        const bool alone = row->other == BOTTLENECK_RESOURCES;
        assert_true(row->words[0] != '\0');
        assert_non_null(row->workloads);
        if (i > 0 && alone)
            assert_true(row[-1].other == BOTTLENECK_RESOURCES &&
                        row[-1].gain.mean >= row->gain.mean);
    }
}

static void more_of_the_wire_gains_where_it_is_full(void **state)
{
    (void)state;
    struct scenario *scenario = load("outstanding: 8");
    struct whatif whatif = {0};
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    rows_are_in_order(&whatif);
    assert_true(whatif.row_count > 1);
    assert_int_equal(whatif.rows[0].resource, BOTTLENECK_LINK);
    assert_true(whatif.rows[0].gain.some);
    assert_true(whatif.rows[0].gain.mean > 0.05 && whatif.rows[0].gain.mean < 0.15);
    assert_int_equal(whatif.workload_count, 1);
    assert_string_equal(whatif.workloads[0], "w");
    assert_string_equal(whatif.why, "");
    assert_true(whatif.runs >= whatif.row_count);
    whatif_free(&whatif);
    scenario_free(scenario);
}

static void more_under_way_gains_where_the_wire_waits(void **state)
{
    (void)state;
    struct scenario *scenario = load("outstanding: 1");
    struct whatif whatif = {0};
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    rows_are_in_order(&whatif);
    assert_int_equal(whatif.rows[0].resource, BOTTLENECK_DEPTH);
    assert_true(whatif.rows[0].gain.some);
    whatif_free(&whatif);
    scenario_free(scenario);
}

static struct trial_change more_link(int64_t permille)
{
    return (struct trial_change){
        .kind = TRIAL_RELAX, .resource = BOTTLENECK_LINK, .permille = permille};
}

static bool holds_with(const struct scenario *scenario, uint32_t expectation, int64_t permille)
{
    const struct trial trial = {.changes = {more_link(permille)}, .count = 1};
    struct trial_base base;
    struct measure measure;
    trial_base_find(&base, scenario);
    struct experiment experiment = {.base = &base, .until = TIME_NEVER};
    assert_true(experiment_run(&experiment, &trial, 1, &measure));
    assert_int_equal(experiment.runs, 1);
    assert_true(experiment.events > 0);
    const bool held = (measure.verdict->held >> expectation & 1) != 0;
    measure_free(&measure);
    trial_base_free(&base);
    return held;
}

/* The least, to a sixty-fourth of seven times what is there, of what is enough alone; what no
 * resource gives is said, what holds is not looked at, and a list that is full stays so. */
static void what_fails_needs_the_least_that_is_enough(void **state)
{
    (void)state;
    enum { STEP = 7000 / 64 };
    struct scenario *scenario =
        load("outstanding: 8}]\nexpect: [w.goodput > 1Gbps, w.goodput > 15Gbps, "
             "w.completed > 1000000, w.goodput > 20Gbps, w.failed > 7, w.failed > 8] #");
    struct whatif whatif = {0};
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    static const char *const texts[WHATIF_EXPECTS] = {"w.goodput > 15Gbps", "w.completed > 1000000",
                                                      "w.goodput > 20Gbps", "w.failed > 7"};
    assert_int_equal(whatif.need_count, WHATIF_EXPECTS);
    for (uint32_t i = 0; i < WHATIF_EXPECTS; i++) {
        const struct whatif_need *need = &whatif.needs[i];
        assert_string_equal(need->text, texts[i]);
        if (i % 2 != 0) {
            assert_int_equal(need->resource, BOTTLENECK_RESOURCES);
            assert_int_equal(need->permille, 0);
            assert_string_equal(need->words, "");
            continue;
        }
        assert_int_equal(need->resource, BOTTLENECK_LINK);
        assert_in_range(need->permille, i == 0 ? 1500 : 2000, i == 0 ? 1800 : 2400);
        assert_true(holds_with(scenario, i + 1, need->permille));
        assert_false(holds_with(scenario, i + 1, need->permille - STEP - 1));
        char words[WHATIF_WORDS];
        const struct trial_change change = more_link(need->permille);
        const struct trial_base base = {.scenario = scenario};
        trial_words(&change, &base, words, sizeof words);
        assert_string_equal(need->words, words);
    }
    whatif_free(&whatif);
    scenario_free(scenario);
}

/* More under way gains most, and makes no message quicker; the wire that comes next does. */
static void what_the_best_does_not_give_the_next_may(void **state)
{
    (void)state;
    struct scenario *scenario = load("outstanding: 1}]\nexpect: [w.latency.p99 < 10us] #");
    struct whatif whatif = {0};
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    assert_int_equal(whatif.rows[0].resource, BOTTLENECK_DEPTH);
    assert_int_equal(whatif.need_count, 1);
    assert_int_equal(whatif.needs[0].resource, BOTTLENECK_LINK);
    assert_true(holds_with(scenario, 0, whatif.needs[0].permille));
    whatif_free(&whatif);
    scenario_free(scenario);
}

/* Whether an expectation behind the sixty-fourth is met is not noted. */
static void the_first_sixty_four_expectations_are_looked_at(void **state)
{
    (void)state;
    char rest[1400] = "outstanding: 8}]\nexpect: [";
    for (int i = 0; i < 63; i++)
        strcat(rest, "w.failed < 1, ");
    strcat(rest, "w.failed > 7, w.failed > 8] #");
    struct scenario *scenario = load(rest);
    struct whatif whatif = {0};
    assert_int_equal(scenario->expectation_count, 65);
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    assert_int_equal(whatif.need_count, 1);
    assert_string_equal(whatif.needs[0].text, "w.failed > 7");
    whatif_free(&whatif);
    scenario_free(scenario);
}

/* Runs that may not take so many events, or are too many, end the experiment. */
static void an_experiment_keeps_its_budget(void **state)
{
    (void)state;
    struct scenario *scenario = load("outstanding: 8");
    const struct trial trials[2] = {{.count = 0}, {.count = 0}};
    struct trial_base base;
    struct measure measures[2];
    trial_base_find(&base, scenario);
    struct experiment few = {.base = &base, .until = TIME_NEVER, .runs_most = 1};
    assert_false(experiment_run(&few, trials, 2, measures));
    assert_true(few.spent);
    assert_null(measures[0].works);
    assert_true(experiment_run(&(struct experiment){.base = &base, .until = TIME_NEVER}, trials, 2,
                               measures));
    assert_string_equal(measures[0].verdict->digest, measures[1].verdict->digest);
    measure_free(&measures[0]);
    measure_free(&measures[1]);
    struct experiment short_of = {.base = &base, .until = TIME_NEVER, .events_most = 100};
    assert_false(experiment_run(&short_of, trials, 2, measures));
    assert_true(short_of.spent);
    assert_null(measures[0].works);
    trial_base_free(&base);
    scenario_free(scenario);
}

static void what_counts_is_the_least_and_twice_what_chance_moves(void **state)
{
    (void)state;
    assert_true(experiment_is_significant(5, 100, PPM / 20, 0));
    assert_false(experiment_is_significant(4, 100, PPM / 20, 0));
    assert_true(experiment_is_significant(8, 100, PPM / 20, 40000));
    assert_false(experiment_is_significant(7, 100, PPM / 20, 40000));
    assert_true(experiment_is_significant(67, 100, PPM / 20, PPM / 2)); /* 3 times as long, not 2 */
    assert_false(experiment_is_significant(66, 100, PPM / 20, PPM / 2));
    assert_false(experiment_is_significant(0, 0, PPM / 20, 0));
    assert_false(experiment_is_significant(-5, 100, PPM / 20, 0));
}

/* Where another seed is another run a gain needs two, and what has much less than the best has one
 * that does not count. */
static void other_seeds_are_run_where_they_matter(void **state)
{
    (void)state;
    struct scenario *scenario = load("outstanding: 8, start-jitter: 50us");
    struct whatif whatif = {0};
    assert_true(whatif_run(&whatif, scenario, TIME_NEVER));
    assert_int_equal(whatif.rows[0].resource, BOTTLENECK_LINK);
    assert_true(whatif.rows[0].gain.some);
    assert_int_equal(whatif.seeds, whatif.rows[0].seeds);
    assert_true(whatif.seeds >= 2);
    for (uint32_t i = 1; i < whatif.row_count; i++)
        assert_true(whatif.rows[i].seeds > 1 || !whatif.rows[i].gain.some);
    assert_true(whatif.runs < 5 * whatif.row_count);
    whatif_free(&whatif);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_of_the_wire_gains_where_it_is_full),
        cmocka_unit_test(more_under_way_gains_where_the_wire_waits),
        cmocka_unit_test(what_fails_needs_the_least_that_is_enough),
        cmocka_unit_test(what_the_best_does_not_give_the_next_may),
        cmocka_unit_test(an_experiment_keeps_its_budget),
        cmocka_unit_test(what_counts_is_the_least_and_twice_what_chance_moves),
        cmocka_unit_test(other_seeds_are_run_where_they_matter),
        cmocka_unit_test(the_first_sixty_four_expectations_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
