/* SPDX-License-Identifier: Apache-2.0
 * concerned - the members that a clue applies to, found by the ports that they cross.
 * The cost of a clue about one place depends on the number of members there, not in the scenario.
 * Owner: concerned_free. */
#ifndef STORMGLASS_REPLAY_HARM_CONCERNED_H
#define STORMGLASS_REPLAY_HARM_CONCERNED_H

#include "replay/harm/cause.h"

struct concerned {
    uint32_t *members; /* ascending, without duplicates */
    uint32_t count;
    bool *listed; /* by member */
};

/* For clues about the members of a scene made by scene_init. */
void concerned_init(struct concerned *concerned, const struct harm_scene *scene);
void concerned_free(struct concerned *concerned);

/* Replaces the list by the members that this clue applies to. */
void concerned_find(struct concerned *concerned, const struct harm_scene *scene,
                    const struct cause_clue *clue);

#endif
