/* SPDX-License-Identifier: Apache-2.0
 * matrix - frozen predictions against a folder of measurements, cell by cell.
 * The measurement of a cell is FOLDER/CELL.db.  A row is a workload of a cell; it holds when its
 * protocol is equal (counts and bytes) and each judged figure is within the tolerance.  A cell that
 * was not measured does not hold.
 * Refused: a measurement of other work than was predicted, one made by another version, a run of
 * the model in place of a measurement, and a folder without any.
 * Owner: matrix_free; the predictions outlive it. */
#ifndef STORMGLASS_REPLAY_COMPARE_MATRIX_H
#define STORMGLASS_REPLAY_COMPARE_MATRIX_H

#include "replay/compare/compare.h"
#include "replay/compare/predictions.h"

struct matrix_row {
    const char *name; /* of the cell; "cell workload" where a cell has several */
    uint32_t cell, workload;
    bool measured;
    struct compare_workload figures; /* model: the prediction; measured only if it was */
    const char *protocol;            /* "completed: 200 and 199"; "" while it is equal */
    double worst;                    /* the largest error among the judged, without its sign */
    bool holds;
};

struct matrix {
    struct arena arena;
    struct compare_options options;
    const struct predictions *predictions;
    const char *folder;
    struct matrix_row *rows; /* in the order of the cells */
    uint32_t row_count, measured, holding;
    uint32_t *worst_first;  /* indices of rows */
    struct compare_side on; /* of the first measured cell */
    bool several_devices;   /* others have another device or kernel */
    int64_t first_unix_s, last_unix_s;
    char why[STORE_ERROR_BYTES];
};

enum compare_end matrix_compare(struct matrix *matrix, const struct predictions *predictions,
                                const char *folder, const struct compare_options *options);
void matrix_free(struct matrix *matrix);

/* The row of a cell that stands at these places of the axes, or NULL. */
const struct matrix_row *matrix_at(const struct matrix *matrix,
                                   const uint32_t places[GRID_AXES_MAX], uint32_t workload);

#endif
