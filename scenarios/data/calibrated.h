/* SPDX-License-Identifier: Apache-2.0
 * calibrated - the workload range on which a profile was fitted.
 * A profile with measured values may state the range of workloads that were measured:
 *   calibrated: {block-size: 512B..256KiB, queue-depth: 1..16}
 * A workload is inside if its parameters are in every range, limits included; outside, the model
 * extrapolates. The keys are parameters of workloads (the list below). */
#ifndef STORMGLASS_SCENARIOS_DATA_CALIBRATED_H
#define STORMGLASS_SCENARIOS_DATA_CALIBRATED_H

#include "base/quantity.h"
#include "scenarios/format/tree.h"

struct calibrated {
    const char *profile, *word; /* `word`: such as "block-size" */
    int64_t low, high;          /* in the base unit of the word's quantity */
    const char *text;           /* as written in the profile */
};

/* Quantity of a workload parameter that a profile may be fitted on; false: another parameter. */
bool calibrated_quantity(const char *word, enum quantity_kind *kind);

/* Ranges by parameter. New ones are appended to the list, which is in the arena. A profile that is
 * read twice counts once. */
struct calibrated_list {
    struct calibrated *ranges;
    size_t count;
};
void calibrated_load(struct arena *arena, struct diag *diag, const char *profile,
                     const struct tree_node *map, struct calibrated_list *list);

#endif
