/* SPDX-License-Identifier: Apache-2.0
 * step_player - a stepper in a process of its own, which can be doubled at any moment.
 * The model is not asked to save its state: fork() does it, and the kernel copies a page when one
 * of the two writes to it.  A player answers one request after the other over a socket; it ends
 * when its socket is closed, so that nobody is left behind whatever becomes of the program.
 * A player that waits is a snapshot: it costs the pages that have changed since.
 * Owner: step_player_end.  Errors: false, the player is gone (it has said why on stderr). */
#ifndef STORMGLASS_REPLAY_STEP_STEP_PLAYER_H
#define STORMGLASS_REPLAY_STEP_STEP_PLAYER_H

#include "replay/step/stepper.h"

#include <stdio.h>

struct step_player {
    int fd;  /* -1: none */
    int pid; /* of a child of this process, which is waited for; 0: a child of a player */
};

/* What a player can tell as text. */
typedef void step_tell(const struct stepper *stepper, const struct step_subject *subject,
                       uint32_t number, FILE *out);

/* Takes the stepper over: in this process it is freed. */
bool step_player_start(struct step_player *player, struct stepper *stepper);
void step_player_end(struct step_player *player);

/* Another one in the same state. */
bool step_player_double(const struct step_player *player, struct step_player *copy);

bool step_player_move(const struct step_player *player, const struct step_goal *goal,
                      struct step_moved *moved);
bool step_player_digest(const struct step_player *player, struct digest *digest);

/* Bytes of memory that it takes, those that it shares with others included. */
bool step_player_memory(const struct step_player *player, uint64_t *bytes);

/* `tell` is called in the player; its text goes to `out`. */
bool step_player_tell(const struct step_player *player, step_tell *tell,
                      const struct step_subject *subject, uint32_t number, FILE *out);

#endif
