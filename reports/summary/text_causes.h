/* SPDX-License-Identifier: Apache-2.0
 * text_causes - what limited a run, what users lost, and who is to blame. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_CAUSES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_CAUSES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Of a run that the model played. */
void text_causes(struct store *store, FILE *out, const struct paint *paint);

#endif
