/* SPDX-License-Identifier: Apache-2.0
 * test_csv - texts are in quotes where RFC 4180 needs them, and unknown values are empty. */
#include "reports/text/csv.h"

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_fields(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain", "a b", "", NULL, "a,b", "say \"a\"", "1\n2", "\r"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    char *text = NULL;
    size_t length = 0;
    struct csv csv;
    FILE *out = memory_stream(&text, &length);
    csv_begin(&csv, out);
    csv_names(&csv, "one,two");
    csv_text(&csv, "a,name");
    csv_names(&csv, "four,five");
    for (int i = 5; i < TEXTS; i++)
        csv_names(&csv, "more");
    csv_end_row(&csv);
    for (int i = 0; i < TEXTS; i++)
        csv_text(&csv, texts[i]);
    csv_end_row(&csv);
    csv_integer(&csv, INT64_MIN);
    csv_boolean(&csv, true);
    csv_real(&csv, 0.1);
    csv_real(&csv, 123456789012.0);
    csv_real(&csv, NAN);
    csv_real(&csv, INFINITY);
    csv_empty(&csv);
    csv_begin_field(&csv);
    fputs("1e3", out);
    csv_end_row(&csv);
    memory_stream_end(out);
    assert_string_equal(text, "one,two,\"a,name\",four,five,more,more,more\n"
                              "plain,a b,,,\"a,b\",\"say \"\"a\"\"\",\"1\n2\",\"\r\"\n"
                              "-9223372036854775808,1,0.1,123456789012,,,,1e3\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
