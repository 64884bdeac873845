/* SPDX-License-Identifier: Apache-2.0
 * plan_facts - properties of a fabric that need no run (oversubscription, ports, cables), and
 * effects that no answer includes. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_FACTS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_FACTS_H

#include "scenarios/data/scenario.h"

struct plan_facts {
    /* Host link capacity divided by uplink capacity of the worst switch, in thousandths; 0 if no
     * switch has both. */
    int64_t oversubscription;
    uint32_t switches, hosts;
    uint32_t ports_used, ports_most; /* over all switches, and of the switch with most */
    uint32_t host_cables, fabric_cables;
};

/* The limits of a failure during the run: ps; the duration of the run and the time to wait for
 * outstanding operations; timers involved in its detection. */
struct plan_horizon {
    time_ps run, wait;
    char timers[256]; /* "detection 1ms, convergence 100ms, ..." */
};

void plan_horizon_of(const struct scenario *scenario, time_ps wait, struct plan_horizon *horizon);

struct plan_facts plan_facts_of(const struct scenario *scenario);

/* Sentences that apply to every plan, NULL-terminated; docs/model.md has the full list by
 * subject. */
extern const char *const plan_unmodelled[];

#endif
