/* SPDX-License-Identifier: Apache-2.0
 * Classes of traffic of RNICs back to back: whose DSCP a packet carries, which priority it has at
 * each end, what the receive buffer pauses, and how the port is shared. */
#include "base/drop.h"
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/cm/cm_mad.h"
#include "rnic/host/verbs_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FAR = 46, ECT0 = 2 };

/* Requests, READ responses, ACKs and CM messages of one connection, both ways; nothing else. */
static void exchange(struct pair *pair)
{
    struct verbs_mr *near = pair_mr(pair, 0, 9000, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 9000, VERBS_BULK);
    pair_connect(pair);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, IBV_SEND_SIGNALED), 0);
    assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_READ, near, far, IBV_SEND_SIGNALED), 0);
    pair_run(pair, 50 * PS_PER_US);
    assert_int_equal(pair->ends[0].wc_count, 2);
    verbs_sim.disconnect(pair->ends[0].conn);
    pair_run(pair, 50 * PS_PER_US);
    for (int side = 0; side < 2; side++)
        assert_true(pair_count(pair, side, FRAME_UD_SEND_ONLY) >= 2);
    assert_true(pair_count(pair, 1, FRAME_RC_READ_RESPONSE_MIDDLE) > 0);
}

static void expect_dscp(const struct pair *pair, uint8_t ack, uint8_t other)
{
    for (unsigned i = 0; i < pair->log_count; i++) {
        const struct pair_frame *frame = &pair->log[i];
        assert_int_equal(frame->tos >> 2, frame->opcode == FRAME_RC_ACKNOWLEDGE ? ack : other);
    }
}

static uint64_t sent_in(const struct pair *pair, int side, int priority)
{
    return pair->rnics[side]->port.prios[priority].tx_frames;
}

static uint64_t received_in(const struct pair *pair, int side, int priority)
{
    return pair->rnics[side]->port.prios[priority].rx_frames;
}

static struct pair *make(const struct pair_params *params, struct verbs_class class)
{
    struct pair *pair = pair_make(params);
    pair->class = class;
    exchange(pair);
    return pair;
}

static struct pair *make_preset(struct verbs_class class)
{
    struct pair_params params;
    pair_presets(&params);
    return make(&params, class);
}

static void without_a_class_the_device_has_its_say(void **state)
{
    (void)state;
    struct pair *pair = make_preset((struct verbs_class){0});
    expect_dscp(pair, 26, 26);
    for (int side = 0; side < 2; side++)
        assert_int_equal(sent_in(pair, side, 3), port_frames_sent(&pair->rnics[side]->port));
    pair_free(pair);
}

/* READ responses, ACKs and what the side that accepts asks for itself. */
static void who_accepts_may_send_in_its_own(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.accept_dscp = FAR;
    struct pair *pair = make(&params, (struct verbs_class){0});
    unsigned seen[2] = {0, 0};
    for (unsigned i = 0; i < pair->log_count; i++) {
        const struct pair_frame *frame = &pair->log[i];
        if (frame->opcode == FRAME_UD_SEND_ONLY)
            continue;
        assert_int_equal(frame->tos >> 2, frame->side == 0 ? 26 : FAR);
        seen[frame->side]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    assert_true(sent_in(pair, 1, FAR >> 3) >= seen[1]);
    assert_true(sent_in(pair, 0, 3) >= seen[0]);
    pair_free(pair);
}

/* The other side learns the class from the REQ's primary path. */
static void a_class_holds_both_ways(void **state)
{
    (void)state;
    struct pair *pair = make_preset((struct verbs_class){.tos_set = true, .tos = FAR << 2});
    expect_dscp(pair, FAR, FAR);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(sent_in(pair, side, 5), port_frames_sent(&pair->rnics[side]->port));
        assert_int_equal(received_in(pair, side, 5), sent_in(pair, 1 - side, 5));
    }
    pair_free(pair);
}

/* ECN is the congestion control's, whatever the class says. */
static void ecn_is_no_part_of_a_class(void **state)
{
    (void)state;
    for (int marks = 0; marks < 2; marks++) {
        struct pair_params params;
        pair_presets(&params);
        params.cc = marks ? "dcqcn" : "none";
        struct pair *pair =
            make(&params, (struct verbs_class){.tos_set = true, .tos = 46 << 2 | 3});
        assert_int_equal(pair_nth(pair, 0, FRAME_RC_WRITE_FIRST, 0)->tos & 3, marks ? ECT0 : 0);
        assert_int_equal(pair_nth(pair, 1, FRAME_RC_READ_RESPONSE_FIRST, 0)->tos & 3,
                         marks ? ECT0 : 0);
        assert_int_equal(pair_nth(pair, 1, FRAME_RC_ACKNOWLEDGE, 0)->tos & 3, 0);
        pair_free(pair);
    }
}

static void acknowledgments_may_have_a_class_of_their_own(void **state)
{
    (void)state;
    struct pair_params params;
    pair_presets(&params);
    params.rnic.ack_dscp = 44;
    struct pair *pair = make(&params, (struct verbs_class){.tos_set = true, .tos = 3 << 2});
    expect_dscp(pair, 44, 3);
    assert_int_equal(sent_in(pair, 1, 5), pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE));
    pair_free(pair);
    params.rnic.ack_priority = 6;
    pair = make(&params, (struct verbs_class){.tos_set = true, .tos = 3 << 2});
    assert_int_equal(sent_in(pair, 1, 6), pair_count(pair, 1, FRAME_RC_ACKNOWLEDGE));
    assert_int_equal(received_in(pair, 0, 6), sent_in(pair, 1, 6));
    pair_free(pair);
}

/* Its own port alone: the other side goes by its map. */
static void a_priority_is_the_active_side_s(void **state)
{
    (void)state;
    struct pair *pair = make_preset((struct verbs_class){.priority_set = true, .priority = 1});
    assert_int_equal(sent_in(pair, 0, 1), port_frames_sent(&pair->rnics[0]->port));
    assert_int_equal(sent_in(pair, 1, 3), port_frames_sent(&pair->rnics[1]->port));
    assert_int_equal(received_in(pair, 1, 3), sent_in(pair, 0, 1));
    pair_free(pair);
}

static void the_map_is_made_of_rows_and_entries(void **state)
{
    (void)state;
    struct pair_params params;
    uint8_t own[DSCPS], map[DSCPS];
    pair_presets(&params);
    memset(own, RNIC_DSCP_UNSAID, sizeof own);
    rnic_map_dscp(&params.rnic, own, map);
    for (unsigned dscp = 0; dscp < DSCPS; dscp++)
        assert_int_equal(map[dscp], dscp >> 3);
    params.rnic.priority = 4;
    params.rnic.ack_dscp = 44;
    params.rnic.ack_priority = 6;
    own[10] = 7;
    rnic_map_dscp(&params.rnic, own, map);
    assert_int_equal(map[26], 4);
    assert_int_equal(map[44], 6);
    assert_int_equal(map[48], 6);
    assert_int_equal(map[10], 7);
    own[26] = 2;
    rnic_map_dscp(&params.rnic, own, map);
    assert_int_equal(map[26], 2);
}

/* ------------------------------------------------------------------ receive buffer */

/* A slow receiver of DSCPs 26 and 46, of which the mask's are lossless. */
static struct pair *slow(int64_t mask)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.pfc_priorities = mask;
    struct pair *pair = pair_make(&params);
    struct verbs_mr *near = pair_mr(pair, 0, 1 << 20, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 1 << 20, VERBS_BULK);
    pair_connect(pair);
    pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0);
    pair->class = (struct verbs_class){.tos_set = true, .tos = FAR << 2};
    pair_connect_more(pair);
    rnic_set_drain(pair->rnics[1], INT64_C(5000000000), pair->engine.now);
    pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0);
    pair_run(pair, PS_PER_MS);
    return pair;
}

static void all_lossless_priorities_are_paused(void **state)
{
    (void)state;
    struct pair *pair = slow(1 << 3 | 1 << 5);
    for (int priority = 0; priority < PRIORITIES; priority++) {
        const struct port_pauses *pauses = &pair->rnics[1]->port.pauses[priority];
        assert_int_equal(pauses->tx_xoff > 0, priority == 3 || priority == 5);
    }
    assert_int_equal(pair->drops[PROBE_DROP_RX_BUFFER], 0);
    rnic_set_drain(pair->rnics[1], RNIC_UNLIMITED, pair->engine.now);
    pair_run(pair, PS_PER_MS);
    assert_int_equal(pair->rnics[1]->port.asserted, 0);
    assert_int_equal(pair->rnics[0]->counters.messages, 2);
    pair_free(pair);
}

/* The lossy class fills the buffer and is dropped; it never pushes a lossless frame out. */
static void a_lossy_priority_is_dropped(void **state)
{
    (void)state;
    struct pair *pair = slow(RNIC_AUTO);
    assert_true(pair->drops[PROBE_DROP_RX_BUFFER] > 10);
    assert_int_equal(pair->lossless_drops, 0);
    assert_true(pair->rnics[1]->port.pauses[3].tx_xoff > 0);
    assert_int_equal(pair->rnics[1]->port.pauses[5].tx_xoff, 0);
    pair_free(pair);
}

/* ------------------------------------------------------------------ the port's shares */

/* Two connections of host 0 that write without end, in priorities 3 and 5. */
static struct pair *contend(int64_t weight3, int64_t weight5, int64_t path_mtu)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = path_mtu;
    params.rnic.weight[3] = weight3;
    params.rnic.weight[5] = weight5;
    struct pair *pair = pair_make(&params);
    struct verbs_mr *near = pair_mr(pair, 0, 64 << 20, VERBS_BULK);
    struct verbs_mr *far = pair_mr(pair, 1, 64 << 20, VERBS_BULK);
    pair_connect(pair);
    pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0);
    pair->class = (struct verbs_class){.tos_set = true, .tos = FAR << 2};
    pair_connect_more(pair);
    pair_post(pair, 0, IBV_WR_RDMA_WRITE, near, far, 0);
    pair_run(pair, 10 * PS_PER_US);
    return pair;
}

struct sent {
    uint64_t in3, in5;
};

static struct sent run_for(struct pair *pair, time_ps span)
{
    const struct port_prio *prios = pair->rnics[0]->port.prios;
    const struct sent before = {prios[3].tx_bytes, prios[5].tx_bytes};
    pair_run(pair, span);
    return (struct sent){prios[3].tx_bytes - before.in3, prios[5].tx_bytes - before.in5};
}

/* A turn of each and a frame. */
static void expect_shares(struct sent sent, int64_t weight3, int64_t weight5, int64_t mtu)
{
    const int64_t slack = (mtu + 100) * 100 + 512 * weight3 * weight5;
    const int64_t error = (int64_t)sent.in3 * weight5 - (int64_t)sent.in5 * weight3;
    assert_in_range(error + slack, 0, 2 * slack);
}

static void weights_share_the_port(void **state)
{
    static const int64_t rows[][3] = {{75, 25, 4096}, {50, 50, 1024}, {1, 99, 4096}, {90, 10, 256}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int64_t *row = rows[i];
        struct pair *pair = contend(row[0], row[1], row[2]);
        expect_shares(run_for(pair, PS_PER_MS), row[0], row[1], row[2]);
        pair_free(pair);
    }
}

/* What a paused class does not take goes to the other; when it returns it is owed nothing. */
static void a_paused_class_saves_nothing_up(void **state)
{
    (void)state;
    struct pair *pair = contend(75, 25, 4096);
    rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
    pair_run(pair, 10 * PS_PER_US);
    const int64_t credit = pair->rnics[0]->classes[3].credit;
    const struct sent alone = run_for(pair, 100 * PS_PER_US);
    assert_int_equal(alone.in3, 0);
    assert_true(alone.in5 > 1200000);
    assert_int_equal(pair->rnics[0]->classes[3].credit, credit);
    rnic_set_storm(pair->rnics[1], 3, false, pair->engine.now);
    pair_run(pair, 2 * PS_PER_US);
    expect_shares(run_for(pair, 50 * PS_PER_US), 75, 25, 4096);
    pair_free(pair);
}

/* Whatever a pause has left of a class's turn, it has afterwards: no more, no less. */
static void a_paused_class_keeps_what_it_had(void **state)
{
    (void)state;
    struct pair *pair = contend(75, 25, 4096);
    struct rnic_class *class = &pair->rnics[0]->classes[3];
    const int64_t left[] = {-class->quantum, -1, 0, 1, class->quantum};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        rnic_set_storm(pair->rnics[1], 3, true, pair->engine.now);
        pair_run(pair, 10 * PS_PER_US);
        class->credit = (__typeof__(class->credit))left[i];
        pair_run(pair, 20 * PS_PER_US);
        assert_int_equal(class->credit, left[i]);
        rnic_set_storm(pair->rnics[1], 3, false, pair->engine.now);
        pair_run(pair, 10 * PS_PER_US); /* the audit sees a turn that is longer than its quantum */
    }
    pair_free(pair);
}

static void a_strict_class_goes_first_unless_it_is_paused(void **state)
{
    (void)state;
    struct pair *pair = contend(10, 0, 4096);
    assert_int_equal(run_for(pair, 100 * PS_PER_US).in3, 0);
    rnic_set_storm(pair->rnics[1], 5, true, pair->engine.now);
    pair_run(pair, 10 * PS_PER_US);
    const struct sent alone = run_for(pair, 100 * PS_PER_US);
    assert_true(alone.in3 > 1200000);
    assert_int_equal(alone.in5, 0);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_class_the_device_has_its_say),
        cmocka_unit_test(who_accepts_may_send_in_its_own),
        cmocka_unit_test(a_class_holds_both_ways),
        cmocka_unit_test(ecn_is_no_part_of_a_class),
        cmocka_unit_test(acknowledgments_may_have_a_class_of_their_own),
        cmocka_unit_test(a_priority_is_the_active_side_s),
        cmocka_unit_test(the_map_is_made_of_rows_and_entries),
        cmocka_unit_test(all_lossless_priorities_are_paused),
        cmocka_unit_test(a_lossy_priority_is_dropped),
        cmocka_unit_test(weights_share_the_port),
        cmocka_unit_test(a_paused_class_saves_nothing_up),
        cmocka_unit_test(a_paused_class_keeps_what_it_had),
        cmocka_unit_test(a_strict_class_goes_first_unless_it_is_paused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
