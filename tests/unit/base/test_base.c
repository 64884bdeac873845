/* SPDX-License-Identifier: Apache-2.0
 * Units, random streams, histogram, pool. */
#include "base/digest.h"
#include "base/hist.h"
#include "base/kernel_timer.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/slab.h"
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void ethernet_rates_are_whole_picoseconds(void **state)
{
    (void)state;
    const struct {
        uint64_t gbps, ps_per_byte;
    } rows[] = {{1, 8000}, {10, 800}, {25, 320}, {40, 200}, {50, 160},
                {100, 80}, {200, 40}, {400, 20}, {800, 10}, {1600, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(wire_rate(rows[i].gbps * 1000000000).ps_per_byte, rows[i].ps_per_byte);
}

static void odd_rates_lose_no_time(void **state)
{
    (void)state;
    struct wire_rate rate = wire_rate(UINT64_C(7000000000));
    time_ps sum = 0;
    for (int i = 0; i < 7000; i++)
        sum += wire_rate_take(&rate, 1);
    assert_int_equal(sum, 8000000); /* 7000 bytes at 7 Gb/s: 8 us exactly */
}

static void streams_are_independent_of_draws(void **state)
{
    (void)state;
    struct rng a = rng_stream(1, "host0", "x"), b = rng_stream(1, "host0", "x");
    struct rng other = rng_stream(1, "host1", "x");
    rng_next(&other);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rng_next(&a), rng_next(&b));
    assert_int_not_equal(rng_next(&a), rng_next(&other));
    assert_int_not_equal(rng_stream(1, "host0", "y").key, a.key);
    assert_int_not_equal(rng_stream(2, "host0", "x").key, a.key);
}

static void below_is_uniform(void **state)
{
    (void)state;
    struct rng rng = rng_stream(3, "t", "u");
    unsigned seen[6] = {0};
    for (int i = 0; i < 60000; i++)
        seen[rng_below(&rng, 6)]++;
    for (int i = 0; i < 6; i++)
        assert_in_range(seen[i], 9600, 10400); /* 4 sigma is 365 */
}

static void exponential_has_its_mean(void **state)
{
    (void)state;
    struct rng rng = rng_stream(4, "t", "e");
    int64_t sum = 0, above = 0;
    for (int i = 0; i < 100000; i++) {
        const int64_t draw = rng_exponential(&rng, 1000000);
        sum += draw;
        above += draw > 1000000;
    }
    assert_in_range(sum / 100000, 985000, 1015000);
    assert_in_range(above, 36000, 37600); /* 1/e */
}

static void histogram_is_within_one_percent(void **state)
{
    (void)state;
    struct hist *hist = calloc(1, sizeof *hist);
    assert_non_null(hist);
    for (int64_t value = 1; value < INT64_C(1) << 61; value = value * 5 / 3 + 1) {
        hist_reset(hist);
        hist_add(hist, value);
        hist_add(hist, 0);
        hist_add(hist, INT64_MAX / 2);
        const int64_t middle = hist_at(hist, 500000);
        assert_true(middle >= value - value / 200 && middle <= value + value / 200);
    }
    hist_reset(hist);
    for (int i = 1; i <= 1000; i++)
        hist_add(hist, i * 1000);
    assert_in_range(hist_at(hist, 990000), 985000, 995000);
    assert_int_equal(hist_at(hist, 1000000), 1000000);
    assert_int_equal(hist->count, 1000);
    /* The slowest ten are 991000 to 1000000; the slowest one, whatever a millionth of them is. */
    assert_in_range(hist_tail_mean(hist, 10000), 991500, 999500);
    assert_in_range(hist_tail_mean(hist, 1), 996000, 1000000);
    assert_in_range(hist_tail_mean(hist, 1000000), 498500, 502500);
    for (int i = 0; i < 10; i++) /* of 1,010 eleven: these, and one more */
        hist_add(hist, INT64_C(1) << 40);
    assert_in_range(hist_tail_mean(hist, 10000), (INT64_C(10) << 40) / 11,
                    (INT64_C(10) << 40) / 11 + (INT64_C(1) << 33));
    hist_reset(hist);
    assert_int_equal(hist_tail_mean(hist, 10000), 0);
    hist_add(hist, 7);
    assert_int_equal(hist_tail_mean(hist, 10000), 7);
    free(hist);
}

/* Linux 5.1.6, nvme-rdma to a target that is off: attempts 13.3113 to 13.3122 s apart. */
static void kernel_timers_fire_at_the_end_of_their_slot(void **state)
{
    (void)state;
    time_ps now = 0;
    for (int i = 1; i <= 4; i++) {
        now = kernel_timer_due(kernel_timer_due(now, 10 * PS_PER_S), 3 * PS_PER_S);
        assert_int_equal(now, i * 13312 * PS_PER_MS);
    }
    assert_int_equal(kernel_timer_due(5 * PS_PER_MS, 20 * PS_PER_MS), 25 * PS_PER_MS);
    for (time_ps delay = 252 * PS_PER_MS; delay < 200000 * PS_PER_S; delay *= 3) {
        const time_ps due = kernel_timer_due(PS_PER_US, delay);
        assert_true(due > PS_PER_US + delay && due <= PS_PER_US + delay + delay / 7);
        assert_true(due % KERNEL_TICK == 0);
    }
}

static void slab_keeps_its_items(void **state)
{
    enum { ITEMS = 1000 };
    struct slab slab;
    uint64_t *items[ITEMS];
    (void)state;
    slab_init(&slab, "things", 24, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(slab_take(&slab), i);
        items[i] = slab_at(&slab, i);
        assert_int_equal(items[i][0] | items[i][1] | items[i][2], 0);
        items[i][0] = items[i][2] = i;
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_ptr_equal(slab_at(&slab, i), items[i]);
        assert_true(items[i][0] == i && items[i][2] == i);
    }
    slab_give(&slab, 7);
    slab_give(&slab, 999);
    slab_give(&slab, 0);
    assert_int_equal(slab_take(&slab), 0);
    assert_int_equal(slab_take(&slab), 999);
    assert_int_equal(slab_take(&slab), 7);
    assert_int_equal(items[7][2], 7);
    slab_fini(&slab);
}

static void pool_reuses_the_last_given(void **state)
{
    (void)state;
    struct pool pool;
    pool_init(&pool, "things", 24, 1000);
    const uint32_t a = pool_take(&pool), b = pool_take(&pool);
    assert_int_not_equal(a, b);
    pool_give(&pool, a);
    pool_give(&pool, b);
    assert_int_equal(pool_take(&pool), b);
    assert_int_equal(pool_take(&pool), a);
    assert_int_equal(pool.taken, 2);
    pool_fini(&pool);
}

static void a_few_items_move_when_they_are_twice_as_many(void **state)
{
    (void)state;
    struct pool pool;
    int moves = 0;
    pool_init_few(&pool, "things", POOL_ALIGNMENT, 1000, 4);
    for (uint32_t i = 0; i < 1000; i++) {
        moves += pool_make_room(&pool);
        assert_false(pool_make_room(&pool));
        assert_int_equal(pool_take(&pool), i);
        assert_int_equal((uintptr_t)pool_at(&pool, i) % POOL_ALIGNMENT, 0);
        assert_int_equal(((const unsigned char *)pool_at(&pool, i))[0], 0);
        memset(pool_at(&pool, i), (int)(i % 255) + 1, POOL_ALIGNMENT);
        if (i == 3) { /* what is free moves too */
            pool_give(&pool, 1);
            pool_give(&pool, 2);
            assert_int_equal(pool_take(&pool), 2);
            assert_int_equal(pool_take(&pool), 1);
        }
    }
    assert_false(pool_make_room(&pool));
    assert_int_equal(moves, 9); /* 4, 8, ... 512, 1000 */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(((const unsigned char *)pool_at(&pool, i))[i % POOL_ALIGNMENT],
                         i % 255 + 1);
    assert_int_equal(pool.taken, 1000);
    pool_fini(&pool);
}

/* Whatever is asked for, one item of each part is what a pool has at least. */
static void a_pool_holds_one_item_where_there_is_room_for_no_more(void **state)
{
    (void)state;
#ifdef POOL_RESERVE_MAX
    const uint64_t room = POOL_RESERVE_MAX;
#else
    const uint64_t room = (uint64_t)1 << 47; /* what a process has on x86-64 */
#endif
    enum { PARTS = 1 << 12, OTHERS = 1 << 4 };
    struct pool pool;
    if (sizeof(void *) < sizeof room)
        skip();
    pool_init_parts(&pool, "things", (uint32_t)(room / PARTS / OTHERS), 2, PARTS);
    assert_int_equal(pool.limit, 1);
    assert_int_equal(pool_take(&pool), 0);
    memset(pool_at(&pool, 0), 1, 1);
    pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ethernet_rates_are_whole_picoseconds),
        cmocka_unit_test(odd_rates_lose_no_time),
        cmocka_unit_test(streams_are_independent_of_draws),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(exponential_has_its_mean),
        cmocka_unit_test(histogram_is_within_one_percent),
        cmocka_unit_test(kernel_timers_fire_at_the_end_of_their_slot),
        cmocka_unit_test(slab_keeps_its_items),
        cmocka_unit_test(pool_reuses_the_last_given),
        cmocka_unit_test(a_pool_holds_one_item_where_there_is_room_for_no_more),
        cmocka_unit_test(a_few_items_move_when_they_are_twice_as_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
