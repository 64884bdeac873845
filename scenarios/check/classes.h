/* SPDX-License-Identifier: Apache-2.0
 * classes - which DSCPs travel, and what they are at a switch: for what is checked of classes. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CLASSES_H
#define STORMGLASS_SCENARIOS_CHECK_CLASSES_H

#include "scenarios/load/scenario.h"

enum { CLASSES_DSCPS = 64 };

/* DSCPs that connections have, a bit for each. */
struct classes {
    uint64_t *of_host; /* by node: in either direction */
    uint64_t hosts;    /* that hosts' own rows say */
    uint64_t chosen;   /* that workloads chose, knowing what becomes of them */
};

void classes_gather(const struct scenario *scenario, struct arena *arena, struct classes *classes);

/* The remedy of the latest finding: a workload, or else a host, marks this DSCP, in the priority
 * that its switch has it in. */
struct check_report;
void classes_propose(struct check_report *report, const struct scenario *scenario,
                     const struct scenario_workload *workload, const struct scenario_node *host,
                     unsigned dscp);

/* The same for all that send this DSCP: another one, which is lossless at every switch; false: none
 * is conventional. */
bool classes_propose_lossless(struct check_report *report, const struct scenario *scenario,
                              unsigned dscp);

/* No switch has a lossless priority, and every host that takes part repeats selectively: the fabric
 * is meant to drop (Mittal et al., SIGCOMM 2018). */
bool classes_lossy_by_intent(const struct scenario *scenario);

bool classes_lossless(const struct scenario_node *node, unsigned priority);

#endif
