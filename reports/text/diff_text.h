/* SPDX-License-Identifier: Apache-2.0
 * diff_text - the differences between two runs, as text, JSON and CSV.
 * Changed settings first, then the first event that differs, then the results. */
#ifndef STORMGLASS_REPORTS_TEXT_DIFF_TEXT_H
#define STORMGLASS_REPORTS_TEXT_DIFF_TEXT_H

#include "replay/compare/diff.h"
#include "replay/database/words.h"

#include <stdio.h>

/* `all`: every row, otherwise the most important ones of each section. Returns false if the output
 * could not be written. */
bool diff_text(const struct diff *diff, bool all, FILE *out);

/* A row's value as text; for numbers only. */
struct words diff_value_words(const struct diff_row *row, int which);
/* The value of one run: with its unit, as it is stored, or "-"; `words` holds it if needed. */
const char *diff_side_text(const struct diff_row *row, int which, struct words *words);
/* "+12.3 %", "x 20"; "" if there is no percentage: from zero, or equal values. */
struct words diff_change_words(double a, double b);

/* One object, always with every row. */
bool diff_json(const struct diff *diff, FILE *out);

/* One line per row; `change` is B / A - 1. */
bool diff_csv(const struct diff *diff, FILE *out);

#endif
