/* SPDX-License-Identifier: Apache-2.0
 * result_workload - the quantities of one workload for run --json, the database and
 * expectations. */
#ifndef STORMGLASS_REPLAY_RECORD_RESULT_WORKLOAD_H
#define STORMGLASS_REPLAY_RECORD_RESULT_WORKLOAD_H

#include "replay/record/result.h"

/* The exact value by path; denominator 0 if unknown. Returns false if the path does not exist. */
bool result_workload_value(const struct result_workload *workload, const char *path,
                           struct result_ratio *value);

/* A time as printed and as compared by expectations: the nearest integer in ns. */
int64_t result_workload_ns(struct result_ratio value);

/* All quantities as workloads[index].PATH; unknown values are null. */
void result_workload_emit(const struct result_workload *workload, uint32_t index,
                          result_emit_fn *emit, void *self);

#endif
