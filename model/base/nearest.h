/* nearest - which known word a misspelt one was meant to be.    SPDX-License-Identifier: Apache-2.0
 * Source: the restricted Damerau-Levenshtein distance (Damerau, CACM 1964; Levenshtein 1966). */
#ifndef STORMGLASS_BASE_NEAREST_H
#define STORMGLASS_BASE_NEAREST_H

#include <stdbool.h>

/* Offered candidates one after the other; keeps the best.  Ties go to the first. */
struct nearest {
    const char *wanted;
    const char *best; /* NULL: none is near enough to be worth a question */
    unsigned distance;
};

/* Insertions, deletions, changes and swaps of neighbours; words are compared up to 63 bytes. */
unsigned nearest_distance(const char *a, const char *b);

struct nearest nearest_to(const char *wanted);
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
