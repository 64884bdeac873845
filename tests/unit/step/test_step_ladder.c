/* SPDX-License-Identifier: Apache-2.0
 * A run that goes both ways: each place that was passed forwards is found again backwards, across
 * snapshots, and is the same. */
#include "replay/step/step_ladder.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { HITS_MAX = 2048 };

static const char text[] = "stormglass: 1\n"
                           "name: ladder\n"
                           "duration: 300us\n"
                           "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
                           "workloads: [{name: w, kind: rdma-write, from: \"host1..host2\",\n"
                           "             to: host0, message-size: 4KiB}]\n";

static struct diag diag;

struct fixture {
    struct scenario *scenario;
    struct step_ladder ladder;
    struct step_goal io;     /* each that a workload issues or completes */
    uint64_t hits[HITS_MAX]; /* events */
    uint64_t count;
};

static struct fixture fixture;

/* Plays it forwards to its end, one hit after the other, with a snapshot every few events. */
static int setup(void **state)
{
    (void)state;
    const struct scenario_input input = {.name = "t", .text = text, .length = sizeof text - 1};
    fixture = (struct fixture){0};
    fixture.scenario = scenario_load(&input, &diag);
    assert_non_null(fixture.scenario);
    struct stepper *stepper = stepper_new(fixture.scenario, NULL, &diag);
    assert_non_null(stepper);
    assert_true(step_ladder_begin(&fixture.ladder, stepper));
    fixture.ladder.every = 300;
    fixture.io = (struct step_goal){
        .events = UINT64_MAX,
        .until = TIME_NEVER,
        .slice = UINT64_MAX,
        .hits = 1,
        .condition_count = 1,
        .conditions = {step_condition_of(STEP_IO)},
    };
    struct step_moved moved;
    do {
        assert_true(step_ladder_move(&fixture.ladder, &fixture.io, &moved));
        if (moved.end == STEP_AT_HIT)
            fixture.hits[fixture.count++] = moved.position.events;
    } while (moved.end == STEP_AT_HIT && fixture.count < HITS_MAX);
    assert_int_equal(moved.end, STEP_AT_END);
    assert_true(fixture.count > 50);
    assert_true(fixture.ladder.count > 4);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    step_ladder_end(&fixture.ladder);
    scenario_free(fixture.scenario);
    return 0;
}

static void each_hit_is_found_again_backwards(void **state)
{
    (void)state;
    static const uint64_t steps[] = {1, 1, 2, 7, 20, 1, 13};
    uint64_t at = fixture.count; /* that lie behind */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct step_moved moved;
        uint64_t left = 99;
        assert_true(step_ladder_back(&fixture.ladder, &fixture.io, steps[i], &left, &moved));
        at -= steps[i];
        assert_int_equal(left, 0);
        assert_int_equal(moved.position.events, fixture.hits[at]);
    }
}

static void from_the_end_across_all_snapshots(void **state)
{
    (void)state;
    struct step_moved moved;
    uint64_t left = 99;
    assert_true(step_ladder_back(&fixture.ladder, &fixture.io, fixture.count, &left, &moved));
    assert_int_equal(left, 0);
    assert_int_equal(moved.position.events, fixture.hits[0]);
}

static void more_than_there_are_end_at_the_begin(void **state)
{
    (void)state;
    struct step_moved moved;
    uint64_t left = 99;
    assert_true(step_ladder_back(&fixture.ladder, &fixture.io, fixture.count + 5, &left, &moved));
    assert_int_equal(left, 5);
    assert_int_equal(moved.position.events, 0);
    assert_int_equal(moved.position.now, 0);
}

/* Forwards and backwards to events and moments: the same place either way. */
static void events_and_moments_are_found_in_both_directions(void **state)
{
    (void)state;
    static const uint64_t events[] = {1000, 17, 2500, 2499, 0, 901, 900, 1200};
    time_ps at[sizeof events / sizeof events[0]];
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
            const struct step_goal goal = {
                .events = events[i], .until = TIME_NEVER, .slice = UINT64_MAX};
            struct step_moved moved;
            assert_true(step_ladder_seek(&fixture.ladder, &goal, &moved));
            assert_int_equal(moved.position.events, events[i]);
            if (again)
                assert_int_equal(moved.position.now, at[i]);
            at[i] = moved.position.now;
        }
    for (time_ps moment = 90 * PS_PER_US; moment > 0; moment -= 13 * PS_PER_US) {
        const struct step_goal goal = {.events = UINT64_MAX, .until = moment, .slice = UINT64_MAX};
        struct step_moved moved;
        assert_true(step_ladder_seek(&fixture.ladder, &goal, &moved));
        assert_int_equal(moved.position.now, moment);
        assert_true(moved.position.between);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_hit_is_found_again_backwards, setup, teardown),
        cmocka_unit_test_setup_teardown(from_the_end_across_all_snapshots, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_there_are_end_at_the_begin, setup, teardown),
        cmocka_unit_test_setup_teardown(events_and_moments_are_found_in_both_directions, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
