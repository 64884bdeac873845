/* SPDX-License-Identifier: Apache-2.0
 * step_acts_private - the implementation of each command of a session.
 * Included only by step.c and step_acts.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_ACTS_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEP_ACTS_PRIVATE_H

#include "replay/step/step.h"
#include "replay/step/step_command.h"
#include "replay/step/step_ladder.h"

enum { BREAKS_MAX = STEP_CONDITIONS - 1 }; /* the last condition is that of `next` */

struct step_point {
    uint32_t number;
    bool stops; /* false: a watch */
    struct step_condition condition;
    char text[STEP_LINE_BYTES];
};

struct step_state {
    const struct step_session *with;
    struct step_ladder ladder;
    struct step_point points[BREAKS_MAX];
    uint32_t point_count, numbers;
    char line[STEP_LINE_BYTES];
    uint32_t line_number;
    struct step_wrong wrong; /* error in the line; column 0: none */
    bool quits, different;
    time_ps reported_difference; /* from the stored run; TIME_NEVER: none reported */
};

/* Returns false if a process is gone. Errors in the line are in session->wrong. */
bool step_act(struct step_state *session, const struct step_command *command);

#endif
