/* SPDX-License-Identifier: Apache-2.0
 * step_ladder - a run that can be stepped forwards and backwards.
 * Rungs are snapshots (step_player.h) of positions passed, limited in number: close together near
 * the current position and farther apart away from it. Every movement starts at the last rung
 * before its goal and executes the events in between again, so its cost depends on the distance and
 * not on the length of the run. Rungs after the current position remain valid, because the run is
 * deterministic.
 * Owner: step_ladder_end. Errors: false, the player is gone. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_LADDER_H
#define STORMGLASS_REPLAY_STEP_STEP_LADDER_H

#include "replay/step/step_player.h"

enum {
    STEP_RUNGS_MAX = 24,
    STEP_RUNGS_MIN = 4,
    STEP_RUNG_EVENTS = 1 << 18, /* minimum distance of two rungs: less than a tenth of a second */
};

struct step_rung {
    struct step_player player;
    struct step_position position;
};

struct step_ladder {
    struct step_rung rungs[STEP_RUNGS_MAX + 1]; /* in order of time; the first is the start */
    uint32_t count, most;
    struct step_rung present;
    uint32_t every;                 /* events between two rungs */
    bool (*is_asked_to_stop)(void); /* polled for a stop; NULL: never */
};

/* Takes over the stepper, which must be at its start. */
bool step_ladder_begin(struct step_ladder *ladder, struct stepper *stepper);
void step_ladder_end(struct step_ladder *ladder);

/* Moves forward to whichever goal comes first; STEP_AT_SLICE: a stop was requested. */
bool step_ladder_move(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved);

/* Moves to an event or a time, before or after the current position. */
bool step_ladder_seek(struct step_ladder *ladder, const struct step_goal *goal,
                      struct step_moved *moved);

/* Moves to the n-th last hit of the goal's conditions before the current position. If there are
 * fewer, moves to the start, and *left is the number missing. */
bool step_ladder_back(struct step_ladder *ladder, const struct step_goal *conditions, uint64_t n,
                      uint64_t *left, struct step_moved *moved);

#endif
