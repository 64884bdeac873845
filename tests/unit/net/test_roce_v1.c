/* SPDX-License-Identifier: Apache-2.0
 * RoCE v1 between RNICs back to back: sizes by hand, the priority in the VLAN tag, no ECN, no UDP
 * source port. Headers: Ethernet 14, VLAN tag 4, GRH 40, BTH 12, ICRC 4, FCS 4. */
#include "tests/unit/net/packet_sizes.h"

#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { V1 = 14 + 40 + 12 + 4 + 4, TAGGED = V1 + 4 };

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

static void sizes_are_those_of_the_standard(void **state)
{
    (void)state;
    for (int tag = 0; tag < 2; tag++) {
        struct pair *pair = make(tag != 0, "none");
        packet_sizes_exchange(pair);
        packet_sizes_check(pair, tag ? TAGGED : V1);
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
        packet_sizes_exchange(pair);
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
    packet_sizes_exchange(pair);
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
        packet_sizes_exchange(pair);
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
