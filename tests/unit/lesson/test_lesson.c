/* SPDX-License-Identifier: Apache-2.0
 * Lessons: every statement of each embedded lesson is true in its runs, each choice has exactly one
 * right answer, results are never written as numbers; and malformed texts are rejected. */
#include "replay/lesson/lesson.h"

#include "base/memory.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct lesson lessons[LESSONS_MAX];
static uint32_t count;

static int set_up(void **state)
{
    (void)state;
    count = lesson_load_all(lessons);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < count; i++)
        lesson_free(&lessons[i]);
    return 0;
}

static void assert_one_right(const struct lesson *lesson, enum lesson_part part)
{
    struct lesson_line line, right;
    uint32_t answers = 0;
    for (size_t at = 0; lesson_next_line(lesson, part, &at, &line);)
        answers += line.kind == LESSON_ANSWER;
    assert_in_range(answers, 2, 4);
    if (!lesson_right_answer(lesson, part, &right))
        fail_msg("%s: the answers of '%s' do not have one right answer", lesson->name,
                 lesson_heading(part));
}

static void assert_checks_hold(const struct lesson *lesson)
{
    for (int part = 0; part < LESSON_PARTS; part++) {
        struct lesson_line line;
        for (size_t at = 0; lesson_next_line(lesson, (enum lesson_part)part, &at, &line);)
            if (line.kind == LESSON_CHECK && !line.probe->holds)
                fail_msg("%s: %s, but measured %s", lesson->name, line.probe->text,
                         line.probe->actual);
    }
}

/* Digits of names (host1, p99) and of placeholders may be in the text. */
static void assert_no_numbers(const struct lesson *lesson)
{
    const struct lesson_span *text = &lesson->parts[LESSON_HAPPENED];
    bool named = false;
    for (size_t i = 0; i < text->length; i++) {
        const char letter = text->text[i], before = i > 0 ? text->text[i - 1] : ' ';
        if (letter == '{' || letter == '}')
            named = letter == '{';
        if (!named && isdigit((unsigned char)letter) != 0 && isalnum((unsigned char)before) == 0)
            fail_msg("%s: 'What happened' has a number: %.20s", lesson->name, text->text + i);
    }
}

static void each_lesson_is_true(void **state)
{
    (void)state;
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        struct lesson *lesson = &lessons[i];
        struct diag *diag = memory_new(sizeof *diag);
        const bool measured = lesson_measure(lesson, diag);
        diag_print(diag, stderr);
        free(diag);
        assert_true(measured);
        assert_int_equal(lesson->order, i + 1);
        assert_one_right(lesson, LESSON_PREDICT);
        assert_one_right(lesson, LESSON_QUESTION);
        assert_checks_hold(lesson);
        assert_no_numbers(lesson);
        for (uint32_t p = 0; p < lesson->probe_count; p++)
            assert_string_not_equal(lesson->probes[p].actual, "");
    }
}

#define HEAD  "# 2. Title\nMinutes: 3\nGoal: G.\n"
#define FIRST "## Predict\n- a: A `x > 1`\n## Run\n## What happened\n"
#define LAST  "## Where the numbers come from\n## Question\n"

static void texts_are_read(void **state)
{
    (void)state;
    static const char text[] = HEAD "Variant far: a.b=1\nVariant far: c=2\n" FIRST
                                    "Got {far: w.iops}, {x}.\n" LAST "- b: B `far: x > 1`\n";
    struct lesson lesson;
    struct lesson_line line;
    char why[LESSON_WHY_BYTES];
    size_t at = 0;
    assert_true(lesson_parse(&lesson, "t", text, strlen(text), why));
    assert_string_equal(lesson.title, "Title");
    assert_int_equal(lesson.order, 2);
    assert_int_equal(lesson.variant_count, 2);
    assert_int_equal(lesson.variants[1].set_count, 2);
    assert_string_equal(lesson.variants[1].sets[1], "c=2");
    assert_int_equal(lesson.probe_count, 4);
    assert_true(lesson_next_line(&lesson, LESSON_QUESTION, &at, &line));
    assert_int_equal(line.kind, LESSON_ANSWER);
    assert_int_equal(line.letter, 'b');
    assert_string_equal(line.probe->quantity, "x > 1");
    assert_int_equal(line.probe->variant, 1);
    assert_false(lesson_next_line(&lesson, LESSON_QUESTION, &at, &line));
    lesson_free(&lesson);
}

static void malformed_texts_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "head lacks"},
        {"# Title\n", "t.md:1: expected '# N. TITLE'"},
        {"# 1. T\nMinutes: none\n", "t.md:2: expected"},
        {"# 1. T\nVariant far\n", "t.md:2: expected"},
        {HEAD, "'Predict' is missing"},
        {HEAD "## Run\n", "t.md:4: expected the heading 'Predict'"},
        {HEAD FIRST LAST "## More\n", "expected the heading 'none'"},
        {HEAD "## Predict\n{far: x}\n", "t.md:5: unknown variant"},
        {HEAD "## Predict\n- a: A `far: x > 1`\n", "t.md:5: unknown variant"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct lesson lesson;
        char why[LESSON_WHY_BYTES] = "";
        assert_false(lesson_parse(&lesson, "t", rows[i].text, strlen(rows[i].text), why));
        if (strstr(why, rows[i].why) == NULL)
            fail_msg("row %zu: '%s'", i, why);
        lesson_free(&lesson);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_lesson_is_true, set_up, tear_down),
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(malformed_texts_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
