/* SPDX-License-Identifier: Apache-2.0
 * scenario_layers - link layers of a fabric.
 * `fabric.kind` is the link layer of all places that no section selects. The sections `ethernet:`,
 * `infiniband:` and `fibre-channel:` of `fabric:` select switches, and have the values of their
 * links and switches. A host has the link layer of its switches. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_LAYERS_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_LAYERS_H

#include "scenarios/load/scenario_load.h"

/* Loads the values of the places of `fabric.kind`. */
void scenario_load_layer(struct loader *loader, const struct tree_node *fabric);

/* Loads the sections; gives each node its link layer. A link between two is an error. */
void scenario_load_layers(struct loader *loader, const struct tree_node *fabric);

#endif
