/* SPDX-License-Identifier: Apache-2.0
 * stand - a session of lines beside a stepper of one's own: what the session is to print is
 * gathered from the stepper, which is moved to the same places in this process. */
#ifndef STORMGLASS_TESTS_UNIT_STEP_STAND_H
#define STORMGLASS_TESTS_UNIT_STEP_STAND_H

#include "replay/step/step.h"
#include "replay/step/step_command.h"

struct stand {
    struct diag diag;
    struct scenario *scenario;
    struct stepper *own;
    char *expected;
    size_t expected_bytes;
    FILE *expect; /* what a session is to print */
    char *out, *wrong;
};

/* Of a small run with drops; *state is a struct stand. */
int stand_set_up(void **state);
int stand_tear_down(void **state);

/* Plays the lines; what is printed is in `out` and `wrong`. */
enum step_result stand_play(struct stand *stand, const char *script, bool terminal,
                            const struct step_checks *checks, time_ps until);

/* To the next event that one of the conditions is true of; NULL: to the end. */
struct step_goal stand_goal(struct stand *stand, const char *const *conditions);

/* Moves the own stepper from the begin to a place, and expects that the session tells it. */
void stand_at_event(struct stand *stand, uint64_t number);
void stand_at_time(struct stand *stand, time_ps at);
void stand_rewind(struct stand *stand); /* to the begin */
void stand_expect_position(struct stand *stand);
void stand_expect_digest(struct stand *stand, const char *before);

#endif
