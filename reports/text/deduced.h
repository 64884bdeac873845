/* SPDX-License-Identifier: Apache-2.0
 * deduced - what tools' output says of parameters, for people, for programs, and as a profile.
 * False: not all could be written. */
#ifndef STORMGLASS_REPORTS_TEXT_DEDUCED_H
#define STORMGLASS_REPORTS_TEXT_DEDUCED_H

#include "replay/readings/deduce.h"

#include <stdio.h>

bool deduced_text(const struct deduced *deduced, FILE *out);
bool deduced_json(const struct deduced *deduced, FILE *out);

/* A profile of kind rnic that stands alone: what is not determined is the base's. */
bool deduced_profile(const struct deduced *deduced, const char *name, FILE *out);

#endif
