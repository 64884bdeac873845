/* SPDX-License-Identifier: Apache-2.0
 * Walks along host - leaf - spine - another leaf: one that would take more steps than it may, and
 * pauses of all priorities. */
#include "replay/explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { HOST_P, LEAF_HOST, LEAF_SPINE, SPINE_LEAF, SPINE_OTHER, OTHER_SPINE, PORTS };
enum { NODES = 4, PRIO = 3 };

static const char *const names[NODES] = {"host", "leaf", "spine", "other"};
static const bool is_host[NODES] = {true, false, false, false};
static const uint32_t first_port[NODES + 1] = {HOST_P, LEAF_HOST, SPINE_LEAF, OTHER_SPINE, PORTS};
static const uint32_t peer[PORTS] = {LEAF_HOST,  HOST_P,      SPINE_LEAF,
                                     LEAF_SPINE, OTHER_SPINE, SPINE_OTHER};
static const uint32_t node_of[PORTS] = {0, 1, 1, 2, 2, 3};
static const int64_t rate[PORTS] = {100, 100, 100, 100, 100, 100};
static const struct explain_fabric fabric = {
    .node_count = NODES,
    .names = names,
    .is_host = is_host,
    .first_port = first_port,
    .peer = peer,
    .node_of = node_of,
    .rate_bps = rate,
};

/* `holder` pauses its peer because of an egress of its switch, or lets it go on. */
static void hold(struct explain *explain, time_ps at, uint32_t holder, uint32_t egress)
{
    struct explain_edge edge = {.at = at, .port = holder, .priority = PRIO, .full = true};
    edge.begins = egress != EXPLAIN_NONE;
    edge.reason_count = edge.begins;
    edge.reasons[0] = (struct explain_reason){.port = egress, .priority = PRIO, .weight = 1};
    explain_on_hold(explain, &edge);
    explain_on_block(explain, at, peer[holder], PRIO, edge.begins);
}

/* The leaf pauses its host for long, because of a spine that pauses it more often than a walk takes
 * steps: the rest is unknown, and no time is lost. */
static void what_a_walk_does_not_come_to_is_unknown(void **state)
{
    (void)state;
    enum { PAUSES = EXPLAIN_STEPS + 1000, PAUSED = 10, OPEN = 10 };
    struct explain explain;
    explain_init(&explain, &fabric);
    hold(&explain, 1000, LEAF_HOST, LEAF_SPINE);
    time_ps at = 2000, sum = 0;
    for (int i = 0; i < PAUSES; i++, at += PAUSED + OPEN) {
        hold(&explain, at, SPINE_LEAF, SPINE_OTHER);
        hold(&explain, at + PAUSED, SPINE_LEAF, EXPLAIN_NONE);
    }
    explain_finish(&explain, at);
    for (uint32_t i = 0; i < explain.root_count; i++)
        sum += explain.roots[i].held_ps;
    assert_in_range(explain.unknown_ps, 1000 * PAUSED, 1010 * PAUSED);
    assert_int_equal(sum + explain.unknown_ps, at - 1000 + PAUSES * PAUSED);
    explain_fini(&explain);
}

/* A global pause is an edge of each priority. */
static void hold_all(struct explain *explain, time_ps at, uint32_t holder, uint32_t egress,
                     bool begins)
{
    for (uint8_t priority = 0; priority < EXPLAIN_PRIORITIES; priority++) {
        struct explain_edge edge = {
            .at = at, .port = holder, .priority = priority, .begins = begins, .full = true};
        edge.reason_count = begins && egress != EXPLAIN_NONE;
        edge.reasons[0] = (struct explain_reason){.port = egress, .priority = PRIO, .weight = 1};
        explain_on_hold(explain, &edge);
        explain_on_block(explain, at, peer[holder], priority, begins);
    }
}

/* The host pauses the leaf, then the leaf pauses the host because of its way to the spine: each
 * time counts once, and the host's at the only priority in which the leaf sends. */
static void a_pause_of_all_priorities_counts_once(void **state)
{
    (void)state;
    static const bool pauses_all[PORTS] = {true, true, true, true, true, true};
    struct explain_fabric global = fabric;
    struct explain explain;
    global.pauses_all = pauses_all;
    explain_init(&explain, &global);
    hold_all(&explain, 1000, HOST_P, EXPLAIN_NONE, true);
    hold_all(&explain, 8000, HOST_P, EXPLAIN_NONE, false);
    hold_all(&explain, 9000, LEAF_HOST, LEAF_SPINE, true);
    hold_all(&explain, 9500, LEAF_HOST, LEAF_SPINE, false);
    for (uint8_t priority = 0; priority < EXPLAIN_PRIORITIES; priority++)
        if (priority != PRIO)
            explain_never_sent(&explain, LEAF_HOST, priority);
    explain_finish(&explain, 10000);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[0].port, HOST_P);
    assert_int_equal(explain.roots[0].priority, PRIO);
    assert_int_equal(explain.roots[0].held_ps, 7000);
    assert_int_equal(explain.roots[1].port, LEAF_SPINE);
    assert_int_equal(explain.roots[1].priority, PRIO);
    assert_int_equal(explain.roots[1].held_ps, 500);
    assert_int_equal(explain.verdict.all_ps, 7500);
    assert_int_equal(explain.blocked_ps, 7500);
    assert_int_equal(explain.path_count, 2);
    explain_fini(&explain);
}

/* The leaf sends nothing to the host, in no priority: the host's pauses have no effect. */
static void a_pause_of_all_priorities_without_traffic_is_no_root(void **state)
{
    (void)state;
    static const bool pauses_all[PORTS] = {[HOST_P] = true};
    struct explain_fabric global = fabric;
    struct explain explain;
    global.pauses_all = pauses_all;
    explain_init(&explain, &global);
    hold_all(&explain, 1000, HOST_P, EXPLAIN_NONE, true);
    for (uint8_t priority = 0; priority < EXPLAIN_PRIORITIES; priority++)
        explain_never_sent(&explain, LEAF_HOST, priority);
    explain_finish(&explain, 10000);
    assert_int_equal(explain.root_count, 0);
    assert_int_equal(explain.idle_ps, 9000);
    explain_fini(&explain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_walk_does_not_come_to_is_unknown),
        cmocka_unit_test(a_pause_of_all_priorities_counts_once),
        cmocka_unit_test(a_pause_of_all_priorities_without_traffic_is_no_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
