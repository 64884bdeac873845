/* SPDX-License-Identifier: Apache-2.0
 * grow - expected growth in a plan: load, capacity, and bytes written.
 *   grow:
 *     years: 3
 *     load:
 *       - {path: workloads.oltp.rate, each-year: 25%, uncertainty: 10%}
 *     capacity: {needed: 100TB, each-year: 30%, uncertainty: 10%, usable: 75%,
 *                written-each-day: 5TB, write-amplification: 2}
 * In year y, a value is its present value times (1 + each-year)^y (1 + uncertainty), rounded up:
 * its upper estimate. Capacity and endurance are those of the drives in the prices.
 * Integers only; rounding is to the candidate's disadvantage. Limits: GROW_YEARS_MAX,
 * GROW_LOADS_MAX. */
#ifndef STORMGLASS_SCENARIOS_VARY_GROW_H
#define STORMGLASS_SCENARIOS_VARY_GROW_H

#include "scenarios/vary/prices.h"

enum { GROW_YEARS_MAX = 10, GROW_LOADS_MAX = 8, GROW_WHY_BYTES = 240 };

struct grow_rate {
    int64_t each_year, uncertainty; /* ppm */
};

struct grow_load {
    const struct tree_node *path; /* path of a numeric setting of the scenario */
    struct grow_rate rate;
};

struct grow_capacity {
    int64_t needed; /* bytes, at present */
    struct grow_rate rate;
    int64_t usable;        /* ppm of the drives' capacity, after spares, parity and free space */
    int64_t written;       /* bytes per day, at present; grows like the load */
    int64_t amplification; /* thousandths: bytes that drives write per byte written */
};

struct grow {
    int64_t years; /* 0: no growth */
    struct grow_load loads[GROW_LOADS_MAX];
    uint32_t load_count;
    const struct tree_node *capacity_written; /* NULL: no `capacity` */
    struct grow_capacity capacity;
};

/* False, with messages, on errors. */
bool grow_read(struct arena *arena, const struct tree_node *map, struct grow *grow,
               struct diag *diag);

/* "path=value" of every load in that year, in the order of `loads`, based on the scenario's values.
 * False, with a message, if the scenario has no such number or the result exceeds its maximum. */
bool grow_sets(const struct grow *grow, const struct scenario *scenario, int64_t year,
               struct arena *arena, const char *sets[GROW_LOADS_MAX], struct diag *diag);

/* True if the drives of a bill are too small or worn out in the last year; `why` has the reason. */
bool grow_refuses(const struct grow *grow, const struct prices *prices,
                  const struct prices_bill *bill, char why[GROW_WHY_BYTES]);

/* Value after so many years; INT64_MAX: overflow. */
int64_t grow_after(int64_t value, const struct grow_rate *rate, int64_t years);

#endif
