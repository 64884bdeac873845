/* SPDX-License-Identifier: Apache-2.0
 * least_squares - minimizes a sum of squares over bounded unknowns.
 * Levenberg-Marquardt from MINPACK (J. J. More, 1978) with finite differences computed here. Each
 * bound adds a residual that is 0 within it, and the function is only evaluated within the bounds.
 * Deterministic: the same function gives the same answer. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_LEAST_SQUARES_H
#define STORMGLASS_REPLAY_CALIBRATE_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

struct least_squares {
    uint32_t unknowns, equations;
    const double *lower, *upper; /* by unknown; unknowns are of order 1 */
    /* Computes the residuals at x; returning false stops the search. */
    bool (*residuals)(void *self, const double *x, double *residuals);
    void *self;
    double step; /* finite-difference step, relative to the unknown or to 1 if that is larger */
};

/* Starts at x and replaces it with the solution. Returns false if a residual could not be
 * computed. */
bool least_squares_solve(const struct least_squares *problem, double *x);

/* The derivatives of all residuals by one unknown, then by the next. */
bool least_squares_jacobian(const struct least_squares *problem, const double *x, double *jacobian);

/* How residuals change with one unknown when the others compensate as far as they can: `part` per
 * residual. Returns the root of the sum of squares; 0 if the others compensate completely. */
double least_squares_alone(const struct least_squares *problem, const double *jacobian,
                           uint32_t unknown, double *part);

/* The sum of squares at x; INFINITY if a residual could not be computed. */
double least_squares_cost(const struct least_squares *problem, const double *x);

/* Lower limit of the model's assumed relative error, however well it fits. */
extern const double least_squares_trusted;

/* Sorts the list; 0 if it is empty. */
double least_squares_median(double *list, uint32_t count);
/* The standard deviation of normal errors with these sizes, which are sorted.  From their median,
 * so that outliers do not decide it. */
double least_squares_deviation(double *sizes, uint32_t count);
/* The factor of a residual, 0 to 1: an error far beyond the deviation has almost no effect. */
double least_squares_trust(double error, double deviation);

#endif
