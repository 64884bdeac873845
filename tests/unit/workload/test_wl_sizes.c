/* SPDX-License-Identifier: Apache-2.0
 * test_wl_sizes - distributions of message sizes: their tables, their file, what is drawn. */
#include "scenarios/workload/wl_sizes.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct diag diag;

static const struct wl_sizes *of_text(const char *text)
{
    diag = (struct diag){0};
    fuzz_input("sizes", text, strlen(text));
    return wl_sizes_read(&arena, tree_hold(&arena, "s", text, strlen(text)), &diag);
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

/* Of so many: their mean. */
static int64_t mean_of(const struct wl_sizes *sizes, int count)
{
    struct rng rng = rng_stream(1, "test", "sizes");
    __int128 sum = 0;
    for (int i = 0; i < count; i++) {
        const int64_t bytes = wl_sizes_draw(sizes, &rng);
        assert_in_range(bytes, 1, wl_sizes_largest(sizes));
        sum += bytes;
    }
    return (int64_t)(sum / count);
}

static void published_tables(void **state)
{
    (void)state;
    const struct wl_sizes *web = wl_sizes_named(WL_SIZES_WEB_SEARCH);
    const struct wl_sizes *storage = wl_sizes_named(WL_SIZES_STORAGE);
    assert_null(wl_sizes_named(WL_SIZES_FIXED));
    assert_int_equal(wl_sizes_largest(web), 30000000);
    assert_int_equal(wl_sizes_largest(storage), 2000000);
    /* By hand: of each pair of points the middle, times the share between them. */
    assert_int_equal(wl_sizes_mean(web), 1711250);
    assert_int_equal(wl_sizes_mean(storage), 40869);
    const int64_t a_hundredth = 1711250 / 100;
    assert_in_range(mean_of(web, 400000), 1711250 - a_hundredth, 1711250 + a_hundredth);
    assert_in_range(mean_of(storage, 400000), 40869 - 408, 40869 + 408);
    const struct wl_sizes *const both[] = {web, storage};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(both[k]->points[0].share, 0);
        assert_int_equal(both[k]->points[both[k]->count - 1].share, WL_SIZES_ALL);
        for (uint32_t i = 1; i < both[k]->count; i++)
            assert_true(both[k]->points[i].bytes > both[k]->points[i - 1].bytes &&
                        both[k]->points[i].share > both[k]->points[i - 1].share);
    }
}

static void a_file_of_ones_own(void **state)
{
    (void)state;
    const struct wl_sizes *sizes =
        of_text("# mine\n0 0\n1000, 25.5\n\n1000 50 # a step\n9000\t100\r\n");
    assert_non_null(sizes);
    assert_int_equal(sizes->count, 4);
    assert_int_equal(sizes->points[1].share, 255000000);
    assert_int_equal(sizes->points[2].share, 500000000);
    /* 500 * 0.255 + 1000 * 0.245 + 5000 * 0.5 */
    assert_int_equal(wl_sizes_mean(sizes), 2872);
    assert_in_range(mean_of(sizes, 100000), 2872 - 29, 2872 + 29);
}

static void sizes_that_do_not_begin_at_nothing(void **state)
{
    (void)state;
    const struct wl_sizes *sizes = of_text("4096 30\n8192 100\n");
    assert_non_null(sizes);
    struct rng rng = rng_stream(1, "test", "sizes");
    int least = 0;
    for (int i = 0; i < 10000; i++) {
        const int64_t bytes = wl_sizes_draw(sizes, &rng);
        assert_in_range(bytes, 4096, 8192);
        least += bytes == 4096;
    }
    assert_in_range(least, 2800, 3200);
    const struct wl_sizes *one = of_text("1 100\n");
    assert_int_equal(wl_sizes_mean(one), 1);
    assert_int_equal(mean_of(one, 100), 1);
}

static void refused(const char *text, int line, int column, const char *why)
{
    assert_null(of_text(text));
    if (strstr(diag.messages[0].text, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, diag.messages[0].text);
    assert_int_equal(diag.messages[0].place.line, line);
    assert_int_equal(diag.messages[0].place.column, column);
}

static void files_that_are_wrong(void **state)
{
    (void)state;
    refused("", 1, 1, "the last of them 100");
    refused("10 50\n", 1, 1, "the last of them 100");
    refused("0 100\n", 1, 1, "the last of them 100");
    refused("10 50\n5 100\n", 2, 1, "that rise");
    refused("10 50\n20 40\n", 2, 1, "that rise");
    refused("ten 50\n", 1, 1, "expected a size in bytes");
    refused("1.5 50\n", 1, 1, "expected a size in bytes");
    refused("1073741825 100\n", 1, 1, "expected a size in bytes");
    refused("99999999999999999999 100\n", 1, 1, "expected a size in bytes");
    refused("10 101\n", 1, 4, "expected the percentage");
    refused("10 -1\n", 1, 4, "expected the percentage");
    refused("10 5.\n", 1, 4, "expected the percentage");
    refused("10 .5\n", 1, 4, "expected the percentage");
    refused("10 5.5.5\n", 1, 4, "expected the percentage");
    refused("10\n", 1, 3, "expected the percentage");
    refused("10 50 60\n", 1, 7, "expected two numbers a line");
    assert_non_null(of_text("10 50.123456789123\n1073741824 100.000\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(published_tables, end),
        cmocka_unit_test_teardown(a_file_of_ones_own, end),
        cmocka_unit_test_teardown(sizes_that_do_not_begin_at_nothing, end),
        cmocka_unit_test_teardown(files_that_are_wrong, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
