/* SPDX-License-Identifier: Apache-2.0
 * paint - colour on a terminal that wants it.
 * Colour is for emphasis only: nothing is said by colour alone. NO_COLOR (no-color.org) is
 * honoured. */
#ifndef STORMGLASS_REPORTS_TEXT_PAINT_H
#define STORMGLASS_REPORTS_TEXT_PAINT_H

#include <stdbool.h>
#include <stdio.h>

struct paint {
    const char *bold, *dim, *good, *bad, *off; /* escape sequences, or all empty */
};

/* For output to `out`; colourless unless that is a terminal. */
struct paint paint_for(FILE *out);

#endif
