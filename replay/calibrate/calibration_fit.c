/* SPDX-License-Identifier: Apache-2.0
 * calibration_fit - the search for the best values. */
#include "base/memory.h"
#include "replay/calibrate/calibration.h"

#include "replay/calibrate/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value is known if its uncertainty is below this share of the value (or of its scale). */
static const double known_to = 0.5;
/* Minimum share of the information on a value for a benchmark to be named. */
static const double named_from = 0.15;
/* If the base's mean relative error is below this, the search starts only from the base. */
static const double near_enough = 0.2;
static const double step = 0.02;

enum { ROUNDS = 4, EQUATIONS_MAX = CALIBRATION_FIGURES_MAX + CALIBRATION_PARAMETERS_MAX };

/* Unknowns are values in units of their scales. Equations: one per figure, then the pull to the
 * base. */
struct search {
    struct calibration *calibration;
    struct diag *diag;
    double pull;                             /* weight of the base: noise of one figure */
    uint32_t of[CALIBRATION_PARAMETERS_MAX]; /* by unknown: the index of its value */
    double lower[CALIBRATION_PARAMETERS_MAX], upper[CALIBRATION_PARAMETERS_MAX];
    double x[CALIBRATION_PARAMETERS_MAX], base[CALIBRATION_PARAMETERS_MAX];
    double apart[CALIBRATION_PARAMETERS_MAX]; /* distance to an equally good minimum */
    double jacobian[CALIBRATION_PARAMETERS_MAX * EQUATIONS_MAX];
    struct least_squares problem;
};

/* Whether `value` is taken to be equal to `of`. */
static bool is_like(const struct calibration_value *of, const struct calibration_value *value)
{
    return value->like != NULL && strcmp(value->like, of->path) == 0;
}

static void put_values(const struct search *search, const double *x)
{
    struct calibration *calibration = search->calibration;
    for (uint32_t i = 0; i < search->problem.unknowns; i++) {
        struct calibration_value *value = &calibration->values[search->of[i]];
        value->value = llround(x[i] * value->scale);
        for (uint32_t v = 0; v < calibration->value_count; v++)
            if (is_like(value, &calibration->values[v]))
                calibration->values[v].value = value->value;
    }
}

static double error_of(const struct calibration_figure *figure)
{
    return (double)figure->modelled / (double)figure->measured - 1;
}

static bool residuals(void *self, const double *x, double *out)
{
    struct search *search = self;
    const struct calibration *calibration = search->calibration;
    put_values(search, x);
    if (!calibration_model(search->calibration, search->diag))
        return false;
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        out[i] = figure->weight * figure->trust * error_of(figure);
    }
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        out[calibration->shown_count + i] = search->pull * log((x[i] + 1) / (search->base[i] + 1));
    return true;
}

/* ------------------------------------------------------------------ noise */

/* The larger of a figure's error after the fit and its variation between repeats. Medians keep
 * outliers from deciding it. */
static double noise_of(const struct calibration *calibration)
{
    double off[CALIBRATION_FIGURES_MAX], spread[CALIBRATION_FIGURES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        if (figure->weight <= 0)
            continue;
        off[count] = figure->weight * fabs(error_of(figure));
        spread[count++] = figure->weight * figure->spread;
    }
    return fmax(least_squares_deviation(off, count), least_squares_median(spread, count));
}

static void trust_figures(struct calibration *calibration)
{
    const double noise = fmax(calibration->noise, least_squares_trusted);
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        struct calibration_figure *figure = &calibration->shown[i];
        figure->trust = least_squares_trust(figure->weight * error_of(figure), noise);
    }
}

/* ------------------------------------------------------------------ search */

/* The bottleneck of a deep queue may move from one end to the other during the search, so there are
 * several minima. The search therefore starts from the base, from all values fast, from all values
 * slow, and from every second value fast. If two minima fit almost equally well, the data cannot
 * decide between them, and the spread covers both. */
static const struct {
    double even, odd; /* in units of the values' scales */
} starts[] = {{0, 0}, {0.3, 0.3}, {30, 30}, {0.3, 10}, {10, 0.3}};
enum { STARTS = sizeof starts / sizeof starts[0] };
static const double as_good = 2;

static void note_apart(struct search *search, double (*minima)[CALIBRATION_PARAMETERS_MAX],
                       const double *costs, int count, int best)
{
    const double enough = as_good * costs[best] +
                          search->problem.equations * least_squares_trusted * least_squares_trusted;
    for (int i = 0; i < count; i++)
        for (uint32_t u = 0; u < search->problem.unknowns && costs[i] <= enough; u++)
            search->apart[u] = fmax(search->apart[u], fabs(minima[i][u] - minima[best][u]));
}

static bool search_widely(struct search *search)
{
    double minima[STARTS][CALIBRATION_PARAMETERS_MAX], costs[STARTS];
    const double far = near_enough * near_enough * search->calibration->shown_count;
    const int count = least_squares_cost(&search->problem, search->x) < far ? 1 : STARTS;
    int best = 0;
    /* A base with a large error is a poor guide, so its pull is weak at first. */
    search->pull = count == 1 ? least_squares_trusted : least_squares_trusted / 100;
    for (int i = 0; i < count; i++) {
        memcpy(minima[i], search->x, sizeof minima[i]);
        for (uint32_t u = 0; u < search->problem.unknowns && i > 0; u++)
            minima[i][u] = fmin(u % 2 == 0 ? starts[i].even : starts[i].odd, search->upper[u]);
        const bool fine = least_squares_solve(&search->problem, minima[i]);
        costs[i] = fine ? least_squares_cost(&search->problem, minima[i]) : INFINITY;
        best = costs[i] < costs[best] ? i : best;
    }
    note_apart(search, minima, costs, count, best);
    memcpy(search->x, minima[best], sizeof minima[best]);
    return isfinite(costs[best]);
}

/* Alternates: the noise follows from the fit, the pull of the base and the weights from the
 * noise. */
static bool settle_search(struct search *search)
{
    bool fine = search_widely(search);
    for (int round = 0; round < ROUNDS && fine; round++) {
        fine = least_squares_cost(&search->problem, search->x) <
               INFINITY; /* recompute the figures at x */
        search->calibration->noise = search->pull = noise_of(search->calibration);
        trust_figures(search->calibration);
        fine = fine && least_squares_solve(&search->problem, search->x);
    }
    return fine && least_squares_cost(&search->problem, search->x) < INFINITY;
}

/* ------------------------------------------------------------------ what is determined */

/* The spread of a value in units of its scale, and the benchmarks that determined it. */
static double spread_of(const struct search *search, uint32_t unknown, double noise,
                        uint32_t *benchmarks)
{
    const struct calibration *calibration = search->calibration;
    double part[EQUATIONS_MAX], share[BENCHMARK_COUNT] = {0};
    const double alone = least_squares_alone(&search->problem, search->jacobian, unknown, part);
    *benchmarks = 0;
    if (alone <= 0)
        return INFINITY;
    uint32_t most = 0;
    for (uint32_t i = 0; i < calibration->shown_count; i++)
        share[calibration->shown[i].benchmark] += pow(part[i] / alone, 2);
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
        most = share[i] > share[most] ? i : most;
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
        *benchmarks |= share[i] > named_from || i == most ? 1u << i : 0;
    return noise / alone;
}

/* A value is determined if figures and base together leave less uncertainty than known_to. */
static void tell_one(const struct search *search, uint32_t unknown)
{
    struct calibration *calibration = search->calibration;
    struct calibration_value *value = &calibration->values[search->of[unknown]];
    uint32_t benchmarks;
    const double least = fmax(calibration->noise, least_squares_trusted);
    const double open = spread_of(search, unknown, least, &benchmarks);
    value->determined = open <= known_to * fmax(search->x[unknown], 1);
    value->benchmarks = benchmarks;
    value->spread = value->scale * fmax(open * calibration->noise / least, search->apart[unknown]);
    for (uint32_t v = 0; v < calibration->value_count; v++) {
        struct calibration_value *other = &calibration->values[v];
        if (!is_like(value, other))
            continue;
        other->determined = value->determined;
        other->benchmarks = value->benchmarks;
        other->spread = value->spread;
    }
}

static bool report_progress(struct search *search)
{
    search->pull = fmax(search->calibration->noise, least_squares_trusted);
    if (!least_squares_jacobian(&search->problem, search->x, search->jacobian))
        return false;
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        tell_one(search, i);
    put_values(search, search->x);
    return calibration_model(search->calibration, search->diag);
}

/* ------------------------------------------------------------------ entry point */

static void add_unknown(struct search *search, uint32_t index)
{
    const struct calibration_value *value = &search->calibration->values[index];
    const uint32_t i = search->problem.unknowns++;
    search->of[i] = index;
    search->lower[i] = value->lower / value->scale;
    search->upper[i] = value->upper / value->scale;
    search->x[i] = search->base[i] = (double)value->base / value->scale;
}

bool calibration_fit(struct calibration *calibration, const struct measurements *figures,
                     const char *base, struct diag *diag)
{
    if (!calibration_begin(calibration, figures, base, diag))
        return false;
    struct search *search = memory_new(sizeof *search);
    search->calibration = calibration;
    search->diag = diag;
    search->problem = (struct least_squares){
        .lower = search->lower,
        .upper = search->upper,
        .residuals = residuals,
        .self = search,
        .step = step,
    };
    for (uint32_t i = 0; i < calibration->value_count; i++)
        if (calibration->values[i].like == NULL)
            add_unknown(search, i);
    search->problem.equations = calibration->shown_count + search->problem.unknowns;
    const bool fine = settle_search(search) && report_progress(search);
    free(search);
    return fine;
}
