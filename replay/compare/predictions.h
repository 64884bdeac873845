/* SPDX-License-Identifier: Apache-2.0
 * predictions - what the model says of the cells of a grid, frozen before anybody measures.
 * The file is JSON, made by stormglass predict: figures and counts of each cell, the fingerprint of
 * the work that is to be measured, and what the model was: its version and build, the scenario's
 * files and profiles.  The last value is a digest over all bytes before it, so that a file that was
 * touched afterwards is known.  It is a fingerprint against accidents and second thoughts, no
 * signature.
 * Owner: predictions_free.  Errors: located messages. */
#ifndef STORMGLASS_REPLAY_COMPARE_PREDICTIONS_H
#define STORMGLASS_REPLAY_COMPARE_PREDICTIONS_H

#include "replay/compare/figures.h"
#include "scenarios/format/diag.h"
#include "scenarios/vary/grid.h"

enum { PREDICTIONS_FORMAT = 1, PREDICTIONS_PROFILES_MAX = 64, PREDICTIONS_WORKLOADS_MAX = 256 };

/* What stands before the digest, and after it. */
#define PREDICTIONS_SEAL     ",\n \"digest\": \""
#define PREDICTIONS_SEAL_END "\"}\n"

struct prediction_profile {
    const char *name, *digest;
};

struct prediction {
    const char *name;
    const char **sets;
    uint32_t set_count;
    const char *run;  /* digest of the model's run */
    const char *work; /* compare_work */
    struct figures figures;
};

struct predictions {
    struct arena arena;
    const char *grid, *about, *scenario, *version;
    const char *build;   /* stormglass_build */
    const char *sources; /* digest of the scenario's files */
    struct prediction_profile *profiles;
    size_t profile_count;
    struct grid_axis axes[GRID_AXES_MAX];
    uint32_t axis_count;
    struct prediction *cells; /* the last axis changes fastest */
    uint32_t cell_count;
    char digest[DIGEST_TEXT_BYTES];
};

/* NULL and messages: no such file, no predictions, or not those that were frozen. */
struct predictions *predictions_load_file(const char *path, struct diag *diag);
struct predictions *predictions_load(const char *name, const char *text, size_t length,
                                     struct diag *diag);
void predictions_free(struct predictions *predictions); /* NULL is fine */

/* The digest of the profile of that name that this program carries; "" when it carries none. */
void predictions_profile_digest(const char *name, char text[DIGEST_TEXT_BYTES]);

/* False and a sentence in `why`: this program's model is not the one of the predictions. */
bool predictions_are_of_this_model(const struct predictions *predictions,
                                   char why[STORE_ERROR_BYTES]);

#endif
