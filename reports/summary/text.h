/* SPDX-License-Identifier: Apache-2.0
 * text - the text summary of a run.
 * At most about sixty lines: the scenario, results of each workload, the time breakdown, pauses,
 * losses, expectations. Longer lists are cut off with a hint how to see the rest. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_H

#include "replay/database/store.h"

#include <stdio.h>

/* Returns false if the database could not be read or the output not written. */
bool text_run(struct store *store, FILE *out);

#endif
