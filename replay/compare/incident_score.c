/* SPDX-License-Identifier: Apache-2.0
 * incident_score - the likelihood of an incident's counters under a run. */
#include "replay/compare/incident_score.h"

#include <math.h>

/* The error model of docs/model.md. All values are judgements. */
static const double relative_error = 0.25; /* of a simulated counter */
static const double background = 10;       /* counts in a run that no workload explains */
static const double outlier_share = 0.01;  /* counters with another cause altogether */
static const double outlier_range = 40;    /* over which those are uniform, as ln(ratio) */
static const double widest_scale_e = 23;   /* bounds of the search: ln of 1 to 10 billion */
enum { GRID_STEPS = 92, SEARCH_STEPS = 40 };

double incident_score_counter(int64_t incident, int64_t replay, double scale)
{
    const double expected = (double)incident * scale, counted = (double)replay;
    const double distance = log((expected + background) / (counted + background));
    /* Variance of a logarithm: that of the count, divided by the square of the count. A count of
     * the incident is divided by its scale, and so is its error. */
    const double of_replay = counted / ((counted + background) * (counted + background));
    const double of_incident =
        expected * scale / ((expected + background) * (expected + background));
    const double variance = relative_error * relative_error + of_replay + of_incident;
    const double peak = (1 - outlier_share) / sqrt(2 * 3.14159265358979323846 * variance);
    const double floor = outlier_share / outlier_range;
    return log((peak * exp(-distance * distance / (2 * variance)) + floor) / (peak + floor));
}

/* Maxima grow with the duration in a way that the scale does not describe. */
static double sum_at(const struct incident_row *rows, size_t count, double scale)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!rows[i].is_peak)
            sum += incident_score_counter(rows[i].incident, rows[i].replay, scale);
    return sum;
}

double incident_score(struct incident_row *rows, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++)
        if (!rows[i].is_peak)
            rows[i].score = incident_score_counter(rows[i].incident, rows[i].replay, scale);
    return sum_at(rows, count, scale);
}

/* A grid finds the highest hill of a sum that may have several, and golden sections its top. */
double incident_score_fit(const struct incident_row *rows, size_t count)
{
    static const double golden = 0.6180339887498949;
    const double step = 2 * widest_scale_e / GRID_STEPS;
    double best = 0, best_sum = sum_at(rows, count, 1);
    for (int i = 0; i <= GRID_STEPS; i++) {
        const double at = -widest_scale_e + step * i, sum = sum_at(rows, count, exp(at));
        if (sum > best_sum) {
            best = at;
            best_sum = sum;
        }
    }
    double low = best - step, high = best + step;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (sum_at(rows, count, exp(left)) >= sum_at(rows, count, exp(right)))
            high = right;
        else
            low = left;
    }
    const double top = (low + high) / 2;
    return sum_at(rows, count, exp(top)) > best_sum ? exp(top) : exp(best);
}
