/* SPDX-License-Identifier: Apache-2.0
 * matrix - frozen predictions against a folder of measurements, cell by cell.
 * The measurement of a cell is FOLDER/CELL.db. A row is a workload of a cell. It passes if its
 * protocol is equal (counts and bytes) and each judged figure is within the tolerance. A cell
 * without a measurement does not pass.
 * Rejected: a measurement of other work than predicted, a measurement by another version, a model
 * run instead of a measurement, and a folder without measurements.
 * Owner: matrix_free; the predictions must outlive it. */
#ifndef STORMGLASS_REPLAY_COMPARE_MATRIX_H
#define STORMGLASS_REPLAY_COMPARE_MATRIX_H

#include "replay/compare/compare.h"
#include "replay/compare/predictions.h"

struct matrix_row {
    const char *name; /* of the cell; "cell workload" if a cell has several */
    uint32_t cell, workload;
    bool measured;
    struct compare_workload figures; /* model: the prediction; measured may be unset */
    const char *protocol;            /* "completed: 200 and 199"; "" if equal */
    double worst;                    /* largest absolute error among judged figures */
    bool holds;
};

struct matrix {
    struct arena arena;
    struct compare_options options;
    const struct predictions *predictions;
    const char *folder;
    struct matrix_row *rows; /* in cell order */
    uint32_t row_count, measured, holding;
    uint32_t *worst_first;  /* indices of rows */
    struct compare_side on; /* from the first measured cell */
    bool several_devices;   /* others have another device or kernel */
    int64_t first_unix_s, last_unix_s;
    char why[STORE_ERROR_BYTES];
};

enum compare_end matrix_compare(struct matrix *matrix, const struct predictions *predictions,
                                const char *folder, const struct compare_options *options);
void matrix_free(struct matrix *matrix);

/* The row of the cell at these coordinates of the axes, or NULL. */
const struct matrix_row *matrix_at(const struct matrix *matrix,
                                   const uint32_t places[GRID_AXES_MAX], uint32_t workload);

#endif
