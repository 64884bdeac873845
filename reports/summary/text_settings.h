/* SPDX-License-Identifier: Apache-2.0
 * text_settings - the settings in effect. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_SETTINGS_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_SETTINGS_H

#include "replay/database/store.h"
#include "reports/text/paint.h"

/* Settings of the scenario, and those used to compare runs even at their defaults; values from
 * profiles are only counted. */
void text_settings(struct store *store, FILE *out, const struct paint *paint);

#endif
