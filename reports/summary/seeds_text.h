/* SPDX-License-Identifier: Apache-2.0
 * seeds_text - the output of run --seeds as text and as one JSON object. */
#ifndef STORMGLASS_REPORTS_SUMMARY_SEEDS_TEXT_H
#define STORMGLASS_REPORTS_SUMMARY_SEEDS_TEXT_H

#include "replay/run/seeds.h"

#include <stdio.h>

/* False: the output could not be written. */
bool seeds_text(const struct seeds *seeds, FILE *out);
bool seeds_json(const struct seeds *seeds, FILE *out);

#endif
