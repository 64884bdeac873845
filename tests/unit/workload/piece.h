/* SPDX-License-Identifier: Apache-2.0
 * piece - what importers write is a scenario, or a piece of one, that loads. */
#ifndef STORMGLASS_TESTS_UNIT_WORKLOAD_PIECE_H
#define STORMGLASS_TESTS_UNIT_WORKLOAD_PIECE_H

#include "scenarios/import/cabling.h"

#include <stdint.h>

/* CHECKs that a piece loads in a scenario of two hosts. */
void piece_loads(const char *yaml);

/* The same of one that begins with fabric: and has no topology. */
void piece_fabric_loads(const char *yaml);

/* CHECKs that what is made of any bytes as a file of cables loads, as soon as it has hosts for a
 * workload. */
void piece_cables(const char *kind, cabling_reader *read, const uint8_t *data, size_t size);

#endif
