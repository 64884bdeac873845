/* SPDX-License-Identifier: Apache-2.0
 * predictions - the model's results for the cells of a grid, frozen before the measurement.
 * The file is JSON written by stormglass predict: figures and counts of each cell, the fingerprint
 * of the work to measure, and the model: version and build, the scenario's files, profiles. The
 * last value is a digest over all bytes before it, which detects later changes. It protects against
 * accidents and second thoughts; it is not a signature.
 * Owner: predictions_free. Errors: messages with locations. */
#ifndef STORMGLASS_REPLAY_COMPARE_PREDICTIONS_H
#define STORMGLASS_REPLAY_COMPARE_PREDICTIONS_H

#include "replay/compare/figures.h"
#include "scenarios/format/diag.h"
#include "scenarios/vary/grid.h"

enum { PREDICTIONS_FORMAT = 1, PREDICTIONS_PROFILES_MAX = 64, PREDICTIONS_WORKLOADS_MAX = 256 };

/* The bytes before and after the digest. */
#define PREDICTIONS_SEAL     ",\n \"digest\": \""
#define PREDICTIONS_SEAL_END "\"}\n"

struct prediction_profile {
    const char *name, *digest;
};

struct prediction {
    const char *name;
    const char **sets;
    uint32_t set_count;
    const char *run;  /* digest of the model run */
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
    struct prediction *cells; /* the last axis varies fastest */
    uint32_t cell_count;
    char digest[DIGEST_TEXT_BYTES];
};

/* Returns NULL and adds messages if the file is missing, is not a predictions file, or was
 * changed. */
struct predictions *predictions_load_file(const char *path, struct diag *diag);
struct predictions *predictions_load(const char *name, const char *text, size_t length,
                                     struct diag *diag);
void predictions_free(struct predictions *predictions); /* `predictions` may be NULL */

/* The digest of the built-in profile of that name; "" if there is none. */
void predictions_profile_digest(const char *name, char text[DIGEST_TEXT_BYTES]);

/* Returns false and a message in `why` if the predictions are from another model than this
 * program's. */
bool predictions_are_of_this_model(const struct predictions *predictions,
                                   char why[STORE_ERROR_BYTES]);

#endif
