/* SPDX-License-Identifier: Apache-2.0
 * NVMe/TCP PDUs: their bytes, every fault of a header, and what tshark reads in them. */
#include "base/crc32c.h"
#include "nvme/tcp/pdu.h"
#include "nvme/wire/wire.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct nvme_pdu_format plain = {0}, digests = {true, true, 0},
                                    aligned = {true, true, 31};

/* RFC 3720 B.4. */
static void crc32c_has_the_published_values(void **state)
{
    unsigned char bytes[32] = {0};
    (void)state;
    assert_int_equal(crc32c(0, bytes, 32), 0x8A9136AA);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(crc32c(0, bytes, 32), 0x46DD794E);
    assert_int_equal(crc32c(crc32c(0, bytes, 13), bytes + 13, 19), 0x46DD794E);
    assert_int_equal(crc32c(0, (const unsigned char *)"123456789", 9), 0xE3069283);
    assert_int_equal(crc32c(0, bytes, 0), 0);
}

/* ---- bytes ---- */

/* Layouts: NVMe/TCP 1.0 figures 18 to 34; structs of include/linux/nvme-tcp.h. */
static const struct vector {
    struct nvme_pdu pdu;
    const struct nvme_pdu_format *format;
    uint32_t before;
    unsigned char bytes[24]; /* the first ones */
} vectors[] = {
    {{.type = NVME_PDU_ICREQ, .pda = 3, .digests = 3, .limit = 0x01020304},
     &digests,
     128,
     {0, 0, 128, 0, 128, 0, 0, 0, 0, 0, 3, 3, 4, 3, 2, 1}},
    {{.type = NVME_PDU_ICRESP, .digests = 1, .limit = 0x400000},
     &plain,
     128,
     {1, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x40, 0}},
    {{.type = NVME_PDU_H2C_TERM, .fes = 2, .fei = 0x11223344, .length = 128},
     &digests,
     24,
     {2, 0, 24, 0, 152, 0, 0, 0, 2, 0, 0x44, 0x33, 0x22, 0x11}},
    {{.type = NVME_PDU_C2H_TERM, .fes = 5, .length = 72},
     &plain,
     24,
     {3, 0, 24, 0, 96, 0, 0, 0, 5}},
    {{.type = NVME_PDU_COMMAND, .entry = {0xAA, 0xBB, 0xCC}},
     &plain,
     72,
     {4, 0, 72, 0, 72, 0, 0, 0, 0xAA, 0xBB, 0xCC}},
    {{.type = NVME_PDU_COMMAND, .entry = {0xAA}, .length = 4096},
     &plain,
     72,
     {4, 0, 72, 72, 0x48, 0x10, 0, 0, 0xAA}},
    {{.type = NVME_PDU_COMMAND, .entry = {0xAA}, .length = 4096},
     &digests,
     76,
     {4, 3, 72, 76, 0x50, 0x10, 0, 0, 0xAA}},
    {{.type = NVME_PDU_COMMAND, .entry = {0xAA}, .length = 4096},
     &aligned,
     128,
     {4, 3, 72, 128, 0x84, 0x10, 0, 0, 0xAA}},
    {{.type = NVME_PDU_COMMAND, .entry = {0xAA}}, &aligned, 76, {4, 1, 72, 0, 76, 0, 0, 0, 0xAA}},
    {{.type = NVME_PDU_RESPONSE, .entry = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
     &plain,
     24,
     {5, 0, 24, 0, 24, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
    {{.type = NVME_PDU_RESPONSE}, &digests, 28, {5, 1, 24, 0, 28}},
    {{.type = NVME_PDU_H2C_DATA,
      .flags = NVME_PDU_LAST,
      .cid = 0x0102,
      .ttag = 0x0304,
      .at = 0x1000,
      .length = 0x2000},
     &plain,
     24,
     {6, 4, 24, 24, 0x18, 0x20, 0, 0, 2, 1, 4, 3, 0, 0x10, 0, 0, 0, 0x20}},
    {{.type = NVME_PDU_C2H_DATA,
      .flags = NVME_PDU_LAST | NVME_PDU_SUCCESS,
      .cid = 7,
      .at = 0,
      .length = 512},
     &digests,
     28,
     {7, 15, 24, 28, 0x20, 2, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
    {{.type = NVME_PDU_R2T, .cid = 9, .ttag = 8, .at = 4096, .length = 65536},
     &digests,
     28,
     {9, 1, 24, 0, 28, 0, 0, 0, 9, 0, 8, 0, 0, 0x10, 0, 0, 0, 0, 1, 0}},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static struct nvme_pdu_rules rules_of(const struct vector *vector)
{
    const uint8_t type = vector->pdu.type;
    return (struct nvme_pdu_rules){
        .format = *vector->format,
        .from_host = type == NVME_PDU_ICREQ || type == NVME_PDU_H2C_TERM ||
                     type == NVME_PDU_COMMAND || type == NVME_PDU_H2C_DATA,
        .initialized = type > NVME_PDU_ICRESP,
    };
}

static void give_input(const struct nvme_pdu_rules *rules, const unsigned char *bytes)
{
    unsigned char input[2 + NVME_PDU_BEFORE_MAX];
    input[0] = (unsigned char)((rules->format.header_digest ? 1 : 0) |
                               (rules->format.data_digest ? 2 : 0) | (rules->from_host ? 4 : 0) |
                               (rules->initialized ? 8 : 0));
    input[1] = rules->format.pda;
    memcpy(input + 2, bytes, NVME_PDU_BEFORE_MAX);
    fuzz_input("nvme_pdu", input, sizeof input);
}

static void every_pdu_has_its_bytes_and_is_read_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VECTORS; i++) {
        const struct vector *vector = &vectors[i];
        const struct nvme_pdu_rules rules = rules_of(vector);
        unsigned char bytes[NVME_PDU_BEFORE_MAX];
        struct nvme_pdu_fault fault = {.why = ""};
        struct nvme_pdu back;
        assert_int_equal(nvme_pdu_encode(&vector->pdu, vector->format, bytes), vector->before);
        assert_memory_equal(bytes, vector->bytes, 24);
        give_input(&rules, bytes);
        const uint32_t header = nvme_pdu_header_bytes(bytes, &rules, &fault);
        assert_string_equal(fault.why, "");
        assert_true(header >= 24 && header <= vector->before);
        assert_true(nvme_pdu_decode(&back, bytes, &rules, &fault));
        assert_int_equal(back.before, vector->before);
        assert_int_equal(back.length, vector->pdu.length);
        assert_int_equal(back.cid, vector->pdu.cid);
        assert_int_equal(back.ttag, vector->pdu.ttag);
        assert_int_equal(back.at, vector->pdu.at);
        assert_int_equal(back.limit, vector->pdu.limit);
        assert_int_equal(back.fes, vector->pdu.fes);
        assert_int_equal(back.fei, vector->pdu.fei);
        assert_memory_equal(back.entry, vector->pdu.entry, NVME_SQE_BYTES);
        if ((bytes[1] & NVME_PDU_HDGST) != 0)
            assert_int_equal(wire_get32(bytes + bytes[2]), crc32c(0, bytes, bytes[2]));
    }
}

/* ---- faults ---- */

/* One byte of a vector is changed. */
static void each_fault_has_its_status_and_place(void **state)
{
    static const struct {
        unsigned vector, at;
        uint8_t value;
        uint16_t fes;
        uint32_t fei;
        const char *why;
    } cases[] = {
        {4, 0, 8, 1, 0, "PDU type 08h (byte 0): not one that a host sends"},
        {4, 0, 5, 1, 0, "PDU type 05h (byte 0): not one that a host sends"},
        {10, 0, 4, 1, 0, "PDU type 04h (byte 0): not one that a controller sends"},
        {4, 0, 0xFF, 1, 0, "PDU type FFh (byte 0): not one that a host sends"},
        {4, 0, 0, 2, 0, "second ICReq"},
        {0, 0, 4, 2, 0, "CapsuleCmd before ICReq"},
        {1, 0, 9, 2, 0, "R2T before ICResp"},
        {4, 1, 1, 1, 1, "CapsuleCmd: digest flags 1h (byte 1), but 0h were negotiated"},
        {10, 1, 0, 1, 1, "CapsuleResp: digest flags 0h (byte 1), but 1h were negotiated"},
        {6, 1, 1, 1, 1, "CapsuleCmd: digest flags 1h (byte 1), but 3h were negotiated"},
        {12, 1, 11, 1, 1, "C2HData: SUCCESS without LAST_PDU (byte 1)"},
        {4, 2, 71, 1, 2, "CapsuleCmd: HLEN 71 (byte 2), expected 72"},
        {13, 2, 28, 1, 2, "R2T: HLEN 28 (byte 2), expected 24"},
        {5, 3, 71, 1, 3, "CapsuleCmd: PDO 71 (byte 3), expected a multiple of 4 of at least 72"},
        {7, 3, 124, 1, 3,
         "CapsuleCmd: PDO 124 (byte 3), expected a multiple of 128 of at least 76"},
        {9, 4, 25, 1, 4, "CapsuleResp: PLEN 25 (byte 4), expected 24"},
        {4, 4, 71, 1, 4, "CapsuleCmd: PLEN 71 (byte 4), expected more than 72"},
        {11, 5, 0, 1, 4, "H2CData: PLEN 24 (byte 4), expected more than 24"},
        {2, 4, 153, 1, 4, "H2CTermReq: PLEN 153 (byte 4), expected 24 to 152"},
        {2, 4, 23, 1, 4, "H2CTermReq: PLEN 23 (byte 4), expected 24 to 152"},
        {0, 8, 1, 6, 8, "ICReq: PFV 1 (byte 8), expected 0"},
        {0, 10, 32, 1, 10, "ICReq: data alignment 32 (byte 10), expected 0 to 31"},
        {1, 14, 0, 1, 12,
         "ICResp: MAXH2CDATA 0 (byte 12), expected a multiple of 4 of at least 4096"},
        {1, 12, 2, 1, 12,
         "ICResp: MAXH2CDATA 4194306 (byte 12), expected a multiple of 4 of at least 4096"},
        {11, 17, 0x21, 1, 16, "H2CData: DATAL 8448 (byte 16), but the data of the PDU take 8192 B"},
        {13, 9, 1, 3, 0, NULL},
        {8, 40, 1, 3, 0, NULL},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct vector *vector = &vectors[cases[i].vector];
        const struct nvme_pdu_rules rules = rules_of(vector);
        unsigned char bytes[NVME_PDU_BEFORE_MAX];
        struct nvme_pdu_fault fault = {.why = ""};
        struct nvme_pdu back;
        nvme_pdu_encode(&vector->pdu, vector->format, bytes);
        bytes[cases[i].at] = cases[i].value;
        if (cases[i].vector == 11 && cases[i].at == 5)
            bytes[4] = 24;
        assert_false(nvme_pdu_header_bytes(bytes, &rules, &fault) > 0 &&
                     nvme_pdu_decode(&back, bytes, &rules, &fault));
        if (cases[i].why != NULL)
            assert_string_equal(fault.why, cases[i].why);
        assert_int_equal(fault.fes, cases[i].fes);
        /* of a header digest: the one that was received */
        assert_int_equal(fault.fei, cases[i].fes == NVME_FES_HEADER_DIGEST
                                        ? wire_get32(bytes + bytes[2])
                                        : cases[i].fei);
    }
}

static void an_r2t_asks_for_something(void **state)
{
    const struct nvme_pdu r2t = {.type = NVME_PDU_R2T, .cid = 1};
    const struct nvme_pdu_rules rules = {.initialized = true};
    unsigned char bytes[NVME_PDU_BEFORE_MAX];
    struct nvme_pdu_fault fault;
    struct nvme_pdu back;
    (void)state;
    nvme_pdu_encode(&r2t, &plain, bytes);
    assert_int_equal(nvme_pdu_header_bytes(bytes, &rules, &fault), 24);
    assert_false(nvme_pdu_decode(&back, bytes, &rules, &fault));
    assert_int_equal(fault.fei, 16);
    assert_string_equal(nvme_pdu_fes_name(5, true), "R2T Limit Exceeded");
    assert_string_equal(nvme_pdu_fes_name(5, false), "Data Transfer Limit Exceeded");
    assert_string_equal(nvme_pdu_fes_name(4, false), "Data Transfer Out of Range");
    assert_string_equal(nvme_pdu_fes_name(9, false), "unknown");
    assert_string_equal(nvme_pdu_name(8), "PDU of an unknown type");
}

/* ---- tshark ---- */

enum { SEGMENT_MAX = 4096 };

static uint32_t sequence[2];

/* One TCP segment in IPv4, raw (LINKTYPE_RAW 101). */
static void put_segment(FILE *file, bool to_controller, const unsigned char *data, uint32_t length)
{
    unsigned char packet[40 + SEGMENT_MAX] = {0x45, [8] = 64, [9] = 6};
    const uint32_t total = 40 + length, record[4] = {1, 0, total, total};
    const uint16_t ports[2] = {to_controller ? 50000 : 4420, to_controller ? 4420 : 50000};
    assert_true(length <= SEGMENT_MAX);
    packet[2] = (unsigned char)(total >> 8);
    packet[3] = (unsigned char)total;
    packet[12] = packet[16] = 10;
    packet[15] = to_controller ? 1 : 2;
    packet[19] = to_controller ? 2 : 1;
    for (unsigned i = 0; i < 2; i++) {
        packet[20 + 2 * i] = (unsigned char)(ports[i] >> 8);
        packet[21 + 2 * i] = (unsigned char)ports[i];
    }
    for (unsigned i = 0; i < 4; i++) {
        packet[24 + i] = (unsigned char)(sequence[!to_controller] >> (24 - 8 * i));
        packet[28 + i] = (unsigned char)(sequence[to_controller] >> (24 - 8 * i));
    }
    packet[32] = 0x50;
    packet[33] = 0x18;
    packet[34] = 0xFF;
    memcpy(packet + 40, data, length);
    sequence[!to_controller] += length;
    fwrite(record, 1, sizeof record, file);
    fwrite(packet, 1, total, file);
}

static void put_pdu(FILE *file, const struct nvme_pdu *pdu, const struct nvme_pdu_format *format,
                    bool to_controller)
{
    unsigned char bytes[SEGMENT_MAX] = {0};
    uint32_t length = nvme_pdu_encode(pdu, format, bytes);
    if (nvme_pdu_has_data(pdu)) {
        const uint32_t at = length;
        memset(bytes + at, 0x5A, pdu->length);
        length += pdu->length;
        if ((bytes[1] & NVME_PDU_DDGST) != 0) {
            wire_put32(bytes + length, crc32c(0, bytes + at, pdu->length));
            length += 4;
        }
    }
    put_segment(file, to_controller, bytes, length);
}

/* A Connect, then a write with an R2T, with both digests. */
static void put_exchange(FILE *file)
{
    struct nvme_pdu command = {.type = NVME_PDU_COMMAND, .length = 1024};
    put_pdu(file, &(struct nvme_pdu){.type = NVME_PDU_ICREQ, .digests = 3}, &plain, true);
    put_pdu(file, &(struct nvme_pdu){.type = NVME_PDU_ICRESP, .digests = 3, .limit = 4096}, &plain,
            false);
    command.entry[0] = NVME_FABRICS;
    command.entry[4] = NVME_FCTYPE_CONNECT;
    command.entry[42] = 1; /* an I/O queue */
    put_pdu(file, &command, &digests, true);
    put_pdu(file, &(struct nvme_pdu){.type = NVME_PDU_RESPONSE}, &digests, false);
    command.length = 0;
    memset(command.entry, 0, sizeof command.entry);
    command.entry[0] = NVME_WRITE;
    command.entry[2] = 7;
    put_pdu(file, &command, &digests, true);
    put_pdu(file, &(struct nvme_pdu){.type = NVME_PDU_R2T, .cid = 7, .ttag = 3, .length = 2048},
            &digests, false);
    put_pdu(
        file,
        &(struct nvme_pdu){
            .type = NVME_PDU_H2C_DATA, .flags = NVME_PDU_LAST, .cid = 7, .ttag = 3, .length = 2048},
        &digests, true);
    struct nvme_pdu answer = {.type = NVME_PDU_RESPONSE};
    answer.entry[12] = 7;
    put_pdu(file, &answer, &digests, false);
}

static void tshark_reads_the_same(void **state)
{
    static const char expected[] = "0|128|0x00\n1|128|0x00\n4|1104|0x03\n5|28|0x01\n4|76|0x01\n"
                                   "9|28|0x01\n6|2080|0x07\n5|28|0x01\n";
    const uint32_t head[6] = {0xA1B2C3D4, 2 | 4 << 16, 0, 0, 65535, 101};
    char path[] = "/tmp/nvme-tcp-XXXXXX", command[300], got[sizeof expected + 200] = "";
    (void)state;
    if (system("command -v tshark >/dev/null 2>&1") != 0)
        skip();
    FILE *file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file);
    sequence[0] = sequence[1] = 1;
    put_exchange(file);
    fclose(file);
    snprintf(command, sizeof command,
             "tshark -r %s -o nvme-tcp.check_hdgst:TRUE -o nvme-tcp.check_ddgst:TRUE "
             "-d tcp.port==4420,nvme-tcp -T fields -E separator='|' "
             "-e nvme-tcp.type -e nvme-tcp.plen -e nvme-tcp.flags 2>/dev/null",
             path);
    FILE *pipe = popen(command, "r");
    const size_t length = fread(got, 1, sizeof got - 1, pipe);
    got[length] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(got, expected);
    snprintf(command, sizeof command,
             "tshark -r %s -o nvme-tcp.check_hdgst:TRUE -o nvme-tcp.check_ddgst:TRUE "
             "-d tcp.port==4420,nvme-tcp -V 2>/dev/null | grep -ciE 'digest.*(bad|incorrect)|"
             "malformed|expert info \\(err' ",
             path);
    pipe = popen(command, "r");
    assert_non_null(fgets(got, sizeof got, pipe));
    pclose(pipe);
    unlink(path);
    assert_string_equal(got, "0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_has_the_published_values),
        cmocka_unit_test(every_pdu_has_its_bytes_and_is_read_back),
        cmocka_unit_test(each_fault_has_its_status_and_place),
        cmocka_unit_test(an_r2t_asks_for_something),
        cmocka_unit_test(tshark_reads_the_same),
    };
    return cmocka_run_group_tests_name("nvme_tcp_pdu", tests, NULL, NULL);
}
