/* SPDX-License-Identifier: Apache-2.0
 * plan_store - a plan's database: the question, each candidate, each run, the answer.
 * What is in it depends on the plan alone, not on who played or in which order; times of day are
 * not.  Every run is safe when it has ended; a search that was stopped or killed goes on from it.
 * Owner: plan_store_close. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_STORE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_STORE_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "replay/plan/plan_known.h"
#include "replay/plan/plan_versus.h"

struct plan_store;

/* Whether the database holds a plan, and not a run. */
bool plan_store_is(const char *path);

struct plan_side {
    const struct plan_state *state;
    const struct plan_known *known; /* NULL: nothing is */
};

/* A new database of a plan, and of another one that it is compared with, if there are two sides.
 * It holds what is known from the first moment on. */
struct plan_store *plan_store_create(const char *path, const struct plan_side *sides,
                                     uint32_t count, char error[STORE_ERROR_BYTES]);

/* One run, safe from here on.  False: it could not be written; plan_store_close says why. */
bool plan_store_run(struct plan_store *store, const struct plan_state *state, uint32_t candidate,
                    uint32_t of, uint32_t seed);

/* The drawing of the chosen fabric, an SVG; NULL: none. */
void plan_store_picture(struct plan_store *store, const char *svg);

/* The verdicts and the answer, with what two designs differ in (NULL: it was one), and the end of
 * it.  False and a sentence: the last writes failed. */
bool plan_store_close(struct plan_store *store, const struct plan_state *state,
                      const struct plan_versus *versus, char error[STORE_ERROR_BYTES]);

#endif
