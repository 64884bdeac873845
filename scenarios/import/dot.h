/* SPDX-License-Identifier: Apache-2.0
 * dot - a cabling as Graphviz's language has it: Cumulus' topology.dot and its like.
 *     graph G { "leaf1":"swp51" -- "spine1":"swp1" [rate="100Gbps"] }
 * An attribute `function` or `role` of a node says what it is: host, server, client, storage and
 * target are hosts, words with oob or mgmt management networks, all others (leaf, spine) switches.
 * Attributes of an edge that a link has (rate, length, mtu, fec ..) are taken as a scenario writes
 * them; the rest is reported.
 * Source:  ptmd(8) (topology.dot), Cumulus' topology converter (function).
 * Limits:  cabling's and dot_scan's.  Not for two threads: libcgraph's parser is one for all. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_DOT_H
#define STORMGLASS_SCENARIOS_IMPORT_DOT_H

#include "scenarios/import/cabling.h"

cabling_reader dot_read;

#endif
