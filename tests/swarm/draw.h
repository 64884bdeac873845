/* SPDX-License-Identifier: Apache-2.0
 * draw - a seed's scenario.
 * What can be written is asked of the program: rows from parameters_each, kinds of topology, fault,
 * workload, medium and congestion control from their lists, profiles from what is embedded, names
 * of nodes and links from the topology once it is loaded.  So a row or kind that comes into the
 * tree is in the swarm without a change here.
 * Each seed draws few tables and few rows of them, deep rather than even, and a bent: what it
 * steers to (a circle of routes, a storm, a crash ...), without which rare ends would never come.
 * What the loader refuses is drawn again or left out, line by line; how often is counted. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_H
#define STORMGLASS_TESTS_SWARM_DRAW_H

#include "draw_pen.h"
#include "script.h"

#include "scenarios/data/scenario.h"

struct draw_count {
    uint64_t drawn, repaired, refused; /* scenarios; those of which lines were left out; given up */
    uint64_t lines;                    /* left out */
};

/* The scenario of a seed, with that bent, or any (BENT_COUNT); false: nothing that the loader takes
 * came of it. */
bool draw_scenario(uint64_t seed, enum bent only, struct script *script, struct draw_count *count);

/* Loads a text, with the files beside it that it may name, and "path=value" for some values. */
struct scenario *draw_load(const char *text, const char *const *sets, uint32_t set_count,
                           struct diag *diag);

/* CHECKs that what is said of rows here is said of rows that exist. */
void draw_audit(void);

#endif
