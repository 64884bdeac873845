/* SPDX-License-Identifier: Apache-2.0
 * incident_text - counters of an incident beside a run's, for people and as JSON. */
#ifndef STORMGLASS_REPORTS_TEXT_INCIDENT_TEXT_H
#define STORMGLASS_REPORTS_TEXT_INCIDENT_TEXT_H

#include "replay/compare/incident_diff.h"

#include <stdio.h>

/* `all`: also rows that agree, and every counter that could not be compared. */
void incident_text(const struct incident_diff *diff, bool all, FILE *out);

/* One object, always with everything. */
void incident_json(const struct incident_diff *diff, FILE *out);

#endif
