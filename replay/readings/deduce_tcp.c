/* SPDX-License-Identifier: Apache-2.0
 * deduce_tcp - costs of NVMe over TCP from I/Os of fio on a namespace without a drive.
 * One I/O passes interrupts, wake-ups, batches, segments and copies at both ends, so no reading
 * shows one cost alone. All costs are therefore fitted at once (least squares of the relative
 * errors), and the base pulls costs that the readings leave open. A reading that contradicts the
 * others loses its weight; otherwise, it would distort all costs. Costs that always occur together
 * have one factor and keep the base's proportion. About a quarter of the readings is held out: the
 * fit does not use them, and their errors show what the profile is worth. */
#include "base/memory.h"
#include "replay/calibrate/least_squares.h"
#include "replay/readings/deduce_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cost is known if its uncertainty is below this share of it. */
static const double known_to = 0.25;
/* If the base's mean relative error is above this, the search may start from other places. */
static const double far_off = 0.1;
/* These are up to this factor from the base. */
static const double widest = 2.5;
/* The search ends if the mean relative error is below this. */
static const double near_enough = 0.003;
/* A search that passes by single readings has succeeded if the others deviate by less. */
static const double most_fit = 0.005;
/* Errors jump where the rhythm of batches and interrupts changes. Differences over a large step
 * pass over small jumps; with a small step, the search then finds the minimum. */
static const double steps[] = {0.08, 0.02};
/* Errors beyond this count less than their squares in the search. */
static const double bend = 0.01;
/* A reading with less than this trust has less than a quarter of its weight. */
static const double halved = 0.5;
/* The fit is repeated if a trust has changed by more than this. */
static const double settled = 0.1;
/* For the uncertainties. */
static const double step = 0.05;
/* Readings whose error after the fit is above this are reported, if they contradict the others. */
static const double notable = 0.05;
/* Factors are between this and its inverse. */
static const double lowest = 0.02;

enum { TOGETHER_MAX = 3 };

/* DEDUCE_COUNT: no further cost. */
static const struct costs {
    enum deduce_parameter of[TOGETHER_MAX];
} costs[] = {
    {{DEDUCE_SUBMIT_COST, DEDUCE_COMPLETE_COST, DEDUCE_COUNT}},
    {{DEDUCE_COMMAND_COST, DEDUCE_COUNT}},
    {{DEDUCE_TCP_INTERRUPT_DELAY, DEDUCE_COUNT}},
    {{DEDUCE_TCP_INTERRUPT_COST, DEDUCE_TCP_WAKEUP_COST, DEDUCE_COUNT}},
    {{DEDUCE_TCP_RX_BATCH_COST, DEDUCE_TCP_RX_SEGMENT_COST, DEDUCE_TCP_TX_BATCH_COST}},
    {{DEDUCE_TCP_COPY_COST, DEDUCE_COUNT}},
    {{DEDUCE_TCP_COLD_COPY_COST, DEDUCE_COUNT}},
};

enum { COSTS = sizeof costs / sizeof costs[0] };

enum {
    FITTED_MAX = 24,
    EQUATIONS_MAX = FITTED_MAX + COSTS,
    ROUNDS = 2,
    STARTS = 3,
    SAMPLE = 64,
    HELD_OF_1000 = 250,
    GOLDEN_OF_1000 = 618 /* multiples are spread evenly and follow no row or column of a grid */
};

/* Unknowns are factors of the base's costs. */
struct search {
    struct deduced *deduced;
    const struct reading *fitted[FITTED_MAX];
    double errors[FITTED_MAX], trust[FITTED_MAX];
    const struct costs *of[COSTS]; /* by unknown */
    double lower[COSTS], upper[COSTS], x[COSTS], base[COSTS];
    double jacobian[COSTS * EQUATIONS_MAX];
    double pull; /* weight of the base: the noise of one reading */
    bool bends;  /* large errors count less than their squares */
    uint32_t count;
    struct least_squares problem;
};

static double measured(const struct reading *reading)
{
    return deduce_is_rate(reading) ? reading->rate.value : reading->latency.value;
}

static void put_values(const struct search *search, const double *x)
{
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        for (int k = 0; k < TOGETHER_MAX && search->of[i]->of[k] != DEDUCE_COUNT; k++) {
            struct deduced_parameter *parameter =
                &search->deduced->parameters[search->of[i]->of[k]];
            parameter->value = deduce_bounded(parameter->row, x[i] * (double)parameter->base);
        }
}

/* Beyond `bend`, the square of the result grows linearly with the error. The sum is then almost the
 * sum of absolute errors, and a few readings that contradict the others hardly move its minimum. */
static double bent(double error)
{
    const double ratio = error / bend;
    return copysign(bend * sqrt(2 * (sqrt(1 + ratio * ratio) - 1)), error);
}

static bool residuals(void *self, const double *x, double *out)
{
    struct search *search = self;
    put_values(search, x);
    for (uint32_t i = 0; i < search->count; i++) {
        const double modelled = deduce_play(search->deduced, search->fitted[i]);
        if (modelled <= 0)
            return false;
        search->errors[i] = modelled / measured(search->fitted[i]) - 1;
        out[i] = search->trust[i] * (search->bends ? bent(search->errors[i]) : search->errors[i]);
    }
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        out[search->count + i] = search->pull * log((x[i] + lowest) / (1 + lowest));
    return true;
}

/* ------------------------------------------------------------------ readings and unknowns */

static bool is_usable(const struct deduced *deduced, const struct reading *reading)
{
    return reading->kind == READING_IO && deduce_can_play(deduced, reading) &&
           measured(reading) > 0;
}

/* Latencies and rates determine different costs: the first of each kind is always fitted. */
static void choose_readings(struct search *search)
{
    struct deduced *deduced = search->deduced;
    const struct readings *readings = deduced->readings;
    bool seen[2] = {false, false};
    uint32_t usable = 0;
    deduced->held_out = arena_take(&deduced->arena, readings->count * sizeof *deduced->held_out);
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        deduced->held_out[i] = false;
        if (!is_usable(deduced, reading))
            continue;
        const bool held =
            seen[deduce_is_rate(reading)] && ++usable * GOLDEN_OF_1000 % 1000 < HELD_OF_1000;
        seen[deduce_is_rate(reading)] = true;
        deduced->held_out[i] = held || search->count == FITTED_MAX;
        if (deduced->held_out[i])
            continue;
        search->trust[search->count] = 1;
        search->fitted[search->count++] = reading;
    }
}

static void add_unknown(struct search *search, const struct costs *of)
{
    const uint32_t i = search->problem.unknowns++;
    search->of[i] = of;
    search->lower[i] = lowest;
    search->upper[i] = 1 / lowest;
    search->x[i] = search->base[i] = 1;
}

/* Removes unknowns that change no reading: each costs two runs of all readings per step. */
static bool drop_idle(struct search *search)
{
    const uint32_t count = search->problem.unknowns;
    const struct costs *acting[COSTS];
    uint32_t kept = 0;
    search->pull = 0;
    search->problem.equations = search->count + count;
    if (!least_squares_jacobian(&search->problem, search->x, search->jacobian))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint32_t e = 0; e < search->count; e++)
            sum += fabs(search->jacobian[i * search->problem.equations + e]);
        if (sum > 0)
            acting[kept++] = search->of[i];
    }
    put_values(search, search->base);
    search->problem.unknowns = 0;
    for (uint32_t i = 0; i < kept; i++)
        add_unknown(search, acting[i]);
    search->problem.equations = search->count + kept;
    return kept > 0;
}

/* ------------------------------------------------------------------ search */

/* From the errors of the latest run. */
static double noise_of(const struct search *search)
{
    double off[FITTED_MAX];
    for (uint32_t i = 0; i < search->count; i++)
        off[i] = fabs(search->errors[i]);
    return least_squares_deviation(off, search->count);
}

/* With few readings more than their errors after the fit. */
static double noise_per_reading(const struct search *search, double noise)
{
    const double count = search->count, free = count - search->problem.unknowns;
    return noise * sqrt(count / fmax(1, free));
}

/* False: nothing has changed. */
static bool trust_readings(struct search *search)
{
    const double noise = fmax(least_squares_trusted, noise_of(search));
    const double each = noise_per_reading(search, noise);
    bool changed = noise > search->pull;
    search->pull = noise;
    for (uint32_t i = 0; i < search->count; i++) {
        const double trust = least_squares_trust(search->errors[i], each);
        changed = changed || fabs(trust - search->trust[i]) > settled;
        search->trust[i] = trust;
    }
    return changed;
}

static bool solve(struct search *search)
{
    bool fine = true;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && fine; i++) {
        search->problem.step = steps[i];
        fine = least_squares_solve(&search->problem, search->x);
    }
    search->problem.step = step;
    return fine;
}

/* The least cost first. */
struct starts {
    uint32_t most, count;
    double costs[STARTS], at[STARTS][COSTS];
};

static void offer_start(const struct search *search, struct starts *starts, const double *x)
{
    const double cost = least_squares_cost(&search->problem, x);
    uint32_t i = starts->count < starts->most ? starts->count++ : starts->most;
    for (; i > 0 && cost < starts->costs[i - 1]; i--) {
        if (i == starts->most)
            continue;
        starts->costs[i] = starts->costs[i - 1];
        memcpy(starts->at[i], starts->at[i - 1], sizeof starts->at[i]);
    }
    if (i == starts->most)
        return;
    starts->costs[i] = cost;
    memcpy(starts->at[i], x, sizeof starts->at[i]);
}

/* The digits of `index`, mirrored at the point: Halton's sequences fill (0, 1) evenly. */
static double mirrored(uint32_t index, uint32_t base)
{
    double value = 0, digit = 1;
    for (; index > 0; index /= base) {
        digit /= base;
        value += digit * (index % base);
    }
    return value;
}

/* The bottleneck may move between host and target during the search, so there are several minima.
 * If the base is far off, the search starts from the best of the base and a sample around it. */
static void choose_starts(const struct search *search, struct starts *starts)
{
    static const uint32_t primes[COSTS] = {2, 3, 5, 7, 11, 13, 17};
    const double far = far_off * far_off * search->count;
    double x[COSTS] = {0};
    *starts = (struct starts){.most = STARTS};
    offer_start(search, starts, search->base);
    if (starts->costs[0] <= far)
        return;
    for (uint32_t n = 1; n <= SAMPLE; n++) {
        for (uint32_t i = 0; i < search->problem.unknowns; i++)
            x[i] = pow(widest, 2 * mirrored(n, primes[i]) - 1);
        offer_start(search, starts, x);
    }
}

static double worst_error(const struct search *search)
{
    double worst = 0;
    for (uint32_t i = 0; i < search->count; i++)
        worst = fmax(worst, fabs(search->errors[i]));
    return worst;
}

/* A reading that contradicts the others draws all costs to it. Searches again, passing by it; false
 * if the others do not fit well then, either. */
static bool pass_outliers(struct search *search, const double *start)
{
    double found[COSTS];
    memcpy(found, search->x, sizeof found);
    memcpy(search->x, start, sizeof found);
    search->bends = true;
    const bool fine = solve(search) && isfinite(least_squares_cost(&search->problem, search->x)) &&
                      noise_of(search) <= most_fit;
    search->bends = false;
    if (!fine)
        memcpy(search->x, found, sizeof found);
    return fine;
}

/* Returns the lowest cost, or INFINITY if no search succeeded. */
static double search_from(struct search *search, const struct starts *starts)
{
    const double enough = near_enough * near_enough * search->count;
    double best[COSTS], least = INFINITY;
    for (uint32_t i = 0; i < starts->count && least > enough; i++) {
        memcpy(search->x, starts->at[i], sizeof starts->at[i]);
        const double cost =
            solve(search) ? least_squares_cost(&search->problem, search->x) : INFINITY;
        if (isfinite(cost) && i == 0 && worst_error(search) > notable &&
            pass_outliers(search, starts->at[0]))
            return cost;
        if (cost < least)
            memcpy(best, search->x, sizeof best);
        least = fmin(least, cost);
    }
    if (isfinite(least))
        memcpy(search->x, best, sizeof best);
    return least;
}

static bool search_all(struct search *search)
{
    struct starts starts;
    search->pull = least_squares_trusted;
    choose_starts(search, &starts);
    double least = search_from(search, &starts);
    for (int i = 0; i < ROUNDS && isfinite(least); i++) {
        least = least_squares_cost(&search->problem, search->x);
        if (!trust_readings(search))
            break;
        least = solve(search) ? least_squares_cost(&search->problem, search->x) : INFINITY;
    }
    return isfinite(least);
}

/* ------------------------------------------------------------------ what is determined */

static void report_cost(struct search *search, enum deduce_parameter which, bool shared,
                        struct deduce_word word)
{
    struct deduced_parameter *parameter = &search->deduced->parameters[which];
    word.value *= (double)parameter->base;
    word.spread *= (double)parameter->base;
    if (word.spread <= known_to * word.value) {
        deduce_know(search->deduced, which, word);
        if (shared)
            parameter->evidence = "inferred";
        return;
    }
    parameter->value = deduce_bounded(parameter->row, word.value);
    parameter->evidence = "inferred";
    parameter->how = "the readings determine only its sum with other costs; of all values that "
                     "fit, the closest to the base profile";
}

static void report_one(struct search *search, uint32_t unknown)
{
    double part[EQUATIONS_MAX];
    const struct costs *of = search->of[unknown];
    const double alone = least_squares_alone(&search->problem, search->jacobian, unknown, part);
    const bool shared = of->of[1] != DEDUCE_COUNT;
    uint32_t most = 0;
    for (uint32_t i = 1; i < search->count; i++)
        most = fabs(part[i]) > fabs(part[most]) ? i : most;
    const struct deduce_word word = {
        search->fitted[most], search->x[unknown],
        alone > 0 ? noise_per_reading(search, search->pull) / alone : INFINITY,
        shared ? "fitted with all other costs, in the base profile's proportion; this reading "
                 "weighs most"
               : "fitted with all other costs; this reading weighs most"};
    for (int k = 0; k < TOGETHER_MAX && of->of[k] != DEDUCE_COUNT; k++)
        report_cost(search, of->of[k], shared, word);
}

/* Time of an I/O in us. */
static double duration(const struct reading *reading, double figure)
{
    const double outstanding = (double)(reading->work.depth * reading->work.qps);
    return (deduce_is_rate(reading) ? outstanding * PS_PER_S / figure : figure) / PS_PER_US;
}

static void report_contradictions(struct search *search)
{
    if (!isfinite(least_squares_cost(&search->problem, search->x))) /* the errors at x */
        return;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct reading *reading = search->fitted[i];
        if (search->trust[i] > halved || fabs(search->errors[i]) < notable)
            continue;
        const double here = duration(reading, measured(reading));
        const double there = duration(reading, measured(reading) * (1 + search->errors[i]));
        deduce_conflict(search->deduced, reading, NULL,
                        "an I/O takes %.1f us, but according to the other results %.1f us: this "
                        "result has little weight in the fit; measure it again",
                        here, there);
    }
}

static bool report_all(struct search *search)
{
    if (!least_squares_jacobian(&search->problem, search->x, search->jacobian))
        return false;
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        report_one(search, i);
    report_contradictions(search);
    return true;
}

void deduce_tcp(struct deduced *deduced)
{
    struct search *search = memory_zeroed(1, sizeof *search);
    search->deduced = deduced;
    search->problem = (struct least_squares){
        .lower = search->lower,
        .upper = search->upper,
        .residuals = residuals,
        .self = search,
        .step = step,
    };
    choose_readings(search);
    for (int i = 0; i < COSTS; i++)
        add_unknown(search, &costs[i]);
    if (search->count == 0 || !drop_idle(search) || !search_all(search) || !report_all(search))
        put_values(search, search->base);
    free(search);
}
