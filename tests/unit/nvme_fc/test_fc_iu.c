/* SPDX-License-Identifier: Apache-2.0
 * Information units and link services of NVMe over Fibre Channel, and the header of a frame,
 * against bytes by hand: sizes and offsets of Linux include/linux/nvme-fc.h. */
#include "fc/fc_frame.h"
#include "nvme/fc/fc_iu.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void a_command_has_96_bytes(void **state)
{
    struct fc_command command = {.flags = FC_COMMAND_READ,
                                 .connection = UINT64_C(0x0102030405060708),
                                 .csn = 0x11121314,
                                 .length = 0x21222324};
    struct fc_command back;
    unsigned char bytes[FC_COMMAND_BYTES];
    static const unsigned char head[24] = {0xFD, 0x28, 0,    24,   0,    0,    0,    2,
                                           1,    2,    3,    4,    5,    6,    7,    8,
                                           0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24};
    (void)state;
    for (unsigned i = 0; i < NVME_SQE_BYTES; i++)
        command.sqe[i] = (unsigned char)(i + 1);
    fc_command_encode(&command, bytes);
    fuzz_input("fc_unit", bytes, sizeof bytes);
    assert_memory_equal(bytes, head, sizeof head);
    assert_memory_equal(bytes + 24, command.sqe, NVME_SQE_BYTES);
    for (unsigned i = 88; i < 96; i++)
        assert_int_equal(bytes[i], 0);
    assert_true(fc_command_decode(&back, bytes, sizeof bytes));
    assert_int_equal(back.flags, command.flags);
    assert_true(back.connection == command.connection);
    assert_int_equal(back.csn, command.csn);
    assert_int_equal(back.length, command.length);
    assert_memory_equal(back.sqe, command.sqe, NVME_SQE_BYTES);
}

static void a_wrong_command_is_refused(void **state)
{
    const struct fc_command command = {.flags = FC_COMMAND_WRITE};
    struct fc_command back;
    unsigned char bytes[FC_COMMAND_BYTES];
    (void)state;
    fc_command_encode(&command, bytes);
    assert_false(fc_command_decode(&back, bytes, sizeof bytes - 1));
    bytes[7] = 3; /* both directions */
    assert_false(fc_command_decode(&back, bytes, sizeof bytes));
    bytes[7] = 1;
    assert_true(fc_command_decode(&back, bytes, sizeof bytes));
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] ^= 1;
        assert_false(fc_command_decode(&back, bytes, sizeof bytes));
        bytes[i] ^= 1;
    }
}

static void responses_have_their_sizes(void **state)
{
    const struct fc_extended extended = {.rsn = 7, .moved = 0x10000, .cqe = {1, 2, 3}};
    struct fc_extended back;
    struct fc_xfer_rdy ready = {0x1000, 0x20000}, ready_back;
    unsigned char bytes[FC_EXTENDED_BYTES];
    (void)state;
    fc_extended_encode(&extended, bytes);
    assert_int_equal(bytes[3], 8); /* words */
    assert_int_equal(bytes[7], 7);
    assert_int_equal(bytes[9], 1);
    assert_int_equal(bytes[16], 1);
    assert_true(fc_extended_decode(&back, bytes, 32));
    assert_int_equal(back.moved, 0x10000);
    assert_false(fc_extended_decode(&back, bytes, 12));
    fc_xfer_rdy_encode(&ready, bytes);
    assert_true(fc_xfer_rdy_decode(&ready_back, bytes, 12));
    assert_int_equal(ready_back.offset, 0x1000);
    assert_int_equal(ready_back.length, 0x20000);
    assert_false(fc_xfer_rdy_decode(&ready_back, bytes, 32));
}

static void link_services_have_their_sizes(void **state)
{
    static const struct {
        struct fc_ls ls;
        uint32_t bytes;
    } rows[] = {
        {{.kind = FC_LS_CREATE_ASSOCIATION, .ersp_ratio = 8, .qid = 0xFFFF, .sqsize = 31}, 1024},
        {{.kind = FC_LS_CREATE_CONNECTION,
          .ersp_ratio = 25,
          .qid = 3,
          .sqsize = 127,
          .association = 0x10000},
         80},
        {{.kind = FC_LS_DISCONNECT, .association = 0x10000}, 48},
        {{.kind = FC_LS_ACCEPT,
          .answers = FC_LS_CREATE_ASSOCIATION,
          .association = 0x10000,
          .connection = 0x10000},
         56},
        {{.kind = FC_LS_ACCEPT, .answers = FC_LS_CREATE_CONNECTION, .connection = 0x10003}, 40},
        {{.kind = FC_LS_ACCEPT, .answers = FC_LS_DISCONNECT}, 24},
        {{.kind = FC_LS_REJECT, .answers = FC_LS_CREATE_CONNECTION, .reason = FC_LS_NO_ASSOCIATION},
         40},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char bytes[FC_LS_MOST];
        struct fc_ls back;
        const uint32_t length = fc_ls_encode(&rows[i].ls, bytes);
        assert_int_equal(length, rows[i].bytes);
        fuzz_input("fc_unit", bytes, length);
        assert_true(fc_ls_decode(&back, bytes, length));
        assert_int_equal(back.kind, rows[i].ls.kind);
        assert_int_equal(back.answers, rows[i].ls.answers);
        assert_int_equal(back.reason, rows[i].ls.reason);
        assert_int_equal(back.ersp_ratio, rows[i].ls.ersp_ratio);
        assert_int_equal(back.qid, rows[i].ls.qid);
        assert_int_equal(back.sqsize, rows[i].ls.sqsize);
        assert_true(back.association == rows[i].ls.association);
        assert_true(back.connection == rows[i].ls.connection);
        for (uint32_t cut = 0; cut < length; cut++)
            assert_false(fc_ls_decode(&back, bytes, cut));
    }
}

static void a_header_has_24_bytes(void **state)
{
    const struct fc_header header = {.r_ctl = 6,
                                     .type = 8,
                                     .seq_id = 9,
                                     .destination = 0x010100,
                                     .source = 0x010000,
                                     .f_ctl = 0x290000,
                                     .seq_cnt = 0x0203,
                                     .ox_id = 0x1122,
                                     .rx_id = 0xFFFF,
                                     .parameter = 0x800};
    static const unsigned char expected[24] = {6, 1, 1, 0, 0,    1,    0,    0,    8, 0x29, 0, 0,
                                               9, 0, 2, 3, 0x11, 0x22, 0xFF, 0xFF, 0, 0,    8, 0};
    unsigned char bytes[FC_HEADER_BYTES];
    struct fc_header back;
    struct frame frame = {.source = 0, .destination = 1, .blob = POOL_NONE};
    (void)state;
    fc_header_encode(&header, bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_true(fc_header_decode(&back, bytes, sizeof bytes));
    fc_header_store(&back, &frame);
    const struct fc_header again = fc_header_of(&frame);
    fc_header_encode(&again, bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_false(fc_header_decode(&back, bytes, 23));
    assert_int_equal(fc_frame_bytes(0), 36);
    assert_int_equal(fc_frame_bytes(2112), 2148);
    assert_int_equal(fc_frame_bytes(96), 132);
    assert_int_equal(fc_frame_bytes(13), 52);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_has_96_bytes),
        cmocka_unit_test(a_wrong_command_is_refused),
        cmocka_unit_test(responses_have_their_sizes),
        cmocka_unit_test(link_services_have_their_sizes),
        cmocka_unit_test(a_header_has_24_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
