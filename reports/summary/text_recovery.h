/* SPDX-License-Identifier: Apache-2.0
 * text_recovery - what became of controllers and paths that were lost, and of commands in error. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_RECOVERY_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_RECOVERY_H

#include "replay/database/store.h"

#include <stdio.h>

/* Nothing when no workload lost or repeated anything. */
void text_recovery(struct store *store, FILE *out);

#endif
