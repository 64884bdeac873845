/* SPDX-License-Identifier: Apache-2.0
 * Scripts step by step: what each asks for, where and when, in one line a script. */
#include "scenarios/workload/wl_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { BLOCK = 4096, AT = 16 * BLOCK };

/* Steps as words: "r2" reads block 2 of the region, "w2" writes it, "b2" reads it back, ".7" waits
 * until 7, "-" waits for a completion, "!" is the end.  A latency is 10 for each under way. */
static void append(char *words, size_t size, const struct wl_step *step)
{
    const size_t used = strlen(words);
    char *end = words + used;
    const long long at = (long long)(step->io.offset - AT) / BLOCK;
    if (step->kind == WL_ISSUE && step->deed == WL_FLUSH)
        snprintf(end, size - used, "%sf", used > 0 ? " " : "");
    else if (step->kind == WL_ISSUE)
        snprintf(end, size - used, "%s%c%lld", used > 0 ? " " : "",
                 step->read_back                 ? 'b'
                 : step->io.direction == WL_READ ? 'r'
                                                 : 'w',
                 at);
    else if (step->kind == WL_SLEEP)
        snprintf(end, size - used, " .%lld", (long long)step->at);
    else
        snprintf(end, size - used, " %c", step->kind == WL_WAIT ? '-' : '!');
}

/* A device serves one after the other, 10 each, and issues as many as the script lets it. */
static void play(const struct wl_nvme_params *params, int64_t blocks, char *words, size_t size)
{
    struct wl_script script;
    const struct wl_region region = {.offset = AT, .bytes = blocks * BLOCK};
    time_ps now = 0;
    int64_t under_way = 0;
    words[0] = '\0';
    wl_script_init(&script, params, region, params->queue_depth, 0, rng_stream(1, "host0", "test"));
    for (int steps = 0; steps < 60; steps++) {
        const struct wl_step step = wl_script_next(&script, now, under_way);
        append(words, size, &step);
        if (step.kind == WL_END)
            return;
        if (step.kind == WL_ISSUE) {
            assert_int_equal(step.io.bytes, step.deed == WL_FLUSH ? 0 : BLOCK);
            assert_true(step.deed == WL_TRANSFER || step.deed == WL_FLUSH);
            under_way++;
            continue;
        }
        now = step.kind == WL_SLEEP ? step.at : now + 10;
        if (step.kind == WL_WAIT) {
            assert_true(under_way > 0);
            wl_script_completed(&script, now, 10 * under_way--);
        }
    }
}

#define RANDOM .read = PPM, .block_size = BLOCK, .queues = 1
#define READS  RANDOM, .pattern = WL_NVME_SEQUENTIAL
#define WRITES .block_size = BLOCK, .queues = 1, .pattern = WL_NVME_SEQUENTIAL

static const struct {
    struct wl_nvme_params params;
    int64_t blocks;
    const char *words;
} scripts[] = {
    {{READS, .queue_depth = 1, .count = 1}, 4, "r0 - !"},
    {{READS, .queue_depth = 2, .count = 5}, 4, "r0 r1 - r2 - r3 - r0 - !"},
    {{WRITES, .queue_depth = 2, .count = 3}, 1, "w0 w0 - w0 - !"},
    {{RANDOM, .queue_depth = 1, .fio = {.loop_ios = 3, .loops = 2}},
     8,
     "r6 - r3 - r3 - r5 - r4 - r0 - !"},
    {{.block_size = BLOCK, .queues = 1, .queue_depth = 2, .count = 3, .fio = {.verify_backlog = 2}},
     8,
     "w3 w7 - - b3 b7 - w1 - - b1 !"},
    /* A loop begins where the one before began, whatever it had reached. */
    {{READS, .queue_depth = 1, .fio = {.loop_ios = 3, .loops = 2}},
     8,
     "r0 - r1 - r2 - r0 - r1 - r2 - !"},
    {{READS, .queue_depth = 1, .fio = {.io_bytes = 2 * BLOCK, .loops = 3}},
     8,
     "r0 - r1 - r0 - r1 - r0 - r1 - !"},
    {{READS, .queue_depth = 1, .fio = {.io_bytes = 2 * BLOCK + 1, .loops = 1}},
     8,
     "r0 - r1 - r2 - !"},
    {{READS, .queue_depth = 1, .fio = {.io_bytes = 2 * BLOCK - 1}}, 8, "r0 - r1 - !"},
    {{READS, .queue_depth = 1, .fio = {.io_bytes = WL_NVME_ONE_PASS, .loops = 2}},
     3,
     "r0 - r1 - r2 - r0 - r1 - r2 - !"},
    /* The count holds for all loops. */
    {{READS, .queue_depth = 1, .count = 4, .fio = {.loop_ios = 3, .loops = 2}},
     8,
     "r0 - r1 - r2 - r0 - !"},
    {{READS, .queue_depth = 1, .count = 6, .fio = {.loop_ios = 3, .loops = 3}},
     8,
     "r0 - r1 - r2 - r0 - r1 - r2 - !"},
    /* What is written is read back: by twos, what is left at the end, once more in each loop. */
    {{WRITES, .queue_depth = 2, .count = 3, .fio = {.verify_backlog = 2}},
     8,
     "w0 w1 - - b0 b1 - w2 - - b2 !"},
    {{WRITES, .queue_depth = 2, .count = 4, .fio = {.verify_backlog = 2}},
     8,
     "w0 w1 - - b0 b1 - w2 - w3 - - b2 b3 - !"},
    {{WRITES, .queue_depth = 1, .count = 3, .fio = {.verify_backlog = INT64_MAX}},
     8,
     "w0 - w1 - w2 - b0 - b1 - b2 - !"},
    {{WRITES, .queue_depth = 2, .fio = {.loop_ios = 3, .loops = 2, .verify_backlog = INT64_MAX}},
     8,
     "w0 w1 - w2 - - b0 b1 - b2 - w0 - w1 - w2 - - b0 b1 - b2 - !"},
    {{WRITES, .queue_depth = 2, .fio = {.loop_ios = 2, .loops = 2, .verify_backlog = 1}},
     8,
     "w0 - b0 w1 - - b1 w0 - - b0 w1 - - b1 !"},
    /* A Flush ("f") after each second write, or third; none after the last, as in fio. */
    {{WRITES, .queue_depth = 1, .count = 5, .fio = {.flush_writes = {2, 0}}},
     8,
     "w0 - w1 - f - w2 - w3 - f - w4 - !"},
    {{WRITES, .queue_depth = 2, .count = 4, .fio = {.flush_writes = {2, 0}}},
     8,
     "w0 w1 - f - w2 - w3 - !"},
    {{WRITES, .queue_depth = 1, .count = 7, .fio = {.flush_writes = {2, 3}}},
     8,
     "w0 - w1 - f - w2 - f - w3 - f - w4 - w5 - f - w6 - !"},
    {{READS, .queue_depth = 1, .count = 3, .fio = {.flush_writes = {1, 1}}}, 8, "r0 - r1 - r2 - !"},
    /* Think time, after one, after two, and beside a batch that is read back. */
    {{READS, .queue_depth = 2, .count = 3, .think_time = 100}, 8, "r0 r1 - - .120 r2 !"},
    {{READS, .queue_depth = 1, .count = 5, .think_time = 100, .fio = {.think_blocks = 2}},
     8,
     "r0 - r1 - .120 r2 - r3 - .240 r4 - !"},
    {{WRITES, .queue_depth = 1, .count = 2, .think_time = 100, .fio = {.verify_backlog = 1}},
     8,
     "w0 - .110 b0 - .220 w1 - .330 b1 - .440 !"},
    {{WRITES, .queue_depth = 1, .count = 3, .think_time = 100,
      .fio = {.think_blocks = 2, .verify_backlog = 1}},
     8,
     "w0 - b0 - .120 w1 - b1 - .240 w2 - b2 - .360 !"},
    {{WRITES, .queue_depth = 1, .count = 4, .think_time = 100, .fio = {.verify_backlog = 2}},
     8,
     "w0 - .110 w1 - .220 b0 - .330 b1 - .440 w2 - .550 w3 - .660 b2 - .770 b3 - .880 !"},
    {{READS, .queue_depth = 1, .fio = {.loop_ios = 1, .loops = 2}}, 8, "r0 - r0 - !"},
    /* The depth is found: what is under way when it is lowered comes back first. */
    {{READS, .queue_depth = 4, .count = 20,
      .fio = {.latency_target = 20, .latency_window = 20, .latency_ppm = PPM}},
     8,
     "r0 - r1 - r2 r3 - r4 - r5 r6 r7 - - - - r0 r1 - r2 - !"},
    {{READS, .queue_depth = 4, .count = 20,
      .fio = {.latency_target = 20, .latency_window = 20, .latency_ppm = PPM, .latency_keep = 1}},
     8,
     "r0 - r1 - r2 r3 - r4 - r5 r6 r7 - - - - r0 r1 - r2 - r3 - r4 - r5 - r6 - r7 - r0 - r1 - r2 - "
     "r3 - !"},
};

static void scripts_step_by_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        char words[400];
        play(&scripts[i].params, scripts[i].blocks, words, sizeof words);

        assert_string_equal(words, scripts[i].words);
    }
}

/* A rate: the first is due within a period, each next one a period later; what was due and is not
 * issued is missed, but never more than the count has left. */
static void rates_and_what_they_missed(void **state)
{
    (void)state;
    static const struct {
        int64_t read, rate, iops[2], bytes[2], count;
        time_ps stop;
        uint64_t missed;
    } rows[] = {
        {PPM, 1000 * WL_PACE_EVENT, {0}, {0}, 0, PS_PER_S, 1000},
        {PPM, 1000 * WL_PACE_EVENT, {0}, {0}, 999, PS_PER_S, 999},
        {PPM, 1000 * WL_PACE_EVENT, {0}, {0}, 1001, PS_PER_S, 1000},
        {PPM / 2, 1000 * WL_PACE_EVENT, {0}, {0}, 0, PS_PER_S, 1000},
        {PPM, 0, {100, 50}, {0}, 0, PS_PER_S, 100},
        {0, 0, {100, 50}, {0}, 0, PS_PER_S, 50},
        {PPM / 2, 0, {100, 50}, {0}, 0, PS_PER_S, 150},
        {PPM / 2, 0, {100, 0}, {0, BLOCK * 7}, 0, PS_PER_S, 107},
        {PPM / 2, 0, {0}, {0}, 0, PS_PER_S, 0},
        /* Of two rates of one direction the one in bytes is kept. */
        {PPM, 0, {100, 0}, {BLOCK * 7, 0}, 0, PS_PER_S, 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wl_nvme_params params = {
            .read = rows[i].read, .block_size = BLOCK, .queue_depth = 1, .queues = 1};
        params.rate = rows[i].rate;
        params.count = rows[i].count;
        memcpy(params.fio.rate_iops, rows[i].iops, sizeof rows[i].iops);
        memcpy(params.fio.rate_bytes, rows[i].bytes, sizeof rows[i].bytes);
        struct wl_script script;
        const struct wl_region region = {.offset = 0, .bytes = 8 * BLOCK};
        wl_script_init(&script, &params, region, 1, 0, rng_stream(1, "host0", "test"));
        assert_int_equal(wl_script_missed(&script, rows[i].stop), rows[i].missed);
    }
}

static void an_open_loop_is_due_one_by_one(void **state)
{
    (void)state;
    static const int64_t reads[] = {PPM, PPM / 2, 0};
    for (size_t r = 0; r < COUNT(reads); r++) {
        const struct wl_nvme_params params = {.read = reads[r],
                                              .block_size = BLOCK,
                                              .queue_depth = 2,
                                              .count = 30,
                                              .rate = 1000 * WL_PACE_EVENT};
        const struct wl_region region = {.offset = 0, .bytes = 8 * BLOCK};
        struct wl_script script;
        wl_script_init(&script, &params, region, 2, 5, rng_stream(1, "host0", "test"));
        const time_ps first = wl_script_next(&script, 5, 0).at;
        assert_int_equal(first, 957834776);
        for (int i = 0; i < 30; i++) { /* asked too early, then late: due when it was */
            const time_ps due = first + i * PS_PER_MS;
            assert_int_equal(wl_script_missed(&script, due + 1), 1);
            assert_int_equal(wl_script_missed(&script, due), 0);
            assert_int_equal(wl_script_missed(&script, PS_PER_S), 30 - i);
            struct wl_step step = wl_script_next(&script, due - 1, 0);
            assert_int_equal(step.kind, WL_SLEEP);
            assert_int_equal(step.at, due);
            assert_int_equal(wl_script_next(&script, due + 1, 2).kind, WL_WAIT);
            step = wl_script_next(&script, due + 1, 1);
            assert_int_equal(step.kind, WL_ISSUE);
            assert_int_equal(step.at, due);
        }
        assert_int_equal(wl_script_next(&script, first, 0).kind, WL_END);
    }
}

/* The part of a namespace: from `offset` on, and as much as is wanted or there. */
static void the_region_is_cut(void **state)
{
    (void)state;
    const struct wl_nvme_params params = {READS};
    const struct wl_region whole = {.offset = 0, .bytes = 8 * BLOCK};
    struct wl_region region;
    assert_true(wl_script_region(&params, 512, whole, (struct wl_region){0, 0}, &region));
    assert_int_equal(region.bytes, 8 * BLOCK);
    assert_true(
        wl_script_region(&params, 512, whole, (struct wl_region){BLOCK, 2 * BLOCK}, &region));
    assert_int_equal(region.offset, BLOCK);
    assert_int_equal(region.bytes, 2 * BLOCK);
    assert_false(wl_script_region(&params, 512, whole, (struct wl_region){0, BLOCK - 1}, &region));
    assert_true(wl_script_region(&params, BLOCK, whole, (struct wl_region){0, BLOCK}, &region));
    assert_false(wl_script_region(&params, 2 * BLOCK, whole, (struct wl_region){0, 0}, &region));
}

/* Reads can be compared where writes come back to the same blocks whole. */
static void what_is_compared(void **state)
{
    (void)state;
    static const struct {
        int64_t read, backlog, offset, bytes;
    } rows[] = {
        {PPM / 2, 0, 0, BLOCK}, {PPM, 0, 0, 0},
        {0, 0, 0, 0},           {0, 1, 0, BLOCK},
        {1, 0, 0, BLOCK},       {PPM - 1, 0, 0, BLOCK},
        {PPM / 2, 0, 512, 0},   {PPM / 2, 0, BLOCK, BLOCK},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wl_nvme_params params = {.read = rows[i].read, .block_size = BLOCK};
        params.fio.verify_backlog = rows[i].backlog;
        const struct wl_region region = {.offset = rows[i].offset, .bytes = 8 * BLOCK};
        assert_int_equal(wl_script_compares(&params, region), rows[i].bytes);
    }
}

/* Whatever the mix proposes: a comparison goes where a read would, what clears where a write
 * would. */
static void deeds_have_their_direction(void **state)
{
    (void)state;
    static const struct {
        struct wl_nvme_params params;
        enum wl_deed deed;
        enum wl_direction direction;
    } rows[] = {
        {{WRITES, .queue_depth = 1, .count = 9, .compare = PPM}, WL_COMPARE, WL_READ},
        {{READS, .queue_depth = 1, .count = 9, .write_zeroes = PPM}, WL_ZERO, WL_WRITE},
        {{READS, .queue_depth = 1, .count = 9, .deallocate = PPM}, WL_DEALLOCATE, WL_WRITE},
        {{READS, .queue_depth = 1, .count = 9, .flush = PPM}, WL_FLUSH, WL_WRITE},
        {{READS, .queue_depth = 1, .count = 9}, WL_TRANSFER, WL_READ},
        {{WRITES, .queue_depth = 1, .count = 9}, WL_TRANSFER, WL_WRITE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wl_script script;
        const struct wl_region region = {.offset = AT, .bytes = 64 * BLOCK};
        wl_script_init(&script, &rows[i].params, region, 1, 0, rng_stream(1, "host0", "test"));
        const struct wl_step step = wl_script_next(&script, 0, 0);
        assert_int_equal(step.kind, WL_ISSUE);
        assert_int_equal(step.deed, rows[i].deed);
        assert_int_equal(step.io.direction, rows[i].direction);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_step_by_step),
        cmocka_unit_test(rates_and_what_they_missed),
        cmocka_unit_test(an_open_loop_is_due_one_by_one),
        cmocka_unit_test(the_region_is_cut),
        cmocka_unit_test(what_is_compared),
        cmocka_unit_test(deeds_have_their_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
