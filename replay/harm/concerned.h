/* SPDX-License-Identifier: Apache-2.0
 * concerned - the members that a clue concerns, found by the ports that they cross: a clue about
 * one place costs as much as there are members at the place, not in the scenario.
 * Owner: concerned_free. */
#ifndef STORMGLASS_REPLAY_HARM_CONCERNED_H
#define STORMGLASS_REPLAY_HARM_CONCERNED_H

#include "replay/harm/cause.h"

struct concerned {
    uint32_t *members; /* in ascending order, once each */
    uint32_t count;
    bool *listed; /* by member */
};

/* For clues about the members of the scene, which scene_init made. */
void concerned_init(struct concerned *concerned, const struct harm_scene *scene);
void concerned_free(struct concerned *concerned);

/* Lists the members that the clue concerns, instead of those of the clue before. */
void concerned_find(struct concerned *concerned, const struct harm_scene *scene,
                    const struct cause_clue *clue);

#endif
