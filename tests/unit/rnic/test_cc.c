/* SPDX-License-Identifier: Apache-2.0
 * DCQCN against steps worked by hand, and the list of congestion controls. */
#include "rnic/cc/cc_dcqcn.h"
#include "rnic/cc/cc_kinds.h"
#include "rnic/cc/pacer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define GBPS INT64_C(1000000000)
#define US   PS_PER_US

struct rp { /* a reaction point */
    struct pacer pacer;
    struct cc_dcqcn_params params;
    struct cc_site site;
};

static struct cc_dcqcn *dcqcn(struct rp *rp)
{
    return (struct cc_dcqcn *)(void *)rp->pacer.state;
}

static void start(struct rp *rp, const char *preset, uint64_t line)
{
    cc_presets(cc_find(preset), &rp->params);
    rp->site = (struct cc_site){&cc_dcqcn, line, &rp->params};
    pacer_init(&rp->pacer, &rp->site, 1000);
}

static time_ps cnp(struct rp *rp, time_ps at)
{
    return pacer_on_cnp(&rp->pacer, &rp->site, at);
}

static time_ps sent(struct rp *rp, uint32_t bytes, time_ps at)
{
    return pacer_sent(&rp->pacer, &rp->site, bytes, at);
}

static struct cc_view look(const struct rp *rp, time_ps at)
{
    return pacer_view(&rp->pacer, &rp->site, at);
}

static void test_list(void **state)
{
    (void)state;
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++) {
        int64_t params[CC_PARAMS_MAX / 8];
        assert_non_null(preset->ops);
        assert_non_null(preset->about);
        assert_true(preset->ops->params_bytes <= sizeof params);
        assert_true(preset->ops->state_bytes <=
                    (preset->ops->on_ack == NULL ? CC_STATE_BYTES : CC_ACK_STATE_BYTES));
        assert_ptr_equal(cc_find(preset->name), preset);
        if (preset->settings == NULL) {
            assert_string_equal(preset->name, preset->ops->name);
            assert_string_equal(preset->about, preset->ops->about);
        }
        cc_presets(preset, params);
    }
    assert_null(cc_find("tcp"));
    struct rp mlx5;
    start(&mlx5, "dcqcn-mlx5", 100 * GBPS);
    assert_int_equal(mlx5.params.rate_timer, 300 * US);
    assert_int_equal(mlx5.params.f, 1);
    assert_int_equal(cc_dcqcn.cnp_interval(&mlx5.params), 4 * US);
}

/* Cuts: alpha 1 halves the rate; alpha stays 1 while CNPs keep coming within the alpha timer. */
static void test_cuts(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 100 * GBPS);
    assert_int_equal(cnp(&rp, 10 * US), 10 * US); /* it owes nothing yet */
    assert_int_equal(rp.pacer.rate, 50 * GBPS);
    assert_int_equal(dcqcn(&rp)->target, 100 * GBPS);
    assert_int_equal(dcqcn(&rp)->alpha, UINT64_C(1) << 32);
    cnp(&rp, 60 * US);
    assert_int_equal(rp.pacer.rate, 25 * GBPS);
    assert_int_equal(dcqcn(&rp)->target, 50 * GBPS);
    /* 55 us without a CNP: a = 255/256; the next CNP cuts by a/2, then a += (1 - a)/256. */
    cnp(&rp, 115 * US);
    assert_int_equal(dcqcn(&rp)->alpha, (UINT64_C(1) << 32) - (1 << 24) + (1 << 16));
    /* The timer at 115 us raised the rate to 37.5 G first; 37.5 (1 - 255/512) = 18.823242187.5 G;
     * a cut rounds down, so the rest rounds up. */
    assert_int_equal(dcqcn(&rp)->target, 37500000000);
    assert_int_equal(rp.pacer.rate, 18823242188);
    for (int i = 0; i < 40; i++)
        cnp(&rp, (120 + i) * US);
    assert_int_equal(rp.pacer.rate, rp.params.min_rate);
}

static void test_recovery(void **state)
{
    (void)state;
    static const int64_t rates[] = {/* target 50 G, from 25 G; then + 40 Mb/s each time */
                                    37500000000, 43750000000, 46875000000, 48437500000,
                                    49218750000, 49629375000, 49854687500, 49987343750};
    struct rp rp;
    start(&rp, "dcqcn", 100 * GBPS);
    cnp(&rp, 0);
    cnp(&rp, 50 * US);
    struct rp lazy = rp;
    for (int i = 0; i < 8; i++) {
        const time_ps at = (50 + 55 * (i + 1)) * US;
        assert_true(look(&rp, at - 1).rate_bps < look(&rp, at).rate_bps);
        sent(&rp, 1000, at);
        assert_int_equal(rp.pacer.rate, rates[i]);
    }
    /* Called only at the end, the timers come out the same. */
    sent(&lazy, 1000, (50 + 55 * 8) * US);
    assert_int_equal(lazy.pacer.rate, rates[7]);
    /* Back at line rate they only count. */
    assert_int_equal(look(&lazy, PS_PER_S).rate_bps, 100 * GBPS);
    sent(&lazy, 1000, PS_PER_S);
    assert_int_equal(dcqcn(&lazy)->timer_stage, (PS_PER_S - 50 * US) / (55 * US));
    assert_int_equal(lazy.pacer.timer, 50 * US + 55 * US * (dcqcn(&lazy)->timer_stage + 1));
}

/* The byte counter raises the rate as the timer does; both beyond F: hyper increase. */
static void test_byte_counter(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 100 * GBPS);
    rp.params.byte_counter = rp.pacer.bytes_left = 1000;
    rp.params.f = 1;
    cnp(&rp, 0);
    sent(&rp, 1000, 1 * US); /* fast recovery */
    assert_int_equal(rp.pacer.rate, 75 * GBPS);
    assert_int_equal(dcqcn(&rp)->byte_stage, 1);
    dcqcn(&rp)->target = 80 * GBPS;
    sent(&rp, 999, 2 * US);
    assert_int_equal(rp.pacer.rate, 75 * GBPS);
    sent(&rp, 1, 2 * US); /* additive */
    assert_int_equal(dcqcn(&rp)->target, 80040000000);
    /* two timer events: additive, still min = 1 */
    assert_int_equal(look(&rp, 110 * US).target_bps, 80120000000);
    sent(&rp, 1000, 110 * US); /* min(2, 2) > 1 */
    assert_int_equal(dcqcn(&rp)->target, 80320000000);
}

/* 10 Gb/s, limited to 5.  Frames of 1230 B take 10 000 bits of wire. */
static void test_pacing(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 10 * GBPS);
    assert_int_equal(cnp(&rp, 0), 0);
    assert_int_equal(sent(&rp, 1230, 0), 2 * US);
    /* Sent late: the lateness counts, up to a frame of 33 600 bits. */
    assert_int_equal(sent(&rp, 1230, 3 * US), 4 * US);
    for (int i = 0; i < 3; i++)
        assert_true(sent(&rp, 1230, 54900 * PS_PER_NS) <= 54900 * PS_PER_NS);
    /* 33 600 of credit less 40 000: 6 400 to pay.  500 bits at 5 Gb/s until the timer at 55 us,
     * then 5 900 at 7.5 Gb/s. */
    assert_int_equal(sent(&rp, 1230, 54900 * PS_PER_NS), 55 * US + 786667);
    /* Paid just as the timer falls due: 43 600 bits less the credit are 10 000 at 5 Gb/s. */
    start(&rp, "dcqcn", 10 * GBPS);
    cnp(&rp, 0);
    assert_int_equal(sent(&rp, 43600 / 8 - 20, 53 * US), 55 * US);
}

/* The gap is that of 5 Gb/s, which the frame left at: neither the timer, which makes it 7.5, nor a
 * CNP changes it.  The frame after it has the gap of the rate that holds then. */
static void test_gap_fixed(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 10 * GBPS);
    rp.params.gap_fixed = true;
    cnp(&rp, 0);
    assert_int_equal(sent(&rp, 1230, 54 * US), 54 * US); /* of the credit of a late frame */
    for (int i = 0; i < 2; i++)
        sent(&rp, 1230, 54 * US);
    assert_int_equal(sent(&rp, 1230, 54 * US), 55 * US + 280 * PS_PER_NS);
    struct rp cut = rp;
    assert_int_equal(cnp(&cut, 54500 * PS_PER_NS), 55 * US + 280 * PS_PER_NS);
    assert_int_equal(cut.pacer.rate, 2500000000);
    assert_int_equal(sent(&cut, 1230, 55 * US + 280 * PS_PER_NS), 59 * US + 280 * PS_PER_NS);
    assert_int_equal(sent(&rp, 1230, 55 * US + 280 * PS_PER_NS), 55 * US + 1613334);
    assert_int_equal(rp.pacer.rate, 7500000000);
}

/* What public simulators do otherwise than the paper. */
static void test_simulators(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn-zhu-ns3", 40 * GBPS);
    cnp(&rp, 0); /* alpha 1/2 + 1/512 first, then the cut by half of it */
    assert_int_equal(dcqcn(&rp)->alpha, (UINT64_C(1) << 31) + (1 << 23));
    assert_int_equal(rp.pacer.rate, 40 * GBPS - 40 * GBPS * 257 / 1024);
    for (int i = 1; i <= 100; i++)
        cnp(&rp, i * US);
    assert_int_equal(rp.pacer.rate, GBPS / 10);
    dcqcn(&rp)->target = GBPS; /* four of fast recovery, the fifth adds */
    assert_int_equal(look(&rp, (100 + 4 * 60) * US).target_bps, GBPS);
    assert_int_equal(look(&rp, (100 + 5 * 60) * US).target_bps, GBPS + 40000000);

    start(&rp, "dcqcn-hpcc-ns3", 100 * GBPS);
    cnp(&rp, 0);
    dcqcn(&rp)->target = 60 * GBPS; /* recovery, additive, then hyper by the timer alone */
    assert_int_equal(look(&rp, 300 * US).target_bps, 60 * GBPS);
    assert_int_equal(look(&rp, 600 * US).target_bps, 60020000000);
    assert_int_equal(look(&rp, 900 * US).target_bps, 60220000000);
    rp.params.hyper_increase = CC_DCQCN_HYPER_BOTH;
    assert_int_equal(look(&rp, 900 * US).target_bps, 60040000000);
}

/* The first CNP sets a rate of its own, and only the first. */
static void test_rate_on_first_cnp(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 100 * GBPS);
    rp.params.rate_on_first_cnp = 8 * GBPS;
    cnp(&rp, 1 * US);
    assert_int_equal(look(&rp, 1 * US).rate_bps, 8 * GBPS);
    assert_int_equal(look(&rp, 1 * US).target_bps, 8 * GBPS);
    cnp(&rp, 51 * US);
    assert_int_equal(look(&rp, 51 * US).rate_bps, 4 * GBPS);
    start(&rp, "dcqcn", 5 * GBPS); /* no more than the line's */
    rp.params.rate_on_first_cnp = 8 * GBPS;
    cnp(&rp, 1 * US);
    assert_int_equal(look(&rp, 1 * US).rate_bps, 5 * GBPS);
}

/* What is said of the next frame holds, however often the timers are caught up before: CNPs that
 * come too soon to cut do that. */
static void holds(const struct rp *rp, time_ps now, time_ps next)
{
    for (unsigned parts = 1; parts <= 5; parts++) {
        struct rp asked = *rp;
        for (unsigned i = 1; i <= parts; i++)
            assert_int_equal(cnp(&asked, now + (next - now) * i / parts), next);
    }
}

/* Rates are so low that several events of the timer fall into a wait. */
static void test_foresight(void **state)
{
    (void)state;
    static const int64_t timers[] = {1 * US, 3 * US, 55 * US, 300 * US};
    uint32_t waits = 0;
    for (unsigned i = 0; i < 200; i++) {
        struct rp rp;
        start(&rp, "dcqcn", 10 * GBPS);
        rp.params.rate_timer = timers[i % 4];
        rp.params.min_rate = GBPS / 1000 * (1 + i % 7);
        rp.params.cut_interval = PS_PER_S;
        rp.params.gap_fixed = i / 4 % 2;
        cnp(&rp, i * US);
        rp.pacer.rate = (uint64_t)rp.params.min_rate + i;
        time_ps now = i * US;
        for (unsigned frame = 0; frame < 20; frame++) {
            const time_ps next = sent(&rp, 64 + 97 * (i + frame) % 4096, now);
            if (next == PACER_UNLIMITED)
                break;
            waits += next > rp.pacer.timer + rp.params.rate_timer;
            if (next > now)
                holds(&rp, now, next);
            now = time_later(now, next) + frame % 3 * 100 * PS_PER_NS;
        }
    }
    assert_true(waits > 100);
}

/* Back at line rate the limit ends, and the next CNP begins one again. */
static void test_ends(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 10 * GBPS);
    cnp(&rp, 0);
    assert_true(sent(&rp, 1000, 1 * US) > 1 * US);
    assert_int_equal(sent(&rp, 1000, 55 * 60 * US), PACER_UNLIMITED);
    assert_int_equal(rp.pacer.rate, 10 * GBPS);
    assert_int_equal(cnp(&rp, 4000 * US), 4000 * US);
    assert_true(rp.pacer.rate > 5 * GBPS); /* alpha has decayed meanwhile */
    assert_int_equal(dcqcn(&rp)->timer_stage, 0);
}

/* Alpha decays to where it stands still; the next CNP raises it, and it decays again as ever. */
static void test_alpha_rests(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 100 * GBPS);
    cnp(&rp, 10 * US);
    cnp(&rp, 10 * PS_PER_S);
    const uint64_t resting = dcqcn(&rp)->alpha;
    assert_true(resting < UINT64_C(1) << 25); /* what one CNP adds: g, a 256th */
    cnp(&rp, 10 * PS_PER_S + 50 * US);
    assert_true(dcqcn(&rp)->alpha > resting);
    const uint64_t raised = dcqcn(&rp)->alpha;
    assert_true(look(&rp, 10 * PS_PER_S + 105 * US).alpha_ppm <= raised * PPM >> 32);
    cnp(&rp, 10 * PS_PER_S + 105 * US); /* after one decay */
    const uint64_t decayed = raised - (raised >> 8);
    assert_in_range(dcqcn(&rp)->alpha, decayed + (((UINT64_C(1) << 32) - decayed) >> 8) - 1,
                    decayed + (((UINT64_C(1) << 32) - decayed) >> 8) + 1);
}

static void test_cut_interval(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn-mlx5", 100 * GBPS);
    cnp(&rp, 10 * US);
    assert_int_equal(rp.pacer.rate, 50 * GBPS);
    const uint64_t alpha = dcqcn(&rp)->alpha;
    cnp(&rp, 13 * US);
    assert_int_equal(rp.pacer.rate, 50 * GBPS);
    assert_true(dcqcn(&rp)->alpha < alpha); /* three decays and one CNP */
    cnp(&rp, 14 * US);
    assert_true(rp.pacer.rate < 26 * GBPS);
    assert_int_equal(dcqcn(&rp)->target,
                     100 * GBPS); /* not clamped: the timer did not raise the rate */
}

/* A least rate above the line's is the line's: nothing is cut. */
static void test_min_rate_above_line(void **state)
{
    (void)state;
    struct rp rp;
    start(&rp, "dcqcn", 10 * GBPS);
    rp.params.min_rate = 25 * GBPS;
    assert_int_equal(cnp(&rp, 1 * US), 1 * US);
    assert_int_equal(look(&rp, 2 * US).rate_bps, 10 * GBPS);
    assert_int_equal(sent(&rp, 1000, 2 * US), PACER_UNLIMITED);
}

/* Who has no hooks is at line rate, whatever is asked. */
static void test_none(void **state)
{
    (void)state;
    struct pacer pacer;
    const struct cc_site site = {&cc_none, 10 * GBPS, NULL};
    pacer_init(&pacer, &site, 1000);
    const struct cc_view view = pacer_view(&pacer, &site, 1 * US);
    assert_int_equal(view.rate_bps, 10 * GBPS);
    assert_int_equal(view.target_bps, 10 * GBPS);
    assert_false(pacer_is_limited(&pacer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),        cmocka_unit_test(test_min_rate_above_line),
        cmocka_unit_test(test_list),        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_recovery),    cmocka_unit_test(test_byte_counter),
        cmocka_unit_test(test_pacing),      cmocka_unit_test(test_foresight),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_cut_interval),
        cmocka_unit_test(test_alpha_rests), cmocka_unit_test(test_gap_fixed),
        cmocka_unit_test(test_simulators),  cmocka_unit_test(test_rate_on_first_cnp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
