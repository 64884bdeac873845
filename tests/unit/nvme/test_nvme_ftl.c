/* SPDX-License-Identifier: Apache-2.0
 * The map of a drive, its buffer, and its times: against closed forms and plain models. */
#include "base/check.h"
#include "base/rng.h"
#include "base/units.h"
#include "nvme/media/ftl.h"
#include "nvme/media/write_cache.h"
#include "tests/unit/nvme/greedy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double amplification(struct ftl *ftl, struct rng *rng, unsigned overwrites)
{
    ftl_forget(ftl);
    for (uint64_t i = 0; i < (uint64_t)overwrites * ftl->units; i++)
        ftl_write(ftl, (uint32_t)rng_below(rng, ftl->units), NULL, NULL);
    return (double)(ftl->written + ftl->copied) / (double)ftl->written;
}

/* In the literature a drive with 30 % more flash than it shows has 2.35 (simulated there). */
static void random_writes_amplify_as_the_closed_form_says(void **state)
{
    (void)state;
    static const int64_t spare[] = {70000, 125000, 280000, 300000, 500000, 1000000};
    for (unsigned i = 0; i < sizeof spare / sizeof spare[0]; i++) {
        struct ftl ftl;
        struct rng rng = rng_stream(1, "test", "writes");
        ftl_init(&ftl, &(struct ftl_size){16384, 64, spare[i]});
        for (uint32_t unit = 0; unit < ftl.units; unit++)
            ftl_write(&ftl, unit, NULL, NULL);
        amplification(&ftl, &rng, 3); /* until it is steady */
        const double found = amplification(&ftl, &rng, 2), part = (double)spare[i] / (double)PPM;
        const double small = found / desnoyers(part, 64) - 1;
        const double large = found / xiang_kurkoski(part) - 1;
        if (fabs(small) > 0.03 || fabs(large) > 0.15)
            fail_msg("%.3f: %.3f, Desnoyers %.3f, Xiang and Kurkoski %.3f", part, found,
                     desnoyers(part, 64), xiang_kurkoski(part));
        assert_true(spare[i] != 300000 || fabs(found / 2.35 - 1) < 0.05);
        ftl_audit(&ftl);
        ftl_fini(&ftl);
    }
}

/* Nothing in a block is valid when its turn comes. */
static void sequential_writes_copy_nothing(void **state)
{
    (void)state;
    struct ftl ftl;
    ftl_init(&ftl, &(struct ftl_size){4096, 64, 70000});
    for (uint32_t i = 0; i < 10 * ftl.units; i++)
        ftl_write(&ftl, i % ftl.units, NULL, NULL);
    assert_int_equal(ftl.copied, 0);
    assert_in_range(ftl.collected, 9 * 64 - 8, 9 * 64 + 8);
    ftl_audit(&ftl);
    ftl_fini(&ftl);
}

struct truth {
    uint32_t unit_at[1 << 14]; /* by place */
    uint64_t copies;
};

static void on_copied(void *self, uint32_t from, uint32_t to)
{
    struct truth *truth = self;
    assert_int_not_equal(truth->unit_at[from], FTL_NOWHERE);
    truth->unit_at[to] = truth->unit_at[from];
    truth->unit_at[from] = FTL_NOWHERE;
    truth->copies++;
}

/* Whatever is written how often, the map finds it, and tells of each copy. */
static void the_map_finds_everything(void **state)
{
    (void)state;
    static struct truth truth;
    struct rng rng = rng_stream(2, "test", "map");
    for (unsigned round = 0; round < 40; round++) {
        const struct ftl_size size = {
            .units = 1 + (uint32_t)rng_below(&rng, 1000),
            .block_units = 1 + (uint32_t)rng_below(&rng, 40),
            .over_provisioning = 20000 + (int64_t)rng_below(&rng, 500000),
        };
        struct ftl ftl;
        ftl_init(&ftl, &size);
        memset(&truth, 0xFF, sizeof truth);
        truth.copies = 0;
        for (unsigned i = 0; i < 5000; i++) {
            if (rng_below(&rng, 50) == 0)
                ftl_pad(&ftl);
            const uint64_t hot = 1 + size.units / 4;
            const uint32_t unit =
                (uint32_t)rng_below(&rng, rng_below(&rng, 2) == 0 ? hot : size.units) % size.units;
            const uint32_t before = ftl_place(&ftl, unit);
            const uint32_t place = ftl_write(&ftl, unit, on_copied, &truth);
            if (before != FTL_NOWHERE && truth.unit_at[before] == unit)
                truth.unit_at[before] = FTL_NOWHERE;
            for (uint32_t p = 0; before != FTL_NOWHERE && p < ftl.blocks * ftl.block_units; p++)
                if (truth.unit_at[p] == unit && p != place)
                    truth.unit_at[p] = FTL_NOWHERE; /* it was copied just before */
            truth.unit_at[place] = unit;
            assert_int_equal(ftl_place(&ftl, unit), place);
        }
        ftl_audit(&ftl);
        assert_int_equal(truth.copies, ftl.copied);
        for (uint32_t unit = 0; unit < size.units; unit++)
            assert_true(ftl_place(&ftl, unit) == FTL_NOWHERE ||
                        truth.unit_at[ftl_place(&ftl, unit)] == unit);
        ftl_fini(&ftl);
    }
}

/* ---- the buffer ---- */

static void a_buffered_unit_is_there_until_its_last_version_is_in_flash(void **state)
{
    (void)state;
    struct write_cache cache = {0};
    assert_false(write_cache_has(&cache, 7));
    assert_true(write_cache_put(&cache, 7));
    assert_false(write_cache_put(&cache, 7)); /* written over while it waits */
    assert_int_equal(cache.versions, 1);
    const struct write_cache_item item = write_cache_take(&cache);
    assert_int_equal(item.unit, 7);
    assert_true(write_cache_put(&cache, 7)); /* the first one is on its way */
    assert_int_equal(cache.versions, 2);
    write_cache_release(&cache, 7);
    assert_true(write_cache_has(&cache, 7));
    write_cache_take(&cache);
    write_cache_release(&cache, 7);
    assert_false(write_cache_has(&cache, 7));
    assert_int_equal(cache.versions, 0);
    write_cache_fini(&cache);
}

/* Against an array of counts. */
static void the_buffer_against_an_array(void **state)
{
    (void)state;
    enum { UNITS = 300 };
    static uint32_t versions[UNITS], waits[UNITS];
    struct write_cache cache = {0};
    struct rng rng = rng_stream(3, "test", "cache");
    uint64_t on_way[UNITS * 4];
    uint32_t ways = 0;
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t unit = rng_below(&rng, UNITS), what = rng_below(&rng, 3);
        if (what == 0) {
            assert_int_equal(write_cache_put(&cache, unit << 40), waits[unit] == 0);
            versions[unit] += waits[unit] == 0;
            waits[unit] = 1;
        } else if (what == 1 && cache.waiting > 0 && ways < UNITS * 4) {
            const uint64_t taken = write_cache_take(&cache).unit >> 40;
            assert_int_equal(waits[taken], 1);
            waits[taken] = 0;
            on_way[ways++] = taken;
        } else if (ways > 0) {
            const uint32_t at = (uint32_t)rng_below(&rng, ways);
            write_cache_release(&cache, on_way[at] << 40);
            versions[on_way[at]]--;
            on_way[at] = on_way[--ways];
        }
        assert_int_equal(write_cache_has(&cache, unit << 40), versions[unit] > 0);
    }
    write_cache_fini(&cache);
}

/* ---- times ---- */

static int by_size(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Quantile u of a log-logistic law is median * (u / (1 - u))^(ln(p99 / median) / ln 99). */
static void a_law_has_its_quantiles(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    static int64_t draws[DRAWS];
    static const int64_t laws[][2] = {{76000000, 96000000}, {1000000, 8000000}, {50, 50}, {0, 9}};
    static const double quantiles[] = {0.01, 0.25, 0.5, 0.75, 0.99, 0.999};
    for (unsigned i = 0; i < 4; i++) {
        const struct rng_law law = rng_law(laws[i][0], laws[i][1]);
        struct rng rng = rng_stream(4, "test", "law");
        for (unsigned k = 0; k < DRAWS; k++)
            draws[k] = rng_law_draw(&rng, &law);
        qsort(draws, DRAWS, sizeof draws[0], by_size);
        for (unsigned q = 0; q < 6; q++) {
            const double u = quantiles[q], found = (double)draws[(unsigned)(u * DRAWS)];
            const double slope = i < 2 ? log((double)laws[i][1] / (double)laws[i][0]) / log(99) : 0;
            const double expected = (double)laws[i][0] * pow(u / (1 - u), slope);
            if (fabs(found - expected) > 0.03 * expected)
                fail_msg("law %u: %.3f quantile %.0f, not %.0f", i, u, found, expected);
        }
        assert_int_equal(rng.drawn, i < 2 ? DRAWS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_writes_amplify_as_the_closed_form_says),
        cmocka_unit_test(sequential_writes_copy_nothing),
        cmocka_unit_test(the_map_finds_everything),
        cmocka_unit_test(a_buffered_unit_is_there_until_its_last_version_is_in_flash),
        cmocka_unit_test(the_buffer_against_an_array),
        cmocka_unit_test(a_law_has_its_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
