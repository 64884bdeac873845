/* SPDX-License-Identifier: Apache-2.0
 * Accurate ECN between two ends: negotiation, fall-back, the counters over losses, the option.
 * Expected values are those of RFC 9768 (Tables 2 to 5, 3.1.4, 3.2.2) and of the frame layouts. */
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define DELAY (10 * PS_PER_US)

enum { FULL = 1448, OPTION = 12, ECN_WORDS = TCP_ECN_ON_ACCURATE_PASSIVE + 1 };

static const struct tcp_counters *counters(const struct tcp_pair *pair, int side)
{
    return tcp_counters(pair->sides[side].tcp);
}

static struct tcp_pair *new_pair(int64_t client, int64_t server)
{
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    for (int i = 0; i < 2; i++) {
        pair->sides[i].params.ecn = i == 0 ? client : server;
        pair->sides[i].params.send_buffer = 1 << 20;
        pair->sides[i].params.quick_acks = 0;
    }
    return pair;
}

static void run_bytes(struct tcp_pair *pair, int side, uint64_t bytes)
{
    tcp_pair_send(pair, side, bytes, 5);
    for (int i = 0; i < 1000 && pair->sides[1 - side].got < bytes; i++)
        tcp_pair_run(pair, PS_PER_S);
    tcp_pair_run(pair, PS_PER_S);
    assert_int_equal(pair->sides[1 - side].got, bytes);
}

/* ------------------------------------------------------------------ handshake */

/* What each word makes a client ask for, and a server agree to at most; Table 2. */
enum { NONE, CLASSIC, ACCURATE };
static const struct {
    int asks, accepts;
} words[ECN_WORDS] = {
    [TCP_ECN_OFF] = {NONE, NONE},
    [TCP_ECN_PASSIVE] = {NONE, CLASSIC},
    [TCP_ECN_ON] = {CLASSIC, CLASSIC},
    [TCP_ECN_ACCURATE] = {ACCURATE, ACCURATE},
    [TCP_ECN_ACCURATE_PASSIVE] = {NONE, ACCURATE},
    [TCP_ECN_ON_ACCURATE_PASSIVE] = {CLASSIC, ACCURATE},
};

static void test_negotiation(void **state)
{
    (void)state;
    static const uint8_t syn[] = {[NONE] = 0, [CLASSIC] = 3, [ACCURATE] = 7};
    static const uint8_t answer[] = {[NONE] = 0, [CLASSIC] = 1, [ACCURATE] = 2};
    for (int client = 0; client < ECN_WORDS; client++)
        for (int server = 0; server < ECN_WORDS; server++) {
            const int asks = words[client].asks, accepts = words[server].accepts;
            const int mode = asks < accepts ? asks : accepts;
            struct tcp_pair *pair = new_pair(client, server);
            tcp_pair_connect(pair);
            tcp_pair_run(pair, PS_PER_MS);
            assert_int_equal(pair->log[0].ace, syn[asks]);
            assert_int_equal(pair->log[1].ace, answer[mode]);
            assert_int_equal(pair->log[2].ace, mode == ACCURATE ? 2 : 0); /* Table 3: Not-ECT */
            for (int i = 0; i < 2; i++) {
                assert_int_equal(tcp_pair_conn(pair, i)->ecn, mode != NONE);
                assert_int_equal(tcp_pair_conn(pair, i)->accurate, mode == ACCURATE);
            }
            pair->log_count = 0;
            run_bytes(pair, 0, 10000);
            for (unsigned i = 0; i < pair->log_count; i++) {
                const struct tcp_pair_frame *frame = &pair->log[i];
                const bool ect = mode == ACCURATE || (mode == CLASSIC && frame->payload > 0);
                assert_int_equal(frame->tos & 3, ect ? ECN_ECT0 : ECN_NOT_ECT);
                assert_int_equal(frame->ace, mode == ACCURATE ? 5 : 0); /* r.cep begins at 5 */
            }
            tcp_pair_free(pair);
        }
}

static unsigned marked_syns; /* 1: the SYN, 2: the SYN/ACK */

static struct tcp_pair_fate mark_syns(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    (void)pair;
    struct tcp_pair_fate fate = {0};
    if ((frame->flags & SEGMENT_SYN) != 0)
        fate.mark = (marked_syns >> frame->side & 1) != 0;
    return fate;
}

/* Tables 2 to 4 with ECT(0) on SYN and SYN/ACK, as dctcp sends them. */
static void test_syn_feedback(void **state)
{
    (void)state;
    for (marked_syns = 0; marked_syns < 4; marked_syns++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        const bool syn = (marked_syns & 1) != 0, answer = (marked_syns & 2) != 0;
        for (int i = 0; i < 2; i++)
            pair->sides[i].params.congestion_control = TCP_CC_dctcp;
        pair->fate = mark_syns;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, PS_PER_MS);
        assert_int_equal(pair->log[0].tos & 3, ECN_ECT0);
        assert_int_equal(pair->log[1].ace, syn ? 6 : 4);
        assert_int_equal(pair->log[2].ace, answer ? 6 : 4);
        assert_int_equal(tcp_pair_conn(pair, 1)->accecn.cep, 5); /* a SYN is not counted */
        assert_int_equal(tcp_pair_conn(pair, 0)->accecn.cep, answer ? 6 : 5);
        assert_int_equal(tcp_pair_conn(pair, 1)->accecn.delivered_cep, answer ? 6 : 5);
        pair->log_count = 0;
        run_bytes(pair, 0, 1000);
        assert_int_equal(tcp_pair_nth(pair, 0, true, 0)->ace, answer ? 6 : 5);
        assert_int_equal(tcp_pair_info(pair, 0).delivered_ce, 0);
        tcp_pair_free(pair);
    }
}

/* 3.2.2.3: a Not-ECT SYN that arrives with CE was changed: this side sends no ECT. */
static void test_mangled(void **state)
{
    (void)state;
    for (marked_syns = 1; marked_syns < 4; marked_syns++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        pair->fate = mark_syns;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, PS_PER_MS);
        pair->log_count = 0;
        run_bytes(pair, 0, 3000);
        for (unsigned i = 0; i < pair->log_count; i++) {
            const bool changed = (marked_syns >> pair->log[i].side & 1) != 0;
            assert_int_equal(pair->log[i].tos & 3, changed ? ECN_NOT_ECT : ECN_ECT0);
        }
        tcp_pair_free(pair);
    }
}

static unsigned lost_syns[2]; /* of each side */

static struct tcp_pair_fate lose_syns(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if ((frame->flags & SEGMENT_SYN) != 0 && lost_syns[frame->side] > 0) {
        lost_syns[frame->side]--;
        fate.lose = true;
    }
    (void)pair;
    return fate;
}

static const struct tcp_pair_frame *nth_syn(const struct tcp_pair *pair, int side, unsigned n)
{
    for (unsigned i = 0; i < pair->log_count; i++)
        if (pair->log[i].side == side && (pair->log[i].flags & SEGMENT_SYN) != 0 && n-- == 0)
            return &pair->log[i];
    fail();
    return NULL;
}

/* 3.1.4.1: the first repetition of a SYN still asks, the second one does not. */
static void test_syn_lost(void **state)
{
    (void)state;
    for (unsigned lost = 0; lost < 4; lost++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        lost_syns[0] = lost;
        pair->fate = lose_syns;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, 20 * PS_PER_S);
        for (unsigned i = 0; i <= lost; i++)
            assert_int_equal(nth_syn(pair, 0, i)->ace, i < 2 ? 7 : 0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(tcp_pair_conn(pair, i)->accurate, lost < 2);
        run_bytes(pair, 0, 10000);
        tcp_pair_free(pair);
    }
}

/* 3.2.3.2.2: a SYN/ACK is repeated first without the option, then without ECN; a client that sees
 * that one has no ECN, and Table 4 lets the server find it out. */
static void test_synack_lost(void **state)
{
    (void)state;
    for (unsigned lost = 0; lost < 4; lost++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        lost_syns[1] = lost;
        pair->sides[0].params.rto_initial = 100 * PS_PER_S; /* only the server repeats */
        pair->fate = lose_syns;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, 20 * PS_PER_S);
        for (unsigned i = 0; i <= lost; i++) {
            const struct tcp_pair_frame *frame = nth_syn(pair, 1, i);
            assert_int_equal(frame->ace, i < 2 ? 2 : 0);
            assert_int_equal((frame->accecn & SEGMENT_HAS_ACCECN) != 0, i == 0);
            assert_int_equal(frame->bytes, i == 0 ? 78 + OPTION : 78);
        }
        assert_int_equal(tcp_pair_conn(pair, 0)->accurate, lost < 2);
        assert_true(tcp_pair_conn(pair, 1)->accurate); /* it keeps its mode */
        assert_int_equal(tcp_pair_conn(pair, 1)->accecn.no_ect, lost >= 2);
        pair->log_count = 0;
        run_bytes(pair, 1, 10000);
        assert_int_equal(tcp_pair_nth(pair, 1, true, 0)->tos & 3,
                         lost < 2 ? ECN_ECT0 : ECN_NOT_ECT);
        assert_int_equal(tcp_pair_info(pair, 1).delivered_ce, 0);
        tcp_pair_free(pair);
    }
}

/* ------------------------------------------------------------------ counters */

static struct tcp_pair_fate mark_some(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if ((frame->tos & 3) == ECN_NOT_ECT || (frame->flags & SEGMENT_SYN) != 0)
        return fate;
    if (frame->side == 0)
        fate.mark = rng_chance(&pair->rng, pair->per_million, 1000000);
    return fate;
}

static uint64_t marked_packets(const struct tcp_pair *pair)
{
    return tcp_pair_conn(pair, 1)->accecn.cep - 5;
}

/* Every mark is delivered, however often three bits wrap, and each byte counter is right. */
static void test_counters(void **state)
{
    (void)state;
    for (int64_t option = 0; option <= TCP_ECN_OPTION_EVERY; option++)
        for (uint64_t share = 0; share <= 1000000; share += 125000) {
            struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE_PASSIVE);
            for (int i = 0; i < 2; i++)
                pair->sides[i].params.ecn_option = option;
            pair->rng = rng_stream(share + 1, "marks", "test");
            pair->per_million = share;
            pair->fate = mark_some;
            tcp_pair_connect(pair);
            tcp_pair_run(pair, PS_PER_MS);
            run_bytes(pair, 0, 3000000);
            const struct tcp_accecn *sender = &tcp_pair_conn(pair, 0)->accecn;
            const struct tcp_accecn *receiver = &tcp_pair_conn(pair, 1)->accecn;
            assert_int_equal(tcp_pair_info(pair, 0).delivered_ce, marked_packets(pair));
            assert_int_equal(sender->delivered_cep, receiver->cep);
            assert_int_equal(receiver->bytes[ACCECN_CEB] + receiver->bytes[ACCECN_E0B], 3000001);
            assert_int_equal(receiver->bytes[ACCECN_E1B], 1);
            for (unsigned i = 0; option == TCP_ECN_OPTION_EVERY && i < ACCECN_FIELDS; i++)
                assert_int_equal(sender->delivered_bytes[i], receiver->bytes[i]);
            assert_int_equal(counters(pair, 0)->retrans_segs, 0);
            tcp_pair_free(pair);
        }
}

static uint64_t acks_kept; /* of a million */

static struct tcp_pair_fate lose_acks(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = mark_some(pair, frame);
    if (frame->side == 1 && (frame->flags & SEGMENT_SYN) == 0)
        fate.lose = !rng_chance(&pair->rng, acks_kept, 1000000);
    return fate;
}

/* What the sender counted, and what the receiver did. */
struct heavy {
    uint64_t marks, marks_known, bytes, bytes_known;
};

static struct heavy heavy_loss(int64_t option, uint64_t share)
{
    struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
    for (int i = 0; i < 2; i++) {
        pair->sides[i].params.ecn_option = option;
        pair->sides[i].params.rto_min = PS_PER_MS;
        pair->sides[i].params.rto_max = 10 * PS_PER_MS;
        pair->sides[i].params.retries = 100;
        pair->sides[i].params.initial_window = 200;
    }
    pair->rng = rng_stream(share + 9, "acks", "test");
    pair->per_million = share;
    pair->fate = lose_acks;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_S);
    run_bytes(pair, 0, 3000000);
    const struct heavy heavy = {
        .marks = marked_packets(pair),
        .marks_known = tcp_pair_info(pair, 0).delivered_ce,
        .bytes = tcp_pair_conn(pair, 1)->accecn.bytes[ACCECN_CEB],
        .bytes_known = tcp_pair_conn(pair, 0)->accecn.delivered_bytes[ACCECN_CEB],
    };
    tcp_pair_free(pair);
    return heavy;
}

/* Nine of ten ACKs are lost. The option still delivers every byte counter. The counter of packets
 * is right but for whole wraps, of which Linux counts the fewest possible as soon as ACKs usually
 * acknowledge more than four segments. */
static void test_lost_acks(void **state)
{
    (void)state;
    acks_kept = 100000;
    for (uint64_t share = 0; share <= 900000; share += 150000) {
        for (int64_t option = 0; option <= TCP_ECN_OPTION_EVERY; option++) {
            const struct heavy heavy = heavy_loss(option, share);
            assert_int_equal((heavy.marks_known + 80000 - heavy.marks) % 8, 0);
            assert_true(heavy.marks > 0 || heavy.marks_known == 0 || option == 0);
            if (option == TCP_ECN_OPTION_EVERY)
                assert_int_equal(heavy.bytes_known, heavy.bytes);
        }
    }
}

/* ------------------------------------------------------------------ reaction and ACKs */

static struct tcp_pair_fate mark_one(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side == 0 && frame->payload > 0)
        fate.mark = pair->seen++ >= pair->per_million && pair->seen <= pair->per_million + 3;
    return fate;
}

/* Three marks in one round: newreno halves once, and sends no CWR, which is a bit of ACE now. */
static void test_one_reduction(void **state)
{
    (void)state;
    struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
    pair->sides[0].params.congestion_control = TCP_CC_newreno;
    pair->fate = mark_one;
    pair->per_million = 4;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    run_bytes(pair, 0, 10 * 1436);
    assert_int_equal(tcp_pair_info(pair, 0).delivered_ce, 3);
    assert_in_range(tcp_pair_info(pair, 0).ssthresh, 5, 9); /* half of 10 and what it grew to */
    for (unsigned i = 0; i < pair->log_count; i++)
        if (pair->log[i].side == 0 && (pair->log[i].flags & SEGMENT_SYN) == 0)
            assert_int_equal(pair->log[i].ace, i == 2 ? 2 : 5);
    tcp_pair_free(pair);
}

/* 3.2.2.5.1: the first segment with CE and the first one without are acknowledged at once; the
 * delayed ACK of a lone segment takes 40 ms otherwise. */
static void test_changes_at_once(void **state)
{
    (void)state;
    struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
    pair->fate = mark_one;
    pair->per_million = 2; /* segments 2, 3, 4 have CE */
    pair->sides[1].params.gro_size = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    static const bool at_once[] = {
        true /* the ACK before was not ECT */, false, true, false, false, true, false};
    uint64_t got = 0;
    for (unsigned i = 0; i < sizeof at_once / sizeof at_once[0]; i++) {
        pair->log_count = 0;
        tcp_pair_send(pair, 0, FULL - OPTION, 5);
        tcp_pair_run(pair, PS_PER_MS);
        if (tcp_pair_count(pair, 1, false) != at_once[i])
            fail_msg("segment %u", i);
        tcp_pair_run(pair, 100 * PS_PER_MS);
        got += FULL - OPTION;
        assert_int_equal(pair->sides[1].got, got);
    }
    tcp_pair_free(pair);
}

/* ------------------------------------------------------------------ the option's place */

static void test_sizes(void **state)
{
    (void)state;
    for (int64_t option = 0; option <= TCP_ECN_OPTION_EVERY; option++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        for (int i = 0; i < 2; i++)
            pair->sides[i].params.ecn_option = option;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, PS_PER_MS);
        const bool sent = option != TCP_ECN_OPTION_NEVER;
        assert_int_equal(pair->log[0].bytes, 78); /* a SYN has none */
        assert_int_equal(pair->log[1].bytes, sent ? 78 + OPTION : 78);
        assert_int_equal(pair->log[2].bytes, sent ? 70 + OPTION : 70);
        pair->log_count = 0;
        run_bytes(pair, 0, 1000000);
        const bool every = option == TCP_ECN_OPTION_EVERY;
        unsigned with = 0, segments = 0;
        for (unsigned i = 0; i < pair->log_count; i++) {
            const struct tcp_pair_frame *frame = &pair->log[i];
            const bool has = (frame->accecn & SEGMENT_HAS_ACCECN) != 0;
            assert_true(frame->bytes <= 1518);
            assert_int_equal(frame->bytes, (has ? 70u + OPTION : 70u) + frame->payload);
            assert_true(has || !every);
            with += has;
            segments++;
        }
        assert_int_equal(tcp_pair_info(pair, 0).mss,
                         every ? FULL - OPTION : tcp_pair_info(pair, 0).mss);
        assert_int_equal(with > 0, sent);
        assert_int_equal(with == segments, every);
        tcp_pair_free(pair);
    }
}

/* A peer that never sends the option gets none, and no segment is shorter. */
static void test_option_of_one_side(void **state)
{
    (void)state;
    for (int never = 0; never < 2; never++) {
        struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
        pair->sides[never].params.ecn_option = TCP_ECN_OPTION_NEVER;
        tcp_pair_connect(pair);
        tcp_pair_run(pair, PS_PER_MS);
        run_bytes(pair, 0, 100000);
        for (unsigned i = 0; i < pair->log_count; i++)
            if (i != 1)
                assert_int_equal(pair->log[i].accecn & SEGMENT_HAS_ACCECN, 0);
        assert_int_equal(tcp_pair_info(pair, 0).mss, FULL);
        tcp_pair_free(pair);
    }
}

static struct tcp_pair_fate lose_three(struct tcp_pair *pair, const struct tcp_pair_frame *frame)
{
    struct tcp_pair_fate fate = {0};
    if (frame->side != 0 || frame->payload == 0 || frame->again)
        return fate;
    const unsigned n = pair->seen++;
    fate.lose = n >= 10 && n < 18 && n % 2 == 0;
    return fate;
}

/* 3.2.3.3: SACK keeps two blocks beside the option; headers stay within 60 bytes. */
static void test_sack_space(void **state)
{
    (void)state;
    struct tcp_pair *pair = new_pair(TCP_ECN_ACCURATE, TCP_ECN_ACCURATE);
    pair->sides[0].params.initial_window = 40;
    pair->sides[1].params.gro_size = 0;
    pair->fate = lose_three;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    run_bytes(pair, 0, 40 * 1436);
    unsigned seen[4] = {0}, beside[4] = {0};
    for (unsigned i = 3; i < pair->log_count; i++) {
        const struct tcp_pair_frame *frame = &pair->log[i];
        const unsigned blocks = frame->options & SEGMENT_BLOCKS;
        assert_true(frame->bytes - frame->payload <= 18 + 20 + 60);
        seen[blocks]++;
        beside[blocks] += (frame->accecn & SEGMENT_HAS_ACCECN) != 0;
    }
    assert_true(seen[1] > 0 && seen[2] + seen[3] > 0);
    assert_int_equal(beside[1], seen[1]);
    assert_int_equal(counters(pair, 0)->retrans_segs, 4);
    tcp_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_negotiation),
        cmocka_unit_test(test_syn_feedback),
        cmocka_unit_test(test_mangled),
        cmocka_unit_test(test_syn_lost),
        cmocka_unit_test(test_synack_lost),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_lost_acks),
        cmocka_unit_test(test_one_reduction),
        cmocka_unit_test(test_changes_at_once),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_option_of_one_side),
        cmocka_unit_test(test_sack_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
