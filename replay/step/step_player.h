/* SPDX-License-Identifier: Apache-2.0
 * step_player - a stepper in its own process, which can be copied at any time.
 * The model need not save its state: fork() copies it, and the kernel copies a page when one of the
 * two processes writes to it. A player serves one request after another over a socket, and ends
 * when the socket is closed, so no process is left behind however the program ends. A waiting
 * player is a snapshot: it costs the pages changed since.
 * Owner: step_player_end. Errors: false, the player is gone (it has printed the reason on
 * stderr). */
#ifndef STORMGLASS_REPLAY_STEP_STEP_PLAYER_H
#define STORMGLASS_REPLAY_STEP_STEP_PLAYER_H

#include "replay/step/stepper.h"

#include <stdio.h>

struct step_player {
    int fd;                  /* -1: none */
    int pid;                 /* child of this process, to be waited for; 0: child of a player */
    struct stepper *stepper; /* without fork() (cli/playground): in this process */
};

/* A function that writes state of the player as text. */
typedef void step_tell(const struct stepper *stepper, const struct step_subject *subject,
                       uint32_t number, FILE *out);

/* Takes over the stepper, which is freed in this process. */
bool step_player_start(struct step_player *player, struct stepper *stepper);
void step_player_end(struct step_player *player);

/* Copies the player in its current state. */
bool step_player_double(const struct step_player *player, struct step_player *copy);

bool step_player_move(const struct step_player *player, const struct step_goal *goal,
                      struct step_moved *moved);
bool step_player_digest(const struct step_player *player, struct digest *digest);

/* Bytes of memory used, including shared pages. */
bool step_player_memory(const struct step_player *player, uint64_t *bytes);

/* `tell` is called in the player; its text goes to `out`. */
bool step_player_tell(const struct step_player *player, step_tell *tell,
                      const struct step_subject *subject, uint32_t number, FILE *out);

#endif
