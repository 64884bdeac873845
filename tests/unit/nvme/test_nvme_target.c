/* SPDX-License-Identifier: Apache-2.0
 * The target against hosts that do it wrong. */
#include "tests/unit/nvme/raw_host.h"

#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { DNR = NVME_STATUS_DNR };

static struct raw_host raw;

static void connection_requests(void **state)
{
    (void)state;
    static const struct {
        uint8_t length;
        uint16_t words[4]; /* format, QID, HRQSIZE, HSQSIZE */
        uint16_t sts;      /* 0: accepted */
    } rows[] = {
        {32, {0, 0, 32, 31}, 0},
        {56, {0, 1, 128, 127}, 0},
        {0, {0}, NVME_CM_INVALID_LENGTH},
        {31, {0, 0, 32, 31}, NVME_CM_INVALID_LENGTH},
        {32, {1, 0, 32, 31}, NVME_CM_INVALID_FORMAT},
        {32, {0, 129, 32, 31}, NVME_CM_INVALID_QID},
        {32, {0, 0, 32, 32}, NVME_CM_INVALID_HSQSIZE},
        {32, {0, 1, 128, 128}, NVME_CM_INVALID_HSQSIZE},
        {32, {0, 1, 128, 65535}, NVME_CM_INVALID_HSQSIZE},
        {32, {0, 1, 0, 127}, NVME_CM_INVALID_HRQSIZE},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char bytes[56] = {0};
        for (unsigned k = 0; k < 4; k++)
            wire_put16(bytes + (size_t)2 * k, rows[i].words[k]);
        raw_init(&raw);
        raw_connect(&raw, 0, bytes, rows[i].length);
        assert_int_equal(raw.queues[0].up, rows[i].sts == 0);
        assert_int_equal(raw.queues[0].reject_sts, rows[i].sts);
        assert_int_equal(raw.queues[0].reject, rows[i].sts == 0 ? 0 : NVME_CM_REJECT_REASON);
        if (rows[i].sts == 0)
            assert_int_equal(raw.queues[0].crqsize, rows[i].words[3] + 1);
        raw_fini(&raw);
    }
}

static void refused_connects_say_where(void **state)
{
    (void)state;
    const uint16_t bad = NVME_STATUS_CONNECT_PARAMETERS | NVME_STATUS_DNR;
    raw_init(&raw);
    raw_connect_as(&raw, 0, 0, 32);
    struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
    struct raw_queue *queue = &raw.queues[0];

    strcpy(data.subsystem_nqn, "nqn.elsewhere");
    assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 31, &data), bad);
    assert_int_equal(queue->last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_SUBNQN_AT);

    data = raw_identity(7);
    assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 31, &data), bad);
    assert_int_equal(queue->last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_CNTLID_AT);

    data = raw_identity(NVME_CNTLID_DYNAMIC);
    assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 0, &data), bad);
    assert_int_equal(queue->last.result, NVME_CONNECT_SQSIZE_AT);
    assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 32, &data), bad);
    assert_int_equal(queue->last.result, NVME_CONNECT_SQSIZE_AT);
    assert_int_equal(raw_fabrics_connect(&raw, 0, 1, 31, &data), bad);
    assert_int_equal(queue->last.result, NVME_CONNECT_QID_AT);

    assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 31, &data), NVME_STATUS_OK);
    assert_int_equal(queue->last.result, 1);
    assert_int_equal(queue->last.sqhd, 1);

    /* An I/O queue before the controller is enabled, of no controller, of another host. */
    raw_connect_as(&raw, 1, 1, 128);
    data.cntlid = 1;
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data),
                     NVME_STATUS_SEQUENCE | NVME_STATUS_DNR);
    data.cntlid = 2;
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data), bad);
    data.cntlid = 1;
    strcpy(data.host_nqn, "nqn.other");
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data), bad);
    assert_int_equal(raw.queues[1].last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_HOSTNQN_AT);
    raw_fini(&raw);
}

/* Only Connect is understood on a queue without a controller. */
static void nothing_before_connect(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_connect_as(&raw, 0, 1, 128);
    const struct nvme_command read = {
        .opcode = NVME_READ, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
    assert_int_equal(raw_send(&raw, 0, &read, 0), NVME_STATUS_SEQUENCE | NVME_STATUS_DNR);
    raw_fini(&raw);
}

static void bad_commands(void **state)
{
    (void)state;
    enum { SGL = NVME_FLAGS_SGL };
    static const struct {
        uint8_t opcode, flags;
        uint32_t nsid;
        uint8_t sgl_type;
        uint64_t offset; /* in capsule; keyed descriptors name the buffer */
        uint32_t length, behind, cdw10, cdw12;
        uint16_t status;
    } rows[] = {
        {NVME_READ, SGL, 1, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_OK},
        {NVME_READ, 0, 1, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_READ, 0x80, 1, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_READ, SGL | 1, 1, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_READ, SGL, 0, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_INVALID_NAMESPACE | DNR},
        {NVME_READ, SGL, 2, NVME_SGL_KEYED, 0, 4096, 0, 0, 7, NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_READ, SGL, 1025, NVME_SGL_KEYED, 0, 4096, 0, 0, 7,
         NVME_STATUS_INVALID_NAMESPACE | DNR},
        {NVME_READ, SGL, 1, NVME_SGL_KEYED, 0, 4096, 0, 0, 8, NVME_STATUS_SGL_LENGTH | DNR},
        {NVME_READ, SGL, 1, NVME_SGL_KEYED, 0, 0, 0, 0, 0, NVME_STATUS_SGL_LENGTH | DNR},
        {NVME_READ, SGL, 1, NVME_SGL_KEYED, 0, 2 << 20, 0, 0, 4095,
         NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_READ, SGL, 1, 0x41, 0, 4096, 0, 0, 7, NVME_STATUS_SGL_TYPE | DNR},
        {NVME_READ, SGL, 1, 0x00, 0, 4096, 0, 0, 7, NVME_STATUS_SGL_TYPE | DNR},
        {NVME_READ, SGL, 1, 0x20, 0, 4096, 0, 0, 7, NVME_STATUS_SGL_TYPE | DNR},
        {NVME_READ, SGL, 1, NVME_SGL_IN_CAPSULE, 0, 4096, 4096, 0, 7,
         NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, 0, 4096, 4096, 0, 7, NVME_STATUS_OK},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, 512, 3584, 4096, 0, 6, NVME_STATUS_OK},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, 1, 4096, 4096, 0, 7,
         NVME_STATUS_SGL_OFFSET | DNR},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, UINT64_MAX, 2, 4096, 0, 7,
         NVME_STATUS_SGL_OFFSET | DNR},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, 0, 4096, 512, 0, 7, NVME_STATUS_SGL_OFFSET | DNR},
        {NVME_WRITE, SGL, 1, NVME_SGL_IN_CAPSULE, 0, 512, 512, 0, 7, NVME_STATUS_SGL_LENGTH | DNR},
        {NVME_WRITE, SGL, 1, NVME_SGL_KEYED, 0, 512, 0, UINT32_MAX, 0, NVME_STATUS_LBA_RANGE | DNR},
        {NVME_FLUSH, SGL, 1, NVME_SGL_KEYED, 0, 0, 0, 0, 0, NVME_STATUS_OK},
        {NVME_FLUSH, SGL, 1, NVME_SGL_KEYED, 0, 512, 0, 0, 0, NVME_STATUS_SGL_LENGTH | DNR},
        {0x06, SGL, 1, NVME_SGL_KEYED, 0, 512, 0, 0, 0, NVME_STATUS_INVALID_OPCODE | DNR},
        {NVME_DATASET, SGL, 1, NVME_SGL_KEYED, 0, 512, 0, 32, 0, NVME_STATUS_SGL_LENGTH | DNR},
        {NVME_DATASET, SGL, 1, NVME_SGL_IN_CAPSULE, 0, 512, 512, 0, 0,
         NVME_STATUS_INVALID_FIELD | DNR},
        {NVME_FABRICS, SGL, NVME_FCTYPE_CONNECT, NVME_SGL_KEYED, 0, 1024, 0, 1 << 16, 0,
         NVME_STATUS_SEQUENCE | DNR},
    };
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool capsule = rows[i].sgl_type == NVME_SGL_IN_CAPSULE;
        const struct nvme_command command = {
            .opcode = rows[i].opcode,
            .flags = rows[i].flags,
            .cid = (uint16_t)(0xA000 + i),
            .nsid = rows[i].nsid,
            .sgl = {capsule ? rows[i].offset : raw.buffer->addr, rows[i].length,
                    capsule ? 0 : raw.buffer->rkey, rows[i].sgl_type},
            .cdw10 = rows[i].cdw10,
            .cdw12 = rows[i].cdw12,
        };
        assert_int_equal(raw_send(&raw, 1, &command, rows[i].behind), rows[i].status);
        assert_int_equal(raw.queues[1].last.cid, 0xA000 + i);
        assert_int_equal(raw.queues[1].last.sqhd, i + 2); /* the Connect was the first */
    }
    assert_false(raw.queues[1].down);
    raw_fini(&raw);
}

static const struct {
    uint8_t opcode;
    uint32_t nsid, length, cdw10, cdw11;
    uint16_t status;
    uint64_t result;
} admin_rows[] = {
    {NVME_FABRICS, NVME_FCTYPE_GET, 0, 1, NVME_PROPERTY_CAP, 0, UINT64_C(0x8200F01007F)},
    {NVME_FABRICS, NVME_FCTYPE_GET, 0, 0, NVME_PROPERTY_VS, 0, 0x10300},
    {NVME_FABRICS, NVME_FCTYPE_GET, 0, 0, NVME_PROPERTY_CSTS, 0, 1},
    {NVME_FABRICS, NVME_FCTYPE_GET, 0, 0, NVME_PROPERTY_CAP, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_FABRICS, NVME_FCTYPE_GET, 0, 0, 0x20, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_FABRICS, NVME_FCTYPE_SET, 0, 1, NVME_PROPERTY_CC, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_FABRICS, 0x08, 0, 0, 0, NVME_STATUS_INVALID_OPCODE | DNR, 0},
    {NVME_ADMIN_IDENTIFY, 0, 4096, NVME_CNS_CONTROLLER, 0, 0, 0},
    {NVME_ADMIN_IDENTIFY, 1, 4096, NVME_CNS_NAMESPACE, 0, 0, 0},
    {NVME_ADMIN_IDENTIFY, 99, 4096, NVME_CNS_NAMESPACE, 0, 0, 0},
    {NVME_ADMIN_IDENTIFY, NVME_NSID_ALL, 4096, NVME_CNS_NAMESPACE, 0,
     NVME_STATUS_INVALID_NAMESPACE | DNR, 0},
    {NVME_ADMIN_IDENTIFY, NVME_NSID_ALL, 4096, NVME_CNS_ACTIVE_LIST, 0,
     NVME_STATUS_INVALID_NAMESPACE | DNR, 0},
    {NVME_ADMIN_IDENTIFY, 1, 4096, NVME_CNS_ACTIVE_LIST, 0, 0, 0},
    {NVME_ADMIN_IDENTIFY, 99, 4096, NVME_CNS_DESCRIPTORS, 0, NVME_STATUS_INVALID_NAMESPACE | DNR,
     0},
    {NVME_ADMIN_IDENTIFY, 0, 4096, 0x20, 0, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_ADMIN_IDENTIFY, 0, 512, NVME_CNS_CONTROLLER, 0, NVME_STATUS_SGL_LENGTH | DNR, 0},
    {NVME_ADMIN_IDENTIFY, 0, 32 << 10, NVME_CNS_CONTROLLER, 0, NVME_STATUS_SGL_LENGTH | DNR, 0},
    /* Admin data as data of I/O: max-transfer at most, 1 MiB here. */
    {NVME_ADMIN_IDENTIFY, 0, 1 << 20, NVME_CNS_CONTROLLER, 0, NVME_STATUS_SGL_LENGTH | DNR, 0},
    {NVME_ADMIN_IDENTIFY, 0, (1 << 20) + 1, NVME_CNS_CONTROLLER, 0, NVME_STATUS_INVALID_FIELD | DNR,
     0},
    {NVME_ADMIN_GET_LOG, 0, 4, NVME_LOG_ANA, 0, 0, 0},
    {NVME_ADMIN_GET_LOG, 0, 4, NVME_LOG_SMART, 0, 0, 0},
    {NVME_ADMIN_GET_LOG, 0, 512, NVME_LOG_SMART | 127 << 16, 0, 0, 0},
    {NVME_ADMIN_GET_LOG, 0, 4, 0x70, 0, NVME_STATUS_INVALID_LOG_PAGE | DNR, 0},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_QUEUES, 3 << 16 | 3, NVME_STATUS_SEQUENCE | DNR,
     0},
    {NVME_ADMIN_GET_FEATURES, 0, 0, NVME_FEATURE_QUEUES, 0, 0, 0x7F007F},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_QUEUES, 0xFFFF, NVME_STATUS_INVALID_FIELD | DNR,
     0},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_HOST_ID, 0, NVME_STATUS_SEQUENCE | DNR, 0},
    {NVME_ADMIN_GET_FEATURES, 0, 16, NVME_FEATURE_HOST_ID, 1, 0, 0},
    {NVME_ADMIN_GET_FEATURES, 0, 16, NVME_FEATURE_HOST_ID, 0, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_ASYNC_EVENT, 0x900, 0, 0},
    {NVME_ADMIN_GET_FEATURES, 0, 0, NVME_FEATURE_ASYNC_EVENT, 0, 0, 0x900},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_ASYNC_EVENT, 0x1000,
     NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_ADMIN_GET_FEATURES, 0, 0, NVME_FEATURE_WRITE_CACHE, 0, 0, 1},
    {NVME_ADMIN_GET_FEATURES, 0, 0, 0x77, 0, NVME_STATUS_INVALID_FIELD | DNR, 0},
    {NVME_ADMIN_KEEP_ALIVE, 0, 0, 0, 0, NVME_STATUS_KEEP_ALIVE_INVALID, 0},
    {NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_KEEP_ALIVE, 2500, 0, 0},
    {NVME_ADMIN_GET_FEATURES, 0, 0, NVME_FEATURE_KEEP_ALIVE, 0, 0, 3000},
    {NVME_ADMIN_KEEP_ALIVE, 0, 0, 0, 0, 0, 0},
    {NVME_ADMIN_ABORT, 0, 0, 0, 0, 0, 1},
    {0x80, 0, 0, 0, 0, NVME_STATUS_INVALID_OPCODE | DNR, 0},
};

static void admin_commands(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned i = 0; i < sizeof admin_rows / sizeof admin_rows[0]; i++) {
        const struct nvme_command command = {
            .opcode = admin_rows[i].opcode,
            .flags = NVME_FLAGS_SGL,
            .nsid = admin_rows[i].nsid,
            .sgl = {raw.buffer->addr, admin_rows[i].length, raw.buffer->rkey, NVME_SGL_KEYED},
            .cdw10 = admin_rows[i].cdw10,
            .cdw11 = admin_rows[i].cdw11,
        };
        assert_int_equal(raw_send(&raw, 0, &command, 0), admin_rows[i].status);
        assert_int_equal(raw.queues[0].last.result, admin_rows[i].result);
    }
    raw_fini(&raw);
}

/* Event requests are held; one too many is refused. */
static void event_requests_are_held(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    struct nvme_command event = {
        .opcode = NVME_ADMIN_ASYNC_EVENT, .flags = NVME_FLAGS_SGL, .sgl.type = NVME_SGL_KEYED};
    for (; event.cid < 4; event.cid++)
        assert_int_equal(raw_send(&raw, 0, &event, 0), NVME_STATUS_TRANSPORT);
    assert_int_equal(raw_send(&raw, 0, &event, 0), NVME_STATUS_ASYNC_LIMIT | NVME_STATUS_DNR);
    raw_fini(&raw);
}

/* A wrong key, a capsule that is too short or too long end the controller, not the target. */
static void broken_transport_ends_the_controller(void **state)
{
    (void)state;
    static const struct {
        uint32_t capsule, key_change;
    } rows[] = {{63, 0}, {0, 0}, {64 + 4097, 0}, {64, 1}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        raw_init(&raw);
        raw_bring_up(&raw);
        const struct nvme_command write = {
            .opcode = NVME_WRITE,
            .flags = NVME_FLAGS_SGL,
            .nsid = 1,
            .sgl = {raw.buffer->addr, 4096, raw.buffer->rkey + rows[i].key_change, NVME_SGL_KEYED},
            .cdw12 = 7,
        };
        nvme_capsule_encode_command(&write, raw.queues[1].capsule->bytes);
        raw_send_bytes(&raw, 1, rows[i].capsule);
        fake_run(&raw.world, raw.world.now + PS_PER_MS);
        assert_true(raw.queues[0].down && raw.queues[1].down);
        assert_int_equal(nvme_target_stats(raw.target)->queues, 0);
        assert_int_equal(nvme_target_stats(raw.target)->controllers, 0);
        raw_connect_as(&raw, 2, 0, 32); /* and a new host is welcome */
        assert_true(raw.queues[2].up);
        raw_fini(&raw);
    }
}

/* A controller that was enabled wrongly has CSTS.CFS already; a broken capsule still ends it. */
static void a_fatal_controller_can_end(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    const struct nvme_command set = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_SET,
        .sgl.type = NVME_SGL_KEYED,
        .cdw11 = NVME_PROPERTY_CC,
    };
    struct nvme_command enable = set;
    enable.cdw12 = NVME_CC_ENABLE; /* entry sizes of 1 byte */
    const struct nvme_command get = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_GET,
        .sgl.type = NVME_SGL_KEYED,
        .cdw11 = NVME_PROPERTY_CSTS,
    };
    assert_int_equal(raw_send(&raw, 0, &set, 0), NVME_STATUS_OK);
    assert_int_equal(raw_send(&raw, 0, &enable, 0), NVME_STATUS_OK);
    assert_int_equal(raw_send(&raw, 0, &get, 0), NVME_STATUS_OK);
    assert_int_equal(raw.queues[0].last.result, NVME_CSTS_FATAL);
    raw_send_bytes(&raw, 0, 0);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_true(raw.queues[0].down && raw.queues[1].down);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 0);
    raw_fini(&raw);
}

/* More commands than the submission queue has entries: the receives run out, then the host
 * waits; nothing breaks. */
static void a_flood_is_held_back(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    struct raw_queue *queue = &raw.queues[1];
    const struct nvme_command read = {
        .opcode = NVME_READ,
        .flags = NVME_FLAGS_SGL,
        .nsid = 1,
        .sgl = {raw.buffer->addr, 4096, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw12 = 7,
    };
    nvme_capsule_encode_command(&read, queue->capsule->bytes);
    const uint32_t before = queue->answered;
    struct ibv_sge sge = {.addr = queue->capsule->addr, .length = 64, .lkey = queue->capsule->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
    struct ibv_send_wr *bad = NULL;
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(fake_verbs.post_send(queue->conn, &wr, &bad), 0);
    for (unsigned i = 0; i < 1000; i++) {
        fake_run(&raw.world, raw.world.now + PS_PER_US);
        nvme_target_audit(raw.target);
    }
    assert_int_equal(queue->answered - before, 128);
    raw_fini(&raw);
}

/* Base 2.0, 3.3.3.1: the head of a queue of 128 entries goes from 127 to 0; the Connect was its
 * first command. */
static void the_head_wraps(void **state)
{
    (void)state;
    const struct nvme_command flush = {
        .opcode = NVME_FLUSH, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned head = 2; head < 300; head++) {
        assert_int_equal(raw_send(&raw, 1, &flush, 0), NVME_STATUS_OK);
        assert_int_equal(raw.queues[1].last.sqhd, head & 127);
    }
    raw_fini(&raw);
}

/* The host may use the data as soon as it has the response (RDMA transport 1.0, 2.1): all data of
 * a Read go before its response on the same queue pair, whose messages stay in order. */
static void data_go_before_the_response(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    for (uint32_t length = 4096; length <= RAW_BUFFER_BYTES; length += 4096) {
        const struct nvme_command read = {
            .opcode = NVME_READ,
            .flags = NVME_FLAGS_SGL,
            .nsid = 1,
            .cdw12 = length / 512 - 1,
            .sgl = {raw.buffer->addr, length, raw.buffer->rkey, NVME_SGL_KEYED},
        };
        const struct fake_message *at = &raw.world.log[raw.world.logged];
        const struct fake_message *command = at;
        uint32_t written = 0;
        assert_int_equal(raw_send(&raw, 1, &read, 0), NVME_STATUS_OK);
        for (at++; at->opcode == IBV_WR_RDMA_WRITE; at++) {
            assert_int_not_equal(at->from_ip, command->from_ip);
            written += at->length;
        }
        assert_int_equal(written, length);
        assert_int_not_equal(at->from_ip, command->from_ip);
        assert_int_equal(at->length, NVME_CQE_BYTES);
        assert_ptr_equal(at + 1, &raw.world.log[raw.world.logged]);
    }
    raw_fini(&raw);
}

/* Base 2.0, 3.9: the host that is silent for its KATO of 5 s loses its admin queue, its I/O queue
 * and its controller; another host without a KATO keeps what it has. */
static void a_silent_host_loses_all_its_queues(void **state)
{
    (void)state;
    const struct nvme_command kato = {.opcode = NVME_ADMIN_SET_FEATURES,
                                      .flags = NVME_FLAGS_SGL,
                                      .sgl.type = NVME_SGL_KEYED,
                                      .cdw10 = NVME_FEATURE_KEEP_ALIVE,
                                      .cdw11 = 5000};
    raw_init(&raw);
    raw_bring_up(&raw);
    struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
    strcpy(data.host_nqn, "nqn.other");
    raw_connect_as(&raw, 2, 0, 32);
    assert_int_equal(raw_fabrics_connect(&raw, 2, 0, 31, &data), NVME_STATUS_OK);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 2);
    assert_int_equal(nvme_target_stats(raw.target)->queues, 3);
    assert_int_equal(raw_send(&raw, 0, &kato, 0), NVME_STATUS_OK);
    fake_run(&raw.world, raw.world.now + 4900 * PS_PER_MS);
    assert_false(raw.queues[0].down || raw.queues[1].down);
    fake_run(&raw.world, raw.world.now + 5200 * PS_PER_MS);
    assert_true(raw.queues[0].down && raw.queues[1].down);
    assert_false(raw.queues[2].down);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 1);
    assert_int_equal(nvme_target_stats(raw.target)->queues, 1);
    raw_fini(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connection_requests),
        cmocka_unit_test(refused_connects_say_where),
        cmocka_unit_test(nothing_before_connect),
        cmocka_unit_test(bad_commands),
        cmocka_unit_test(admin_commands),
        cmocka_unit_test(event_requests_are_held),
        cmocka_unit_test(broken_transport_ends_the_controller),
        cmocka_unit_test(a_fatal_controller_can_end),
        cmocka_unit_test(a_flood_is_held_back),
        cmocka_unit_test(the_head_wraps),
        cmocka_unit_test(data_go_before_the_response),
        cmocka_unit_test(a_silent_host_loses_all_its_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
