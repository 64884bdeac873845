/* SPDX-License-Identifier: Apache-2.0
 * text_events - the event log: the first lines of v_event, and the number of further ones.
 * Errors: those of the store. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_EVENTS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_EVENTS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

#include <stdio.h>

void text_events(struct store *store, const struct paint *paint, FILE *out);

#endif
