/* SPDX-License-Identifier: Apache-2.0
 * predictions_text - the results of a grid's cells as a table. */
#ifndef STORMGLASS_REPORTS_TEXT_PREDICTIONS_TEXT_H
#define STORMGLASS_REPORTS_TEXT_PREDICTIONS_TEXT_H

#include "replay/compare/predictions.h"

#include <stdio.h>

/* One line for each workload of each cell. */
void predictions_text(const struct predictions *predictions, FILE *out);

#endif
