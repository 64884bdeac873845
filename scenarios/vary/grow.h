/* SPDX-License-Identifier: Apache-2.0
 * grow - what a plan expects of the years to come: more load, more capacity, more that is written.
 *   grow:
 *     years: 3
 *     load:
 *       - {path: workloads.oltp.rate, each-year: 25%, uncertainty: 10%}
 *     capacity: {needed: 100TB, each-year: 30%, uncertainty: 10%, usable: 75%,
 *                written-each-day: 5TB, write-amplification: 2}
 * In year y a value is what it is now times (1 + each-year)^y (1 + uncertainty), rounded up: its
 * upper estimate.  Capacity and endurance are those of the drives in the prices.
 * Integers only; rounding is against the candidate.  Limits: GROW_YEARS_MAX, GROW_LOADS_MAX. */
#ifndef STORMGLASS_SCENARIOS_VARY_GROW_H
#define STORMGLASS_SCENARIOS_VARY_GROW_H

#include "scenarios/vary/prices.h"

enum { GROW_YEARS_MAX = 10, GROW_LOADS_MAX = 8, GROW_WHY_BYTES = 240 };

struct grow_rate {
    int64_t each_year, uncertainty; /* ppm */
};

struct grow_load {
    const struct tree_node *path; /* of a setting of the scenario that is a number */
    struct grow_rate rate;
};

struct grow_capacity {
    int64_t needed; /* bytes, now */
    struct grow_rate rate;
    int64_t usable;        /* ppm of what drives hold: spares, parity, and never full */
    int64_t written;       /* bytes a day, now; grows as the load does */
    int64_t amplification; /* thousandths: bytes that drives write for each of them */
};

struct grow {
    int64_t years; /* 0: nothing grows */
    struct grow_load loads[GROW_LOADS_MAX];
    uint32_t load_count;
    const struct tree_node *capacity_written; /* NULL: nothing is said of it */
    struct grow_capacity capacity;
};

/* False, and messages. */
bool grow_read(struct arena *arena, const struct tree_node *map, struct grow *grow,
               struct diag *diag);

/* "path=value" of every load in that year, in the order of `loads`, from what the scenario has.
 * False, and a message: it has no such number, or it would be beyond its maximum. */
bool grow_sets(const struct grow *grow, const struct scenario *scenario, int64_t year,
               struct arena *arena, const char *sets[GROW_LOADS_MAX], struct diag *diag);

/* Whether the drives of a bill are too small, or would be worn out, in the last year; and why. */
bool grow_refuses(const struct grow *grow, const struct prices *prices,
                  const struct prices_bill *bill, char why[GROW_WHY_BYTES]);

/* After so many years; INT64_MAX: more than can be told. */
int64_t grow_after(int64_t value, const struct grow_rate *rate, int64_t years);

#endif
