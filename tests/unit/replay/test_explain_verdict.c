/* SPDX-License-Identifier: Apache-2.0
 * test_explain_verdict - which root is named, how sure that is, and in which words.
 *   port 0 host0 - leaf0 port 2;  port 3 leaf0 - leaf1 port 5;  port 4 leaf1 - host1 port 1 */
#include "replay/explain/explain_verdict.h"
#include "replay/explain/explain_words.h"
#include "replay/explain/verdict.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PORTS = 6, ROOTS_MAX = 5, PATHS_MAX = 4 };

static const char *const names[] = {"host0", "host1", "leaf0", "leaf1"};
static const bool hosts[] = {true, true, false, false};
static const uint32_t first_ports[] = {0, 1, 2, 4, 6}, nodes[PORTS] = {0, 1, 2, 2, 3, 3};
static const uint32_t peers[PORTS] = {2, 4, 0, 5, 1, 3};
static const int64_t rates[PORTS] = {100000000000, 100000000000, 100000000000,
                                     400000000000, 100000000000, 400000000000};
static const struct explain_fabric fabric = {.node_count = 4,
                                             .names = names,
                                             .is_host = hosts,
                                             .first_port = first_ports,
                                             .peer = peers,
                                             .node_of = nodes,
                                             .rate_bps = rates};

static struct explain explain_of(const struct explain_root *roots, struct explain_root *copy)
{
    struct explain explain = {.fabric = &fabric, .roots = copy};
    while (explain.root_count < ROOTS_MAX && roots[explain.root_count].held_ps > 0) {
        copy[explain.root_count] = roots[explain.root_count];
        explain.root_count++;
    }
    return explain;
}

#define SLOW(at, time)                                                                             \
    {                                                                                              \
        .port = (at), .kind = EXPLAIN_SLOW_RECEIVER, .held_ps = (time), .fault = 1                 \
    }
#define FULL(at, time)                                                                             \
    {                                                                                              \
        .port = (at), .kind = EXPLAIN_CONGESTION, .held_ps = (time)                                \
    }
#define MINOR(at, time)                                                                            \
    {                                                                                              \
        .port = (at), .kind = EXPLAIN_SLOW_RECEIVER, .held_ps = (time)                             \
    }
#define ROUND(at, time)                                                                            \
    {                                                                                              \
        .port = (at), .kind = EXPLAIN_CIRCLE, .held_ps = (time)                                    \
    }
#define NONE EXPLAIN_NONE

/* Each bound from both sides. */
static void causes_rivals_and_how_sure(void **state)
{
    (void)state;
    static const struct {
        struct explain_root roots[ROOTS_MAX];
        time_ps unknown, blocked, idle;
        uint32_t causes, rival;
        bool sure;
    } rows[] = {
        {{SLOW(0, 100)}, 0, 0, 0, 1, NONE, true},
        {{FULL(4, 100)}, 0, 0, 0, 1, NONE, true},
        {{ROUND(3, 100)}, 0, 0, 0, 1, NONE, false},
        {{{0}}, 7, 0, 0, 0, NONE, false},
        /* hosts with a twentieth are causes beside the first, if their pauses are a fault */
        {{SLOW(0, 100), SLOW(1, 100)}, 0, 0, 0, 2, NONE, true},
        {{SLOW(0, 95), SLOW(1, 5)}, 0, 0, 0, 2, NONE, true},
        {{SLOW(0, 96), SLOW(1, 4)}, 0, 0, 0, 1, 1, true},
        {{SLOW(0, 95), MINOR(1, 5)}, 0, 0, 0, 1, 1, true},
        {{SLOW(0, 90), FULL(3, 10)}, 0, 0, 0, 1, 1, true},
        {{SLOW(0, 100), SLOW(1, 50), FULL(3, 20)}, 0, 0, 0, 2, 2, true},
        /* no other has more than half as much */
        {{FULL(4, 100), FULL(3, 50)}, 0, 0, 0, 1, 1, true},
        {{FULL(4, 100), FULL(3, 51)}, 0, 0, 0, 1, 1, false},
        {{SLOW(0, 50), FULL(3, 50)}, 0, 0, 0, 1, 1, false},
        /* the largest of the others is the rival, and the first of equals */
        {{FULL(4, 100), FULL(3, 20), FULL(5, 30)}, 0, 0, 0, 1, 2, true},
        {{FULL(4, 100), FULL(3, 30), FULL(5, 30)}, 0, 0, 0, 1, 1, true},
        /* a host elsewhere may be what made the congestion, however little it held */
        {{FULL(4, 9000), MINOR(0, 1)}, 0, 0, 0, 1, 1, false},
        {{FULL(4, 9000), FULL(3, 20), MINOR(0, 1)}, 0, 0, 0, 1, 2, false},
        /* both ends of a link are one place */
        {{FULL(4, 9000), MINOR(1, 1)}, 0, 0, 0, 1, NONE, true},
        {{SLOW(1, 50), FULL(4, 50)}, 0, 0, 0, 1, NONE, true},
        {{SLOW(1, 50), FULL(4, 53)}, 0, 0, 0, 1, 1, false},
        {{SLOW(1, 40), FULL(4, 20), FULL(3, 30)}, 0, 0, 0, 1, 2, true},
        {{SLOW(1, 40), FULL(4, 20), FULL(3, 31)}, 0, 0, 0, 1, 2, false},
        /* the causes' places have half of all */
        {{SLOW(0, 48), FULL(3, 24), FULL(4, 24), FULL(5, 1)}, 0, 0, 0, 1, 1, true},
        {{SLOW(0, 48), FULL(3, 24), FULL(4, 24), FULL(5, 2)}, 0, 0, 0, 1, 1, false},
        /* a quarter of the time may be unknown */
        {{SLOW(0, 75)}, 25, 0, 0, 1, NONE, true},
        {{SLOW(0, 74)}, 26, 0, 0, 1, NONE, false},
        /* transmitters stood still for half as long again, less what had nothing to send */
        {{SLOW(0, 90)}, 10, 150, 0, 1, NONE, true},
        {{SLOW(0, 90)}, 10, 151, 0, 1, NONE, false},
        {{SLOW(0, 90)}, 10, 160, 10, 1, NONE, true},
        {{SLOW(0, 90)}, 10, 160, 9, 1, NONE, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct explain_root roots[ROOTS_MAX];
        struct explain explain = explain_of(rows[i].roots, roots);
        explain.unknown_ps = rows[i].unknown;
        explain.blocked_ps = rows[i].blocked;
        explain.idle_ps = rows[i].idle;
        time_ps all = rows[i].unknown;
        for (uint32_t r = 0; r < explain.root_count; r++)
            all += roots[r].held_ps;
        explain.asked_ps = all + explain.idle_ps;
        explain_judge(&explain);
        const struct explain_verdict *verdict = &explain.verdict;
        if (verdict->causes != rows[i].causes || verdict->rival != rows[i].rival ||
            verdict->sure != rows[i].sure)
            fail_msg("row %zu: %u causes, rival %u, sure %d", i, verdict->causes, verdict->rival,
                     verdict->sure);
        assert_int_equal(verdict->all_ps, all);
        assert_int_equal(verdict->first_ps, explain.root_count == 0 ? 0 : roots[0].held_ps);
        assert_int_equal(verdict->rival_ps,
                         rows[i].rival == NONE ? 0 : roots[rows[i].rival].held_ps);
    }
}

/* Of its own priorities none is a rival, and their time is its. */
static void a_port_in_several_priorities_is_one_cause(void **state)
{
    (void)state;
    const struct explain_root three[ROOTS_MAX] = {FULL(4, 34), FULL(4, 33), FULL(4, 32)};
    const struct explain_root two[ROOTS_MAX] = {FULL(4, 30), FULL(4, 30), FULL(3, 31)};
    struct explain_root roots[ROOTS_MAX];
    struct explain explain = explain_of(three, roots);
    explain_judge(&explain);
    assert_true(explain.verdict.sure);
    assert_int_equal(explain.verdict.first_ps, 99);
    assert_int_equal(explain.verdict.rival, NONE);
    explain = explain_of(two, roots);
    explain_judge(&explain);
    assert_false(explain.verdict.sure);
    assert_int_equal(explain.verdict.first_ps, 60);
    assert_int_equal(explain.verdict.rival, 2);
}

static void a_fault_is_a_host_with_a_thousandth(void **state)
{
    (void)state;
    static const struct {
        struct explain_root roots[ROOTS_MAX];
        time_ps unknown;
        bool faults[2];
    } rows[] = {
        {{MINOR(0, 1), FULL(3, 1998)}, 0, {true, false}},
        {{MINOR(0, 1), FULL(3, 1999)}, 0, {false, false}},
        {{MINOR(0, 2), FULL(3, 1998)}, 0, {true, false}},
        {{MINOR(0, 2), FULL(3, 1998)}, 999, {true, false}},
        {{MINOR(0, 2), FULL(3, 1998)}, 1000, {false, false}},
        {{FULL(3, 1), SLOW(1, 9)}, 0, {false, true}},
        {{FULL(3, 50000), SLOW(1, 9)}, 0, {false, false}},
        /* beyond 64 bits when multiplied */
        {{MINOR(0, INT64_C(4000000000000000)), FULL(3, INT64_C(4000000000000000000))},
         0,
         {false, false}},
        {{MINOR(0, INT64_C(4100000000000000)), FULL(3, INT64_C(4000000000000000000))},
         0,
         {true, false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct explain_root roots[ROOTS_MAX];
        struct explain explain = explain_of(rows[i].roots, roots);
        explain.unknown_ps = rows[i].unknown;
        explain_mark_faults(&explain);
        assert_int_equal(roots[0].fault, rows[i].faults[0]);
        assert_int_equal(roots[1].fault, rows[i].faults[1]);
    }
}

static const struct {
    uint32_t port;
    enum explain_kind kind;
    uint32_t paths[PATHS_MAX], count; /* ports that had to stop */
    const char *words;
} sentences[] = {
    {0,
     EXPLAIN_SLOW_RECEIVER,
     {2},
     1,
     "the receive buffer of host0 drains more slowly than the link delivers (host0 paused leaf0:p0 "
     "for "
     "2.00 us)"},
    {0,
     EXPLAIN_SLOW_RECEIVER,
     {2, 5},
     2,
     "the receive buffer of host0 drains more slowly than the link delivers (host0 paused leaf0:p0 "
     "for "
     "2.00 us; the pauses spread to 2 switches)"},
    {1,
     EXPLAIN_STORM,
     {4, 3},
     2,
     "host1 sends PAUSE although its receive buffer is not full (it paused leaf1:p0 for "
     "2.00 us; the pauses spread to 2 switches)"},
    {1,
     EXPLAIN_STORM,
     {4, 5},
     2,
     "host1 sends PAUSE although its receive buffer is not full (it paused leaf1:p0 for "
     "2.00 us; the pauses spread to 1 switch)"},
    {4,
     EXPLAIN_CONGESTION,
     {3, 0},
     2,
     "leaf1:p0 to host1 is offered more traffic than the 100 Gb/s of this link (this congestion "
     "caused 3.00 ms "
     "of "
     "pause time, summed over ports; the pauses spread to 1 switch and 1 host)"},
    {3,
     EXPLAIN_CONGESTION,
     {0, 1},
     2,
     "leaf0:p1 to leaf1 is offered more traffic than the 400 Gb/s of this link (this congestion "
     "caused 3.00 ms "
     "of "
     "pause time, summed over ports; the pauses spread to 2 hosts)"},
    {3,
     EXPLAIN_CIRCLE,
     {3, 5, 3, 1},
     4,
     "leaf0:p1 to leaf1: cyclic pause dependency (the cycle caused 3.00 ms of pause time, summed "
     "over "
     "ports; the pauses spread to 2 "
     "switches and 1 host)"},
};

static void a_root_is_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        struct explain_root roots[2] = {{.port = 5, .held_ps = 1},
                                        {sentences[i].port,
                                         3,
                                         sentences[i].kind,
                                         3 * PS_PER_MS,
                                         2 * PS_PER_US,
                                         {0},
                                         false,
                                         false}};
        /* Paths of the root before and of the one behind are none of its own. */
        struct explain_path paths[PATHS_MAX + 2] = {{0, 1, 4, 1}};
        for (uint32_t p = 0; p < sentences[i].count; p++)
            paths[1 + p] = (struct explain_path){1, p + 1, sentences[i].paths[p], 1};
        paths[1 + sentences[i].count] = (struct explain_path){2, 1, 0, 1};
        const struct explain explain = {.fabric = &fabric,
                                        .roots = roots,
                                        .root_count = 2,
                                        .paths = paths,
                                        .path_count = sentences[i].count + 2};
        char text[480];
        explain_root_words(&explain, 1, text, sizeof text);
        assert_string_equal(text, sentences[i].words);
    }
}

#define HOST0_DRAINS                                                                               \
    "the receive buffer of host0 drains more slowly than the link delivers (host0 paused "         \
    "leaf0:p0 for "                                                                                \
    "0 "                                                                                           \
    "ps)"

static void the_cause_is_said_with_its_shares(void **state)
{
    (void)state;
    static const struct {
        struct explain_root roots[ROOTS_MAX];
        const char *words;
    } rows[] = {
        {{SLOW(0, 80), FULL(3, 20)}, HOST0_DRAINS},
        {{SLOW(0, 60), SLOW(1, 40)},
         HOST0_DRAINS
         ", 60% of the total pause time; and slow receiver host1 (it paused leaf1:p0), 40%"},
        {{SLOW(0, 50),
          {.port = 1, .kind = EXPLAIN_STORM, .held_ps = 30, .fault = true},
          SLOW(1, 20)},
         HOST0_DRAINS ", 50% of the total pause time; and pause storm from host1 (it paused "
                      "leaf1:p0), 30%; and slow receiver host1 (it paused leaf1:p0), 20%"},
        {{SLOW(0, 40), SLOW(1, 30), SLOW(1, 20), SLOW(1, 10)},
         HOST0_DRAINS
         ", 40% of the total pause time; and slow receiver host1 (it paused leaf1:p0), 30%; and "
         "slow receiver host1 (it paused leaf1:p0), 20%; and 1 more"},
        {{SLOW(0, 40), FULL(3, 60)},
         "uncertain: " HOST0_DRAINS
         ", 40% of the total pause time; or congestion at leaf0:p1 to leaf1, 60%"},
        {{SLOW(0, 40), ROUND(5, 60)},
         "uncertain: " HOST0_DRAINS
         ", 40% of the total pause time; or a cyclic pause dependency at leaf1:p1 to leaf0, 60%"},
        {{ROUND(3, 500)},
         "uncertain: leaf0:p1 to leaf1: cyclic pause dependency (the cycle caused 500 ps of pause "
         "time, "
         "summed over ports), 100% of "
         "the total "
         "pause time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct explain_root roots[ROOTS_MAX];
        struct explain explain = explain_of(rows[i].roots, roots);
        char text[480];
        explain_judge(&explain);
        explain_cause_words(&explain, text, sizeof text);
        assert_string_equal(text, rows[i].words);
    }
}

static void ports_and_hosts_have_names(void **state)
{
    (void)state;
    static const char *const port_names[PORTS] = {[3] = "Ethernet4"};
    struct explain_fabric named = fabric;
    named.port_names = port_names;
    char text[80];
    explain_port_words(&named, 3, text, sizeof text);
    assert_string_equal(text, "leaf0:Ethernet4");
    explain_port_words(&named, 5, text, sizeof text);
    assert_string_equal(text, "leaf1:p1");
    static const uint32_t host_of[PORTS] = {0, 1, 0, NONE, 1, NONE};
    for (uint32_t port = 0; port < PORTS; port++) {
        struct explain_root root = {.port = port};
        const struct explain explain = {.fabric = &fabric, .roots = &root, .root_count = 1};
        assert_int_equal(explain_root_host(&explain, 0), host_of[port]);
    }
    assert_string_equal(explain_kind_name(EXPLAIN_SLOW_RECEIVER), "slow-receiver");
    assert_string_equal(explain_kind_name(EXPLAIN_STORM), "pause-storm");
    assert_string_equal(explain_kind_name(EXPLAIN_CONGESTION), "congestion");
    assert_string_equal(explain_kind_name(EXPLAIN_CIRCLE), "circle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_rivals_and_how_sure),
        cmocka_unit_test(a_port_in_several_priorities_is_one_cause),
        cmocka_unit_test(a_fault_is_a_host_with_a_thousandth),
        cmocka_unit_test(a_root_is_a_sentence),
        cmocka_unit_test(the_cause_is_said_with_its_shares),
        cmocka_unit_test(ports_and_hosts_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
