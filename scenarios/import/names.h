/* SPDX-License-Identifier: Apache-2.0
 * names - makes unique, legal node names from the names in a file.
 * A name is a letter, then letters, digits, '.', '_', '-', without "..", at most TOPOLOGY_NAME_MAX
 * bytes. Other characters become '-', and a name that is taken gets a number: "spine0", "spine0-2".
 * Owner: the names belong to the arena; names_free frees the rest. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_NAMES_H
#define STORMGLASS_SCENARIOS_IMPORT_NAMES_H

#include "scenarios/format/arena.h"

struct names {
    struct arena *arena;
    void *taken; /* tree of tsearch */
};

const char *names_pick(struct names *names, const char *wanted);
void names_free(struct names *names);

#endif
