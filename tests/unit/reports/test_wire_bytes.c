/* SPDX-License-Identifier: Apache-2.0
 * A CNP that a ConnectX-4 Lx sent, byte by byte with its invariant CRC (scapy's test data). */
#include "reports/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static const uint8_t captured[] = {
    0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00,
    0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
    0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void icrc_is_that_of_a_real_rnic(void **state)
{
    (void)state;
    assert_int_equal(wire_icrc(captured, sizeof captured), 0x82fd002a);
}

static void a_cnp_is_written_as_a_real_rnic_does(void **state)
{
    (void)state;
    const struct wire_frame frame = {
        .opcode = WIRE_CNP,
        .pkey = 0xFFFF,
        .tos = 0xc2,
        .ttl = 64,
        .flags = WIRE_BECN,
        .bytes = 78,
        .source_ip = 0x0a001101,
        .destination_ip = 0x0a001201,
        .qpn = 0x118,
    };
    uint8_t bytes[WIRE_BYTES_MAX];
    assert_int_equal(wire_bytes(&frame, bytes), 74);
    /* the identification, and so the header's checksum, is the sender's own affair */
    assert_memory_equal(bytes + 14, captured, 4);
    assert_memory_equal(bytes + 20, captured + 6, 4);
    assert_memory_equal(bytes + 26, captured + 12, sizeof captured - 12);
}

static void a_pfc_frame_is_padded_to_sixty_bytes(void **state)
{
    (void)state;
    static const unsigned char head[20] = {0x01, 0x01, 0x00, 0x08, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    const struct wire_frame frame = {
        .mac_control = true, .bytes = 64, .head = head, .head_bytes = sizeof head};
    uint8_t bytes[WIRE_BYTES_MAX];
    assert_int_equal(wire_bytes(&frame, bytes), 60);
    static const uint8_t to[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    assert_memory_equal(bytes, to, sizeof to);
    assert_int_equal(bytes[12] << 8 | bytes[13], 0x8808);
    assert_memory_equal(bytes + 14, head, sizeof head);
}

/* A WRITE with RETH, pad and flags; of a shorter piece nothing beyond its end is believed. */
static void what_is_written_is_read(void **state)
{
    (void)state;
    static const unsigned char head[5] = "data";
    const struct wire_frame frame = {
        .opcode = 0x0A, /* RC WRITE ONLY */
        .has_reth = true,
        .migreq = true,
        .fecn = true,
        .pkey = 0x8001,
        .tos = 0x68,
        .ttl = 64,
        .flags = WIRE_ACK_REQUEST | WIRE_SOLICITED,
        .udp_source = 50000,
        .bytes = 62 + 16 + 8,
        .payload = 5,
        .source_ip = 0x0A000001,
        .destination_ip = 0x0A000002,
        .qpn = 0x123456,
        .psn = 0xABCDEF,
        .address = 0x1122334455667788,
        .rkey = 0x99AABBCC,
        .length = 5,
        .head = head,
        .head_bytes = sizeof head,
    };
    uint8_t bytes[WIRE_BYTES_MAX];
    const size_t count = wire_bytes(&frame, bytes);
    struct wire_frame back;
    assert_true(wire_parse(bytes, count, &back));
    assert_int_equal(back.opcode, frame.opcode);
    assert_true(back.has_reth && !back.has_aeth && !back.has_ieth);
    assert_int_equal(back.flags, frame.flags);
    assert_true(back.migreq && back.fecn);
    assert_int_equal(back.pkey, frame.pkey);
    assert_int_equal(back.tos, frame.tos);
    assert_int_equal(back.bytes, frame.bytes);
    assert_int_equal(back.payload, frame.payload);
    assert_int_equal(back.source_ip, frame.source_ip);
    assert_int_equal(back.destination_ip, frame.destination_ip);
    assert_int_equal(back.udp_source, frame.udp_source);
    assert_int_equal(back.qpn, frame.qpn);
    assert_int_equal(back.psn, frame.psn);
    assert_int_equal(back.address, frame.address);
    assert_int_equal(back.rkey, frame.rkey);
    assert_int_equal(back.length, frame.length);
    assert_int_equal(back.head_bytes, 5);
    assert_memory_equal(back.head, head, 5);
    enum { HEADERS = 14 + 20 + 8 + 12 + 16 };
    for (size_t kept = 0; kept < count; kept++) {
        assert_int_equal(wire_parse(bytes, kept, &back), kept >= HEADERS);
        assert_true(kept < HEADERS || back.head_bytes <= kept - HEADERS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(icrc_is_that_of_a_real_rnic),
        cmocka_unit_test(a_cnp_is_written_as_a_real_rnic_does),
        cmocka_unit_test(a_pfc_frame_is_padded_to_sixty_bytes),
        cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
