/* SPDX-License-Identifier: Apache-2.0
 * The loop that is a bound does the same work each time. */
#include "cli/bench/memory_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t sum_of(const struct memory_bench_size *size, uint64_t seed, uint64_t hops)
{
    struct memory_bench *bench = memory_bench_make(size, seed);
    const uint64_t sum = memory_bench_run(bench, hops);
    memory_bench_free(bench);
    return sum;
}

/* What is read depends on what was written before: no hop was left out. */
static void every_hop_counts(void **state)
{
    (void)state;
    for (const struct memory_bench_size *size = memory_bench_sizes; size->name != NULL; size++) {
        const uint64_t hops = 3 * (uint64_t)size->frames;
        assert_int_equal(sum_of(size, 1, hops), sum_of(size, 1, hops));
        assert_int_not_equal(sum_of(size, 1, hops), sum_of(size, 1, hops - 1));
        assert_int_not_equal(sum_of(size, 1, hops), sum_of(size, 2, hops));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_hop_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
