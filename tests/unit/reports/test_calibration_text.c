/* SPDX-License-Identifier: Apache-2.0
 * test_calibration_text - fits as text, JSON and profile: determined values, others, and none. */
#include "reports/text/calibration.h"

#include "base/memory.h"
#include "tests/unit/reports/contains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct opt delay = {.name = "delay", .type = OPT_TIME};
static const struct opt depth = {.name = "depth", .type = OPT_INT};

static struct calibration calibration;
static struct measurements figures;

static void begin(void)
{
    figures = (struct measurements){.device = "card\x1b[1m", .firmware = "", .kernel = "6.1\x7f"};
    calibration = (struct calibration){.figures = &figures, .base = "ideal", .noise = 0.0123};
}

/* Three values of the RNIC and one of the target; figures that were fitted, and others. */
static void give(void)
{
    begin();
    const struct calibration_value values[] = {
        {.path = "rnic.tx-delay",
         .row = &delay,
         .base = 5,
         .value = 1500000,
         .determined = true,
         .spread = 12345,
         .benchmarks = 1u << 0 | 1u << 5},
        {.path = "rnic.rx-delay",
         .row = &delay,
         .base = 5,
         .value = 2000,
         .spread = 99.4,
         .like = "rnic.tx-delay"},
        {.path = "rnic.depth",
         .row = &depth,
         .base = 7,
         .value = 7,
         .spread = 99.6,
         .benchmarks = 1},
        {.path = "target.cost",
         .row = &delay,
         .base = 1,
         .value = 1000,
         .determined = true,
         .spread = 0,
         .benchmarks = 1u << 9},
    };
    memcpy(calibration.values, values, sizeof values);
    calibration.value_count = 4;
    const struct calibration_figure shown[] = {
        {0, (enum benchmark_figure)0, 1000000, 1100000, 0.05, 1, 1},
        {1, (enum benchmark_figure)1, 2000000, 1000000, 0.5, 1, 0.49},
        {2, (enum benchmark_figure)0, 4000000, 4000000, 0, 1, 0.5},
        {3, (enum benchmark_figure)0, 4000000, 4000000, 0, 0, 0.1},
    };
    memcpy(calibration.shown, shown, sizeof shown);
    calibration.shown_count = 4;
    calibration.evaluations = 2;
    figures.firmware = "22\t3";
    figures.facts = (struct measurements_texts){{"a=1", "b=\"2\""}, 2};
    figures.sets = (struct measurements_texts){{"c=3"}, 1};
    figures.benchmarks[1].repeats = 2;
    figures.benchmarks[4].repeats = 1;
    for (int f = 0; f < BENCHMARK_FIGURE_COUNT; f++) {
        figures.benchmarks[1].times[f][0] = 10 + f;
        figures.benchmarks[1].times[f][1] = 20 + f;
        figures.benchmarks[4].times[f][0] = 30 + f;
    }
}

struct written {
    char *text;
    size_t length;
};

static FILE *open_text(struct written *written)
{
    return memory_stream(&written->text, &written->length);
}

static void assert_written(struct written *written, FILE *out, const char *wanted)
{
    memory_stream_end(out);
    assert_string_equal(written->text, wanted);
    free(written->text);
}

static void nothing_was_fitted(void **state)
{
    (void)state;
    struct written written;
    begin();
    calibration.evaluations = 1;
    FILE *out = open_text(&written);
    assert_true(calibration_text(&calibration, out));
    assert_written(&written, out,
                   "Calibration of card?[1m, 6.1?; base ideal\n"
                   "\nParameters                       value       spread  determined by\n"
                   "\nFigures                       measured    spread         model    error\n"
                   "\nMean error of the fitted figures: 1.23% (all benchmarks simulated 1 time)\n");
    out = open_text(&written);
    assert_true(calibration_profile(&calibration, "n", out));
    assert_written(&written, out,
                   "# Written by stormglass calibrate.\nstormglass-profile: 1\nname: \"n\"\nabout: "
                   "\"card\\u001b[1m, 6.1\\u007f, over ideal; mean error 1.23%.\"\nkind: rnic\n"
                   "calibrated: {}\nvalues:\n");
    out = open_text(&written);
    assert_true(calibration_json(&figures, &calibration, out));
    assert_written(
        &written, out,
        "{\"schema\": 1, \"stormglass-figures\": 1, \"device\": \"card\\u001b[1m\", "
        "\"firmware\": \"\", \"kernel\": \"6.1\\u007f\",\n \"facts\": [],\n \"sets\": [],\n "
        "\"figures\": {},\n \"fit\": {\"base\": \"ideal\", \"noise\": 0.0123,\n  "
        "\"parameters\": [],\n  \"residuals\": []}}\n");
}

static void values_and_figures_are_rows(void **state)
{
    (void)state;
    struct written written;
    char wanted[4096];
    give();
    FILE *out = open_text(&written);
    assert_true(calibration_text(&calibration, out));
    snprintf(
        wanted, sizeof wanted,
        "Calibration of card?[1m, firmware 22?3, 6.1?; base ideal\n"
        "\nParameters                       value       spread  determined by\n"
        "  rnic.tx-delay            %13s  %11s  send-small, read-small\n"
        "  rnic.rx-delay            %13s  %11s  determined only together with others; the value "
        "closest to ideal; equal to rnic.tx-delay\n"
        "  rnic.depth               %13s  %11s  not determined; taken from ideal\n"
        "  target.cost              %13s  %11s  nvme-deep\n"
        "\nFigures                       measured    spread         model    error\n"
        "  send-small   %-9s       1.000 us     5.00%%      1.100 us   +10.00%%\n"
        "  send-large   %-9s       2.000 us    50.00%%      1.000 us   -50.00%%  contradicts the "
        "other figures\n"
        "  write-small  %-9s       4.000 us     0.00%%      4.000 us    +0.00%%\n"
        "  write-large  %-9s       4.000 us     0.00%%      4.000 us    +0.00%%  not fitted\n"
        "\nMean error of the fitted figures: 1.23%% (all benchmarks simulated 2 times)\n",
        "1.5us", "12ns", "2ns", "-", "7", "-", "1ns", "0s", benchmark_figure_words[0],
        benchmark_figure_words[1], benchmark_figure_words[0], benchmark_figure_words[0]);
    assert_written(&written, out, wanted);
}

static void a_profile_says_where_each_value_is_from(void **state)
{
    (void)state;
    struct written written;
    struct calibration_kept kept[] = {{"mtu", "1024B", "measured", "the \"device\""}};
    struct calibration_range ranges[] = {{"queue-depth", &depth, 1, 8},
                                         {"gap", &delay, 1000, 2000}};
    give();
    calibration.kept = kept;
    calibration.kept_count = 1;
    calibration.ranges = ranges;
    calibration.range_count = 2;
    FILE *out = open_text(&written);
    assert_true(calibration_profile(&calibration, "mine", out));
    assert_written(
        &written, out,
        "# Written by stormglass calibrate.\nstormglass-profile: 1\nname: \"mine\"\nabout: "
        "\"card\\u001b[1m, 6.1\\u007f, over ideal; mean error 1.23%.\"\nkind: rnic\n"
        "calibrated: {queue-depth: 1..8, gap: 1ns..2ns}\nvalues:\n"
        "  mtu: {value: \"1024B\", evidence: measured, source: \"the \\\"device\\\"\"}\n"
        "  tx-delay: {value: 1.5us, evidence: measured, source: \"send-small, read-small; spread "
        "12ns\"}\n"
        "  rx-delay: {value: 2ns, evidence: inferred, source: \"determined only together with "
        "others; the value closest to ideal; equal to rnic.tx-delay\"}\n"
        "  depth: {value: 7, evidence: assumed, source: \"not determined; taken from ideal\"}\n"
        "target:\n  cost: {value: 1ns, evidence: measured, source: \"nvme-deep; spread 0s\"}\n");
}

/* "%s_ps": [a, b], for each figure */
static size_t put_times(char *to, size_t size, const int64_t *times, int repeats)
{
    size_t used = 0;
    for (int f = 0; f < BENCHMARK_FIGURE_COUNT; f++) {
        used += (size_t)snprintf(to + used, size - used, "%s\"%s_ps\": [", f == 0 ? "" : ",\n    ",
                                 benchmark_figure_words[f]);
        for (int i = 0; i < repeats; i++)
            used += (size_t)snprintf(to + used, size - used, "%s%d", i == 0 ? "" : ", ",
                                     (int)times[i] + f);
        used += (size_t)snprintf(to + used, size - used, "]");
    }
    return used;
}

static void figures_and_the_fit_are_objects(void **state)
{
    (void)state;
    struct written written;
    char wanted[4096];
    give();
    size_t used = (size_t)snprintf(
        wanted, sizeof wanted,
        "{\"schema\": 1, \"stormglass-figures\": 1, \"device\": \"card\\u001b[1m\", \"firmware\": "
        "\"22\\u00093\", \"kernel\": \"6.1\\u007f\",\n \"facts\": [\"a=1\", \"b=\\\"2\\\"\"],\n "
        "\"sets\": "
        "[\"c=3\"],\n \"figures\": {\n  \"send-large\": {\n    ");
    used += put_times(wanted + used, sizeof wanted - used, (const int64_t[]){10, 20}, 2);
    used += (size_t)snprintf(wanted + used, sizeof wanted - used, "},\n  \"write-deep\": {\n    ");
    used += put_times(wanted + used, sizeof wanted - used, (const int64_t[]){30}, 1);
    used += (size_t)snprintf(wanted + used, sizeof wanted - used, "}}");
    FILE *out = open_text(&written);
    assert_true(calibration_json(&figures, NULL, out));
    snprintf(wanted + used, sizeof wanted - used, "}\n");
    assert_written(&written, out, wanted);

    calibration.value_count = calibration.shown_count = 2;
    snprintf(
        wanted + used, sizeof wanted - used,
        ",\n \"fit\": {\"base\": \"ideal\", \"noise\": 0.0123,\n  \"parameters\": [\n"
        "    {\"path\": \"rnic.tx-delay\", \"determined\": true, \"value\": \"1.5us\", "
        "\"spread\": "
        "\"12ns\", \"told_by\": \"send-small, read-small\"},\n"
        "    {\"path\": \"rnic.rx-delay\", \"determined\": false, \"value\": \"2ns\", \"told_by\": "
        "\"determined only together with others; the value closest to ideal; equal to "
        "rnic.tx-delay\"}],\n  \"residuals\": [\n"
        "    {\"benchmark\": \"send-small\", \"figure\": \"%s\", \"fitted\": true, "
        "\"measured_ps\": "
        "1000000, \"model_ps\": 1100000, \"error\": 0.1, \"spread\": 0.05},\n"
        "    {\"benchmark\": \"send-large\", \"figure\": \"%s\", \"fitted\": true, "
        "\"measured_ps\": "
        "2000000, \"model_ps\": 1000000, \"error\": -0.5, \"spread\": 0.5}]}}\n",
        benchmark_figure_words[0], benchmark_figure_words[1]);
    out = open_text(&written);
    assert_true(calibration_json(&figures, &calibration, out));
    assert_written(&written, out, wanted);
}

/* A spread has two digits, rounded to the next. */
static void spreads_have_two_digits(void **state)
{
    (void)state;
    static const struct {
        double spread;
        const char *words;
    } rows[] = {{0.4, "0s"},    {0.5, "1ps"},   {99.4, "99ps"}, {99.6, "100ps"}, {101, "100ps"},
                {105, "110ps"}, {994, "990ps"}, {995, "1ns"},   {12499, "12ns"}, {12500, "13ns"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct written written;
        char wanted[128];
        begin();
        calibration.values[0] = (struct calibration_value){.path = "rnic.d",
                                                           .row = &delay,
                                                           .determined = true,
                                                           .benchmarks = 2,
                                                           .spread = rows[i].spread};
        calibration.value_count = 1;
        FILE *out = open_text(&written);
        assert_true(calibration_text(&calibration, out));
        memory_stream_end(out);
        snprintf(wanted, sizeof wanted, "  %-24s %13s  %11s  send-large\n", "rnic.d", "0s",
                 rows[i].words);
        assert_contains(written.text, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_was_fitted),
        cmocka_unit_test(values_and_figures_are_rows),
        cmocka_unit_test(a_profile_says_where_each_value_is_from),
        cmocka_unit_test(figures_and_the_fit_are_objects),
        cmocka_unit_test(spreads_have_two_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
