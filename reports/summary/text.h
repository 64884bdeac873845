/* SPDX-License-Identifier: Apache-2.0
 * text - the summary of a run for people.
 * At most about sixty lines: what was played, what each workload got, where the time went, who
 * stopped whom, what was lost, what held.  Longer lists are cut and say how to see the rest. */
#ifndef STORMGLASS_REPORTS_SUMMARY_TEXT_H
#define STORMGLASS_REPORTS_SUMMARY_TEXT_H

#include "replay/database/store.h"

#include <stdio.h>

/* False: the database could not be read, or the output not written. */
bool text_run(struct store *store, FILE *out);

#endif
