/* SPDX-License-Identifier: Apache-2.0
 * test_explain - roots of pauses on a small fabric by hand.
 *   h0 --- leaf0 --- spine --- leaf1 --- h1
 *            |                   |
 *           h3                  h2
 * Ports: h0 0 | h1 1 | h2 2 | h3 3 | leaf0 4 (h0) 5 (h3) 6 (spine) | leaf1 7 (h1) 8 (h2) 9 (spine)
 *        | spine 10 (leaf0) 11 (leaf1) */
#include "replay/explain/explain.h"
#include "replay/explain/explain_words.h"
#include "replay/explain/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { H0, H1, H2, H3, LEAF0, LEAF1, SPINE, NODES };

enum {
    H0_P = 0,
    H1_P,
    H2_P,
    H3_P,
    LEAF0_H0,
    LEAF0_H3,
    LEAF0_SPINE,
    LEAF1_H1,
    LEAF1_H2,
    LEAF1_SPINE,
    SPINE_LEAF0,
    SPINE_LEAF1,
    PORTS
};

enum { PRIO = 3 };

static const char *const names[NODES] = {"h0", "h1", "h2", "h3", "leaf0", "leaf1", "spine"};
static const bool is_host[NODES] = {true, true, true, true, false, false, false};
static const uint32_t first_port[NODES + 1] = {0, 1, 2, 3, 4, 7, 10, 12};
static const uint32_t peer[PORTS] = {LEAF0_H0, LEAF1_H1,    LEAF1_H2,    LEAF0_H3,
                                     H0_P,     H3_P,        SPINE_LEAF0, H1_P,
                                     H2_P,     SPINE_LEAF1, LEAF0_SPINE, LEAF1_SPINE};
static const uint32_t node_of[PORTS] = {H0,    H1,    H2,    H3,    LEAF0, LEAF0,
                                        LEAF0, LEAF1, LEAF1, LEAF1, SPINE, SPINE};
static const int64_t rate[PORTS] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100};

static const int64_t fast_rate[PORTS] = {100000000000, 100000000000, 100000000000, 100000000000,
                                         100000000000, 100000000000, 100000000000, 100000000000,
                                         100000000000, 100000000000, 100000000000, 100000000000};

static const struct explain_fabric fast_fabric = {
    .node_count = NODES,
    .names = names,
    .is_host = is_host,
    .first_port = first_port,
    .peer = peer,
    .node_of = node_of,
    .rate_bps = fast_rate,
};

static const struct explain_fabric fabric = {
    .node_count = NODES,
    .names = names,
    .is_host = is_host,
    .first_port = first_port,
    .peer = peer,
    .node_of = node_of,
    .rate_bps = rate,
};

/* `holder` pauses its peer, which obeys at the same moment; `reasons` end with a weight of 0. */
static void edge_of(struct explain *explain, time_ps at, uint32_t holder,
                    const struct explain_reason *reasons, bool full)
{
    struct explain_edge edge = {
        .at = at, .port = holder, .priority = PRIO, .begins = true, .full = full};
    for (; reasons[edge.reason_count].weight > 0; edge.reason_count++) {
        edge.reasons[edge.reason_count] = reasons[edge.reason_count];
        edge.reasons[edge.reason_count].priority = PRIO;
    }
    explain_on_hold(explain, &edge);
    explain_on_block(explain, at, peer[holder], PRIO, true);
}

/* A hold with one reason, of which nothing is known but the egress; or the end of a hold. */
static void edge(struct explain *explain, time_ps at, uint32_t holder, uint32_t egress, bool begins,
                 bool full)
{
    const struct explain_reason reasons[2] = {{.port = egress, .weight = egress != EXPLAIN_NONE}};
    if (begins) {
        edge_of(explain, at, holder, reasons, full);
        return;
    }
    explain_on_hold(explain, &(struct explain_edge){.at = at, .port = holder, .priority = PRIO});
    explain_on_block(explain, at, peer[holder], PRIO, false);
}

/* h0 is slow: leaf0's egress to it is blocked, so leaf0 pauses the spine, which pauses leaf1, which
 * pauses h1. */
static void slow_host_is_the_root_of_the_whole_cascade(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H0_P, EXPLAIN_NONE, true, true);
    edge(&explain, 2000, LEAF0_SPINE, LEAF0_H0, true, true);
    edge(&explain, 3000, SPINE_LEAF1, SPINE_LEAF0, true, true);
    edge(&explain, 4000, LEAF1_H1, LEAF1_SPINE, true, true);
    edge(&explain, 9000, H0_P, EXPLAIN_NONE, false, true);
    edge(&explain, 9000, LEAF0_SPINE, LEAF0_H0, false, true);
    edge(&explain, 9000, SPINE_LEAF1, SPINE_LEAF0, false, true);
    edge(&explain, 9000, LEAF1_H1, LEAF1_SPINE, false, true);
    explain_finish(&explain, 10000);
    assert_int_equal(explain.root_count, 1);
    assert_int_equal(explain.roots[0].port, H0_P);
    assert_int_equal(explain.roots[0].kind, EXPLAIN_SLOW_RECEIVER);
    assert_int_equal(explain.roots[0].held_ps, 8000 + 7000 + 6000 + 5000);
    assert_int_equal(explain.roots[0].direct_ps, 8000);
    assert_int_equal(explain.path_count, 4);
    assert_int_equal(explain.paths[0].port, LEAF0_H0);
    assert_int_equal(explain.paths[3].port, H1_P);
    assert_int_equal(explain.paths[3].hops, 4);
    assert_int_equal(explain_root_host(&explain, 0), H0);
    char text[300];
    explain_root_words(&explain, 0, text, sizeof text);
    assert_string_equal(text,
                        "the receive buffer of h0 drains more slowly than the link delivers (h0 "
                        "paused leaf0:p0 for 8.00 ns; the pauses spread to 3 switches and 1 host)");
    explain_fini(&explain);
}

/* leaf0 lets h0 go after a nanosecond, but the RESUME is lost: h0 stands still for ten. */
static void pause_that_outlives_its_cause_makes_unsure(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct explain explain;
        explain_init(&explain, &fabric);
        const uint32_t holder = LEAF0_H0;
        const struct explain_edge hold = {
            .at = 1000,
            .port = holder,
            .priority = PRIO,
            .begins = true,
            .full = true,
            .reason_count = 1,
            .reasons = {{.port = LEAF0_SPINE, .priority = PRIO, .weight = 1}}};
        explain_on_hold(&explain, &hold);
        explain_on_block(&explain, 1100, peer[holder], PRIO, true);
        explain_on_hold(&explain,
                        &(struct explain_edge){.at = 2000, .port = holder, .priority = PRIO});
        explain_on_block(&explain, lost ? 11100 : 2100, peer[holder], PRIO, false);
        explain_finish(&explain, 20000);
        assert_int_equal(explain.verdict.sure, !lost);
        assert_int_equal(explain.roots[0].direct_ps, lost ? 10000 : 1000); /* as the port counts */
        explain_fini(&explain);
    }
}

/* h0's pauses are for a class that leaf0 does not obey: nothing stops, and nobody is a root. */
static void pauses_that_nobody_obeys_stop_nobody(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    const struct explain_edge hold = {
        .at = 1000, .port = H0_P, .priority = PRIO, .begins = true, .full = true};
    explain_on_block(&explain, 100, peer[H0_P], PRIO, true);
    explain_on_block(&explain, 900, peer[H0_P], PRIO, false);
    explain_on_hold(&explain, &hold);
    edge(&explain, 3000, SPINE_LEAF1, SPINE_LEAF0, true, true);
    edge(&explain, 4000, SPINE_LEAF1, SPINE_LEAF0, false, true);
    explain_finish(&explain, 9000);
    assert_int_equal(explain.root_count, 1);
    assert_int_equal(explain.roots[0].port, SPINE_LEAF0);
    assert_int_equal(explain.verdict.all_ps, 1000);
    explain_fini(&explain);
}

static void host_that_pauses_with_an_empty_buffer_is_a_storm(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H2_P, EXPLAIN_NONE, true, false);
    explain_finish(&explain, 6000);
    assert_int_equal(explain.root_count, 1);
    assert_int_equal(explain.roots[0].kind, EXPLAIN_STORM);
    assert_int_equal(explain.roots[0].held_ps, 5000);
    explain_fini(&explain);
}

/* Two hosts send to h0 faster than one link carries: nobody pauses leaf0, so its egress is the
 * root. */
static void incast_is_congestion_at_the_egress(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, LEAF0_H3, LEAF0_H0, true, true);
    edge(&explain, 1500, LEAF0_SPINE, LEAF0_H0, true, true);
    edge(&explain, 3000, LEAF0_H3, LEAF0_H0, false, true);
    edge(&explain, 3500, LEAF0_SPINE, LEAF0_H0, false, true);
    explain_finish(&explain, 9000);
    assert_int_equal(explain.root_count, 1);
    assert_int_equal(explain.roots[0].port, LEAF0_H0);
    assert_int_equal(explain.roots[0].kind, EXPLAIN_CONGESTION);
    assert_int_equal(explain.roots[0].held_ps, 4000);
    assert_int_equal(explain_root_host(&explain, 0), H0);
    explain_fini(&explain);
}

/* leaf0 holds the spine for 10 us; its egress is blocked by h0 in the middle 4 us only. */
static void time_of_one_hold_is_divided_between_two_roots(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 10000, LEAF0_SPINE, LEAF0_H0, true, true);
    edge(&explain, 13000, H0_P, EXPLAIN_NONE, true, true);
    edge(&explain, 17000, H0_P, EXPLAIN_NONE, false, true);
    edge(&explain, 20000, LEAF0_SPINE, LEAF0_H0, false, true);
    explain_finish(&explain, 20000);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[0].port, H0_P); /* its own 4 us and 4 us of leaf0's */
    assert_int_equal(explain.roots[0].held_ps, 8000);
    assert_int_equal(explain.roots[1].port, LEAF0_H0);
    assert_int_equal(explain.roots[1].held_ps, 6000);
    explain_fini(&explain);
}

/* leaf0's memory is full of frames for h0, which is slow, and for h3, three to one. */
static void reasons_share_a_hold_by_weight(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H0_P, EXPLAIN_NONE, true, true);
    edge_of(&explain, 2000, LEAF0_SPINE,
            (struct explain_reason[]){{.port = LEAF0_H0, .weight = 300, .queued = 3000},
                                      {.port = LEAF0_H3, .weight = 100, .queued = 1000},
                                      {0}},
            true);
    explain_finish(&explain, 6000);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[0].port, H0_P);
    assert_int_equal(explain.roots[0].held_ps, 5000 + 3000);
    assert_int_equal(explain.roots[1].port, LEAF0_H3);
    assert_int_equal(explain.roots[1].held_ps, 1000);
    assert_true(explain.verdict.sure);
    assert_int_equal(explain.verdict.all_ps, 9000);
    explain_fini(&explain);
}

/* As above, but what waits for h3 is one bit short of nothing: after it is sent, all is h0's. */
static void reason_ends_when_its_queue_is_sent(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fast_fabric);
    edge(&explain, 1000, H0_P, EXPLAIN_NONE, true, true);
    edge_of(&explain, 2000, LEAF0_SPINE,
            (struct explain_reason[]){{.port = LEAF0_H0, .weight = 100, .queued = 100},
                                      {.port = LEAF0_H3, .weight = 100, .queued = 25},
                                      {0}},
            true);
    explain_finish(&explain, 10000);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[1].port, LEAF0_H3);
    assert_int_equal(explain.roots[1].held_ps, 1000); /* half of the first 2 ns: 25 B at 100 Gb/s */
    assert_int_equal(explain.roots[0].held_ps, 9000 + 7000);
    explain_fini(&explain);
}

/* leaf0's egress was blocked for 3 of the 4 ns that its queue takes to send; then it may send.
 * What it works off is still h0's, as far as the block goes back. */
static void open_egress_works_off_what_a_block_left(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fast_fabric);
    edge(&explain, 1000, H0_P, EXPLAIN_NONE, true, true);
    edge(&explain, 4000, H0_P, EXPLAIN_NONE, false, true);
    edge_of(&explain, 4000, LEAF0_SPINE,
            (struct explain_reason[]){{.port = LEAF0_H0, .weight = 1, .queued = 50}, {0}}, true);
    edge(&explain, 4002, LEAF0_SPINE, EXPLAIN_NONE, false, true);
    explain_finish(&explain, 9000);
    assert_int_equal(explain.roots[0].port, H0_P);
    assert_int_equal(explain.roots[0].held_ps, 3000 + 1); /* 2 * 2999 / 4000 */
    assert_int_equal(explain.roots[1].port, LEAF0_H0);
    assert_int_equal(explain.roots[1].held_ps, 1);
    explain_fini(&explain);
}

/* A slow host is named before congestion that holds more, and the statement says that it is
 * unsure. */
static void fault_with_the_smaller_share_is_named_unsure(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H2_P, EXPLAIN_NONE, true, true);
    edge(&explain, 1000, LEAF0_H3, LEAF0_H0, true, true);
    edge(&explain, 3000, H2_P, EXPLAIN_NONE, false, true);
    explain_finish(&explain, 9000);
    assert_int_equal(explain.roots[0].port, H2_P);
    assert_false(explain.verdict.sure);
    assert_int_equal(explain.verdict.rival, 1);
    char text[400];
    explain_cause_words(&explain, text, sizeof text);
    assert_string_equal(
        text,
        "uncertain: the receive buffer of h2 drains more slowly than the link delivers (h2 paused "
        "leaf1:p1 for 2.00 ns), 20% of the total pause time; or congestion at leaf0:p0 to h0, 80%");
    explain_fini(&explain);
}

/* Two hosts that pause by themselves are causes side by side; a third with next to nothing is
 * none. */
static void two_hosts_are_two_causes(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H0_P, EXPLAIN_NONE, true, true);
    edge(&explain, 1000, H2_P, EXPLAIN_NONE, true, false);
    edge(&explain, 1000, H1_P, EXPLAIN_NONE, true, true);
    edge(&explain, 1100, H1_P, EXPLAIN_NONE, false, true);
    edge(&explain, 5000, H2_P, EXPLAIN_NONE, false, false);
    edge(&explain, 7000, H0_P, EXPLAIN_NONE, false, true);
    explain_finish(&explain, 9000);
    assert_int_equal(explain.root_count, 3);
    assert_int_equal(explain.verdict.causes, 2);
    assert_int_equal(explain.verdict.rival, 2);
    assert_true(explain.verdict.sure);
    assert_int_equal(explain.roots[1].port, H2_P);
    char text[400];
    explain_cause_words(&explain, text, sizeof text);
    assert_string_equal(
        text,
        "the receive buffer of h0 drains more slowly than the link delivers (h0 paused leaf0:p0 "
        "for 6.00 ns), 59% of the total pause time; and pause storm from h2 (it paused leaf1:p1), "
        "40%");
    explain_fini(&explain);
}

/* A storm in a priority that its switch has nothing to send in stops nobody, however long. */
static void pauses_of_what_is_never_sent_have_no_root(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        struct explain explain;
        explain_init(&explain, &fabric);
        edge(&explain, 1000, H2_P, EXPLAIN_NONE, true, false);
        explain_never_sent(&explain, fabric.peer[H2_P], PRIO);
        if (both) {
            edge(&explain, 2000, H0_P, EXPLAIN_NONE, true, true);
            edge(&explain, 3000, H0_P, EXPLAIN_NONE, false, true);
        }
        explain_finish(&explain, 9000);
        assert_int_equal(explain.root_count, both);
        assert_int_equal(explain.path_count, both);
        assert_int_equal(explain.verdict.all_ps, both ? 1000 : 0);
        assert_int_equal(explain.verdict.sure, both);
        if (both)
            assert_int_equal(explain.roots[0].port, H0_P);
        explain_fini(&explain);
    }
}

/* What no peer told of is nobody's, and makes the statement unsure. */
static void hold_without_reason_is_unknown(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, H2_P, EXPLAIN_NONE, true, true);
    edge(&explain, 2000, LEAF0_SPINE, EXPLAIN_NONE, true, true);
    explain_finish(&explain, 3000);
    assert_int_equal(explain.root_count, 1);
    assert_int_equal(explain.roots[0].held_ps, 2000);
    assert_int_equal(explain.unknown_ps, 1000);
    assert_false(explain.verdict.sure);
    explain_fini(&explain);
}

static void circle_is_found_and_named(void **state)
{
    (void)state;
    /* leaf0 holds the spine because of its egress to the spine, and the other way round. */
    struct explain explain;
    explain_init(&explain, &fabric);
    edge(&explain, 1000, LEAF0_SPINE, LEAF0_SPINE, true, true);
    edge(&explain, 1000, SPINE_LEAF0, SPINE_LEAF0, true, true);
    explain_finish(&explain, 2000);
    assert_int_equal(explain.roots[0].kind, EXPLAIN_CIRCLE);
    time_ps sum = 0;
    for (uint32_t i = 0; i < explain.root_count; i++)
        sum += explain.roots[i].held_ps;
    assert_int_equal(sum, 2000);             /* no time is lost */
    assert_int_equal(explain.root_count, 1); /* no further away than it has switches */
    for (uint32_t i = 0; i < explain.path_count; i++)
        assert_in_range(explain.paths[i].hops, 1, 2);
    explain_fini(&explain);
}

/* More intervals than one fold takes: the totals are those of a single fold. */
static void folding_loses_no_time(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    const int rounds = 3 * EXPLAIN_INTERVALS;
    uint32_t most = 0;
    edge(&explain, 5, LEAF0_SPINE, LEAF0_H0, true, true);
    for (int i = 1; i <= rounds; i++) {
        edge(&explain, i * 10, H0_P, EXPLAIN_NONE, true, true);
        edge(&explain, i * 10 + 6, H0_P, EXPLAIN_NONE, false, true);
        const uint32_t kept = explain.hold_count + explain.block_count;
        most = kept > most ? kept : most;
    }
    assert_in_range(most, EXPLAIN_INTERVALS - 2, EXPLAIN_INTERVALS);
    explain_finish(&explain, rounds * 10 + 10);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[0].port, H0_P);
    assert_int_equal(explain.roots[0].held_ps, (int64_t)rounds * 12);
    assert_int_equal(explain.roots[0].direct_ps, (int64_t)rounds * 6);
    assert_int_equal(explain.roots[1].held_ps, (int64_t)rounds * 4 + 5 + 0);
    explain_fini(&explain);
}

/* Hosts with the same share stand in the order of their ports, whoever paused first, and those with
 * more before them. */
static void equal_roots_are_in_the_order_of_ports(void **state)
{
    (void)state;
    static const uint32_t begun[] = {H3_P, H1_P, H2_P, H0_P}, sorted[] = {H2_P, H0_P, H1_P, H3_P};
    struct explain explain;
    explain_init(&explain, &fabric);
    for (int i = 0; i < 4; i++)
        edge(&explain, 1000 + i, begun[i], EXPLAIN_NONE, true, true);
    for (int i = 0; i < 4; i++)
        edge(&explain, (begun[i] == H2_P ? 3000 : 2000) + i, begun[i], EXPLAIN_NONE, false, true);
    explain_finish(&explain, 4000);
    assert_int_equal(explain.root_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(explain.roots[i].port, sorted[i]);
        assert_int_equal(explain.roots[i].held_ps, i == 0 ? 2000 : 1000);
    }
    explain_fini(&explain);
    /* Two egresses of a leaf, of which the later is found first. */
    explain_init(&explain, &fabric);
    edge(&explain, 1000, LEAF0_H0, LEAF0_SPINE, true, true);
    edge(&explain, 1000, LEAF0_H3, LEAF0_H0, true, true);
    edge(&explain, 2000, LEAF0_H0, LEAF0_SPINE, false, true);
    edge(&explain, 2000, LEAF0_H3, LEAF0_H0, false, true);
    explain_finish(&explain, 4000);
    assert_int_equal(explain.root_count, 2);
    assert_int_equal(explain.roots[0].port, LEAF0_H0);
    assert_int_equal(explain.roots[1].port, LEAF0_SPINE);
    assert_int_equal(explain.roots[0].held_ps, explain.roots[1].held_ps);
    explain_fini(&explain);
}

static void nothing_paused_has_no_root(void **state)
{
    (void)state;
    struct explain explain;
    explain_init(&explain, &fabric);
    explain_finish(&explain, 1000);
    assert_int_equal(explain.root_count, 0);
    assert_int_equal(explain.path_count, 0);
    explain_fini(&explain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_host_is_the_root_of_the_whole_cascade),
        cmocka_unit_test(pause_that_outlives_its_cause_makes_unsure),
        cmocka_unit_test(pauses_that_nobody_obeys_stop_nobody),
        cmocka_unit_test(host_that_pauses_with_an_empty_buffer_is_a_storm),
        cmocka_unit_test(incast_is_congestion_at_the_egress),
        cmocka_unit_test(time_of_one_hold_is_divided_between_two_roots),
        cmocka_unit_test(reasons_share_a_hold_by_weight),
        cmocka_unit_test(reason_ends_when_its_queue_is_sent),
        cmocka_unit_test(open_egress_works_off_what_a_block_left),
        cmocka_unit_test(fault_with_the_smaller_share_is_named_unsure),
        cmocka_unit_test(two_hosts_are_two_causes),
        cmocka_unit_test(pauses_of_what_is_never_sent_have_no_root),
        cmocka_unit_test(hold_without_reason_is_unknown),
        cmocka_unit_test(circle_is_found_and_named),
        cmocka_unit_test(folding_loses_no_time),
        cmocka_unit_test(equal_roots_are_in_the_order_of_ports),
        cmocka_unit_test(nothing_paused_has_no_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
