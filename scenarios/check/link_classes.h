/* SPDX-License-Identifier: Apache-2.0
 * link_classes - which classes of traffic leave by each port, of hosts and of switches.
 * Every path of equal cost counts.  Where acknowledgements of a reacting sender's data go, CNPs go.
 * Owner: link_classes_fini. */
#ifndef STORMGLASS_SCENARIOS_CHECK_LINK_CLASSES_H
#define STORMGLASS_SCENARIOS_CHECK_LINK_CLASSES_H

#include "scenarios/load/scenario.h"

/* A bit for each DSCP. */
struct link_classes_port {
    uint64_t data, control, cnp; /* control: acknowledgements and requests */
};

struct link_classes {
    struct arena arena;
    uint32_t *first_port; /* by node */
    struct link_classes_port *ports;
    uint64_t greedy; /* DSCPs of which some workload offers as much as there is */
};

void link_classes_init(struct link_classes *classes, const struct scenario *scenario);
void link_classes_fini(struct link_classes *classes);

/* The priorities of some DSCPs at a node, as a mask. */
uint8_t link_classes_priorities(const struct scenario_node *node, uint64_t dscps);

static inline const struct link_classes_port *link_classes_at(const struct link_classes *classes,
                                                              uint32_t node, uint16_t port)
{
    return &classes->ports[classes->first_port[node] + port];
}

/* What a priority gets beside others at a port of the node; 0: strict. */
const int64_t *link_classes_weights(const struct scenario_node *node);

#endif
