/* SPDX-License-Identifier: Apache-2.0
 * What the silicon of an RNIC limits, worked by hand: its message engine, the engine of a queue
 * pair, what PCIe packets carry, inline payload, contexts, and that answers wait for nothing. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"
#include "rnic/pipeline/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED
#define NS       PS_PER_NS

enum { DOORBELL_NS = 300, BYTE_PS = 80, SMALL_WIRE = 78 + 20 }; /* pair_presets: 100 Gb/s */

static struct pair *connected(const struct pipeline_params *pipeline)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pipeline = *pipeline;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair->log_count = 0;
    pair->ends[0].wc_count = 0;
    return pair;
}

static struct pipeline_params nothing(void)
{
    struct rnic_params presets;
    opt_presets(rnic_opts, &presets);
    return presets.pipeline;
}

/* So many WRITEs of so many bytes, each with a doorbell of its own. */
static void write_many(struct pair *pair, unsigned count, uint32_t bytes)
{
    struct verbs_mr *from = pair_mr(pair, 0, bytes, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, bytes, VERBS_BULK);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
}

static time_ps sent_at(const struct pair *pair, uint8_t opcode, unsigned n)
{
    const struct pair_frame *frame = pair_nth(pair, 0, opcode, n);
    assert_non_null(frame);
    return frame->at;
}

static void without_limits_there_is_no_pipeline(void **state)
{
    (void)state;
    const struct pipeline_params none = nothing();
    struct pair *pair = connected(&none);
    assert_null(pair->rnics[0]->pipeline);
    assert_int_equal(pair->rnics[0]->rx_odd, 0);
    pair_free(pair);
}

static void a_queue_pair_begins_a_message_each_so_often(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_message = 380 * NS;
    struct pair *pair = connected(&params);
    const time_ps posted = pair->engine.now;
    write_many(pair, 5, 8);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, i),
                         posted + DOORBELL_NS * NS + i * 380 * NS);
    pair_free(pair);
}

/* Two queue pairs: the engine takes one of each in turn, 50 ns for each. */
static void the_message_engine_is_shared_in_turn(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.message = 50 * NS;
    struct pair *pair = connected(&params);
    struct verbs_conn *first = pair->ends[0].conn, *far = pair->ends[1].conn;
    pair_connect_more(pair);
    struct verbs_conn *second = pair->ends[0].conn;
    pair->log_count = 0;
    const time_ps posted = pair->engine.now;
    struct verbs_mr *from = pair_mr(pair, 0, 8, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 8, VERBS_BULK);
    pair->ends[0].conn = first;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair->ends[0].conn = second;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, 0), 0);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair_count(pair, 0, FRAME_RC_WRITE_ONLY), 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, i),
                         posted + DOORBELL_NS * NS + (i + 1) * 50 * NS);
    /* All of the first were posted before: its second waits for the second's first. */
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_WRITE_ONLY, 0)->psn,
                     psn_add(first->qp->next_psn, (uint32_t)-3));
    assert_int_equal(pair_nth(pair, 0, FRAME_RC_WRITE_ONLY, 1)->psn,
                     psn_add(second->qp->next_psn, (uint32_t)-3));
    assert_int_equal(pair->rnics[0]->pipeline->engine_busy, 6 * 50 * NS);
    pair->ends[1].conn = far;
    pair_free(pair);
}

static void a_read_has_its_own_cost(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.message = 10 * NS;
    params.read = 70 * NS;
    struct pair *pair = connected(&params);
    struct verbs_mr *from = pair_mr(pair, 0, 8, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, 8, VERBS_BULK);
    const time_ps posted = pair->engine.now;
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, from, to, SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, SIGNALED), 0);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 2);
    assert_int_equal(sent_at(pair, FRAME_RC_READ_REQUEST, 0), posted + (DOORBELL_NS + 70) * NS);
    assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, 0), posted + (DOORBELL_NS + 80) * NS);
    pair_free(pair);
}

static void lanes_and_generations(void **state)
{
    (void)state;
    assert_int_equal(pcie_raw_bps(1, 1), 2000000000);
    assert_int_equal(pcie_raw_bps(2, 4), 16000000000);
    assert_int_equal(pcie_raw_bps(3, 8) / 1000000, 63015);
    assert_int_equal(pcie_raw_bps(4, 16) / 1000000, 252061);
    assert_int_equal(pcie_raw_bps(5, 4) / 1000000, 126030);
}

/* At 8 Gb/s a byte takes 1 ns.  4096 B: 16 completions of 256 B and 20 B of headers, 8 requests of
 * 24 B; written, 16 packets with 24 B of headers. */
static void what_a_transfer_takes(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.pcie_generation = 2;
    params.pcie_lanes = 2;
    params.pcie_overhead = 0;
    params.pcie_latency = 512 * NS;
    struct pcie pcie;
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_read(&pcie, 4096, 1000 * NS), (1000 + 4096 + 16 * 20) * NS);
    assert_int_equal(pcie.up.busy, 8 * 24 * NS);
    assert_int_equal(pcie_read(&pcie, 1, 0), (1000 + 4096 + 16 * 20 + 21) * NS);
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_write(&pcie, 4096, 0), (4096 + 16 * 24) * NS);
    assert_int_equal(pcie_write(&pcie, 0, 0), 0);
    assert_int_equal(pcie.down.busy, 0);
    params.pcie_tags = 1; /* one request of 512 B each 512 ns, whatever the link could */
    params.pcie_generation = 5;
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_read(&pcie, 4096, 0), 8 * 512 * NS);
}

/* A payload that is fetched comes a PCIe latency later; a work request that came with others
 * another. */
static void inline_payload_is_not_fetched(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.pcie_generation = 5;
    params.pcie_latency = 700 * NS;
    params.inline_size = 220;
    static const struct {
        uint32_t bytes;
        int fetches;
    } rows[] = {{8, 0}, {220, 0}, {221, 1}, {4096, 1}};
    for (unsigned i = 0; i < 4; i++) {
        struct pair *pair = connected(&params);
        const time_ps posted = pair->engine.now;
        write_many(pair, 1, rows[i].bytes);
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, 0),
                         posted + (DOORBELL_NS + rows[i].fetches * 700) * NS);
        pair_free(pair);
    }
}

static void work_requests_of_one_doorbell_are_fetched(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.pcie_generation = 2;
    params.pcie_lanes = 2;
    params.pcie_overhead = 0;
    params.pcie_latency = 700 * NS;
    params.inline_size = 220;
    struct pair *pair = connected(&params);
    const struct verbs_mr *to = pair_mr(pair, 1, 8, VERBS_BULK);
    const struct verbs_mr *from = pair_mr(pair, 0, 8, VERBS_BULK);
    struct ibv_sge sge = {from->addr, 8, from->lkey};
    struct ibv_send_wr *bad, second = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1};
    second.wr.rdma.remote_addr = to->addr;
    second.wr.rdma.rkey = to->rkey;
    struct ibv_send_wr first = second;
    first.next = &second;
    const time_ps posted = pair->engine.now;
    assert_int_equal(verbs_sim.post_send(pair->ends[0].conn, &first, &bad), 0);
    pair_run(pair, 20 * PS_PER_US);
    for (unsigned i = 0; i < 2; i++) /* 64 B and the payload, one completion each */
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, i),
                         posted + (DOORBELL_NS + 700 + (i + 1) * (64 + 8 + 20)) * NS);
    pair_free(pair);
}

/* Down, a packet of 4096 B takes (4096 + 16 x 20) / 8 Gb/s; up, the receiver takes longer: 24 B. */
/* What the engine works on meanwhile is read later, but its reading takes PCIe at no later time. */
static void data_wait_for_no_work_request_that_is_read_later(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.message = PS_PER_US;
    params.pcie_generation = 3;
    struct pair *pair = connected(&params);
    const time_ps posted = pair->engine.now;
    write_many(pair, 1, 16384);
    write_many(pair, 3, 8);
    pair_run(pair, 20 * PS_PER_US);
    const time_ps first = sent_at(pair, FRAME_RC_WRITE_FIRST, 0);
    assert_int_equal(first, posted + params.message + params.pcie_latency + DOORBELL_NS * NS);
    const time_ps slot = (4096 + 62 + 20) * BYTE_PS;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_MIDDLE, i),
                         first + 16 * BYTE_PS + (i + 1) * slot);
    pair_free(pair);
}

static void a_slow_pcie_link_sets_the_pace(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.pcie_generation = 2;
    params.pcie_lanes = 2;
    params.pcie_overhead = 0;
    struct pair *pair = connected(&params);
    const time_ps before = pair->rnics[1]->pipeline->pcie.up.busy; /* of messages of the CM */
    write_many(pair, 1, 64 * 4096);
    pair_run(pair, 500 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(sent_at(pair, FRAME_RC_WRITE_MIDDLE, 40) -
                         sent_at(pair, FRAME_RC_WRITE_MIDDLE, 30),
                     10 * (4096 + 16 * 20) * NS);
    assert_int_equal(pair->rnics[1]->pipeline->pcie.up.busy - before, 64 * (4096 + 16 * 24) * NS);
    pair_free(pair);
}

/* 64 B of each read with 20 of headers, 1 ns a byte.  Eight pages fit, of many hardly any comes
 * twice; without an IOMMU nothing is looked up. */
static void translations_that_are_missed_take_the_link(void **state)
{
    (void)state;
    enum { READS = 100 };
    static const struct {
        int64_t entries, window, missed;
    } cases[] = {{8, 32768, 8}, {8, INT64_C(1) << 40, READS}, {0, INT64_C(1) << 40, 0}};
    struct pipeline_params params = nothing();
    params.pcie_generation = 2;
    params.pcie_lanes = 2;
    params.pcie_overhead = params.pcie_latency = 0;
    params.iotlb_miss = 500 * NS;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pcie pcie;
        time_ps done = 0;
        params.iotlb = cases[i].entries;
        params.iotlb_window = cases[i].window;
        pcie_init(&pcie, &params, 4096);
        for (unsigned k = 0; k < READS; k++)
            done = pcie_read(&pcie, 64, 0);
        assert_int_equal(done, (READS * 84 + cases[i].missed * 500) * NS);
        assert_int_equal(pcie.down.busy, done);
        pcie_fini(&pcie);
    }
}

/* A list of 64 KiB is 16 pages, 16 B each. */
static void a_registration_goes_before_what_follows(void **state)
{
    (void)state;
    static const struct {
        int64_t generation, fits;
        time_ps takes;
    } cases[] = {
        {PCIE_OFF, 0, 100 * NS},
        {2, 256, 100 * NS},
        {2, 255, (100 + 400 + 256 + 20) * NS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pipeline_params params = nothing();
        params.registration = 100 * NS;
        params.register_inline = cases[i].fits;
        params.pcie_generation = cases[i].generation;
        params.pcie_lanes = 2;
        params.pcie_overhead = 0;
        params.pcie_latency = 400 * NS;
        params.inline_size = 8;
        struct pair *pair = connected(&params);
        struct verbs_mr *mr = pair_mr(pair, 0, 65536, VERBS_BULK);
        const time_ps posted = pair->engine.now;
        verbs_sim.renew_rkey(pair->ends[0].conn, mr, 65536);
        write_many(pair, 1, 8);
        pair_run(pair, 10 * PS_PER_US);
        assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, 0),
                         posted + DOORBELL_NS * NS + cases[i].takes);
        assert_int_equal(pair->rnics[0]->pipeline->engine_busy, cases[i].takes);
        pair_free(pair);
    }
}

/* The far end has data to send, one packet in 5 us; it acknowledges in between. */
static void answers_wait_for_nothing(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.tx_packet = 5 * PS_PER_US;
    struct pair *pair = connected(&params);
    struct verbs_mr *near = pair_mr(pair, 0, 4096, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 4096, VERBS_BULK);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, SIGNALED), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pair_post(pair, 1, IBV_WR_RDMA_WRITE, far, near, 0), 0);
    pair_run(pair, 2 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 1);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_WRITE_ONLY), 1);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair_count(pair, 1, FRAME_RC_WRITE_ONLY), 4);
    pair_free(pair);
}

/* By whichever path they leave: alone at once, or behind other frames. */
static void answers_take_nothing(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.tx_packet = 200 * NS;
    struct pair *pair = connected(&params);
    const struct pipeline *far = pair->rnics[1]->pipeline;
    const time_ps before = far->tx_busy;
    write_many(pair, 3, 3 * 4096);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 3);
    assert_int_equal(far->tx_busy, before);
    assert_int_equal(pair->rnics[0]->pipeline->tx_busy, 9 * 200 * NS);
    pair_free(pair);
}

static void packets_that_arrive_take_their_time(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.rx_packet = 1000 * NS;
    struct pair *pair = connected(&params);
    const time_ps posted = pair->engine.now;
    write_many(pair, 3, 8);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 3);
    const time_ps arrived = posted + DOORBELL_NS * NS + (SMALL_WIRE - 12) * BYTE_PS;
    for (unsigned i = 0; i < 3; i++) {
        const struct pair_frame *ack = pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, i);
        assert_non_null(ack);
        assert_in_range(ack->at, arrived + (i + 1) * 1000 * NS,
                        arrived + (i + 1) * 1000 * NS + 20 * NS);
    }
    pair_free(pair);
}

static void contexts_leave_when_others_come(void **state)
{
    (void)state;
    struct context_cache cache;
    context_cache_init(&cache, CONTEXT_WAYS, CONTEXT_WAYS); /* one set */
    for (uint32_t qpn = 1; qpn <= CONTEXT_WAYS; qpn++)
        assert_false(context_cache_use(&cache, qpn));
    assert_true(context_cache_use(&cache, 1));  /* used last */
    assert_false(context_cache_use(&cache, 9)); /* instead of 2, which was used least recently */
    assert_true(context_cache_use(&cache, 1));
    assert_false(context_cache_use(&cache, 2));
    assert_int_equal(cache.hits, 2);
    assert_int_equal(cache.misses, CONTEXT_WAYS + 2);
    context_cache_fini(&cache);
    context_cache_init(&cache, 0, CONTEXT_WAYS);
    assert_true(context_cache_use(&cache, 5));
    context_cache_fini(&cache);
}

static void a_missing_context_is_fetched(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_cache = CONTEXT_WAYS;
    params.qp_cache_miss = 400 * NS;
    struct pair *pair = connected(&params);
    const time_ps posted = pair->engine.now;
    write_many(pair, 1, 8);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, 0), posted + (DOORBELL_NS + 400) * NS);
    const time_ps again = pair->engine.now;
    write_many(pair, 1, 8);
    pair_run(pair, 10 * PS_PER_US);
    assert_int_equal(sent_at(pair, FRAME_RC_WRITE_ONLY, 1), again + DOORBELL_NS * NS);
    pair_free(pair);
}

/* Else it would be in the receive buffer for no time, and pause the peer for none. */
static void what_waits_for_nothing_is_in_no_buffer(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_cache = CONTEXT_WAYS;
    params.qp_cache_miss = 400 * NS;
    struct pair *pair = connected(&params);
    write_many(pair, 1, 8);
    pair_run(pair, 10 * PS_PER_US);
    const struct rnic *far = pair->rnics[1];
    const uint64_t hits = far->pipeline->cache.hits;
    const int64_t peak = far->rx.peak;
    write_many(pair, 3, 2 * 4096);
    pair_run(pair, 20 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 4);
    assert_int_equal(far->rx.peak, peak);
    assert_true(peak < 4096);
    assert_true(far->pipeline->cache.hits >= hits + 6); /* each packet used its context */
    pair_free(pair);
}

/* What was posted is flushed, and the place is the next queue pair's. */
static void a_queue_pair_that_ends_leaves_nothing(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_message = 2 * PS_PER_US;
    params.message = PS_PER_US;
    struct pair *pair = connected(&params);
    write_many(pair, 8, 8);
    pair_run(pair, 3 * PS_PER_US);
    verbs_sim.disconnect(pair->ends[0].conn);
    pair_run(pair, 100 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 8);
    for (int side = 0; side < 2; side++)
        verbs_sim.destroy(pair->ends[side].conn);
    pair_run(pair, 10 * PS_PER_MS);
    pair_connect_more(pair);
    pair_run(pair, 50 * PS_PER_US);
    write_many(pair, 2, 8);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 10);
    pair_expect_wc(pair, 0, 9, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_there_is_no_pipeline),
        cmocka_unit_test(a_queue_pair_begins_a_message_each_so_often),
        cmocka_unit_test(the_message_engine_is_shared_in_turn),
        cmocka_unit_test(a_read_has_its_own_cost),
        cmocka_unit_test(lanes_and_generations),
        cmocka_unit_test(what_a_transfer_takes),
        cmocka_unit_test(inline_payload_is_not_fetched),
        cmocka_unit_test(work_requests_of_one_doorbell_are_fetched),
        cmocka_unit_test(data_wait_for_no_work_request_that_is_read_later),
        cmocka_unit_test(a_slow_pcie_link_sets_the_pace),
        cmocka_unit_test(translations_that_are_missed_take_the_link),
        cmocka_unit_test(a_registration_goes_before_what_follows),
        cmocka_unit_test(answers_wait_for_nothing),
        cmocka_unit_test(answers_take_nothing),
        cmocka_unit_test(packets_that_arrive_take_their_time),
        cmocka_unit_test(contexts_leave_when_others_come),
        cmocka_unit_test(a_missing_context_is_fetched),
        cmocka_unit_test(what_waits_for_nothing_is_in_no_buffer),
        cmocka_unit_test(a_queue_pair_that_ends_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
