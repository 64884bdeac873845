/* SPDX-License-Identifier: Apache-2.0
 * predict - plays the cells of a grid and keeps what they came to.
 * Owner: predictions_free. */
#ifndef STORMGLASS_REPLAY_COMPARE_PREDICT_H
#define STORMGLASS_REPLAY_COMPARE_PREDICT_H

#include "replay/compare/predictions.h"
#include "replay/run/run.h"

/* Predictions without cells' figures yet; the names are copied. */
struct predictions *predict_begin(const struct grid *grid);

/* Plays cell number `index`; its scenario has been loaded with the cell's sets.  The first one also
 * says which files and profiles the model was. */
enum run_end predict_cell(struct predictions *predictions, uint32_t index,
                          const struct scenario *scenario, const struct run_options *options,
                          struct diag *diag, char error[STORE_ERROR_BYTES]);

#endif
