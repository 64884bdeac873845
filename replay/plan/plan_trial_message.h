/* SPDX-License-Identifier: Apache-2.0
 * plan_trial_message - a trial as bytes, for a process that has loaded the same plan and runs the
 * trial. Strings that each end with a zero byte: seed, longest duration, failure of the plan (-1:
 * none), settings of the case, settings of the candidate. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_TRIAL_MESSAGE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_TRIAL_MESSAGE_H

#include "replay/plan/plan_play.h"

/* The caller frees the result. */
char *plan_trial_message_write(const struct plan_trial *trial, size_t *length);

/* A trial and the data that it points to. */
struct plan_trial_message {
    struct plan_trial trial;
    struct grid_cell cell;
    struct plan_case of;
};

/* Returns false if it is not a trial of this plan. Texts point into `bytes`, lists into the
 * arena. */
bool plan_trial_message_read(struct arena *arena, const struct plan *plan, const char *bytes,
                             size_t length, struct plan_trial_message *errand);

#endif
