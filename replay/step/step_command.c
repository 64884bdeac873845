/* SPDX-License-Identifier: Apache-2.0
 * step_command - parses one line as one command. */
#include "replay/step/step_command.h"

#include "base/nearest.h"
#include "base/quantity.h"

#include <string.h>

const struct step_command_row step_commands[STEP_VERB_COUNT] = {
#define X(name, word, brief, arguments, about) {word, brief, arguments, about},
    STEP_COMMANDS(X)
#undef X
};

static bool is_number(const char *text)
{
    return *text >= '0' && *text <= '9' && text[strspn(text, "0123456789")] == '\0';
}

static bool parse_time(struct step_words *words, time_ps *time)
{
    struct step_word word;
    char why[QUANTITY_WHY_BYTES];
    if (!step_word_next(words, &word))
        return false;
    return (quantity_parse(QUANTITY_TIME, word.text, time, why) && *time >= 0) ||
           step_wrong_at(words, &word, "expected %s", quantity_expected(QUANTITY_TIME));
}

/* [until T] */
static bool parse_until(struct step_words *words, struct step_command *command)
{
    struct step_word word = step_word_ahead(words);
    if (word.text[0] == '\0')
        return true;
    if (strcmp(word.text, "until") != 0)
        return step_wrong_at(words, &word, "expected 'until' and a time, not '%s'", word.text);
    return step_word_next(words, &word) && parse_time(words, &command->until);
}

/* [N] */
static bool parse_count(struct step_words *words, struct step_command *command)
{
    const struct step_word ahead = step_word_ahead(words);
    struct step_word word;
    unsigned long long number;
    if (!is_number(ahead.text))
        return true;
    command->has_number = true;
    if (!step_word_next(words, &word) || !step_word_number(words, &word, INT64_MAX, &number))
        return false;
    command->number = number;
    return true;
}

/* [N] [CONDITION]; without a condition, any event. */
static bool parse_steps(struct step_words *words, const struct scenario *scenario,
                        struct step_command *command)
{
    const struct step_word begin = step_word_ahead(words);
    command->number = 1;
    if (!parse_count(words, command))
        return false;
    if (command->number == 0)
        return step_wrong_at(words, &begin, "expected a number from 1 on");
    return step_word_ahead(words).text[0] == '\0' ||
           step_condition_parse(words, scenario, &command->condition);
}

static bool parse_goto(struct step_words *words, struct step_command *command)
{
    struct step_word word = step_word_ahead(words);
    unsigned long long number;
    if (strcmp(word.text, "event") != 0)
        return parse_time(words, &command->until);
    step_word_next(words, &word);
    command->has_number = true;
    if (!step_word_next(words, &word) || !step_word_number(words, &word, INT64_MAX, &number))
        return false;
    command->number = number;
    return true;
}

static bool parse_why(struct step_words *words, const struct scenario *scenario,
                      struct step_command *command)
{
    const struct step_word begin = step_word_ahead(words);
    if (begin.text[0] == '\0')
        return step_wrong_at(words, &begin,
                             "expected a port such as leaf0:p3, a node or a workload");
    return step_subject_parse(words, scenario, &command->subject);
}

static bool parse_help(struct step_words *words, struct step_command *command)
{
    struct step_word word = step_word_ahead(words);
    if (word.text[0] == '\0')
        return true;
    if (strcmp(word.text, "conditions") != 0)
        return step_wrong_at(words, &word, "expected 'conditions' or nothing, not '%s'", word.text);
    command->has_number = true;
    return step_word_next(words, &word);
}

static bool parse_arguments(struct step_words *words, const struct scenario *scenario,
                            struct step_command *command)
{
    switch (command->verb) {
    case STEP_DO_CONTINUE:
    case STEP_DO_RUN:
        return parse_until(words, command);
    case STEP_DO_UNTIL:
        return parse_time(words, &command->until);
    case STEP_DO_NEXT:
    case STEP_DO_BACK:
        return parse_steps(words, scenario, command);
    case STEP_DO_GOTO:
        return parse_goto(words, command);
    case STEP_DO_BREAK:
    case STEP_DO_WATCH:
        return step_condition_parse(words, scenario, &command->condition);
    case STEP_DO_SHOW:
        return step_subject_parse(words, scenario, &command->subject);
    case STEP_DO_WHY:
        return parse_why(words, scenario, command);
    case STEP_DO_LIST:
        command->number = STEP_LIST_PRESET;
        return parse_count(words, command);
    case STEP_DO_DELETE:
        return parse_count(words, command);
    case STEP_DO_HELP:
        return parse_help(words, command);
    default:
        return true;
    }
}

static enum step_verb find_verb(const char *word)
{
    int i = 0;
    while (i < STEP_VERB_COUNT && strcmp(step_commands[i].word, word) != 0 &&
           strcmp(step_commands[i].brief, word) != 0)
        i++;
    return (enum step_verb)i;
}

static bool unknown(const struct step_words *words, const struct step_word *word)
{
    struct nearest nearest = nearest_to(word->text);
    for (int i = 0; i < STEP_VERB_COUNT; i++)
        nearest_offer(&nearest, step_commands[i].word);
    return step_wrong_at(words, word, "there is no command '%s'%s", word->text,
                         nearest.best[0] == '\0' ? "; 'help' lists them"
                                                 : nearest_hint(&nearest).text);
}

bool step_command_parse(const char *line, const struct scenario *scenario,
                        struct step_command *command, struct step_wrong *wrong)
{
    struct step_words words = step_words(line, wrong);
    struct step_word word;
    *wrong = (struct step_wrong){0};
    *command = (struct step_command){
        .until = TIME_NEVER,
        .condition = step_condition_of(STEP_EVENT),
        .subject = step_subject_any,
    };
    if (!step_word_next(&words, &word) || word.text[0] == '\0')
        return false;
    command->verb = find_verb(word.text);
    if (command->verb == STEP_VERB_COUNT)
        return unknown(&words, &word);
    command->condition_at = step_word_ahead(&words).column - 1;
    return parse_arguments(&words, scenario, command) && step_words_end(&words);
}
