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

static uint64_t value_at(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* IEEE 802.3 3.2.9, bit by bit, without the final complement. */
static uint32_t crc_bits(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    return crc;
}

/* IBTA Vol 1 A17.3.3: from the IP header on, after eight bytes of ones, and with ones in the fields
 * that switches change. */
static uint32_t expected_icrc(const uint8_t *frame, size_t count)
{
    static const size_t changed[] = {1, 8, 10, 11, 26, 27, 32};
    uint32_t crc = 0xFFFFFFFF;
    for (int i = 0; i < 8; i++)
        crc = crc_bits(crc, 0xFF);
    for (size_t i = 0; i < count - 14 - 4; i++) {
        uint8_t byte = frame[14 + i];
        for (size_t k = 0; k < sizeof changed / sizeof changed[0]; k++)
            byte = i == changed[k] ? 0xFF : byte;
        crc = crc_bits(crc, byte);
    }
    return __builtin_bswap32(~crc);
}

enum { BTH = 14 + 20 + 8, EXTENSION = BTH + 12, SACK = 4 };
enum { HEADERS = EXTENSION + 4 + 4 }; /* with ICRC and FCS */

static const struct kind {
    struct wire_frame frame;
    size_t header, at, bytes; /* of one field, from the start of the extended header */
    uint64_t value;
} kinds[] = {
    {{.opcode = 0x0B, /* WRITE ONLY with immediate, pad 2 */
      .has_reth = true,
      .has_immediate = true,
      .bytes = HEADERS + 20 + 8,
      .address = 7,
      .rkey = 8,
      .length = 6,
      .immediate = 0xA1B2C3D4,
      .payload = 6},
     .header = 20,
     .at = 16,
     .bytes = 4,
     .value = 0xA1B2C3D4},
    {{.opcode = 0x0A, /* WRITE ONLY */
      .has_reth = true,
      .bytes = HEADERS + 16 + 8,
      .address = 0x0102030405060708,
      .rkey = 9,
      .length = 6,
      .payload = 6},
     .header = 16,
     .at = 0,
     .bytes = 8,
     .value = 0x0102030405060708},
    {{.opcode = 0x05, /* SEND ONLY with immediate, pad 3 */
      .has_immediate = true,
      .bytes = HEADERS + 4 + 8,
      .immediate = 0xFEDCBA98,
      .payload = 5},
     .header = 4,
     .at = 0,
     .bytes = 4,
     .value = 0xFEDCBA98},
    {{.opcode = 0x17, /* SEND ONLY with invalidate */
      .has_ieth = true,
      .bytes = HEADERS + 4 + 4,
      .rkey = 0x12345678,
      .payload = 4},
     .header = 4,
     .at = 0,
     .bytes = 4,
     .value = 0x12345678},
    {{.opcode = 0x11, /* ACKNOWLEDGE */
      .has_aeth = true,
      .bytes = HEADERS + 4,
      .syndrome = 0x60,
      .msn = 0x123456},
     .header = 4,
     .at = 0,
     .bytes = 4,
     .value = 0x60123456},
    {{.opcode = 0x11, /* a NAK of selective repeat */
      .has_aeth = true,
      .bytes = HEADERS + 4 + SACK,
      .syndrome = 0x61,
      .msn = 2},
     .header = 4,
     .at = 0,
     .bytes = 4,
     .value = 0x61000002},
    {{.opcode = WIRE_UD_SEND_ONLY, .bytes = HEADERS + 8 + 8, .payload = 7}, /* pad 1 */
     .header = 8,
     .at = 0,
     .bytes = 8,
     .value = 0x8001000000000001}, /* Q_Key and QP of QP1, IBTA Vol 1 10.2.5 */
    {{.opcode = WIRE_CNP, .bytes = HEADERS + 16}, .header = 16, .at = 8, .bytes = 8, .value = 0},
};

static const unsigned char first_bytes[6] = {1, 2, 3, 4, 5, 6};

static void check_headers(const struct wire_frame *frame, const uint8_t *bytes, size_t count)
{
    assert_int_equal(count + 4, frame->bytes);
    assert_int_equal(value_at(bytes + 16, 2), count - 14); /* total length of IPv4 */
    assert_int_equal(value_at(bytes + 38, 2), count - 34); /* UDP length */
    assert_int_equal(value_at(bytes + BTH, 1), frame->opcode);
    assert_int_equal(bytes[BTH + 1] >> 4 & 3, (4 - frame->payload % 4) % 4);
    assert_int_equal(value_at(bytes + BTH + 5, 3), frame->qpn);
    assert_int_equal(value_at(bytes + BTH + 9, 3), frame->psn);
}

/* The payload repeats its content tag; pad and surplus are zeros. */
static void check_payload(const struct wire_frame *frame, const uint8_t *bytes, size_t payload,
                          size_t count)
{
    assert_memory_equal(bytes + payload, first_bytes, frame->head_bytes);
    for (size_t i = frame->head_bytes; i < frame->payload; i++)
        assert_int_equal(bytes[payload + i], 0xC0 + i % 4);
    for (size_t i = payload + frame->payload; i + 4 < count; i++)
        assert_int_equal(bytes[i], 0);
}

static void check_parsed(const struct wire_frame *frame, const uint8_t *bytes, size_t count)
{
    struct wire_frame back;
    assert_true(wire_parse(bytes, count, &back));
    assert_int_equal(back.has_reth, frame->has_reth);
    assert_int_equal(back.has_aeth, frame->has_aeth);
    assert_int_equal(back.has_ieth, frame->has_ieth);
    assert_int_equal(back.has_immediate, frame->has_immediate);
    assert_true(back.address == frame->address);
    assert_int_equal(back.rkey, frame->rkey);
    assert_int_equal(back.length, frame->length);
    assert_int_equal(back.immediate, frame->immediate);
    assert_int_equal(back.syndrome, frame->syndrome);
    assert_int_equal(back.msn, frame->msn);
}

/* Offsets of the extended headers: IBTA Vol 1 9.3. */
static void each_kind_of_frame_has_its_header_and_its_icrc(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct wire_frame frame = kinds[i].frame;
        frame.head = first_bytes;
        frame.head_bytes = frame.payload < 6 ? frame.payload : 6;
        frame.content = 0xC0C1C2C3;
        frame.pkey = 0xFFFF;
        frame.qpn = 0xABCDEF;
        frame.psn = 0x654321;
        frame.source_ip = 0x0A000001;
        frame.destination_ip = 0x0A000002;
        uint8_t bytes[WIRE_BYTES_MAX];
        const size_t count = wire_bytes(&frame, bytes);
        check_headers(&frame, bytes, count);
        assert_true(value_at(bytes + EXTENSION + kinds[i].at, (int)kinds[i].bytes) ==
                    kinds[i].value);
        check_payload(&frame, bytes, EXTENSION + kinds[i].header, count);
        assert_int_equal(value_at(bytes + count - 4, 4), expected_icrc(bytes, count));
        if (frame.opcode != WIRE_CNP) /* its reserved bytes are no extended header */
            check_parsed(&frame, bytes, count);
        frame.bytes--; /* no frame has one byte less or one more */
        assert_false(wire_adds_up(&frame));
        frame.bytes += 2;
        assert_false(wire_adds_up(&frame));
    }
}

/* IBTA Vol 1 7.8.1: eight ones for the LRH; traffic class, flow label, hop limit and BTH's Resv8a
 * count as ones. */
static uint32_t expected_icrc_v1(const uint8_t *grh, size_t bytes)
{
    uint32_t crc = 0xFFFFFFFF;
    for (int i = 0; i < 8; i++)
        crc = crc_bits(crc, 0xFF);
    for (size_t i = 0; i < bytes; i++) {
        const bool ones = (i >= 1 && i <= 3) || i == 7 || i == 40 + 4;
        crc = crc_bits(crc, ones ? 0xFF : i == 0 ? grh[0] | 0x0F : grh[i]);
    }
    return __builtin_bswap32(~crc);
}

/* An ACK: Ethernet 14, tag 4, GRH 40, BTH 12, AETH 4, ICRC 4, FCS 4. Offsets: annex A16. */
static void roce_v1_has_a_grh_and_its_priority_in_a_tag(void **state)
{
    (void)state;
    for (unsigned tag = 0; tag <= 4; tag += 4) {
        const struct wire_frame frame = {
            .v1 = true,
            .opcode = 0x11,
            .has_aeth = true,
            .pkey = 0xFFFF,
            .tos = (uint8_t)(tag == 0 ? 1 : 3 << 5 | 4 | 1),
            .bytes = (uint16_t)(14 + tag + 40 + 12 + 4 + 4 + 4),
            .source_ip = 0x0A000001,
            .destination_ip = 0x0A000002,
            .qpn = 0x123456,
            .psn = 0xABCDEF,
            .syndrome = 0x1F,
            .msn = 7,
        };
        uint8_t bytes[WIRE_BYTES_MAX];
        const size_t count = wire_bytes(&frame, bytes);
        const uint8_t *grh = bytes + 14 + tag;
        assert_int_equal(count, frame.bytes - 4);
        assert_int_equal(value_at(bytes + 12, 4), tag == 0 ? 0x89156000 : 0x81006000);
        assert_int_equal(value_at(grh - 2, 2), 0x8915);
        assert_int_equal(value_at(grh, 4), 0x60000000);
        assert_int_equal(value_at(grh + 4, 2), 12 + 4 + 4); /* after the GRH, with ICRC */
        assert_int_equal(grh[6], 0x1B);
        assert_int_equal(value_at(grh + 16, 8), UINT64_C(0x0000FFFF0A000001));
        assert_int_equal(value_at(grh + 32, 8), UINT64_C(0x0000FFFF0A000002));
        assert_int_equal(grh[40], 0x11);
        const size_t covered = 40 + 12 + 4;
        assert_int_equal(value_at(grh + covered, 4), expected_icrc_v1(grh, covered));
        struct wire_frame back;
        for (size_t kept = 0; kept <= count; kept++)
            assert_int_equal(wire_parse(bytes, kept, &back), kept >= 14 + tag + covered);
        assert_true(back.v1 && back.has_aeth);
        assert_int_equal(back.tos, frame.tos);
        assert_int_equal(back.source_ip, frame.source_ip);
        assert_int_equal(back.destination_ip, frame.destination_ip);
        assert_int_equal(back.bytes, frame.bytes);
        assert_int_equal(back.psn, frame.psn);
        assert_int_equal(back.msn, frame.msn);
        assert_int_equal(back.payload, 0);
    }
}

/* RFC 1071: with the checksum, the sum of the 16-bit words is 0xFFFF. */
static uint32_t sum_of_words(uint32_t sum, const uint8_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum += (uint32_t)at[i] << (i % 2 == 0 ? 8 : 0);
    while (sum > 0xFFFF)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/* An ACK of minimum size, and a segment with an option and an odd number of data bytes. */
static void tcp_segments_have_the_checksums_of_both_headers(void **state)
{
    (void)state;
    for (unsigned data = 0; data <= 9; data += 9) {
        const unsigned header = data == 0 ? 20 : 24;
        unsigned char head[24 + 2] = {0xC3, 0x50, 0x11, 0x44, 0, 0,    0,    1,
                                      0,    0,    0,    2,    0, 0x10, 0xFF, 0xFF};
        head[12] = (unsigned char)(header / 4 << 4);
        head[24] = 0xD0;
        head[25] = 0xD1;
        const unsigned whole = 14 + 20 + header + data;
        const struct wire_frame frame = {
            .opcode = WIRE_TCP,
            .ttl = 64,
            .bytes = (uint16_t)((whole < 60 ? 60 : whole) + 4),
            .payload = (uint16_t)data,
            .content = 0xC0C1C2C3,
            .source_ip = 0xC0A80001,
            .destination_ip = 0xC0A800FE,
            .head = head,
            .head_bytes = (uint16_t)(data == 0 ? header : header + 2),
        };
        uint8_t bytes[WIRE_BYTES_MAX];
        assert_int_equal(wire_bytes(&frame, bytes), frame.bytes - 4);
        assert_int_equal(value_at(bytes + 12, 2), 0x0800);
        assert_int_equal(bytes[23], 6);
        assert_int_equal(value_at(bytes + 16, 2), 20 + header + data);
        assert_int_equal(sum_of_words(0, bytes + 14, 20), 0xFFFF);
        const uint32_t pseudo = sum_of_words(6 + header + data, bytes + 26, 8);
        assert_int_equal(sum_of_words(pseudo, bytes + 34, header + data), 0xFFFF);
        assert_memory_equal(bytes + 34, head, 16);
        if (data > 0) {
            static const uint8_t expected[9] = {0xD0, 0xD1, 0xC2, 0xC3, 0xC0,
                                                0xC1, 0xC2, 0xC3, 0xC0};
            assert_memory_equal(bytes + 34 + header, expected, sizeof expected);
        }
        for (size_t i = whole; i < 60; i++)
            assert_int_equal(bytes[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(icrc_is_that_of_a_real_rnic),
        cmocka_unit_test(a_cnp_is_written_as_a_real_rnic_does),
        cmocka_unit_test(a_pfc_frame_is_padded_to_sixty_bytes),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(each_kind_of_frame_has_its_header_and_its_icrc),
        cmocka_unit_test(roce_v1_has_a_grh_and_its_priority_in_a_tag),
        cmocka_unit_test(tcp_segments_have_the_checksums_of_both_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
