/* SPDX-License-Identifier: Apache-2.0
 * triage_text - the suspects of an incident, for people, as JSON and as counters for diff. */
#ifndef STORMGLASS_REPORTS_INCIDENT_TRIAGE_TEXT_H
#define STORMGLASS_REPORTS_INCIDENT_TRIAGE_TEXT_H

#include "replay/incident/triage.h"

struct fit;

#include <stdio.h>

/* `all`: every suspect, sign, pause and file, not only the first ones. */
void triage_text(const struct triage *triage, const struct incident *incident, bool all, FILE *out);

/* One object, always with everything. */
/* `fit`: with runs, or NULL. */
void triage_json(const struct triage *triage, const struct incident *incident,
                 const struct fit *fit, FILE *out);

/* The counters that moved, as stormglass diff reads them. */
void triage_counters(const struct incident *incident, FILE *out);

/* The first suspect as an entry of `faults:` with values to begin with; nothing where it is no
 * fault that a run has. */
void triage_fault(const struct triage *triage, FILE *out);

/* "none", "overload", "unclear" or "fault", as --json has it. */
const char *triage_verdict_name(enum triage_verdict verdict);

#endif
