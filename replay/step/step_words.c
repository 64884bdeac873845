/* SPDX-License-Identifier: Apache-2.0
 * step_words - blanks, comments and columns. */
#include "replay/step/step_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct step_words step_words(const char *line, struct step_wrong *wrong)
{
    return (struct step_words){.line = line, .wrong = wrong};
}

bool step_wrong_at(const struct step_words *words, const struct step_word *word, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    words->wrong->column = word->column;
    vsnprintf(words->wrong->text, sizeof words->wrong->text, format, arguments);
    va_end(arguments);
    return false;
}

/* The length of the next word; 0 if there is none. */
static int measure_word(const char *line, int *at)
{
    *at += (int)strspn(line + *at, " \t\r\n");
    const char *begin = line + *at;
    if (*begin == '#' || *begin == '\0')
        return 0;
    return *begin == '>' ? 1 : (int)strcspn(begin, " \t\r\n>#");
}

bool step_word_next(struct step_words *words, struct step_word *word)
{
    const int length = measure_word(words->line, &words->at);
    *word = (struct step_word){.column = words->at + 1};
    memcpy(word->text, words->line + words->at,
           (size_t)(length < STEP_WORD_BYTES ? length : STEP_WORD_BYTES - 1));
    words->at += length;
    return length < STEP_WORD_BYTES ||
           step_wrong_at(words, word, "expected a word of less than %d letters", STEP_WORD_BYTES);
}

struct step_word step_word_ahead(const struct step_words *words)
{
    struct step_wrong ignored;
    struct step_words copy = *words;
    struct step_word word;
    copy.wrong = &ignored;
    step_word_next(&copy, &word);
    return word;
}

bool step_words_end(struct step_words *words)
{
    const struct step_word word = step_word_ahead(words);
    return word.text[0] == '\0' ||
           step_wrong_at(words, &word, "expected the end of the line, not '%s'", word.text);
}

bool step_word_number(const struct step_words *words, const struct step_word *word,
                      unsigned long long most, unsigned long long *number)
{
    *number = 0;
    const char *at = word->text;
    for (; *at >= '0' && *at <= '9' && *number <= most; at++)
        *number = *number * 10 + (unsigned)(*at - '0');
    return (at > word->text && *at == '\0' && *number <= most) ||
           step_wrong_at(words, word, "expected a number from 0 to %llu%s%s%s", most,
                         word->text[0] == '\0' ? "" : ", not '", word->text,
                         word->text[0] == '\0' ? "" : "'");
}
