/* SPDX-License-Identifier: Apache-2.0
 * names - names of nodes made of what somebody called them, each given once.
 * A letter, then letters, digits, '.', '_', '-', no "..", at most TOPOLOGY_NAME_MAX; what does not
 * fit becomes '-', what is taken gets a number behind it: "spine0", "spine0-2".
 * Owner: the names are the arena's; names_free ends the rest. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_NAMES_H
#define STORMGLASS_SCENARIOS_IMPORT_NAMES_H

#include "scenarios/format/arena.h"

struct names {
    struct arena *arena;
    void *taken; /* tsearch */
};

const char *names_pick(struct names *names, const char *wanted);
void names_free(struct names *names);

#endif
