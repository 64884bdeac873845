/* SPDX-License-Identifier: Apache-2.0
 * test_printable - what a terminal would obey is shown instead. */
#include "base/printable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *shown;
} rows[] = {
    {"", ""},
    {"leaf0:p3", "leaf0:p3"},
    {"a \\x1b b", "a \\x1b b"},
    {"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x8c\xa9", "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x8c\xa9"},
    {"\x1b[31mred", "\\x1b[31mred"},
    {"a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f"},
    {"\xc2\x9b"
     "2J",
     "\\u009b2J"},
    {"\xc2\xa0", "\xc2\xa0"},
    {"\xe2\x80\xae"
     "abc\xe2\x81\xa6",
     "\\u202eabc\\u2066"},
    {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf",
     "\\u2028\\u2029\\u200f\\u061c\\ufeff"},
    {"\xf3\xa0\x80\x81", "\\U000e0001"},
    {"\x9b"
     "2J\xff",
     "\\x9b2J\\xff"},                                      /* no UTF-8 */
    {"\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b"}, /* longer than they need be */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                   /* half a pair */
    {"\xf4\x90\x80\x80\xf5", "\\xf4\\x90\\x80\\x80\\xf5"}, /* above the last */
    {"cut \xe2\x82", "cut \\xe2\\x82"},
    {"cut \xf0", "cut \\xf0"},
};

static void what_is_obeyed_becomes_an_escape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *shown = printable_new(rows[i].text, false);
        assert_string_equal(shown, rows[i].shown);
        assert_true(printable_is(shown));
        assert_int_equal(printable_is(rows[i].text), strcmp(rows[i].text, rows[i].shown) == 0);
        free(shown);
    }
    assert_int_equal(printable_fault("ab\xe2\x80\xae\x1b"), 0x202E);
    assert_int_equal(printable_fault("ab\xff"), 0xFF);
}

static void what_is_plain_ends_at_all_else(void **state)
{
    (void)state;
    assert_int_equal(printable_plain("", "<"), 0);
    assert_int_equal(printable_plain(" to ~", "<"), 5);
    assert_int_equal(printable_plain("ab<", "<>"), 2);
    assert_int_equal(printable_plain("ab>", "<>"), 2);
    assert_int_equal(printable_plain("ab\"", "<>"), 3);
    assert_int_equal(printable_plain("ab\x1f", ""), 2);
    assert_int_equal(printable_plain("ab\x7f", ""), 2);
    assert_int_equal(printable_plain("ab\xc3\xa4", ""), 2);
}

/* The size of a text ends a character as well as a NUL does. */
static void a_character_ends_with_its_text(void **state)
{
    (void)state;
    static const char euro[] = "\xe2\x82\xac";
    char *text = memcpy(malloc(3), euro, 3); /* so that the sanitizer sees its end */
    uint32_t code = 0;
    assert_int_equal(printable_utf8_within(text, 3, &code), 3);
    assert_int_equal(code, 0x20AC);
    text = realloc(text, 2);
    assert_int_equal(printable_utf8_within(text, 2, &code), 0);
    assert_int_equal(printable_utf8_within(text, 1, &code), 0);
    free(text);
}

static void ends_of_lines_stay_where_they_may(void **state)
{
    (void)state;
    char *shown = printable_new("a\n\tb\x1b\r\n", true);
    assert_string_equal(shown, "a\n\tb\\x1b\\x0d\n");
    free(shown);
}

/* An escape or a character that does not fit is left out as a whole. */
static void a_copy_ends_between_characters(void **state)
{
    (void)state;
    static const char *const fits[] = {"",  "a",      "a",      "a",
                                       "a", "a\\x1b", "a\\x1b", "a\\x1b\xc3\xbc"};
    for (size_t size = 1; size <= 8; size++) {
        char *to = malloc(size); /* so that the sanitizer sees its end */
        printable_copy(to, size, "a\x1b\xc3\xbc");
        assert_string_equal(to, fits[size - 1]);
        free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_obeyed_becomes_an_escape),
        cmocka_unit_test(what_is_plain_ends_at_all_else),
        cmocka_unit_test(a_character_ends_with_its_text),
        cmocka_unit_test(ends_of_lines_stay_where_they_may),
        cmocka_unit_test(a_copy_ends_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
