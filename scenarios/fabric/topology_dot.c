/* SPDX-License-Identifier: Apache-2.0
 * topology_dot - {file, hosts}: the cables of a graph in Graphviz's language, made an explicit
 * topology by the importer. */
#include "scenarios/fabric/topology.h"
#include "scenarios/load/scenario_load.h"

const struct topology_ops topology_dot = {
    .name = "dot",
    .about = "Nodes and links of a Graphviz file.",
    .translate = scenario_dot_topology,
};
