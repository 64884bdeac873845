/* SPDX-License-Identifier: Apache-2.0
 * deduced - parameters deduced from tools' output, as text, JSON, CSV and a profile.
 * Functions return false if the output could not be written completely. */
#ifndef STORMGLASS_REPORTS_TEXT_DEDUCED_H
#define STORMGLASS_REPORTS_TEXT_DEDUCED_H

#include "replay/readings/deduce.h"

#include <stdio.h>

bool deduced_text(const struct deduced *deduced, FILE *out);
bool deduced_json(const struct deduced *deduced, FILE *out);
bool deduced_csv(const struct deduced *deduced, FILE *out); /* one line for each parameter */

/* A complete profile of kind rnic; undetermined values are the base's. */
bool deduced_profile(const struct deduced *deduced, const char *name, FILE *out);

#endif
