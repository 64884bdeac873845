/* SPDX-License-Identifier: Apache-2.0
 * Traces: what is read of an iolog, what is refused and where, and which I/O is due when. */
#include "scenarios/trace/iolog.h"
#include "scenarios/workload/wl_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define V3            "fio version 3 iolog\n"
#define V2            "fio version 2 iolog\n"

static struct arena arena;
static struct diag diag;

static int forget(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

static bool read_bytes(const char *text, size_t length, struct trace *trace)
{
    diag = (struct diag){0};
    return iolog_read(&arena, tree_hold(&arena, "t.log", text, length), trace, &diag);
}

static struct trace read_text(const char *text)
{
    struct trace trace;
    if (!read_bytes(text, strlen(text), &trace))
        diag_print(&diag, stderr);
    assert_int_equal(diag.errors, 0);
    return trace;
}

/* ---- the reader ---- */

static void expect_io(const struct trace *trace, uint32_t index, struct trace_io io)
{
    const struct trace_io *is = &trace->ios[index];
    assert_true(index < trace->count);
    assert_int_equal(is->at, io.at);
    assert_int_equal(is->offset, io.offset);
    assert_int_equal(is->bytes, io.bytes);
    assert_int_equal(is->file, io.file);
    assert_int_equal(is->op, io.op);
}

static void version_3_has_times(void **state)
{
    (void)state;
    const struct trace trace = read_text(V3 "16 foo add\n85 foo open\n90 foo read 61440 4096\n"
                                            "101 bar write 774144 512\n101 foo sync 16384 0\r\n"
                                            "\n120 bar datasync 0 0\n121 foo close");
    assert_true(trace.timed);
    assert_int_equal(trace.count, 4);
    assert_int_equal(trace.file_count, 2);
    assert_string_equal(trace.files[1], "bar");
    expect_io(&trace, 0, (struct trace_io){90 * PS_PER_US, 61440, 4096, 0, TRACE_READ});
    expect_io(&trace, 1, (struct trace_io){101 * PS_PER_US, 774144, 512, 1, TRACE_WRITE});
    expect_io(&trace, 2, (struct trace_io){101 * PS_PER_US, 0, 0, 0, TRACE_FLUSH});
    expect_io(&trace, 3, (struct trace_io){120 * PS_PER_US, 0, 0, 1, TRACE_FLUSH});
    assert_int_equal(diag.count, 0);
}

static void version_2_waits(void **state)
{
    (void)state;
    struct trace trace = read_text(V2 "f add\nf open\nf read 0 512\nf wait 250 0\nf read 512 512\n"
                                      "f wait 50 0\nf write 0 1024\n");
    assert_true(trace.timed);
    assert_int_equal(trace.ios[0].at, 0);
    assert_int_equal(trace.ios[1].at, 250 * PS_PER_US);
    assert_int_equal(trace.ios[2].at, 300 * PS_PER_US);
    trace = read_text(V2 "f read 0 512\nf read 512 512\n");
    assert_false(trace.timed);
}

static void what_is_left_out_is_told_once_with_its_place(void **state)
{
    static const struct {
        int line, column;
        const char *text;
    } rows[] = {
        {3, 5, "2 trims are left out"},   {6, 5, "1 call of sync_file_range is left out"},
        {7, 5, "1 I/O of zero bytes"},    {8, 6, "1 wait is left out"},
        {9, 1, "1 time is earlier than"},
    };
    (void)state;
    const struct trace trace =
        read_text(V3 "1 f read 0 512\n2 f trim 0 512\n3 f read 0 512\n4 f trim 0 512\n"
                     "5 f sync_file_range 0 1\n6 f write 0 0\n10 f wait 7\n9 f read 0 512\n");
    assert_int_equal(trace.count, 3);
    assert_int_equal(trace.ios[2].at, 10 * PS_PER_US);
    assert_int_equal(diag.count, LENGTH(rows));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct diag_message *reported = &diag.messages[i];
        assert_int_equal(reported->level, DIAG_NOTE);
        assert_int_equal(reported->place.line, rows[i].line);
        assert_int_equal(reported->place.column, rows[i].column);
        assert_non_null(strstr(reported->text, rows[i].text));
    }
}

static void wrong_lines_are_refused_with_a_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *message;
    } rows[] = {
        {"", 0, 0, "the file is empty"},
        {"fio version 4 iolog\n", 1, 1, "expected \"fio version 3 iolog\""},
        {"\x07tae\n", 1, 1, "stormglass import blktrace"},
        {V3, 0, 0, "no read, write or flush"},
        {V3 "1 f add\n", 0, 0, "no read, write or flush"},
        {V3 "f read 0 4096\n", 2, 8, "expected an action"},
        {V3 "x f read 0 4096\n", 2, 1, "expected a time"},
        {V3 "1000000000001 f read 0 4096\n", 2, 1, "expected a time"},
        {V3 "1 f raed 0 4096\n", 2, 5, "did you mean 'read'?"},
        {V3 "1 f read 0\n", 2, 11, "an offset and a length"},
        {V3 "1 f read 0 4096 1\n", 2, 17, "and no more"},
        {V3 "1 f read -1 4096\n", 2, 10, "expected an offset"},
        {V3 "1 f read 1125899906842625 1\n", 2, 10, "expected an offset"},
        {V3 "1 f read 0 4k\n", 2, 12, "expected a length"},
        {V3 "1 f read 0 67108865\n", 2, 12, "expected a length"},
        {V3 "1 f\n", 2, 4, "expected a line such as"},
        {V3 "1 f open 0\n", 2, 10, "expected nothing"},
        {V3 "1 f \x01 0\n", 2, 5, "not a text file"},
        {V2 "f wait\nf read 0 512\n", 2, 7, "expected microseconds"},
        {V2 "f wait 900000000000\nf wait 900000000000\n", 3, 8, "expected microseconds"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct trace trace;
        assert_false(read_bytes(rows[i].text, strlen(rows[i].text), &trace));
        const struct diag_message *reported = &diag.messages[0];
        if (reported->place.line != rows[i].line || reported->place.column != rows[i].column ||
            strstr(reported->text, rows[i].message) == NULL)
            fail_msg("%s gives %d:%d: %s", rows[i].text, reported->place.line,
                     reported->place.column, reported->text);
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    const struct trace first = read_text(V3 "5 a read 0 512\n5 b write 512 1024\n9 a sync 0 0\n");
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    iolog_write(out, &first);
    assert_int_equal(fclose(out), 0);
    const struct trace second = read_text(text);
    assert_int_equal(second.count, first.count);
    assert_int_equal(second.file_count, 2);
    for (uint32_t i = 0; i < first.count; i++)
        expect_io(&second, i, first.ios[i]);
    free(text);
}

/* ---- the order ---- */

static void sorting_keeps_those_of_one_time_in_order(void **state)
{
    (void)state;
    struct rng rng = rng_stream(1, "trace", "sort");
    for (uint32_t count = 0; count < 70; count++) {
        struct trace trace = {.ios = arena_array(&arena, count + 1, sizeof *trace.ios),
                              .count = count};
        for (uint32_t i = 0; i < count; i++)
            trace.ios[i] = (struct trace_io){.at = (time_ps)rng_below(&rng, 9), .offset = i};
        trace_sort(&trace, &arena);
        for (uint32_t i = 1; i < count; i++) {
            const struct trace_io *a = &trace.ios[i - 1], *b = &trace.ios[i];
            assert_true(a->at < b->at || (a->at == b->at && a->offset < b->offset));
        }
    }
}

static void files_are_found_again(void **state)
{
    (void)state;
    struct trace_files files = {.arena = &arena};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < TRACE_FILES_MAX; i++) {
            const char *name = arena_format(&arena, "f%u", i);
            assert_int_equal(trace_file(&files, name, strlen(name)), i);
        }
    }
    assert_int_equal(trace_file(&files, "g", 1), TRACE_FILES_MAX);
}

/* ---- the replay ---- */

static const char eight[] = V3 "0 a read 0 4096\n100 b write 4096 4096\n200 a read 8192 4096\n"
                               "300 b write 1048576 4096\n400 a sync 0 0\n500 b read 512 512\n"
                               "600 a read 0 4096\n700 c read 0 8192\n";

static struct wl_replay_params params_of(const struct trace *trace)
{
    return (struct wl_replay_params){
        .trace = trace,
        .sums = trace_sums(trace),
        .speed = PPM,
        .loop = 1,
        .instances = 1,
    };
}

static struct wl_replay begin(const struct wl_replay_params *params, int64_t bytes,
                              uint32_t instance)
{
    struct wl_replay replay;
    struct wl_region region;
    const struct wl_region whole = {.offset = 65536, .bytes = bytes};
    assert_true(wl_replay_region(params, 4096, whole, &region));
    wl_replay_init(&replay, params, region, 4096, instance, PS_PER_MS);
    return replay;
}

static struct wl_replay_io next(struct wl_replay *replay)
{
    const struct wl_replay_io io = wl_replay_peek(replay, 7);
    if (io.due != TIME_NEVER)
        wl_replay_take(replay);
    return io;
}

static void ios_are_due_at_their_times_and_whole_blocks(void **state)
{
    (void)state;
    const struct trace trace = read_text(eight);
    const struct wl_replay_params params = params_of(&trace);
    struct wl_replay replay = begin(&params, 2 << 20, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(next(&replay).due, PS_PER_MS + i * 100 * PS_PER_US);
    const struct wl_replay_io io = next(&replay);
    assert_int_equal(io.op, TRACE_READ);
    assert_int_equal(io.offset, 65536);
    assert_int_equal(io.bytes, 4096);
    assert_int_equal(replay.rounded, 1);
    assert_int_equal(wl_replay_missed(&replay, PS_PER_MS + 700 * PS_PER_US), 1);
    assert_int_equal(wl_replay_missed(&replay, PS_PER_S), 2);
    next(&replay);
    assert_int_equal(next(&replay).bytes, 8192);
    assert_int_equal(next(&replay).due, TIME_NEVER);
    assert_int_equal(wl_replay_missed(&replay, PS_PER_S), 0);
}

static void speed_and_skip_move_the_times(void **state)
{
    (void)state;
    const struct trace trace = read_text(eight);
    struct wl_replay_params params = params_of(&trace);
    params.speed = 4 * PPM;
    params.skip = 250 * PS_PER_US;
    struct wl_replay replay = begin(&params, 2 << 20, 0);
    assert_int_equal(wl_replay_reach(&params, 37500 * PS_PER_NS), 1); /* the end is not in it */
    assert_int_equal(wl_replay_reach(&params, 37501 * PS_PER_NS), 2);
    assert_int_equal(wl_replay_reach(&params, 40 * PS_PER_US), 2);
    assert_int_equal(wl_replay_reach(&params, PS_PER_S), 5);
    assert_int_equal(next(&replay).due, PS_PER_MS + 12500 * PS_PER_NS);
    assert_int_equal(next(&replay).due, PS_PER_MS + 37500 * PS_PER_NS);
    params.timing = WL_REPLAY_ASAP;
    assert_int_equal(next(&replay).due, 7);
}

static void each_instance_has_its_share(void **state)
{
    static const struct {
        enum wl_replay_split split;
        uint32_t counts[3];
    } rows[] = {
        {WL_REPLAY_COPY, {8, 8, 8}}, {WL_REPLAY_TURNS, {3, 3, 2}}, {WL_REPLAY_FILE, {4, 3, 1}}};
    (void)state;
    const struct trace trace = read_text(eight);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct wl_replay_params params = params_of(&trace);
        params.split = rows[i].split;
        params.instances = 3;
        for (uint32_t instance = 0; instance < 3; instance++) {
            struct wl_replay replay = begin(&params, 2 << 20, instance);
            uint32_t count = 0;
            assert_int_equal(wl_replay_missed(&replay, PS_PER_S), rows[i].counts[instance]);
            while (next(&replay).due != TIME_NEVER)
                count++;
            assert_int_equal(count, rows[i].counts[instance]);
        }
    }
    struct wl_replay_params params = params_of(&trace); /* more instances than files, no end */
    params.split = WL_REPLAY_FILE;
    params.instances = 4;
    params.loop = 0;
    struct wl_replay replay = begin(&params, 2 << 20, 3);
    assert_int_equal(next(&replay).due, TIME_NEVER);
}

static void a_round_begins_a_mean_gap_after_the_last_io(void **state)
{
    (void)state;
    const struct trace trace = read_text(eight);
    struct wl_replay_params params = params_of(&trace);
    params.loop = 3;
    struct wl_replay replay = begin(&params, 2 << 20, 0);
    for (int i = 0; i < 24; i++) {
        for (int tenth = 0; tenth < 40; tenth++) { /* what is missed, counted one by one */
            const time_ps stop = PS_PER_MS + tenth * 60 * PS_PER_US;
            uint64_t missed = 0;
            for (int k = i; k < 24; k++)
                missed += PS_PER_MS + k * 100 * PS_PER_US < stop;
            assert_int_equal(wl_replay_missed(&replay, stop), missed);
        }
        assert_int_equal(next(&replay).due, PS_PER_MS + i * 100 * PS_PER_US);
    }
    assert_int_equal(next(&replay).due, TIME_NEVER);
}

static void what_is_beyond_is_refused_or_folded(void **state)
{
    (void)state;
    const struct trace trace = read_text(eight);
    struct wl_replay_params params = params_of(&trace);
    const struct wl_region whole = {.bytes = 64 << 10};
    struct wl_region region;
    assert_false(wl_replay_region(&params, 4096, whole, &region));
    params.beyond = WL_REPLAY_FOLD;
    struct wl_replay replay = begin(&params, (64 << 10) + 100, 0);
    for (int i = 0; i < 8; i++) {
        const struct wl_replay_io io = next(&replay);
        assert_int_equal(io.offset % 4096, 0);
        assert_true(io.op == TRACE_FLUSH || io.offset >= 65536);
        assert_true(io.offset + io.bytes <= 65536 + (64 << 10));
    }
    assert_int_equal(replay.folded, 1);
    assert_false(wl_replay_region(&params, 4096, (struct wl_region){.bytes = 8192}, &region));
}

/* Nothing is told unless something was changed; one of a kind is something. */
static void what_was_changed_is_told(void **state)
{
    static const struct {
        uint64_t rounded, folded;
    } rows[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 2}};
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct wl_replay replay = {
            .rounded = rows[i].rounded, .folded = rows[i].folded, .block_bytes = 512};
        char text[160], expected[160];
        assert_int_equal(wl_replay_words(&replay, text, sizeof text), i > 0);
        snprintf(expected, sizeof expected,
                 "workload: of the trace's I/Os %d %s rounded to whole blocks of 512 B, "
                 "%d folded into the namespace",
                 (int)rows[i].rounded, rows[i].rounded == 1 ? "was" : "were", (int)rows[i].folded);
        assert_string_equal(text, expected);
    }
}

static void a_script_plays_it_as_far_as_its_depth(void **state)
{
    (void)state;
    const struct trace trace = read_text(V3 "0 f read 0 512\n0 f sync 0 0\n0 f write 0 512\n"
                                            "5 f read 512 512\n");
    struct wl_nvme_params params = {.queue_depth = 2, .queues = 1, .replay = params_of(&trace)};
    const struct wl_region whole = {.bytes = 4096};
    struct wl_region region;
    struct wl_script script;
    assert_true(wl_script_region(&params, 512, whole, (struct wl_region){0}, &region));
    assert_int_equal(wl_script_compares(&params, region), 0);
    wl_script_init(&script, &params, region, 2, 0, rng_stream(1, "trace", "script"));
    wl_replay_init(&script.replay, &params.replay, region, 512, 0, 0);
    struct wl_step step = wl_script_next(&script, 0, 0);
    assert_int_equal(step.kind, WL_ISSUE);
    assert_int_equal(step.io.direction, WL_READ);
    step = wl_script_next(&script, 0, 1);
    assert_true(step.kind == WL_ISSUE && step.deed == WL_FLUSH);
    assert_int_equal(wl_script_next(&script, 0, 2).kind, WL_WAIT);
    step = wl_script_next(&script, PS_PER_US, 1); /* late: it was due before there was room */
    assert_true(step.kind == WL_ISSUE && step.at == 0 && step.io.direction == WL_WRITE);
    step = wl_script_next(&script, PS_PER_US, 1);
    assert_true(step.kind == WL_SLEEP && step.at == 5 * PS_PER_US);
    assert_int_equal(wl_script_missed(&script, PS_PER_S), 1);
    assert_int_equal(wl_script_next(&script, 5 * PS_PER_US, 1).kind, WL_ISSUE);
    assert_int_equal(wl_script_next(&script, 5 * PS_PER_US, 1).kind, WL_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(version_3_has_times, forget),
        cmocka_unit_test_teardown(version_2_waits, forget),
        cmocka_unit_test_teardown(what_is_left_out_is_told_once_with_its_place, forget),
        cmocka_unit_test_teardown(wrong_lines_are_refused_with_a_place, forget),
        cmocka_unit_test_teardown(what_is_written_is_read_again, forget),
        cmocka_unit_test_teardown(sorting_keeps_those_of_one_time_in_order, forget),
        cmocka_unit_test_teardown(files_are_found_again, forget),
        cmocka_unit_test_teardown(ios_are_due_at_their_times_and_whole_blocks, forget),
        cmocka_unit_test_teardown(speed_and_skip_move_the_times, forget),
        cmocka_unit_test_teardown(each_instance_has_its_share, forget),
        cmocka_unit_test_teardown(a_round_begins_a_mean_gap_after_the_last_io, forget),
        cmocka_unit_test_teardown(what_is_beyond_is_refused_or_folded, forget),
        cmocka_unit_test(what_was_changed_is_told),
        cmocka_unit_test_teardown(a_script_plays_it_as_far_as_its_depth, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
