/* SPDX-License-Identifier: Apache-2.0
 * test_wire_align - streams that part and are laid against each other again. */
#include "base/memory.h"
#include "reports/wire/wire_align.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

enum { LINES_MAX = 9000 };

/* A stream from lines that end with '\n'. */
struct stream {
    struct wire_trace trace;
    struct wire_line lines[LINES_MAX];
    struct wire_aligned aligned;
};

static struct stream *stream_of(const char *text)
{
    struct stream *stream = memory_zeroed(1, sizeof *stream);
    char *copy = strdup(text);
    uint32_t count = 0;
    for (char *at = copy; *at != '\0'; count++) {
        char *end = strchr(at, '\n');
        assert_true(count < LINES_MAX);
        stream->lines[count] = (struct wire_line){.words = (size_t)(at - copy), .number = count};
        *end = '\0';
        at = end + 1;
    }
    stream->trace.text = copy;
    stream->aligned = (struct wire_aligned){&stream->trace, stream->lines, count};
    return stream;
}

static struct wire_counts align(const char *a, const char *b, bool commands,
                                struct wire_numbers *numbers)
{
    struct stream *streams[2] = {stream_of(a), stream_of(b)};
    const struct wire_aligned side[2] = {streams[0]->aligned, streams[1]->aligned};
    const struct wire_counts counts = wire_align(side, commands, numbers);
    for (int i = 0; i < 2; i++) {
        free(streams[i]->trace.text);
        free(streams[i]);
    }
    return counts;
}

static void check(const char *what, struct wire_counts is, struct wire_counts wanted)
{
    if (memcmp(&is, &wanted, sizeof is) != 0)
        fail_msg("%s: equal %" PRIu32 ", reordered %" PRIu32 ", missing %" PRIu32 ", extra %" PRIu32
                 ", different %" PRIu32,
                 what, is.equal, is.reordered, is.missing, is.extra, is.different);
}

/* Commands and their responses: requests of the host, of the target, ACKs. */
static void commands_are_found_again(void **state)
{
    static const struct {
        const char *what, *first, *second;
        struct wire_counts requests, responses;
    } rows[] = {
        {"the same", "abcdef", "abcdef", {.equal = 6}, {.equal = 6}},
        {"one missing", "abcdef", "abdef", {.equal = 5, .missing = 1}, {.equal = 5, .missing = 1}},
        {"one extra", "abcdef", "abcXdef", {.equal = 6, .extra = 1}, {.equal = 6, .extra = 1}},
        {"the first missing",
         "abcdef",
         "bcdef",
         {.equal = 5, .missing = 1},
         {.equal = 5, .missing = 1}},
        {"two at the end", "abcd", "abcdef", {.equal = 4, .extra = 2}, {.equal = 4, .extra = 2}},
        {"two swapped",
         "abcdef",
         "abdcef",
         {.equal = 5, .reordered = 1},
         {.equal = 5, .reordered = 1}},
        {"one late",
         "abcdef",
         "acdebf",
         {.equal = 5, .reordered = 1},
         {.equal = 5, .reordered = 1}},
        {"another one",
         "abcdef",
         "abXdef",
         {.equal = 5, .different = 1},
         {.equal = 5, .different = 1}},
        {"several",
         "abcdefghij",
         "abXdeghYji",
         {.equal = 7, .reordered = 1, .missing = 1, .extra = 1, .different = 1},
         {.equal = 7, .reordered = 1, .missing = 1, .extra = 1, .different = 1}},
        {"nothing in common",
         "abc",
         "XYZU",
         {.different = 3, .extra = 1},
         {.different = 3, .extra = 1}},
        {"nothing at all", "", "ab", {.extra = 2}, {.extra = 2}},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char *names[2] = {rows[i].first, rows[i].second};
        char requests[2][4096] = {"", ""}, responses[2][4096] = {"", ""};
        struct wire_numbers numbers = {0};
        for (int side = 0; side < 2; side++)
            for (unsigned n = 0; names[side][n] != '\0'; n++) {
                char line[128];
                snprintf(line, sizeof line,
                         "SEND_ONLY psn +1 64 B | #%u Read cdw %c ~ tag of #%u, count +1\n", n + 1,
                         names[side][n], n * 7 + 1);
                strcat(requests[side], line);
                snprintf(line, sizeof line,
                         "SEND_ONLY psn +1 | response to #%u sqhd %u result %c\n", n + 1,
                         (n + 1) % 4, names[side][n]);
                strcat(responses[side], line);
            }
        check(rows[i].what, align(requests[0], requests[1], true, &numbers), rows[i].requests);
        check(rows[i].what, align(responses[0], responses[1], false, &numbers), rows[i].responses);
        wire_numbers_fini(&numbers);
    }
}

/* What a capture did not keep leaves a step in the PSNs, and the frames behind it are equal. */
static void steps_behind_a_gap_are_no_difference(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    check("lost by the capture",
          align("ACK psn +1 ack msn 1\nACK psn +1 ack msn 2\nACK psn +1 ack msn 3\n"
                "ACK psn +1 ack msn 4\n",
                "ACK psn +1 ack msn 1\nACK psn +2 ack msn 3\nACK psn +1 ack msn 4\n", false,
                &numbers),
          (struct wire_counts){.equal = 3, .missing = 1});
    check("a request lost by the capture",
          align("SEND psn +1 cdw a\nSEND psn +1 cdw b\nSEND psn +1 cdw c\n",
                "SEND psn +1 cdw a\nSEND psn +2 cdw c\n", false, &numbers),
          (struct wire_counts){.equal = 2, .missing = 1});
    check("a wrong MSN",
          align("ACK psn +1 ack msn 1\nACK psn +1 ack msn 2\n",
                "ACK psn +1 ack msn 1\nNAK psn +1 ack msn 9\n", false, &numbers),
          (struct wire_counts){.equal = 1, .different = 1});
}

/* Responses in another order than their commands. */
static void responses_may_be_reordered(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    static const char requests[] = "SEND | #1 Read\nSEND | #2 Write\nSEND | #3 Flush\n";
    align(requests, requests, true, &numbers);
    check("responses",
          align("SEND | response to #1 sqhd 1\nSEND | response to #2 sqhd 2\n"
                "SEND | response to #3 sqhd 3\n",
                "SEND | response to #2 sqhd 1\nSEND | response to #1 sqhd 2\n"
                "SEND | response to #3 sqhd 3\n",
                false, &numbers),
          (struct wire_counts){.equal = 2, .reordered = 1});
    wire_numbers_fini(&numbers);
}

/* Every fifth frame missing, and captures that have nothing to do with each other: it ends, and all
 * frames are counted. */
static void long_streams_are_counted_whole(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    char *texts[3];
    for (int t = 0; t < 3; t++) {
        size_t size;
        FILE *out = memory_stream(&texts[t], &size);
        for (int i = 0; i < 8000; i++)
            if (t != 1 || i % 5 != 0)
                fprintf(out, "%s psn +1 64 B cdw %d\n", t == 2 ? "WRITE" : "SEND", i);
        memory_stream_end(out);
    }
    check("every fifth", align(texts[0], texts[1], false, &numbers),
          (struct wire_counts){.equal = 6400, .missing = 1600});
    check("none", align(texts[0], texts[2], false, &numbers),
          (struct wire_counts){.different = 8000});
    for (int t = 0; t < 3; t++)
        free(texts[t]);
}

/* Numbers that end a line, or are followed by other words only. */
static void numbers_are_found_at_the_end_of_a_line(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    static const struct {
        const char *what, *first, *second;
        struct wire_counts wanted;
    } rows[] = {
        {"MSN of one digit",
         "ACK msn 1\nACK msn 2\nACK msn 3\n",
         "ACK msn 2\nACK msn 3\n",
         {.equal = 2, .missing = 1}},
        {"SQ head of one digit",
         "OK sqhd 1\nOK sqhd 2\nX sqhd 3\n",
         "OK sqhd 2\nX sqhd 3\n",
         {.equal = 2, .missing = 1}},
        {"PSN forward and back",
         "A psn +1\nA psn -1\nA psn +1\n",
         "A psn +1\nA psn +1\nA psn +1\n",
         {.equal = 2, .different = 1}},
        {"PSN back by another step",
         "A psn +1\nA psn -2\nB\n",
         "A psn +1\nA psn -3\nB\n",
         {.equal = 2, .different = 1}},
        {"a word without a number", "A msn \nB\n", "A msn x\nB\n", {.equal = 1, .different = 1}},
        {"a queue that begins anew",
         "A sqhd 2\nA sqhd 3\nA sqhd 0\nA sqhd 1\n",
         "A sqhd 2\nA sqhd 3\nA sqhd 4\nA sqhd 5\n",
         {.equal = 4}},
        {"a step too far in the queue",
         "A sqhd 2\nA sqhd 3\nA sqhd 0\nA sqhd 1\n",
         "A sqhd 2\nA sqhd 3\nA sqhd 0\nA sqhd 2\n",
         {.equal = 3, .different = 1}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        check(rows[i].what, align(rows[i].first, rows[i].second, false, &numbers), rows[i].wanted);
}

/* Two different increments are explained by two missing frames, three by one reordered. */
static void increments_are_explained_by_frames(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    check("one of three",
          align("a psn +1\nb psn +1\nc psn +1\nd psn +1\ne psn +1\n",
                "b psn +2\nc psn +2\nd psn +2\ne psn +1\n", false, &numbers),
          (struct wire_counts){.equal = 2, .missing = 1, .different = 2});
    check("two of three",
          align("b psn +1\nc psn +1\nd psn +1\ne psn +1\n",
                "x psn +1\nb psn +2\ny psn +1\nc psn +2\nd psn +2\ne psn +1\n", false, &numbers),
          (struct wire_counts){.equal = 3, .extra = 2, .different = 1});
    check("four of one reordered",
          align("a psn +1\nb psn +1\nc psn +1\nd psn +1\ne psn +1\nf psn +1\n",
                "b psn +2\nc psn +2\nd psn +2\ne psn +2\nf psn +1\na psn +1\n", false, &numbers),
          (struct wire_counts){.equal = 4, .reordered = 1, .different = 1});
}

/* Of equal requests, the first of one side is the counterpart of the first of the other. */
static void equal_requests_keep_their_order(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    align("SEND | #1 A\nSEND | #2 A\nSEND | #3 B\nSEND | #4 C\nSEND | #5 D\n",
          "SEND | #1 B\nSEND | #2 C\nSEND | #3 D\nSEND | #4 A\nSEND | #5 A\n", true, &numbers);
    static const uint32_t wanted[] = {0, 3, 4, 5, 1, 2};
    assert_int_equal(numbers.count, LENGTH(wanted));
    for (uint32_t i = 0; i < numbers.count; i++)
        assert_int_equal(numbers.first[i], wanted[i]);
    wire_numbers_fini(&numbers);
    assert_null(numbers.first);
    assert_int_equal(numbers.count, 0);
}

/* The length of the longest common subsequence, row by row. */
static uint32_t common(const char *a, const char *b)
{
    uint32_t rows[2][64] = {{0}};
    for (size_t i = 0; a[i] != '\0'; i++)
        for (size_t k = 0; b[k] != '\0'; k++) {
            const uint32_t up = rows[i % 2][k + 1], left = rows[(i + 1) % 2][k];
            rows[(i + 1) % 2][k + 1] = a[i] == b[k] ? rows[i % 2][k] + 1 : up > left ? up : left;
        }
    return rows[strlen(a) % 2][strlen(b)];
}

static uint32_t of_letter(const char *text, char letter)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == letter;
    return count;
}

static void random_letters(char letters[64], char text[512], uint32_t *luck, uint32_t alphabet)
{
    *luck = *luck * 1664525u + 1013904223u;
    const uint32_t count = (*luck >> 16) % 40;
    int used = 0;
    text[0] = letters[count] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        *luck = *luck * 1664525u + 1013904223u;
        letters[i] = (char)('a' + (*luck >> 16) % alphabet);
        used += snprintf(text + used, 512 - (size_t)used, "cdw %c\n", letters[i]);
    }
}

/* As many frames are equal as the longest common subsequence has; the others have a counterpart
 * elsewhere as far as both streams have the same letters. */
static void random_streams_have_the_longest_subsequence(void **state)
{
    (void)state;
    struct wire_numbers numbers = {0};
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t luck = round * 77, shared = 0;
        char letters[2][64], texts[2][512];
        for (int i = 0; i < 2; i++)
            random_letters(letters[i], texts[i], &luck, 1 + round % 5);
        const struct wire_counts counts = align(texts[0], texts[1], false, &numbers);
        for (char letter = 'a'; letter < 'a' + 5; letter++) {
            const uint32_t a = of_letter(letters[0], letter), b = of_letter(letters[1], letter);
            shared += a < b ? a : b;
        }
        assert_int_equal(counts.equal, common(letters[0], letters[1]));
        assert_int_equal(counts.equal + counts.reordered, shared);
        assert_int_equal(shared + counts.missing + counts.different, strlen(letters[0]));
        assert_int_equal(shared + counts.extra + counts.different, strlen(letters[1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_found_again),
        cmocka_unit_test(steps_behind_a_gap_are_no_difference),
        cmocka_unit_test(responses_may_be_reordered),
        cmocka_unit_test(numbers_are_found_at_the_end_of_a_line),
        cmocka_unit_test(increments_are_explained_by_frames),
        cmocka_unit_test(equal_requests_keep_their_order),
        cmocka_unit_test(random_streams_have_the_longest_subsequence),
        cmocka_unit_test(long_streams_are_counted_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
