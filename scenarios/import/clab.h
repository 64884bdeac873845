/* SPDX-License-Identifier: Apache-2.0
 * clab - a cabling as containerlab has it: NAME.clab.yml with topology: {nodes, links}.
 * Links in the brief format, endpoints: ["leaf1:e1-1", "client1:eth1"], and in the extended one,
 * with node and interface of each; `mtu` is taken.  A node's kind, its own, its group's or the
 * default one, says what it is: linux and host are hosts, all others switches.  A Linux node with
 * several cables of which one goes to another Linux node routes between them: a switch.
 * Links that leave the laboratory (host, mgmt-net, macvlan, vxlan, dummy) become notes.
 * Source:  containerlab.dev/manual/topo-def-file, /manual/nodes, /manual/links.
 * Limits:  cabling's, and the YAML that tree.h reads. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_CLAB_H
#define STORMGLASS_SCENARIOS_IMPORT_CLAB_H

#include "scenarios/import/cabling.h"

cabling_reader clab_read;

#endif
