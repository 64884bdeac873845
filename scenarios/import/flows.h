/* SPDX-License-Identifier: Apache-2.0
 * flows - flows between hosts from files of other simulators, as workloads.
 * A flow is an RDMA WRITE message, or several of at most 1 GiB; a flow without a size lasts until
 * the end. Times are relative to the first flow. The run lasts 1.5 times as long as the busiest
 * host needs to send or receive all its bytes.
 * Owner: the cabling's arena. Errors: located messages in its diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_FLOWS_H
#define STORMGLASS_SCENARIOS_IMPORT_FLOWS_H

#include "scenarios/import/cabling.h"

enum { FLOWS_MAX = 9000 /* flows per file; a scenario has at most 10000 workloads */ };

/* Adds a flow; false, with a message, beyond the limit, or if both ends are the same node or one is
 * not a host. */
bool flows_add(struct cabling *cabling, struct cabling_flow flow);

/* Reports flows of nodes that have no cable and therefore no name. The nodes must have been
 * named. */
void flows_settle(struct cabling *cabling);

/* Duration of the run, and `workloads:` of the scenario, for a settled cabling with flows. */
int64_t flows_duration(const struct cabling *cabling);
void flows_write(const struct cabling *cabling, FILE *out);

/* A time in the syntax of a scenario, "1500ns" or "12ps". */
const char *flows_time(struct arena *arena, int64_t ps);

#endif
