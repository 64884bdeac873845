/* SPDX-License-Identifier: Apache-2.0
 * The arithmetic of accurate ECN against the tables and examples of RFC 9768: each expected value
 * comes from the RFC (section numbers below), none from the program. */
#include "net/frame/frame.h"
#include "tcp/accecn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NONE = ECN_MODE_NONE, CLASSIC = ECN_MODE_CLASSIC, ACCURATE = ECN_MODE_ACCURATE };

/* Table 2: client with accurate ECN, by the flags (AE, CWR, ECE) of the SYN/ACK. 3.1.3 adds 101. */
static void test_client(void **state)
{
    (void)state;
    static const int accurate[8] = {
        [0] = NONE,     /* a server without ECN */
        [1] = CLASSIC,  /* a server with classic ECN */
        [2] = ACCURATE, /* Not-ECT on the SYN */
        [3] = ACCURATE, /* ECT(1) */
        [4] = ACCURATE, /* ECT(0) */
        [5] = ACCURATE, /* reserved: as if the field had arrived unchanged */
        [6] = ACCURATE, /* CE */
        [7] = NONE,     /* broken: it reflects the flags */
    };
    for (uint8_t ace = 0; ace < 8; ace++)
        assert_int_equal(accecn_mode_of_synack(ace, 7), accurate[ace]);
    assert_int_equal(accecn_mode_of_synack(1, 3), CLASSIC);
    assert_int_equal(accecn_mode_of_synack(0, 3), NONE);
    assert_int_equal(accecn_mode_of_synack(3, 3), NONE); /* RFC 3168 6.1.1.1: reflected */
    for (uint8_t ace = 0; ace < 8; ace++)
        assert_int_equal(accecn_mode_of_synack(ace, 0), NONE);
}

/* Table 2, third block, and 3.1.3: a server with accurate ECN, by the flags of the SYN; RFC 3168
 * 6.1.1 for one without. */
static void test_server(void **state)
{
    (void)state;
    static const int accurate[8] = {NONE,     ACCURATE, ACCURATE, CLASSIC,
                                    ACCURATE, ACCURATE, ACCURATE, ACCURATE};
    static const int classic[8] = {[3] = CLASSIC, [7] = CLASSIC};
    for (uint8_t ace = 0; ace < 8; ace++) {
        assert_int_equal(accecn_mode_of_syn(ace, true, true), accurate[ace]);
        assert_int_equal(accecn_mode_of_syn(ace, true, false), classic[ace]);
        assert_int_equal(accecn_mode_of_syn(ace, false, false), NONE);
    }
}

/* Table 2, first block, Table 3 and Table 4. */
static void test_reflection(void **state)
{
    (void)state;
    static const uint8_t flags[4] = {
        [ECN_NOT_ECT] = 2, [ECN_ECT1] = 3, [ECN_ECT0] = 4, [ECN_CE] = 6};
    static const int returned[8] = {-1, -1, ECN_NOT_ECT, ECN_ECT1, ECN_ECT0, -1, ECN_CE, -1};
    for (uint8_t ecn = 0; ecn < 4; ecn++)
        assert_int_equal(accecn_reflect(ecn), flags[ecn]);
    for (uint8_t ace = 0; ace < 8; ace++)
        assert_int_equal(accecn_reflected(ace), returned[ace]);
}

/* 3.2.2.3: Not-ECT and CE never change, ECT never becomes Not-ECT. */
static void test_changes(void **state)
{
    (void)state;
    static const bool valid[4][4] = {
        [ECN_NOT_ECT] = {[ECN_NOT_ECT] = true},
        [ECN_ECT1] = {[ECN_ECT1] = true, [ECN_ECT0] = true, [ECN_CE] = true},
        [ECN_ECT0] = {[ECN_ECT1] = true, [ECN_ECT0] = true, [ECN_CE] = true},
        [ECN_CE] = {[ECN_CE] = true},
    };
    for (uint8_t from = 0; from < 4; from++)
        for (uint8_t to = 0; to < 4; to++)
            assert_int_equal(accecn_is_valid_change(from, to), valid[from][to]);
}

/* An ACE field that is so many above the counter, with what the ACK says. */
static uint32_t marks(uint32_t least, struct accecn_ack ack)
{
    const uint64_t cep = 4093; /* three bits: 5, so that most sums wrap */
    return accecn_new_marks((uint8_t)((cep + least) & 7), cep, &ack);
}

/* A.2.1: up to 7 packets cannot wrap; 2 of 9 packets are 2 marks; 2 of 10 may be 10. */
static void test_wrap(void **state)
{
    (void)state;
    for (uint32_t packets = 0; packets < 8; packets++)
        for (uint32_t least = 0; least < 8; least++)
            assert_int_equal(marks(least, (struct accecn_ack){.packets = packets}), least);
    assert_int_equal(marks(2, (struct accecn_ack){.packets = 9}), 2);
    assert_int_equal(marks(2, (struct accecn_ack){.packets = 10}), 10);
    /* Heavy loss of ACKs: 100 packets, all of which may have been marked. */
    for (uint32_t least = 0; least < 8; least++) {
        const uint32_t safe = marks(least, (struct accecn_ack){.packets = 100});
        assert_in_range(safe, 93, 100);
        assert_int_equal(safe % 8, least);
    }
    /* Stretch ACKs are usual: the least number. */
    assert_int_equal(marks(2, (struct accecn_ack){.packets = 10, .often_stretched = true}), 2);
}

/* A.2.2, with an MSS of 1460. */
static void test_wrap_with_option(void **state)
{
    (void)state;
    struct accecn_ack ack = {.packets = 8, .bytes = 8 * 1460, .bytes_known = true, .mss = 1460};
    ack.marked_bytes = 1460;
    assert_int_equal(marks(0, ack), 8); /* a packet larger than the MSS cannot be */
    ack.packets = 10;
    ack.bytes = 10 * 1460;
    assert_int_equal(marks(2, ack), 2); /* ten packets of a tenth of an MSS are unlikely */
    ack.packets = 15;
    ack.bytes = 15 * 1460;
    ack.marked_bytes = 10200;
    assert_int_equal(marks(7, ack), 7);
    ack.marked_bytes = 0; /* no byte was marked: what the counter says are packets without data */
    assert_int_equal(marks(0, ack), 0);
    /* The kernel's rule for 16 packets and more: 41 of 100 packets' bytes, and 41 % 8 is 1. */
    ack = (struct accecn_ack){.packets = 100,
                              .bytes = 100 * 1460,
                              .bytes_known = true,
                              .marked_bytes = 41 * 1460,
                              .orderly = true,
                              .mss = 1460};
    assert_int_equal(marks(1, ack), 41);
}

/* A.1: s.ceb 33,554,433 and ECEB 1461 are 1460 bytes more; the counter may also go back. */
static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(accecn_difference(1461, 33554433), 1460);
    assert_int_equal(accecn_difference(0, 0xFFFFFF), 1);
    assert_int_equal(accecn_difference(0xFFFFFF, 0), -1);
    assert_int_equal(accecn_difference(0x7FFFFF, 0), 0x7FFFFF);
    assert_int_equal(accecn_difference(5, 5 + (UINT64_C(7) << 24)), 0);
}

/* Table 5: 11, 8, 5 and 2 bytes, padded to words; two bytes of SACK's padding are free. */
static void test_space(void **state)
{
    (void)state;
    static const uint32_t alone[4] = {4, 8, 8, 12}, beside_sack[4] = {0, 4, 8, 12};
    for (uint8_t fields = 0; fields < 4; fields++) {
        assert_int_equal(accecn_option_bytes(fields, 0), alone[fields]);
        assert_int_equal(accecn_option_bytes(fields, 2), beside_sack[fields]);
    }
    /* With timestamps (12 bytes) and 0 to 3 SACK blocks (4 + 8 each): RFC 9768 3.2.3.3 leaves two
     * SACK blocks alone; a third one gives way to fields that must be sent. */
    struct accecn_place place = accecn_place_option(12, 0, 3);
    assert_true(place.fits && place.fields == 3 && place.blocks == 0);
    place = accecn_place_option(24, 1, 3);
    assert_true(place.fits && place.fields == 3 && place.blocks == 1);
    place = accecn_place_option(32, 2, 2);
    assert_true(place.fits && place.fields == 2 && place.blocks == 2);
    place = accecn_place_option(32, 2, 3);
    assert_true(!place.fits && place.blocks == 2);
    place = accecn_place_option(40, 3, 2);
    assert_true(place.fits && place.fields == 2 && place.blocks == 2);
    place = accecn_place_option(40, 3, 3);
    assert_true(!place.fits && place.blocks == 3);
    place = accecn_place_option(40, 3, 0);
    assert_true(place.fits && place.fields == 0 && place.blocks == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client),     cmocka_unit_test(test_server),
        cmocka_unit_test(test_reflection), cmocka_unit_test(test_changes),
        cmocka_unit_test(test_wrap),       cmocka_unit_test(test_wrap_with_option),
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
