/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_tcp_intruder - what a bridge that listens for TCP does with garbage: it ends the
 * connection with the right Fatal Error Status, and goes on serving others. */
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/wire.h"
#include "tests/unit/bridge/tcp_intruder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TERM_AT = 8, FEI_AT = 10, WRITE_BYTES = 16384 };

/* More than twice the guard's patience. */
#define WAIT (1200 * PS_PER_MS)

static const struct nvme_pdu_format plain = {0};

/* ---- what came back ---- */

/* The last whole PDU; NULL: none. */
static const unsigned char *last_pdu(const struct tcp_intruder *intruder, unsigned index)
{
    const struct tcp_intruder_conn *conn = &intruder->conns[index];
    const unsigned char *last = NULL;
    for (size_t at = 0; at + NVME_PDU_COMMON_BYTES <= conn->answered;) {
        const uint32_t length = wire_get32(conn->answer + at + 4);
        if (length < NVME_PDU_COMMON_BYTES || at + length > conn->answered)
            break;
        last = conn->answer + at;
        at += length;
    }
    return last;
}

/* C2HTermReq with this status and field, then the end of the connection. */
static void assert_terminated(struct tcp_intruder *intruder, unsigned index, uint16_t fes,
                              uint32_t fei, const char *why)
{
    const unsigned char *pdu = last_pdu(intruder, index);
    assert_non_null(pdu);
    assert_int_equal(pdu[0], NVME_PDU_C2H_TERM);
    if (wire_get16(pdu + TERM_AT) != fes || wire_get32(pdu + FEI_AT) != fei ||
        strstr(intruder->refused, why) == NULL)
        print_message("FES %u FEI %u: %s\n", wire_get16(pdu + TERM_AT), wire_get32(pdu + FEI_AT),
                      intruder->refused);
    assert_int_equal(wire_get16(pdu + TERM_AT), fes);
    assert_int_equal(wire_get32(pdu + FEI_AT), fei);
    assert_non_null(strstr(intruder->refused, why));
    for (unsigned i = 0; i < 100 && !intruder->conns[index].ended; i++)
        tcp_intruder_run(intruder, PS_PER_MS);
    assert_true(intruder->conns[index].ended);
}

static uint16_t response_status(const struct tcp_intruder *intruder, unsigned index,
                                uint64_t *result)
{
    struct nvme_response response;
    const unsigned char *pdu = last_pdu(intruder, index);
    assert_non_null(pdu);
    assert_int_equal(pdu[0], NVME_PDU_RESPONSE);
    nvme_capsule_decode_response(&response, pdu + NVME_PDU_COMMON_BYTES);
    *result = response.result;
    return response.status;
}

/* ---- single headers ---- */

struct bad_header {
    bool begun;      /* after ICReq */
    uint8_t digests; /* that ICReq asked for */
    unsigned char bytes[12];
    uint16_t fes;
    uint32_t fei;
    const char *why;
};

static const struct bad_header bad_headers[] = {
    {false, 0, {0x55, 0, 8, 0, 8}, NVME_FES_HEADER_FIELD, 0, "PDU type 55h"},
    {false,
     0,
     {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
     NVME_FES_HEADER_FIELD,
     0,
     "PDU type FFh"},
    {false, 0, {5, 0, 24, 0, 24}, NVME_FES_HEADER_FIELD, 0, "not one that a host sends"},
    {false, 0, {4, 0, 72, 0, 72}, NVME_FES_SEQUENCE, 0, "CapsuleCmd before ICReq"},
    {false, 0, {6, 4, 24, 24, 25}, NVME_FES_SEQUENCE, 0, "H2CData before ICReq"},
    {false, 0, {0, 0, 127, 0, 128}, NVME_FES_HEADER_FIELD, 2, "HLEN 127"},
    {false, 0, {0, 0, 128, 0, 0, 0, 0, 0x80}, NVME_FES_HEADER_FIELD, 4, "PLEN 2147483648"},
    {false, 0, {0, 0, 128, 0, 8}, NVME_FES_HEADER_FIELD, 4, "PLEN 8"},
    {true, 0, {0, 0, 128, 0, 128}, NVME_FES_SEQUENCE, 0, "second ICReq"},
    {true, 0, {4, 1, 72, 0, 76}, NVME_FES_HEADER_FIELD, 1, "digest flags 1h"},
    {true, 3, {4, 0, 72, 0, 72}, NVME_FES_HEADER_FIELD, 1, "digest flags 0h"},
    {true, 0, {4, 0, 72, 71, 100}, NVME_FES_HEADER_FIELD, 3, "PDO 71"},
    {true, 0, {6, 4, 24, 23, 25}, NVME_FES_HEADER_FIELD, 3, "PDO 23"},
    {true, 0, {4, 0, 72, 72, 0xFF, 0xFF, 0xFF, 0xFF, NVME_FABRICS}, NVME_FES_NONE, 0, ""},
    {true, 0, {6, 4, 24, 24, 24}, NVME_FES_HEADER_FIELD, 4, "PLEN 24"},
};

static void send_header(struct tcp_intruder *intruder, const struct bad_header *bad)
{
    unsigned char bytes[NVME_PDU_IC_BYTES] = {0};
    tcp_intruder_connect(intruder, 0, NVME_TCP_PORT);
    if (bad->begun)
        tcp_intruder_begin(intruder, 0, bad->digests);
    memcpy(bytes, bad->bytes, sizeof bad->bytes);
    tcp_intruder_send(intruder, 0, bytes, bad->bytes[2] < 128 ? bad->bytes[2] : sizeof bytes);
}

static void test_headers(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof bad_headers / sizeof bad_headers[0]; i++) {
        const struct bad_header *bad = &bad_headers[i];
        send_header(&intruder, bad);
        if (bad->fes == NVME_FES_NONE) /* 4 GiB: the limit of the queue decides */
            assert_terminated(&intruder, 0, NVME_FES_LIMIT, 0, "expected at most 8192 B");
        else
            assert_terminated(&intruder, 0, bad->fes, bad->fei, bad->why);
    }
    assert_true(intruder.refusals >= sizeof bad_headers / sizeof bad_headers[0]);
    tcp_intruder_close(&intruder);
}

static void test_icreq(void **state)
{
    static const struct {
        struct nvme_pdu pdu;
        uint16_t fes;
        uint32_t fei;
        const char *why;
    } cases[] = {
        {{.type = NVME_PDU_ICREQ, .version = 1}, NVME_FES_PARAMETER, 8, "PFV 1"},
        {{.type = NVME_PDU_ICREQ, .pda = 32}, NVME_FES_HEADER_FIELD, 10, "data alignment 32"},
    };
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
        tcp_intruder_send_pdu(&intruder, 0, &cases[i].pdu, &plain, NULL);
        assert_terminated(&intruder, 0, cases[i].fes, cases[i].fei, cases[i].why);
    }
    tcp_intruder_close(&intruder);
}

/* A wrong header digest ends the connection; a wrong data digest fails the command. */
static void test_digests(void **state)
{
    static const struct nvme_pdu_format both = {true, true, 0};
    const struct nvme_command connect = {
        .opcode = NVME_FABRICS,
        .flags = 0x40,
        .cid = 1,
        .nsid = NVME_FCTYPE_CONNECT,
        .sgl = {.type = NVME_SGL_IN_CAPSULE, .length = NVME_CONNECT_BYTES},
        .cdw11 = 31};
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND, .length = NVME_CONNECT_BYTES};
    unsigned char bytes[NVME_PDU_BEFORE_MAX + NVME_CONNECT_BYTES + NVME_PDU_DIGEST_BYTES] = {0};
    struct tcp_intruder intruder;
    uint64_t result;
    (void)state;
    tcp_intruder_open(&intruder);
    nvme_capsule_encode_command(&connect, pdu.entry);
    const uint32_t before = nvme_pdu_encode(&pdu, &both, bytes);
    /* The reserved bits of DGST are not agreed to. */
    tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
    tcp_intruder_begin(&intruder, 0, 0xFF);
    assert_int_equal(last_pdu(&intruder, 0)[11], NVME_PDU_DGST_HEADER | NVME_PDU_DGST_DATA);
    tcp_intruder_send(&intruder, 0, bytes, before + NVME_CONNECT_BYTES + NVME_PDU_DIGEST_BYTES);
    assert_int_equal(response_status(&intruder, 0, &result), NVME_STATUS_TRANSIENT_TRANSPORT);
    assert_int_equal(intruder.refusals, 0);
    assert_false(intruder.conns[0].ended);
    bytes[NVME_PDU_COMMAND_BYTES] ^= 1; /* of the header digest */
    tcp_intruder_send(&intruder, 0, bytes, before);
    assert_terminated(&intruder, 0, NVME_FES_HEADER_DIGEST,
                      wire_get32(bytes + NVME_PDU_COMMAND_BYTES), "header digest");
    tcp_intruder_close(&intruder);
}

/* A TermReq is never answered by one. */
static void test_a_wrong_termreq(void **state)
{
    static const unsigned char bytes[24] = {NVME_PDU_H2C_TERM, 0, 24, 0, 153};
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
    tcp_intruder_begin(&intruder, 0, 0);
    tcp_intruder_send(&intruder, 0, bytes, sizeof bytes);
    assert_int_equal(last_pdu(&intruder, 0)[0], NVME_PDU_ICRESP);
    assert_true(intruder.conns[0].ended);
    assert_non_null(strstr(intruder.refused, "PLEN 153"));
    tcp_intruder_close(&intruder);
}

/* ---- before Connect ---- */

static void send_connect(struct tcp_intruder *intruder, uint32_t bytes)
{
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND};
    const struct nvme_command connect = {.opcode = NVME_FABRICS,
                                         .flags = 0x40,
                                         .cid = 1,
                                         .nsid = NVME_FCTYPE_CONNECT,
                                         .sgl = {.type = NVME_SGL_TRANSPORT, .length = bytes},
                                         .cdw10 = 1 << 16,
                                         .cdw11 = 31 | NVME_CONNECT_NO_FLOW_CONTROL};
    nvme_capsule_encode_command(&connect, pdu.entry);
    tcp_intruder_send_pdu(intruder, 0, &pdu, &plain, NULL);
}

/* The target takes one command with as much data as a Connect has. */
static void test_before_connect(void **state)
{
    static const unsigned char data[512];
    struct tcp_intruder intruder;
    uint64_t result;
    (void)state;
    tcp_intruder_open(&intruder);
    tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
    tcp_intruder_begin(&intruder, 0, 0);
    send_connect(&intruder, 65536);
    assert_int_equal(response_status(&intruder, 0, &result) & NVME_STATUS_CODE,
                     NVME_STATUS_SGL_LENGTH);
    send_connect(&intruder, NVME_CONNECT_BYTES);
    assert_int_equal(last_pdu(&intruder, 0)[0], NVME_PDU_R2T);
    send_connect(&intruder, NVME_CONNECT_BYTES);
    assert_terminated(&intruder, 0, NVME_FES_SEQUENCE, 0, "the queue is full (outstanding: 1)");
    /* The rejected Connect named an I/O queue, which there is not. */
    const struct nvme_pdu write = {
        .type = NVME_PDU_COMMAND, .length = sizeof data, .entry = {NVME_WRITE}};
    tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
    tcp_intruder_begin(&intruder, 0, 0);
    send_connect(&intruder, 65536);
    tcp_intruder_send_pdu(&intruder, 0, &write, &plain, data);
    assert_terminated(&intruder, 0, NVME_FES_LIMIT, 0, "expected at most 0 B");
    tcp_intruder_close(&intruder);
}

/* ---- after Connect ---- */

static void enable(struct tcp_intruder *intruder)
{
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND};
    const struct nvme_command set = {.opcode = NVME_FABRICS,
                                     .flags = 0x40,
                                     .cid = 2,
                                     .nsid = NVME_FCTYPE_SET,
                                     .sgl = {.type = NVME_SGL_TRANSPORT},
                                     .cdw11 = NVME_PROPERTY_CC,
                                     .cdw12 = NVME_CC_IOSQES | NVME_CC_IOCQES | NVME_CC_ENABLE};
    uint64_t result;
    nvme_capsule_encode_command(&set, pdu.entry);
    tcp_intruder_send_pdu(intruder, 0, &pdu, &plain, NULL);
    assert_int_equal(response_status(intruder, 0, &result), NVME_STATUS_OK);
}

/* An admin queue on connection 0, an I/O queue on connection 1. */
static void join(struct tcp_intruder *intruder)
{
    uint64_t result;
    tcp_intruder_connect(intruder, 0, NVME_TCP_PORT);
    tcp_intruder_begin(intruder, 0, 0);
    tcp_intruder_join(intruder, 0, 0, NVME_CNTLID_DYNAMIC, &plain);
    assert_int_equal(response_status(intruder, 0, &result), NVME_STATUS_OK);
    const uint16_t cntlid = (uint16_t)result;
    enable(intruder);
    tcp_intruder_connect(intruder, 1, NVME_TCP_PORT);
    tcp_intruder_begin(intruder, 1, 0);
    tcp_intruder_join(intruder, 1, 1, cntlid, &plain);
    assert_int_equal(response_status(intruder, 1, &result), NVME_STATUS_OK);
}

static void send_write(struct tcp_intruder *intruder, uint16_t cid, uint32_t bytes)
{
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND};
    const struct nvme_command write = {.opcode = NVME_WRITE,
                                       .flags = 0x40,
                                       .cid = cid,
                                       .nsid = 1,
                                       .sgl = {.type = NVME_SGL_TRANSPORT, .length = bytes},
                                       .cdw12 = bytes / 512 - 1};
    nvme_capsule_encode_command(&write, pdu.entry);
    tcp_intruder_send_pdu(intruder, 1, &pdu, &plain, NULL);
}

static void test_data(void **state)
{
    static const unsigned char data[WRITE_BYTES];
    static const struct {
        struct nvme_pdu pdu;
        uint16_t ttag_off, cid_off; /* from what the R2T named */
        uint16_t fes;
        uint32_t fei;
        const char *why;
    } cases[] = {
        {{.at = 4096, .length = 4096}, 0, 0, NVME_FES_OUT_OF_RANGE, 0, "4096 B at 4096"},
        {{.at = 0xFFFFFFFC, .length = 4096}, 0, 0, NVME_FES_OUT_OF_RANGE, 0, "at 4294967292"},
        {{.length = WRITE_BYTES + 4, .flags = NVME_PDU_LAST},
         0,
         0,
         NVME_FES_OUT_OF_RANGE,
         0,
         "16388 B at 0"},
        {{.length = 8192}, 0, 0, NVME_FES_LIMIT, 0, "MAXH2CDATA is 4096 B"},
        {{.length = 4096, .flags = NVME_PDU_LAST}, 0, 0, NVME_FES_HEADER_FIELD, 1, "LAST_PDU"},
        {{.length = 4096}, 1, 0, NVME_FES_HEADER_FIELD, 10, "has no R2T"},
        {{.length = 4096}, 0x7FFF, 0, NVME_FES_HEADER_FIELD, 10, "has no R2T"},
        {{.length = 4096}, 0, 1, NVME_FES_HEADER_FIELD, 8, "command 004Eh (byte 8)"},
    };
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        join(&intruder);
        send_write(&intruder, 77, WRITE_BYTES);
        const unsigned char *r2t = last_pdu(&intruder, 1);
        assert_int_equal(r2t[0], NVME_PDU_R2T);
        assert_int_equal(wire_get32(r2t + 16), WRITE_BYTES);
        struct nvme_pdu pdu = cases[i].pdu;
        pdu.type = NVME_PDU_H2C_DATA;
        pdu.cid = (uint16_t)(wire_get16(r2t + 8) + cases[i].cid_off);
        pdu.ttag = (uint16_t)(wire_get16(r2t + 10) + cases[i].ttag_off);
        static unsigned char longer[WRITE_BYTES + 4];
        tcp_intruder_send_pdu(&intruder, 1, &pdu, &plain, pdu.length > WRITE_BYTES ? longer : data);
        assert_terminated(&intruder, 1, cases[i].fes, cases[i].fei, cases[i].why);
    }
    tcp_intruder_close(&intruder);
}

/* A size that no namespace has is a status, not the end of the connection. */
static void test_a_wrong_command_is_answered(void **state)
{
    struct tcp_intruder intruder;
    uint64_t result;
    (void)state;
    tcp_intruder_open(&intruder);
    join(&intruder);
    send_write(&intruder, 5, 0xFFFFFE00);
    assert_int_not_equal(response_status(&intruder, 1, &result), NVME_STATUS_OK);
    assert_false(intruder.conns[1].ended);
    tcp_intruder_close(&intruder);
}

/* A command whose buffer exceeds the memory of the guard fails, and the connection stays. */
static void test_memory_is_bounded(void **state)
{
    struct tcp_intruder intruder;
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND};
    const struct nvme_command log = {
        .opcode = NVME_ADMIN_GET_LOG,
        .flags = 0x40,
        .cid = 9,
        .nsid = UINT32_MAX,
        .sgl = {.type = NVME_SGL_TRANSPORT, .length = TCP_INTRUDER_MEMORY},
        .cdw10 = (TCP_INTRUDER_MEMORY / 4 - 1u) % 65536 << 16 | 1,
        .cdw11 = (TCP_INTRUDER_MEMORY / 4 - 1u) / 65536};
    uint64_t result;
    (void)state;
    tcp_intruder_open(&intruder);
    join(&intruder);
    nvme_capsule_encode_command(&log, pdu.entry);
    tcp_intruder_send_pdu(&intruder, 0, &pdu, &plain, NULL);
    assert_int_equal(response_status(&intruder, 0, &result) & NVME_STATUS_CODE,
                     NVME_STATUS_INTERNAL);
    enable(&intruder);
    tcp_intruder_close(&intruder);
}

/* Linux's host closes its I/O queues before it shuts the controller down by the admin queue. */
static void test_an_io_queue_ends_alone(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    join(&intruder);
    tcp_intruder_leave(&intruder, 1, false);
    assert_false(intruder.conns[0].ended);
    enable(&intruder);
    assert_false(intruder.conns[0].ended);
    assert_int_equal(intruder.refusals, 0);
    tcp_intruder_close(&intruder);
}

/* ---- patience and limits ---- */

static void test_silence(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT); /* no ICReq */
    tcp_intruder_connect(&intruder, 1, NVME_TCP_PORT); /* half an ICReq */
    tcp_intruder_send(&intruder, 1, "\0\0\200\0\200\0\0\0", 8);
    tcp_intruder_connect(&intruder, 2, NVME_TCP_PORT); /* no Connect */
    tcp_intruder_begin(&intruder, 2, 0);
    assert_int_equal(intruder.refusals, 0);
    tcp_intruder_run(&intruder, WAIT);
    assert_int_equal(intruder.refusals, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(intruder.conns[i].ended);
    join(&intruder);
    tcp_intruder_run(&intruder, WAIT); /* nothing to wait for */
    assert_int_equal(intruder.refusals, 3);
    assert_false(intruder.conns[0].ended || intruder.conns[1].ended);
    send_write(&intruder, 3, WRITE_BYTES); /* no data after the R2T */
    tcp_intruder_run(&intruder, WAIT);
    assert_int_equal(intruder.refusals, 4);
    assert_non_null(strstr(intruder.refused, "kept the connection waiting"));
    assert_true(intruder.conns[1].ended);
    tcp_intruder_close(&intruder);
}

/* Patience begins with what is awaited, not with the last PDU. */
static void test_patience(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    join(&intruder);
    tcp_intruder_run(&intruder, 1000 * PS_PER_MS);
    tcp_intruder_send(&intruder, 0, "\4\0\110\0\110\0\0\0", 8);
    tcp_intruder_run(&intruder, 250 * PS_PER_MS);
    assert_int_equal(intruder.refusals, 0);
    tcp_intruder_connect(&intruder, 2, NVME_TCP_PORT);
    tcp_intruder_begin(&intruder, 2, 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND, .entry = {NVME_FABRICS}};
        tcp_intruder_send_pdu(&intruder, 2, &pdu, &plain, NULL);
        tcp_intruder_run(&intruder, 150 * PS_PER_MS);
    }
    assert_true(intruder.conns[2].ended);
    tcp_intruder_close(&intruder);
}

/* A connection that ends before its ICReq is freed at once. */
static void test_a_stranger_leaves(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    const struct stream_real_counters *counters =
        stream_real_counters(verbs_tcp_streams(intruder.target_device));
    for (unsigned reset = 0; reset < 2; reset++) {
        tcp_intruder_connect(&intruder, 0, NVME_TCP_PORT);
        assert_int_equal(counters->open, 1);
        tcp_intruder_leave(&intruder, 0, reset == 1);
        tcp_intruder_run(&intruder, 10 * PS_PER_MS);
        assert_int_equal(counters->open, 0);
    }
    tcp_intruder_close(&intruder);
}

/* The oldest connection without ICReq makes room; those with a queue stay. */
static void test_strangers(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    join(&intruder);
    for (unsigned i = 2; i < TCP_INTRUDER_CONNS; i++)
        tcp_intruder_connect(&intruder, i, NVME_TCP_PORT);
    assert_true(intruder.conns[2].ended);
    for (unsigned i = 3; i < TCP_INTRUDER_CONNS; i++)
        assert_false(intruder.conns[i].ended);
    assert_false(intruder.conns[0].ended || intruder.conns[1].ended);
    tcp_intruder_close(&intruder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_icreq),
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_a_wrong_termreq),
        cmocka_unit_test(test_before_connect),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_a_wrong_command_is_answered),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_an_io_queue_ends_alone),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_a_stranger_leaves),
        cmocka_unit_test(test_strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
