/* SPDX-License-Identifier: Apache-2.0
 * act - what the value of a parameter does to those behind it (act.def). */
#ifndef STORMGLASS_REPLAY_HARM_ACT_H
#define STORMGLASS_REPLAY_HARM_ACT_H

#include "base/opt.h"

enum act_by { ACT_NOTHING, ACT_DELAY, ACT_COST, ACT_RATE, ACT_SERVICE, ACT_TRACE };

/* ACT_NOTHING: a row that act.def does not have, or NULL. */
enum act_by act_of(const struct opt *row);

/* A value that may do harm where others have the common one. */
bool act_is_worse(const struct opt *row, int64_t value, int64_t common);

/* What the hardware can do, where 0 stands for all: that it can do less than all is no fault. */
bool act_is_limit(const struct opt *row);

/* The rows of act.def, one list after the other; NULL ends them. */
const char *act_rows(size_t index);

#endif
