/* SPDX-License-Identifier: Apache-2.0
 * profile - a device as a data file: values, and how each is known.
 *   stormglass-profile: 1
 *   name: rnic-100g
 *   about: One sentence.
 *   kind: rnic                      # switch, rnic, media or target
 *   media: flash-tlc                # kind media only: the model that the values are for
 *   calibrated: {queue-depth: 1..16}  # over which work the values were fitted (calibrated.h)
 *   values: {tx-delay: {value: 300ns, evidence: inferred, source: "..."}}
 *   nvme: {submit-cost: ...}        # kind rnic only, optional: what NVMe costs a host with it,
 *   target: {command-cost: ...}     # and a target
 * A name is a profile that travels in the program (scenarios/profiles), a path (with a '/' or
 * ending in .yaml) a file beside the scenario.  Evidence: documented, measured, inferred or
 * assumed. */
#ifndef STORMGLASS_SCENARIOS_LOAD_PROFILE_H
#define STORMGLASS_SCENARIOS_LOAD_PROFILE_H

#include "scenarios/load/scenario_load.h"

struct profile {
    const char *name;
    const char *media; /* or NULL */
    const struct tree_node *values;
    const struct tree_node *nvme, *target; /* or NULL */
};

/* `word` names it; a place for messages. `kind`: which kind is meant.  False and a message when it
 * cannot be had. */
bool profile_find(struct loader *loader, const struct tree_node *word, const char *kind,
                  struct profile *profile);

/* Finds a profile by a name that the program itself chooses. */
bool profile_find_own(struct loader *loader, const char *name, const char *kind,
                      struct profile *profile);

/* The profile of a host's RNIC where a scenario names none: of the program's generic-<Gb/s>g the
 * slowest that is no slower than the host's fastest link; the fastest where the link is faster than
 * all.  Overrides do not count: a link that runs slower than its class ends at the same card. */
const char *profile_for_host(struct loader *loader, uint32_t host);

/* Is it the name of a profile that travels in the program? */
bool profile_is_known(const char *name);

/* Is it a path rather than a name? */
bool profile_is_path(const char *name);

/* Loads the profile's values over the block's. */
bool profile_take(struct loader *loader, const struct profile *profile, struct block *block);

/* Loads another of the profile's mappings of values, which may be NULL, over the block's. */
bool profile_take_part(struct loader *loader, const struct profile *profile,
                       const struct tree_node *values, struct block *block);

#endif
