/* SPDX-License-Identifier: Apache-2.0
 * step_checks - a stored run's checkpoints, to compare with a run in the stepper.
 * Read once; memory is that of the table. Owner: step_checks_free. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_CHECKS_H
#define STORMGLASS_REPLAY_STEP_STEP_CHECKS_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "scenarios/world/world.h"

struct step_check {
    time_ps at;
    unsigned char *digests; /* of all nodes, as in checkpoint.h */
};

struct step_checks {
    struct step_check *list; /* ascending by time */
    uint32_t count, room;
    char digest[DIGEST_TEXT_BYTES]; /* of the whole run; empty: it did not end */
};

/* Rows with a number of nodes other than `nodes` are ignored. */
void step_checks_read(struct step_checks *checks, struct store *store, uint32_t nodes);
void step_checks_free(struct step_checks *checks);

/* The first node whose digest differs from the checkpoint; UINT32_MAX if all are equal. */
uint32_t step_check_differs(const struct step_check *check, const struct world *world);

#endif
