/* SPDX-License-Identifier: Apache-2.0
 * stepper_private - what the files of a stepper share.
 * Included only by stepper*.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEPPER_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEPPER_PRIVATE_H

#include "replay/step/stepper.h"

/* A port and priority that has to stop just now. */
struct step_stop {
    uint32_t node;
    uint16_t port;
    uint8_t priority;
    time_ps since;
};

struct stepper {
    struct world *world;
    struct probe probe;
    struct engine_watch watch;
    struct eventlog words;
    struct eventlog_event recent[STEP_RECENT]; /* by the event's number */
    uint64_t events, slice_end;
    bool between;
    const struct step_checks *checks; /* NULL: none */
    uint32_t checked;
    time_ps differs_at;
    uint32_t differs_in;
    struct step_stop *stops;
    uint32_t stop_count, stop_room;
    uint64_t *issued; /* by workload: as of the last event */

    /* of the move under way */
    const struct step_goal *goal;
    struct step_moved *moved;
    struct step_goal nothing;         /* the goal while there is none */
    uint32_t hits;                    /* mask of conditions: since the event before */
    uint32_t levels[STEP_CONDITIONS]; /* in how many places a state's condition held */
};

/* stepper_conditions.c: who looks for what happens */
void stepper_conditions_init(struct stepper *stepper, const struct scenario *scenario);
void stepper_conditions_begin(struct stepper *stepper);
void stepper_conditions_before(struct stepper *stepper, const struct eventlog_event *note,
                               const struct event *event);
/* After an event of the node; STEP_ANY: all nodes may have changed. */
void stepper_conditions_after(struct stepper *stepper, uint32_t node);

#endif
