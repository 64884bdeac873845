/* SPDX-License-Identifier: Apache-2.0
 * step_player - a stepper in this process, because WebAssembly has no fork().
 * Only a player at the beginning of the run can be copied: the copy is a new stepper for the same
 * scenario. The first rung of the ladder stays there, so that going back repeats the run from its
 * beginning. */
#include "replay/step/step_player.h"

#include "base/memory.h"
#include "scenarios/world/world.h"

#include <stdlib.h>

enum { ALIVE = 0, GONE = -1 }; /* of fd */

bool step_player_start(struct step_player *player, struct stepper *stepper)
{
    *player = (struct step_player){.fd = ALIVE, .stepper = stepper};
    return true;
}

void step_player_end(struct step_player *player)
{
    if (player->fd != GONE)
        stepper_free(player->stepper);
    *player = (struct step_player){.fd = GONE};
}

bool step_player_double(const struct step_player *player, struct step_player *copy)
{
    *copy = (struct step_player){.fd = GONE};
    const struct step_position position = stepper_position(player->stepper);
    if (position.events > 0 || position.between)
        return false;
    struct diag *diag = memory_new(sizeof *diag);
    struct stepper *stepper = stepper_new(stepper_world(player->stepper)->scenario, NULL, diag);
    free(diag);
    return stepper != NULL && step_player_start(copy, stepper);
}

bool step_player_move(const struct step_player *player, const struct step_goal *goal,
                      struct step_moved *moved)
{
    stepper_move(player->stepper, goal, moved);
    return true;
}

bool step_player_digest(const struct step_player *player, struct digest *digest)
{
    *digest = stepper_digest(player->stepper);
    return true;
}

bool step_player_memory(const struct step_player *player, uint64_t *bytes)
{
    (void)player;
    *bytes = UINT64_MAX - 1; /* as many rungs as the minimum: there is only the first */
    return true;
}

bool step_player_tell(const struct step_player *player, step_tell *tell,
                      const struct step_subject *subject, uint32_t number, FILE *out)
{
    tell(player->stepper, subject, number, out);
    return true;
}
