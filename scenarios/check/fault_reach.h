/* SPDX-License-Identifier: Apache-2.0
 * fault_reach - which workloads have a path through the places of a fault, and when.
 * Paths are those of the fabric as configured, all equal-cost paths together. Uncertain cases count
 * as affected: several faults that change routes, and fabrics with too many paths to search.
 * Owner: fault_reach_fini. */
#ifndef STORMGLASS_SCENARIOS_CHECK_FAULT_REACH_H
#define STORMGLASS_SCENARIOS_CHECK_FAULT_REACH_H

#include "scenarios/data/scenario.h"

enum fault_touch {
    FAULT_TOUCHES,
    FAULT_TOUCHES_NO_PATH, /* no workload has a path through its places */
    FAULT_TOUCHES_LATE,    /* the workloads have stopped before the fault begins */
    FAULT_TOUCHES_EARLY,   /* the workloads begin after the fault has ended */
    FAULT_TOUCHES_RDMA,    /* only raw RDMA uses the place, and the fault does not affect it */
};

/* Time span in which the workloads that use a port or a host issue; since TIME_NEVER: none does. */
struct fault_span {
    time_ps since, until;
};

struct fault_reach {
    const struct scenario *scenario;
    struct arena arena;
    uint32_t *first_port;     /* by node */
    struct fault_span *ports; /* by port, node by node: span of the traffic that the port sends */
    struct fault_span *nvme;  /* by host: span of NVMe workloads with this target */
    bool certain;             /* spans of the ports between switches are known as well */
};

void fault_reach_init(struct fault_reach *reach, const struct scenario *scenario);
void fault_reach_fini(struct fault_reach *reach);

enum fault_touch fault_reach_of(const struct fault_reach *reach,
                                const struct scenario_fault *fault);

#endif
