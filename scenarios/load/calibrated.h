/* SPDX-License-Identifier: Apache-2.0
 * calibrated - what a profile was fitted on.
 * A profile whose values were measured may say over which work:
 *   calibrated: {block-size: 512B..256KiB, queue-depth: 1..16}
 * A workload whose words lie in every range is inside; beyond them the model is extrapolated.  The
 * words are those of a workload (the list below).  Ends belong to the range. */
#ifndef STORMGLASS_SCENARIOS_LOAD_CALIBRATED_H
#define STORMGLASS_SCENARIOS_LOAD_CALIBRATED_H

#include "base/quantity.h"
#include "scenarios/format/tree.h"

struct calibrated {
    const char *profile, *word; /* "block-size" */
    int64_t low, high;          /* in the base unit of the word's quantity */
    const char *text;           /* as the profile writes it */
};

/* The quantity of a workload's word that a profile may have been fitted on; false: it is none. */
bool calibrated_quantity(const char *word, enum quantity_kind *kind);

/* A mapping of words to ranges; appended to the list, which lives in the arena.  A profile that is
 * read twice counts once. */
struct calibrated_list {
    struct calibrated *ranges;
    size_t count;
};
void calibrated_load(struct arena *arena, struct diag *diag, const char *profile,
                     const struct tree_node *map, struct calibrated_list *list);

#endif
