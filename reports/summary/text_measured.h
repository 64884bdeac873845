/* SPDX-License-Identifier: Apache-2.0
 * text_measured - lines that only apply to a measurement on devices. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_MEASURED_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_MEASURED_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

bool text_is_measured(struct store *store);

/* The first line of its summary: the measured system. */
void text_measured(struct store *store, FILE *out, const struct paint *paint);

/* Replaces the workloads if only a target was measured; otherwise returns false. */
bool text_served(struct store *store, FILE *out, const struct paint *paint);

#endif
