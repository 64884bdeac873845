/* SPDX-License-Identifier: Apache-2.0
 * Bytes on the wire against a capture of two Linux 6.1 machines.
 * The expected bytes are what a Linux nvme-rdma host and an nvmet-rdma target sent each other. */
#include "tests/unit/nvme/nvme_pair.h"

#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/identify.h"
#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void from_hex(const char *hex, unsigned char *bytes)
{
    for (size_t i = 0; hex[2 * i] != '\0'; i++) {
        unsigned value = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
        bytes[i] = (unsigned char)value;
    }
}

/* ---- single capsules, built field by field ---- */

static const struct {
    const char *hex;
    struct nvme_command command;
} commands[] = {
    {"7f4000000100000000000000000000000000000000000000008471026af529ff"
     "000400ae0300004f000000001f00000088130000000000000000000000000000",
     {.opcode = NVME_FABRICS,
      .flags = NVME_FLAGS_SGL,
      .nsid = NVME_FCTYPE_CONNECT,
      .sgl = {0xFF29F56A02718400, 1024, 0x3AE, NVME_SGL_KEYED_INVALIDATE},
      .cdw11 = 31,
      .cdw12 = 5000}},
    {"7f40000001000000000000000000000000000000000000000000000000000000"
     "0004000000000001000001007f00000000000000000000000000000000000000",
     {.opcode = NVME_FABRICS,
      .flags = NVME_FLAGS_SGL,
      .nsid = NVME_FCTYPE_CONNECT,
      .sgl = {0, 1024, 0, NVME_SGL_IN_CAPSULE},
      .cdw10 = 1 << 16,
      .cdw11 = 127}},
    {"024015000100000000000000000000000000000000000000009048086af529ff"
     "000002c32300004f0000000000000000ff000000000000000000000000000000",
     {.opcode = NVME_READ,
      .flags = NVME_FLAGS_SGL,
      .cid = 0x15,
      .nsid = 1,
      .sgl = {0xFF29F56A08489000, 131072, 0x23C3, NVME_SGL_KEYED_INVALIDATE},
      .cdw12 = 255}},
    {"0140160001000000000000000000000000000000000000000000000000000000"
     "0010000000000001000000000000000007000000000000000000000000000000",
     {.opcode = NVME_WRITE,
      .flags = NVME_FLAGS_SGL,
      .cid = 0x16,
      .nsid = 1,
      .sgl = {0, 4096, 0, NVME_SGL_IN_CAPSULE},
      .cdw12 = 7}},
    {"02401100ffffffff00000000000000000000000000000000008810136af529ff"
     "000200b20300004f02007f000000000000000000000000000000000000000000",
     {.opcode = NVME_ADMIN_GET_LOG,
      .flags = NVME_FLAGS_SGL,
      .cid = 0x11,
      .nsid = NVME_NSID_ALL,
      .sgl = {0xFF29F56A13108800, 512, 0x3B2, NVME_SGL_KEYED_INVALIDATE},
      .cdw10 = 127 << 16 | NVME_LOG_SMART}},
};

static void commands_encode_and_decode(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        unsigned char expected[NVME_SQE_BYTES], bytes[NVME_SQE_BYTES];
        from_hex(commands[i].hex, expected);
        nvme_capsule_encode_command(&commands[i].command, bytes);
        assert_memory_equal(bytes, expected, NVME_SQE_BYTES);
        struct nvme_command back;
        nvme_capsule_decode_command(&back, bytes);
        nvme_capsule_encode_command(&back, bytes);
        assert_memory_equal(bytes, expected, NVME_SQE_BYTES);
        assert_int_equal(back.sgl.address, commands[i].command.sgl.address);
        assert_int_equal(back.sgl.length, commands[i].command.sgl.length);
        assert_int_equal(back.sgl.key, commands[i].command.sgl.key);
    }
    assert_int_equal(nvme_capsule_log_bytes(&commands[4].command), 512);
    assert_int_equal(nvme_capsule_blocks(&commands[2].command), 256);
}

static void responses_encode_and_decode(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        struct nvme_response response;
    } rows[] = {
        {"01000000000000000100010000000000", {.result = 1, .sqhd = 1, .sqid = 1}},
        {"7f00000f200800000200000001000000",
         {.result = UINT64_C(0x8200F00007F), .sqhd = 2, .cid = 1}},
        {"00000000000000000800010017000000", {.sqhd = 8, .sqid = 1, .cid = 0x17}},
        {"00000000000000000300010002000081",
         {.sqhd = 3, .sqid = 1, .cid = 2, .status = NVME_STATUS_LBA_RANGE | NVME_STATUS_DNR}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char expected[NVME_CQE_BYTES], bytes[NVME_CQE_BYTES];
        struct nvme_response back;
        from_hex(rows[i].hex, expected);
        nvme_capsule_encode_response(&rows[i].response, bytes);
        assert_memory_equal(bytes, expected, NVME_CQE_BYTES);
        nvme_capsule_decode_response(&back, expected);
        assert_int_equal(back.result, rows[i].response.result);
        assert_int_equal(back.sqhd, rows[i].response.sqhd);
        assert_int_equal(back.sqid, rows[i].response.sqid);
        assert_int_equal(back.cid, rows[i].response.cid);
        assert_int_equal(back.status, rows[i].response.status);
    }
}

/* Any capsule survives a round trip as far as its fields go: unused bytes become 0. */
static void any_command_survives(void **state)
{
    (void)state;
    struct rng rng = rng_stream(1, "test", "capsules");
    for (unsigned i = 0; i < 10000; i++) {
        unsigned char bytes[NVME_SQE_BYTES], again[NVME_SQE_BYTES];
        for (unsigned k = 0; k < NVME_SQE_BYTES; k += 8)
            wire_put64(bytes + k, rng_next(&rng));
        struct nvme_command command;
        nvme_capsule_decode_command(&command, bytes);
        nvme_capsule_encode_command(&command, again);
        memset(bytes + 8, 0, 16);
        if (bytes[39] >> 4 != 4)
            memset(bytes + 36, 0, 3); /* reserved in an unkeyed descriptor */
        assert_memory_equal(bytes, again, NVME_SQE_BYTES);
    }
}

/* ---- private data of the connection, Connect data ---- */

static void private_data(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        struct nvme_cm_request request;
        uint16_t crqsize;
    } rows[] = {
        {"0000000020001f00", {.qid = 0, .hrqsize = 32, .hsqsize = 31}, 32},
        {"0000010080007f00", {.qid = 1, .hrqsize = 128, .hsqsize = 127}, 128},
    };
    for (unsigned i = 0; i < 2; i++) {
        unsigned char expected[NVME_CM_REQUEST_BYTES] = {0}, bytes[NVME_CM_REQUEST_BYTES];
        struct nvme_cm_request back;
        from_hex(rows[i].hex, expected);
        nvme_fabrics_encode_request(&rows[i].request, bytes);
        assert_memory_equal(bytes, expected, NVME_CM_REQUEST_BYTES);
        assert_true(
            nvme_fabrics_decode_request(&back, bytes, 56)); /* RoCE reports the whole field */
        assert_int_equal(back.hrqsize, rows[i].request.hrqsize);
        assert_false(nvme_fabrics_decode_request(&back, bytes, 31));
        assert_false(nvme_fabrics_decode_request(&back, NULL, 0));
        nvme_fabrics_encode_accept(rows[i].crqsize, bytes);
        assert_int_equal(wire_get16(bytes), 0);
        assert_int_equal(wire_get16(bytes + 2), rows[i].crqsize);
    }
}

static void connect_data(void **state)
{
    (void)state;
    struct nvme_connect_data data = {
        .cntlid = NVME_CNTLID_DYNAMIC,
        .subsystem_nqn = "nqn.test",
        .host_nqn = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000000",
    };
    unsigned char bytes[NVME_CONNECT_BYTES], expected[NVME_CONNECT_BYTES] = {0};
    from_hex("a890df925dca466c95ddd92612cf56e3ffff", expected);
    from_hex("6e716e2e74657374", expected + 256);
    from_hex("6e716e2e323031342d30382e6f72672e6e766d657870726573733a757569643a"
             "30303030303030302d303030302d303030302d303030302d303030303030303030303030",
             expected + 512);
    memcpy(data.host_id, expected, NVME_HOST_ID_BYTES);
    nvme_fabrics_encode_connect(&data, bytes);
    assert_memory_equal(bytes, expected, NVME_CONNECT_BYTES);
    struct nvme_connect_data back;
    assert_true(nvme_fabrics_decode_connect(&back, bytes));
    assert_string_equal(back.host_nqn, data.host_nqn);
    memset(bytes + 256, 'x', 256);
    assert_false(nvme_fabrics_decode_connect(&back, bytes));
}

/* The lines of nvmet's Identify data that are not zero. */
static void identify_data(void **state)
{
    (void)state;
    static const struct {
        unsigned at;
        const char *hex;
    } rows[] = {
        {0, "000000003831306638353031396162393935383530"},
        {64, "362e312e302d3536060000000b080100"},
        {80, "00030100000000000000000000090000"},
        {96, "41000000000000000000000000000001"},
        {256, "0000030303077f00"},
        {320, "0a00"},
        {342, "0a1f8000000080000000"},
        {512, "66440004000400000000000000010000"},
        {528, "00000000000000000500100000040000"},
        {768, "6e716e2e74657374"},
        {1792, "04010000010000000000000100000000"},
    };
    unsigned char bytes[NVME_IDENTIFY_BYTES] = {0}, again[NVME_IDENTIFY_BYTES];
    memset(bytes + 24, ' ', 40);
    memcpy(bytes + 24, "Linux", 5);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        from_hex(rows[i].hex, bytes + rows[i].at);
    memset(bytes + 21, ' ', 3); /* the serial number has 20 characters, padded with blanks */
    struct nvme_identify_controller c;
    nvme_identify_decode_controller(&c, bytes);
    assert_string_equal(c.model, "Linux");
    assert_string_equal(c.firmware, "6.1.0-56");
    assert_int_equal(c.cntlid, 1);
    assert_int_equal(c.mdts, 8);
    assert_int_equal(c.version, 0x10300);
    assert_int_equal(c.kas, 10);
    assert_int_equal(c.ana_groups, 128);
    assert_int_equal(c.max_commands, 1024);
    assert_int_equal(c.sgls, NVME_SGLS_SUPPORTED | NVME_SGLS_KEYED | NVME_SGLS_OFFSET);
    assert_int_equal(c.ioccsz, 260);
    assert_int_equal(c.msdbd, 1);
    assert_string_equal(c.subsystem_nqn, "nqn.test");
    nvme_identify_encode_controller(&c, again);
    assert_memory_equal(again, bytes, NVME_IDENTIFY_BYTES);
}

static void identify_namespace_data(void **state)
{
    (void)state;
    unsigned char bytes[NVME_IDENTIFY_BYTES] = {0}, again[NVME_IDENTIFY_BYTES];
    from_hex("0000401f000000000000401f000000000000401f000000001200000000000100", bytes);
    from_hex("01000000", bytes + 92);
    from_hex("00000900", bytes + 128);
    struct nvme_identify_namespace ns;
    nvme_identify_decode_namespace(&ns, bytes);
    assert_int_equal(ns.blocks, 0x1F400000);
    assert_int_equal(ns.block_shift, 9);
    nvme_identify_encode_namespace(&ns, again);
    assert_memory_equal(again, bytes, NVME_IDENTIFY_BYTES);
}

/* ---- the whole set-up of a controller, message by message ---- */

enum { H = PAIR_HOST_IP, T = PAIR_TARGET_IP };

static const struct {
    uint32_t from;
    int opcode;
    const char *hex; /* of a capsule */
} setup[] = {
    {H, IBV_WR_SEND,
     "7f4000000100000000000000000000000000000000000000008471026af529ff"
     "000400ae0300004f000000001f00000088130000000000000000000000000000"},
    {T, IBV_WR_RDMA_READ, NULL},
    {T, IBV_WR_SEND_WITH_INV, "01000000000000000100000000000000"},
    {H, IBV_WR_SEND,
     "7f40010004000000000000000000000000000000000000000000000000000000"
     "0000000000000040010000000000000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "7f00000f200800000200000001000000"},
    {H, IBV_WR_SEND,
     "7f40001000000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000001400000060004600000000000000000000000000"},
    {T, IBV_WR_SEND, "00000000000000000300000000100000"},
    {H, IBV_WR_SEND,
     "7f40011004000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000001400000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "60004600000000000400000001100000"},
    {H, IBV_WR_SEND,
     "7f40002004000000000000000000000000000000000000000000000000000000"
     "0000000000000040010000000000000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "7f00000f200800000500000000200000"},
    {H, IBV_WR_SEND,
     "7f40012000000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000001400000061004600000000000000000000000000"},
    {T, IBV_WR_SEND, "00000000000000000600000001200000"},
    {H, IBV_WR_SEND,
     "7f40003004000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000001c00000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "01000000000000000700000000300000"},
    {H, IBV_WR_SEND,
     "7f40013004000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000000800000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "00030100000000000800000001300000"},
    {H, IBV_WR_SEND,
     "06400e0000000000000000000000000000000000000000000060a3086af529ff"
     "001000af0300004f010000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "0000000000000000090000000e000000"},
    {H, IBV_WR_SEND,
     "02400f0000000000000000000000000000000000000000000020a3086af529ff"
     "001000b00300004f0500ff030000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000000a0000000f000000"},
    {H, IBV_WR_SEND,
     "02401000ffffffff0000000000000000000000000000000000c091086af529ff"
     "102000b10300004f0c0003080000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000000b00000010000000"},
    {H, IBV_WR_SEND,
     "02401100ffffffff00000000000000000000000000000000008810136af529ff"
     "000200b20300004f02007f000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000000c00000011000000"},
    {H, IBV_WR_SEND,
     "09400e1000000000000000000000000000000000000000000000000000000000"
     "0000000000000040070000000000000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "7f007f00000000000d0000000e100000"},
    {H, IBV_WR_SEND,
     "7f40000001000000000000000000000000000000000000000000000000000000"
     "0004000000000001000001007f00000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "01000000000000000100010000000000"},
    {H, IBV_WR_SEND,
     "09400f1000000000000000000000000000000000000000000000000000000000"
     "00000000000000400b0000000009000000000000000000000000000000000000"},
    {T, IBV_WR_SEND, "00090000000000000e0000000f100000"},
    {H, IBV_WR_SEND,
     "0c401f0000000000000000000000000000000000000000000000000000000000"
     "0000000000000040000000000000000000000000000000000000000000000000"},
    {H, IBV_WR_SEND,
     "0640101000000000000000000000000000000000000000000020b7086af529ff"
     "001000b30300004f060000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000000f00000010100000"},
    {H, IBV_WR_SEND,
     "0640111000000000000000000000000000000000000000000020b7086af529ff"
     "001000b40300004f020000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000001000000011100000"},
    {H, IBV_WR_SEND,
     "06400e2001000000000000000000000000000000000000000040b7086af529ff"
     "001000b50300004f030000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "0000000000000000110000000e200000"},
    {H, IBV_WR_SEND,
     "06400f2001000000000000000000000000000000000000000040b7086af529ff"
     "001000b60300004f000000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "0000000000000000120000000f200000"},
    {H, IBV_WR_SEND,
     "0640102001000000000000000000000000000000000000000040b7086af529ff"
     "001000b70300004f000000000000000000000000000000000000000000000000"},
    {T, IBV_WR_RDMA_WRITE, NULL},
    {T, IBV_WR_SEND_WITH_INV, "00000000000000001300000010200000"},
};

/* Linux begins in a random word of the tag bitmap (here: tag 14), the model in the first (tag
 * 2). */
static void move_tag(unsigned char *cid)
{
    if (cid[0] >= 14 && cid[0] < 31)
        cid[0] = (unsigned char)(cid[0] - 12);
}

/* Addresses and keys are the machines' own. */
static void mask(unsigned char *bytes)
{
    memset(bytes + 24, 0, 8);
    memset(bytes + 35, 0, 4);
}

static void set_up_as_linux_does(void **state)
{
    (void)state;
    static struct nvme_pair pair;
    nvme_pair_init(&pair, "null");
    pair.namespace_count = 1;
    pair.target_params.identity = NVME_TARGET_IS_NVMET;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    const unsigned count = sizeof setup / sizeof setup[0];
    assert_int_equal(pair.world.logged, count);
    for (unsigned i = 0; i < count; i++) {
        struct fake_message *message = &pair.world.log[i];
        assert_int_equal(message->from_ip, setup[i].from);
        assert_int_equal(message->opcode, setup[i].opcode);
        if (setup[i].hex == NULL)
            continue;
        unsigned char expected[NVME_SQE_BYTES] = {0};
        from_hex(setup[i].hex, expected);
        const bool command = setup[i].from == H;
        if (command) {
            mask(expected);
            mask(message->head);
        }
        move_tag(expected + (command ? 2 : 12));
        assert_memory_equal(message->head, expected, command ? NVME_SQE_BYTES : NVME_CQE_BYTES);
    }
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_encode_and_decode),
        cmocka_unit_test(responses_encode_and_decode),
        cmocka_unit_test(any_command_survives),
        cmocka_unit_test(private_data),
        cmocka_unit_test(connect_data),
        cmocka_unit_test(identify_data),
        cmocka_unit_test(identify_namespace_data),
        cmocka_unit_test(set_up_as_linux_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
