/* SPDX-License-Identifier: Apache-2.0
 * test_plan_versus - paired differences by hand, and how often their interval has the truth. */
#include "replay/plan/plan_versus.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-3;
}

/* Differences 1, 2, 3: mean 2, deviation 1; t of two degrees of freedom is 4.30265, so the half is
 * 4.30265 / sqrt(3) = 2.48414, and 0 is inside. */
static void pairs_by_hand(void **state)
{
    (void)state;
    const double first[] = {10, 20, 30}, second[] = {11, 22, 33};
    const struct plan_difference found = plan_versus_paired(first, second, 3);
    assert_true(is_near(found.means[0], 20) && is_near(found.means[1], 22));
    assert_true(is_near(found.mean, 2) && is_near(found.half, 2.48414));
    assert_true(found.differs == false);
    assert_true(plan_versus_paired(second, first, 3).mean < 0);
}

/* What both share drops out: far apart by seed, and yet the difference is exact. */
static void what_both_share_drops_out(void **state)
{
    (void)state;
    const double first[] = {1, 100, 10000}, second[] = {2, 101, 10001}, alike[] = {1, 100, 10000};
    const struct plan_difference found = plan_versus_paired(first, second, 3);
    assert_true(is_near(found.mean, 1) && is_near(found.half, 0) && found.differs);
    assert_false(plan_versus_paired(first, alike, 3).differs);
}

/* Sums of twelve uniform numbers are nearly normal; 95 % of 4,000 intervals should have the truth,
 * with a standard error of 0.35 %. */
static void the_interval_has_the_truth(void **state)
{
    (void)state;
    enum { TIMES = 4000, COUNT = 5 };
    struct rng rng = rng_stream(1, "pairs", "drawn");
    int within = 0;
    for (int i = 0; i < TIMES; i++) {
        double first[COUNT], second[COUNT];
        for (int k = 0; k < COUNT; k++) {
            first[k] = second[k] = 0;
            for (int n = 0; n < 12; n++) {
                first[k] += (double)rng_below(&rng, 1000);
                second[k] += (double)rng_below(&rng, 1000);
            }
            second[k] += 700;
        }
        const struct plan_difference found = plan_versus_paired(first, second, COUNT);
        within += fabs(found.mean - 700) <= found.half;
    }
    assert_in_range(within, TIMES * 94 / 100, TIMES * 96 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(what_both_share_drops_out),
        cmocka_unit_test(the_interval_has_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
