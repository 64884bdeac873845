/* SPDX-License-Identifier: Apache-2.0
 * A template of a unit test: a table of given and expected. */
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_earlier_of_two_times(void **state)
{
    static const struct {
        time_ps a, b, earlier;
    } rows[] = {{1, 2, 1}, {2, 1, 1}, {3, 3, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(time_earlier(rows[i].a, rows[i].b), rows[i].earlier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_earlier_of_two_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
