/* SPDX-License-Identifier: Apache-2.0
 * link_classes - the classes of traffic that leave by each port of hosts and switches.
 * All equal-cost paths count. CNPs take the same paths as the acknowledgments for data of a sender
 * that reacts to ECN.
 * Owner: link_classes_fini. */
#ifndef STORMGLASS_SCENARIOS_CHECK_LINK_CLASSES_H
#define STORMGLASS_SCENARIOS_CHECK_LINK_CLASSES_H

#include "scenarios/data/scenario.h"

/* One bit per DSCP. */
struct link_classes_port {
    uint64_t data, control, cnp; /* control: acknowledgments and requests */
};

struct link_classes {
    struct arena arena;
    uint32_t *first_port; /* by node */
    struct link_classes_port *ports;
    uint64_t greedy; /* DSCPs of workloads that offer as much as the links carry */
};

void link_classes_init(struct link_classes *classes, const struct scenario *scenario);
void link_classes_fini(struct link_classes *classes);

/* Mask of the priorities of these DSCPs at a node. */
uint8_t link_classes_priorities(const struct scenario_node *node, uint64_t dscps);

static inline const struct link_classes_port *link_classes_at(const struct link_classes *classes,
                                                              uint32_t node, uint16_t port)
{
    return &classes->ports[classes->first_port[node] + port];
}

/* By priority: scheduler weight at the ports of the node; 0: strict priority. */
const int64_t *link_classes_weights(const struct scenario_node *node);

#endif
