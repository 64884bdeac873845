/* SPDX-License-Identifier: Apache-2.0
 * step_words - splits an input line into words, and locates errors.
 * Words are separated by blanks; `>` is a word of its own; `#` starts a comment. Columns count from
 * 1. The line must outlive the words. */
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
    int at; /* where the next word starts */
    struct step_wrong *wrong;
};

struct step_word {
    int column;
    char text[STEP_WORD_BYTES]; /* empty: end of the line */
};

struct step_words step_words(const char *line, struct step_wrong *wrong);

/* Reads the next word, empty at the end. Returns false, with a message, if the word is longer than
 * any known one. */
bool step_word_next(struct step_words *words, struct step_word *word);

/* The next word without consuming it. */
struct step_word step_word_ahead(const struct step_words *words);

/* Reports an error at a word; always returns false. */
bool step_wrong_at(const struct step_words *words, const struct step_word *word, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Whether the line has no more words; otherwise reports an error. */
bool step_words_end(struct step_words *words);

/* A non-negative integer. */
bool step_word_number(const struct step_words *words, const struct step_word *word,
                      unsigned long long most, unsigned long long *number);

#endif
