/* SPDX-License-Identifier: Apache-2.0
 * least_squares - the only file that uses MINPACK. */
#include "replay/calibrate/least_squares.h"

#include "base/check.h"
#include "base/memory.h"

#include <cminpack-1/cminpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps below this no longer pay: benchmarks repeat far less precisely. */
static const double tolerance = 1e-7;
static const int evaluations_max = 60;

const double least_squares_trusted = 0.002;
/* Factor from the median of absolute normal errors to their standard deviation. */
static const double deviation_of_median = 1.4826;
/* Errors of this many standard deviations halve a figure's weight (Cauchy weights; 95 % efficient
 * at 2.385). */
static const double contradicted = 2.385;

static double *numbers(size_t count)
{
    double *list = memory_zeroed(count, sizeof *list);
    return list;
}

static double within(const struct least_squares *problem, uint32_t i, double x)
{
    return fmin(fmax(x, problem->lower[i]), problem->upper[i]);
}

/* One column of the Jacobian: a central difference where the bounds leave room on both sides. */
static bool column(const struct least_squares *problem, double *x, uint32_t i, double *out)
{
    const double middle = x[i], step = problem->step * fmax(fabs(middle), 1);
    const double low = within(problem, i, middle - step), high = within(problem, i, middle + step);
    double *below = numbers(problem->equations);
    x[i] = low;
    bool fine = problem->residuals(problem->self, x, below);
    x[i] = high;
    fine = fine && problem->residuals(problem->self, x, out);
    x[i] = middle;
    for (uint32_t e = 0; e < problem->equations; e++)
        out[e] = high > low ? (out[e] - below[e]) / (high - low) : 0;
    free(below);
    return fine;
}

bool least_squares_jacobian(const struct least_squares *problem, const double *x, double *jacobian)
{
    double *at = numbers(problem->unknowns);
    bool fine = true;
    memcpy(at, x, problem->unknowns * sizeof *x);
    for (uint32_t i = 0; i < problem->unknowns && fine; i++)
        fine = column(problem, at, i, jacobian + (size_t)i * problem->equations);
    free(at);
    return fine;
}

/* ------------------------------------------------------------------ bounds */

/* The nearest point within the bounds, and the distance to it. */
static void step_inside(const struct least_squares *problem, const double *x, double *inside,
                        double *away)
{
    for (uint32_t i = 0; i < problem->unknowns; i++) {
        inside[i] = within(problem, i, x[i]);
        away[i] = x[i] - inside[i];
    }
}

/* An unknown out of bounds changes only its distance residual. */
static bool bounded_jacobian(const struct least_squares *problem, const double *inside,
                             const double *away, double *out, int rows)
{
    double *inner = numbers((size_t)problem->unknowns * problem->equations);
    const bool fine = least_squares_jacobian(problem, inside, inner);
    memset(out, 0, (size_t)rows * problem->unknowns * sizeof *out);
    for (uint32_t i = 0; i < problem->unknowns; i++) {
        double *to = out + (size_t)i * (size_t)rows;
        if (away[i] == 0)
            memcpy(to, inner + (size_t)i * problem->equations, problem->equations * sizeof *to);
        else
            to[problem->equations + i] = 1;
    }
    free(inner);
    return fine;
}

static int evaluate(void *self, int rows, int columns, const double *x, double *residuals,
                    double *jacobian, int row_stride, int wanted)
{
    const struct least_squares *problem = self;
    double *inside = numbers(problem->unknowns), *away = numbers(problem->unknowns);
    CHECK(columns == (int)problem->unknowns && row_stride == rows);
    step_inside(problem, x, inside, away);
    bool fine = true;
    if (wanted == 1) {
        fine = problem->residuals(problem->self, inside, residuals);
        memcpy(residuals + problem->equations, away, problem->unknowns * sizeof *away);
    } else if (wanted == 2) {
        fine = bounded_jacobian(problem, inside, away, jacobian, rows);
    }
    free(inside);
    free(away);
    return fine ? 0 : -1; /* -1 stops MINPACK */
}

bool least_squares_solve(const struct least_squares *problem, double *x)
{
    const int n = (int)problem->unknowns, m = (int)problem->equations + n;
    double *work = numbers((size_t)m * (size_t)n + 2 * (size_t)m + 5 * (size_t)n);
    double *jacobian = work, *residuals = jacobian + m * n, *wa4 = residuals + m;
    double *scale = wa4 + m, *qtf = scale + n, *wa1 = qtf + n, *wa2 = wa1 + n, *wa3 = wa2 + n;
    int *pivots = memory_zeroed((size_t)n, sizeof *pivots), functions, jacobians;
    const int info = lmder(evaluate, (void *)(uintptr_t)problem, m, n, x, residuals, jacobian, m,
                           tolerance, tolerance, 0, evaluations_max, scale, 1, 100, 0, &functions,
                           &jacobians, pivots, qtf, wa1, wa2, wa3, wa4);
    for (uint32_t i = 0; i < problem->unknowns; i++)
        x[i] = within(problem, i, x[i]);
    free(pivots);
    free(work);
    return info > 0;
}

/* ------------------------------------------------------------------ sensitivity */

static double product(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void take_away(double *from, const double *direction, uint32_t count)
{
    const double share = product(from, direction, count);
    for (uint32_t i = 0; i < count; i++)
        from[i] -= share * direction[i];
}

/* Removes from column `i` its components along the columns before it, which have length 1 or 0. */
static void make_square_to_those_before(double *basis, uint32_t i, uint32_t count)
{
    /* Two passes are enough for full accuracy (Giraud, Langou, Rozloznik, 2005). */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t j = 0; j < i; j++)
            take_away(basis + (size_t)i * count, basis + (size_t)j * count, count);
}

double least_squares_alone(const struct least_squares *problem, const double *jacobian,
                           uint32_t unknown, double *part)
{
    const uint32_t m = problem->equations, last = problem->unknowns - 1;
    double *basis = numbers((size_t)m * problem->unknowns);
    for (uint32_t i = 0; i <= last; i++) {
        const uint32_t from = i == last ? unknown : i < unknown ? i : i + 1;
        memcpy(basis + (size_t)i * m, jacobian + (size_t)from * m, m * sizeof *basis);
    }
    for (uint32_t i = 0; i < last; i++) {
        double *own = basis + (size_t)i * m;
        make_square_to_those_before(basis, i, m);
        const double length = sqrt(product(own, own, m));
        for (uint32_t e = 0; e < m; e++)
            own[e] = length > 1e-9 ? own[e] / length : 0;
    }
    make_square_to_those_before(basis, last, m);
    memcpy(part, basis + (size_t)last * m, m * sizeof *part);
    free(basis);
    return sqrt(product(part, part, m));
}

/* ------------------------------------------------------------------ errors */

double least_squares_cost(const struct least_squares *problem, const double *x)
{
    double *off = numbers(problem->equations), sum = INFINITY;
    if (problem->residuals(problem->self, x, off)) {
        sum = 0;
        for (uint32_t i = 0; i < problem->equations; i++)
            sum += off[i] * off[i];
    }
    free(off);
    return sum;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double least_squares_median(double *list, uint32_t count)
{
    qsort(list, count, sizeof *list, by_size);
    return count == 0 ? 0 : list[count / 2];
}

double least_squares_deviation(double *sizes, uint32_t count)
{
    return deviation_of_median * least_squares_median(sizes, count);
}

double least_squares_trust(double error, double deviation)
{
    const double off = error / (contradicted * deviation);
    return sqrt(1 / (1 + off * off));
}
