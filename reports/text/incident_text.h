/* SPDX-License-Identifier: Apache-2.0
 * incident_text - compares an incident's counters with a run's, as text, JSON and CSV. */
#ifndef STORMGLASS_REPORTS_TEXT_INCIDENT_TEXT_H
#define STORMGLASS_REPORTS_TEXT_INCIDENT_TEXT_H

#include "replay/compare/incident_diff.h"

#include <stdio.h>

/* `all`: also rows that agree, and every counter that could not be compared. */
void incident_text(const struct incident_diff *diff, bool all, FILE *out);

/* One object, always complete. */
void incident_json(const struct incident_diff *diff, FILE *out);

/* One line for each counter that was compared. */
void incident_csv(const struct incident_diff *diff, FILE *out);

#endif
