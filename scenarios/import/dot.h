/* SPDX-License-Identifier: Apache-2.0
 * dot - reads a cabling in Graphviz's language: Cumulus' topology.dot and similar files.
 *     graph G { "leaf1":"swp51" -- "spine1":"swp1" [rate="100Gbps"] }
 * The attribute `function` or `role` of a node determines its role: host, server, client, storage
 * and target are hosts, words with oob or mgmt are management networks, all others (leaf, spine)
 * switches. Attributes of an edge that are parameters of a link (rate, length, mtu, fec ..) are
 * used, in the syntax of a scenario; others are reported.
 *   Source:  ptmd(8) (topology.dot), Cumulus' topology converter (function).
 *   Limits:  those of cabling.h and dot_scan.h.  Not thread-safe, because libcgraph's parser has
 *            global state. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_DOT_H
#define STORMGLASS_SCENARIOS_IMPORT_DOT_H

#include "scenarios/import/cabling.h"

cabling_reader dot_read;

#endif
