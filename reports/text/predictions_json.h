/* SPDX-License-Identifier: Apache-2.0
 * predictions_json - writes predictions as a file sealed with a digest
 * (replay/compare/predictions.h). */
#ifndef STORMGLASS_REPORTS_TEXT_PREDICTIONS_JSON_H
#define STORMGLASS_REPORTS_TEXT_PREDICTIONS_JSON_H

#include "replay/compare/predictions.h"

#include <stdio.h>

/* Fills in the digest. Returns false if the output could not be written. */
bool predictions_json(struct predictions *predictions, FILE *out);

#endif
