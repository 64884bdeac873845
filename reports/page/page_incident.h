/* SPDX-License-Identifier: Apache-2.0
 * page_incident - the answer to an incident as one HTML page that works without a network and
 * without scripts: suspects with their evidence, pauses, and the counters of the incident next to
 * those of the run that explains them best. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_INCIDENT_H
#define STORMGLASS_REPORTS_PAGE_PAGE_INCIDENT_H

#include "replay/incident/fit.h"

#include <stdio.h>

struct page;

/* The verdict, with the first suspect. */
void page_incident_verdict(const struct page *page, const struct triage *triage);

/* `fit`: with runs, or NULL. */
void page_incident_write(const struct triage *triage, const struct incident *incident,
                         const struct fit *fit, FILE *out);
void page_incident_sections(const struct page *page, const struct triage *triage,
                            const struct incident *incident, const struct fit *fit);

#endif
