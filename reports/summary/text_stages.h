/* SPDX-License-Identifier: Apache-2.0
 * text_stages - the time of commands, by stage. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_STAGES_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_STAGES_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* No-op if no command has stages. A few commands are shown individually and exact to the
 * picosecond, so that they can be added up; many are shown as means. */
void text_stages(struct store *store, FILE *out, const struct paint *paint);

#endif
