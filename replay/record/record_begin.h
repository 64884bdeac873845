/* SPDX-License-Identifier: Apache-2.0
 * record_begin - writes the rows before the first event. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_BEGIN_H
#define STORMGLASS_REPLAY_RECORD_RECORD_BEGIN_H

#include "replay/files/output.h"
#include "replay/record/record.h"
#include "replay/record/record_fabric.h"

/* Creates the database and writes and commits the scenario, its files, settings and fabric.
 * `fabric` must be of the scenario and outlive the database. */
struct store *record_begin(const struct record_options *options, const struct record_fabric *fabric,
                           char error[STORE_ERROR_BYTES]);

/* Returns false and a message if a database cannot be written under that name, or if it would
 * overwrite a file of the scenario. NULL: no database. */
bool record_begin_may(const char *path, const struct scenario *scenario,
                      char why[OUTPUT_WHY_BYTES]);

#endif
