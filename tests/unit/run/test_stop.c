/* SPDX-License-Identifier: Apache-2.0
 * Signals that ask for an end: the first is noted and asks, a second finds whoever was there
 * before, and a run leaves the handlers as it found them. */
#include "replay/run/run.h"
#include "replay/run/stop.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static volatile sig_atomic_t counted;

static void count(int number)
{
    (void)number;
    counted++;
}

static struct sigaction before[2];

static int set_up(void **state)
{
    (void)state;
    const struct sigaction counts = {.sa_handler = count};
    counted = 0;
    sigaction(SIGINT, &counts, &before[0]);
    return sigaction(SIGTERM, &counts, &before[1]);
}

static int tear_down(void **state)
{
    (void)state;
    stop_forget();
    sigaction(SIGINT, &before[0], NULL);
    return sigaction(SIGTERM, &before[1], NULL);
}

static void either_signal_asks_and_is_forgotten(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct stop former;
        stop_catch(&former);
        assert_int_equal(stop_asked(), 0);
        raise(signals[i]);
        assert_int_equal(stop_asked(), signals[i]);
        assert_int_equal(*stop_place(), signals[i]);
        stop_release(&former);
        assert_int_equal(counted, i);
        raise(signals[i]); /* it is nobody's any more who works */
        assert_int_equal(counted, i + 1);
        stop_catch(&former); /* what was asked before counts no more */
        assert_int_equal(stop_asked(), 0);
        stop_release(&former);
    }
}

/* At a terminal work goes on: each interrupt asks once more, and an end by others is theirs. */
static void interrupts_alone_ask_as_often_as_they_come(void **state)
{
    (void)state;
    struct stop former;
    stop_catch_interrupts(&former);
    for (int i = 0; i < 2; i++) {
        raise(SIGINT);
        assert_int_equal(stop_asked(), SIGINT);
        stop_forget();
    }
    raise(SIGTERM);
    assert_int_equal(stop_asked(), 0);
    assert_int_equal(counted, 1);
    stop_release(&former);
    raise(SIGINT);
    raise(SIGTERM);
    assert_int_equal(counted, 3);
}

static void a_run_leaves_the_handlers_as_they_were(void **state)
{
    (void)state;
    static const char text[] = "stormglass: 1\nname: t\nduration: 10us\n"
                               "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n";
    static struct diag diag;
    const struct scenario_input input = {.name = "t", .text = text, .length = sizeof text - 1};
    const struct run_options options = {.until = TIME_NEVER};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, &diag), RUN_DONE);
    assert_string_equal(run.result.status, "complete");
    assert_true(run_close(&run));
    scenario_free(scenario);
    raise(SIGINT);
    raise(SIGTERM);
    assert_int_equal(counted, 2);
    assert_int_equal(stop_asked(), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(either_signal_asks_and_is_forgotten),
        TEST(interrupts_alone_ask_as_often_as_they_come),
        TEST(a_run_leaves_the_handlers_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
