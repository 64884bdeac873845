/* SPDX-License-Identifier: Apache-2.0
 * Skewed offsets against fio: its fio-genzipf for the shares, libm for the powers. */
#include "base/power.h"
#include "base/skew.h"
#include "scenarios/workload/wl_plan.h"

#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static struct rng stream(uint64_t seed)
{
    return rng_stream(seed, "host0", "test");
}

static void powers_are_those_of_libm(void **state)
{
    (void)state;
    for (uint64_t x = 1; x < UINT64_MAX / 3; x = 2 * x + x / 7 + 1) {
        const double log = (double)log2_q32(x) / 4294967296.0;
        if (fabs(log - log2((double)x)) > 1e-9)
            fail_msg("log2 %llu: %.12g", (unsigned long long)x, log);
    }
    for (double e = 0; e < 61; e += 0.137) {
        const int64_t q = (int64_t)(e * 4294967296.0);
        if (fabs((double)exp2_whole(q) - exp2(e)) > 1 + 1e-8 * exp2(e))
            fail_msg("2^%g: %.17g", e, (double)exp2_whole(q));
        if (fabs((double)exp2_negative_q60(q) * 0x1p-60 - exp2(-e)) > 0x1p-59 + 1e-8 * exp2(-e))
            fail_msg("2^-%g: %.17g", e, (double)exp2_negative_q60(q) * 0x1p-60);
    }
    assert_int_equal(exp2_whole(-1), 0);
    assert_int_equal(exp2_negative_q60(0), INT64_C(1) << 60);
    assert_int_equal(exp2_negative_q60(INT64_C(61) << 32), 0);
}

/* fio's own lines (lib/zipf.c) in the floating point of libm, for the same share. */
static double zipf_of_fio(double n, double theta, double share)
{
    double zetan = 0;
    for (double i = 1; i <= n; i++)
        zetan += pow(1 / i, theta);
    const double zeta2 = 1 + pow(0.5, theta), alpha = 1 / (1 - theta);
    const double eta = (1 - pow(2 / n, 1 - theta)) / (1 - zeta2 / zetan), z = share * zetan;
    return z < 1 ? 0 : z < zeta2 ? 1 : floor(n * pow(eta * share - eta + 1, alpha));
}

/* Both distributions agree in every draw, but for the rounding of a rank. */
static void zipf_is_that_of_fio_draw_by_draw(void **state)
{
    (void)state;
    static const struct {
        int64_t places, theta;
    } rows[] = {{2000, 500000}, {2000, 1200000}, {30000, 990000}, {30000, 2500000}, {50, 10000000}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct skew_params params = {SKEW_ZIPF, rows[i].theta, 0};
        struct skew skew;
        skew_init(&skew, &params, rows[i].places, 0);
        struct rng ours = stream(i), theirs = ours;
        for (int n = 0; n < 300; n++) {
            const double share = (double)rng_next(&theirs) * 0x1p-64;
            const double wanted =
                zipf_of_fio((double)rows[i].places, (double)rows[i].theta / PPM, share);
            const int64_t place = skew_draw(&skew, &ours);
            bool found = false;
            for (int64_t rank = (int64_t)wanted - 1; rank <= (int64_t)wanted + 1; rank++)
                found |= rank >= 0 && (int64_t)((uint64_t)rank * UINT64_C(0x61C8864680B583EB) %
                                                (uint64_t)rows[i].places) == place;
            if (!found)
                fail_msg("row %zu, draw %d: not within one rank of %.0f", i, n, wanted);
        }
    }
}

static int most_first(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

enum { PLACES = 262144 };

/* fio-genzipf draws as many times as there are blocks; its first line is the share of the hits that
 * the most frequent tenth of the blocks hit has. */
static double top_tenth(const struct skew_params *params)
{
    uint32_t *hits = calloc(PLACES, sizeof *hits);
    assert_non_null(hits);
    struct skew skew;
    struct rng rng = stream(3);
    skew_init(&skew, params, PLACES, 12345);
    for (int i = 0; i < PLACES; i++) {
        const int64_t place = skew_draw(&skew, &rng);
        assert_in_range(place, 0, PLACES - 1);
        hits[place]++;
    }
    qsort(hits, PLACES, sizeof *hits, most_first);
    size_t distinct = 0;
    uint64_t top = 0;
    while (distinct < PLACES && hits[distinct] > 0)
        distinct++;
    for (size_t i = 0; i < distinct / 10; i++)
        top += hits[i];
    free(hits);
    return 100.0 * (double)top / PLACES;
}

static void shares_are_those_of_fio_genzipf(void **state)
{
    (void)state;
    /* fio-genzipf 3.33 -t KIND -i VALUE -g 1 -b 4096 -o 10, "Top 10.00%" */
    static const struct {
        struct skew_params params;
        double percent;
    } rows[] = {
        {{SKEW_ZIPF, 1200000, SKEW_NO_CENTER}, 88.76},
        {{SKEW_ZIPF, 500000, SKEW_NO_CENTER}, 28.89},
        {{SKEW_PARETO, 200000, SKEW_NO_CENTER}, 63.55},
        {{SKEW_NORMAL, 20000000, SKEW_NO_CENTER}, 23.50},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const double is = top_tenth(&rows[i].params);
        if (fabs(is - rows[i].percent) > 0.7)
            fail_msg("row %zu: %.2f%%, fio has %.2f%%", i, is, rows[i].percent);
    }
}

/* With a center the hottest place is known: fio's rank 0 hashes to place 0. */
static void a_center_is_where_the_hottest_place_is(void **state)
{
    (void)state;
    const struct skew_params params = {SKEW_ZIPF, 1200000, PPM / 4};
    struct skew skew;
    struct rng rng = stream(5);
    int hits = 0;
    skew_init(&skew, &params, 1000, 77);
    for (int i = 0; i < 1000; i++)
        hits += skew_draw(&skew, &rng) == 250;
    /* 1 of 4.335, the sum of i^-1.2 for i from 1 to 1000 */
    assert_in_range(hits, 190, 275);
}

static void edges_draw_within_the_places(void **state)
{
    (void)state;
    static const struct skew_params rows[] = {
        {SKEW_ZIPF, 1, SKEW_NO_CENTER},
        {SKEW_ZIPF, 999999, 0},
        {SKEW_ZIPF, 1000001, PPM},
        {SKEW_ZIPF, 10 * PPM, SKEW_NO_CENTER},
        {SKEW_PARETO, 1, SKEW_NO_CENTER},
        {SKEW_PARETO, 999999, PPM},
        {SKEW_NORMAL, 0, 0},
        {SKEW_NORMAL, 99999999, PPM},
    };
    static const int64_t places[] = {1, 2, 3, 7, 1000, INT64_C(1) << 40};
    struct rng rng = stream(9);
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t p = 0; p < LENGTH(places); p++) {
            struct skew skew;
            skew_init(&skew, &rows[i], places[p], UINT64_MAX);
            for (int n = 0; n < 200; n++) {
                const int64_t place = skew_draw(&skew, &rng);
                if (place < 0 || place >= places[p])
                    fail_msg("row %zu, %lld places: %lld", i, (long long)places[p],
                             (long long)place);
            }
        }
}

static void what_fio_refuses_is_not_valid(void **state)
{
    (void)state;
    static const struct skew_params rows[] = {
        {SKEW_ZIPF, PPM, SKEW_NO_CENTER},
        {SKEW_ZIPF, 0, SKEW_NO_CENTER},
        {SKEW_PARETO, 0, 0},
        {SKEW_PARETO, PPM, 0},
        {SKEW_NORMAL, 100 * PPM, 0},
        {SKEW_NORMAL, -1, 0},
        {SKEW_ZIPF, 1200000, PPM + 1},
        {SKEW_ZIPF, 10 * PPM + 1, 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_false(skew_valid(&rows[i]));
}

/* Reads and writes have their hot blocks in common, as in fio. */
static void directions_share_the_hot_blocks(void **state)
{
    (void)state;
    struct wl_plan_params params = {
        .random = true, .read_ppm = PPM / 2, .skew = {SKEW_ZIPF, 1500000, SKEW_NO_CENTER}};
    wl_plan_fixed(&params, 4096);
    struct wl_plan plan;
    wl_plan_init(&plan, &params, (struct wl_region){.offset = 8192, .bytes = 1 << 24}, stream(2));
    int64_t hottest[WL_DIRECTIONS] = {0};
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        static uint32_t hits[4096];
        memset(hits, 0, sizeof hits);
        for (int i = 0; i < 4000; i++)
            hits[(wl_plan_next(&plan, (enum wl_direction)direction).offset - 8192) / 4096]++;
        for (int64_t i = 1; i < 4096; i++)
            if (hits[i] > hits[hottest[direction]])
                hottest[direction] = i;
    }
    assert_int_equal(hottest[WL_READ], hottest[WL_WRITE]);
}

/* 60% of the accesses to the first 64 MiB, 40% to the next 128; the rest is not touched. */
static void zones_may_be_given_in_bytes(void **state)
{
    (void)state;
    struct wl_plan_params params = {.random = true, .read_ppm = PPM};
    wl_plan_fixed(&params, 4096);
    params.zones[WL_READ] = (struct wl_plan_zones){
        .count = 2,
        .entries = {{.share = 60, .bytes = 64 << 20}, {.share = 40, .bytes = 128 << 20}}};
    struct wl_plan plan;
    wl_plan_init(&plan, &params, (struct wl_region){.bytes = 1 << 30}, stream(4));
    int first = 0, beyond = 0;
    for (int i = 0; i < 10000; i++) {
        const int64_t offset = wl_plan_next(&plan, WL_READ).offset;
        first += offset < 64 << 20;
        beyond += offset >= 192 << 20;
    }
    assert_in_range(first, 5800, 6200);
    assert_int_equal(beyond, 0);
    wl_plan_init(&plan, &params, (struct wl_region){.bytes = 1 << 20}, stream(4));
    for (int i = 0; i < 1000; i++)
        assert_in_range(wl_plan_next(&plan, WL_READ).offset, 0, (1 << 20) - 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_those_of_libm),
        cmocka_unit_test(zipf_is_that_of_fio_draw_by_draw),
        cmocka_unit_test(shares_are_those_of_fio_genzipf),
        cmocka_unit_test(a_center_is_where_the_hottest_place_is),
        cmocka_unit_test(edges_draw_within_the_places),
        cmocka_unit_test(what_fio_refuses_is_not_valid),
        cmocka_unit_test(directions_share_the_hot_blocks),
        cmocka_unit_test(zones_may_be_given_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
