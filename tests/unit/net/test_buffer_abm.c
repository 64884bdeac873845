/* SPDX-License-Identifier: Apache-2.0
 * Active Buffer Management against its equation: T = alpha (B - Q) 1/n mu/b. */
#include "base/drop.h"
#include "net/switch/buffer_kinds.h"
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CONGESTED = 28000, INTERVAL_US = 30 }; /* presets */

/* A switch of 100 Gb/s ports whose memory is counted by the byte. */
static void abm_star(struct star *star)
{
    star_presets(star);
    switch_choose_policy(&star->params, "abm");
    star->params.buffer = 4 << 20;
    star->params.ports = PUMPS;
    star->params.cell = 1;
    star_init(star);
}

static struct buffer_group *group_at(struct star *star, unsigned port)
{
    return &star->swtch.buffer.groups[port * PRIORITIES + LOSSLESS];
}

/* In frames, as memory is taken. */
static void hold(struct star *star, unsigned port, uint32_t bytes, time_ps now)
{
    for (; bytes > 0; bytes -= bytes < 1000 ? bytes : 1000)
        assert_int_not_equal(buffer_admit(&star->swtch.buffer, group_at(star, port),
                                          bytes < 1000 ? bytes : 1000, now),
                             BUFFER_REFUSE);
}

static void let_go(struct star *star, unsigned port, uint32_t bytes, time_ps now)
{
    for (; bytes > 0; bytes -= bytes < 1000 ? bytes : 1000)
        (void)buffer_release(&star->swtch.buffer, group_at(star, port), bytes < 1000 ? bytes : 1000,
                             now);
}

static void assert_threshold(struct star *star, unsigned port, double n, double drain)
{
    const struct buffer *buffer = &star->swtch.buffer;
    const struct buffer_group *group = group_at(star, port);
    const double idle = (double)group->pool->size - group->pool->shared_used;
    const double alpha = (double)star->params.alpha / (double)PPM;
    const double expected = alpha * idle / n * drain;
    assert_float_equal((float)buffer_group_threshold(buffer, group), (float)expected, 20);
    assert_float_equal((float)buffer_group_slope(buffer, group), (float)(alpha / n * drain * 1e6),
                       2);
}

/* n counts a group in part until it holds what counts as congested, and is 1 at the least. */
static void memory_is_shared_among_the_congested(void **state)
{
    (void)state;
    static const struct {
        uint32_t held[3]; /* by groups 1, 2 and 3 */
        double n;
    } rows[] = {
        {{0, 0, 0}, 1},
        {{1000, 0, 0}, 1},
        {{CONGESTED, 0, 0}, 1},
        {{CONGESTED, CONGESTED / 2, 0}, 1.5},
        {{CONGESTED, CONGESTED, 0}, 2},
        {{200000, CONGESTED / 4, CONGESTED}, 2.25},
        {{100000, 100000, 100000}, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct star star;
        abm_star(&star);
        for (unsigned g = 0; g < 3; g++)
            hold(&star, g + 1, rows[i].held[g], 0);
        for (unsigned port = 0; port < PUMPS; port++)
            assert_threshold(&star, port, rows[i].n, 1);
        buffer_audit(&star.swtch.buffer);
        for (unsigned g = 0; g < 3; g++)
            let_go(&star, g + 1, rows[i].held[g], 0);
        assert_threshold(&star, 1, 1, 1);
        star_fini(&star);
    }
}

/* What drains slowly may hold less: by its rate in the last interval, but not less than an
 * eighth. */
static void a_threshold_follows_the_rate_of_its_group(void **state)
{
    (void)state;
    static const struct {
        uint32_t each_us; /* bytes that leave in a microsecond, of the 12500 of the line */
        double drain;
    } rows[] = {{12500, 1}, {6250, 0.5}, {3125, 0.25}, {2000, 0.16}, {1000, 0.125}, {0, 0.125}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct star star;
        abm_star(&star);
        hold(&star, 1, 200000, 0);
        for (time_ps us = 1; us <= INTERVAL_US; us++) {
            assert_threshold(&star, 1, 1, 1); /* until the first interval is over */
            let_go(&star, 1, rows[i].each_us, us * PS_PER_US - 1);
            hold(&star, 1, rows[i].each_us, us * PS_PER_US - 1);
        }
        hold(&star, 1, 1000, INTERVAL_US * PS_PER_US);
        assert_threshold(&star, 1, 1, rows[i].drain);
        assert_threshold(&star, 2, 1, 1);
        let_go(&star, 1, 201000, INTERVAL_US * PS_PER_US);
        assert_threshold(&star, 1, 1, 1); /* it is no longer congested */
        star_fini(&star);
    }
}

/* Groups that meet at one port: each has what the equation leaves, s = alpha/n mu/b (B - n s). */
static void groups_settle_by_the_equation(void **state)
{
    (void)state;
    for (int n = 1; n <= 32; n++) {
        const double alpha = 0.125, drain = n < 8 ? 1.0 / n : 0.125, b = 1e7;
        const double share = (double)buffer_abm.settled(NULL, PPM / 8, 10000000, n);
        assert_float_equal((float)share, (float)(alpha / n * drain * (b - n * share)), 20);
    }
}

/* Lossy queues, too: one that is congested has alpha / (1 + alpha) of the pool, each of two has
 * alpha / 2 / (1 + alpha); by the dynamic rule it would be alpha / (1 + 2 alpha). */
static void lossy_queues_have_their_part(void **state)
{
    (void)state;
    for (int queues = 1; queues <= 2; queues++) {
        struct star star;
        star_presets(&star);
        switch_choose_policy(&star.params, "abm");
        star.params.buffer = 4 << 20;
        star.params.ports = PUMPS;
        star.hostile = true;
        star_init(&star);
        for (int i = 0; i < 4; i++)
            star.pumps[i].to_send = 20000;
        for (int i = 0; i < 2 * queues; i++)
            star_send(&star, i, 4 + i / 2, LOSSY);
        engine_run(&star.engine, PS_PER_MS);
        const struct buffer *buffer = &star.swtch.buffer;
        const double part = (double)buffer->egress.size / 2 / queues;
        for (int i = 0; i < queues; i++) {
            const double held = star.swtch.ports[4 + i].prios[LOSSY].cells;
            assert_true(held > 0.95 * part && held < 1.05 * part);
        }
        assert_true(star.swtch.counters.dropped[PROBE_DROP_EGRESS] > 1000);
        assert_int_equal(star.swtch.counters.dropped[PROBE_DROP_BUFFER], 0);
        assert_float_equal((float)star.last_drop.threshold,
                           (float)buffer_bytes(buffer, (int64_t)part), (float)(part * 256 * 0.05));
        star_fini(&star);
    }
}

/* A lossless incast: all pause, nothing is lost, and every account is level after every event. */
static void incast_is_lossless(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    switch_choose_policy(&star.params, "abm");
    star.params.buffer = 4 << 20;
    star.params.ports = PUMPS;
    star.hostile = true;
    star_init(&star);
    for (int i = 1; i <= 3; i++) {
        star.pumps[i].to_send = 2000;
        star_send(&star, i, 0, LOSSLESS);
    }
    engine_run(&star.engine, 20 * PS_PER_MS);
    assert_int_equal(star.pumps[0].received, 6000);
    assert_int_equal(star.swtch.counters.dropped_lossless, 0);
    for (int i = 1; i <= 3; i++) {
        assert_true(star.swtch.ports[i].pauses[LOSSLESS].tx_xoff > 10);
        assert_int_equal(star.swtch.ports[i].wanted, 0);
    }
    assert_int_equal(star.swtch.buffer.used, 0);
    star_fini(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_shared_among_the_congested),
        cmocka_unit_test(a_threshold_follows_the_rate_of_its_group),
        cmocka_unit_test(groups_settle_by_the_equation),
        cmocka_unit_test(lossy_queues_have_their_part),
        cmocka_unit_test(incast_is_lossless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
