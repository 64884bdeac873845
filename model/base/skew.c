/* SPDX-License-Identifier: Apache-2.0
 * skew - fio's zipf, pareto and normal distributions of random offsets. */
#include "base/skew.h"

#include "base/check.h"
#include "base/power.h"
#include "base/units.h"

enum {
    SUM_TERMS = 1000,          /* terms of zeta that are added one by one */
    ZIPF_RANKS_MAX = 10000000, /* lib/zipf.c, ZIPF_MAX_GEN */
    GAUSS_DRAWS = 12           /* lib/gauss.c, GAUSS_ITERS */
};

#define ONE_Q32 (INT64_C(1) << 32)
#define ONE_Q60 (UINT64_C(1) << 60)

/* ------------------------------------------------------------------ zeta */

/* x^-theta in 2^-60 steps. */
static uint64_t power_q60(uint64_t x, int64_t theta)
{
    return exp2_negative_q60((int64_t)((__int128)theta * (int64_t)log2_q32(x) >> 32));
}

/* x^(1 - theta) in 2^-40 steps. */
static uint64_t integral_q40(uint64_t x, int64_t less_one)
{
    const int64_t log = (int64_t)((__int128)less_one * (int64_t)log2_q32(x) >> 32);
    return log >= 0 ? exp2_negative_q60(log) >> 20 : exp2_whole(-log + 40 * ONE_Q32);
}

/* Sum of i^-theta for i from 1 to n, in 2^-32 steps: the first terms are added, the others follow
 * from the Euler-Maclaurin formula, whose next term is below 10^-9. */
static uint64_t compute_zeta(uint64_t n, int64_t theta)
{
    const uint64_t whole = n < SUM_TERMS ? n : SUM_TERMS;
    uint64_t sum = 0; /* q40 */
    for (uint64_t i = 1; i <= whole; i++)
        sum += power_q60(i, theta) >> 20;
    if (n <= SUM_TERMS)
        return sum >> 8;
    const int64_t less_one = theta - ONE_Q32;
    const int64_t from = (int64_t)integral_q40(SUM_TERMS, less_one);
    const int64_t to = (int64_t)integral_q40(n, less_one);
    const __int128 integral = (__int128)(from - to) * ONE_Q32 / less_one;
    const int64_t ends =
        ((int64_t)(power_q60(n, theta) >> 20) - (int64_t)(power_q60(SUM_TERMS, theta) >> 20)) / 2;
    return (sum + (uint64_t)(integral + ends)) >> 8;
}

/* ------------------------------------------------------------------ the distributions */

bool skew_valid(const struct skew_params *params)
{
    const int64_t value = params->value, center = params->center;
    if (center != SKEW_NO_CENTER && (center < 0 || center > PPM))
        return false;
    switch (params->kind) {
    case SKEW_ZIPF:
        return value > 0 && value <= 10 * PPM && value != PPM;
    case SKEW_PARETO:
        return value > 0 && value < PPM;
    case SKEW_NORMAL:
        return value >= 0 && value < 100 * PPM;
    default:
        return params->kind == SKEW_NONE;
    }
}

/* eta = (1 - (2/n)^(1 - theta)) / (1 - zeta2/zetan) */
static void init_zipf(struct skew *skew, int64_t theta)
{
    const uint64_t n = skew->places;
    const uint64_t ranks = n < ZIPF_RANKS_MAX ? n : (uint64_t)ZIPF_RANKS_MAX;
    skew->less_one = theta - ONE_Q32;
    skew->zeta2 = (uint64_t)ONE_Q32 + (exp2_negative_q60(theta) >> 28);
    skew->zetan = compute_zeta(ranks, theta);
    if (n < 3)
        return;
    const uint64_t rest = skew->zetan > skew->zeta2 ? skew->zetan - skew->zeta2 : 1;
    const int64_t log2_half = skew->log2_places - ONE_Q32;
    const int64_t log =
        (int64_t)((__int128)skew->less_one * log2_half >> 32); /* of (n/2)^(theta-1) */
    if (skew->less_one < 0) {
        const unsigned __int128 above = ONE_Q60 - exp2_negative_q60(-log);
        const unsigned __int128 eta = above * skew->zetan / rest;
        skew->eta = eta < ONE_Q60 ? (uint64_t)eta : ONE_Q60;
        return;
    }
    const int64_t log2_rest = (int64_t)log2_q32(skew->zetan) - (int64_t)log2_q32(rest);
    const uint64_t above = exp2_whole(log + 30 * ONE_Q32) - (UINT64_C(1) << 30);
    const bool large = log >= 30 * ONE_Q32; /* the 1 is negligible */
    const int64_t log2_above =
        large ? log : (int64_t)log2_q32(above > 0 ? above : 1) - 30 * ONE_Q32;
    skew->log2_eta = log2_above + log2_rest;
}

static void init_normal(struct skew *skew, int64_t percent)
{
    const int64_t most = (int64_t)(skew->places / 2), whole = 100 * (int64_t)PPM;
    const __int128 wanted =
        ((__int128)skew->places * percent + whole - 1) / whole; /* rounded up, as in fio */
    skew->deviation = wanted < most ? (int64_t)wanted : most;
}

static uint64_t turn_of(const struct skew_params *params, int64_t places, uint64_t turn)
{
    const bool normal = params->kind == SKEW_NORMAL;
    if (params->center == SKEW_NO_CENTER)
        return normal ? 0 : turn % (uint64_t)places;
    const int64_t center = normal ? params->center - PPM / 2 : params->center;
    const int64_t moved = (int64_t)((__int128)places * center / PPM) % places;
    return (uint64_t)(moved < 0 ? moved + places : moved);
}

/* log(h) / log(1 - h) */
static int64_t pareto_power(int64_t h)
{
    const int64_t one = (int64_t)log2_q32(PPM);
    const int64_t log_h = (int64_t)log2_q32((uint64_t)h) - one;
    const int64_t log_rest = (int64_t)log2_q32((uint64_t)(PPM - h)) - one;
    return (int64_t)((__int128)log_h * ONE_Q32 / log_rest);
}

void skew_init(struct skew *skew, const struct skew_params *params, int64_t places, uint64_t turn)
{
    CHECK(places > 0 && skew_valid(params));
    *skew = (struct skew){.kind = params->kind, .places = (uint64_t)places};
    skew->turn = turn_of(params, places, turn);
    skew->log2_places = (int64_t)log2_q32((uint64_t)places);
    if (params->kind == SKEW_ZIPF)
        init_zipf(skew, (int64_t)((__int128)params->value * ONE_Q32 / PPM));
    else if (params->kind == SKEW_PARETO)
        skew->power = pareto_power(params->value);
    else if (params->kind == SKEW_NORMAL)
        init_normal(skew, params->value);
}

/* The rank 2^log2 (q32), clamped to the existing ranks. */
static uint64_t clamp_rank(const struct skew *skew, __int128 log2)
{
    if (log2 >= skew->log2_places)
        return skew->places - 1;
    const uint64_t rank = log2 < 0 ? 0 : exp2_whole((int64_t)log2);
    return rank < skew->places ? rank : skew->places - 1;
}

/* log2(1 - eta * w), q32, for w = rest / 2^64. */
static int64_t log2_base(const struct skew *skew, uint64_t rest)
{
    if (skew->less_one < 0) {
        const uint64_t part = (uint64_t)((unsigned __int128)skew->eta * rest >> 64);
        const uint64_t base = ONE_Q60 - part;
        return base == 0 ? -64 * ONE_Q32 : (int64_t)log2_q32(base) - 60 * ONE_Q32;
    }
    const int64_t log2_part = skew->log2_eta + (int64_t)log2_q32(rest | 1) - 64 * ONE_Q32;
    if (log2_part >= 30 * ONE_Q32)
        return log2_part;
    const uint64_t base = (UINT64_C(1) << 32) + exp2_whole(log2_part + 32 * ONE_Q32);
    return (int64_t)log2_q32(base) - 32 * ONE_Q32;
}

/* val = 1 + n * (eta * u - eta + 1)^(1 / (1 - theta)), less 1 */
static uint64_t draw_zipf(const struct skew *skew, struct rng *rng)
{
    const uint64_t share = rng_next(rng); /* in 2^-64 */
    const uint64_t z = (uint64_t)((unsigned __int128)share * skew->zetan >> 64);
    if (z < (uint64_t)ONE_Q32 || skew->places == 1)
        return 0;
    if (z < skew->zeta2 || skew->places == 2)
        return 1;
    const __int128 log = (__int128)log2_base(skew, UINT64_MAX - share) * ONE_Q32 / skew->less_one;
    return clamp_rank(skew, skew->log2_places - log);
}

/* (n - 1) * u^power */
static uint64_t draw_pareto(const struct skew *skew, struct rng *rng)
{
    const int64_t log2_share = (int64_t)log2_q32(rng_next(rng) | 1) - 64 * ONE_Q32;
    return clamp_rank(skew, skew->log2_places + ((__int128)log2_share * skew->power >> 32));
}

/* The mean of twelve draws, shifted by a uniform one within the deviation. */
static uint64_t draw_normal(const struct skew *skew, struct rng *rng)
{
    uint64_t sum = GAUSS_DRAWS - 1;
    for (int i = 0; i < GAUSS_DRAWS; i++)
        sum += rng_below(rng, skew->places + 1);
    const int64_t places = (int64_t)skew->places, mean = (int64_t)(sum / GAUSS_DRAWS);
    if (skew->deviation == 0)
        return (uint64_t)mean;
    int64_t moved = (int64_t)rng_below(rng, (uint64_t)skew->deviation) - skew->deviation / 2;
    while (moved != 0 && (mean + moved >= places || mean + moved < 0))
        moved /= 2;
    return (uint64_t)(mean + moved);
}

int64_t skew_draw(const struct skew *skew, struct rng *rng)
{
    const uint64_t golden = UINT64_C(0x61C8864680B583EB); /* fio's hash.h, GOLDEN_RATIO_64 */
    uint64_t rank = 0;
    if (skew->kind == SKEW_ZIPF)
        rank = draw_zipf(skew, rng);
    else if (skew->kind == SKEW_PARETO)
        rank = draw_pareto(skew, rng);
    else
        rank = draw_normal(skew, rng);
    return (int64_t)((rank * golden + skew->turn) % skew->places);
}
