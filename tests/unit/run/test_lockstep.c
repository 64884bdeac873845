/* SPDX-License-Identifier: Apache-2.0
 * Two runs beside each other part where their lists of events say: both are played alone and whole,
 * and compared node by node. */
#include "replay/run/lockstep.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: pair\n"
    "duration: 200us\n"
    "drain: 1ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: host1, to: host0, count: 20}\n"
    "  - {name: b, kind: rdma-write, from: host2, to: host0, count: 20, start: 50us}\n";

static const char more_hosts[] =
    "stormglass: 1\n"
    "name: pair\n"
    "duration: 200us\n"
    "drain: 1ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 4}}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: host1, to: host0, count: 20}\n"
    "  - {name: b, kind: rdma-write, from: host2, to: host0, count: 20, start: 50us}\n"
    "  - {name: c, kind: rdma-write, from: host3, to: host1, count: 2, start: 70us}\n";

static struct diag diag;

static struct scenario *load(const char *lines, const char *set)
{
    const struct scenario_input input = {.name = "p.yaml",
                                         .text = lines,
                                         .length = strlen(lines),
                                         .sets = &set,
                                         .set_count = set == NULL ? 0 : 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    diag_print(&diag, stderr);
    assert_non_null(scenario);
    return scenario;
}

/* ------------------------------------------------------------------ each alone */

struct alone {
    const struct scenario *scenario;
    struct world *world;
    struct eventlog log;
};

static void play_alone(struct alone *alone, const struct lockstep_side *side)
{
    alone->scenario = side->scenario;
    alone->world = world_build(side->scenario, &probe_none, &diag);
    assert_non_null(alone->world);
    eventlog_init(&alone->log, alone->world);
    while (world_run(alone->world, side->until)) {
        if (alone->world->engine.now >= side->until)
            break;
    }
}

static void end_alone(struct alone *alone)
{
    eventlog_fini(&alone->log);
    world_free(alone->world);
}

/* The n-th event of the node of that name, or NULL. */
static const struct eventlog_event *nth(const struct alone *alone, const char *node, uint32_t n)
{
    for (uint32_t i = 0; i < alone->log.count; i++) {
        const struct eventlog_event *event = &alone->log.events[i];
        if (strcmp(alone->scenario->nodes[event->node].name, node) == 0 && n-- == 0)
            return event;
    }
    return NULL;
}

/* Events of the node before they part, and when the earlier side goes on. */
static uint32_t same_of(const struct alone sides[2], const char *node, time_ps *at)
{
    uint32_t same = 0;
    const struct eventlog_event *a = nth(&sides[0], node, 0), *b = nth(&sides[1], node, 0);
    while (a != NULL && b != NULL && eventlog_equal(a, b)) {
        same++;
        a = nth(&sides[0], node, same);
        b = nth(&sides[1], node, same);
    }
    *at = a == NULL ? TIME_NEVER : a->at;
    if (b != NULL && b->at < *at)
        *at = b->at;
    return same;
}

struct parting {
    const char *node;
    uint32_t same;
    time_ps at;
};

static void look_at(const struct alone sides[2], const char *node, struct parting *first)
{
    time_ps at;
    const uint32_t same = same_of(sides, node, &at);
    if (at < first->at)
        *first = (struct parting){node, same, at};
}

/* In the order of side 0's nodes, and then of those that it has not. */
static struct parting parting_of(const struct alone sides[2])
{
    struct parting first = {.at = TIME_NEVER};
    for (uint32_t i = 0; i < sides[0].scenario->node_count; i++)
        look_at(sides, sides[0].scenario->nodes[i].name, &first);
    for (uint32_t i = 0; i < sides[1].scenario->node_count; i++)
        look_at(sides, sides[1].scenario->nodes[i].name, &first);
    return first;
}

static void assert_told(const struct alone *alone, const struct eventlog_event *event,
                        const struct eventlog_reported *told)
{
    struct arena arena = {0};
    assert_non_null(event);
    const struct eventlog_reported expected = eventlog_tell(&alone->log, event, &arena);
    assert_int_equal(told->at, expected.at);
    assert_string_equal(told->port, expected.port);
    assert_string_equal(told->what, expected.what);
    arena_free(&arena);
}

static uint64_t events_before(const struct alone *alone, time_ps at)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < alone->log.count; i++)
        count += alone->log.events[i].at < at;
    return count;
}

/* ------------------------------------------------------------------ and together */

static void check_parting(const struct lockstep *lockstep, const struct alone sides[2])
{
    const struct parting parting = parting_of(sides);
    assert_non_null(parting.node);
    assert_string_equal(lockstep->node, parting.node);
    assert_int_equal(lockstep->at, parting.at);
    uint32_t near = 0; /* of the last ones, those that are not long past */
    while (near < LOCKSTEP_BEFORE && near < parting.same &&
           nth(&sides[0], parting.node, parting.same - near - 1)->at > parting.at - parting.at / 8)
        near++;
    assert_in_range(lockstep->same_count, near, LOCKSTEP_BEFORE);
    assert_true(lockstep->same_count <= parting.same);
    for (uint32_t n = 0; n < lockstep->same_count; n++)
        assert_told(&sides[0],
                    nth(&sides[0], parting.node, parting.same - lockstep->same_count + n),
                    &lockstep->same[n]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lockstep->events[i], events_before(&sides[i], parting.at));
        uint32_t count = 0;
        while (count < LOCKSTEP_BEHIND &&
               nth(&sides[i], parting.node, parting.same + count) != NULL)
            count++;
        assert_int_equal(lockstep->counts[i], count);
        for (uint32_t n = 0; n < count; n++)
            assert_told(&sides[i], nth(&sides[i], parting.node, parting.same + n),
                        &lockstep->next[i][n]);
    }
}

static void check(const struct lockstep_side sides[2], const char *how)
{
    struct alone alone[2];
    struct lockstep lockstep;
    for (int i = 0; i < 2; i++)
        play_alone(&alone[i], &sides[i]);
    assert_int_equal(lockstep_play(&lockstep, sides, false, &diag), LOCKSTEP_PARTED);
    check_parting(&lockstep, alone);
    if (how != NULL)
        assert_string_equal(lockstep.how, how);
    lockstep_free(&lockstep);
    for (int i = 0; i < 2; i++)
        end_alone(&alone[i]);
}

/* Both ways round. */
static void check_sets(const char *set, const char *how, const char *round)
{
    struct scenario *scenarios[2] = {load(text, NULL), load(text, set)};
    check((struct lockstep_side[2]){{scenarios[0], TIME_NEVER}, {scenarios[1], TIME_NEVER}}, how);
    check((struct lockstep_side[2]){{scenarios[1], TIME_NEVER}, {scenarios[0], TIME_NEVER}}, round);
    scenario_free(scenarios[0]);
    scenario_free(scenarios[1]);
}

/* ------------------------------------------------------------------ tests */

static void a_change_parts_them_where_it_does(void **state)
{
    (void)state;
    check_sets("workloads.b.start=60us", NULL, NULL);
    check_sets("workloads.a.count=5", NULL, NULL);
    check_sets("workloads.b.count=1", NULL, NULL);
    check_sets("workloads.a.message-size=8KiB", NULL, NULL);
    check_sets("seed=2", NULL, NULL);
    check_sets("fabric.switch.ecn-kmin=5KB", NULL, NULL);
    check_sets("hosts.defaults.rnic.tx-delay=900ns", NULL, NULL);
}

static void the_kind_of_difference_is_in_words(void **state)
{
    (void)state;
    /* 5050 ps a meter: 2 m more. */
    check_sets("fabric.overrides=[{where: \"link host2-switch0\", length: 5m}]",
               "the event of A happens 10.1 ns later in B",
               "the event of B happens 10.1 ns later in A");
}

static void other_nodes_part_them_too(void **state)
{
    (void)state;
    struct scenario *few = load(text, NULL), *many = load(more_hosts, NULL);
    check((struct lockstep_side[2]){{few, TIME_NEVER}, {many, TIME_NEVER}}, NULL);
    check((struct lockstep_side[2]){{many, TIME_NEVER}, {few, TIME_NEVER}}, NULL);
    scenario_free(few);
    scenario_free(many);
}

static void one_that_ends_early_parts_there(void **state)
{
    (void)state;
    struct scenario *scenario = load(text, NULL);
    const time_ps until = 53 * PS_PER_US + 1;
    check((struct lockstep_side[2]){{scenario, until}, {scenario, TIME_NEVER}}, "A has ended");
    check((struct lockstep_side[2]){{scenario, TIME_NEVER}, {scenario, until}}, "B has ended");
    scenario_free(scenario);
}

static void the_same_is_equal_to_the_end(void **state)
{
    (void)state;
    struct scenario *scenario = load(text, NULL), *other = load(text, NULL);
    static const time_ps ends[] = {TIME_NEVER, 53 * PS_PER_US};
    for (int i = 0; i < 2; i++) {
        const struct lockstep_side sides[2] = {{scenario, ends[i]}, {other, ends[i]}};
        struct lockstep lockstep;
        assert_int_equal(lockstep_play(&lockstep, sides, false, &diag), LOCKSTEP_EQUAL);
        assert_null(lockstep.node);
        assert_int_equal(lockstep.same_count + lockstep.counts[0] + lockstep.counts[1], 0);
        lockstep_free(&lockstep);
    }
    scenario_free(scenario);
    scenario_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_parts_them_where_it_does),
        cmocka_unit_test(the_kind_of_difference_is_in_words),
        cmocka_unit_test(other_nodes_part_them_too),
        cmocka_unit_test(one_that_ends_early_parts_there),
        cmocka_unit_test(the_same_is_equal_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
