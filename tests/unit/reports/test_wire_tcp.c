/* SPDX-License-Identifier: Apache-2.0
 * test_wire_tcp - TCP segments of a capture as PDUs: order, segments sent again, missing ones. */
#include "nvme/wire/wire.h"
#include "reports/wire/wire.h"
#include "reports/wire/wire_tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ISN = 0xFFFFFF00, DATA = 1000, ALL_MAX = 4096 };

static const struct nvme_pdu_format plain = {0};

struct heard {
    uint8_t types[16];
    unsigned count;
    char fault[128];
    const char *lost;
    struct wire_stream *stream;
};

static void on_pdu(void *self, const struct nvme_pdu *pdu, const char *fault)
{
    struct heard *heard = self;
    if (pdu == NULL)
        snprintf(heard->fault, sizeof heard->fault, "%s", fault);
    else if (heard->count < sizeof heard->types)
        heard->types[heard->count++] = pdu->type;
    if (heard->stream != NULL)
        heard->stream->rules.initialized = true; /* after its ICReq */
}

/* What a host sends: ICReq, a command with data, a command without. */
static uint32_t write_all(unsigned char bytes[ALL_MAX])
{
    const struct nvme_pdu pdus[] = {{.type = NVME_PDU_ICREQ},
                                    {.type = NVME_PDU_COMMAND, .length = DATA},
                                    {.type = NVME_PDU_COMMAND}};
    uint32_t at = 0;
    memset(bytes, 0, ALL_MAX);
    for (unsigned i = 0; i < 3; i++)
        at += nvme_pdu_encode(&pdus[i], &plain, bytes + at) + pdus[i].length;
    return at;
}

struct piece {
    uint32_t from, to;
};

static struct heard take(const struct piece *pieces, unsigned count, uint32_t kept)
{
    unsigned char bytes[ALL_MAX];
    struct wire_stream stream = {0};
    struct heard heard = {.stream = &stream};
    const uint32_t all = write_all(bytes);
    wire_stream_begin(&stream, ISN, true, false);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t to = pieces[i].to < all ? pieces[i].to : all;
        const uint32_t length = to - pieces[i].from;
        const struct wire_segment segment = {.seq = ISN + 1 + pieces[i].from,
                                             .length = length,
                                             .bytes = bytes + pieces[i].from,
                                             .count = length < kept ? length : kept};
        wire_stream_take(&stream, &segment, &(struct wire_pdu_reader){on_pdu, NULL, &heard});
    }
    wire_stream_end(&stream);
    heard.lost = stream.lost;
    wire_stream_fini(&stream);
    return heard;
}

static void assert_all(const struct heard *heard)
{
    assert_string_equal(heard->fault, "");
    assert_null(heard->lost);
    assert_int_equal(heard->count, 3);
    assert_int_equal(heard->types[0], NVME_PDU_ICREQ);
    assert_int_equal(heard->types[1], NVME_PDU_COMMAND);
    assert_int_equal(heard->types[2], NVME_PDU_COMMAND);
}

/* Sequence numbers wrap within the first of them. */
static void test_any_pieces(void **state)
{
    struct heard heard;
    (void)state;
    for (uint32_t size = 1; size < 300; size += 7) {
        struct piece pieces[ALL_MAX];
        unsigned count = 0;
        for (uint32_t at = 0; at < 1300; at += size)
            pieces[count++] = (struct piece){at, at + size};
        while (count > 0 && pieces[count - 1].from >= 128 + 72 + DATA + 72)
            count--;
        heard = take(pieces, count, UINT32_MAX);
        assert_all(&heard);
    }
}

static void test_order(void **state)
{
    (void)state;
    const struct piece late[] = {{0, 128}, {500, 900}, {900, 9999}, {128, 500}};
    struct heard heard = take(late, 4, UINT32_MAX);
    assert_all(&heard);
    const struct piece again[] = {{0, 300}, {0, 128}, {100, 700}, {128, 200}, {600, 9999}};
    heard = take(again, 5, UINT32_MAX);
    assert_all(&heard);
    const struct piece missing[] = {{0, 128}, {200, 9999}};
    heard = take(missing, 2, UINT32_MAX);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.lost, "a segment was not captured");
}

/* Data may be missing in the file, headers may not. */
static void test_truncated(void **state)
{
    (void)state;
    const struct piece whole[] = {{0, 128}, {128, 128 + 72 + DATA}, {128 + 72 + DATA, 9999}};
    struct heard heard = take(whole, 3, 128);
    assert_all(&heard);
    heard = take(whole, 3, 71);
    assert_int_equal(heard.count, 0);
    assert_string_equal(heard.lost, "the file has only a part of a PDU header");
}

static void test_fault(void **state)
{
    static const unsigned char garbage[] = "GET / HTTP/1.1";
    struct wire_stream stream = {0};
    struct heard heard = {0};
    (void)state;
    wire_stream_begin(&stream, 0, true, false);
    const struct wire_segment segment = {
        .seq = 1, .length = sizeof garbage, .bytes = garbage, .count = sizeof garbage};
    wire_stream_take(&stream, &segment, &(struct wire_pdu_reader){on_pdu, NULL, &heard});
    wire_stream_take(&stream, &segment, &(struct wire_pdu_reader){on_pdu, NULL, &heard});
    assert_int_equal(heard.count, 0);
    assert_non_null(strstr(heard.fault, "PDU type 47h"));
    assert_string_equal(stream.lost, "a PDU breaks the protocol");
    wire_stream_fini(&stream);
}

static void test_headers(void **state)
{
    unsigned char frame[80] = {0};
    struct wire_segment segment;
    (void)state;
    frame[12] = 0x08;
    frame[14] = 0x45;
    frame[17] = 60; /* total length: 20 bytes of payload */
    frame[23] = 6;
    frame[34 + 2] = 0x11;
    frame[34 + 3] = 0x44;
    frame[34 + 12] = 5 << 4;
    frame[34 + 13] = 2;
    assert_true(wire_segment_parse(frame, 64, &segment));
    assert_int_equal(segment.port[1], 4420);
    assert_int_equal(segment.length, 20);
    assert_int_equal(segment.count, 10);
    assert_true(segment.syn && !segment.ack && !segment.fin);
    assert_false(wire_segment_parse(frame, 53, &segment));
    frame[34 + 12] = 15 << 4; /* options beyond the total length */
    frame[17] = 70;
    assert_false(wire_segment_parse(frame, 80, &segment));
    frame[34 + 12] = 5 << 4;
    frame[20] = 0x20; /* a fragment */
    assert_false(wire_segment_parse(frame, 80, &segment));
}

/* Up to eight tags, of any of the four types. */
static void test_tags(void **state)
{
    static const unsigned char types[][2] = {
        {0x81, 0x00}, {0x88, 0xA8}, {0x91, 0x00}, {0x92, 0x00}};
    enum { BEFORE = 12, PACKET = 40, TAGS = 9 };
    unsigned char frame[BEFORE + 4 * TAGS + 2 + PACKET] = {0};
    (void)state;
    for (size_t tags = 0; tags <= TAGS; tags++) {
        unsigned char *at = frame + BEFORE;
        for (size_t i = 0; i < tags; i++, at += 4)
            memcpy(at, types[(tags + i) % 4], 2);
        memcpy(at, (const unsigned char[]){0x08, 0x00, 0x45, 0, 0, PACKET}, 6);
        at[2 + 9] = 6;
        at[2 + 20 + 12] = 5 << 4;
        const size_t count = (size_t)(at - frame) + 2 + PACKET;
        struct wire_segment segment;
        uint16_t type = 0;
        assert_int_equal(wire_segment_parse(frame, count, &segment), tags < TAGS);
        assert_false(wire_segment_parse(frame, count - 1, &segment));
        assert_int_equal(wire_skip_ethernet(frame, count, &type),
                         14 + 4 * (tags < TAGS ? tags : TAGS - 1));
        assert_int_equal(type == 0x0800, tags < TAGS);
        if (tags < TAGS)
            assert_int_equal(wire_skip_ethernet(frame, 14 + 4 * tags - 1, &type), 0);
        memset(frame, 0, sizeof frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_pieces), cmocka_unit_test(test_order),
        cmocka_unit_test(test_truncated),  cmocka_unit_test(test_fault),
        cmocka_unit_test(test_headers),    cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
