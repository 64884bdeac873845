/* SPDX-License-Identifier: Apache-2.0
 * hpcc - topology, flow and config files of the HPCC simulator (ns-3, alibaba-edu/HPCC).
 *   topology:  NODES SWITCHES LINKS / numbers of the switches / FROM TO RATE DELAY ERROR-RATE ..
 *   flow:      FLOWS / FROM TO PRIORITY PORT BYTES START-IN-SECONDS ..
 *   config:    KEY VALUE: CC_MODE, PACKET_PAYLOAD_SIZE, BUFFER_SIZE; other keys are notes
 * The first file is the topology; the others are recognized by their first words. Text after the
 * last link or flow is ignored, as in the simulator.
 * Source: simulation/scratch/third.cc, mix/topology.txt, mix/flow.txt, mix/config_doc.txt. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_HPCC_H
#define STORMGLASS_SCENARIOS_IMPORT_HPCC_H

#include "scenarios/import/cabling.h"

/* Implements cabling_reader. */
bool hpcc_read(struct cabling *cabling);

#endif
