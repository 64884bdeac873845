/* SPDX-License-Identifier: Apache-2.0
 * compare_csv - figures of workloads as tables: of a comparison, of a grid, of predictions.
 * One line for each figure; an unknown value is an empty field. */
#ifndef STORMGLASS_REPORTS_TEXT_COMPARE_CSV_H
#define STORMGLASS_REPORTS_TEXT_COMPARE_CSV_H

#include "replay/compare/matrix.h"

#include <stdio.h>

/* False: the output could not be written. */
bool compare_csv(const struct compare *compare, FILE *out);
bool matrix_csv(const struct matrix *matrix, FILE *out);
void predictions_csv(const struct predictions *predictions, FILE *out);

#endif
