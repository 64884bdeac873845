/* SPDX-License-Identifier: Apache-2.0
 * nearest - finds the known word closest to a misspelled one.
 * Source: the restricted Damerau-Levenshtein distance (Damerau, CACM 1964; Levenshtein 1966). */
#ifndef STORMGLASS_BASE_NEAREST_H
#define STORMGLASS_BASE_NEAREST_H

#include <stdbool.h>

enum { NEAREST_WORD_BYTES = 96, NEAREST_LIST_BYTES = 270, NEAREST_HINT_BYTES = 390 };

/* Compares candidates one after the other and keeps the best, plus a list of all while they are
 * few. The first of equal candidates wins. */
struct nearest {
    const char *wanted;
    char best[NEAREST_WORD_BYTES]; /* empty: no candidate is close enough to suggest */
    unsigned distance;
    unsigned offered;              /* distinct candidates; above the limit there is no list */
    char list[NEAREST_LIST_BYTES]; /* "one, two, three" */
};

struct nearest_hint {
    char text[NEAREST_HINT_BYTES];
};

/* Number of insertions, deletions, substitutions and swaps of adjacent characters; only the first
 * 63 bytes of a word count. */
unsigned nearest_distance(const char *a, const char *b);

struct nearest nearest_to(const char *wanted);
void nearest_offer(struct nearest *nearest, const char *candidate);

/* Text to append to an "unknown word" error: "; did you mean 'two'? There are one, two and three".
 * The question is left out when no candidate is close, the list when it would be long. */
struct nearest_hint nearest_hint(const struct nearest *nearest);

#endif
