/* SPDX-License-Identifier: Apache-2.0
 * text_steady - results of workloads in the steady part. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_STEADY_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_STEADY_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* No-op if no workload completed enough. */
void text_steady(struct store *store, FILE *out, const struct paint *paint);

#endif
