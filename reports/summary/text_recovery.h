/* SPDX-License-Identifier: Apache-2.0
 * text_recovery - what happened to lost controllers and paths, and to failed commands. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_RECOVERY_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_RECOVERY_H

#include "replay/database/store.h"

#include <stdio.h>

/* No-op if no workload lost or retried anything. */
void text_recovery(struct store *store, FILE *out);

#endif
