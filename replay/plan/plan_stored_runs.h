/* SPDX-License-Identifier: Apache-2.0
 * plan_stored_runs - runs of a plan found in databases of an earlier search or of partial searches.
 * Databases are untrusted: a row that no search of this plan can have written is ignored, and its
 * run is repeated.
 * Owner: plan_stored_runs_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_STORED_RUNS_H
#define STORMGLASS_REPLAY_PLAN_PLAN_STORED_RUNS_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "replay/plan/plan_state.h"

struct plan_stored_run {
    uint32_t candidate, of, seed; /* candidate is its key */
    uint32_t figures;             /* bit set of the figures present */
    struct plan_outcome outcome;
};

/* Everything that a run depends on: the plan, its prices and the scenario with all its files. */
void plan_fingerprint(const struct plan *plan, char text[DIGEST_TEXT_BYTES]);

/* Reads the runs of an earlier search into memory. Returns NULL and a message if the file is not a
 * plan database, or is of another plan or program version. For a plan being compared, the result is
 * empty if the database has other runs under its keys. */
struct plan_stored_runs;
struct plan_stored_runs *plan_stored_runs_read(const char *path, const struct plan_state *state,
                                               char error[STORE_ERROR_BYTES]);
/* An empty set. */
struct plan_stored_runs *plan_stored_runs_none(void);
/* Adds the runs of a part of the same plan; false and a message as above. */
bool plan_stored_runs_add(struct plan_stored_runs *known, const char *path,
                          const struct plan_state *state, char error[STORE_ERROR_BYTES]);
void plan_stored_runs_free(struct plan_stored_runs *known); /* `known` may be NULL */

/* Returns false if the run is unknown. */
bool plan_stored_runs_find(const struct plan_stored_runs *known, uint32_t candidate, uint32_t of,
                           uint32_t seed, struct plan_outcome *outcome);

/* All runs in order of their keys. */
uint32_t plan_stored_runs_count(const struct plan_stored_runs *known);
const struct plan_stored_run *plan_stored_runs_at(const struct plan_stored_runs *known,
                                                  uint32_t index);

#endif
