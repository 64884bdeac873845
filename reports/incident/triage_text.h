/* SPDX-License-Identifier: Apache-2.0
 * triage_text - the suspects of an incident, for people, as JSON, as CSV and as counters
 * for diff. */
#ifndef STORMGLASS_REPORTS_INCIDENT_TRIAGE_TEXT_H
#define STORMGLASS_REPORTS_INCIDENT_TRIAGE_TEXT_H

#include "replay/incident/triage.h"

struct fit;
struct json;

#include <stdio.h>

/* `all`: every suspect, sign, pause and file, not only the first ones. */
void triage_text(const struct triage *triage, const struct incident *incident, bool all, FILE *out);

void triage_suspect_json(const struct triage_suspect *suspect, const char *list, size_t index,
                         struct json *json);

/* One object, always with everything. */
/* `fit`: with runs, or NULL. */
void triage_json(const struct triage *triage, const struct incident *incident,
                 const struct fit *fit, FILE *out);

/* One line for each suspect, the most likely one first. */
void triage_csv(const struct triage *triage, FILE *out);

/* The counters that moved, as stormglass diff reads them. */
void triage_counters(const struct incident *incident, FILE *out);

/* The first suspect as an entry of `faults:` with values to begin with; nothing where it is no
 * fault that a run has. */
void triage_fault(const struct triage *triage, FILE *out);

/* "host5: the host pauses its switch and nothing pauses it [host-pauses, score 4.1]" and the lines
 * that point to it and against it. */
void triage_suspect_text(const struct triage_suspect *suspect, bool all, FILE *out);
/* "leaf0 Ethernet0 (cable to host0 eth2)" */
void triage_place_text(const char *device, const char *port, const char *peer,
                       const char *peer_port, FILE *out);

/* "none", "overload", "unclear" or "fault", as --json has it. */
const char *triage_verdict_name(enum triage_verdict verdict);

#endif
