/* SPDX-License-Identifier: Apache-2.0
 * fault_reach - whom a fault touches: which workloads have a path through its places, and when.
 * Paths are those of the fabric as it is written, all of equal cost together.  What is not known
 * for certain counts as touched: where several faults move routes, and in a fabric with more paths
 * than are worth a look.
 * Owner: fault_reach_fini. */
#ifndef STORMGLASS_SCENARIOS_CHECK_FAULT_REACH_H
#define STORMGLASS_SCENARIOS_CHECK_FAULT_REACH_H

#include "scenarios/load/scenario.h"

enum fault_touch {
    FAULT_TOUCHES,
    FAULT_TOUCHES_NO_PATH, /* no workload has a path through its places */
    FAULT_TOUCHES_LATE,    /* they have stopped before it begins */
    FAULT_TOUCHES_EARLY,   /* they begin after its end */
    FAULT_TOUCHES_RDMA,    /* only raw RDMA has, which it spares */
};

/* When workloads that use something issue; since TIME_NEVER: none does. */
struct fault_span {
    time_ps since, until;
};

struct fault_reach {
    const struct scenario *scenario;
    struct arena arena;
    uint32_t *first_port;     /* by node */
    struct fault_span *ports; /* by port, node by node: of what it sends */
    struct fault_span *nvme;  /* by host: of NVMe workloads to it */
    bool certain;             /* ports of links between switches are known too */
};

void fault_reach_init(struct fault_reach *reach, const struct scenario *scenario);
void fault_reach_fini(struct fault_reach *reach);

enum fault_touch fault_reach_of(const struct fault_reach *reach,
                                const struct scenario_fault *fault);

#endif
