/* SPDX-License-Identifier: Apache-2.0
 * What a loss costs at cards that take their own time: NAKs that are late, and followed late,
 * timers that begin short and double, RNR waits in coarse steps. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED
#define US       PS_PER_US

enum { SIZE = 200 * 1024, LONG = 4 * 1024 * 1024 /* 350 us */ };

/* Loses so many frames of an opcode, from the n-th on:
 * lose_state = opcode << 32 | n << 16 | many. */
static bool lose_some(struct pair *pair, const struct pair_frame *frame)
{
    const unsigned first = pair->lose_state >> 16 & 0xFFFF, many = pair->lose_state & 0xFFFF;
    if (frame->opcode != pair->lose_state >> 32)
        return false;
    return pair->seen++ - first < many;
}

static void set_loss(struct pair *pair, uint8_t opcode, unsigned first, unsigned many)
{
    pair->lose = lose_some;
    pair->seen = 0;
    pair->lose_state = (uint64_t)opcode << 32 | first << 16 | many;
}

static struct pair *make(const struct rnic_params *own)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.nak_delay = own->nak_delay;
    params.rnic.retransmit_delay = own->retransmit_delay;
    params.rnic.rnr_timer_step = own->rnr_timer_step;
    params.rnic.adaptive = own->adaptive;
    if (own->adaptive_timeout > 0)
        params.rnic.adaptive_timeout = own->adaptive_timeout;
    if (own->adaptive_tries > 0)
        params.rnic.adaptive_tries = own->adaptive_tries;
    if (own->timeout > 0)
        params.rnic.timeout = own->timeout;
    if (own->loss_recovery > 0)
        params.rnic.loss_recovery = own->loss_recovery;
    params.rnic.min_rnr_timer = own->min_rnr_timer;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    return pair;
}

/* When the NAK left, and the lost packet again; with the delays, and the same without. */
struct repair {
    time_ps nak_at, again_at;
    uint64_t repeated;
    unsigned naks;
};

static struct repair repair(time_ps nak_delay, time_ps retransmit_delay, int64_t recovery)
{
    struct pair *pair = make(&(struct rnic_params){
        .nak_delay = nak_delay, .retransmit_delay = retransmit_delay, .loss_recovery = recovery});
    struct verbs_mr *from = pair_mr(pair, 0, LONG, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, LONG, VERBS_BULK);
    set_loss(pair, FRAME_RC_WRITE_MIDDLE, 5, 1);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_MS);
    struct repair came = {.repeated = pair->rnics[0]->counters.retransmitted_packets,
                          .naks = (unsigned)pair->rnics[0]->counters.naks};
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
    const struct pair_frame *nak = NULL;
    for (unsigned i = 0; i < pair->log_count && nak == NULL; i++)
        if (pair->log[i].side == 1 && pair->log[i].aeth >> 24 == 0x60)
            nak = &pair->log[i];
    assert_non_null(nak);
    came.nak_at = nak->at;
    for (unsigned i = 0; i < pair->log_count && came.again_at == 0; i++)
        if (pair->log[i].side == 0 && pair->log[i].at > nak->at && pair->log[i].psn == nak->psn)
            came.again_at = pair->log[i].at;
    assert_true(came.again_at > 0);
    pair_free(pair);
    return came;
}

static void test_naks_are_late_and_followed_late(void **state)
{
    (void)state;
    const struct repair prompt = repair(0, 0, RECOVERY_go_back_n);
    const struct repair slow = repair(20 * US, 0, RECOVERY_go_back_n);
    const struct repair firmware = repair(0, 300 * US, RECOVERY_go_back_n);
    const struct repair both = repair(20 * US, 300 * US, RECOVERY_go_back_n);
    assert_true(slow.nak_at == prompt.nak_at + 20 * US);
    assert_true(firmware.nak_at == prompt.nak_at);
    /* A packet may be on the wire just then. */
    assert_in_range(slow.again_at - prompt.again_at, 19 * US, 21 * US);
    assert_in_range(firmware.again_at - prompt.again_at, 299 * US, 301 * US);
    assert_in_range(both.again_at - prompt.again_at, 319 * US, 321 * US);
    /* Meanwhile the rest of the message leaves, in vain. */
    assert_true(slow.repeated > prompt.repeated && firmware.repeated > slow.repeated);
    assert_true(prompt.naks == 1 && slow.naks == 1 && both.naks == 1);
}

/* Who keeps what comes early has no slow path here. */
static void test_not_with_selective_repeat(void **state)
{
    (void)state;
    const struct repair prompt = repair(0, 0, RECOVERY_selective_repeat);
    const struct repair slow = repair(20 * US, 300 * US, RECOVERY_selective_repeat);
    assert_true(slow.nak_at == prompt.nak_at && slow.again_at == prompt.again_at);
}

static void test_each_kind_of_recovery_completes(void **state)
{
    (void)state;
    const struct repair prompt = repair(0, 0, RECOVERY_go_back_0);
    const struct repair slow = repair(20 * US, 100 * US, RECOVERY_go_back_0);
    assert_true(slow.nak_at == prompt.nak_at + 20 * US);
}

static time_ps read_takes(time_ps retransmit_delay)
{
    struct pair *pair = make(&(struct rnic_params){.retransmit_delay = retransmit_delay});
    struct verbs_mr *to = pair_mr(pair, 0, SIZE, VERBS_BULK);
    struct verbs_mr *from = pair_mr(pair, 1, SIZE, VERBS_BULK);
    const time_ps begun = pair->engine.now;
    set_loss(pair, FRAME_RC_READ_RESPONSE_MIDDLE, 3, 1);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    assert_int_equal(pair->rnics[0]->counters.implied_naks, 1);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 0);
    const time_ps took = pair->ends[0].wc_at[0] - begun;
    pair_free(pair);
    return took;
}

static void test_a_missing_response_is_asked_for_late(void **state)
{
    (void)state;
    const time_ps prompt = read_takes(0), late = read_takes(200 * US);
    assert_true(late > prompt + 180 * US && late <= prompt + 200 * US);
}

/* 64, 64, 128, 128, 256, 256, 512, 512, 1024, 1024 us, then 1048.576 us, which `timeout: 8` is,
 * until seven of these are over. */
static void test_adaptive_timers_double(void **state)
{
    (void)state;
    struct pair *pair = make(&(struct rnic_params){
        .adaptive = 1, .adaptive_timeout = 64 * US, .adaptive_tries = 2, .timeout = 8});
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    const time_ps begun = pair->engine.now;
    set_loss(pair, FRAME_RC_WRITE_ONLY, 0, 1000);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, 20 * PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 14);
    assert_int_equal(pair->rnics[0]->counters.retries_exceeded, 1);
    assert_in_range(pair->ends[0].wc_at[0] - begun, 8162304 * PS_PER_NS, 8163 * US);
    time_ps before = 0;
    static const int64_t gaps[] = {64, 64, 128, 128, 256, 256, 512, 512, 1024, 1024, 1048};
    for (unsigned i = 0; i < 12; i++) {
        const time_ps at = pair_nth(pair, 0, FRAME_RC_WRITE_ONLY, i)->at;
        if (i > 0)
            assert_int_equal((at - before) / US, gaps[i - 1]);
        before = at;
    }
    pair_free(pair);
}

/* Three losses take it to 512 us; after one that arrives, the next loss costs 64 us again, although
 * a wake-up is due later. */
static void test_progress_takes_the_timer_back(void **state)
{
    (void)state;
    struct pair *pair =
        make(&(struct rnic_params){.adaptive = 1, .adaptive_timeout = 64 * US, .timeout = 8});
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
    set_loss(pair, FRAME_RC_WRITE_ONLY, 0, 3);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, (64 + 128 + 256 + 10) * US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 3);
    const time_ps begun = pair->engine.now;
    set_loss(pair, FRAME_RC_WRITE_ONLY, 0, 1);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 5 * PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 2);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 4);
    assert_in_range(pair->ends[0].wc_at[1] - begun, 64 * US, 70 * US);
    pair_free(pair);
}

/* 0.12 ms asked (code 7), and steps of 1.5 ms. */
static void test_rnr_waits_in_steps(void **state)
{
    (void)state;
    static const struct {
        time_ps step;
        int64_t code;
        time_ps least;
    } rows[] = {{0, 7, 120 * US},
                {1500 * US, 7, 1500 * US},
                {1500 * US, 15, 3000 * US},
                {40 * US, 7, 120 * US}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pair *pair = make(
            &(struct rnic_params){.rnr_timer_step = rows[i].step, .min_rnr_timer = rows[i].code});
        struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 100, VERBS_BULK);
        const time_ps begun = pair->engine.now;
        assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
        pair_run(pair, 10 * US);
        assert_int_equal(pair_recv(pair, 1, to), 0);
        pair_run(pair, 5 * PS_PER_MS);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
        assert_int_equal(pair->rnics[0]->counters.rnr_naks, 1);
        assert_in_range(pair->ends[0].wc_at[0] - begun, rows[i].least, rows[i].least + 10 * US);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_naks_are_late_and_followed_late),
        cmocka_unit_test(test_not_with_selective_repeat),
        cmocka_unit_test(test_each_kind_of_recovery_completes),
        cmocka_unit_test(test_a_missing_response_is_asked_for_late),
        cmocka_unit_test(test_adaptive_timers_double),
        cmocka_unit_test(test_progress_takes_the_timer_back),
        cmocka_unit_test(test_rnr_waits_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
