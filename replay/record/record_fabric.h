/* SPDX-License-Identifier: Apache-2.0
 * record_fabric - nodes, ports and links as rows.
 * They are written one after another or, in a brief database, generated when a report reads one: a
 * large fabric has tens of thousands, of which a report names few.
 * Owner: record_fabric_free. Do not move it: its tables contain its address. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_FABRIC_H
#define STORMGLASS_REPLAY_RECORD_RECORD_FABRIC_H

#include "replay/database/store_brief.h"
#include "scenarios/data/scenario.h"

enum { RECORD_FABRIC_TABLES = 3 };

struct record_fabric {
    const struct scenario *scenario;
    uint32_t *first_port; /* by node, plus one for the total: number of its first port */
    struct store_made tables[RECORD_FABRIC_TABLES];
};

/* The scenario must outlive it. */
void record_fabric_init(struct record_fabric *fabric, const struct scenario *scenario);
void record_fabric_free(struct record_fabric *fabric);

/* For a database that keeps these tables. */
void record_fabric_write(const struct record_fabric *fabric, struct store *store);

#endif
