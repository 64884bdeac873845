/* SPDX-License-Identifier: Apache-2.0
 * test_workload_parts - plans, paces, depths and checks. */
#include "scenarios/workload/wl_check.h"
#include "scenarios/workload/wl_depth.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const struct wl_region megabyte = {.offset = 4096, .bytes = 1 << 20};

static struct rng stream(uint64_t seed)
{
    return rng_stream(seed, "host0", "test");
}

/* Plans. */

static struct wl_plan_params plan_of(bool random, int64_t read_ppm, int64_t bytes)
{
    struct wl_plan_params params = {.random = random, .read_ppm = read_ppm};
    wl_plan_fixed(&params, bytes);
    return params;
}

static void sequential_offsets_follow_each_other_and_wrap(void **state)
{
    static const struct {
        int64_t bytes, stride, zone_bytes, zone_skip;
        int64_t offsets[6];
    } rows[] = {
        {4096, 0, 0, 0, {0, 4096, 8192, 12288, 0, 4096}},
        {4096, 4096, 0, 0, {0, 8192, 0, 8192, 0, 8192}},
        {4096, -8192, 0, 0, {8192, 4096, 0, 8192, 4096, 0}},
        {4096, 0, 4096, 4096, {0, 8192, 0, 8192, 0, 8192}},
        {12288, 0, 0, 0, {0, 0, 0, 0, 0, 0}},
    };
    (void)state;
    for (size_t row = 0; row < LENGTH(rows); row++) {
        struct wl_plan_params params = plan_of(false, PPM, rows[row].bytes);
        params.stride = rows[row].stride;
        params.zone_bytes = rows[row].zone_bytes;
        params.zone_skip = rows[row].zone_skip;
        struct wl_plan plan;
        const struct wl_region region = {.offset = 1 << 20, .bytes = 16384};
        wl_plan_init(&plan, &params, region, stream(1));
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(wl_plan_next(&plan, WL_READ).offset - region.offset,
                             rows[row].offsets[i]);
    }
}

static void random_offsets_are_aligned_inside_and_everywhere(void **state)
{
    (void)state;
    const struct wl_plan_params params = plan_of(true, PPM, 65536);
    struct wl_plan plan;
    wl_plan_init(&plan, &params, megabyte, stream(7));
    int seen[16] = {0};
    for (int i = 0; i < 1600; i++) {
        const struct wl_plan_io io = wl_plan_next(&plan, WL_READ);
        assert_int_equal((io.offset - megabyte.offset) % 65536, 0);
        assert_in_range(io.offset, megabyte.offset, megabyte.offset + megabyte.bytes - 65536);
        seen[(io.offset - megabyte.offset) / 65536]++;
    }
    for (int i = 0; i < 16; i++)
        assert_in_range(seen[i], 60, 140);
}

static void one_direction_never_moves_the_other(void **state)
{
    (void)state;
    const struct wl_plan_params params = plan_of(true, PPM / 2, 4096);
    struct wl_plan alone, mixed;
    wl_plan_init(&alone, &params, megabyte, stream(3));
    wl_plan_init(&mixed, &params, megabyte, stream(3));
    for (int i = 0; i < 50; i++) {
        wl_plan_next(&mixed, WL_READ);
        assert_int_equal(wl_plan_next(&alone, WL_WRITE).offset,
                         wl_plan_next(&mixed, WL_WRITE).offset);
    }
}

static void shares_of_sizes_and_zones_are_kept(void **state)
{
    (void)state;
    struct wl_plan_params params = plan_of(true, PPM, 4096);
    params.sizes[WL_READ] = (struct wl_plan_sizes){
        .count = 2, .total = 100, .entries = {{4096, 4096, 75}, {8192, 16384, 25}}};
    params.zones[WL_READ] = (struct wl_plan_zones){
        .count = 2, .entries = {{.share = 90, .percent = 10}, {.share = 10, .percent = 90}}};
    struct wl_plan plan;
    wl_plan_init(&plan, &params, (struct wl_region){.bytes = 100 << 20}, stream(11));
    int small = 0, hot = 0, sixteen = 0;
    for (int i = 0; i < 10000; i++) {
        const struct wl_plan_io io = wl_plan_next(&plan, WL_READ);
        small += io.bytes == 4096;
        sixteen += io.bytes == 16384;
        hot += io.offset < 10 << 20;
    }
    assert_in_range(small, 7350, 7650);
    assert_in_range(sixteen, 1130, 1370); /* half of a quarter */
    assert_in_range(hot, 8850, 9150);
}

/* Each zone begins where those before it end, takes its share, and is used to both of its ends. */
static void zones_lie_behind_each_other(void **state)
{
    (void)state;
    static const struct wl_plan_zone zones[] = {{20, 30, 0}, {50, 10, 0}, {30, 60, 0}};
    static const int64_t ends[] = {30, 40, 100};
    enum { BLOCKS = 100 * 64, DRAWS = 20000 };
    struct wl_plan_params params = plan_of(true, PPM, 4096);
    params.zones[WL_READ].count = 3;
    memcpy(params.zones[WL_READ].entries, zones, sizeof zones);
    struct wl_plan plan;
    wl_plan_init(&plan, &params, (struct wl_region){.bytes = BLOCKS * 4096}, stream(13));
    int64_t hits[3] = {0}, first[3] = {BLOCKS, BLOCKS, BLOCKS}, last[3] = {0};
    for (int i = 0; i < DRAWS; i++) {
        const int64_t at = wl_plan_next(&plan, WL_READ).offset / 4096;
        const int zone = (at >= ends[0] * 64) + (at >= ends[1] * 64);
        hits[zone]++;
        first[zone] = at < first[zone] ? at : first[zone];
        last[zone] = at > last[zone] ? at : last[zone];
    }
    for (int i = 0; i < 3; i++) {
        const int64_t begin = i == 0 ? 0 : ends[i - 1] * 64, end = ends[i] * 64;
        assert_in_range(hits[i], DRAWS * zones[i].share / 100 - 300,
                        DRAWS * zones[i].share / 100 + 300);
        assert_in_range(first[i], begin, begin + 5);
        assert_in_range(last[i], end - 6, end - 1);
    }
}

static void a_run_goes_on_from_each_drawn_offset(void **state)
{
    (void)state;
    struct wl_plan_params params = plan_of(true, PPM, 4096);
    params.run = 4;
    struct wl_plan plan;
    wl_plan_init(&plan, &params, (struct wl_region){.bytes = INT64_C(1) << 40}, stream(5));
    int64_t last = -1;
    for (int i = 0; i < 40; i++) {
        const int64_t offset = wl_plan_next(&plan, WL_READ).offset;
        if (i % 4 != 0)
            assert_int_equal(offset, last + 4096);
        else
            assert_true(offset != last + 4096);
        last = offset;
    }
}

static void regions_are_cut_and_judged(void **state)
{
    static const struct {
        int64_t offset, bytes, block, io;
        int64_t got; /* -1: not possible */
    } rows[] = {
        {0, 0, 512, 4096, 1 << 20},    {4096, 0, 512, 4096, (1 << 20) - 4096},
        {0, 65536, 4096, 4096, 65536}, {0, 2 << 20, 512, 4096, 1 << 20},
        {0, 0, 4096, 512, -1},         {512, 0, 4096, 4096, -1},
        {1 << 20, 0, 512, 4096, -1},   {0, 4096, 512, 8192, -1},
        {2 << 20, 0, 512, 4096, -1},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct wl_plan_params params = plan_of(true, PPM, rows[i].io);
        const struct wl_region whole = {.bytes = 1 << 20};
        const struct wl_region wanted = {.offset = rows[i].offset, .bytes = rows[i].bytes};
        struct wl_region region;
        const bool good = wl_plan_region(&params, rows[i].block, whole, wanted, &region);
        assert_int_equal(good, rows[i].got >= 0);
        if (good)
            assert_int_equal(region.bytes, rows[i].got);
    }
}

static void only_whole_blocks_of_one_size_are_uniform(void **state)
{
    (void)state;
    struct wl_plan_params params = plan_of(true, PPM / 2, 4096);
    assert_int_equal(wl_plan_uniform(&params), 4096);
    params.align[WL_READ] = 512;
    assert_int_equal(wl_plan_uniform(&params), 0);
    params.align[WL_READ] = 0;
    params.sizes[WL_WRITE].entries[0].high = 8192;
    assert_int_equal(wl_plan_uniform(&params), 0);
    params.read_ppm = PPM; /* writes have no say then */
    assert_int_equal(wl_plan_uniform(&params), 4096);
}

/* Paces. */

static void even_paces_are_exact_without_drift(void **state)
{
    static const int64_t rates[] = {1, 3, 7, 1000, 333333, 999999937, 1000000000};
    (void)state;
    for (size_t i = 0; i < LENGTH(rates); i++) {
        struct wl_pace pace;
        const time_ps start = 5 * PS_PER_MS;
        wl_pace_init(&pace, rates[i], false, start, stream(9), 1);
        const time_ps phase = pace.due - start;
        assert_in_range(phase, 0, PS_PER_S / rates[i]);
        for (int64_t n = 0; n < 10000; n++) {
            const time_ps due = wl_pace_take(&pace, 1);
            assert_int_equal(due, start + phase + (time_ps)((__int128)n * PS_PER_S / rates[i]));
        }
    }
}

/* Half an event per second is one every two; whole ones are due when they always were. */
static void a_rate_may_be_a_fraction(void **state)
{
    (void)state;
    struct wl_pace half, whole, bare;
    wl_pace_init(&half, WL_PACE_EVENT / 2, false, 0, stream(3), WL_PACE_EVENT);
    const time_ps first = wl_pace_take(&half, WL_PACE_EVENT);
    assert_in_range(first, 0, 2 * PS_PER_S);
    assert_int_equal(wl_pace_count(&half, first + 7 * PS_PER_S, WL_PACE_EVENT), 3);
    for (int64_t n = 1; n < 1000; n++)
        assert_int_equal(wl_pace_take(&half, WL_PACE_EVENT), first + n * 2 * PS_PER_S);
    for (int poisson = 0; poisson < 2; poisson++) {
        wl_pace_init(&whole, 7 * WL_PACE_EVENT, poisson, 0, stream(3), WL_PACE_EVENT);
        wl_pace_init(&bare, 7, poisson, 0, stream(3), 1);
        for (int64_t n = 0; n < 1000; n++)
            assert_int_equal(wl_pace_take(&whole, WL_PACE_EVENT), wl_pace_take(&bare, 1));
    }
}

static void a_rate_in_bytes_is_spent_by_size(void **state)
{
    (void)state;
    struct wl_pace pace;
    wl_pace_init(&pace, 1000, false, 0, stream(2), 4096);
    const time_ps first = wl_pace_take(&pace, 4096);
    assert_int_equal(wl_pace_take(&pace, 1000), first + 4096 * PS_PER_MS);
    assert_int_equal(wl_pace_take(&pace, 1), first + 5096 * PS_PER_MS);
}

static void poisson_gaps_have_their_mean_and_spread(void **state)
{
    (void)state;
    struct wl_pace pace;
    wl_pace_init(&pace, 1000, true, 0, stream(4), 1);
    time_ps last = wl_pace_take(&pace, 1);
    const time_ps begin = last;
    const int draws = 100000;
    int longer = 0; /* than the mean: exp(-1) = 36.8 % */
    for (int i = 0; i < draws; i++) {
        const time_ps due = wl_pace_take(&pace, 1);
        longer += due - last > PS_PER_MS;
        last = due;
    }
    assert_in_range((last - begin) / draws, PS_PER_MS * 99 / 100, PS_PER_MS * 101 / 100);
    assert_in_range(longer, draws * 362 / 1000, draws * 374 / 1000);
}

static void what_is_due_can_be_counted(void **state)
{
    (void)state;
    struct wl_pace pace;
    wl_pace_init(&pace, 7, false, 0, stream(1), 1);
    for (int start = 0; start < 5; start++) {
        for (time_ps until = 0; until < 3 * PS_PER_S; until += 12345678901) {
            struct wl_pace copy = pace;
            uint64_t counted = 0;
            while (wl_pace_take(&copy, 1) < until)
                counted++;
            assert_int_equal(wl_pace_count(&pace, until, 1), counted);
        }
        wl_pace_take(&pace, 1);
    }
}

/* Depths. */

static void the_depth_is_found_by_doubling_and_bisecting(void **state)
{
    (void)state;
    struct wl_depth depth;
    const struct wl_depth_params params = {
        .most = 64, .target = 1000, .window = 100000, .ppm = 900000};
    wl_depth_init(&depth, &params, 0);
    assert_int_equal(depth.now, 1);
    /* The device keeps the target up to 20 under way. */
    time_ps now = 0;
    for (int i = 0; i < 20000 && !depth.done; i++) {
        now += 1000;
        wl_depth_completed(&depth, now, depth.now <= 20 ? 900 : 1100);
    }
    assert_true(depth.done);
    assert_int_equal(depth.now, 20);
}

static void one_late_io_is_enough_at_100_percent(void **state)
{
    (void)state;
    struct wl_depth depth;
    const struct wl_depth_params params = {.most = 8, .target = 10, .window = 100, .ppm = PPM};
    wl_depth_init(&depth, &params, 0);
    wl_depth_completed(&depth, 100, 5);
    assert_int_equal(depth.now, 2);
    wl_depth_completed(&depth, 110, 11);
    assert_int_equal(depth.now, 1);
    assert_true(wl_depth_lowered(&depth));
    assert_false(wl_depth_lowered(&depth));
    wl_depth_completed(&depth, 120, 11);
    assert_int_equal(depth.now, 1); /* stays */
    assert_false(wl_depth_lowered(&depth));
}

static void without_a_target_the_depth_is_constant(void **state)
{
    (void)state;
    struct wl_depth depth;
    const struct wl_depth_params params = {.most = 8};
    wl_depth_init(&depth, &params, 0);
    wl_depth_completed(&depth, 1, 1);
    assert_int_equal(depth.now, 8);
}

/* Checks. */

static void reads_are_judged_only_when_certain(void **state)
{
    (void)state;
    struct wl_check check;
    wl_check_init(&check, 5, 4096, 1 << 20);
    assert_int_equal(wl_check_read(&check, 8192).content, 0); /* never written */
    const uint32_t tag = wl_check_tag(&check), other = wl_check_tag(&check);
    assert_true(tag != other);
    wl_check_write(&check, 8192, tag);
    assert_int_equal(wl_check_read(&check, 8192).content, 0); /* under way */
    wl_check_written(&check, 8192, true);
    const struct wl_expectation expected = wl_check_read(&check, 8192);
    assert_int_equal(expected.content, tag);
    assert_true(wl_check_good(&check, 8192, expected, tag));
    assert_false(wl_check_good(&check, 8192, expected, other));
    assert_false(wl_check_good(&check, 8192, expected, 0));
    assert_true(wl_check_good(&check, 8192, expected, 6u << 12 | 1)); /* another instance's */
    assert_true(wl_check_good(&check, 8192, expected, UINT32_MAX));   /* not known */
    wl_check_write(&check, 8192, other);
    assert_true(wl_check_good(&check, 8192, expected, other)); /* overtaken */
    wl_check_written(&check, 8192, false);
    assert_int_equal(wl_check_read(&check, 8192).content, 0); /* the write failed */
    wl_check_fini(&check);
}

static void displaced_blocks_are_forgotten(void **state)
{
    (void)state;
    struct wl_check check;
    const int64_t alias = INT64_C(4096) * WL_CHECK_ENTRIES_MAX;
    wl_check_init(&check, 5, 4096, 1 << 20);
    wl_check_write(&check, 0, wl_check_tag(&check));
    wl_check_write(&check, alias, wl_check_tag(&check)); /* the place is busy */
    wl_check_written(&check, alias, true);
    assert_int_equal(wl_check_read(&check, alias).content, 0);
    wl_check_written(&check, 0, true);
    assert_true(wl_check_read(&check, 0).content != 0);
    wl_check_write(&check, alias, wl_check_tag(&check));
    wl_check_written(&check, alias, true);
    assert_int_equal(wl_check_read(&check, 0).content, 0);
    assert_true(wl_check_read(&check, alias).content != 0);
    wl_check_fini(&check);
}

static void nothing_is_compared_without_a_number(void **state)
{
    (void)state;
    struct wl_check check;
    wl_check_init(&check, 0, 4096, 100);
    const uint32_t tag = wl_check_tag(&check);
    assert_true(tag != 0);
    wl_check_write(&check, 0, tag);
    wl_check_written(&check, 0, true);
    assert_int_equal(wl_check_read(&check, 0).content, 0);
    wl_check_fini(&check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_offsets_follow_each_other_and_wrap),
        cmocka_unit_test(random_offsets_are_aligned_inside_and_everywhere),
        cmocka_unit_test(one_direction_never_moves_the_other),
        cmocka_unit_test(shares_of_sizes_and_zones_are_kept),
        cmocka_unit_test(zones_lie_behind_each_other),
        cmocka_unit_test(a_run_goes_on_from_each_drawn_offset),
        cmocka_unit_test(regions_are_cut_and_judged),
        cmocka_unit_test(only_whole_blocks_of_one_size_are_uniform),
        cmocka_unit_test(even_paces_are_exact_without_drift),
        cmocka_unit_test(a_rate_may_be_a_fraction),
        cmocka_unit_test(a_rate_in_bytes_is_spent_by_size),
        cmocka_unit_test(poisson_gaps_have_their_mean_and_spread),
        cmocka_unit_test(what_is_due_can_be_counted),
        cmocka_unit_test(the_depth_is_found_by_doubling_and_bisecting),
        cmocka_unit_test(one_late_io_is_enough_at_100_percent),
        cmocka_unit_test(without_a_target_the_depth_is_constant),
        cmocka_unit_test(reads_are_judged_only_when_certain),
        cmocka_unit_test(displaced_blocks_are_forgotten),
        cmocka_unit_test(nothing_is_compared_without_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
