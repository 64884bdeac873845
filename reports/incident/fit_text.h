/* SPDX-License-Identifier: Apache-2.0
 * fit_text - the answer of runs to an incident, as text, JSON and CSV. */
#ifndef STORMGLASS_REPORTS_INCIDENT_FIT_TEXT_H
#define STORMGLASS_REPORTS_INCIDENT_FIT_TEXT_H

#include "replay/incident/fit.h"
#include "reports/text/json.h"

#include <stdio.h>

/* Comes before the triage. */
void fit_text(const struct fit *fit, const struct triage *triage, bool all, FILE *out);

/* One line for each hypothesis, best first. */
void fit_csv(const struct fit *fit, FILE *out);

/* Members of the object of the triage. */
void fit_json(const struct fit *fit, struct json *json);

/* The first hypothesis as a scenario that changes `fabric`. */
void fit_scenario(const struct fit *fit, const char *fabric, FILE *out);

#endif
