/* SPDX-License-Identifier: Apache-2.0
 * The fit of a calibration, reckoned again: what it found is a minimum of what it is to make small,
 * and what it says of spreads, trust and who told a value follows from the derivatives there. */
#include "replay/calibrate/calibration.h"

#include "replay/calibrate/least_squares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char base[] = "rnic-100g";

/* As the file says of itself. */
static const double trusted = 0.002, known_to = 0.5, named_from = 0.15;

enum { PLAYED = 3, UNKNOWNS = 4, EQUATIONS_MAX = CALIBRATION_FIGURES_MAX + UNKNOWNS };

/* They tell two of the values. */
static const char *const played[PLAYED] = {"send-small", "read-small", "write-small"};
static const char *const sought[UNKNOWNS] = {"rnic.tx-delay", "rnic.read-delay", "nvme.submit-cost",
                                             "target.command-cost"};

static struct diag diag;

static uint32_t number_of(const char *name)
{
    uint32_t i = 0;
    while (strcmp(benchmark_names[i], name) != 0)
        assert_true(++i < BENCHMARK_COUNT);
    return i;
}

static struct calibration_value *value_of(struct calibration *calibration, const char *path)
{
    uint32_t i = 0;
    while (strcmp(calibration->values[i].path, path) != 0)
        assert_true(++i < calibration->value_count);
    return &calibration->values[i];
}

static void set_value(struct calibration *calibration, const char *path, int64_t value)
{
    value_of(calibration, path)->value = value;
    for (uint32_t i = 0; i < calibration->value_count; i++)
        if (calibration->values[i].like != NULL && strcmp(calibration->values[i].like, path) == 0)
            calibration->values[i].value = value;
}

/* ------------------------------------------------------------------ devices */

/* What the model shows with these values (0: the base's), of the first benchmarks; each figure is
 * had `repeats` times, off by up to `noise`. */
static struct measurements *device(const int64_t values[UNKNOWNS], uint32_t benchmarks,
                                   uint32_t repeats, double noise)
{
    struct measurements *figures = measurements_new();
    struct calibration hidden;
    measurements_add(figures, &figures->sets, "fabric.host-links.rate=25Gbps");
    for (uint32_t i = 0; i < benchmarks; i++)
        for (uint32_t n = 0; n < repeats; n++)
            assert_true(measurements_take(figures, number_of(played[i]),
                                          (time_ps[BENCHMARK_FIGURE_COUNT]){1, 1, 1}));
    assert_true(calibration_begin(&hidden, figures, base, &diag));
    for (uint32_t i = 0; i < UNKNOWNS; i++)
        if (values[i] != 0)
            set_value(&hidden, sought[i], values[i]);
    assert_true(calibration_model(&hidden, &diag));
    for (uint32_t i = 0; i < hidden.shown_count; i++)
        for (uint32_t n = 0; n < repeats; n++) {
            const double part = repeats == 1 ? 0 : (double)n / (repeats - 1) * 2 - 1;
            figures->benchmarks[hidden.shown[i].benchmark].times[hidden.shown[i].figure][n] =
                llround((double)hidden.shown[i].modelled * (1 + noise * part));
        }
    calibration_end(&hidden);
    return figures;
}

/* ------------------------------------------------------------------ the same again */

struct again {
    struct calibration scratch;
    const struct calibration *fitted;
    double pull;
};

static bool residuals(void *self, const double *x, double *out)
{
    struct again *again = self;
    const struct calibration *fitted = again->fitted;
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const double scale = value_of(&again->scratch, sought[u])->scale;
        set_value(&again->scratch, sought[u], llround(x[u] * scale));
    }
    if (!calibration_model(&again->scratch, &diag))
        return false;
    for (uint32_t i = 0; i < fitted->shown_count; i++) {
        const struct calibration_figure *figure = &fitted->shown[i];
        const double off = (double)again->scratch.shown[i].modelled / (double)figure->measured - 1;
        out[i] = figure->weight * figure->trust * off;
    }
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const struct calibration_value *value = value_of(&again->scratch, sought[u]);
        const double from = (double)value->base / value->scale;
        out[fitted->shown_count + u] = again->pull * log((x[u] + 1) / (from + 1));
    }
    return true;
}

static double cost(struct again *again, const double *x)
{
    double out[EQUATIONS_MAX], sum = 0;
    assert_true(residuals(again, x, out));
    for (uint32_t i = 0; i < again->fitted->shown_count + UNKNOWNS; i++)
        sum += out[i] * out[i];
    return sum;
}

static void begin_again(struct again *again, struct calibration *fitted, double *x)
{
    *again = (struct again){.fitted = fitted, .pull = fitted->noise};
    assert_true(calibration_begin(&again->scratch, fitted->figures, base, &diag));
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const struct calibration_value *value = value_of(fitted, sought[u]);
        x[u] = (double)value->value / value->scale;
    }
}

/* No value alone makes it better. */
static void check_minimum(struct calibration *fitted)
{
    struct again again;
    double x[UNKNOWNS];
    begin_again(&again, fitted, x);
    const double least = cost(&again, x);
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const double here = x[u];
        for (int side = 0; side < 2; side++) {
            x[u] = here * (side == 0 ? 0.9 : 1.1);
            assert_true(cost(&again, x) >= least - 1e-9);
        }
        x[u] = here;
    }
    calibration_end(&again.scratch);
}

static void check_shown(struct calibration *fitted)
{
    struct again again;
    double x[UNKNOWNS], out[EQUATIONS_MAX];
    begin_again(&again, fitted, x);
    assert_true(residuals(&again, x, out));
    for (uint32_t i = 0; i < fitted->shown_count; i++)
        assert_int_equal(fitted->shown[i].modelled, again.scratch.shown[i].modelled);
    calibration_end(&again.scratch);
}

static bool is_near(double is, double expected, double share)
{
    return fabs(is - expected) <= share * fmax(fabs(expected), 1e-6);
}

/* Spreads, and which benchmarks told a value, from the derivatives. */
static void check_spreads(struct calibration *fitted, bool far)
{
    struct again again;
    double x[UNKNOWNS], jacobian[UNKNOWNS * EQUATIONS_MAX], part[EQUATIONS_MAX];
    begin_again(&again, fitted, x);
    again.pull = fmax(fitted->noise, trusted);
    static const double lower[UNKNOWNS], upper[UNKNOWNS] = {1e3, 1e3, 1e3, 1e3};
    const struct least_squares problem = {.unknowns = UNKNOWNS,
                                          .equations = fitted->shown_count + UNKNOWNS,
                                          .lower = lower,
                                          .upper = upper,
                                          .residuals = residuals,
                                          .self = &again,
                                          .step = 0.02};
    assert_true(least_squares_jacobian(&problem, x, jacobian));
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const struct calibration_value *value = value_of(fitted, sought[u]);
        const double alone = least_squares_alone(&problem, jacobian, u, part);
        assert_true(alone > 0);
        assert_int_equal(value->determined,
                         fmax(fitted->noise, trusted) / alone <= known_to * fmax(x[u], 1));
        if (far)
            assert_true(value->spread >= 0.9 * value->scale * fitted->noise / alone);
        else
            assert_true(is_near(value->spread, value->scale * fitted->noise / alone, 0.05));
        double share[BENCHMARK_COUNT] = {0}, most = 0;
        for (uint32_t i = 0; i < fitted->shown_count; i++)
            share[fitted->shown[i].benchmark] += part[i] * part[i] / (alone * alone);
        for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
            most = fmax(most, share[i]);
        for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
            const bool named = share[i] > named_from || share[i] >= most;
            const bool close = is_near(share[i], named_from, 0.05) || is_near(share[i], most, 1e-3);
            assert_true(close || named == ((value->benchmarks >> i & 1) != 0));
        }
    }
    calibration_end(&again.scratch);
}

/* Trust is Cauchy's of how far a figure is off. */
static void check_trust(const struct calibration *fitted)
{
    for (uint32_t i = 0; i < fitted->shown_count; i++) {
        const struct calibration_figure *figure = &fitted->shown[i];
        const double error = (double)figure->modelled / (double)figure->measured - 1;
        const double off = figure->weight * error / (2.385 * fmax(fitted->noise, trusted));
        assert_true(is_near(figure->trust, sqrt(1 / (1 + off * off)), 0.1));
    }
}

static void check_alike(struct calibration *fitted)
{
    for (uint32_t i = 0; i < fitted->value_count; i++) {
        const struct calibration_value *value = &fitted->values[i];
        if (value->like == NULL)
            continue;
        const struct calibration_value *of = value_of(fitted, value->like);
        assert_int_equal(value->value, of->value);
        assert_int_equal(value->determined, of->determined);
        assert_int_equal(value->benchmarks, of->benchmarks);
        assert_true(is_near(value->spread, of->spread, 1e-9));
    }
}

/* Fits, and holds what it says against what follows; the caller ends it. */
static struct calibration *fitted(const struct measurements *figures, bool far)
{
    struct calibration *calibration = calloc(1, sizeof *calibration);
    assert_non_null(calibration);
    assert_true(calibration_fit(calibration, figures, base, &diag));
    check_minimum(calibration);
    check_shown(calibration);
    check_trust(calibration);
    check_spreads(calibration, far);
    check_alike(calibration);
    return calibration;
}

static void end(struct calibration *calibration, struct measurements *figures)
{
    calibration_end(calibration);
    measurements_free(figures);
    free(calibration);
}

/* ------------------------------------------------------------------ tests */

static void the_base_is_its_own_answer(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {0};
    struct measurements *figures = device(values, PLAYED, 1, 0);
    struct calibration *calibration = fitted(figures, false);
    for (uint32_t u = 0; u < UNKNOWNS; u++) {
        const struct calibration_value *value = value_of(calibration, sought[u]);
        assert_true(is_near((double)value->value, (double)value->base, 0.001));
        assert_int_equal(value->determined, u < 2);
    }
    assert_true(calibration->noise < 1e-4);
    assert_true(calibration->evaluations < 100);
    end(calibration, figures);
}

static void hidden_values_are_found(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {400 * PS_PER_NS, 900 * PS_PER_NS, 1500 * PS_PER_NS,
                                             2500 * PS_PER_NS};
    struct measurements *figures = device(values, PLAYED, 1, 0);
    struct calibration *calibration = fitted(figures, true);
    for (uint32_t u = 0; u < 2; u++)
        assert_true(
            is_near((double)value_of(calibration, sought[u])->value, (double)values[u], 0.02));
    for (uint32_t i = 0; i < calibration->shown_count; i++)
        assert_true(calibration->shown[i].weight <= 0 ||
                    is_near((double)calibration->shown[i].modelled,
                            (double)calibration->shown[i].measured, 0.01));
    end(calibration, figures);
}

/* A device of another kind: the base says nothing of where to look. */
static void far_values_are_found_from_several_places(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {9 * PS_PER_US, 2 * PS_PER_US};
    struct measurements *figures = device(values, 2, 1, 0);
    struct calibration *calibration = fitted(figures, true);
    for (uint32_t u = 0; u < 2; u++)
        assert_true(
            is_near((double)value_of(calibration, sought[u])->value, (double)values[u], 0.05));
    end(calibration, figures);
}

static void what_no_figure_tells_stays_as_it_was(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {600 * PS_PER_NS};
    struct measurements *figures = device(values, 1, 1, 0);
    struct calibration *calibration = fitted(figures, true);
    assert_true(is_near((double)value_of(calibration, sought[0])->value, 6e5, 0.02));
    assert_true(value_of(calibration, sought[0])->determined);
    assert_int_equal(value_of(calibration, sought[0])->benchmarks, 1u << number_of(played[0]));
    for (uint32_t u = 1; u < UNKNOWNS; u++) {
        const struct calibration_value *value = value_of(calibration, sought[u]);
        assert_true(is_near((double)value->value, (double)value->base, 1e-3));
        assert_false(value->determined);
    }
    end(calibration, figures);
}

static void a_figure_that_the_others_contradict_counts_little(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {0};
    struct measurements *figures = device(values, PLAYED, 1, 0);
    const uint32_t liar = number_of("write-small");
    figures->benchmarks[liar].times[BENCHMARK_LATENCY][0] *= 2;
    struct calibration *calibration = fitted(figures, true);
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        if (figure->benchmark == liar && figure->figure == BENCHMARK_LATENCY)
            assert_true(figure->trust < 0.2);
        else if (figure->benchmark != liar && figure->weight > 0)
            assert_true(figure->trust > 0.5);
    }
    end(calibration, figures);
}

/* What does not repeat is not trusted beyond that. */
static void noise_is_what_figures_differ_by(void **state)
{
    (void)state;
    static const int64_t values[UNKNOWNS] = {0};
    struct measurements *figures = device(values, PLAYED, 5, 0.2);
    struct calibration *calibration = fitted(figures, false);
    double least = 1, most = 0;
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        if (figure->weight <= 0)
            continue;
        assert_true(is_near(figure->spread, 1.4826 * 0.1, 0.02)); /* half of five are within */
        least = fmin(least, figure->weight * figure->spread);
        most = fmax(most, figure->weight * figure->spread);
    }
    assert_true(calibration->noise >= least - 1e-6 && calibration->noise <= most + 1e-6);
    end(calibration, figures);
}

static void what_cannot_be_played_is_said(void **state)
{
    (void)state;
    struct measurements *figures = measurements_new();
    struct calibration calibration;
    static struct diag wrong;
    measurements_add(figures, &figures->sets, "fabric.host-links.rate=no");
    assert_true(measurements_take(figures, 0, (time_ps[BENCHMARK_FIGURE_COUNT]){1, 1, 1}));
    assert_false(calibration_fit(&calibration, figures, base, &wrong));
    assert_true(diag_failed(&wrong));
    calibration_end(&calibration);
    measurements_free(figures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_is_its_own_answer),
        cmocka_unit_test(hidden_values_are_found),
        cmocka_unit_test(far_values_are_found_from_several_places),
        cmocka_unit_test(what_no_figure_tells_stays_as_it_was),
        cmocka_unit_test(a_figure_that_the_others_contradict_counts_little),
        cmocka_unit_test(noise_is_what_figures_differ_by),
        cmocka_unit_test(what_cannot_be_played_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
