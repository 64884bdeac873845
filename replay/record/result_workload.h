/* SPDX-License-Identifier: Apache-2.0
 * result_workload - the quantities of one workload: what run --json prints of it, what the database
 * keeps, and what can be expected. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_WORKLOAD_H
#define STORMGLASS_REPLAY_RECORD_RESULT_WORKLOAD_H

#include "replay/record/result.h"

/* By path, exact; with denominator 0 where it is not known.  False: there is no such path. */
bool result_workload_value(const struct result_workload *workload, const char *path,
                           struct result_ratio *value);

/* A time as it is printed, and as an expectation compares it: the nearest whole number of ns. */
int64_t result_workload_ns(struct result_ratio value);

/* All, as workloads[index].PATH; what is not known is null. */
void result_workload_emit(const struct result_workload *workload, uint32_t index,
                          result_emit_fn *emit, void *self);

#endif
