/* SPDX-License-Identifier: Apache-2.0
 * draw_bents - what a scenario steers to: the keys that each bent writes before rows are drawn. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_BENTS_H
#define STORMGLASS_TESTS_SWARM_DRAW_BENTS_H

#include "draw_pen.h"

#include "scenarios/data/fault.h"

struct workload_ops;

const char *bents_name(enum bent bent);

/* BENT_COUNT: any. */
void bents_choose(struct pen *pen, enum bent only);

/* BENT_COUNT: there is none of that name. */
enum bent bents_find(const char *name);

void bents_span(struct pen *pen); /* duration and drain */

/* Writes a topology of its own; false: any will do. */
bool bents_topology(struct pen *pen);

void bents_link(struct pen *pen);
void bents_switch(struct pen *pen);
void bents_overrides(struct pen *pen);
void bents_routes(struct pen *pen);
void bents_rnic(struct pen *pen);
void bents_tcp(struct pen *pen);
void bents_nvme(struct pen *pen);
void bents_array(struct pen *pen);     /* of a namespace: of which drives fail */
void bents_subsystem(struct pen *pen); /* one for all, with limits */

unsigned bents_workloads(struct pen *pen);
const struct workload_ops *bents_workload(struct pen *pen, unsigned number,
                                          const struct workload_ops *drawn);
void bents_pair(struct pen *pen, bool needs_target);
void bents_load(struct pen *pen, const struct workload_ops *ops);

unsigned bents_faults(struct pen *pen);
const struct fault_ops *bents_fault(struct pen *pen);
void bents_fault_keys(struct pen *pen, const struct fault_ops *ops);

#endif
