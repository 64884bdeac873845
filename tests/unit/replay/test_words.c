/* SPDX-License-Identifier: Apache-2.0
 * Numbers for people: any double becomes an integer, and any integer a text. */
#include "replay/database/words.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(words_whole(1.9), 1);
    assert_int_equal(words_whole(-1.9), -1);
    assert_int_equal(words_whole(9007199254740993.0), 9007199254740992);
    assert_true(words_whole(9223372036854774784.0) == 9223372036854774784); /* largest below 2^63 */
    assert_true(words_whole(9223372036854775808.0) == INT64_MAX);
    assert_true(words_whole(-9223372036854775808.0) == INT64_MIN);
    assert_true(words_whole(DBL_MAX) == INT64_MAX && words_whole(-DBL_MAX) == INT64_MIN);
    assert_true(words_whole(INFINITY) == INT64_MAX && words_whole(-INFINITY) == INT64_MIN);
    assert_int_equal(words_whole(NAN), 0);
}

static void test_extremes(void **state)
{
    (void)state;
    assert_string_equal(words_count(INT64_MIN).text, "-9,223,372,036,854,775,808");
    assert_string_equal(words_count(INT64_MAX).text, "9,223,372,036,854,775,807");
    assert_string_equal(words_time(INT64_MAX).text, "9223372 s");
    assert_string_equal(words_time(INT64_MIN).text, "-9223372 s");
    assert_string_equal(words_bytes(INT64_MAX).text, "8589934592 GiB");
}

static void a_text_is_cut_where_a_clause_or_a_word_ends(void **state)
{
    (void)state;
    static const char text[] = "lost packets: 78% of it, 5 frames; media: 20%, and the rest";
    assert_int_equal(words_fit(text, sizeof text), sizeof text - 1);
    assert_int_equal(words_fit(text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(words_fit(text, sizeof text - 2),
                     sizeof "lost packets: 78% of it, 5 frames" - 1);
    assert_int_equal(words_fit(text, 30), sizeof "lost packets: 78% of it" - 1);
    assert_int_equal(words_fit(text, 15), sizeof "lost packets:" - 1);
    assert_int_equal(words_fit(text, 4), sizeof "lost" - 1);
    assert_int_equal(words_fit(text, 3), 3);
    assert_int_equal(words_fit("", 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_extremes),
        cmocka_unit_test(a_text_is_cut_where_a_clause_or_a_word_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
