/* SPDX-License-Identifier: Apache-2.0
 * Calibration turns the model round: of figures that the model itself made with hidden parameters
 * it finds the parameters.  What no figure tells it leaves alone, and says so. */
#include "base/hash.h"
#include "replay/calibrate/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char base[] = "rnic-100g";

enum { CASES = 3 };

/* A number from 0 to 1 of a case's own. */
static double draw(uint64_t seed, uint64_t what)
{
    return (double)(hash_mix(seed * 1000 + what) >> 11) / 9007199254740992.0;
}

static struct calibration *begin(const struct measurements *figures)
{
    static struct diag diag;
    struct calibration *calibration = calloc(1, sizeof *calibration);
    assert_non_null(calibration);
    assert_true(calibration_begin(calibration, figures, base, &diag));
    return calibration;
}

/* From a third of their scale to thirty times of it; those that are alike are equal. */
static void hide(struct calibration *calibration, uint64_t seed)
{
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        struct calibration_value *value = &calibration->values[i];
        value->value = llround(value->scale * pow(10, 2 * draw(seed, i) - 0.5));
        for (uint32_t j = 0; j < i && value->like != NULL; j++)
            if (strcmp(calibration->values[j].path, value->like) == 0)
                value->value = calibration->values[j].value;
    }
}

/* Figures of every benchmark, which the model shows with the hidden values: each is off by up to
 * `noise`. */
static struct measurements *show(struct calibration **hidden, uint64_t seed, double noise)
{
    static struct diag diag;
    struct measurements *figures = measurements_new();
    measurements_add(figures, &figures->sets, "fabric.host-links.rate=25Gbps");
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
        measurements_take(figures, i, (time_ps[BENCHMARK_FIGURE_COUNT]){1, 1, 1});
    *hidden = begin(figures);
    hide(*hidden, seed);
    assert_true(calibration_model(*hidden, &diag));
    for (uint32_t i = 0; i < (*hidden)->shown_count; i++) {
        const struct calibration_figure *of = &(*hidden)->shown[i];
        figures->benchmarks[of->benchmark].times[of->figure][0] =
            llround((double)of->modelled * (1 + noise * (2 * draw(seed, 100 + i) - 1)));
    }
    return figures;
}

static struct calibration *fit(const struct measurements *figures)
{
    static struct diag diag;
    struct calibration *found = calloc(1, sizeof *found);
    assert_non_null(found);
    assert_true(calibration_fit(found, figures, base, &diag));
    return found;
}

static const struct calibration_value *value_of(const struct calibration *of, const char *path)
{
    for (uint32_t i = 0; i < of->value_count; i++)
        if (strcmp(of->values[i].path, path) == 0)
            return &of->values[i];
    fail_msg("there is no %s", path);
    return NULL;
}

static void free_all(struct measurements *figures, struct calibration *hidden,
                     struct calibration *found)
{
    calibration_end(hidden);
    calibration_end(found);
    free(hidden);
    free(found);
    measurements_free(figures);
}

static double off(const struct calibration_value *found, const struct calibration *hidden)
{
    return fabs((double)(found->value - value_of(hidden, found->path)->value));
}

/* Without noise every value comes back. */
static void hidden_parameters_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct calibration *hidden;
        struct measurements *figures = show(&hidden, seed, 0);
        struct calibration *found = fit(figures);
        for (uint32_t i = 0; i < found->value_count; i++) {
            const struct calibration_value *value = &found->values[i];
            assert_true(value->determined);
            assert_true(value->benchmarks != 0);
            if (off(value, hidden) > 0.01 * (double)value->value)
                fail_msg("case %d: %s is %g instead of %g", (int)seed, value->path,
                         (double)value->value, (double)value_of(hidden, value->path)->value);
        }
        free_all(figures, hidden, found);
    }
}

/* The same figures give the same values to the last digit. */
static void fit_again(const struct measurements *figures, const struct calibration *one)
{
    struct calibration *two = fit(figures);
    for (uint32_t i = 0; i < one->value_count; i++) {
        assert_int_equal(one->values[i].value, two->values[i].value);
        assert_memory_equal(&one->values[i].spread, &two->values[i].spread, sizeof(double));
    }
    calibration_end(two);
    free(two);
}

/* With noise they come back within what is said of them, and a hundredth. */
static void noise_is_told(void **state)
{
    static const char *const raw[] = {"rnic.tx-delay", "rnic.read-delay"};
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct calibration *hidden;
        struct measurements *figures = show(&hidden, seed, 0.01);
        struct calibration *found = fit(figures);
        /* Evenly up to 1 %: a deviation of 1 % / sqrt(3). */
        assert_true(found->noise > 0.002 && found->noise < 0.012);
        for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++) {
            const struct calibration_value *value = value_of(found, raw[i]);
            if (off(value, hidden) > 4 * value->spread + 0.01 * (double)value->value)
                fail_msg("case %d: %s is %g +- %g instead of %g", (int)seed, value->path,
                         (double)value->value, value->spread,
                         (double)value_of(hidden, value->path)->value);
            assert_true(value->spread < 0.2 * (double)value->value);
        }
        assert_true(off(value_of(found, raw[0]), hidden) <
                    0.02 * (double)value_of(hidden, raw[0])->value);
        if (seed == 2)
            fit_again(figures, found);
        free_all(figures, hidden, found);
    }
}

/* Of SENDs alone nobody learns what a READ or a command costs. */
static void what_is_not_told_stays(void **state)
{
    static const char *const unreported[] = {"rnic.read-delay", "nvme.submit-cost",
                                             "nvme.complete-cost", "target.command-cost"};
    struct calibration *hidden;
    struct measurements *figures = show(&hidden, 1, 0);
    (void)state;
    for (uint32_t i = 1; i < BENCHMARK_COUNT; i++)
        figures->benchmarks[i].repeats = 0;
    struct calibration *found = fit(figures);
    for (size_t i = 0; i < sizeof unreported / sizeof unreported[0]; i++) {
        assert_false(value_of(found, unreported[i])->determined);
        assert_int_equal(value_of(found, unreported[i])->value,
                         value_of(found, unreported[i])->base);
    }
    const struct calibration_value *reported = value_of(found, "rnic.tx-delay");
    assert_true(reported->determined);
    assert_true(off(reported, hidden) < 0.01 * (double)reported->value);
    assert_int_equal(reported->benchmarks, 1); /* send-small */
    free_all(figures, hidden, found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_parameters_come_back),
        cmocka_unit_test(noise_is_told),
        cmocka_unit_test(what_is_not_told_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
