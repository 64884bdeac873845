/* SPDX-License-Identifier: Apache-2.0
 * agree_plan - what a scenario asks, as lines in a fixed order.
 * Every effective setting, workload, pair and fault is one line, `path = value`; where it was
 * written is not in it.  Two processes with the same lines play the same scenario, and a hash of
 * the first k of them finds the first difference by halving.
 * Owner: agree_plan_free. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_PLAN_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_PLAN_H

#include "base/digest.h"
#include "scenarios/load/scenario.h"

struct agree_plan {
    const struct scenario *scenario;
    char **lines;
    uint64_t *hashes; /* [k]: of the first k lines; count + 1 of them */
    uint32_t count, room;
    struct digest digest;
};

void agree_plan_make(struct agree_plan *plan, const struct scenario *scenario);
void agree_plan_free(struct agree_plan *plan);

#endif
