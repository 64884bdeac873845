/* SPDX-License-Identifier: Apache-2.0
 * A text line by line, whatever ends its lines; and places in it. */
#include "scenarios/format/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Of a copy that ends where the text does, so that the sanitizer sees what is read behind it. */
static void expect(const char *text, const char *const *expected)
{
    const size_t length = strlen(text);
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    copy = realloc(copy, length + (length == 0));
    assert_non_null(copy);
    const struct tree_file file = {.name = "a.txt", .text = copy, .length = length};
    struct lines lines = {.file = &file};
    struct arena arena = {0};
    int number = 0;
    for (; expected[number] != NULL; number++) {
        assert_true(lines_next(&lines, &arena));
        assert_string_equal(lines.text, expected[number]);
        assert_int_equal(lines.length, strlen(expected[number]));
        assert_int_equal(lines.number, number + 1);
    }
    assert_false(lines_next(&lines, &arena));
    assert_false(lines_next(&lines, &arena));
    arena_free(&arena);
    free(copy);
}

static void lines_end_in_several_ways(void **state)
{
    (void)state;
    expect("", (const char *[]){NULL});
    expect("one", (const char *[]){"one", NULL});
    expect("one\n", (const char *[]){"one", NULL});
    expect("one\ntwo", (const char *[]){"one", "two", NULL});
    expect("one\r\n\r\ntwo\r", (const char *[]){"one", "", "two", NULL});
    expect("\n\n", (const char *[]){"", "", NULL});
    expect("a\rb\n\r", (const char *[]){"a\rb", "", NULL});
}

static void places_count_from_one(void **state)
{
    (void)state;
    const struct tree_file file = {.name = "a.txt", .text = "first\nsecond\n", .length = 13};
    struct lines lines = {.file = &file};
    struct arena arena = {0};
    assert_true(lines_next(&lines, &arena) && lines_next(&lines, &arena));
    const struct diag_place place = lines_place(&lines, lines.text + 3, 2);
    assert_string_equal(place.file, "a.txt");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 4);
    assert_int_equal(place.width, 2);
    assert_int_equal(lines_place(&lines, lines.text, 0).width, 1);
    assert_int_equal(lines_place(&lines, lines.text, 0).column, 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_several_ways),
        cmocka_unit_test(places_count_from_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
