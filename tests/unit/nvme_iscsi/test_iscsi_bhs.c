/* SPDX-License-Identifier: Apache-2.0
 * iSCSI PDUs: the bytes of each opcode by the figures of RFC 7143, 11, and every fault of a
 * header. */
#include "nvme/iscsi/bhs.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The 48 bytes in six lines of eight: opcode to DataSegmentLength; LUN; ITT and TTT; three sequence
 * numbers; the rest. Written from the figures, not by the code. */
static const struct vector {
    const char *figure;
    struct iscsi_pdu pdu;
    bool from_initiator;
    unsigned char bytes[ISCSI_BHS_BYTES];
} vectors[] = {
    {"11.3 SCSI Command: a READ(16) of 128 blocks at 11223344h, 64 KiB",
     {.opcode = 0x01,
      .flags = 0xC1,
      .lun = UINT64_C(0x0005) << 48,
      .itt = 0x1000A,
      .tag = 65536,
      .sn = 7,
      .expected = 9,
      .cdb = {0x88, 0, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0x80, 0, 0}},
     true,
     {0x01, 0xC1, 0, 0,    0, 0, 0,    0,    0,    5,    0, 0, 0, 0,    0, 0,
      0,    1,    0, 0x0A, 0, 1, 0,    0,    0,    0,    0, 7, 0, 0,    0, 9,
      0x88, 0,    0, 0,    0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0x80, 0, 0}},
    {"11.3 SCSI Command: a WRITE(10) with 8 KiB of immediate data, no unsolicited data",
     {.opcode = 0x01,
      .flags = 0xA1,
      .length = 8192,
      .itt = 2,
      .tag = 65536,
      .sn = 8,
      .expected = 1,
      .cdb = {0x2A, 0, 0, 0, 0, 8, 0, 0, 0x80, 0}},
     true,
     {0x01, 0xA1, 0, 0, 0, 0, 0x20, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 2, 0, 1, 0, 0,
      0,    0,    0, 8, 0, 0, 0,    1, 0x2A, 0, 0, 0, 0, 8, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0}},
    {"11.4 SCSI Response: CHECK CONDITION with 20 bytes of sense, underflow of 4096 bytes",
     {.opcode = 0x21,
      .flags = 0x82,
      .byte3 = 2,
      .length = 20,
      .itt = 2,
      .sn = 3,
      .expected = 9,
      .max = 72,
      .data_sn = 1,
      .count = 4096},
     false,
     {0x21, 0x82, 0, 2, 0, 0, 0, 20, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0,
      0,    0,    0, 3, 0, 0, 0, 9,  0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x10, 0}},
    {"11.5 Task Management Request: ABORT TASK of task 1000Ah, immediate",
     {.opcode = 0x02,
      .immediate = true,
      .flags = 0x81,
      .itt = 5,
      .tag = 0x1000A,
      .sn = 9,
      .expected = 4},
     true,
     {0x42, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 0, 0x0A,
      0,    0,    0, 9, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.6 Task Management Response: task does not exist",
     {.opcode = 0x22, .flags = 0x80, .byte2 = 1, .itt = 5, .sn = 4, .expected = 9, .max = 72},
     false,
     {0x22, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0,
      0,    0,    0, 4, 0, 0, 0, 9, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.7 Data-Out: the second of an R2T, not the last",
     {.opcode = 0x05,
      .length = 8192,
      .itt = 2,
      .tag = 3,
      .expected = 4,
      .data_sn = 1,
      .offset = 16384},
     true,
     {0x05, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    2, 0, 0, 0, 3,
      0,    0, 0, 0, 0, 0, 0,    4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x40, 0, 0, 0, 0, 0}},
    {"11.7 Data-In: the last one, with status",
     {.opcode = 0x25,
      .flags = 0x81,
      .length = 131072,
      .itt = 2,
      .tag = 0xFFFFFFFF,
      .sn = 4,
      .expected = 9,
      .max = 73},
     false,
     {0x25, 0x81, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF,
      0,    0,    0, 4, 0, 0, 0, 9, 0, 0, 0, 73, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0}},
    {"11.8 R2T: 56 KiB at 8 KiB, the first one",
     {.opcode = 0x31,
      .flags = 0x80,
      .itt = 2,
      .tag = 3,
      .sn = 4,
      .expected = 9,
      .max = 72,
      .offset = 8192,
      .count = 57344},
     false,
     {0x31, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,    2, 0, 0, 0,    3,
      0,    0,    0, 4, 0, 0, 0, 9, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0xE0, 0}},
    {"11.9 Asynchronous Message: event 1, logout is requested",
     {.opcode = 0x32,
      .flags = 0x80,
      .itt = 0xFFFFFFFF,
      .sn = 4,
      .expected = 9,
      .max = 72,
      .data_sn = 1 << 24},
     false,
     {0x32, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0,
      0,    0,    0, 4, 0, 0, 0, 9, 0, 0, 0, 72, 1, 0, 0, 0, 0,    0,    0,    0,    0, 0, 0, 0}},
    {"11.12 Login Request: operational stage to full feature phase, ISID 80 00 00 00 00 00",
     {.opcode = 0x03,
      .immediate = true,
      .flags = 0x87,
      .length = 300,
      .lun = UINT64_C(0x8000000000000000),
      .itt = 1,
      .sn = 1,
      .expected = 1},
     true,
     {0x43, 0x87, 0, 0, 0, 0, 0x01, 0x2C, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
      0,    0,    0, 1, 0, 0, 0,    1,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.13 Login Response: TSIH 2, success",
     {.opcode = 0x23,
      .flags = 0x87,
      .length = 300,
      .lun = UINT64_C(0x8000000000000002),
      .itt = 1,
      .sn = 1,
      .expected = 1,
      .max = 64},
     false,
     {0x23, 0x87, 0, 0, 0, 0, 0x01, 0x2C, 0x80, 0, 0, 0,  0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
      0,    0,    0, 1, 0, 0, 0,    1,    0,    0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.13 Login Response: status 0203h, target not found",
     {.opcode = 0x23,
      .flags = 0,
      .itt = 1,
      .sn = 1,
      .expected = 1,
      .max = 64,
      .data_sn = 0x02030000},
     false,
     {0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
      0,    0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 64, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.14 Logout Request: close the session",
     {.opcode = 0x06, .immediate = true, .flags = 0x80, .itt = 0x20000, .sn = 12, .expected = 8},
     true,
     {0x46, 0x80, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
      0,    0,    0, 12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.15 Logout Response",
     {.opcode = 0x26, .flags = 0x80, .itt = 0x20000, .sn = 8, .expected = 12, .max = 75},
     false,
     {0x26, 0x80, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
      0,    0,    0, 8, 0, 0, 0, 12, 0, 0, 0, 75, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"11.17 Reject: protocol error, with the header in error",
     {.opcode = 0x3F,
      .flags = 0x80,
      .byte2 = 4,
      .length = 48,
      .itt = 0xFFFFFFFF,
      .sn = 8,
      .expected = 12,
      .max = 75},
     false,
     {0x3F, 0x80, 4, 0, 0, 0, 0, 48, 0, 0, 0, 0,  0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0,
      0,    0,    0, 8, 0, 0, 0, 12, 0, 0, 0, 75, 0, 0, 0, 0, 0,    0,    0,    0,    0, 0, 0, 0}},
    {"11.18 NOP-Out: a ping",
     {.opcode = 0x00,
      .immediate = true,
      .flags = 0x80,
      .itt = 6,
      .tag = 0xFFFFFFFF,
      .sn = 12,
      .expected = 8},
     true,
     {0x40, 0x80, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0xFF, 0xFF, 0xFF, 0xFF,
      0,    0,    0, 12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0}},
    {"11.19 NOP-In: its answer",
     {.opcode = 0x20,
      .flags = 0x80,
      .itt = 6,
      .tag = 0xFFFFFFFF,
      .sn = 8,
      .expected = 12,
      .max = 75},
     false,
     {0x20, 0x80, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 6, 0xFF, 0xFF, 0xFF, 0xFF,
      0,    0,    0, 8, 0, 0, 0, 12, 0, 0, 0, 75, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0}},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0], MOST = 262144 };

static void every_pdu_has_its_bytes_and_is_read_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VECTORS; i++) {
        unsigned char bytes[ISCSI_BHS_BYTES];
        struct iscsi_fault fault;
        struct iscsi_pdu back;
        iscsi_pdu_encode(&vectors[i].pdu, bytes);
        for (unsigned at = 0; at < ISCSI_BHS_BYTES; at++)
            if (bytes[at] != vectors[i].bytes[at])
                fail_msg("%s: byte %u is %02Xh, expected %02Xh", vectors[i].figure, at, bytes[at],
                         vectors[i].bytes[at]);
        fuzz_input("iscsi_pdu", bytes, sizeof bytes);
        assert_true(
            iscsi_pdu_decode(&back, vectors[i].bytes, vectors[i].from_initiator, MOST, &fault));
        iscsi_pdu_encode(&back, bytes);
        assert_memory_equal(bytes, vectors[i].bytes, ISCSI_BHS_BYTES);
        assert_int_equal(back.opcode, vectors[i].pdu.opcode);
        assert_int_equal(back.immediate, vectors[i].pdu.immediate);
        assert_int_equal(back.length, vectors[i].pdu.length);
        assert_int_equal(back.itt, vectors[i].pdu.itt);
        assert_int_equal(back.tag, vectors[i].pdu.tag);
        assert_int_equal(back.sn, vectors[i].pdu.sn);
        assert_int_equal(back.expected, vectors[i].pdu.expected);
        assert_int_equal(back.count, vectors[i].pdu.count);
    }
}

/* One byte of a vector is changed. */
static void each_fault_has_its_reason(void **state)
{
    static const struct {
        unsigned vector, at;
        uint8_t value, reason;
        bool other_side;
        const char *why;
    } cases[] = {
        {0, 0, 0x01, 0x05, true, "opcode 01h (byte 0): expected a PDU of a target"},
        {0, 0, 0x0B, 0x05, false, "opcode 0Bh (byte 0): expected a PDU of an initiator"},
        {2, 0, 0x3E, 0x05, false, "opcode 3Eh (byte 0): expected a PDU of a target"},
        {0, 4, 2, 0x09, false, "SCSI Command: TotalAHSLength (byte 4) is 2, expected 0"},
        {1, 5, 5, 0x04, false,
         "SCSI Command: DataSegmentLength (byte 5) is 335872 B, expected at most 262144 B"},
        {7, 7, 1, 0x04, false, "R2T: DataSegmentLength (byte 5) is 1 B, expected at most 0 B"},
        {12, 7, 1, 0x04, false,
         "Logout Request: DataSegmentLength (byte 5) is 1 B, expected at most 0 B"},
        {2, 1, 2, 0x09, false, "SCSI Response: F (byte 1) is 0, expected 1"},
        {15, 1, 0, 0x09, false, "NOP-Out: F (byte 1) is 0, expected 1"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct vector *vector = &vectors[cases[i].vector];
        unsigned char bytes[ISCSI_BHS_BYTES];
        struct iscsi_fault fault = {0};
        struct iscsi_pdu back;
        memcpy(bytes, vector->bytes, sizeof bytes);
        bytes[cases[i].at] = cases[i].value;
        fuzz_input("iscsi_pdu", bytes, sizeof bytes);
        assert_false(iscsi_pdu_decode(&back, bytes, vector->from_initiator != cases[i].other_side,
                                      MOST, &fault));
        assert_string_equal(fault.why, cases[i].why);
        assert_int_equal(fault.reason, cases[i].reason);
    }
    assert_string_equal(iscsi_pdu_name(0x3E), "PDU of an unknown opcode");
}

/* RFC 1982: 2^32 - 1 is before 0. */
static void sequence_numbers_wrap(void **state)
{
    (void)state;
    assert_int_equal(iscsi_apart(0, UINT32_MAX), 1);
    assert_int_equal(iscsi_apart(UINT32_MAX, 0), -1);
    assert_int_equal(iscsi_apart(5, 5), 0);
    for (uint32_t length = 0; length < 9; length++)
        assert_int_equal((length + iscsi_pad(length)) % 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pdu_has_its_bytes_and_is_read_back),
        cmocka_unit_test(each_fault_has_its_reason),
        cmocka_unit_test(sequence_numbers_wrap),
    };
    return cmocka_run_group_tests_name("iscsi_bhs", tests, NULL, NULL);
}
