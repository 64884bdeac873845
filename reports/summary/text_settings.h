/* SPDX-License-Identifier: Apache-2.0
 * text_settings - the settings that took effect. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_SETTINGS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_SETTINGS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* What the scenario wrote, and what runs are compared by also at its default; values of profiles
 * are counted. */
void text_settings(struct store *store, FILE *out, const struct paint *paint);

#endif
