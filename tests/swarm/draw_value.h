/* SPDX-License-Identifier: Apache-2.0
 * draw_value - values for rows: mostly near the default, now and then at a bound.
 * A few rows have a narrower range here, so that a scenario stays small enough to be played by the
 * thousand; they are named once, in the table of draw_value.c. */
#ifndef STORMGLASS_TESTS_SWARM_DRAW_VALUE_H
#define STORMGLASS_TESTS_SWARM_DRAW_VALUE_H

#include "base/opt.h"
#include "base/rng.h"

enum { DRAW_VALUE_BYTES = 96, DRAW_ROWS = 1024 };

struct draw_row {
    char where[80]; /* as parameters_each names the table */
    const struct opt *row;
};

struct draw_rows {
    struct draw_row list[DRAW_ROWS];
    unsigned count;
};

/* Every row of the program. */
const struct draw_rows *draw_rows(void);

void draw_value(struct rng *rng, const char *where, const struct opt *row,
                char text[DRAW_VALUE_BYTES]);

/* CHECKs that the narrower ranges are of rows that exist, and can be read. */
void draw_value_audit(void);

static inline unsigned draw_between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

#endif
