/* SPDX-License-Identifier: Apache-2.0
 * classes - which DSCPs the traffic has and which priorities switches give them. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CLASSES_H
#define STORMGLASS_SCENARIOS_CHECK_CLASSES_H

#include "scenarios/data/scenario.h"

enum { CLASSES_DSCPS = 64 };

/* DSCPs of RDMA connections, one bit each. */
struct classes {
    uint64_t *of_host; /* by node: DSCPs in either direction */
    uint64_t hosts;    /* DSCPs that come from the hosts' own parameters */
    uint64_t chosen;   /* DSCPs that workloads set explicitly, so lossy ones may be intended */
};

void classes_gather(const struct scenario *scenario, struct arena *arena, struct classes *classes);

/* Remedy of the latest finding: the workload, or else the host, marks its packets with this DSCP,
 * and the host uses the priority that its switch maps the DSCP to. */
struct check_report;
void classes_propose(struct check_report *report, const struct scenario *scenario,
                     const struct scenario_workload *workload, const struct scenario_node *host,
                     unsigned dscp);

/* The same for all senders of this DSCP: change it to one that is lossless at every switch. False:
 * there is no such DSCP. */
bool classes_propose_lossless(struct check_report *report, const struct scenario *scenario,
                              unsigned dscp);

/* No switch has a lossless priority and every participating host uses selective repeat: the fabric
 * is meant to drop (Mittal et al., SIGCOMM 2018). */
bool classes_lossy_by_intent(const struct scenario *scenario);

bool classes_lossless(const struct scenario_node *node, unsigned priority);

#endif
