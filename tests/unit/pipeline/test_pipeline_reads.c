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

static struct pair *connected(const struct pipeline_params *pipeline)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pipeline = *pipeline;
    params.rnic.max_rd_atomic = 4;
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

/* Two queue pairs of 4 contexts each, and room for 6: the second has two of its own. */
static void contexts_beyond_those_held_are_fetched(void **state)
{
    (void)state;
    struct pipeline_params params = nothing();
    params.read_contexts = 6;
    params.read_context_miss = 500 * NS;
    struct pair *pair = connected(&params);
    post_many(pair, IBV_WR_RDMA_READ, 4, 8);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 0);
    struct verbs_conn *far = pair->ends[1].conn;
    pair_connect_more(pair);
    pair->ends[0].wc_count = 0;
    post_many(pair, IBV_WR_RDMA_READ, 8, 8);
    assert_int_equal(pair->rnics[1]->pipeline->rx_busy, 4 * 500 * NS);
    assert_int_equal(pair->rnics[1]->pipeline->reads_held, 6);
    pair->ends[1].conn = far;
    pair_free(pair);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payload_that_is_not_inline_is_gathered),
        cmocka_unit_test(requests_of_reads_take_their_time_at_the_responder),
        cmocka_unit_test(contexts_beyond_those_held_are_fetched),
        cmocka_unit_test(long_reads_of_a_queue_pair_are_gathered_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
