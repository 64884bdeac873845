/* SPDX-License-Identifier: Apache-2.0
 * topology_dot - {file, hosts}: cables from a Graphviz file, converted to an explicit topology by
 * the importer. */
#include "scenarios/fabric/topology.h"
#include "scenarios/load/scenario_load.h"

const struct topology_ops topology_dot = {
    .name = "dot",
    .about = "Nodes and links of a Graphviz file.",
    .translate = scenario_dot_topology,
};
