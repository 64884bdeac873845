/* SPDX-License-Identifier: Apache-2.0
 * text_drives - the summary of drives: flash with write amplification, arrays.
 * Owner: none. Errors: those of the store. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_DRIVES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_DRIVES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

#include <stdio.h>

/* No-op if no medium ages and no namespace consists of several drives. */
void text_drives(struct store *store, FILE *out, const struct paint *paint);

#endif
