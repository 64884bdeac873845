/* SPDX-License-Identifier: Apache-2.0
 * text_stages - where the time of commands went. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_STAGES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_STAGES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Nothing when no command has its stages.  Few commands are shown one by one and to the picosecond,
 * so that the reader can add them up; many as means. */
void text_stages(struct store *store, FILE *out, const struct paint *paint);

#endif
