/* SPDX-License-Identifier: Apache-2.0
 * Charts: of each pixel the least and the most stay, what stays the same is two points, and what is
 * written down is what was added. */
#include "reports/text/chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct chart *lines(struct charts *charts)
{
    return charts_open(charts, CHART_LINES, "lines", "rate", "Lines", "Of a test.");
}

/* A saw of 0 and 9 with one spike: far more samples than pixels. */
static void test_pixels_keep_extremes(void **state)
{
    (void)state;
    enum { SAMPLES = 100000, PIXELS = 50 };
    struct charts charts = {0};
    struct chart_series *series = chart_add_series(lines(&charts), "saw");
    struct chart_pixels pixels = chart_pixels(SAMPLES, PIXELS);
    for (int i = 0; i < SAMPLES; i++)
        chart_pixels_add(&pixels, series, i, i == 77777 ? 1000 : i % 2 * 9);
    chart_pixels_end(&pixels, series);
    int spikes = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct chart_point *point = &series->points[i];
        const double value = point->at == 77777 ? 1000 : (double)(point->at % 2 * 9);
        assert_true(point->value == value); /* a point is one of the samples */
        assert_true(i == 0 || point->at > point[-1].at);
        spikes += point->value == 1000;
    }
    assert_int_equal(spikes, 1);
    assert_in_range(series->count, PIXELS, 2 * PIXELS);
    charts_free(&charts);
}

static void test_what_stays_is_two_points(void **state)
{
    (void)state;
    struct charts charts = {0};
    struct chart_series *series = chart_add_series(lines(&charts), "still");
    struct chart_pixels pixels = chart_pixels(1000, 1000);
    for (int i = 0; i < 1000; i++)
        chart_pixels_add(&pixels, series, 2 * i, i < 400 ? 5 : i < 401 ? 7 : 0);
    chart_pixels_end(&pixels, series);
    static const struct chart_point wanted[] = {{0, 5}, {798, 5}, {800, 7}, {802, 0}, {1998, 0}};
    assert_int_equal(series->count, sizeof wanted / sizeof wanted[0]);
    for (uint32_t i = 0; i < series->count; i++) {
        assert_int_equal(series->points[i].at, wanted[i].at);
        assert_true(series->points[i].value == wanted[i].value);
    }
    charts_free(&charts);
}

/* Nothing parts what is around it; between two values of one pixel it is not seen. */
static void test_none_stays_none(void **state)
{
    (void)state;
    struct charts charts = {0};
    struct chart_series *series = chart_add_series(lines(&charts), "gaps");
    struct chart_pixels pixels = chart_pixels(100, 11); /* of ten */
    const double values[] = {NAN, NAN, 1, NAN, 2, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 3, 4};
    for (int i = 0; i < 15; i++)
        chart_pixels_add(&pixels, series, i, values[i]);
    chart_pixels_end(&pixels, series);
    static const int64_t at[] = {1, 2, 4, 9, 12, 13, 14};
    assert_int_equal(series->count, sizeof at / sizeof at[0]);
    for (uint32_t i = 0; i < series->count; i++) {
        assert_int_equal(series->points[i].at, at[i]);
        assert_true(isnan(series->points[i].value) == isnan(values[at[i]]));
    }
    charts_free(&charts);
}

/* However often there is nothing, a page does not grow with the samples. */
static void test_gaps_are_bounded(void **state)
{
    (void)state;
    enum { SAMPLES = 100000, PIXELS = 50 };
    struct charts charts = {0};
    struct chart_series *series = chart_add_series(lines(&charts), "sparse");
    struct chart_pixels pixels = chart_pixels(SAMPLES, PIXELS);
    for (int i = 0; i < SAMPLES; i++)
        chart_pixels_add(&pixels, series, i, i % 3 == 0 ? (double)(i % 7) : (double)NAN);
    chart_pixels_end(&pixels, series);
    assert_in_range(series->count, PIXELS, 4 * PIXELS);
    for (uint32_t i = 1; i < series->count; i++)
        assert_true(series->points[i].at > series->points[i - 1].at);
    charts_free(&charts);
}

/* ---- random samples against pixels that are computed one after the other ---- */

enum { RANDOM_MAX = 60 };

struct samples {
    int64_t at[RANDOM_MAX];
    double values[RANDOM_MAX];
    uint32_t count;
};

static bool same_value(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

/* The samples of one pixel, [from, to): the last gap before its first value, its extremes in order
 * of time, the last gap if no value follows it. */
static void keep_pixel(const struct samples *of, uint32_t from, uint32_t to, struct samples *kept)
{
    uint32_t keep[4], count = 0, first = from, last = to, least = to, most = to;
    while (first < to && isnan(of->values[first]))
        first++;
    while (last > from && isnan(of->values[last - 1]))
        last--;
    for (uint32_t i = to; i-- > first;) {
        if (isnan(of->values[i]))
            continue;
        least = least == to || of->values[i] <= of->values[least] ? i : least;
        most = most == to || of->values[i] >= of->values[most] ? i : most;
    }
    if (first > from)
        keep[count++] = first - 1;
    if (first < to) {
        keep[count++] = least < most ? least : most;
        if (least != most)
            keep[count++] = least < most ? most : least;
        if (last < to)
            keep[count++] = to - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        kept->at[kept->count] = of->at[keep[i]];
        kept->values[kept->count++] = of->values[keep[i]];
    }
}

/* Points with the same value on both sides are left out. */
static void leave_out_equal(struct samples *of)
{
    const struct samples all = *of;
    of->count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (i == 0 || i + 1 == all.count || !same_value(all.values[i - 1], all.values[i]) ||
            !same_value(all.values[i + 1], all.values[i])) {
            of->at[of->count] = all.at[i];
            of->values[of->count++] = all.values[i];
        }
}

static uint32_t drawn(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void test_random_samples(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t luck = round;
        const int span = 1 + (int)drawn(&luck, 50), pixels_max = 1 + (int)drawn(&luck, 12);
        const uint32_t levels = 1 + drawn(&luck, 4), gaps = drawn(&luck, 3);
        struct samples samples = {.count = 0}, kept = {.count = 0};
        for (int at = (int)drawn(&luck, 3); at < span; at += 1 + (int)drawn(&luck, 3)) {
            samples.at[samples.count] = at;
            samples.values[samples.count++] =
                drawn(&luck, 4) < gaps ? (double)NAN : (double)drawn(&luck, levels);
        }
        const int64_t width = span / pixels_max + 1;
        struct charts charts = {0};
        struct chart_series *series = chart_add_series(lines(&charts), "random");
        struct chart_pixels pixels = chart_pixels(span, pixels_max);
        for (uint32_t i = 0; i < samples.count; i++)
            chart_pixels_add(&pixels, series, samples.at[i], samples.values[i]);
        chart_pixels_end(&pixels, series);
        chart_pixels_end(&pixels, series); /* once more changes nothing */
        for (uint32_t from = 0, to = 0; from < samples.count; from = to) {
            while (to < samples.count && samples.at[to] / width == samples.at[from] / width)
                to++;
            keep_pixel(&samples, from, to, &kept);
        }
        leave_out_equal(&kept);
        if (series->count != kept.count)
            fail_msg("round %u: %u points instead of %u", round, series->count, kept.count);
        for (uint32_t i = 0; i < kept.count; i++)
            if (series->points[i].at != kept.at[i] ||
                !same_value(series->points[i].value, kept.values[i]))
                fail_msg("round %u, point %u: %lld", round, i, (long long)series->points[i].at);
        charts_free(&charts);
    }
}

static char *written(void (*write)(const struct chart *chart, FILE *out), const struct chart *chart)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    write(chart, out);
    fclose(out);
    return text;
}

static void is_written(void (*write)(const struct chart *chart, FILE *out),
                       const struct chart *chart, const char *wanted)
{
    char *text = written(write, chart);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_lines_are_written(void **state)
{
    (void)state;
    struct charts charts = {0};
    struct chart *chart = lines(&charts);
    chart->held = true;
    struct chart_series *series = chart_add_series(chart, "a \"b\"");
    chart_add_point(series, 0, 10);
    chart_add_point(series, 5, NAN);
    series = chart_add_series(chart, "c");
    series->hidden = series->dashed = true;
    series->colour = 0;
    chart_add_point(series, 7, 1e15);
    is_written(chart_json, chart,
               "{\"id\":\"lines\",\"kind\":\"lines\",\"unit\":\"rate\",\"title\":\"Lines\","
               "\"about\":\"Of a test.\",\"held\":true,\"series\":[{\"name\":\"a \\\"b\\\"\","
               "\"points\":[[0,10],[5,null]]},{\"name\":\"c\",\"colour\":0,\"dashed\":true,"
               "\"hidden\":true,\"points\":[[7,1000000000000000]]}]}");
    is_written(chart_csv, chart,
               "series,at_ps,value\n\"a \"\"b\"\"\",0,10\n\"a \"\"b\"\"\",5,\n"
               "c,7,1000000000000000\n");
    assert_ptr_equal(lines(&charts), chart); /* the same one again */
    charts_free(&charts);
}

static void test_steps_and_bands_are_written(void **state)
{
    (void)state;
    struct charts charts = {0};
    struct chart *chart = charts_open(&charts, CHART_STEPS, "s", "bytes", "S", "");
    chart->step = 100;
    chart_add_steps(chart, chart_add_series(chart, "x"), (const int64_t[]){1, -1}, 2);
    chart_add_steps(chart, chart_add_series(chart, "y"), (const int64_t[]){0, 4}, 2);
    is_written(chart_csv, chart, "from_ps,x,y\n0,1,0\n100,,4\n");
    chart = charts_open(&charts, CHART_BANDS, "b", "ps", "B", "");
    assert_false(chart_has_data(chart));
    chart_add_row(chart, "a by b", "a", 30);
    chart_add_band(chart, (struct chart_band){0, 10, 40, 30});
    assert_true(chart_has_data(chart));
    is_written(chart_csv, chart, "port,from_ps,until_ps,blocked_ps\na by b,10,40,30\n");
    charts_free(&charts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels_keep_extremes),
        cmocka_unit_test(test_what_stays_is_two_points),
        cmocka_unit_test(test_none_stays_none),
        cmocka_unit_test(test_gaps_are_bounded),
        cmocka_unit_test(test_random_samples),
        cmocka_unit_test(test_lines_are_written),
        cmocka_unit_test(test_steps_and_bands_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
