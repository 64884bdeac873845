/* SPDX-License-Identifier: Apache-2.0
 * Whether an nvme workload fits a namespace, and what is said when it does not; and how a depth is
 * looked for, completion by completion. */
#include "scenarios/workload/wl_depth.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    static const struct {
        int64_t block_size, offset, size, bytes, step;
        const char *row, *why; /* NULL: it fits */
    } rows[] = {
        {4096, 0, 0, 1 << 20, 0, NULL, NULL},
        {4096, 4096, 4096, 8192, 0, NULL, NULL},
        {4096, 4096, 4096, 8191, 0, NULL,
         "the I/Os do not fit the namespace of 8191B in blocks of 4096B, of which 4095B are used"},
        {4096, 8192, 0, 8192, 0, NULL,
         "the I/Os do not fit the namespace of 8192B in blocks of 4096B, of which 0B are used"},
        {4096, 100, 0, 1 << 20, 0, "offset",
         "offset: 100B is not a multiple of the namespace's block, 4096B; nearest: 4096B"},
        {4096, 512, 0, 1 << 20, 0, "offset",
         "offset: 512B is not a multiple of the namespace's block, 4096B; nearest: 4096B"},
        {4096, 4097, 0, 1 << 20, 0, "offset",
         "offset: 4097B is not a multiple of the namespace's block, 4096B; nearest: 4096B and "
         "8192B"},
        {4097, 0, 0, 1 << 20, 0, "block-size",
         "block-size: 4097B is not a multiple of the namespace's block, 4096B; nearest: 4096B and "
         "8192B"},
        {512, 0, 0, 1 << 20, 0, "block-size",
         "block-size: 512B is not a multiple of the namespace's block, 4096B; nearest: 4096B"},
        {8192, 0, 4096, 1 << 20, 0, NULL,
         "the I/Os do not fit the namespace of 1048576B in blocks of 4096B, of which 4096B are "
         "used"},
        /* The third copy of a job begins two steps further on. */
        {4096, 0, 0, 12288, 4096, NULL, NULL},
        {4096, 0, 0, 8192, 4096, NULL,
         "the I/Os do not fit the namespace of 8192B in blocks of 4096B, of which 0B are used"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wl_nvme_params params = {.read = PPM,
                                        .block_size = rows[i].block_size,
                                        .offset = rows[i].offset,
                                        .size = rows[i].size};
        struct workload_space space = {.copy = 2, .block_bytes = 4096, .bytes = rows[i].bytes};
        params.fio.offset_step = rows[i].step;
        const bool fits = wl_nvme_fits(&params, &space);
        assert_int_equal(fits, rows[i].why == NULL);
        if (rows[i].why != NULL)
            assert_string_equal(space.why, rows[i].why);
        if (rows[i].row != NULL)
            assert_string_equal(space.row, rows[i].row);
        else
            assert_null(space.row);
    }
}

/* Latencies of completions that are 10 apart, and the depth after each; "!" when it is found, "v"
 * when it has been lowered. */
static void depths_completion_by_completion(void **state)
{
    (void)state;
    static const struct {
        struct wl_depth_params params;
        time_ps latencies[16];
        const char *depths;
    } searches[] = {
        {{.most = 16, .target = 1, .ppm = PPM}, {1, 1, 1, 1, 1, 1, 1}, "1 2 4 8 16 16 16! 16!"},
        {{.most = 16, .target = 5, .ppm = PPM}, {5, 5, 6, 5, 5, 5, 5}, "1 2 4 3v 3 3! 3! 3!"},
        {{.most = 16, .target = 5, .ppm = PPM}, {6, 6, 5, 5, 5, 5}, "1 1 1 2 4 8 16"},
        {{.most = 16, .target = 5, .ppm = PPM},
         {5, 5, 5, 6, 6, 6, 6, 6, 5, 5, 5},
         "1 2 4 8 6v 5v 4v 3v 2v 2 2! 2!"},
        {{.most = 16, .target = 5, .ppm = PPM},
         {5, 5, 5, 6, 5, 6, 5, 5, 6, 5, 5, 5},
         "1 2 4 8 6v 7 6v 6 6! 5v! 5 5! 5!"},
        {{.most = 3, .target = 5, .ppm = PPM}, {5, 5, 5, 5, 5}, "1 2 3 3 3! 3!"},
        {{.most = 3, .target = 5, .ppm = PPM, .keep = 1},
         {5, 5, 5, 5, 6, 5, 5, 5},
         "1 2 3 3 3 2v 3 3 3"},
        /* A window of three, of which two must be in time. */
        {{.most = 4, .target = 5, .window = 30, .ppm = 666666},
         {5, 6, 5, 6, 6, 5, 5, 5, 5},
         "1 1 1 2 2 2 1v 1 1 1"},
        {{.most = 4, .target = 5, .window = 30, .ppm = 666667},
         {5, 5, 5, 5, 6, 5, 5, 5, 5},
         "1 1 1 2 2 2 1v 1 1 1"},
        {{.most = 4}, {1, 1}, "4 4 4"},
    };
    for (size_t i = 0; i < COUNT(searches); i++) {
        struct wl_depth depth;
        char words[200];
        int used;
        wl_depth_init(&depth, &searches[i].params, 0);
        used = snprintf(words, sizeof words, "%lld", (long long)depth.now);
        for (int k = 0; k < 16 && searches[i].latencies[k] > 0; k++) {
            wl_depth_completed(&depth, 10 * (k + 1), searches[i].latencies[k]);
            used += snprintf(words + used, sizeof words - (size_t)used, " %lld%s%s",
                             (long long)depth.now, wl_depth_lowered(&depth) ? "v" : "",
                             depth.done ? "!" : "");
        }
        assert_string_equal(words, searches[i].depths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(depths_completion_by_completion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
