/* SPDX-License-Identifier: Apache-2.0
 * cmd_lesson - stormglass lesson. */
#include "base/memory.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "replay/experiment/confirm.h"
#include "replay/lesson/lesson.h"
#include "replay/record/record_begin.h"
#include "replay/run/run.h"
#include "reports/summary/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option lesson_options[] = {
    {"answer", 0, "LETTER", "check an answer to the question, and print only the result"},
    {0},
};

enum { REPLY_BYTES = 64, NAME_WIDTH = 20 };

/* A pass through a lesson. `asks`: on a terminal, where it waits for the learner. */
struct pass {
    const struct lesson *lesson;
    bool asks;
    char predicted; /* letter; 0: none */
};

/* ---- the learner ---- */

/* The line that the learner types, without blanks at its ends; a longer line is cut. False at the
 * end of the input. */
static bool read_reply(char reply[REPLY_BYTES])
{
    fflush(stdout);
    if (fgets(reply, REPLY_BYTES, stdin) == NULL) {
        putchar('\n');
        return false;
    }
    for (int next = 0; strchr(reply, '\n') == NULL && next != '\n' && next != EOF;)
        next = getchar();
    const size_t blank = strspn(reply, " \t\r\n");
    size_t used = strlen(reply) - blank;
    memmove(reply, reply + blank, used + 1);
    while (used > 0 && strchr(" \t\r\n", reply[used - 1]) != NULL)
        reply[--used] = 0;
    for (size_t i = 0; i < used; i++)
        if (iscntrl((unsigned char)reply[i]))
            reply[i] = '?';
    return true;
}

static void wait_for_enter(const char *prompt)
{
    char reply[REPLY_BYTES];
    printf("%s: ", prompt);
    read_reply(reply);
}

static bool find_answer(const struct lesson *lesson, enum lesson_part part, char letter,
                        struct lesson_line *answer)
{
    for (size_t at = 0; lesson_next_line(lesson, part, &at, answer);)
        if (answer->kind == LESSON_ANSWER && answer->letter == letter)
            return true;
    return false;
}

/* "a, b or c" */
static void list_letters(const struct lesson *lesson, enum lesson_part part, char text[REPLY_BYTES])
{
    char letters[8];
    uint32_t count = 0;
    struct lesson_line line;
    for (size_t at = 0; lesson_next_line(lesson, part, &at, &line) && count < sizeof letters;)
        if (line.kind == LESSON_ANSWER)
            letters[count++] = line.letter;
    for (uint32_t i = 0, used = 0; i < count; i++)
        used += (uint32_t)snprintf(text + used, REPLY_BYTES - used, "%s%c",
                                   i == 0           ? ""
                                   : i + 1 == count ? " or "
                                                    : ", ",
                                   letters[i]);
}

/* One of the letters of a part's answers; 0 at the end of the input. */
static char ask_letter(const struct lesson *lesson, enum lesson_part part, const char *prompt)
{
    struct lesson_line line;
    char letters[REPLY_BYTES], reply[REPLY_BYTES];
    list_letters(lesson, part, letters);
    for (;;) {
        printf("%s (%s): ", prompt, letters);
        if (!read_reply(reply))
            return 0;
        const char letter = (char)tolower((unsigned char)reply[0]);
        if (letter != 0 && reply[1] == 0 && find_answer(lesson, part, letter, &line))
            return letter;
        if (letter == 0)
            printf("No letter was typed; expected %s.\n", letters);
        else
            printf("'%s' is not one of the answers; expected %s.\n", reply, letters);
    }
}

/* ---- output ---- */

/* " with PATH=VALUE and PATH=VALUE" after the word for a run; nothing for the scenario itself. */
static void print_settings(const struct lesson *lesson, const struct lesson_probe *probe)
{
    const struct lesson_variant *variant = &lesson->variants[probe->variant];
    for (uint32_t i = 0; i < variant->set_count; i++)
        printf("%s%s",
               i == 0                        ? " with "
               : i + 1 == variant->set_count ? " and "
                                             : ", ",
               variant->sets[i]);
}

/* The condition without the quantity: "> 97Gbps". */
static const char *relation_of(const struct lesson_probe *probe)
{
    const size_t name = strcspn(probe->quantity, " ");
    return probe->quantity + name + (probe->quantity[name] == ' ');
}

/* "push.goodput is 98.0 Gb/s (> 97Gbps", with a label before the relation and without the end. */
static void print_measured(const struct lesson_probe *probe, const char *label)
{
    printf("%.*s is %s (%s%s", (int)strcspn(probe->quantity, " "), probe->quantity, probe->actual,
           label, relation_of(probe));
}

static bool has_same_quantity(const struct lesson_probe *a, const struct lesson_probe *b)
{
    const size_t name = strcspn(a->quantity, " ");
    return a->variant == b->variant && strcspn(b->quantity, " ") == name &&
           memcmp(a->quantity, b->quantity, name) == 0;
}

/* Successive checks of one quantity in one run take one line. `at` moves behind them. */
static void print_checks(const struct lesson *lesson, enum lesson_part part, size_t *at,
                         const struct lesson_probe *first)
{
    struct lesson_line next;
    printf("  Measured");
    print_settings(lesson, first);
    printf(": ");
    print_measured(first, "expected: ");
    printf("%s", first->holds ? "" : " FALSE");
    for (size_t ahead = *at; lesson_next_line(lesson, part, &ahead, &next) &&
                             next.kind == LESSON_CHECK && has_same_quantity(next.probe, first);
         *at = ahead)
        printf(", %s%s", relation_of(next.probe), next.probe->holds ? "" : " FALSE");
    puts(")");
}

static void print_part(const struct lesson *lesson, enum lesson_part part)
{
    struct lesson_line line;
    printf("\n== %s\n", lesson_heading(part));
    for (size_t at = 0; lesson_next_line(lesson, part, &at, &line);) {
        if (line.kind == LESSON_CHECK) {
            print_checks(lesson, part, &at, line.probe);
            continue;
        }
        if (line.kind == LESSON_ANSWER)
            printf("  %c. ", line.letter);
        lesson_fill(lesson, line.text, stdout);
        putchar('\n');
    }
}

static void print_right(const struct lesson *lesson, enum lesson_part part)
{
    struct lesson_line right;
    if (!lesson_right_answer(lesson, part, &right))
        return;
    printf("The run");
    print_settings(lesson, right.probe);
    printf(" shows %c: ", right.letter);
    print_measured(right.probe, "");
    puts(")");
}

/* The right answer of Predict, compared with the prediction if there is one. */
static void print_prediction(const struct pass *pass)
{
    struct lesson_line right;
    if (pass->predicted == 0 || !lesson_right_answer(pass->lesson, LESSON_PREDICT, &right)) {
        print_right(pass->lesson, LESSON_PREDICT);
    } else if (right.letter != pass->predicted) {
        printf("Your prediction was %c. ", pass->predicted);
        print_right(pass->lesson, LESSON_PREDICT);
    } else {
        printf("Your prediction, %c, is right: ", right.letter);
        print_measured(right.probe, "");
        puts(")");
    }
}

/* The summary that `stormglass run` prints. */
static bool print_summary(const struct lesson *lesson)
{
    struct run run = {0};
    struct confirm confirm = {.events = CONFIRM_EVENTS};
    const struct run_options how = {
        .brief = true, .until = TIME_NEVER, .judge = confirm_judge, .judge_self = &confirm};
    struct scenario *scenario = cli_load(lesson->name, NULL, 0);
    struct diag *diag = memory_new(sizeof *diag);
    const bool well = scenario != NULL && run_scenario(&run, scenario, &how, diag) == RUN_DONE &&
                      text_run(record_store(run.record), stdout);
    diag_print(diag, stderr);
    run_close(&run);
    scenario_free(scenario);
    free(diag);
    return well;
}

/* ---- a pass ---- */

static void give_predict(struct pass *pass)
{
    print_part(pass->lesson, LESSON_PREDICT);
    if (pass->asks)
        pass->predicted = ask_letter(pass->lesson, LESSON_PREDICT, "Your prediction");
}

static bool give_run(const struct pass *pass)
{
    print_part(pass->lesson, LESSON_RUN);
    if (!pass->asks)
        return true;
    wait_for_enter("Press Enter to run it here");
    return print_summary(pass->lesson);
}

static void give_results(const struct pass *pass)
{
    print_part(pass->lesson, LESSON_HAPPENED);
    print_prediction(pass);
    if (pass->asks)
        wait_for_enter("Press Enter to continue");
    print_part(pass->lesson, LESSON_NUMBERS);
}

static int judge_answer(const struct lesson *lesson, char letter)
{
    struct lesson_line line;
    if (!find_answer(lesson, LESSON_QUESTION, letter, &line)) {
        char letters[REPLY_BYTES];
        list_letters(lesson, LESSON_QUESTION, letters);
        cli_error("answer '%c': expected %s", letter, letters);
        return CLI_USAGE;
    }
    printf("%s: ", line.probe->holds ? "Right" : "Wrong");
    print_measured(line.probe, line.probe->holds ? "" : "not ");
    puts(")");
    if (!line.probe->holds)
        print_right(lesson, LESSON_QUESTION);
    return line.probe->holds ? CLI_DONE : CLI_BROKEN;
}

static int give_question(const struct pass *pass)
{
    print_part(pass->lesson, LESSON_QUESTION);
    if (!pass->asks) {
        print_right(pass->lesson, LESSON_QUESTION);
        return CLI_DONE;
    }
    const char letter = ask_letter(pass->lesson, LESSON_QUESTION, "Your answer");
    return letter == 0 ? CLI_DONE : judge_answer(pass->lesson, letter);
}

static void print_next(const struct lesson *lessons, uint32_t count, uint32_t order)
{
    for (uint32_t i = 0; i < count; i++)
        if (lessons[i].order == order + 1)
            printf("\nNext: stormglass lesson %s\n", lessons[i].name);
}

static int give(const struct lesson *lesson, const struct lesson *lessons, uint32_t count)
{
    struct pass pass = {.lesson = lesson,
                        .asks = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1};
    printf("Lesson %u of %u: %s (%u %s)\n%s\n", (unsigned)lesson->order, (unsigned)count,
           lesson->title, (unsigned)lesson->minutes, plural(lesson->minutes, "minute", "minutes"),
           lesson->goal);
    give_predict(&pass);
    if (!give_run(&pass))
        return CLI_FAILED;
    give_results(&pass);
    const int code = give_question(&pass);
    print_next(lessons, count, lesson->order);
    return code;
}

/* ---- the command ---- */

static void list_lessons(const struct lesson *lessons, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        printf("%2u  %-*s %s\n", (unsigned)lessons[i].order, NAME_WIDTH, lessons[i].name,
               lessons[i].title);
    printf("\nBegin with: stormglass lesson %s\n", count > 0 ? lessons[0].name : "");
}

static struct lesson *find_lesson(struct lesson *lessons, uint32_t count, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(lessons[i].name, name) == 0)
            return &lessons[i];
        nearest_offer(&nearest, lessons[i].name);
    }
    cli_error("lesson '%s' does not exist%s", name,
              nearest.best[0] == '\0' ? "; see stormglass lesson" : nearest_hint(&nearest).text);
    return NULL;
}

static int measure_and_give(const struct cli_args *args, struct lesson *lesson,
                            const struct lesson *lessons, uint32_t count)
{
    const char *answer = cli_value(args, "answer");
    if (answer != NULL && strlen(answer) != 1) {
        cli_error("--answer %s: expected one letter", answer);
        return CLI_USAGE;
    }
    struct diag *diag = memory_new(sizeof *diag);
    const bool well = lesson_measure(lesson, diag);
    diag_print(diag, stderr);
    free(diag);
    return !well            ? CLI_FAILED
           : answer != NULL ? judge_answer(lesson, (char)tolower((unsigned char)*answer))
                            : give(lesson, lessons, count);
}

static int run_lesson(const struct cli_args *args)
{
    struct lesson *lessons = memory_zeroed(LESSONS_MAX, sizeof *lessons);
    const uint32_t count = lesson_load_all(lessons);
    int code = CLI_USAGE;
    if (args->operand_count == 1) {
        struct lesson *lesson = find_lesson(lessons, count, args->operands[0]);
        if (lesson != NULL)
            code = measure_and_give(args, lesson, lessons, count);
    } else if (cli_given(args, "answer")) {
        cli_error("--answer: expected the name of a lesson, too");
    } else {
        list_lessons(lessons, count);
        code = CLI_DONE;
    }
    for (uint32_t i = 0; i < count; i++)
        lesson_free(&lessons[i]);
    free(lessons);
    if (fflush(stdout) != 0) {
        cli_error("standard output: %s", strerror(errno));
        return CLI_FAILED;
    }
    return code;
}

const struct cli_command cmd_lesson = {
    .name = "lesson",
    .operands = "[LESSON]",
    .about = "teach one effect: a prediction, a run, its numbers, and a question",
    .details = "Without LESSON, lists the lessons in the order of a course. On a terminal, a "
               "lesson\n"
               "waits for your prediction and answer; otherwise it prints all text at once. run, "
               "step,\n"
               "explain and draw accept the name of a lesson as a scenario.",
    .examples = (const struct cli_example[]){{"All lessons", "stormglass lesson"},
                                             {"The first lesson", "stormglass lesson pfc"},
                                             {"Check an answer in a script",
                                              "stormglass lesson pfc --answer a"},
                                             {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the answer is right, or none was requested"},
            {1, "the answer is wrong"},
            {2, "no such lesson or answer"},
            {3, "the run failed (out of memory), or the output could not be written"},
            {0}},
    .options = lesson_options,
    .operands_min = 0,
    .operands_max = 1,
    .run = run_lesson,
};
