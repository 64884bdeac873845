/* SPDX-License-Identifier: Apache-2.0
 * RoCE v1 between RNICs back to back: sizes by hand, the priority in the VLAN tag, no ECN, no UDP
 * source port. Headers: Ethernet 14, VLAN tag 4, GRH 40, BTH 12, ICRC 4, FCS 4. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MTU = 1024, BYTES = 3000, V1 = 14 + 40 + 12 + 4 + 4, TAGGED = V1 + 4 };

/* One WRITE and one READ of 3000 B in packets of 1024 B. */
static void exchange(struct pair *pair)
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

static struct pair *make(bool tag, const char *cc)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = MTU;
    params.rnic.roce_version = 1;
    params.rnic.priority_tag = tag;
    params.cc = cc;
    return pair_make(&params);
}

/* The WRITE's last packet has 952 B, and so has the last response. */
static void sizes_are_those_of_the_standard(void **state)
{
    static const struct {
        int side;
        uint8_t opcode;
        uint16_t more; /* than the headers of every frame */
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
    (void)state;
    for (int tag = 0; tag < 2; tag++) {
        struct pair *pair = make(tag != 0, "none");
        exchange(pair);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct pair_frame *frame = pair_nth(pair, rows[i].side, rows[i].opcode, 0);
            assert_non_null(frame);
            assert_int_equal(frame->bytes, (tag ? TAGGED : V1) + rows[i].more);
        }
        pair_free(pair);
    }
}

/* A tag carries the sender's priority; without one, the receiver's port counts priority 0. */
static void the_priority_is_in_the_tag(void **state)
{
    (void)state;
    for (int tag = 0; tag < 2; tag++) {
        struct pair *pair = make(tag != 0, "none");
        pair->class = (struct verbs_class){.priority_set = true, .priority = 5};
        exchange(pair);
        for (unsigned i = 0; i < pair->log_count; i++)
            assert_int_equal(pair->log[i].tos, tag ? 5 << 5 | 4 | 1 : 1);
        for (int side = 0; side < 2; side++) {
            const struct port_prio *prios = pair->rnics[side]->port.prios;
            assert_int_equal(prios[5].tx_frames, port_frames_sent(&pair->rnics[side]->port));
            assert_int_equal(prios[tag ? 5 : 0].rx_frames,
                             pair->rnics[1 - side]->port.prios[5].tx_frames);
        }
        pair_free(pair);
    }
}

/* Of all tables by ToS octet, no DSCP changes what a PCP means. */
static void no_dscp_changes_a_priority(void **state)
{
    (void)state;
    uint8_t map[FRAME_TOS_VALUES];
    for (unsigned dscp = 0; dscp < DSCPS; dscp++)
        frame_classify(map, dscp, 7);
    for (unsigned priority = 0; priority < PRIORITIES; priority++)
        assert_int_equal(map[frame_v1_tos(true, priority)], priority);
    assert_int_equal(map[frame_v1_tos(false, 3)], 0);
    assert_int_equal(map[26 << 2 | ECN_ECT0], 7);
}

/* A congestion control that wants marks sends no frame that can be marked. */
static void there_is_no_ecn(void **state)
{
    (void)state;
    struct pair *pair = make(true, "dcqcn");
    exchange(pair);
    for (unsigned i = 0; i < pair->log_count; i++)
        assert_true(frame_is_v1(pair->log[i].tos));
    assert_int_equal(pair->rnics[1]->counters.ecn_marked, 0);
    pair_free(pair);
}

/* The side that accepts answers in the version of the REQ. */
static void the_version_is_the_active_side_s(void **state)
{
    (void)state;
    for (int64_t version = 1; version <= 2; version++) {
        struct pair *pair = make(true, "none");
        pair->rnics[0]->params.roce_version = version;
        pair->rnics[1]->params.roce_version = 3 - version;
        exchange(pair);
        for (unsigned i = 0; i < pair->log_count; i++)
            assert_int_equal(frame_is_v1(pair->log[i].tos), version == 1);
        pair_free(pair);
    }
}

/* What ECMP hashes of two queue pairs, and of CM messages. */
static void queue_pairs_of_two_hosts_share_a_hash(void **state)
{
    (void)state;
    for (int64_t version = 1; version <= 2; version++) {
        struct pair *pair = make(true, "none");
        pair->rnics[0]->params.roce_version = version;
        pair_connect(pair);
        const uint32_t first = pair->ends[0].conn->qp->flow.entropy;
        pair_connect_more(pair);
        assert_int_equal(first == pair->ends[0].conn->qp->flow.entropy, version == 1);
        pair_free(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_standard),
        cmocka_unit_test(the_priority_is_in_the_tag),
        cmocka_unit_test(no_dscp_changes_a_priority),
        cmocka_unit_test(there_is_no_ecn),
        cmocka_unit_test(the_version_is_the_active_side_s),
        cmocka_unit_test(queue_pairs_of_two_hosts_share_a_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
