/* SPDX-License-Identifier: Apache-2.0
 * clab - reads a cabling from containerlab: NAME.clab.yml with topology: {nodes, links}.
 * Links may be in the brief format, endpoints: ["leaf1:e1-1", "client1:eth1"], or in the extended
 * one with node and interface of each end; `mtu` is used. A node's kind (its own, its group's or
 * the default) determines its role: linux and host are hosts, all others switches. A Linux node
 * with several cables, one of them to another Linux node, routes between them and counts as a
 * switch.
 * Links that leave the lab (host, mgmt-net, macvlan, vxlan, dummy) become notes.
 *   Source:  containerlab.dev/manual/topo-def-file, /manual/nodes, /manual/links.
 *   Limits:  those of cabling.h, and of the YAML in tree.h. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_CLAB_H
#define STORMGLASS_SCENARIOS_IMPORT_CLAB_H

#include "scenarios/import/cabling.h"

cabling_reader clab_read;

#endif
