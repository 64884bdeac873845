/* SPDX-License-Identifier: Apache-2.0
 * record_fabric - nodes, ports and links as rows, written one after another, or of a brief database
 * made when a report names one of them: a large fabric has tens of thousands, a report names few.
 * Owner: record_fabric_free; its tables have its address, so that it stays where it is. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_FABRIC_H
#define STORMGLASS_REPLAY_RECORD_RECORD_FABRIC_H

#include "replay/database/store_brief.h"
#include "scenarios/load/scenario.h"

enum { RECORD_FABRIC_TABLES = 3 };

struct record_fabric {
    const struct scenario *scenario;
    uint32_t *first_port; /* by node, and of all: the number of its first port */
    struct store_made tables[RECORD_FABRIC_TABLES];
};

/* The scenario outlives it. */
void record_fabric_init(struct record_fabric *fabric, const struct scenario *scenario);
void record_fabric_free(struct record_fabric *fabric);

/* Of a database that keeps them. */
void record_fabric_write(const struct record_fabric *fabric, struct store *store);

#endif
