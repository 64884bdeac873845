/* SPDX-License-Identifier: Apache-2.0
 * test_shell - a printed word is one word to a shell. */
#include "base/shell.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_printed(const char *text, const char *wanted, const char *escaped)
{
    char *printed = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&printed, &length);
    if (escaped == NULL)
        shell_print_word(out, text);
    else
        shell_print_inside(out, text, escaped);
    memory_stream_end(out);
    assert_string_equal(printed, wanted);
    free(printed);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } rows[] = {
        {"hosts.defaults.rnic.timeout=14", "hosts.defaults.rnic.timeout=14"},
        {"a/b_c-d+e%,f:g@h", "a/b_c-d+e%,f:g@h"},
        {"", "''"},
        {"two words", "'two words'"},
        {"faults[0].at=1ms", "'faults[0].at=1ms'"},
        {"~", "'~'"},
        {"a;b", "'a;b'"},
        {"it's", "'it'\\''s'"},
        {"'", "''\\'''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_printed(rows[i].text, rows[i].word, NULL);
}

static void test_inside_of_quotes(void **state)
{
    (void)state;
    assert_printed("[a]: it's", "\\[a\\]\\: it'\\''s", "[]:\\");
    assert_printed("a\\b", "a\\\\b", "\\");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_inside_of_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
