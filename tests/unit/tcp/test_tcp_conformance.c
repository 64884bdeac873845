/* SPDX-License-Identifier: Apache-2.0
 * Every congestion control of TCP with every value of ecn: a narrow link that marks is full and
 * drops nothing, marks on all segments stop nothing, one run gives one digest, and the senders of
 * one link hear of as many marks as there were. */
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define DELAY (20 * PS_PER_US)
#define LINE  INT64_C(10000000000)

/* Marks begin above one product of bandwidth and delay, so that half the window fills the link. */
enum { ECN_WORDS = TCP_ECN_ON_ACCURATE_PASSIVE + 1, BYTES = 60000000, MARK_ABOVE = 150000 };

static struct tcp_pair *new_pair(int64_t control, int64_t ecn, int64_t option)
{
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->rate = LINE;
    for (int i = 0; i < 2; i++) {
        struct tcp_params *params = &pair->sides[i].params;
        params->congestion_control = control;
        params->ecn = ecn;
        params->ecn_option = option;
        params->interrupt_delay = 10 * PS_PER_US; /* batches of GRO */
    }
    pair->sides[0].mark_above = MARK_ABOVE;
    pair->sides[0].queue_most = 2000000;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    return pair;
}

static bool has_ecn(int64_t control, int64_t ecn)
{
    return tcp_cc_list[control]->wants_ecn || tcp_ecn_requests(ecn);
}

static void send_all(struct tcp_pair *pair, uint64_t bytes)
{
    tcp_pair_send(pair, 0, bytes, 5);
    for (int i = 0; i < 100000 && pair->sides[1].got < bytes; i++)
        tcp_pair_run(pair, PS_PER_MS / 10);
    assert_int_equal(pair->sides[1].got, bytes);
}

static void test_full_link(void **state)
{
    (void)state;
    for (int64_t control = 0; control < TCP_CCS; control++)
        for (int64_t ecn = 0; ecn < ECN_WORDS; ecn++) {
            struct tcp_pair *pair = new_pair(control, ecn, TCP_ECN_OPTION_EVERY);
            const time_ps from = pair->engine.now;
            send_all(pair, BYTES);
            const time_ps span = pair->engine.now - from;
            const uint64_t share =
                (uint64_t)(units_transfer_ps(BYTES, (uint64_t)LINE) * 100 / span);
            const struct tcp_counters *counters = tcp_counters(pair->sides[0].tcp);
            if (share < 85 || share > 100)
                fail_msg("%s, ecn %u: %d%% of the line", tcp_cc_list[control]->name, (unsigned)ecn,
                         (int)share);
            if (has_ecn(control, ecn)) {
                assert_int_equal(pair->sides[0].queue_drops, 0);
                assert_int_equal(counters->retrans_segs, 0);
                assert_true(counters->delivered_ce > 0);
            } else {
                assert_int_equal(counters->delivered_ce, 0);
            }
            tcp_pair_free(pair);
        }
}

static struct tcp_pair_fate mark_all(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    (void)pair;
    return (struct tcp_pair_fate){.mark = (frame->tos & 3) != ECN_NOT_ECT};
}

/* All data and all ACKs: cwnd goes to its floor, and the data arrives. */
static void test_all_marked(void **state)
{
    (void)state;
    for (int64_t control = 0; control < TCP_CCS; control++)
        for (int64_t ecn = 0; ecn < ECN_WORDS; ecn++)
            for (int64_t option = 0; option <= TCP_ECN_OPTION_EVERY; option++) {
                struct tcp_pair *pair = new_pair(control, ecn, option);
                pair->fate = mark_all;
                send_all(pair, 2000000);
                const struct stream_info info = tcp_pair_info(pair, 0);
                if (has_ecn(control, ecn))
                    assert_in_range(info.cwnd, 1, 10);
                assert_int_equal(tcp_counters(pair->sides[0].tcp)->retrans_segs, 0);
                tcp_pair_free(pair);
            }
}

/* With accurate ECN every mark is heard of once. */
static void test_exact(void **state)
{
    (void)state;
    for (int64_t control = 0; control < TCP_CCS; control++) {
        struct tcp_pair *pair = new_pair(control, TCP_ECN_ACCURATE, TCP_ECN_OPTION_EVERY);
        send_all(pair, BYTES);
        tcp_pair_run(pair, PS_PER_MS);
        const uint64_t marks = tcp_pair_conn(pair, 1)->accecn.cep - 5;
        const uint64_t known = tcp_pair_info(pair, 0).delivered_ce;
        print_message("%s: %u marks, %u known\n", tcp_cc_list[control]->name, (unsigned)marks,
                      (unsigned)known);
        assert_true(marks > 0);
        assert_int_equal(known, marks);
        tcp_pair_free(pair);
    }
}

static void test_digest(void **state)
{
    (void)state;
    for (int64_t control = 0; control < TCP_CCS; control++)
        for (int64_t ecn = 0; ecn < ECN_WORDS; ecn++) {
            struct digest digests[2];
            for (int i = 0; i < 2; i++) {
                struct tcp_pair *pair = new_pair(control, ecn, TCP_ECN_OPTION_MINIMUM);
                send_all(pair, 2000000);
                digests[i] = engine_digest(&pair->engine);
                tcp_pair_free(pair);
            }
            assert_memory_equal(&digests[0], &digests[1], sizeof digests[0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_link),
        cmocka_unit_test(test_all_marked),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
