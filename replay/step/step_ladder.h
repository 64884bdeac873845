/* SPDX-License-Identifier: Apache-2.0
 * step_ladder - a run in which one can go both ways.
 * The rungs are snapshots (step_player.h) of moments that were passed, few and bounded, close
 * together near the present and ever wider apart away from it.  Going anywhere begins at the last
 * rung before it and executes the rest again; so what it takes grows with how far one goes, and not
 * with how long the run is.  Rungs in what was the future stay of use: the run is the same.
 * Owner: step_ladder_end.  Errors: false, the player is gone. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_LADDER_H
#define STORMGLASS_REPLAY_STEP_STEP_LADDER_H

#include "replay/step/step_player.h"

enum {
    STEP_RUNGS_MAX = 24,
    STEP_RUNGS_MIN = 4,
    STEP_RUNG_EVENTS = 1 << 18, /* between two rungs, at least: less than a tenth of a second */
};

struct step_rung {
    struct step_player player;
    struct step_position position;
};

struct step_ladder {
    struct step_rung rungs[STEP_RUNGS_MAX + 1]; /* in the order of time; the first is the begin */
    uint32_t count, most;
    struct step_rung present;
    uint32_t every;                 /* events between two rungs */
    bool (*is_asked_to_stop)(void); /* NULL: nobody can */
};

/* Takes the stepper over; it is at its begin. */
bool step_ladder_begin(struct step_ladder *ladder, struct stepper *stepper);
void step_ladder_end(struct step_ladder *ladder);

/* Forwards to what comes first; STEP_AT_SLICE: somebody asked to stop. */
bool step_ladder_move(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved);

/* To an event or a moment, before or behind the present. */
bool step_ladder_seek(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved);

/* To the n-th last hit of the goal's conditions that lies behind the present; when there are fewer,
 * to the begin, and *left is how many were missing. */
bool step_ladder_back(struct step_ladder *ladder, const struct step_goal *conditions, uint64_t n,
                      uint64_t *left, struct step_moved *moved);

#endif
