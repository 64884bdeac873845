/* SPDX-License-Identifier: Apache-2.0
 * incident_answer - the answer to an incident in words, for the terminal and for the page.
 * Texts are plain: names from files are not escaped in them. */
#ifndef STORMGLASS_REPLAY_INCIDENT_INCIDENT_ANSWER_H
#define STORMGLASS_REPLAY_INCIDENT_INCIDENT_ANSWER_H

#include "replay/incident/fit.h"

enum { FIT_ANSWER_BYTES = 1024 };

/* Whether the verdict of the triage ends with its first suspect. */
bool triage_names_suspect(const struct triage *triage);
/* "Suspected: ", followed by the first suspect; or a whole sentence. */
const char *triage_verdict_words(const struct triage *triage);
/* What counters with one sample each say; empty if they have several. */
const char *triage_caution_words(const struct triage *triage);

/* "Confirmed: slow-host at host3, drains 9.8 of 25 Gb/s, during about 30 s of the 120 s". */
void fit_answer(const struct fit *fit, const struct triage *triage, char text[FIT_ANSWER_BYTES]);

/* The factor from a count of a run to that of the incident. */
double fit_times_per_run(const struct fit *fit);
/* Bytes that other hosts received, relative to a run without a fault; negative: not known. */
double fit_traffic_share(const struct fit *fit, int64_t received);

#endif
