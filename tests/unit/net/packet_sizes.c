/* SPDX-License-Identifier: Apache-2.0
 * packet_sizes - the WRITE's last packet has 952 B, and so has the last response. */
#include "tests/unit/net/packet_sizes.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void packet_sizes_exchange(struct pair *pair)
{
    struct verbs_mr *near = pair_mr(pair, 0, BYTES, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, BYTES, VERBS_BULK);
    pair_connect(pair);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, IBV_SEND_SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, near, far, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 2);
    assert_int_equal(pair->rnics[0]->counters.retransmitted_packets, 0);
}

void packet_sizes_check(const struct pair *pair, unsigned headers)
{
    static const struct {
        int side;
        uint8_t opcode;
        uint16_t more; /* than the headers of every packet */
    } rows[] = {
        {0, FRAME_RC_WRITE_FIRST, 16 + 1024},
        {0, FRAME_RC_WRITE_MIDDLE, 1024},
        {0, FRAME_RC_WRITE_LAST, 952},
        {1, FRAME_RC_ACKNOWLEDGE, 4},
        {0, FRAME_RC_READ_REQUEST, 16},
        {1, FRAME_RC_READ_RESPONSE_FIRST, 4 + 1024},
        {1, FRAME_RC_READ_RESPONSE_MIDDLE, 1024},
        {1, FRAME_RC_READ_RESPONSE_LAST, 4 + 952},
        {0, FRAME_UD_SEND_ONLY, 8 + WIRE_MAD_BYTES},
        {1, FRAME_UD_SEND_ONLY, 8 + WIRE_MAD_BYTES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct pair_frame *frame = pair_nth(pair, rows[i].side, rows[i].opcode, 0);
        assert_non_null(frame);
        assert_int_equal(frame->bytes, headers + rows[i].more);
    }
}
