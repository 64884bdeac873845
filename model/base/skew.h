/* SPDX-License-Identifier: Apache-2.0
 * skew - fio's zipf, pareto and normal distributions of random offsets.
 * A draw is an index in [0, places). fio's hash spreads neighboring ranks over the places, so that
 * the hot ones are not adjacent.
 * Source: fio 3.36, lib/zipf.c, lib/gauss.c, hash.h. The formulas are fio's; the random stream and
 * the position of the hottest rank come from the scenario's seed. Fixed point: the same draws on
 * every machine. Units: parameters in millionths. Owner: the plan. Errors: none; skew_valid checks
 * parameters. */
#ifndef STORMGLASS_BASE_SKEW_H
#define STORMGLASS_BASE_SKEW_H

#include "base/rng.h"

#include <stdbool.h>

enum skew_kind { SKEW_NONE, SKEW_ZIPF, SKEW_PARETO, SKEW_NORMAL };

#define SKEW_NO_CENTER INT64_C(-1)

struct skew_params {
    enum skew_kind kind;
    int64_t value;  /* zipf: theta; pareto: h; normal: deviation in percent of the places */
    int64_t center; /* 0 to PPM: position of the hottest place in the region; or SKEW_NO_CENTER */
};

struct skew {
    enum skew_kind kind;
    uint64_t places, turn; /* turn: offset of every draw, modulo places */
    int64_t log2_places;   /* q32 */
    uint64_t zeta2, zetan; /* zipf, q32: zeta of two ranks, of all ranks */
    int64_t less_one;      /* zipf, q32: theta - 1 */
    uint64_t eta;          /* zipf, theta below 1: q60 */
    int64_t log2_eta;      /* zipf, theta above 1: log2(-eta), q32 */
    int64_t power;         /* pareto, q32: exponent */
    int64_t deviation;     /* normal: width of the uniform shift, in places */
};

/* Zipf: 0 < theta <= 10, not 1; pareto: 0 < h < 1; normal: 0 <= deviation < 100. */
bool skew_valid(const struct skew_params *params);

/* `turn`: position of the hottest place when the parameters have no center. */
void skew_init(struct skew *skew, const struct skew_params *params, int64_t places, uint64_t turn);

int64_t skew_draw(const struct skew *skew, struct rng *rng);

#endif
