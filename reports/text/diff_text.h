/* SPDX-License-Identifier: Apache-2.0
 * diff_text - what differs between two runs, for people and as JSON.
 * What was changed first, then the first event that differs, then what came of it. */
#ifndef STORMGLASS_REPORTS_TEXT_DIFF_TEXT_H
#define STORMGLASS_REPORTS_TEXT_DIFF_TEXT_H

#include "replay/compare/diff.h"
#include "replay/database/words.h"

#include <stdio.h>

/* `all`: every row, else the most important ones of each section.  False: it could not be written.
 */
bool diff_text(const struct diff *diff, bool all, FILE *out);

/* A row's value as people read it; of numbers only. */
struct words diff_value_words(const struct diff_row *row, int which);
/* "+12.3 %", "x 20"; "" where there is no share: from nothing, or both the same. */
struct words diff_change_words(double a, double b);

/* One object, always with every row. */
bool diff_json(const struct diff *diff, FILE *out);

/* A line for each row; `change` is B over A, less 1. */
bool diff_csv(const struct diff *diff, FILE *out);

#endif
