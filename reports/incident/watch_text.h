/* SPDX-License-Identifier: Apache-2.0
 * watch_text - a look of watch as text and JSON, and the state for the next one. */
#ifndef STORMGLASS_REPORTS_INCIDENT_WATCH_TEXT_H
#define STORMGLASS_REPORTS_INCIDENT_WATCH_TEXT_H

#include "replay/incident/watch.h"

#include <stdio.h>

/* Nothing where nothing began or ended, so that cron sends no mail. */
void watch_text(const struct watch_look *look, const struct watch_state *state,
                const struct incident *incident, FILE *out);
void watch_json(const struct watch_look *look, const struct watch_state *state,
                const struct incident *incident, FILE *out);

/* The state after the look, which watch_state_read reads. */
void watch_state_write(const struct watch_look *look, const struct watch_state *state,
                       const struct incident *incident, FILE *out);

#endif
