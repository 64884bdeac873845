/* SPDX-License-Identifier: Apache-2.0
 * InfiniBand's congestion control against IBTA annex A10.2, worked by hand: the index, the table,
 * the delay. */
#include "rnic/cc/cc_ibcc.h"
#include "rnic/cc/cc_kinds.h"
#include "rnic/cc/pacer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GBPS INT64_C(1000000000)
#define US   PS_PER_US
#define TICK (10 * 1024 * PS_PER_NS) /* CCTI_Timer 10 */

struct source {
    struct pacer pacer;
    struct cc_ibcc_params params;
    struct cc_site site;
};

static struct cc_ibcc *ibcc(struct source *source)
{
    return (struct cc_ibcc *)(void *)source->pacer.state;
}

static void start(struct source *source)
{
    cc_presets(cc_find("ibcc"), &source->params);
    source->site = (struct cc_site){&cc_ibcc, 100 * GBPS, &source->params};
    pacer_init(&source->pacer, &source->site, 4122);
}

static void becns(struct source *source, unsigned count, time_ps at)
{
    for (unsigned i = 0; i < count; i++) {
        pacer_on_cnp(&source->pacer, &source->site, at);
        pacer_audit(&source->pacer, &source->site, at);
    }
}

static struct cc_view look(const struct source *source, time_ps at)
{
    return pacer_view(&source->pacer, &source->site, at);
}

/* The table: 57 (i / 127)^2, or 57 i / 127. */
static void entries_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint32_t index, quadratic, linear;
    } rows[] = {{0, 0, 0}, {16, 0, 7}, {17, 1, 7}, {34, 4, 15}, {95, 31, 42}, {127, 57, 57}};
    struct source source;
    start(&source);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        source.params.shape = CC_IBCC_QUADRATIC;
        assert_int_equal(cc_ibcc_multiplier(&source.params, rows[i].index), rows[i].quadratic);
        source.params.shape = CC_IBCC_LINEAR;
        assert_int_equal(cc_ibcc_multiplier(&source.params, rows[i].index), rows[i].linear);
    }
    source.params.limit = 0;
    assert_int_equal(cc_ibcc_multiplier(&source.params, 0), 0);
}

/* A delay of m / 2^s packet times after each packet leaves 2^s / (2^s + m) of the rate. */
static void rate_of_an_index(void **state)
{
    (void)state;
    static const struct {
        unsigned becns;
        int64_t increase, shift;
        uint32_t index;
        uint64_t rate;
    } rows[] = {
        {1, 1, 0, 1, 100 * GBPS},          {16, 1, 0, 16, 100 * GBPS},
        {17, 1, 0, 17, 50 * GBPS},         {34, 1, 0, 34, 20 * GBPS},
        {17, 2, 0, 34, 20 * GBPS},         {34, 1, 2, 34, 50 * GBPS},
        {200, 1, 0, 127, 100 * GBPS / 58}, {1, 255, 0, 127, 100 * GBPS / 58},
        {5, 0, 0, 0, 100 * GBPS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct source source;
        start(&source);
        source.params.increase = rows[i].increase;
        source.params.shift = rows[i].shift;
        becns(&source, rows[i].becns, 1 * US);
        assert_int_equal(ibcc(&source)->ccti, rows[i].index);
        assert_int_equal(look(&source, 1 * US).rate_bps, rows[i].rate);
    }
}

/* The timer runs from the first BECN on: a BECN on the way does not restart it. */
static void index_falls_by_the_timer(void **state)
{
    (void)state;
    struct source source;
    start(&source);
    becns(&source, 17, 0);
    becns(&source, 17, TICK / 2);
    assert_int_equal(look(&source, TICK - 1).rate_bps, 20 * GBPS); /* 34: 4 packet times */
    assert_int_equal(look(&source, TICK).alpha_ppm, 33 * PPM / 127);
    assert_int_equal(look(&source, TICK).rate_bps, 25 * GBPS);      /* 33: 3 */
    assert_int_equal(look(&source, 17 * TICK).rate_bps, 50 * GBPS); /* 17: 1 */
    assert_int_equal(look(&source, 18 * TICK).rate_bps, 100 * GBPS);
    assert_int_equal(look(&source, 100 * TICK).alpha_ppm, 0);
    /* The index falls on while the rate is not limited; a BECN then finds 34 - 24 = 10. */
    pacer_sent(&source.pacer, &source.site, 4122, 20 * TICK);
    assert_false(pacer_is_limited(&source.pacer));
    becns(&source, 1, 24 * TICK + TICK / 2);
    assert_int_equal(ibcc(&source)->ccti, 11);
    assert_int_equal(look(&source, 35 * TICK).alpha_ppm, 0);
}

static void index_stays_at_its_minimum(void **state)
{
    (void)state;
    struct source source;
    start(&source);
    source.params.least = 34;
    pacer_init(&source.pacer, &source.site, 4122);
    becns(&source, 2, 0);
    assert_int_equal(ibcc(&source)->ccti, 36);
    assert_int_equal(look(&source, 100 * TICK).rate_bps, 20 * GBPS);
    source.params.limit = 20; /* less than the minimum */
    pacer_init(&source.pacer, &source.site, 4122);
    becns(&source, 2, 0);
    assert_int_equal(ibcc(&source)->ccti, 20);
}

/* After a packet of 4122 B and its gap of 20 B the next one waits 4 more packet times, computed
 * when the packet left. */
static void delay_after_a_packet(void **state)
{
    (void)state;
    struct source source;
    start(&source);
    becns(&source, 34, 0);
    const time_ps packet = 4142 * 80;
    assert_int_equal(pacer_sent(&source.pacer, &source.site, 4122, 0), 5 * packet);
    becns(&source, 6, 100); /* 40: 5 packet times, from the next packet on */
    assert_int_equal(pacer_next(&source.pacer, &source.site), 5 * packet);
    const time_ps next = pacer_sent(&source.pacer, &source.site, 4122, 5 * packet);
    assert_in_range(next, 11 * packet, 11 * packet + 1); /* 100 / 6 Gb/s is rounded */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_the_table),     cmocka_unit_test(rate_of_an_index),
        cmocka_unit_test(index_falls_by_the_timer), cmocka_unit_test(index_stays_at_its_minimum),
        cmocka_unit_test(delay_after_a_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
