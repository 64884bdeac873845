/* SPDX-License-Identifier: Apache-2.0
 * predict - runs the cells of a grid and keeps their results.
 * Owner: predictions_free. */
#ifndef STORMGLASS_REPLAY_COMPARE_PREDICT_H
#define STORMGLASS_REPLAY_COMPARE_PREDICT_H

#include "replay/compare/predictions.h"
#include "replay/run/run.h"

/* Predictions without results yet; names are copied. */
struct predictions *predict_begin(const struct grid *grid);

/* Runs cell `index`, whose scenario was loaded with the cell's sets. The first cell also determines
 * the files and profiles of the model. */
enum run_end predict_cell(struct predictions *predictions, uint32_t index,
                          const struct scenario *scenario, const struct run_options *options,
                          struct diag *diag, char error[STORE_ERROR_BYTES]);

#endif
