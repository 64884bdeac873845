/* SPDX-License-Identifier: Apache-2.0
 * plan_facts - what can be said of a fabric without a run: its oversubscription, its ports and
 * cables; and of any answer, what it does not rest on. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_FACTS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_FACTS_H

#include "scenarios/load/scenario.h"

struct plan_facts {
    /* What hosts give the worst switch that has any, by what its uplinks carry, in thousandths; 0:
     * none has both. */
    int64_t oversubscription;
    uint32_t switches, hosts;
    uint32_t ports_used, ports_most; /* of all switches together, and of the one with most */
    uint32_t host_cables, fabric_cables;
};

/* What a failure in mid-run is judged within: how long the run is and what is under way is waited
 * for, and the timers of whoever has to notice. */
struct plan_horizon {
    time_ps run, wait;
    char timers[256]; /* "detection 1ms, convergence 100ms, ..." */
};

void plan_horizon_of(const struct scenario *scenario, time_ps wait, struct plan_horizon *horizon);

struct plan_facts plan_facts_of(const struct scenario *scenario);

/* Sentences, of every plan, to a NULL; docs/model.md has the whole list, subject by subject. */
extern const char *const plan_unmodelled[];

#endif
