/* SPDX-License-Identifier: Apache-2.0
 * iWARP as it travels: the bytes of each header by the figures of RFC 5040, 5041, 5044 and 6581,
 * faults of headers, and the CRC of bulk data. */
#include "base/crc32c.h"
#include "rnic/iwarp/fpdu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Written from the figures, not by the code. */
static const struct vector {
    const char *figure;
    struct iwarp_fpdu fpdu;
    uint32_t bytes;
    unsigned char head[IWARP_UNTAGGED_BYTES];
} vectors[] = {
    {"RFC 5041 4.1, tagged: a WRITE of 1,428 bytes, not the last segment",
     {.opcode = IWARP_WRITE, .payload = 1428, .stag = 0x901, .offset = UINT64_C(0x100017000)},
     16,
     {0x05, 0xA2, 0x81, 0x40, 0, 0, 0x09, 0x01, 0, 0, 0, 1, 0, 1, 0x70, 0}},
    {"RFC 5041 4.1: the last segment of a READ response",
     {.opcode = IWARP_READ_RESPONSE, .last = true, .payload = 8, .stag = 0x100, .offset = 4096},
     16,
     {0, 0x16, 0xC1, 0x42, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x10, 0}},
    {"RFC 5041 4.2, untagged: a SEND of 64 bytes",
     {.opcode = IWARP_SEND, .last = true, .payload = 64, .queue = 0, .msn = 7},
     20,
     {0, 0x52, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0}},
    {"RFC 5040 4.1: a SEND with invalidate, its second segment",
     {.opcode = IWARP_SEND_INVALIDATE,
      .last = true,
      .payload = 16,
      .stag = 0x11223344,
      .msn = 2,
      .offset = 1424},
     20,
     {0, 0x22, 0x41, 0x44, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0x05, 0x90}},
    {"RFC 5040 4.4: a READ request is message 1 of queue 1",
     {.opcode = IWARP_READ_REQUEST, .last = true, .payload = 28, .queue = 1, .msn = 1},
     20,
     {0, 0x2E, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0}},
};

static void each_header_has_the_bytes_of_its_figure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct vector *vector = &vectors[i];
        unsigned char head[IWARP_HEAD_MAX];
        struct iwarp_fault fault = {0};
        struct iwarp_fpdu back;
        assert_int_equal(iwarp_fpdu_encode(&vector->fpdu, head), vector->bytes);
        assert_memory_equal(head, vector->head, vector->bytes);
        assert_true(iwarp_fpdu_decode(&back, head, &fault));
        assert_int_equal(back.opcode, vector->fpdu.opcode);
        assert_int_equal(back.last, vector->fpdu.last);
        assert_int_equal(back.payload, vector->fpdu.payload);
        assert_int_equal(back.stag, vector->fpdu.stag);
        assert_int_equal(back.offset, vector->fpdu.offset);
        assert_int_equal(back.queue, vector->fpdu.queue);
        assert_int_equal(back.msn, vector->fpdu.msn);
    }
}

static void each_fault_of_a_header_has_the_codes_of_its_rfc(void **state)
{
    static const struct {
        unsigned place; /* of the byte that is changed */
        unsigned char value;
        unsigned layer, type, code;
    } faults[] = {
        {2, 0x42, IWARP_LAYER_DDP, 2, 6},   /* DDP version 2, untagged */
        {2, 0xC0, IWARP_LAYER_DDP, 1, 4},   /* DDP version 0, tagged */
        {3, 0x83, IWARP_LAYER_RDMAP, 2, 5}, /* RDMAP version 2 */
        {3, 0x48, IWARP_LAYER_RDMAP, 2, 6}, /* opcode 8 */
        {3, 0x40, IWARP_LAYER_RDMAP, 2, 6}, /* an untagged WRITE */
        {1, 0x11, IWARP_LAYER_MPA, 0, 3},   /* 17 bytes, the header has 18 */
        {11, 1, IWARP_LAYER_DDP, 2, 1},     /* a SEND for queue 1 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        unsigned char head[IWARP_UNTAGGED_BYTES];
        struct iwarp_fault fault = {0};
        struct iwarp_fpdu fpdu;
        memcpy(head, vectors[2].head, sizeof head);
        head[faults[i].place] = faults[i].value;
        if (faults[i].place == 1)
            head[0] = 0;
        assert_false(iwarp_fpdu_decode(&fpdu, head, &fault));
        assert_int_equal(fault.layer, faults[i].layer);
        assert_int_equal(fault.type, faults[i].type);
        assert_int_equal(fault.code, faults[i].code);
        assert_non_null(fault.why);
    }
}

/* Linux siw: 16, 20 and 48 bytes of headers, and the figures of a full segment. */
static void an_fpdu_fills_its_segment(void **state)
{
    (void)state;
    assert_int_equal(iwarp_payload_max(IWARP_WRITE, 1448), 1428);
    assert_int_equal(iwarp_payload_max(IWARP_READ_RESPONSE, 8948), 8928);
    assert_int_equal(iwarp_payload_max(IWARP_SEND, 1448), 1424);
    assert_int_equal(iwarp_payload_max(IWARP_WRITE, 1450), 1428);
    assert_int_equal(IWARP_UNTAGGED_BYTES + IWARP_READ_BYTES, 48);
    for (uint32_t payload = 0; payload < 9; payload++)
        assert_int_equal((payload + iwarp_pad(payload)) % 4, 0);
}

/* RFC 5040 4.4, figure 5. */
static void a_read_request_names_sink_length_and_source(void **state)
{
    static const unsigned char bytes[IWARP_READ_BYTES] = {
        0, 0, 9, 0, 0, 0, 0, 1, 0, 1, 0x70, 0, 0, 0, 0x10, 0, 0, 0, 5, 1, 0, 0, 0, 2, 0, 3, 0, 8};
    const struct iwarp_read read = {.sink = 0x900,
                                    .sink_address = UINT64_C(0x100017000),
                                    .length = 4096,
                                    .source = 0x501,
                                    .source_address = UINT64_C(0x200030008)};
    unsigned char to[IWARP_READ_BYTES];
    struct iwarp_read back;
    (void)state;
    iwarp_read_encode(&read, to);
    assert_memory_equal(to, bytes, sizeof bytes);
    iwarp_read_decode(&back, bytes);
    assert_int_equal(back.sink, read.sink);
    assert_int_equal(back.sink_address, read.sink_address);
    assert_int_equal(back.length, read.length);
    assert_int_equal(back.source, read.source);
    assert_int_equal(back.source_address, read.source_address);
}

/* RFC 5040 4.8: control field, then DDP segment length and headers of the FPDU in error. */
static void a_terminate_has_the_headers_in_error(void **state)
{
    static const unsigned char expected[] = {0x11, 0x00, 0xC0, 0};
    struct iwarp_fault fault = {IWARP_LAYER_DDP, 1, 0, "x"}, back;
    unsigned char to[IWARP_TERMINATE_MAX];
    (void)state;
    assert_int_equal(iwarp_terminate_encode(&fault, vectors[0].head, 16, to), 20);
    assert_memory_equal(to, expected, sizeof expected);
    assert_memory_equal(to + 4, vectors[0].head, 16);
    assert_int_equal(iwarp_terminate_encode(&fault, NULL, 0, to), 4);
    assert_int_equal(to[2], 0);
    assert_true(iwarp_terminate_decode(&back, to, 4));
    assert_int_equal(back.layer, IWARP_LAYER_DDP);
    assert_non_null(strstr(iwarp_terminate_words(&back), "DDP tagged"));
    assert_false(iwarp_terminate_decode(&back, to, 3));
}

/* RFC 5044 7.1.1 and 6581 9. */
static void mpa_frames_have_key_flags_and_depths(void **state)
{
    static const unsigned char bytes[] = "MPA ID Req Frame\x50\x02\x00\x24\x00\x80\x00\x10";
    const struct iwarp_mpa mpa = {
        .crc = true, .enhanced = true, .ird = 128, .ord = 16, .private_len = 32};
    unsigned char to[IWARP_MPA_BYTES + IWARP_MPA_ENHANCED_BYTES];
    struct iwarp_mpa back;
    const char *why;
    (void)state;
    assert_int_equal(iwarp_mpa_encode(&mpa, to), sizeof bytes - 1);
    assert_memory_equal(to, bytes, sizeof bytes - 1);
    assert_int_equal(iwarp_mpa_begin(to, false), 36);
    assert_int_equal(iwarp_mpa_begin(to, true), -1);
    assert_true(iwarp_mpa_decode(&back, to, &why));
    assert_true(back.crc && back.enhanced && !back.reject && !back.reply);
    assert_int_equal(back.ird, 128);
    assert_int_equal(back.ord, 16);
    assert_int_equal(back.private_len, 32);
    to[16] |= 0x80;
    assert_false(iwarp_mpa_decode(&back, to, &why));
    assert_string_equal(why, "the peer needs MPA markers");
    to[16] &= 0x7F;
    to[17] = 3;
    assert_false(iwarp_mpa_decode(&back, to, &why));
    to[18] = 2;
    to[19] = 1;
    assert_int_equal(iwarp_mpa_begin(to, false), -1); /* 513 bytes */
}

/* The CRC of a repeated word is that of its bytes. */
static void a_run_of_words_has_the_crc_of_its_bytes(void **state)
{
    static const uint32_t words[] = {0, 1, 0x110, 0xFFFFFFFE, 0x12345678};
    static const uint32_t counts[] = {1, 2, 3, 7, 64, 357, 1024};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const struct crc32c_run run = crc32c_run_of(counts[c]);
            const uint32_t begin = crc32c(0, (const unsigned char *)"head", 4);
            uint32_t crc = begin;
            for (uint32_t i = 0; i < counts[c]; i++) {
                const unsigned char word[4] = {
                    (unsigned char)(words[w] >> 24), (unsigned char)(words[w] >> 16),
                    (unsigned char)(words[w] >> 8), (unsigned char)words[w]};
                crc = crc32c(crc, word, 4);
            }
            assert_int_equal(crc32c_repeat(begin, &run, words[w]), crc);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_header_has_the_bytes_of_its_figure),
        cmocka_unit_test(each_fault_of_a_header_has_the_codes_of_its_rfc),
        cmocka_unit_test(an_fpdu_fills_its_segment),
        cmocka_unit_test(a_read_request_names_sink_length_and_source),
        cmocka_unit_test(a_terminate_has_the_headers_in_error),
        cmocka_unit_test(mpa_frames_have_key_flags_and_depths),
        cmocka_unit_test(a_run_of_words_has_the_crc_of_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
