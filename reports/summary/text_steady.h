/* SPDX-License-Identifier: Apache-2.0
 * text_steady - what workloads got once they had settled. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_STEADY_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_STEADY_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Nothing when no workload did enough to tell. */
void text_steady(struct store *store, FILE *out, const struct paint *paint);

#endif
