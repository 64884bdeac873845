/* SPDX-License-Identifier: Apache-2.0
 * plan_errand - a trial as bytes, for a process that has loaded the same plan and plays it there.
 * Words that each end with a zero byte: seed, longest duration, which failure of
 * the plan (-1: none), settings of the case, those of the candidate. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ERRAND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ERRAND_H

#include "replay/plan/plan_play.h"

/* The caller's to free. */
char *plan_errand_write(const struct plan_trial *trial, size_t *length);

/* What a trial points at. */
struct plan_errand {
    struct plan_trial trial;
    struct grid_cell cell;
    struct plan_case of;
};

/* False: it is none of this plan.  Texts are those of the bytes, lists the arena's. */
bool plan_errand_read(struct arena *arena, const struct plan *plan, const char *bytes,
                      size_t length, struct plan_errand *errand);

#endif
