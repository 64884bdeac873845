/* SPDX-License-Identifier: Apache-2.0
 * What the order of bytes in a machine's words must not reach: digests and files.  gcc can lay out
 * a struct as a machine of the other order would, so that one machine tells of both. */
#include "base/digest.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/units.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined __GNUC__ && !defined __clang__
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#pragma scalar_storage_order big - endian
#else
#pragma scalar_storage_order little - endian
#endif
#include "net/frame/frame.h"
#pragma scalar_storage_order default
#else
#include "net/frame/frame.h"
#endif

#include "engine/event.h"
#include "reports/wire/pcapng.h"

static void a_frames_word_is_the_same(void **state)
{
    (void)state;
    const struct frame frame = {.next = 1,
                                .in_port = 2,
                                .psn = 0x123456,
                                .bytes = 0xABCD,
                                .opcode = FRAME_RC_ACKNOWLEDGE,
                                .tos = 0x6A,
                                .priority = 3};
    assert_int_equal(frame_word(&frame), 0x6A11ABCD00123456);
}

static void an_events_target_has_its_parts(void **state)
{
    (void)state;
    const struct event event = {.target = event_target(0x12345678, 0x9ABC, 0xDE)};
    assert_int_equal(event.node, 0x12345678);
    assert_int_equal(event.port, 0x9ABC);
    assert_int_equal(event.kind, 0xDE);
}

static void digests_and_draws_are_the_same(void **state)
{
    (void)state;
    char text[DIGEST_TEXT_BYTES];
    const struct digest digest = digest_of("a fingerprint", 13);
    digest_format(&digest, text);
    assert_string_equal(text, "79ec1c1e31adfd032de09794655461db");
    struct rng rng = rng_stream(1, "host0", "test");
    assert_int_equal(rng_next(&rng), 0xAFE81085C525EE0B);
}

/* draft-ietf-opsawg-pcapng, sections 4.1 to 4.3: the order of bytes is the writer's choice. */
static void a_capture_has_the_same_bytes(void **state)
{
    (void)state;
    static const unsigned char expected[] = {
        /* section header: magic, version 1.0, unknown length, application "ab" */
        0x0A, 0x0D, 0x0D, 0x0A, 0x28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,  /**/
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 4, 0, 2, 0, 'a', 'b', 0, 0, /**/
        0, 0, 0, 0, 0x28, 0, 0, 0,
        /* interface: Ethernet, name "p", 100 Gb/s, nanoseconds */
        1, 0, 0, 0, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 'p', 0, 0, 0, /**/
        8, 0, 8, 0, 0x00, 0xE8, 0x76, 0x48, 0x17, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0,   /**/
        0, 0, 0, 0, 0x34, 0, 0, 0,
        /* packet: interface 0, 5 s, 3 of 64 bytes, inbound */
        6, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0xF2, 0x05, 0x2A, /**/
        3, 0, 0, 0, 64, 0, 0, 0, 0x11, 0x22, 0x33, 0, 2, 0, 4, 0, 1, 0, 0, 0,      /**/
        0, 0, 0, 0, 0x30, 0, 0, 0};
    static const uint8_t head[] = {0x11, 0x22, 0x33};
    char *bytes;
    size_t count;
    FILE *out = open_memstream(&bytes, &count);
    assert_non_null(out);
    pcapng_begin(out, "ab");
    pcapng_interface(out, "p", UINT64_C(100000000000), PCAPNG_ETHERNET);
    pcapng_write(out, &(struct pcapng_packet){.at_ns = UINT64_C(5000000000),
                                              .bytes = head,
                                              .count = sizeof head,
                                              .length = 64,
                                              .flags = PCAPNG_INBOUND});
    fclose(out);
    assert_int_equal(count, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frames_word_is_the_same),
        cmocka_unit_test(an_events_target_has_its_parts),
        cmocka_unit_test(digests_and_draws_are_the_same),
        cmocka_unit_test(a_capture_has_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
