/* SPDX-License-Identifier: Apache-2.0
 * record_begin - rows before the first event. */
#ifndef STORMGLASS_REPLAY_RECORD_RECORD_BEGIN_H
#define STORMGLASS_REPLAY_RECORD_RECORD_BEGIN_H

#include "replay/files/output.h"
#include "replay/record/record.h"
#include "replay/record/record_fabric.h"

/* Creates the database and writes the scenario, its files, settings and fabric, committed.
 * `fabric`, of the scenario, outlives the database. */
struct store *record_begin(const struct record_options *options, const struct record_fabric *fabric,
                           char error[STORE_ERROR_BYTES]);

/* False, and a sentence: the name of a database is none to be written (NULL: there is none), or it
 * would destroy a file of the scenario. */
bool record_begin_may(const char *path, const struct scenario *scenario,
                      char why[OUTPUT_WHY_BYTES]);

#endif
