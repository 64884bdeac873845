/* SPDX-License-Identifier: Apache-2.0
 * agree_plan - content of a scenario as lines in a fixed order.
 * Every effective setting, workload, pair and fault is one line, `path = value`, independent of its
 * place in the file. Two processes with equal lines have the same scenario; hashes of the first k
 * lines allow finding the first difference by bisection.
 * Owner: agree_plan_free. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_PLAN_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_PLAN_H

#include "base/digest.h"
#include "scenarios/data/scenario.h"

struct agree_plan {
    const struct scenario *scenario;
    char **lines;
    uint64_t *hashes; /* [k]: hash of the first k lines; count + 1 entries */
    uint32_t count, room;
    struct digest digest;
};

void agree_plan_make(struct agree_plan *plan, const struct scenario *scenario);
void agree_plan_free(struct agree_plan *plan);

#endif
