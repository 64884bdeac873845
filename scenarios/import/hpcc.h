/* SPDX-License-Identifier: Apache-2.0
 * hpcc - topology and flow files of the HPCC simulator (ns-3, alibaba-edu/HPCC), and its config.
 *   topology:  NODES SWITCHES LINKS / numbers of the switches / FROM TO RATE DELAY ERROR-RATE ..
 *   flow:      FLOWS / FROM TO PRIORITY PORT BYTES START-IN-SECONDS ..
 *   config:    KEY VALUE: CC_MODE, PACKET_PAYLOAD_SIZE, BUFFER_SIZE; other keys are notes
 * The first file is the topology, the others are told apart by how they begin.  What stands behind
 * the last link or flow is left out, as the simulator does.
 * Source: simulation/scratch/third.cc, mix/topology.txt, mix/flow.txt, mix/config_doc.txt. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_HPCC_H
#define STORMGLASS_SCENARIOS_IMPORT_HPCC_H

#include "scenarios/import/cabling.h"

/* A cabling_reader: of the cabling's files. */
bool hpcc_read(struct cabling *cabling);

#endif
