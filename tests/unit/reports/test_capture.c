/* SPDX-License-Identifier: Apache-2.0
 * test_capture - link headers become Ethernet headers, lengths at their limits, files cut short. */
#define _GNU_SOURCE /* fopencookie */
#include "reports/wire/capture.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Link types as files name them (tcpdump.org/linktypes). */
enum { ETHERNET = 1, RAW_IP = 101, WIFI = 105, SLL = 113, SLL2 = 276 };
enum { SNAPLEN = 262144 };

static void put(FILE *out, uint32_t value)
{
    fwrite(&value, sizeof value, 1, out);
}

/* The head of a pcap file whose times are in nanoseconds. */
static void put_head(FILE *out, uint32_t link)
{
    put(out, 0xa1b23c4d);
    put(out, 4 << 16 | 2);
    put(out, 0);
    put(out, 0);
    put(out, SNAPLEN);
    put(out, link);
}

/* A frame of 1, 2, 3, ... */
static void put_frame(FILE *out, uint32_t kept, uint32_t length)
{
    put(out, 5);
    put(out, 123456789);
    put(out, kept);
    put(out, length);
    for (uint32_t i = 0; i < kept; i++)
        fputc((int)(i + 1) & 0xFF, out);
}

/* A capture of the first `bytes` of a text. */
static struct capture *capture_of(char *text, size_t bytes, char why[CAPTURE_WHY_BYTES])
{
    FILE *in = fmemopen(text, bytes, "rb");
    assert_non_null(in);
    return capture_of_stream(in, "name.pcap", why);
}

static void link_headers_become_ethernet(void **state)
{
    (void)state;
    static const struct {
        uint32_t link;
        size_t header, source, type; /* offsets, as tcpdump.org describes them; 0: none */
        size_t kept;
    } rows[] = {
        {SLL, 16, 6, 14, 40},  {SLL, 16, 6, 14, 16},  {SLL, 16, 6, 14, 17}, {SLL2, 20, 12, 0, 40},
        {SLL2, 20, 12, 0, 20}, {RAW_IP, 0, 0, 0, 40}, {RAW_IP, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char *text = NULL, why[CAPTURE_WHY_BYTES] = "";
        size_t size = 0;
        FILE *out = memory_stream(&text, &size);
        put_head(out, rows[i].link);
        put_frame(out, (uint32_t)rows[i].kept, (uint32_t)rows[i].kept + 7);
        memory_stream_end(out);
        struct capture *capture = capture_of(text, size, why);
        assert_non_null(capture);
        struct capture_frame frame;
        assert_true(capture_next(capture, &frame, why));
        const size_t payload = rows[i].kept - rows[i].header;
        assert_int_equal(frame.count, 14 + payload);
        assert_int_equal(frame.length, 14 + payload + 7);
        assert_int_equal(frame.number, 1);
        assert_int_equal(frame.at_ns, 5123456789);
        const bool raw = rows[i].link == RAW_IP;
        for (size_t k = 0; k < 6; k++) {
            assert_int_equal(frame.bytes[k], 0);
            assert_int_equal(frame.bytes[6 + k], raw ? 0 : rows[i].source + k + 1);
        }
        assert_int_equal(frame.bytes[12], raw ? 8 : rows[i].type + 1);
        assert_int_equal(frame.bytes[13], raw ? 0 : rows[i].type + 2);
        for (size_t k = 0; k < payload; k++)
            assert_int_equal(frame.bytes[14 + k], rows[i].header + k + 1);
        assert_false(capture_next(capture, &frame, why));
        assert_string_equal(why, "");
        assert_string_equal(capture_note(capture), "");
        capture_close(capture);
        free(text);
    }
}

/* Frames of Ethernet links, and frames shorter than the header of their link. */
static void other_frames_stay_as_they_are(void **state)
{
    (void)state;
    static const struct {
        uint32_t link, kept;
    } rows[] = {{ETHERNET, 60}, {ETHERNET, 3}, {SLL, 15}, {SLL2, 19}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char *text = NULL, why[CAPTURE_WHY_BYTES] = "";
        size_t size = 0;
        FILE *out = memory_stream(&text, &size);
        put_head(out, rows[i].link);
        put_frame(out, rows[i].kept, rows[i].kept);
        put_frame(out, 1, 2);
        memory_stream_end(out);
        struct capture *capture = capture_of(text, size, why);
        struct capture_frame frame;
        assert_true(capture_next(capture, &frame, why));
        assert_int_equal(frame.count, rows[i].kept);
        assert_int_equal(frame.length, rows[i].kept);
        for (size_t k = 0; k < frame.count; k++)
            assert_int_equal(frame.bytes[k], k + 1);
        assert_true(capture_next(capture, &frame, why));
        assert_int_equal(frame.number, 2);
        capture_close(capture);
        free(text);
    }
}

static void lengths_have_limits(void **state)
{
    (void)state;
    static const struct {
        uint32_t kept, length;
        const char *why; /* NULL: accepted */
    } rows[] = {
        {CAPTURE_FRAME_MAX, CAPTURE_FRAME_MAX, NULL},
        {CAPTURE_FRAME_MAX, CAPTURE_FRAME_MAX + 1, NULL},
        {CAPTURE_FRAME_MAX + 1, CAPTURE_FRAME_MAX + 1,
         "name.pcap: frame 2: longer than any Ethernet frame"},
        {0, 0, NULL},
        {64, 64, NULL},
        {64, 63, "name.pcap: frame 2: captured length exceeds frame length"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char *text = NULL, why[CAPTURE_WHY_BYTES] = "";
        size_t size = 0;
        FILE *out = memory_stream(&text, &size);
        put_head(out, ETHERNET);
        put_frame(out, 64, 64);
        put_frame(out, rows[i].kept, rows[i].length);
        memory_stream_end(out);
        struct capture *capture = capture_of(text, size, why);
        struct capture_frame frame;
        assert_true(capture_next(capture, &frame, why));
        assert_int_equal(capture_next(capture, &frame, why), rows[i].why == NULL);
        assert_string_equal(why, rows[i].why == NULL ? "" : rows[i].why);
        assert_int_equal(frame.count, rows[i].why == NULL ? rows[i].kept : 64);
        capture_close(capture);
        free(text);
    }
}

/* A file that ends in a frame is read up to there; one that is no capture, or of another link type,
 * is refused. */
static void files_end_early_or_are_others(void **state)
{
    (void)state;
    char *text = NULL, why[CAPTURE_WHY_BYTES] = "";
    size_t size = 0;
    FILE *out = memory_stream(&text, &size);
    put_head(out, ETHERNET);
    put_frame(out, 64, 64);
    put_frame(out, 64, 64);
    memory_stream_end(out);
    struct capture *capture = capture_of(text, size - 1, why);
    struct capture_frame frame;
    assert_true(capture_next(capture, &frame, why));
    assert_string_equal(capture_note(capture), "");
    assert_false(capture_next(capture, &frame, why));
    assert_string_equal(why, "");
    assert_string_equal(capture_note(capture),
                        "name.pcap: the file ends within frame 2: read up to there");
    capture_close(capture);

    text[0] = 'x';
    assert_null(capture_of(text, size, why));
    assert_non_null(
        strstr(why, "name.pcap: expected a pcap or pcapng file, or one that gzip packed: "));
    text[0] = 0x1f; /* as gzip begins */
    assert_null(capture_of(text, size, why));
    assert_ptr_equal(strstr(why, "name.pcap: "), why);
    free(text);

    out = memory_stream(&text, &size);
    put_head(out, WIFI);
    memory_stream_end(out);
    assert_null(capture_of(text, size, why));
    assert_string_equal(why, "name.pcap: link type 105 (IEEE802_11) is not understood: expected a "
                             "capture of an Ethernet interface or of tcpdump -i any");
    free(text);
    assert_null(capture_open("/nowhere/x.pcap", why));
    assert_string_equal(why, "/nowhere/x.pcap: No such file or directory");
    capture_close(NULL);
}

/* Frames without a byte, one after the other. */
static ssize_t read_zeros(void *cookie, char *to, size_t bytes)
{
    (void)cookie;
    memset(to, 0, bytes);
    return (ssize_t)bytes;
}

static ssize_t read_endless(void *cookie, char *to, size_t bytes)
{
    char **head = cookie;
    if (*head == NULL)
        return read_zeros(NULL, to, bytes);
    memcpy(to, *head, 24);
    *head = NULL;
    return 24;
}

static void the_number_of_frames_has_a_limit(void **state)
{
    (void)state;
    char *head = NULL, why[CAPTURE_WHY_BYTES] = "";
    size_t size = 0;
    FILE *out = memory_stream(&head, &size);
    put_head(out, ETHERNET);
    memory_stream_end(out);
    char *left = head;
    FILE *in = fopencookie(&left, "rb", (cookie_io_functions_t){.read = read_endless});
    struct capture *capture = capture_of_stream(in, "name.pcap", why);
    assert_non_null(capture);
    struct capture_frame frame;
    uint32_t count = 0;
    while (capture_next(capture, &frame, why))
        count++;
    assert_int_equal(count, CAPTURE_FRAMES_MAX);
    assert_string_equal(why, "name.pcap: frame 4000001: too many frames");
    capture_close(capture);
    free(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_headers_become_ethernet),
        cmocka_unit_test(other_frames_stay_as_they_are),
        cmocka_unit_test(lengths_have_limits),
        cmocka_unit_test(files_end_early_or_are_others),
        cmocka_unit_test(the_number_of_frames_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
