/* SPDX-License-Identifier: Apache-2.0
 * memo - the trials that were run, and what they measured.
 * A run can be repeated exactly, so it is never repeated: an experiment that asks for the same
 * changes again, in any order, gets the same measures.
 * Owner: memo_free. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_MEMO_H
#define STORMGLASS_REPLAY_EXPERIMENT_MEMO_H

#include "replay/experiment/measure.h"
#include "replay/experiment/trial.h"

/* Measures of large fabrics are large: no more are kept than this. */
enum { MEMO_BYTES_MAX = 64 * 1024 * 1024 };

struct memo_entry {
    struct trial trial;
    bool complete; /* false: the scenario cannot be built with the trial */
    char *measure; /* packed */
};

struct memo {
    struct memo_entry *list;
    uint32_t count, room;
    size_t bytes;
};

bool memo_has(const struct memo *memo, const struct trial *trial);

/* Copies what the trial measured; works NULL: it cannot be built.  False: it was not run yet. */
bool memo_find(const struct memo *memo, const struct trial *trial, struct measure_shape shape,
               struct measure *measure);

void memo_keep(struct memo *memo, const struct trial *trial, struct measure_shape shape,
               const struct measure *measure);

void memo_free(struct memo *memo);

#endif
