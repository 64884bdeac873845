/* SPDX-License-Identifier: Apache-2.0
 * Log pages: that of discovery byte by byte, in parts, what its controller refuses; errors. */
#include "nvme/wire/discovery.h"
#include "nvme/wire/identify.h"
#include "nvme/wire/wire.h"
#include "tests/unit/nvme/raw_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { DNR = NVME_STATUS_DNR, RECORD = NVME_DISCOVERY_BYTES, PAGE = 3 * NVME_DISCOVERY_BYTES };

static struct raw_host raw;

static uint16_t enable(uint32_t cc)
{
    const struct nvme_command command = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_SET,
        .sgl.type = NVME_SGL_KEYED,
        .cdw11 = NVME_PROPERTY_CC,
        .cdw12 = cc,
    };
    return raw_send(&raw, 0, &command, 0);
}

static void begin(void)
{
    raw_init(&raw);
    raw_bring_up_discovery(&raw);
}

static uint16_t admin(uint8_t opcode, uint32_t length, uint32_t cdw10, uint32_t cdw11)
{
    const struct nvme_command command = {
        .opcode = opcode,
        .flags = NVME_FLAGS_SGL,
        .sgl = {raw.buffer->addr, length, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = cdw10,
        .cdw11 = cdw11,
    };
    return raw_send(&raw, 0, &command, 0);
}

static uint16_t get_log(uint8_t id, uint32_t length, uint64_t offset)
{
    const struct nvme_command command = {
        .opcode = NVME_ADMIN_GET_LOG,
        .flags = NVME_FLAGS_SGL,
        .sgl = {raw.buffer->addr, length, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = (length / 4 - 1) << 16 | id,
        .cdw12 = (uint32_t)offset,
        .cdw13 = (uint32_t)(offset >> 32),
    };
    memset(raw.buffer->bytes, 0xEE, RAW_BUFFER_BYTES);
    return raw_send(&raw, 0, &command, 0);
}

/* Fabrics 1.1, section 5.3: offsets written out, not taken from the code. */
static void expect_record(const unsigned char *bytes, uint8_t subtype, const char *nqn)
{
    unsigned char expected[RECORD] = {0};
    expected[0] = 1; /* RDMA */
    expected[1] = 1; /* IPv4 */
    expected[2] = subtype;
    expected[3] = 2; /* secure channel not required */
    expected[4] = 1; /* port */
    expected[6] = expected[7] = 0xFF;
    expected[8] = 32;
    memcpy(expected + 32, "4420", 4);
    memcpy(expected + 256, nqn, strlen(nqn));
    memcpy(expected + 512, "0.0.0.1", 7); /* the address of the fake target */
    expected[768] = expected[769] = expected[770] = 1;
    assert_memory_equal(bytes, expected, RECORD);
}

static void the_page_byte_by_byte(void **state)
{
    (void)state;
    begin();
    assert_int_equal(get_log(0x70, PAGE, 0), NVME_STATUS_OK);
    unsigned char header[RECORD] = {0};
    header[0] = 1; /* generation */
    header[8] = 2; /* records */
    assert_memory_equal(raw.buffer->bytes, header, RECORD);
    expect_record(raw.buffer->bytes + RECORD, 3, "nqn.2014-08.org.nvmexpress.discovery");
    expect_record(raw.buffer->bytes + 2 * RECORD, 2, NVME_SUBSYSTEM_NQN);
    struct nvme_discovery_header read;
    struct nvme_discovery_record record;
    nvme_discovery_decode_header(&read, raw.buffer->bytes);
    assert_int_equal(read.generation, 1);
    assert_int_equal(read.records, 2);
    nvme_discovery_decode_record(&record, raw.buffer->bytes + 2 * RECORD);
    assert_string_equal(record.subsystem_nqn, NVME_SUBSYSTEM_NQN);
    assert_string_equal(record.address, "0.0.0.1");
    assert_string_equal(record.service, "4420");
    assert_int_equal(record.subtype, NVME_SUBTYPE_NVM);
    assert_int_equal(record.cntlid, NVME_CNTLID_DYNAMIC);
    raw_fini(&raw);
}

/* nvme-cli reads 16 bytes, then the header, then in pieces of 4 KiB. */
static void the_page_in_parts(void **state)
{
    (void)state;
    static unsigned char whole[PAGE];
    static const uint32_t lengths[] = {4, 16, 1000, 1024, 4096};
    begin();
    assert_int_equal(get_log(0x70, PAGE, 0), NVME_STATUS_OK);
    memcpy(whole, raw.buffer->bytes, PAGE);
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (uint32_t at = 0; at <= PAGE; at += i < 2 ? 252 : lengths[i]) {
            const uint32_t left = PAGE - at, there = left < lengths[i] ? left : lengths[i];
            assert_int_equal(get_log(0x70, lengths[i], at), NVME_STATUS_OK);
            assert_memory_equal(raw.buffer->bytes, whole + at, there);
            for (uint32_t k = there; k < lengths[i]; k++)
                assert_int_equal(raw.buffer->bytes[k], 0);
            assert_int_equal(raw.buffer->bytes[lengths[i]], 0xEE);
        }
    assert_int_equal(get_log(0x70, 16, 2), NVME_STATUS_INVALID_FIELD | DNR);
    assert_int_equal(get_log(0x70, 16, PAGE + 4), NVME_STATUS_INVALID_FIELD | DNR);
    assert_int_equal(get_log(0x70, 16, UINT64_MAX - 3), NVME_STATUS_INVALID_FIELD | DNR);
    raw_fini(&raw);
}

static void what_the_controller_says_it_is(void **state)
{
    (void)state;
    begin();
    assert_int_equal(admin(NVME_ADMIN_IDENTIFY, 4096, NVME_CNS_CONTROLLER, 0), NVME_STATUS_OK);
    struct nvme_identify_controller identify;
    nvme_identify_decode_controller(&identify, raw.buffer->bytes);
    assert_int_equal(raw.buffer->bytes[111], 2); /* discovery controller */
    assert_string_equal(identify.subsystem_nqn, NVME_DISCOVERY_NQN);
    assert_int_equal(identify.lpa, NVME_LPA_PARTS);
    assert_int_equal(identify.namespaces, 0);
    assert_true((identify.sgls & NVME_SGLS_KEYED) != 0);
    raw_fini(&raw);
}

static void what_it_knows_and_refuses(void **state)
{
    (void)state;
    static const struct {
        uint8_t opcode;
        uint32_t length, cdw10, cdw11;
        uint16_t status;
    } rows[] = {
        {NVME_ADMIN_IDENTIFY, 4096, NVME_CNS_NAMESPACE, 0, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_ADMIN_IDENTIFY, 4096, NVME_CNS_ACTIVE_LIST, 0, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_ADMIN_GET_LOG, 512, 127 << 16 | NVME_LOG_SMART, 0,
         NVME_STATUS_INVALID_LOG_PAGE | DNR},
        {NVME_ADMIN_ABORT, 0, 0, 0, NVME_STATUS_INVALID_OPCODE | DNR},
        {0x80, 0, 0, 0, NVME_STATUS_INVALID_OPCODE | DNR},
        {NVME_ADMIN_SET_FEATURES, 0, NVME_FEATURE_QUEUES, 0, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_ADMIN_GET_FEATURES, 0, NVME_FEATURE_WRITE_CACHE, 0, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_ADMIN_GET_FEATURES, 16, NVME_FEATURE_HOST_ID, 1, NVME_STATUS_SGL_LENGTH | DNR},
        {NVME_ADMIN_SET_FEATURES, 0, NVME_FEATURE_ASYNC_EVENT, 1u << 31, NVME_STATUS_OK},
        {NVME_ADMIN_SET_FEATURES, 0, NVME_FEATURE_ASYNC_EVENT, 0x100,
         NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_ADMIN_SET_FEATURES, 0, NVME_FEATURE_KEEP_ALIVE, 30000, NVME_STATUS_OK},
        {NVME_ADMIN_GET_FEATURES, 0, NVME_FEATURE_KEEP_ALIVE, 0, NVME_STATUS_OK},
        {NVME_ADMIN_KEEP_ALIVE, 0, 0, 0, NVME_STATUS_OK},
        {NVME_ADMIN_ASYNC_EVENT, 0, 0, 0, NVME_STATUS_TRANSPORT}, /* held */
    };
    begin();
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(admin(rows[i].opcode, rows[i].length, rows[i].cdw10, rows[i].cdw11),
                         rows[i].status);
    raw_fini(&raw);
}

/* An I/O controller has no discovery page, and its own pages come in parts as well. */
static void the_other_controllers_pages(void **state)
{
    (void)state;
    static unsigned char whole[4096];
    raw_init(&raw);
    raw_bring_up(&raw);
    assert_int_equal(get_log(NVME_LOG_DISCOVERY, 1024, 0), NVME_STATUS_INVALID_LOG_PAGE | DNR);
    assert_int_equal(get_log(NVME_LOG_EFFECTS, 4096, 0), NVME_STATUS_OK);
    memcpy(whole, raw.buffer->bytes, sizeof whole);
    assert_int_equal(wire_get32(whole + 4 * NVME_ADMIN_IDENTIFY), 1);
    assert_int_equal(wire_get32(whole + 1024 + 4 * NVME_READ), 1);
    assert_int_equal(wire_get32(whole + 1024 + 4 * NVME_DATASET), 1);
    assert_int_equal(wire_get32(whole + 1024 + 4 * NVME_COMPARE), 1);
    assert_int_equal(wire_get32(whole + 1024 + 4 * 0x06), 0);
    assert_int_equal(get_log(NVME_LOG_EFFECTS, 2048, 1024), NVME_STATUS_OK);
    assert_memory_equal(raw.buffer->bytes, whole + 1024, 2048);
    assert_int_equal(get_log(NVME_LOG_ERROR, 4096, 4096), NVME_STATUS_OK);
    /* ANA in the pieces of nvme-cli: as long as with every group and namespace. */
    assert_int_equal(get_log(NVME_LOG_ANA, 4096, 0), NVME_STATUS_OK);
    assert_int_equal(wire_get32(raw.buffer->bytes + 48), 1);
    assert_int_equal(get_log(NVME_LOG_ANA, 16, 8192), NVME_STATUS_OK);
    assert_int_equal(wire_get32(raw.buffer->bytes), 0);
    assert_int_equal(get_log(NVME_LOG_ANA, 16, 8212), NVME_STATUS_INVALID_FIELD | DNR);
    assert_int_equal(get_log(NVME_LOG_ERROR, 4096, 8196), NVME_STATUS_INVALID_FIELD | DNR);
    raw_fini(&raw);
}

/* Base 5.14.1.1: entries of 64 bytes, the newest first; as many as ELPE says. */
static void errors_are_remembered(void **state)
{
    (void)state;
    enum { ENTRIES = 128, COMMANDS = 130 };
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned i = 0; i < COMMANDS; i++) {
        const struct nvme_command read = {
            .opcode = NVME_READ,
            .flags = NVME_FLAGS_SGL,
            .cid = (uint16_t)(i + 1),
            .nsid = 1,
            .sgl = {raw.buffer->addr, 512, raw.buffer->rkey, NVME_SGL_KEYED},
            .cdw11 = 0x1000 + i,
        };
        assert_int_equal(raw_send(&raw, 1, &read, 0), NVME_STATUS_LBA_RANGE | DNR);
    }
    assert_int_equal(get_log(NVME_LOG_ERROR, 64 * ENTRIES, 0), NVME_STATUS_OK);
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned char expected[64] = {0};
        const unsigned number = COMMANDS - i;
        expected[0] = (unsigned char)number;
        expected[8] = 1; /* queue */
        expected[10] = (unsigned char)number;
        expected[13] = 0x81; /* 4080h above the phase bit */
        expected[14] = expected[15] = 0xFF;
        expected[20] = (unsigned char)(number - 1);
        expected[21] = 0x10;
        expected[24] = 1; /* namespace */
        expected[29] = 1; /* RDMA */
        assert_memory_equal(raw.buffer->bytes + (size_t)64 * i, expected, 64);
    }
    assert_int_equal(get_log(NVME_LOG_SMART, 512, 0), NVME_STATUS_OK);
    assert_int_equal(wire_get64(raw.buffer->bytes + 176), COMMANDS);
    raw_fini(&raw);
}

static void it_has_no_io_queues(void **state)
{
    (void)state;
    begin();
    struct nvme_connect_data data = raw_identity(1);
    strcpy(data.subsystem_nqn, NVME_DISCOVERY_NQN);
    raw_connect_as(&raw, 1, 1, 128);
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data),
                     NVME_STATUS_CONNECT_PARAMETERS | DNR);
    assert_int_equal(raw.queues[1].last.result, NVME_CONNECT_QID_AT);
    data = raw_identity(1); /* nor is it a controller of the other subsystem */
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data),
                     NVME_STATUS_CONNECT_PARAMETERS | DNR);
    assert_int_equal(raw.queues[1].last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_CNTLID_AT);
    raw_fini(&raw);
}

/* Linux connects without a keep-alive time: 120 s count; every command begins them anew. */
static void it_ends_when_nobody_asks(void **state)
{
    (void)state;
    begin();
    fake_run(&raw.world, raw.world.now + 100 * PS_PER_S);
    assert_int_equal(get_log(0x70, 1024, 0), NVME_STATUS_OK);
    fake_run(&raw.world, raw.world.now + 110 * PS_PER_S);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 1);
    fake_run(&raw.world, raw.world.now + 150 * PS_PER_S);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 0);
    assert_true(raw.queues[0].down);
    raw_fini(&raw);
}

static void sizes_of_io_entries_do_not_matter(void **state)
{
    (void)state;
    begin();
    assert_int_equal(enable(0), NVME_STATUS_OK);
    assert_int_equal(enable(NVME_CC_ENABLE), NVME_STATUS_OK);
    assert_int_equal(get_log(0x70, 1024, 0), NVME_STATUS_OK);
    raw_fini(&raw);
}

/* Texts without an end, as a hostile target would send them. */
static void any_bytes_decode(void **state)
{
    (void)state;
    unsigned char bytes[RECORD], back[RECORD];
    struct nvme_discovery_record record;
    memset(bytes, 'x', sizeof bytes);
    nvme_discovery_decode_record(&record, bytes);
    assert_int_equal(strlen(record.service), 32);
    assert_int_equal(strlen(record.address), 256);
    assert_int_equal(strlen(record.subsystem_nqn), 256);
    nvme_discovery_encode_record(&record, back);
    assert_memory_equal(back + 256, bytes + 256, 512);
    assert_int_equal(wire_get16(back + 8), 'x' << 8 | 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_byte_by_byte),
        cmocka_unit_test(the_page_in_parts),
        cmocka_unit_test(what_the_controller_says_it_is),
        cmocka_unit_test(what_it_knows_and_refuses),
        cmocka_unit_test(the_other_controllers_pages),
        cmocka_unit_test(errors_are_remembered),
        cmocka_unit_test(it_has_no_io_queues),
        cmocka_unit_test(it_ends_when_nobody_asks),
        cmocka_unit_test(sizes_of_io_entries_do_not_matter),
        cmocka_unit_test(any_bytes_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
