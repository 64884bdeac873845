/* SPDX-License-Identifier: Apache-2.0
 * predictions_text - what each cell of a grid came to, as a table for people. */
#ifndef STORMGLASS_REPORTS_TEXT_PREDICTIONS_TEXT_H
#define STORMGLASS_REPORTS_TEXT_PREDICTIONS_TEXT_H

#include "replay/compare/predictions.h"

#include <stdio.h>

/* A line for each workload of each cell. */
void predictions_text(const struct predictions *predictions, FILE *out);

#endif
