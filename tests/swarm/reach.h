/* SPDX-License-Identifier: Apache-2.0
 * reach - what the swarm has been at: each row away from its default, each word of a choice, each
 * kind, each cause of a drop, each edge of the NVMe machines, and what happened at all.
 * The list is made from the program's own lists before anything is played; what is never reached
 * in a long run fails it.  Counts lie in shared memory, as scenarios are played by children. */
#ifndef STORMGLASS_TESTS_SWARM_REACH_H
#define STORMGLASS_TESTS_SWARM_REACH_H

#include "base/probe.h"
#include "replay/record/result.h"
#include "scenarios/data/scenario.h"

#include <stdio.h>

enum { REACH_ITEMS = 2048, REACH_BYTES = 112 };

struct reach {
    struct reach_item {
        char name[REACH_BYTES];
        const struct opt *row; /* with its value; NULL: by name */
        int64_t value;
        uint64_t count;
    } items[REACH_ITEMS];
    unsigned count;
};

/* In memory that is zero. */
void reach_init(struct reach *reach);

/* What a scenario says, what came of it, and what a probe told meanwhile. */
void reach_scenario(struct reach *reach, const struct scenario *scenario);
void reach_result(struct reach *reach, const struct result *result);
void reach_drop(struct reach *reach, uint8_t cause, uint64_t frames);
void reach_state(struct reach *reach, const struct probe_state *state);

/* Prints what was reached how often; returns how many were not. */
unsigned reach_print(const struct reach *reach, FILE *out, bool all);

#endif
