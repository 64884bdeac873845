/* SPDX-License-Identifier: Apache-2.0
 * text_measured - what only a run on real devices has to say. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_MEASURED_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_MEASURED_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

bool text_is_measured(struct store *store);

/* The first line of its summary: on what it was measured. */
void text_measured(struct store *store, FILE *out, const struct paint *paint);

/* Instead of workloads, for a target that was played alone; false: it was not. */
bool text_served(struct store *store, FILE *out, const struct paint *paint);

#endif
