/* SPDX-License-Identifier: Apache-2.0
 * least_squares - the unknowns within bounds that make a sum of squares smallest.
 * Levenberg-Marquardt of MINPACK (J. J. More, 1978) over differences taken here.  A bound is kept
 * by a residual of its own, which is 0 inside, and the function is only asked inside.  No luck: the
 * same function gives the same answer. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_LEAST_SQUARES_H
#define STORMGLASS_REPLAY_CALIBRATE_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

struct least_squares {
    uint32_t unknowns, equations;
    const double *lower, *upper; /* of each unknown; unknowns are of the order of 1 */
    /* The residuals at x; false: there are none, and the search ends. */
    bool (*residuals)(void *self, const double *x, double *residuals);
    void *self;
    double step; /* of a difference: this share of the unknown, and at least of 1 */
};

/* From x to the answer, which replaces it.  False: a residual could not be had. */
bool least_squares_solve(const struct least_squares *problem, double *x);

/* The derivative of each residual by each unknown, one unknown after the other. */
bool least_squares_jacobian(const struct least_squares *problem, const double *x, double *jacobian);

/* How the residuals change with one unknown when the others do what they can to undo it: `part` for
 * each residual, and the root of the sum of their squares, 0 when the others can undo all of it. */
double least_squares_alone(const struct least_squares *problem, const double *jacobian,
                           uint32_t unknown, double *part);

#endif
