/* SPDX-License-Identifier: Apache-2.0
 * collect_harm - the evidence of a run for the judge of harm. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_HARM_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_HARM_H

#include "replay/record/collect.h"

/* After all workloads have been added up. */
void collect_harm(const struct collect *collect, struct result *result);

#endif
