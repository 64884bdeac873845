/* SPDX-License-Identifier: Apache-2.0
 * plan_store - the database of a plan: the question, each candidate, each run, the answer.
 * Its contents depend only on the plan, not on which process did the runs or in what order; it
 * contains no times of day. Every run is safe as soon as it has ended, and a search that was
 * stopped or killed continues from it.
 * Owner: plan_store_close. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_STORE_H
#define STORMGLASS_REPLAY_PLAN_PLAN_STORE_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "replay/plan/plan_stored_runs.h"
#include "replay/plan/plan_versus.h"

struct plan_store;

enum { PLAN_FORMAT = 1 }; /* key "format": incremented when the meaning of a table changes */

/* Whether the database is of a plan rather than a run. */
bool plan_store_is(const char *path);

/* False and a message if a later version wrote it in a format that this one does not know. */
bool plan_store_is_readable(struct store *store, char why[STORE_ERROR_BYTES]);

struct plan_side {
    const struct plan_state *state;
    const struct plan_stored_runs *known; /* NULL: no known runs */
};

/* Creates the database of a plan, and of a second plan to compare with if there are two sides. It
 * contains the known runs from the start. */
struct plan_store *plan_store_create(const char *path, const struct plan_side *sides,
                                     uint32_t count, char error[STORE_ERROR_BYTES]);

/* Writes and commits one run. Returns false if that failed; plan_store_close returns the reason. */
bool plan_store_run(struct plan_store *store, const struct plan_state *state, uint32_t candidate,
                    uint32_t of, uint32_t seed);

/* The drawing of the chosen fabric, an SVG; NULL: none. */
void plan_store_picture(struct plan_store *store, const char *svg);

/* Writes the verdicts, the answer and the comparison of two designs (NULL if there is one), and
 * closes the database. Returns false and a message if the last writes failed. */
bool plan_store_close(struct plan_store *store, const struct plan_state *state,
                      const struct plan_versus *versus, char error[STORE_ERROR_BYTES]);

#endif
