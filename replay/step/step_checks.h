/* SPDX-License-Identifier: Apache-2.0
 * step_checks - a stored run's checkpoints, against which a run that is stepped through is held.
 * Read once; memory is that of the table.  Owner: step_checks_free. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_CHECKS_H
#define STORMGLASS_REPLAY_STEP_STEP_CHECKS_H

#include "base/digest.h"
#include "replay/database/store.h"
#include "scenarios/world/world.h"

struct step_check {
    time_ps at;
    unsigned char *digests; /* of all nodes, as checkpoint.h has them */
};

struct step_checks {
    struct step_check *list; /* ascending */
    uint32_t count, room;
    char digest[DIGEST_TEXT_BYTES]; /* of the whole run; empty: it did not end */
};

/* Rows of another fabric than one of `nodes` are left out. */
void step_checks_read(struct step_checks *checks, struct store *store, uint32_t nodes);
void step_checks_free(struct step_checks *checks);

/* The first node whose digest is not that of the checkpoint; UINT32_MAX: all are equal. */
uint32_t step_check_differs(const struct step_check *check, const struct world *world);

#endif
