/* SPDX-License-Identifier: Apache-2.0
 * text_drives - the part of the summary about drives: flash that was worn, arrays.
 * Owner: none.  Errors: the store's. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_DRIVES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_DRIVES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

#include <stdio.h>

/* Nothing where no medium ages and no namespace is of several drives. */
void text_drives(struct store *store, FILE *out, const struct paint *paint);

#endif
