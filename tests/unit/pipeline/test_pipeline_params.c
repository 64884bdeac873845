/* SPDX-License-Identifier: Apache-2.0
 * The parameters of the pipeline as a whole. */
#include "rnic/pipeline/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Whatever parameters there are: with every one set, nothing is left of them. */
static void what_is_turned_off_has_no_effect(void **state)
{
    (void)state;
    struct pipeline_params params;
    memset(&params, 1, sizeof params);
    assert_true(pipeline_is_on(&params));
    pipeline_turn_off(&params);
    assert_false(pipeline_is_on(&params));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_turned_off_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
