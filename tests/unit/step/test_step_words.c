/* SPDX-License-Identifier: Apache-2.0
 * test_step_words - a typed line, word by word, and the column of what is wrong. */
#include "replay/step/step_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 4 };

static void a_line_is_words_with_columns(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        struct step_word words[WORDS_MAX]; /* and the empty one behind them */
    } rows[] = {
        {"", {{1, ""}}},
        {"  \t", {{4, ""}}},
        {"go", {{1, "go"}, {3, ""}}},
        {" go\t12us \r\n", {{2, "go"}, {5, "12us"}, {12, ""}}},
        {"a>b", {{1, "a"}, {2, ">"}, {3, "b"}, {4, ""}}},
        {"a >> b", {{1, "a"}, {3, ">"}, {4, ">"}, {6, "b"}}},
        {"go#no more", {{1, "go"}, {3, ""}}},
        {"# go", {{1, ""}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step_wrong wrong = {0};
        struct step_words words = step_words(rows[i].line, &wrong);
        bool more = true;
        for (int w = 0; w < WORDS_MAX && more; w++) {
            const struct step_word *expected = &rows[i].words[w];
            const struct step_word ahead = step_word_ahead(&words);
            struct step_word word;
            assert_true(step_word_next(&words, &word));
            assert_string_equal(word.text, expected->text);
            assert_int_equal(word.column, expected->column);
            assert_string_equal(ahead.text, expected->text);
            assert_int_equal(ahead.column, expected->column);
            more = word.text[0] != '\0';
        }
        assert_int_equal(wrong.column, 0);
    }
}

static void a_word_that_is_too_long_is_said(void **state)
{
    (void)state;
    char line[STEP_WORD_BYTES + 2] = " ";
    for (int length = STEP_WORD_BYTES - 1; length <= STEP_WORD_BYTES; length++) {
        struct step_wrong wrong = {0};
        struct step_word word;
        memset(line + 1, 'x', (size_t)length);
        struct step_words words = step_words(line, &wrong);
        assert_int_equal(strlen(step_word_ahead(&words).text), STEP_WORD_BYTES - 1);
        assert_int_equal(wrong.column, 0); /* who only looks ahead says nothing */
        assert_int_equal(step_word_next(&words, &word), length < STEP_WORD_BYTES);
        assert_int_equal(strlen(word.text), STEP_WORD_BYTES - 1);
        assert_int_equal(wrong.column, length < STEP_WORD_BYTES ? 0 : 2);
    }
}

static void the_end_is_looked_for_not_taken(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int column; /* of what is too much; 0: nothing */
    } rows[] = {{"go", 0}, {"go  # why", 0}, {"go on", 4}, {"go > x", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step_wrong wrong = {0};
        struct step_word word;
        struct step_words words = step_words(rows[i].line, &wrong);
        assert_true(step_word_next(&words, &word));
        assert_int_equal(step_words_end(&words), rows[i].column == 0);
        assert_int_equal(wrong.column, rows[i].column);
        assert_int_equal(strncmp(wrong.text, "expected the end of the line", 28) == 0,
                         rows[i].column != 0);
    }
}

static void numbers_are_whole_and_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned long long most, number;
        bool fine;
        const char *wrong;
    } rows[] = {
        {"0", 7, 0, true, NULL},
        {"7", 7, 7, true, NULL},
        {"8", 7, 0, false, "expected a number from 0 to 7, not '8'"},
        {"007", 7, 7, true, NULL},
        {"10", 9, 0, false, "expected a number from 0 to 9, not '10'"},
        {"", 7, 0, false, "expected a number from 0 to 7"},
        {"-1", 7, 0, false, "expected a number from 0 to 7, not '-1'"},
        {"1x", 7, 0, false, "expected a number from 0 to 7, not '1x'"},
        {":", 99, 0, false, "expected a number from 0 to 99, not ':'"},
        {"/", 99, 0, false, "expected a number from 0 to 99, not '/'"},
        {"90", 99, 90, true, NULL},
        {"1000000000000", 1000000000000, 1000000000000, true, NULL},
        {"99999999999999999999999999999999999", 1000000000000, 0, false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step_wrong wrong = {0};
        const struct step_words words = step_words("", &wrong);
        struct step_word word = {.column = 5};
        unsigned long long number;
        strcpy(word.text, rows[i].text);
        assert_int_equal(step_word_number(&words, &word, rows[i].most, &number), rows[i].fine);
        assert_int_equal(wrong.column, rows[i].fine ? 0 : 5);
        if (rows[i].fine)
            assert_int_equal(number, rows[i].number);
        if (rows[i].wrong != NULL)
            assert_string_equal(wrong.text, rows[i].wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_words_with_columns),
        cmocka_unit_test(a_word_that_is_too_long_is_said),
        cmocka_unit_test(the_end_is_looked_for_not_taken),
        cmocka_unit_test(numbers_are_whole_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
