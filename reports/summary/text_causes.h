/* SPDX-License-Identifier: Apache-2.0
 * text_causes - the bottleneck of a run, its harm, and the causes. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_CAUSES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_CAUSES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* For simulated runs only. */
void text_causes(struct store *store, FILE *out, const struct paint *paint);

#endif
