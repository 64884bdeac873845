/* SPDX-License-Identifier: Apache-2.0
 * What a congestion control that hears of ACKs hears, and how its window and its rate hold requests
 * back: with one of the test's own, whose window and rate are set by hand. */
#include "tests/unit/rnic/rnic_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define US PS_PER_US

enum { MTU = 1024, PACKET = WIRE_ROCE_BYTES + MTU };

/* The last that it heard, and how often; what it answers is there before. */
struct ear {
    uint64_t window, rate;
    struct cc_ack last;
    uint64_t acks, naks[3], echoes, bytes, timed;
};

static void init(struct cc_flow *flow)
{
    *(struct ear *)flow->state = (struct ear){.window = CC_NO_WINDOW, .rate = flow->rate_bps};
}

static void answer(struct cc_flow *flow)
{
    const struct ear *ear = flow->state;
    flow->window = ear->window;
    flow->rate_bps = ear->rate;
}

static void on_ack(struct cc_flow *flow, const struct cc_ack *ack, time_ps now)
{
    struct ear *ear = flow->state;
    (void)now;
    ear->last = *ack;
    ear->acks++;
    ear->bytes += ack->bytes;
    ear->echoes += ack->ecn_echo;
    ear->timed += ack->rtt > 0;
    answer(flow);
}

static void on_nak(struct cc_flow *flow, enum cc_nak why, time_ps now)
{
    (void)now;
    ((struct ear *)flow->state)->naks[why]++;
    answer(flow);
}

static const struct opt no_rows[] = {{0}};
static const struct cc_ops ear_ops = {
    .name = "ear",
    .opts = no_rows,
    .state_bytes = sizeof(struct ear),
    .wants_ecn = true,
    .echoes_ecn = true,
    .init = init,
    .on_ack = on_ack,
    .on_nak = on_nak,
};

static struct ear *ear(const struct pair *pair)
{
    return (struct ear *)(void *)pair->ends[0].conn->qp->pacer.flight->state;
}

static struct pair *start(void)
{
    struct pair_params params;
    pair_presets(&params);
    params.ops = &ear_ops;
    params.rnic.path_mtu = MTU;
    params.rnic.timeout = 6; /* 262 us */
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair->log_count = 0;
    return pair;
}

/* `pieces` packets from end 0 to end 1 in one WRITE. */
static void write(struct pair *pair, uint32_t pieces)
{
    struct verbs_mr *from = pair_mr(pair, 0, pieces * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, pieces * MTU, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
}

/* Every packet asks for an ACK, each byte is heard of once, and without queues the time is that of
 * the wire both ways. */
static void test_acks(void **state)
{
    (void)state;
    struct pair *pair = start();
    write(pair, 20);
    pair_run(pair, 100 * US);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE), 20);
    assert_int_equal(ear(pair)->acks, 20);
    assert_int_equal(ear(pair)->timed, 20);
    assert_int_equal(ear(pair)->bytes, 20 * PACKET + WIRE_RETH_BYTES);
    assert_int_equal(ear(pair)->last.acked, 20 * PACKET + WIRE_RETH_BYTES);
    assert_int_equal(ear(pair)->last.sent, ear(pair)->last.acked);
    assert_int_equal(ear(pair)->last.packets, 1);
    assert_int_equal(ear(pair)->last.hops, 0);
    const time_ps sent = pair_nth(pair, 0, FRAME_RC_WRITE_LAST, 0)->at;
    const time_ps answered = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 19)->at;
    assert_true(ear(pair)->last.rtt > answered - sent);
    pair_free(pair);
}

/* Packets leave while less than the window is under way; one always may be. */
static void window_holds(uint64_t window, int packets)
{
    struct pair *pair = start();
    write(pair, 1);
    ear(pair)->window = window;
    pair_run(pair, 50 * US);
    pair->log_count = 0;
    write(pair, 40);
    pair_run(pair, 500 * US);
    pair_expect_wc(pair, 0, 1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    int out = 0, most = 0;
    for (unsigned i = 0; i < pair->log_count; i++) {
        out += pair->log[i].side == 0 ? 1 : -1; /* an ACK leaves when its packet has come */
        most = out > most ? out : most;
    }
    assert_true(most <= packets);
    assert_int_equal(pair->ends[0].conn->qp->pacer.flight->bytes, 0);
    pair_free(pair);
}

static void test_window(void **state)
{
    (void)state;
    window_holds(1, 1);
    window_holds(PACKET, 1);
    window_holds(4 * PACKET, 4);
    window_holds(5 * PACKET - 1, 5); /* less than it is under way with four */
}

/* A tenth of the line rate spaces packets ten times as far apart. */
static void test_rate(void **state)
{
    (void)state;
    struct pair *pair = start();
    write(pair, 1);
    ear(pair)->rate /= 10;
    pair_run(pair, 50 * US);
    pair->log_count = 0;
    write(pair, 40);
    pair_run(pair, 500 * US);
    const struct pair_frame *early = pair_nth(pair, 0, FRAME_RC_WRITE_MIDDLE, 10);
    const struct pair_frame *late = pair_nth(pair, 0, FRAME_RC_WRITE_MIDDLE, 30);
    const uint64_t bits = UINT64_C(20) * (PACKET + WIRE_GAP_BYTES) * 8;
    const time_ps expect = units_transfer_ps(bits / 8, ear(pair)->rate);
    assert_in_range(late->at - early->at, expect - 20, expect + 20);
    pair_free(pair);
}

static bool lose_third(struct pair *pair, const struct pair_frame *frame)
{
    return frame->side == 0 && frame->opcode == FRAME_RC_WRITE_MIDDLE && ++pair->seen == 3;
}

static bool lose_last(struct pair *pair, const struct pair_frame *frame)
{
    return frame->side == 0 && frame->opcode == FRAME_RC_WRITE_LAST && ++pair->seen == 1;
}

static bool lose_acks(struct pair *pair, const struct pair_frame *frame)
{
    return frame->opcode == FRAME_RC_ACKNOWLEDGE && ++pair->seen <= 30;
}

/* Given what is lost, expect the NAKs that are heard; all is delivered, no byte is acknowledged
 * twice, and what was sent again has no round-trip time. */
static void test_losses(void **state)
{
    (void)state;
    static const struct {
        bool (*lose)(struct pair *pair, const struct pair_frame *frame);
        unsigned sequence, timeouts;
        bool given_up; /* what has arrived */
    } rows[] = {{lose_third, 1, 0, false}, {lose_last, 0, 1, false}, {lose_acks, 0, 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair *pair = start();
        pair->lose = rows[i].lose;
        write(pair, 20);
        ear(pair)->window = 8 * PACKET;
        pair_run(pair, 3000 * US);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
        assert_int_equal(ear(pair)->naks[CC_NAK_SEQUENCE], rows[i].sequence);
        assert_in_range(ear(pair)->naks[CC_NAK_TIMEOUT], rows[i].timeouts, rows[i].timeouts + 1);
        const uint64_t all = 20 * PACKET + WIRE_RETH_BYTES;
        assert_true(rows[i].given_up ? ear(pair)->bytes < all : ear(pair)->bytes == all);
        assert_true(ear(pair)->timed < 20);
        pair_free(pair);
    }
}

static bool mark_fifth(struct pair *pair, const struct pair_frame *frame)
{
    return frame->side == 0 && frame->payload > 0 && ++pair->seen == 5;
}

/* One mark, one echo, and no CNP. */
static void test_echo(void **state)
{
    (void)state;
    struct pair *pair = start();
    pair->mark = mark_fifth;
    write(pair, 20);
    pair_run(pair, 100 * US);
    assert_int_equal(ear(pair)->echoes, 1);
    assert_int_equal(pair_count(pair, 1, FRAME_CNP), 0);
    pair_free(pair);
}

/* READ responses wait for neither: a window of nothing and the lowest rate do not slow them. */
static void test_read(void **state)
{
    (void)state;
    struct pair *pair = start();
    write(pair, 1);
    ear(pair)->window = 1;
    ear(pair)->rate = 1000000;
    pair_run(pair, 50 * US);
    struct verbs_mr *from = pair_mr(pair, 0, 64 * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 64 * MTU, VERBS_BULK);
    assert_int_equal(pair_post(pair, 1, IBV_WR_RDMA_READ, to, from, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 50 * US);
    pair_expect_wc(pair, 1, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acks),   cmocka_unit_test(test_window), cmocka_unit_test(test_rate),
        cmocka_unit_test(test_losses), cmocka_unit_test(test_echo),   cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
