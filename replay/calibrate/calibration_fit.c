/* SPDX-License-Identifier: Apache-2.0
 * calibration_fit - the search. */
#include "base/memory.h"
#include "replay/calibrate/calibration.h"

#include "replay/calibrate/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The model is trusted to this much at most, however well it fits. */
static const double trusted = 0.002;
/* A value that is not known to this share of itself (or of its scale) is not known. */
static const double known_to = 0.5;
/* A benchmark with this share of what tells a value is named. */
static const double named_from = 0.15;
/* A base that is off by less on average is where the search begins, and the only place. */
static const double near_enough = 0.2;
/* From the median of normal errors' sizes to their standard deviation. */
static const double deviation_of_median = 1.4826;
/* How many deviations halve a figure's weight (Cauchy's; 95 % efficient at 2.385). */
static const double contradicted = 2.385;
static const double step = 0.02;

enum { ROUNDS = 4, EQUATIONS_MAX = CALIBRATION_FIGURES_MAX + CALIBRATION_PARAMETERS_MAX };

/* The unknowns are values in their scales.  Equations: the figures, then the pull to the base. */
struct search {
    struct calibration *calibration;
    struct diag *diag;
    double pull;                             /* weight of the base: a figure's noise */
    uint32_t of[CALIBRATION_PARAMETERS_MAX]; /* by unknown: the index of its value */
    double lower[CALIBRATION_PARAMETERS_MAX], upper[CALIBRATION_PARAMETERS_MAX];
    double x[CALIBRATION_PARAMETERS_MAX], base[CALIBRATION_PARAMETERS_MAX];
    double apart[CALIBRATION_PARAMETERS_MAX]; /* from another minimum that is as good */
    double jacobian[CALIBRATION_PARAMETERS_MAX * EQUATIONS_MAX];
    struct least_squares problem;
};

/* Whether the second is taken to be equal to the first. */
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

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *list, uint32_t count)
{
    qsort(list, count, sizeof *list, by_size);
    return count == 0 ? 0 : list[count / 2];
}

/* What one figure is off by after the fit, or from one play to the next if that is more.  A few
 * that are far off do not decide it. */
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
    return fmax(deviation_of_median * median(off, count), median(spread, count));
}

static void trust_figures(struct calibration *calibration)
{
    const double noise = fmax(calibration->noise, trusted);
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        struct calibration_figure *figure = &calibration->shown[i];
        const double off = figure->weight * error_of(figure) / (contradicted * noise);
        figure->trust = sqrt(1 / (1 + off * off));
    }
}

/* ------------------------------------------------------------------ search */

static double cost_of(struct search *search, const double *x)
{
    double off[EQUATIONS_MAX], sum = 0;
    if (!residuals(search, x, off))
        return INFINITY;
    for (uint32_t i = 0; i < search->problem.equations; i++)
        sum += off[i] * off[i];
    return sum;
}

/* Which end is the bottleneck of a deep queue may change on the way, so there are several minima:
 * the search begins with the base, with everything fast and everything slow, and with every other
 * value fast.  When two minima are nearly as good, nobody knows which is true, and the spread is as
 * wide. */
static const struct {
    double even, odd; /* in the values' scales */
} starts[] = {{0, 0}, {0.3, 0.3}, {30, 30}, {0.3, 10}, {10, 0.3}};
enum { STARTS = sizeof starts / sizeof starts[0] };
static const double as_good = 2;

static void note_apart(struct search *search, double (*minima)[CALIBRATION_PARAMETERS_MAX],
                       const double *costs, int count, int best)
{
    const double enough = as_good * costs[best] + search->problem.equations * trusted * trusted;
    for (int i = 0; i < count; i++)
        for (uint32_t u = 0; u < search->problem.unknowns && costs[i] <= enough; u++)
            search->apart[u] = fmax(search->apart[u], fabs(minima[i][u] - minima[best][u]));
}

static bool search_widely(struct search *search)
{
    double minima[STARTS][CALIBRATION_PARAMETERS_MAX], costs[STARTS];
    const double far = near_enough * near_enough * search->calibration->shown_count;
    const int count = cost_of(search, search->x) < far ? 1 : STARTS;
    int best = 0;
    /* A base that is far away says little of where to go. */
    search->pull = count == 1 ? trusted : trusted / 100;
    for (int i = 0; i < count; i++) {
        memcpy(minima[i], search->x, sizeof minima[i]);
        for (uint32_t u = 0; u < search->problem.unknowns && i > 0; u++)
            minima[i][u] = fmin(u % 2 == 0 ? starts[i].even : starts[i].odd, search->upper[u]);
        const bool fine = least_squares_solve(&search->problem, minima[i]);
        costs[i] = fine ? cost_of(search, minima[i]) : INFINITY;
        best = costs[i] < costs[best] ? i : best;
    }
    note_apart(search, minima, costs, count, best);
    memcpy(search->x, minima[best], sizeof minima[best]);
    return isfinite(costs[best]);
}

/* The pull of the base, and what is trusted, follow from the noise, and the noise from the fit. */
static bool settle_search(struct search *search)
{
    bool fine = search_widely(search);
    for (int round = 0; round < ROUNDS && fine; round++) {
        fine = cost_of(search, search->x) < INFINITY; /* the figures are those of x */
        search->calibration->noise = search->pull = noise_of(search->calibration);
        trust_figures(search->calibration);
        fine = fine && least_squares_solve(&search->problem, search->x);
    }
    return fine && cost_of(search, search->x) < INFINITY;
}

/* ------------------------------------------------------------------ what was determined */

/* The value's spread in its scale, and which benchmarks determined it. */
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

/* A value is determined when the figures and the base together leave it less open than known_to. */
static void tell_one(const struct search *search, uint32_t unknown)
{
    struct calibration *calibration = search->calibration;
    struct calibration_value *value = &calibration->values[search->of[unknown]];
    uint32_t benchmarks;
    const double least = fmax(calibration->noise, trusted);
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
    search->pull = fmax(search->calibration->noise, trusted);
    if (!least_squares_jacobian(&search->problem, search->x, search->jacobian))
        return false;
    for (uint32_t i = 0; i < search->problem.unknowns; i++)
        tell_one(search, i);
    put_values(search, search->x);
    return calibration_model(search->calibration, search->diag);
}

/* ------------------------------------------------------------------ all of it */

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
