/* SPDX-License-Identifier: Apache-2.0
 * paint - color on terminals.
 * Color only emphasizes; it never carries information alone. NO_COLOR (no-color.org) is honored
 * unless --color is "always". */
#ifndef STORMGLASS_REPORTS_TEXT_PAINT_H
#define STORMGLASS_REPORTS_TEXT_PAINT_H

#include <stdbool.h>
#include <stdio.h>

struct paint {
    const char *bold, *dim, *good, *bad, *off; /* escape sequences, or all empty */
};

enum paint_mode { PAINT_AUTO, PAINT_ALWAYS, PAINT_NEVER, PAINT_MODES };

/* For the whole process; PAINT_AUTO before the first call. */
void paint_set(enum paint_mode mode);

/* Resolves PAINT_AUTO by `out` now, for output that reaches it later through a file. */
void paint_settle(FILE *out);

/* For output to `out`; with PAINT_AUTO, no color unless `out` is a terminal. */
struct paint paint_for(FILE *out);

#endif
