/* SPDX-License-Identifier: Apache-2.0
 * collect_harm - collects the evidence of a run and determines harm and causes. */
#ifndef STORMGLASS_REPLAY_RECORD_COLLECT_HARM_H
#define STORMGLASS_REPLAY_RECORD_COLLECT_HARM_H

#include "replay/record/collect.h"

/* Call after all workloads have been added up. */
void collect_harm(const struct collect *collect, struct result *result);

#endif
