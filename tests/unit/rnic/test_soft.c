/* SPDX-License-Identifier: Apache-2.0
 * A software RNIC: two of them on one processor, with sums worked by hand. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"
#include "rnic/soft/soft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define US       PS_PER_US
#define NS       PS_PER_NS
#define SIGNALED IBV_SEND_SIGNALED

static struct pair_params presets(void)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.soft.software = 1;
    params.rnic.path_mtu = 1024;
    params.rnic.ack_coalescing = 0;
    return params;
}

/* Every cost another, so that a sum tells its terms. */
static struct pair_params priced(void)
{
    struct pair_params params = presets();
    struct soft_params *soft = &params.rnic.soft;
    soft->idle = 700 * NS;
    soft->interrupt = 1100 * NS;
    soft->send_packet = 2 * US;
    soft->send_byte = 1 * NS;
    soft->receive_packet = 3 * US;
    soft->receive_byte = 2 * NS;
    soft->send_ack = 4 * US;
    soft->receive_ack = 5 * US;
    soft->complete = 600 * NS;
    soft->post = 1700 * NS;
    soft->work_request = 300 * NS;
    soft->wake = 6 * US;
    soft->loop = 7 * US;
    soft->event = 8 * US;
    soft->completion = 9 * US;
    soft->transmit_timer = 2 * US;
    return params;
}

static struct pair *connected(const struct pair_params *params)
{
    struct pair *pair = pair_make(params);
    pair_connect(pair);
    pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    for (int level = 0; level < PROCESSOR_LEVELS; level++)
        pair->machine.processor.busy[level] = 0;
    return pair;
}

static time_ps all_busy(const struct pair *pair)
{
    time_ps sum = 0;
    for (int level = 0; level < PROCESSOR_LEVELS; level++)
        sum += pair->machine.processor.busy[level];
    return sum;
}

/* From the first bit to the arrival at the other end. */
static time_ps flight(const struct pair *pair, const struct pair_frame *frame)
{
    return (frame->bytes + WIRE_PREAMBLE_BYTES) * (time_ps)pair->rnics[0]->port.ps_per_byte +
           pair->rnics[0]->port.arrival_delay;
}

static void test_one_send(void **state)
{
    (void)state;
    const struct pair_params params = priced();
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 1000, VERBS_BULK);
    assert_int_equal(pair_recv(pair, 1, pair_mr(pair, 1, 1000, VERBS_BULK)), 0);
    pair_run(pair, PS_PER_MS);
    const time_ps start = pair->engine.now;
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, PS_PER_MS);

    const struct pair_frame *send = pair_nth(pair, 0, FRAME_RC_SEND_ONLY, 0);
    const struct pair_frame *ack = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0);
    assert_non_null(send);
    assert_non_null(ack);
    /* idle 0.7, call 1.7 + 0.3, packet 2 + 1, timer 2 */
    assert_int_equal(send->at - start, 7700 * NS);
    const time_ps arrived = send->at + flight(pair, send);
    /* idle 0.7, interrupt 1.1, packet 3 + 2, completion 0.6, ACK 4, timer 2 */
    assert_int_equal(ack->at - arrived, 13400 * NS);
    /* The process begins to wake when the ACK is made (11.4): 6; the ACK's arrival takes 1.1 + 5 +
     * 0.6 from it; then event 8 and completion 9 of who reported last, and the other's. */
    assert_true(flight(pair, ack) < 4 * US);
    assert_int_equal(pair->ends[0].wc_at[0] - arrived, (11400 + 6000 + 6700 + 17000) * NS);
    assert_int_equal(pair->ends[1].wc_at[0] - pair->ends[0].wc_at[0], 17 * US);
    pair_free(pair);
}

/* A list is one call: its price once, and that of each work request. */
static void test_a_list_is_one_call(void **state)
{
    (void)state;
    enum { MOST = 4 };
    const struct pair_params params = priced();
    for (int count = 1; count <= MOST; count++) {
        struct pair *pair = connected(&params);
        struct verbs_mr *from = pair_mr(pair, 0, 1000, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 1000, VERBS_BULK);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, PS_PER_MS);
        const time_ps start = pair->engine.now;
        struct ibv_sge sge = {.addr = from->addr, .length = 1000, .lkey = from->lkey};
        struct ibv_send_wr list[MOST], *bad = NULL;
        for (int i = 0; i < count; i++)
            list[i] = (struct ibv_send_wr){
                .wr_id = (uint64_t)i,
                .next = i + 1 < count ? &list[i + 1] : NULL,
                .sg_list = &sge,
                .num_sge = 1,
                .opcode = IBV_WR_RDMA_WRITE,
                .send_flags = SIGNALED,
                .wr.rdma = {.remote_addr = to->addr, .rkey = to->rkey},
            };
        assert_int_equal(verbs_sim.post_send(pair->ends[0].conn, list, &bad), 0);
        assert_null(bad);
        pair_run(pair, PS_PER_MS);
        const struct pair_frame *first = pair_nth(pair, 0, FRAME_RC_WRITE_ONLY, 1);
        assert_non_null(first);
        /* idle 0.7, call 1.7, 0.3 each, packet 2 + 1, timer 2 */
        assert_int_equal(first->at - start, (7400 + 300 * count) * NS);
        assert_int_equal(pair->ends[0].wc_count, 1 + count);
        assert_int_equal(pair->rnics[0]->counters.posted_sends, 1 + count);
        pair_free(pair);
    }
}

/* What is posted at once is paid once for each, and nothing stands still: the sum of the costs. */
static void test_saturation(void **state)
{
    (void)state;
    enum { WRITES = 64 };
    struct pair_params params = presets();
    params.rnic.soft.send_packet = 2 * US;
    params.rnic.soft.receive_packet = 3 * US;
    params.rnic.soft.send_ack = 4 * US;
    params.rnic.soft.receive_ack = 5 * US;
    params.rnic.soft.complete = 600 * NS;
    params.rnic.soft.post = 1400 * NS;
    params.rnic.soft.completion = 9 * US;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 1000, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 1000, VERBS_BULK);
    const time_ps start = pair->engine.now;
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, WRITES);
    assert_int_equal(pair->ends[0].wc_at[WRITES - 1] - start, WRITES * 25 * US);
    assert_int_equal(all_busy(pair), WRITES * 25 * US);
    pair_free(pair);
}

/* One interrupt, one waking and one event for 64 completions; 32 in a turn. */
static void test_amortisation(void **state)
{
    (void)state;
    enum { WRITES = 64 };
    struct pair_params params = presets();
    params.rnic.soft.receive_packet = 10 * US;
    params.rnic.soft.receive_ack = 10 * US;
    params.rnic.soft.interrupt = 1 * US;
    params.rnic.soft.wake = 6 * US;
    params.rnic.soft.loop = 7 * US;
    params.rnic.soft.event = 8 * US;
    params.rnic.soft.completion = 9 * US;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 1000, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 1000, VERBS_BULK);
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, WRITES);
    assert_int_equal(pair->machine.processor.busy[PROCESSOR_PROCESS],
                     (6 + 8 + WRITES * 9 + 3 * 7) * US);
    assert_int_equal(pair->machine.processor.busy[PROCESSOR_INTERRUPT], (2 * WRITES * 10 + 2) * US);
    pair_free(pair);
}

static void test_window(void **state)
{
    (void)state;
    struct pair_params params = presets();
    params.rnic.ack_interval = 66;
    params.rnic.soft.max_unacked = 128;
    params.rnic.soft.send_packet = params.rnic.soft.receive_packet = US;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 300 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 300 * 1024, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_MS);
    unsigned before = 0;
    while (pair->log[before].opcode != FRAME_RC_ACKNOWLEDGE)
        before++;
    assert_int_equal(before, 129);
    assert_int_equal(pair_count(pair, 0, FRAME_RC_WRITE_MIDDLE), 298);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

/* All responses are made before one is looked at; what finds the ring full is asked for again. */
static void test_ring(void **state)
{
    (void)state;
    struct pair_params params = presets();
    params.rnic.soft.receive_ring = 100;
    params.rnic.soft.respond_packet = params.rnic.soft.receive_packet = US;
    struct pair *pair = connected(&params);
    struct verbs_mr *to = pair_mr(pair, 0, 400 * 1024, VERBS_BULK);
    struct verbs_mr *from = pair_mr(pair, 1, 400 * 1024, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->rnics[0]->counters.rx_buffer_drops, 300);
    assert_int_equal(pair->ends[0].wc_count, 0);
    pair_run(pair, PS_PER_S);
    assert_int_equal(pair->rnics[0]->counters.timeouts, 3);
    assert_int_equal(pair->rnics[0]->counters.rx_buffer_drops, 300 + 200 + 100);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
    assert_int_equal(pair->ends[0].wcs[0].byte_len, 400 * 1024);
    pair_free(pair);
}

/* QEMU's hub keeps what finds no buffer, and what comes behind the first such frame overtakes it:
 * its READ is asked for again, and nothing is dropped. */
static void test_backlog(void **state)
{
    (void)state;
    static const int64_t rings[] = {64, 100, 256, 390, 400, 1000};
    for (unsigned i = 0; i < sizeof rings / sizeof rings[0]; i++) {
        struct pair_params params = presets();
        params.rnic.soft.receive_ring = rings[i];
        params.rnic.soft.receive_backlog = 10000;
        params.rnic.soft.respond_packet = params.rnic.soft.receive_packet = US;
        struct pair *pair = connected(&params);
        struct verbs_mr *to = pair_mr(pair, 0, 400 * 1024, VERBS_BULK);
        struct verbs_mr *from = pair_mr(pair, 1, 400 * 1024, VERBS_BULK);
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
        pair_run(pair, 10 * PS_PER_S);
        soft_audit(pair->rnics[0]);
        assert_int_equal(pair->rnics[0]->counters.rx_buffer_drops, 0);
        pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_READ);
        assert_int_equal(pair->ends[0].wcs[0].byte_len, 400 * 1024);
        unsigned requests = 0;
        for (unsigned k = 0; k < pair->log_count; k++)
            requests += pair->log[k].opcode == FRAME_RC_READ_REQUEST;
        assert_int_equal(requests > 1, rings[i] < 400);
        assert_int_equal(pair->rnics[0]->counters.rx_out_of_buffer > 0, rings[i] < 1000);
        pair_free(pair);
    }
}

static bool lose_requests(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->side == 0 && frame->opcode < FRAME_RC_ACKNOWLEDGE;
}

/* Seven retries are unlimited, as of Linux's rxe; six are six. */
static void test_seven_retries_have_no_end(void **state)
{
    (void)state;
    for (int64_t retries = 6; retries <= 7; retries++) {
        struct pair_params params = presets();
        params.rnic.timeout = 8; /* 1.05 ms */
        params.rnic.retry_count = retries;
        struct pair *pair = connected(&params);
        struct verbs_mr *from = pair_mr(pair, 0, 4096, VERBS_BULK);
        struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BULK);
        pair->lose = lose_requests;
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
        pair_run(pair, 100 * PS_PER_MS);
        if (retries == 7) {
            assert_in_range(pair->rnics[0]->counters.timeouts, 80, 100);
            assert_int_equal(pair->ends[0].wc_count, 0);
            pair->lose = NULL;
            pair_run(pair, 10 * PS_PER_MS);
            pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
        } else {
            assert_int_equal(pair->rnics[0]->counters.timeouts, 7);
            pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
        }
        pair_free(pair);
    }
}

static void test_rnr_waits_for_a_tick(void **state)
{
    (void)state;
    struct pair_params params = presets();
    params.rnic.min_rnr_timer = 12; /* 0.64 ms */
    params.rnic.soft.timer_tick = 4 * PS_PER_MS;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 100, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_SEND, from, NULL, SIGNALED), 0);
    pair_run(pair, 100 * US);
    assert_int_equal(pair->rnics[0]->counters.rnr_naks, 1);
    assert_int_equal(pair->ends[0].conn->qp->rnr_until, 8 * PS_PER_MS);
    assert_int_equal(pair_recv(pair, 1, pair_mr(pair, 1, 100, VERBS_BULK)), 0);
    pair_run(pair, 8 * PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_SEND);
    pair_free(pair);
}

/* Frames that are queued while the timer runs leave with the first. */
static void test_transmit_timer(void **state)
{
    (void)state;
    struct pair_params params = presets();
    params.rnic.soft.send_packet = 500 * NS;
    params.rnic.soft.transmit_timer = 2 * US;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 4096, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 4096, VERBS_BULK);
    const time_ps start = pair->engine.now;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 100 * US);
    const struct pair_frame *first = pair_nth(pair, 0, FRAME_RC_WRITE_FIRST, 0);
    const struct pair_frame *last = pair_nth(pair, 0, FRAME_RC_WRITE_LAST, 0);
    assert_int_equal(first->at - start, 2500 * NS);
    /* The last follows right behind two others that lack the first's RETH. */
    const int64_t bytes = 3 * (first->bytes + WIRE_GAP_BYTES) - 2 * WIRE_RETH_BYTES;
    assert_int_equal(last->at - first->at, bytes * pair->rnics[0]->port.ps_per_byte);
    pair_free(pair);
}

/* A requester waits when the wire does not take its frames, and goes on when it does. */
static void test_send_queue(void **state)
{
    (void)state;
    struct pair_params params = presets();
    params.rnic.soft.send_queue = 8;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 100 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 100 * 1024, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 100 * NS); /* the second is on the wire */
    assert_true(pair->rnics[0]->soft->full);
    assert_true(pair->rnics[0]->soft->handed <= 8);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->rnics[0]->soft->handed, 0);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

/* It stops at the queue's length and goes on when a quarter of it is left. */
static void expect_limits(unsigned length, time_ps timer)
{
    struct pair_params params = presets();
    params.rnic.soft.send_queue = length;
    params.rnic.soft.send_packet = 40 * NS; /* a packet takes 90 to leave */
    params.rnic.soft.transmit_timer = timer;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 200 * 1024, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 200 * 1024, VERBS_BULK);
    const struct soft *soft = pair->rnics[0]->soft;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    bool full = false;
    unsigned stops = 0, resumes = 0;
    for (int i = 0; i < 16000; i++) {
        pair_run(pair, NS);
        if (soft->full == full)
            continue;
        full = soft->full;
        assert_int_equal(soft->handed + soft->leaving.count, full ? length : length / 4);
        stops += full;
        resumes += !full;
    }
    assert_true(stops >= 2 && resumes >= 2);
    pair_run(pair, PS_PER_MS);
    pair_expect_wc(pair, 0, 0, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

static void test_send_queue_limits(void **state)
{
    (void)state;
    for (unsigned length = 4; length <= 32; length *= 2) {
        expect_limits(length, 0);
        expect_limits(length, 60 * NS);
        expect_limits(length, 400 * NS);
    }
}

/* A READ that waits for another is sent by the call that sent that one: what makes room for it
 * interrupted the call, which looks once more.  So the process hears of both together. */
static void test_a_call_sends_what_it_made_room_for(void **state)
{
    (void)state;
    struct pair_params params = priced();
    params.rnic.max_rd_atomic = 1;
    params.rnic.soft.sent = 5 * US; /* longer than the transmit timer */
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 1, 1000, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 0, 1000, VERBS_BULK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, to, from, SIGNALED), 0);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->ends[0].wc_count, 2);
    assert_true(pair->ends[0].wc_at[0] > pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 1)->at);
    pair_free(pair);
}

/* What comes behind a READ is acknowledged behind its last response, not while that is made. */
static void test_acks_wait_for_the_last_response(void **state)
{
    (void)state;
    struct pair_params params = priced();
    struct pair *pair = connected(&params);
    struct verbs_mr *here = pair_mr(pair, 0, 8 * 1024, VERBS_BULK);
    struct verbs_mr *there = pair_mr(pair, 1, 8 * 1024, VERBS_BULK);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, here, there, SIGNALED), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, here, there, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_MS);
    unsigned acks = 0;
    for (unsigned i = 0; i < pair->log_count; i++) {
        if (pair->log[i].opcode == FRAME_RC_READ_RESPONSE_LAST)
            assert_int_equal(acks, 0);
        acks += pair->log[i].opcode == FRAME_RC_ACKNOWLEDGE;
    }
    assert_int_equal(acks, 3);
    assert_int_equal(pair->rnics[0]->counters.implied_naks, 0);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 0);
    pair_free(pair);
}

/* Data that the process has made and nobody wrote over is made no second time. */
static void test_data_is_made_once(void **state)
{
    static const struct {
        uint32_t length;
        bool other; /* it is to be something else */
        time_ps made;
    } rows[] = {{500, false, 500}, {500, false, 0},  {499, false, 0}, {501, false, 501},
                {501, false, 0},   {501, true, 501}, {1, false, 0}};
    (void)state;
    struct pair_params params = presets();
    params.rnic.soft.fill_byte = 1 * NS;
    struct pair *pair = connected(&params);
    struct verbs_mr *of =
        verbs_sim.reg_mr(pair->ends[0].device, 1000, IBV_ACCESS_LOCAL_WRITE, VERBS_BULK);
    struct verbs_mr *peers = pair_mr(pair, 0, 1000, VERBS_BULK);
    pair_run(pair, PS_PER_MS); /* what is registered for READs is made then */
    time_ps before = all_busy(pair);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        of->content += rows[i].other;
        soft_fill(pair->rnics[0], (struct mr *)(void *)of, rows[i].length);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(all_busy(pair) - before, rows[i].made * NS);
        before = all_busy(pair);
    }
    for (int again = 0; again < 2; again++) { /* the peer may have written there */
        soft_fill(pair->rnics[0], (struct mr *)(void *)peers, 700);
        pair_run(pair, PS_PER_MS);
        assert_int_equal(all_busy(pair) - before, 700 * NS);
        before = all_busy(pair);
    }
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_send),
        cmocka_unit_test(test_a_list_is_one_call),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_amortisation),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_backlog),
        cmocka_unit_test(test_seven_retries_have_no_end),
        cmocka_unit_test(test_rnr_waits_for_a_tick),
        cmocka_unit_test(test_transmit_timer),
        cmocka_unit_test(test_send_queue),
        cmocka_unit_test(test_send_queue_limits),
        cmocka_unit_test(test_a_call_sends_what_it_made_room_for),
        cmocka_unit_test(test_acks_wait_for_the_last_response),
        cmocka_unit_test(test_data_is_made_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
