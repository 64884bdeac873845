/* SPDX-License-Identifier: Apache-2.0
 * stepper_private - internal interface of the stepper.
 * Included only by stepper*.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEPPER_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEPPER_PRIVATE_H

#include "replay/step/stepper.h"

/* A port and priority that is currently paused. */
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
    struct eventlog_event recent[STEP_RECENT]; /* ring, by event number */
    uint64_t events, slice_end;
    bool between;
    const struct step_checks *checks; /* NULL: none */
    uint32_t checked;
    time_ps differs_at;
    uint32_t differs_in;
    struct step_stop *stops;
    uint32_t stop_count, stop_room;
    uint64_t *issued; /* by workload, up to the last event */

    /* of the current move */
    const struct step_goal *goal;
    struct step_moved *moved;
    struct step_goal nothing;         /* the goal outside of moves */
    uint32_t hits;                    /* bit set of conditions met since the previous event */
    uint32_t levels[STEP_CONDITIONS]; /* number of places where a state's condition was met */
};

/* stepper_conditions.c: checks conditions */
void stepper_conditions_init(struct stepper *stepper, const struct scenario *scenario);
void stepper_conditions_begin(struct stepper *stepper);
void stepper_conditions_before(struct stepper *stepper, const struct eventlog_event *note,
                               const struct event *event);
/* Call after an event of the node; STEP_ANY: all nodes may have changed. */
void stepper_conditions_after(struct stepper *stepper, uint32_t node);

#endif
