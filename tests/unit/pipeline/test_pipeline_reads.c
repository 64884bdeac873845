/* SPDX-License-Identifier: Apache-2.0
 * What messages cost by operation and size, worked by hand: payload that is gathered, requests of
 * READs at their responder, its contexts, and long READs whose data come one after the other. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/pipeline/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SIGNALED IBV_SEND_SIGNALED
#define NS       PS_PER_NS

enum { PAIR_MTU = 1024 };

static struct pair *connected(const struct pipeline_params *pipeline)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pipeline = *pipeline;
    params.rnic.max_rd_atomic = 4;
    params.rnic.path_mtu = PAIR_MTU;
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

static void post_many(struct pair *pair, enum ibv_wr_opcode opcode, unsigned count, uint32_t bytes)
{
    struct verbs_mr *from = pair_mr(pair, 0, bytes, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, bytes, VERBS_BULK);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pair_post(pair, 0, opcode, from, to, SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, count);
}

static time_ps sent_at(const struct pair *pair, int side, uint8_t opcode, unsigned n)
{
    const struct pair_frame *frame = pair_nth(pair, side, opcode, n);
    assert_non_null(frame);
    return frame->at;
}

static void payload_that_is_not_inline_is_gathered(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.message = 100 * NS;
    params.gather = 70 * NS;
    params.inline_size = 64;
    for (unsigned i = 0; i < 2; i++) {
        struct pair *pair = connected(&params);
        post_many(pair, IBV_WR_RDMA_WRITE, 3, i == 0 ? 64 : 65);
        const time_ps apart = (i == 0 ? 100 : 170) * NS;
        assert_int_equal(sent_at(pair, 0, FRAME_RC_WRITE_ONLY, 2) -
                             sent_at(pair, 0, FRAME_RC_WRITE_ONLY, 1),
                         apart);
        assert_int_equal(pair->rnics[0]->pipeline->engine_busy, 3 * apart);
        pair_free(pair);
    }
}

/* The request alone costs: neither the response at the other end nor a WRITE does. */
static void requests_of_reads_take_their_time_at_the_responder(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.read_response = 900 * NS;
    struct pair *pair = connected(&params);
    post_many(pair, IBV_WR_RDMA_READ, 3, 8);
    assert_int_equal(sent_at(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 2) -
                         sent_at(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 1),
                     900 * NS);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 3 * 900 * NS);
    assert_int_equal(pair->rnics[0]->pipeline->rx_busy, 0);
    pair->ends[0].wc_count = 0;
    post_many(pair, IBV_WR_RDMA_WRITE, 2, 8);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 3 * 900 * NS);
    pair_free(pair);
}

/* Two contexts, and data 300 ns away: of four requests at once the last two find none free. Both
 * are free again when a second queue pair sends two more. */
static void requests_beyond_the_contexts_in_use_miss(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.read_contexts = 2;
    params.read_context_miss = 100 * NS;
    struct pair *pair = connected(&params);
    post_many(pair, IBV_WR_RDMA_READ, 4, 8);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 2 * 100 * NS);
    assert_int_equal(pair->rnics[1]->pipeline->answering, 0);
    struct verbs_conn *far = pair->ends[1].conn;
    pair_connect_more(pair);
    pair->ends[0].wc_count = 0;
    post_many(pair, IBV_WR_RDMA_READ, 2, 8);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 2 * 100 * NS);
    pair->ends[1].conn = far;
    pair_free(pair);
}

/* Of eight work requests two are cached. When the responses arrive, 8, 7, ... 1 are outstanding,
 * and the misses add up: 6/8, then 11/7, 8/6, 5/5, 2/4 and 3/3 of one. */
static void responses_beyond_the_cached_work_requests_miss(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.wr_cache = 2;
    params.wr_cache_miss = 100 * NS;
    struct pair *pair = connected(&params);
    post_many(pair, IBV_WR_RDMA_READ, 8, 8);
    assert_int_equal(pair->rnics[0]->pipeline->engine_busy, 4 * 100 * NS);
    assert_int_equal(pair->rnics[1]->pipeline->engine_busy, 0);
    pair->ends[0].wc_count = 0;
    post_many(pair, IBV_WR_RDMA_READ, 2, 8);
    pair->ends[0].wc_count = 0;
    post_many(pair, IBV_WR_RDMA_WRITE, 8, 8);
    assert_int_equal(pair->rnics[0]->pipeline->engine_busy, 4 * 100 * NS);
    pair_free(pair);
}

/* WRITEs of one packet and of three, which begin one and three times 700 ns apart. */
static void packets_occupy_the_queue_pair(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_packet = 700 * NS;
    for (unsigned packets = 1; packets <= 3; packets += 2) {
        struct pair *pair = connected(&params);
        post_many(pair, IBV_WR_RDMA_WRITE, 3, packets == 1 ? 8 : 2 * PAIR_MTU + 8);
        const uint8_t opcode = packets == 1 ? FRAME_RC_WRITE_ONLY : FRAME_RC_WRITE_FIRST;
        assert_int_equal(sent_at(pair, 0, opcode, 2) - sent_at(pair, 0, opcode, 1),
                         packets * 700 * NS);
        pair_free(pair);
    }
}

/* READs of three packets, whose data are fetched three times 700 ns apart. */
static void packets_of_reads_occupy_their_responder(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.qp_read_packet = 700 * NS;
    struct pair *pair = connected(&params);
    post_many(pair, IBV_WR_RDMA_READ, 3, 2 * PAIR_MTU + 8);
    assert_int_equal(sent_at(pair, 1, FRAME_RC_READ_RESPONSE_FIRST, 2) -
                         sent_at(pair, 1, FRAME_RC_READ_RESPONSE_FIRST, 1),
                     3 * 700 * NS);
    pair_free(pair);
}

/* At 8 Gb/s a byte takes 1 ns: a WRITE of 256 B leaves 256 ns later, one of several packets as much
 * later as its first packet has bytes; the data of a READ likewise. */
static void a_first_packet_is_stored_whole(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {256, PAIR_MTU, 2 * PAIR_MTU};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        time_ps write_at[2], read_at[2];
        for (unsigned on = 0; on < 2; on++) {
            struct pipeline_params params = nothing();
            params.qp_message = 1 * NS; /* a pipeline in either case */
            params.copy_bps = on == 0 ? 0 : INT64_C(8000000000);
            struct pair *pair = connected(&params);
            const bool one = sizes[i] <= PAIR_MTU;
            const time_ps from = pair->engine.now;
            post_many(pair, IBV_WR_RDMA_WRITE, 1, sizes[i]);
            write_at[on] =
                sent_at(pair, 0, one ? FRAME_RC_WRITE_ONLY : FRAME_RC_WRITE_FIRST, 0) - from;
            pair->ends[0].wc_count = 0;
            post_many(pair, IBV_WR_RDMA_READ, 1, sizes[i]);
            const uint8_t answer = one ? FRAME_RC_READ_RESPONSE_ONLY : FRAME_RC_READ_RESPONSE_FIRST;
            read_at[on] = sent_at(pair, 1, answer, 0) - sent_at(pair, 0, FRAME_RC_READ_REQUEST, 0);
            pair_free(pair);
        }
        const time_ps copied = (sizes[i] < PAIR_MTU ? sizes[i] : PAIR_MTU) * NS;
        assert_int_equal(write_at[1] - write_at[0], copied);
        assert_int_equal(read_at[1] - read_at[0], copied);
    }
}

/* READs of 256 B with data 300 ns away, asked for at once: short ones leave as soon as the wire
 * lets them, long ones 600 ns after each other.  With PCIe of 8 Gb/s their data take the link as
 * well: 256 B and 20 B of headers, 1 ns each; memory of another socket is farther away, for all. */
static void long_reads_of_a_queue_pair_are_gathered_one_by_one(void **state)
{
    (void)state;
    static const struct {
        int64_t cost_ns, overlap, generation, socket_ns, apart_ns;
    } cases[] = {
        {0, 0, PCIE_OFF, 0, 0}, {600, 256, PCIE_OFF, 0, 0}, {600, 255, PCIE_OFF, 0, 600},
        {600, 255, 2, 0, 876},  {600, 255, 2, 90, 876},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pipeline_params params = nothing();
        params.qp_read = cases[i].cost_ns * NS;
        params.read_overlap = cases[i].overlap;
        params.pcie_generation = cases[i].generation;
        params.pcie_lanes = 2;
        params.pcie_overhead = 0;
        params.pcie_latency = 0;
        params.socket_latency = cases[i].socket_ns * NS;
        struct pair *pair = connected(&params);
        post_many(pair, IBV_WR_RDMA_READ, 3, 256);
        const time_ps apart = sent_at(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 2) -
                              sent_at(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 1);
        if (cases[i].apart_ns == 0)
            assert_true(apart < 40 * NS);
        else
            assert_int_equal(apart, cases[i].apart_ns * NS);
        pair_free(pair);
    }
}

/* A byte takes 1 ns at 8 Gb/s.  Payload in another device passes at its rates, and at most one
 * request of 512 B per (512 + 488) ns / 4; payload in host memory is not affected. */
static void payload_in_another_device_has_its_own_rate(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    struct pcie pcie;
    params.pcie_generation = 5;
    params.pcie_latency = 512 * NS;
    params.pcie_tags = 4;
    params.peer_read = INT64_C(8000000000);
    params.peer_write = INT64_C(16000000000);
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_read(&pcie, 4096, 0), 4096 * NS);
    assert_int_equal(pcie_read(&pcie, 100, 0), (4096 + 128) * NS);
    assert_int_equal(pcie_read_time(&pcie, 1000), 1000 * NS);
    assert_int_equal(pcie_fetch(&pcie, 512, 0), (4096 + 2 * 128) * NS);
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_write(&pcie, 4096, 0), 2048 * NS);
    assert_int_equal(pcie_write(&pcie, 100, 0), (2048 + 50) * NS);
    assert_int_equal(pcie_write(&pcie, 0, 0), 0);
    params.peer_latency = 488 * NS;
    params.peer_read = 0;
    pcie_init(&pcie, &params, 4096);
    assert_int_equal(pcie_read(&pcie, 4096, 0), 8 * 250 * NS);
    assert_int_equal(pcie_fetch(&pcie, 512, 0), (8 * 250 + 128) * NS);
}

/* The latency of another device comes once: before a WRITE, and before the data of a READ. */
static void payload_in_another_device_comes_later(void **state)
{
    (void)state;
    time_ps at[2][2];
    for (unsigned far = 0; far < 2; far++) {
        struct pipeline_params params = nothing();
        params.pcie_generation = 5;
        params.peer_latency = far * 300 * NS;
        struct pair *pair = connected(&params);
        const time_ps begin = pair->engine.now;
        post_many(pair, IBV_WR_RDMA_WRITE, 1, 512);
        at[far][0] = sent_at(pair, 0, FRAME_RC_WRITE_ONLY, 0) - begin;
        pair->ends[0].wc_count = 0;
        const time_ps then = pair->engine.now;
        post_many(pair, IBV_WR_RDMA_READ, 1, 512);
        at[far][1] = sent_at(pair, 1, FRAME_RC_READ_RESPONSE_ONLY, 0) - then;
        pair_free(pair);
    }
    assert_int_equal(at[1][0] - at[0][0], 300 * NS);
    assert_int_equal(at[1][1] - at[0][1], 300 * NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payload_that_is_not_inline_is_gathered),
        cmocka_unit_test(requests_of_reads_take_their_time_at_the_responder),
        cmocka_unit_test(requests_beyond_the_contexts_in_use_miss),
        cmocka_unit_test(responses_beyond_the_cached_work_requests_miss),
        cmocka_unit_test(packets_occupy_the_queue_pair),
        cmocka_unit_test(packets_of_reads_occupy_their_responder),
        cmocka_unit_test(a_first_packet_is_stored_whole),
        cmocka_unit_test(long_reads_of_a_queue_pair_are_gathered_one_by_one),
        cmocka_unit_test(payload_in_another_device_has_its_own_rate),
        cmocka_unit_test(payload_in_another_device_comes_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
