/* SPDX-License-Identifier: Apache-2.0
 * text_waits - what commands and messages waited for, and where. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_WAITS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_WAITS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* No-op without a time breakdown. */
void text_waits(struct store *store, FILE *out, const struct paint *paint);

#endif
