/* nearest - which known word a misspelt one was meant to be.    SPDX-License-Identifier: Apache-2.0
 * Source: the restricted Damerau-Levenshtein distance (Damerau, CACM 1964; Levenshtein 1966). */
#ifndef STORMGLASS_BASE_NEAREST_H
#define STORMGLASS_BASE_NEAREST_H

#include <stdbool.h>

enum { NEAREST_WORD_BYTES = 96, NEAREST_LIST_BYTES = 240, NEAREST_HINT_BYTES = 360 };

/* Offered candidates one after the other; keeps the best, and all while they are few.  Ties go to
 * the first. */
struct nearest {
    const char *wanted;
    char best[NEAREST_WORD_BYTES]; /* empty: none is near enough to be worth a question */
    unsigned distance;
    unsigned offered;              /* different ones; more than are listed: there is no list */
    char list[NEAREST_LIST_BYTES]; /* "one, two, three" */
};

struct nearest_hint {
    char text[NEAREST_HINT_BYTES];
};

/* Insertions, deletions, changes and swaps of neighbours; words are compared up to 63 bytes. */
unsigned nearest_distance(const char *a, const char *b);

struct nearest nearest_to(const char *wanted);
void nearest_offer(struct nearest *nearest, const char *candidate);

/* What goes behind a sentence that says that there is no such word: "; did you mean 'two'? There
 * are one, two and three".  Without the question where none is near, and without the list where it
 * would be long. */
struct nearest_hint nearest_hint(const struct nearest *nearest);

#endif
