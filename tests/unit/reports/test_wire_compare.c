/* SPDX-License-Identifier: Apache-2.0
 * test_wire_compare - the first difference of two captures, by the frames' numbers in the first. */
#include "base/memory.h"
#include "reports/wire/wire_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CONNECTIONS = 2, STREAMS = CONNECTIONS * WIRE_STREAMS };

/* The lines of a stream: a letter for the words and a digit for the number of the frame, each. */
struct stream {
    uint32_t connection, stream;
    const char *first, *second;
};

static struct wire_trace *trace_of(const struct stream *streams, uint32_t count, bool second)
{
    struct wire_trace *trace = memory_zeroed(1, sizeof *trace);
    trace->connections = memory_zeroed(CONNECTIONS, sizeof *trace->connections);
    trace->lines = memory_zeroed(64, sizeof *trace->lines);
    trace->firsts = memory_zeroed(STREAMS + 1, sizeof *trace->firsts);
    trace->text = memory_zeroed(128, 1);
    trace->connection_count = CONNECTIONS;
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        trace->connections[i].qid = (uint16_t)(i + 1);
    for (uint32_t i = 0; i < STREAMS; i++) {
        for (uint32_t k = 0; k < count; k++) {
            const char *at = second ? streams[k].second : streams[k].first;
            if (streams[k].connection * WIRE_STREAMS + streams[k].stream != i)
                continue;
            for (; *at != '\0'; at += 2) {
                const uint32_t line = trace->line_count++;
                trace->text[2 * line] = at[0];
                trace->lines[line] =
                    (struct wire_line){.words = 2 * line, .number = (uint32_t)(at[1] - '0')};
            }
        }
        trace->firsts[i + 1] = trace->line_count;
    }
    return trace;
}

/* The first connection alone, in memory of no more: a sanitizer notices what is read behind it. */
static void shorten(struct wire_trace *trace)
{
    struct wire_connection *one = memory_zeroed(1, sizeof *one);
    uint32_t *firsts = memory_zeroed(WIRE_STREAMS + 1, sizeof *firsts);
    *one = trace->connections[0];
    memcpy(firsts, trace->firsts, (WIRE_STREAMS + 1) * sizeof *firsts);
    free(trace->connections);
    free(trace->firsts);
    trace->connections = one;
    trace->firsts = firsts;
    trace->connection_count = 1;
}

static void free_trace(struct wire_trace *trace)
{
    free(trace->connections);
    free(trace->lines);
    free(trace->firsts);
    free(trace->text);
    free(trace);
}

static void the_first_difference_is_the_earliest_of_the_first_capture(void **state)
{
    (void)state;
    static const struct {
        struct stream streams[2];
        uint32_t connection, index; /* of the difference */
        uint32_t equal;             /* streams */
    } rows[] = {
        /* Both differ in words: the one with the lower number, whatever the other capture has. */
        {{{0, 1, "a3b6", "a1x2"}, {1, 2, "c4d5", "c8y9"}}, 1, 1, 0},
        {{{0, 1, "a3b5", "a1x9"}, {1, 2, "c4d6", "c3y4"}}, 0, 1, 0},
        /* The first ends in frame 6 of its capture; the second differs before or behind. */
        {{{0, 1, "a3b6", "a1b2e3"}, {1, 2, "c4d5", "c8y9"}}, 1, 1, 0},
        {{{0, 1, "a3b6", "a1b2e3"}, {1, 2, "c4d7", "c8y9"}}, 0, 2, 0},
        /* One frame is enough to end in it. */
        {{{0, 1, "a6", "a1b2"}, {1, 2, "c4d5", "c8y9"}}, 1, 1, 0},
        /* What has no frame at all in the first capture is the first difference. */
        {{{0, 1, "a1b2", "x1b2"}, {1, 2, "", "c8"}}, 1, 0, 0},
        /* Of equals the first connection; an equal stream is none. */
        {{{0, 1, "a3b5", "a1x9"}, {1, 2, "c4d5", "c3y4"}}, 0, 1, 0},
        {{{0, 1, "a3b5", "a1b9"}, {1, 2, "c4d6", "c3d4e5"}}, 1, 2, 1},
    };
    static const char *const names[2] = {"a", "b"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wire_trace *traces[2];
        for (int side = 0; side < 2; side++)
            traces[side] = trace_of(rows[i].streams, 2, side == 1);
        const struct wire_trace *const sides[2] = {traces[0], traces[1]};
        struct wire_comparison found = wire_compare(sides, names);
        assert_true(found.parted);
        assert_int_equal(found.connections, CONNECTIONS);
        assert_int_equal(found.streams, 2);
        assert_int_equal(found.streams - found.streams_parted, rows[i].equal);
        if (found.at_connection != rows[i].connection || found.at_index != rows[i].index)
            fail_msg("row %zu: connection %u, %u", i, found.at_connection, found.at_index);
        assert_int_equal(found.at_stream, rows[i].connection == 0 ? 1 : 2);
        wire_compare_fini(&found);
        for (int side = 0; side < 2; side++)
            free_trace(traces[side]);
    }
}

/* Where a stream of one capture has ended there are no words, and not those of the next stream. */
static void what_has_ended_has_no_words(void **state)
{
    (void)state;
    static const struct stream streams[] = {{0, 1, "a3b6", "a1b2e3"}, {1, 2, "c4d5f7", "c8d9"}};
    static const char *const names[2] = {"a", "b"};
    struct wire_trace *traces[2] = {trace_of(streams, 2, false), trace_of(streams, 2, true)};
    const struct wire_trace *const sides[2] = {traces[0], traces[1]};
    struct wire_comparison found = wire_compare(sides, names);
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    wire_compare_json(&found, out);
    memory_stream_end(out);
    assert_non_null(strstr(text, "\"parts\": [null, {\"frame\": 3, \"words\": \"e\"}]"));
    assert_non_null(strstr(text, "\"parts\": [{\"frame\": 7, \"words\": \"f\"}, null]"));
    free(text);
    wire_compare_fini(&found);
    for (int side = 0; side < 2; side++)
        free_trace(traces[side]);
}

/* A connection without a partner is one of its own, whichever capture has it; no two share one. */
static void connections_without_a_partner_are_counted(void **state)
{
    (void)state;
    static const struct stream streams[] = {{0, 1, "a3b6", "a1b2"}, {1, 2, "c4d5", "c8d9"}};
    static const char *const names[2] = {"a", "b"};
    for (uint32_t longer = 0; longer < 3; longer++) {
        struct wire_trace *traces[2] = {trace_of(streams, 2, false), trace_of(streams, 2, true)};
        const struct wire_trace *const sides[2] = {traces[0], traces[1]};
        if (longer < 2) /* a trace of one connection, in memory of no more */
            shorten(traces[1 - longer]);
        struct wire_comparison found = wire_compare(sides, names);
        assert_false(found.parted);
        assert_int_equal(found.connections, longer < 2 ? 1 : CONNECTIONS);
        assert_int_equal(wire_compare_equal(&found), longer == 2);
        for (uint32_t i = 0; i < traces[0]->connection_count; i++)
            assert_int_equal(found.partner[i], i < traces[1]->connection_count ? i : WIRE_ALONE);
        wire_compare_fini(&found);
        for (int side = 0; side < 2; side++)
            free_trace(traces[side]);
    }
}

/* The text speaks of what only one capture has, with its count, and not of what neither has. */
static void the_text_has_what_only_one_capture_has(void **state)
{
    (void)state;
    static const struct stream streams[] = {{0, 1, "a3b6", "a1b2"}, {1, 2, "c4d5", "c8d9"}};
    static const char *const names[2] = {"a", "b"};
    static const char *const alone[] = {
        "for 1 connection of the first and 0 of the second", /* the first is longer */
        "for 0 connections of the first and 1 of the second",
        NULL,
    };
    for (uint32_t longer = 0; longer < 3; longer++) {
        struct wire_trace *traces[2] = {trace_of(streams, 2, false), trace_of(streams, 2, true)};
        const struct wire_trace *const sides[2] = {traces[0], traces[1]};
        if (longer < 2) {
            shorten(traces[1 - longer]);
            traces[longer]->cut = 2;
            traces[longer]->kept = 96;
            traces[longer]->strays = 3;
            traces[longer]->others = 4;
        }
        struct wire_comparison found = wire_compare(sides, names);
        char *text = NULL;
        size_t size = 0;
        FILE *out = memory_stream(&text, &size);
        wire_compare_text(&found, out);
        memory_stream_end(out);
        assert_int_equal(strstr(text, "No counterpart") != NULL, longer < 2);
        if (longer < 2)
            assert_non_null(strstr(text, alone[longer]));
        for (uint32_t side = 0; side < 2; side++) {
            const char *line = strstr(text, side == 0 ? "  < a: " : "  > b: ");
            assert_non_null(line);
            const size_t length = strcspn(line, "\n");
            static const char more[] =
                "; 3 frames of connections without a captured REQ or SYN; "
                "4 frames that are neither RoCE nor NVMe/TCP nor iSCSI; 2 frames cut "
                "to at most 96 B by the capture";
            assert_int_equal(memchr(line, ';', length) != NULL, side == longer);
            if (side == longer)
                assert_int_equal(strstr(line, more) - line + (long)strlen(more), length);
        }
        free(text);
        wire_compare_fini(&found);
        for (int side = 0; side < 2; side++)
            free_trace(traces[side]);
    }
}

static void check_sums(const struct wire_comparison *found)
{
    struct wire_counts sum = {0};
    for (uint32_t i = 0; i < STREAMS; i++) {
        sum.equal += found->counts[i].equal;
        sum.reordered += found->counts[i].reordered;
        sum.missing += found->counts[i].missing;
        sum.extra += found->counts[i].extra;
        sum.different += found->counts[i].different;
    }
    assert_memory_equal(&sum, &found->all, sizeof sum);
}

/* Both streams differ in the same way, so the total of each kind has two parts. */
static void totals_are_sums_over_the_streams(void **state)
{
    (void)state;
    static const struct {
        struct stream streams[2];
        struct wire_counts all;
    } rows[] = {
        {{{0, 1, "a1b3", "a1b3"}, {1, 2, "c2d4e5", "c2d4e5"}}, {.equal = 5}},
        {{{0, 1, "a1b3e5", "a1x3e5"}, {1, 2, "c2d4f6", "c2y4f6"}}, {.equal = 4, .different = 2}},
        {{{0, 1, "a1b3e5", "a1e5"}, {1, 2, "c2d4f6", "c2f6"}}, {.equal = 4, .missing = 2}},
        {{{0, 1, "a1e5", "a1b3e5"}, {1, 2, "c2f6", "c2d4f6"}}, {.equal = 4, .extra = 2}},
        {{{0, 1, "a1b3e5", "b1a3e5"}, {1, 2, "c2d4f6", "d2c4f6"}}, {.equal = 4, .reordered = 2}},
    };
    static const char *const names[2] = {"a", "b"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wire_trace *traces[2];
        for (int side = 0; side < 2; side++)
            traces[side] = trace_of(rows[i].streams, 2, side == 1);
        const struct wire_trace *const sides[2] = {traces[0], traces[1]};
        struct wire_comparison found = wire_compare(sides, names);
        check_sums(&found);
        assert_memory_equal(&found.all, &rows[i].all, sizeof found.all);
        wire_compare_fini(&found);
        for (int side = 0; side < 2; side++)
            free_trace(traces[side]);
    }
}

/* Bit 0 of an end: in the first capture; bit 1: in the second. */
static void connections_that_end_in_one_capture_are_counted(void **state)
{
    (void)state;
    static const struct stream streams[] = {{0, 1, "a3b6", "a1b2"}, {1, 2, "c4d5", "c8d9"}};
    static const char *const names[2] = {"a", "b"};
    for (unsigned ends = 0; ends < 16; ends++) {
        const unsigned end[CONNECTIONS] = {ends % 4, ends / 4};
        struct wire_trace *traces[2] = {trace_of(streams, 2, false), trace_of(streams, 2, true)};
        const struct wire_trace *const sides[2] = {traces[0], traces[1]};
        uint32_t only[2] = {0};
        for (uint32_t i = 0; i < CONNECTIONS; i++)
            for (int side = 0; side < 2; side++) {
                traces[side]->connections[i].ended = (end[i] >> side & 1) != 0;
                only[side] += end[i] == 1u << side;
            }
        struct wire_comparison found = wire_compare(sides, names);
        assert_int_equal(found.ended[0], only[0]);
        assert_int_equal(found.ended[1], only[1]);
        wire_compare_fini(&found);
        for (int side = 0; side < 2; side++)
            free_trace(traces[side]);
    }
}

/* Without equal frames, the partner is the connection with the most, whatever the order; here both
 * have one frame more in the second capture. */
static void partners_have_the_most_equal_frames(void **state)
{
    (void)state;
    static const struct stream streams[] = {{0, 1, "a1b2c3", "x1d2e3f4"},
                                            {1, 1, "d4e5f6", "x5a6b7c8"}};
    static const char *const names[2] = {"a", "b"};
    struct wire_trace *traces[2] = {trace_of(streams, 2, false), trace_of(streams, 2, true)};
    const struct wire_trace *const sides[2] = {traces[0], traces[1]};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < CONNECTIONS; i++)
            traces[side]->connections[i].qid = 1;
    struct wire_comparison found = wire_compare(sides, names);
    assert_int_equal(found.partner[0], 1);
    assert_int_equal(found.partner[1], 0);
    assert_int_equal(found.all.equal, 6);
    assert_int_equal(found.all.extra, 2);
    wire_compare_fini(&found);
    for (int side = 0; side < 2; side++)
        free_trace(traces[side]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_ended_has_no_words),
        cmocka_unit_test(totals_are_sums_over_the_streams),
        cmocka_unit_test(connections_that_end_in_one_capture_are_counted),
        cmocka_unit_test(connections_without_a_partner_are_counted),
        cmocka_unit_test(partners_have_the_most_equal_frames),
        cmocka_unit_test(the_text_has_what_only_one_capture_has),
        cmocka_unit_test(the_first_difference_is_the_earliest_of_the_first_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
