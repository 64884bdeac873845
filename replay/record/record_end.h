/* SPDX-License-Identifier: Apache-2.0
 * record_end - writes the rows after the last event. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_END_H
#define STORMGLASS_REPLAY_RECORD_RECORD_END_H

#include "replay/record/collect.h"
#include "replay/record/record.h"

/* Writes counters, workloads, stages, drops, roots of pauses, expectations and every quantity; then
 * the status. */
void record_end(struct record *record, const struct collect *collect, const struct result *result);

/* Writes a wall-clock value to the table whose rows may differ from run to run. */
void record_wall(struct record *record, const char *name, double value);

#endif
