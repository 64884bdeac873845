/* SPDX-License-Identifier: Apache-2.0
 * record_begin - rows before the first event. */
#ifndef STORMGLASS_REPLAY_RECORD_BEGIN_H
#define STORMGLASS_REPLAY_RECORD_BEGIN_H

#include "replay/record.h"

/* Creates the database and writes the scenario, its files, settings and fabric, committed. */
struct store *record_begin(const struct record_options *options, const struct scenario *scenario,
                           char error[STORE_ERROR_BYTES]);

#endif
