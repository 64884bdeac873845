/* SPDX-License-Identifier: Apache-2.0
 * plan_known - what databases of a plan have of its runs: those of an earlier search, or of shares.
 * A database may say anything: a row that no search of this plan can have written is left out, and
 * its run is played again.
 * Owner: plan_known_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_KNOWN_H
#define STORMGLASS_REPLAY_PLAN_PLAN_KNOWN_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "replay/plan/plan_state.h"

struct plan_known_run {
    uint32_t candidate, of, seed; /* the candidate by its key */
    uint32_t figures;             /* a bit for each that is there */
    struct plan_outcome outcome;
};

/* What a run depends on: the plan, its prices and the scenario with all its files. */
void plan_known_fingerprint(const struct plan *plan, char text[DIGEST_TEXT_BYTES]);

/* What an earlier search has played, read into memory; NULL and a sentence: it is none, of another
 * plan, or of another version of the program.  Of a plan that another is compared with: nothing,
 * where the database has other runs in its place. */
struct plan_known;
struct plan_known *plan_known_read(const char *path, const struct plan_state *state,
                                   char error[STORE_ERROR_BYTES]);
/* Nothing yet. */
struct plan_known *plan_known_none(void);
/* Adds what a part of the same plan has played; false and a sentence: as above. */
bool plan_known_add(struct plan_known *known, const char *path, const struct plan_state *state,
                    char error[STORE_ERROR_BYTES]);
void plan_known_free(struct plan_known *known); /* NULL is fine */

/* False: nobody has played it. */
bool plan_known_find(const struct plan_known *known, uint32_t candidate, uint32_t of, uint32_t seed,
                     struct plan_outcome *outcome);

/* All of them, in the order of their places. */
uint32_t plan_known_count(const struct plan_known *known);
const struct plan_known_run *plan_known_at(const struct plan_known *known, uint32_t index);

#endif
