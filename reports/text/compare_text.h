/* SPDX-License-Identifier: Apache-2.0
 * compare_text - a comparison as text, or as a section of a report.
 * Protocol first, then timing, then the verdict. Errors are those of the model, in percent of the
 * measurement. */
#ifndef STORMGLASS_REPORTS_TEXT_COMPARE_TEXT_H
#define STORMGLASS_REPORTS_TEXT_COMPARE_TEXT_H

#include "replay/compare/compare.h"

#include <stdio.h>

/* False: the output could not be written. */
bool compare_text(const struct compare *compare, FILE *out);

/* One object. */
bool compare_json(const struct compare *compare, FILE *out);

/* A figure as text, "19.6 us". */
struct words;
struct words compare_value(enum figure_kind kind, double value);

/* "+12.3 %"; "x 40" if the model gives a multiple of the measurement. */
struct words compare_error_words(double error);

#endif
