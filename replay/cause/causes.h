/* SPDX-License-Identifier: Apache-2.0
 * causes - the table of cause kinds. */
#ifndef STORMGLASS_REPLAY_CAUSE_CAUSES_H
#define STORMGLASS_REPLAY_CAUSE_CAUSES_H

#include "replay/harm/cause.h"

extern const struct cause_kind *const cause_kinds[]; /* NULL-terminated; generated from cause.def */

#define CAUSE(stem) extern const struct cause_kind cause_##stem;
#include "replay/cause/cause.def"
#undef CAUSE

#endif
