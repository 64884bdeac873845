/* SPDX-License-Identifier: Apache-2.0
 * flows - what hosts send to each other, by the files of other simulators, as workloads.
 * A flow is a message of RDMA WRITE, or several of at most 1 GiB; one without a size goes on until
 * the end.  Times are counted from the first flow, and the run lasts until the busiest host could
 * have sent or received all of its bytes, and half as long again.
 * Owner: the cabling's arena.  Errors: located messages in its diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_FLOWS_H
#define STORMGLASS_SCENARIOS_IMPORT_FLOWS_H

#include "scenarios/import/cabling.h"

enum { FLOWS_MAX = 9000 /* of a file; a scenario has at most 10000 workloads */ };

/* Adds one; false and a message beyond the limit, or when both ends are one node or no host. */
bool flows_add(struct cabling *cabling, struct cabling_flow flow);

/* The nodes have their names: errors for flows of nodes without one, which have no cable. */
void flows_settle(struct cabling *cabling);

/* `workloads:` of the scenario, and how long it lasts; of a cabling that is settled and has flows.
 */
int64_t flows_duration(const struct cabling *cabling);
void flows_write(const struct cabling *cabling, FILE *out);

/* A time as a scenario writes it, "1500ns" or "12ps". */
const char *flows_time(struct arena *arena, int64_t ps);

#endif
