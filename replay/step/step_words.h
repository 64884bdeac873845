/* SPDX-License-Identifier: Apache-2.0
 * step_words - a line that a person typed, word by word, and what is wrong with it.
 * Words are separated by blanks; `>` is a word of its own; from `#` on the line is a comment.
 * Columns count from 1.  The line outlives the words. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_WORDS_H
#define STORMGLASS_REPLAY_STEP_STEP_WORDS_H

#include <stdbool.h>

enum { STEP_WORD_BYTES = 96, STEP_LINE_BYTES = 1024, STEP_WRONG_BYTES = 320 };

struct step_wrong {
    int column;
    char text[STEP_WRONG_BYTES];
};

struct step_words {
    const char *line;
    int at; /* where the next word is looked for */
    struct step_wrong *wrong;
};

struct step_word {
    int column;
    char text[STEP_WORD_BYTES]; /* empty: the line has no more */
};

struct step_words step_words(const char *line, struct step_wrong *wrong);

/* False, and it is said, when the word is longer than any that is known; an empty word at the end.
 */
bool step_word_next(struct step_words *words, struct step_word *word);

/* The next word without taking it. */
struct step_word step_word_ahead(const struct step_words *words);

/* Says what is wrong at a word; always false. */
bool step_wrong_at(const struct step_words *words, const struct step_word *word, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* The line has no more words; else it is said. */
bool step_words_end(struct step_words *words);

/* A whole number from 0 on. */
bool step_word_number(const struct step_words *words, const struct step_word *word,
                      unsigned long long most, unsigned long long *number);

#endif
