/* SPDX-License-Identifier: Apache-2.0
 * causes - the table of cause kinds. */
#include "replay/cause/causes.h"

const struct cause_kind *const cause_kinds[] = {
#define CAUSE(stem) &cause_##stem,
#include "replay/cause/cause.def"
#undef CAUSE
    NULL};
