/* SPDX-License-Identifier: Apache-2.0
 * Completions by interrupts, worked by hand: what one costs, those that are polled with it, fixed
 * moderation by count and by time, the engine's part, and the levels of the adaptive one. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/pipeline/cq.h"
#include "rnic/pipeline/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define NS PS_PER_NS
#define US PS_PER_US

enum { MANY = 8, BYTES = 12000 };

static struct pipeline_params by_interrupt(void)
{
    struct rnic_params presets;
    opt_presets(rnic_opts, &presets);
    struct pipeline_params params = presets.pipeline;
    params.completions = RNIC_COMPLETIONS_INTERRUPT;
    params.interrupt = 2 * US;
    params.completion = 500 * NS;
    return params;
}

/* When each of many WRITEs, on the wire for some 1 us each, is heard of. */
static void play(const struct pipeline_params *pipeline, time_ps heard[MANY], uint64_t *interrupts)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pipeline = *pipeline;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair_run(pair, PS_PER_MS);
    pair->ends[0].wc_count = 0;
    const uint64_t before = pair->rnics[0]->cqs == NULL ? 0 : pair->rnics[0]->cqs->interrupts;
    const time_ps begin = pair->engine.now;
    struct verbs_mr *from = pair_mr(pair, 0, BYTES, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, BYTES, VERBS_BULK);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, MANY);
    for (unsigned i = 0; i < MANY; i++)
        heard[i] = pair->ends[0].wc_at[i] - begin;
    if (interrupts != NULL)
        *interrupts = pair->rnics[0]->cqs->interrupts - before;
    for (int side = 0; side < 2; side++)
        rnic_audit(pair->rnics[side]);
    pair_free(pair);
}

/* Those who poll hear at once: some 1 us apart.  An interrupt comes 2 us after the first, each
 * takes 500 ns, and those that come meanwhile are taken with it, until none is left. */
static void what_comes_meanwhile_is_polled_too(void **state)
{
    (void)state;
    struct pipeline_params params = by_interrupt();
    time_ps at_once[MANY], heard[MANY];
    uint64_t interrupts, expected = 0;
    params.completions = RNIC_COMPLETIONS_POLLING;
    play(&params, at_once, NULL);
    params.completions = RNIC_COMPLETIONS_INTERRUPT;
    play(&params, heard, &interrupts);
    const time_ps apart = at_once[1] - at_once[0];
    assert_in_range(apart, 900 * NS, 1100 * NS);
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(at_once[i], at_once[0] + i * apart);
        const bool polling = i > 0 && at_once[i] <= heard[i - 1];
        expected += !polling;
        assert_int_equal(heard[i], (polling ? heard[i - 1] : at_once[i] + 2 * US) + 500 * NS);
    }
    assert_int_equal(interrupts, expected);
    assert_in_range(interrupts, 2, MANY / 2);
}

static void moderation_waits_for_so_many_or_so_long(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        time_ps time;
        int64_t later;    /* than the first is in its queue, in messages ... */
        time_ps later_ps; /* ... and time */
        uint64_t interrupts;
    } cases[] = {
        {1, 50 * US, 0, 0, 8},         {4, 50 * US, 3, 0, 2}, {8, 50 * US, 7, 0, 1},
        {100, 50 * US, 0, 50 * US, 1}, {100, 0, 0, 0, 8},     {100, 2500 * NS, 0, 2500 * NS, 3},
    };
    struct pipeline_params params = by_interrupt();
    time_ps at_once[MANY], heard[MANY];
    params.completions = RNIC_COMPLETIONS_POLLING;
    play(&params, at_once, NULL);
    params.completions = RNIC_COMPLETIONS_INTERRUPT;
    params.interrupt = 100 * NS;
    params.completion = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t interrupts;
        params.cq_count = cases[i].count;
        params.cq_time = cases[i].time;
        play(&params, heard, &interrupts);
        const time_ps later = cases[i].later * (at_once[1] - at_once[0]) + cases[i].later_ps;
        assert_int_equal(heard[0], at_once[0] + later + 100 * NS);
        assert_int_equal(interrupts, cases[i].interrupts);
    }
}

static void an_event_takes_the_link_to_memory(void **state)
{
    (void)state;
    struct pipeline_params params = by_interrupt();
    time_ps without[MANY], with[MANY];
    params.pcie_generation = 3;
    play(&params, without, NULL);
    params.event = 300 * NS;
    play(&params, with, NULL);
    assert_int_equal(with[0], without[0] + 300 * NS);
    params.pcie_generation = PCIE_OFF;
    play(&params, without, NULL);
    params.event = 0;
    play(&params, with, NULL);
    assert_memory_equal(without, with, sizeof with);
}

static struct pair *connected(const struct pair_params *params)
{
    struct pair *pair = pair_make(params);
    pair_connect(pair);
    pair_run(pair, PS_PER_MS);
    return pair;
}

/* A core that takes one in 100 us: of many completions so many find an entry, and are taken; the
 * next breaks the queue.  With as many entries as completions nothing is lost. */
static void what_finds_no_entry_breaks_the_queue(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= MANY; size++) {
        struct pair_params params;
        pair_presets(&params);
        params.rnic.pipeline = by_interrupt();
        params.rnic.pipeline.completion = 100 * US;
        params.rnic.pipeline.cq_size = size;
        struct pair *pair = connected(&params);
        struct verbs_mr *from = pair_mr(pair, 0, BYTES, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, BYTES, VERBS_BULK);
        for (unsigned i = 0; i < MANY; i++)
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
        pair_run(pair, 50 * US);
        const bool whole = size == MANY;
        const struct rnic *rnic = pair->rnics[0];
        rnic_audit(rnic);
        assert_int_equal(rnic->counters.cq_overruns, !whole);
        assert_int_equal(rnic->counters.qp_errors, !whole);
        assert_int_equal(pair->ends[0].overruns, !whole);
        assert_int_equal(pair->ends[0].conn->qp->state, whole ? IBV_QPS_RTS : IBV_QPS_ERR);
        assert_int_equal(pair->ends[0].wc_count, 0);
        pair_run(pair, 2 * PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, size);
        for (unsigned i = 0; i < size; i++)
            assert_int_equal(pair->ends[0].wcs[i].status, IBV_WC_SUCCESS);
        /* What it does afterwards nobody hears of, and a connection in its place is whole. */
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
        pair_run(pair, 2 * PS_PER_MS);
        assert_int_equal(pair->ends[0].wc_count, size + whole);
        assert_int_equal(pair->ends[0].overruns, !whole);
        rnic_audit(rnic);
        pair_free(pair);
    }
}

/* The peer's requests are not answered any more: its retries run out. */
static void a_receivers_queue_that_overran_is_the_senders_timeout(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pipeline = by_interrupt();
    params.rnic.pipeline.completion = 100 * US;
    params.rnic.pipeline.cq_size = 5;
    params.rnic.timeout = 1;
    params.rnic.retry_count = 2;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, BYTES, VERBS_BULK);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pair_recv(pair, 1, pair_mr(pair, 1, BYTES, VERBS_BULK)), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 5 * US);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, 0), 0);
    pair_run(pair, 50 * US);
    assert_int_equal(pair->ends[1].overruns, 1);
    assert_int_equal(pair->ends[1].conn->qp->state, IBV_QPS_ERR);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_MS);
    const struct pair_end *sender = &pair->ends[0];
    assert_int_equal(pair->ends[1].wc_count, 5);
    assert_int_equal(sender->overruns, 0);
    assert_int_equal(sender->wcs[sender->wc_count - 1].status, IBV_WC_RETRY_EXC_ERR);
    pair_free(pair);
}

/* In software what was sent loses the completions that find no entry, and no more; a receive's
 * takes the queue pair to ERR. */
static void software_loses_what_finds_no_entry(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.soft.software = 1;
    params.rnic.soft.wake = 900 * US;
    params.rnic.pipeline.cq_size = 2;
    for (int receives = 0; receives < 2; receives++) {
        struct pair *pair = connected(&params);
        struct verbs_mr *from = pair_mr(pair, 0, 1000, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 1000, VERBS_BULK);
        for (int i = 0; i < 3 && receives; i++)
            assert_int_equal(pair_recv(pair, 1, to), 0);
        pair_run(pair, 10 * PS_PER_MS);
        for (int i = 0; i < 3; i++)
            assert_int_equal(pair_post(pair, 0, receives ? IBV_WR_SEND : IBV_WR_RDMA_WRITE, from,
                                       to, receives && i > 0 ? 0 : IBV_SEND_SIGNALED),
                             0);
        pair_run(pair, 10 * PS_PER_MS);
        const struct pair_end *end = &pair->ends[receives];
        assert_int_equal(pair->rnics[receives]->counters.cq_overruns, 1);
        assert_int_equal(end->overruns, 1);
        assert_int_equal(end->wc_count, 2);
        assert_int_equal(end->conn->qp->state, receives ? IBV_QPS_ERR : IBV_QPS_RTS);
        for (int i = 0; i < 2; i++)
            rnic_audit(pair->rnics[i]);
        if (!receives) { /* and the queue is good for others */
            const unsigned flags = IBV_SEND_SIGNALED;
            assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, flags), 0);
            pair_run(pair, 10 * PS_PER_MS);
            assert_int_equal(pair->ends[0].wc_count, 3);
        }
        pair_free(pair);
    }
}

/* So many polls 10 us apart, each of so many completions. */
static void poll(struct dim *dim, unsigned polls, uint32_t completions, time_ps *now)
{
    for (unsigned i = 0; i < polls; i++) {
        *now += 10 * US;
        dim_polled(dim, completions, *now);
    }
}

/* A sample is 64 polls after the one that it begins with; after a step it begins anew. */
static void levels_follow_the_rate(void **state)
{
    (void)state;
    static const struct {
        uint32_t completions;
        uint8_t level;
        bool left;
    } samples[] = {
        {1, 0, false},  /* the first: nothing to compare with */
        {1, 0, false},  /* the same */
        {2, 1, false},  /* more: to the right */
        {4, 2, false},  /* more */
        {4, 2, false},  /* the same, and 4 of each poll are more than level 2 asks for */
        {3, 1, true},   /* less: back */
        {6, 0, true},   /* more: on in the same direction */
        {12, 0, false}, /* more, at the edge */
        {24, 1, false}, {48, 2, false}, {96, 3, false}, {40, 2, true}, /* less */
        {20, 3, false},                                                /* less again: round again */
        {1, 2, true},
    };
    struct dim dim = {0};
    time_ps now = 0;
    poll(&dim, 1, 1, &now);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const uint8_t before = dim.level;
        poll(&dim, 64, samples[i].completions, &now);
        assert_int_equal(dim.level, samples[i].level);
        assert_int_equal(dim.left, samples[i].left);
        if (dim.level != before)
            poll(&dim, 1, 1, &now);
    }
    poll(&dim, 64, 1, &now); /* the same, and no more than level 2 asks for: to the first */
    assert_int_equal(dim.level, 0);
    assert_int_equal(dim_count(&dim), 1);
    assert_int_equal(dim_time(&dim), US);
    for (unsigned i = 0, completions = 2; i < 12; i++, completions *= 2) {
        poll(&dim, 1, 1, &now);
        poll(&dim, 64, completions, &now);
        assert_in_range(dim_count(&dim), 1, 32);
        assert_in_range(dim_time(&dim), US, 32 * US);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_meanwhile_is_polled_too),
        cmocka_unit_test(moderation_waits_for_so_many_or_so_long),
        cmocka_unit_test(an_event_takes_the_link_to_memory),
        cmocka_unit_test(what_finds_no_entry_breaks_the_queue),
        cmocka_unit_test(a_receivers_queue_that_overran_is_the_senders_timeout),
        cmocka_unit_test(software_loses_what_finds_no_entry),
        cmocka_unit_test(levels_follow_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
