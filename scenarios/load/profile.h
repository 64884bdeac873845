/* SPDX-License-Identifier: Apache-2.0
 * profile - a device described by a data file: values, and the evidence for each.
 *   stormglass-profile: 1
 *   name: rnic-100g
 *   about: One sentence.
 *   kind: rnic                      # switch, rnic, media, target, tcp or nvme
 *   media: flash-tlc                # kind media only: the model that the values are for
 *   calibrated: {queue-depth: 1..16}  # workloads on which the values were fitted (calibrated.h)
 *   values: {tx-delay: {value: 300ns, evidence: inferred, source: "..."}}
 *   nvme: {submit-cost: ...}        # kinds rnic and tcp, optional: cost of NVMe for such a host,
 *   target: {command-cost: ...}     # and for a target
 * A name is a profile embedded in the program (scenarios/profiles); a path (with a '/' or ending in
 * .yaml) is a file relative to the scenario. Evidence: documented, measured, inferred or
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

/* `word` names the profile and is the place for messages. `kind`: the required kind. False, with a
 * message, if there is no such profile. */
bool profile_find(struct loader *loader, const struct tree_node *word, const char *kind,
                  struct profile *profile);

/* Finds an embedded profile whose name is chosen by the program. */
bool profile_find_own(struct loader *loader, const char *name, const char *kind,
                      struct profile *profile);

/* The default profile of a host's RNIC: the slowest embedded generic-<Gb/s>g that is no slower than
 * the host's fastest link, or the fastest one if the link is faster than all. Overrides do not
 * count: a link that runs below its class's rate still ends at the same card. */
const char *profile_for_host(struct loader *loader, uint32_t host);

/* A value of an embedded profile, with its evidence (scenarios/format/block.h). */
struct profile_value {
    const char *profile, *value;
    struct block_origin origin;
};

/* Calls `call` for each embedded profile that sets the parameter `name` of the section `where`
 * ("hosts.defaults.rnic"), in order of the profiles' names. */
typedef void profile_value_fn(void *self, const struct profile_value *value);
void profile_each_value(const char *where, const char *name, profile_value_fn *call, void *self);

/* The embedded profile with that name, as it is written; NULL if there is none. */
const struct tree_node *profile_tree(struct arena *arena, const char *name);

/* True if an embedded profile has that name. */
bool profile_is_known(const char *name);

/* True if it is a path rather than a name. */
bool profile_is_path(const char *name);

/* Loads the profile's values over the block's. */
bool profile_take(struct loader *loader, const struct profile *profile, struct block *block);

/* Loads another of the profile's mappings of values, which may be NULL, over the block's. */
bool profile_take_part(struct loader *loader, const struct profile *profile,
                       const struct tree_node *values, struct block *block);

#endif
