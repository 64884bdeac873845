/* SPDX-License-Identifier: Apache-2.0
 * A published carving of a switch's memory. */
#include "net/switch/switch_carve.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* DCQCN (SIGCOMM 2015), section 4: B = 12 MB, n = 32 ports, 8 priorities, 22.4 KB in flight each:
 * t_PFC = (B - 8 n t) / 8 n and, with beta = 8, t_ECN = beta (B - 8 n t) / (8 n (beta + 1)). */
static void the_paper_s_thresholds_come_from_the_plan(void **state)
{
    (void)state;
    struct switch_params params;
    switch_presets(&params);
    params.buffer = 12000000;
    params.ports = 32;
    params.cell = 1;
    params.headroom = 22400;
    params.pfc_priorities = 0xFF;
    struct switch_plan plan;
    char why[128];
    switch_plan_begin(&plan, &params);
    const struct headroom_link link = {.rate = INT64_C(40000000000), .cell = 1};
    for (int i = 0; i < 32; i++)
        switch_plan_link(&plan, &link);
    assert_true(switch_plan_end(&plan, 32, why, sizeof why));
    assert_int_equal(plan.lossless_pool, 6265600);
    assert_int_equal(plan.lossless_pool / (8 * 32), 24475);
    assert_int_equal(plan.lossless_pool * 8 / (8 * 32 * (8 + 1)), 21755);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_s_thresholds_come_from_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
