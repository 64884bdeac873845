/* SPDX-License-Identifier: Apache-2.0
 * What more of each resource would gain, where one limit is known: its rows are in order, and what
 * they hold is given back. */
#include "replay/prove/whatif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

/* Two hosts and one wire, of which eight messages under way make use. */
static struct scenario *load(const char *rest)
{
    char text[800];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nduration: 300us\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 10Gbps}}\n"
             "hosts: {defaults: {rnic: {congestion-control: none}}}\n"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_of_the_wire_gains_where_it_is_full),
        cmocka_unit_test(more_under_way_gains_where_the_wire_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
