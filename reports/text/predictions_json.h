/* SPDX-License-Identifier: Apache-2.0
 * predictions_json - predictions as their file, sealed with a digest
 * (replay/compare/predictions.h). */
#ifndef STORMGLASS_REPORTS_TEXT_PREDICTIONS_JSON_H
#define STORMGLASS_REPORTS_TEXT_PREDICTIONS_JSON_H

#include "replay/compare/predictions.h"

#include <stdio.h>

/* Fills in the digest.  False: it could not be written. */
bool predictions_json(struct predictions *predictions, FILE *out);

#endif
