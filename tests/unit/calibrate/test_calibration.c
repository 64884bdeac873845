/* SPDX-License-Identifier: Apache-2.0
 * What a calibration begins with: the parameters that are sought, the rows that are kept beside
 * them, and the work that the figures are of. */
#include "replay/calibrate/calibration.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char figures_text[] =
    "{\"stormglass-figures\": 1, \"device\": \"d\",\n"
    " \"facts\": [\"rnic.path-mtu=1024B\", \"rnic.max-rd-atomic=16\"],\n"
    " \"sets\": [\"fabric.host-links.rate=25Gbps\", \"hosts.defaults.rnic.timeout=9\",\n"
    "          \"hosts.defaults.rnic.tx-delay=700ns\"],\n"
    " \"figures\": {\"send-small\": {\"latency_ps\": [2000000, 2200000, 2100000],\n"
    "             \"interval_ps\": [2100000, 2100000, 2100000],\n"
    "             \"connect_ps\": [9000000, 9000000, 9000000]}}}\n";

struct fixture {
    struct measurements *figures;
    struct calibration calibration;
    struct diag diag;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    *state = fixture;
    fuzz_input("figures", figures_text, sizeof figures_text - 1);
    fixture->figures =
        measurements_parse("f.json", figures_text, sizeof figures_text - 1, &fixture->diag);
    if (fixture->figures == NULL)
        fail_msg("%s", fixture->diag.messages[0].text);
    if (!calibration_begin(&fixture->calibration, fixture->figures, "rnic-100g", &fixture->diag))
        fail_msg("%s", fixture->diag.messages[0].text);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    calibration_end(&fixture->calibration);
    measurements_free(fixture->figures);
    free(fixture);
    return 0;
}

static const struct calibration_kept *kept(const struct calibration *calibration, const char *name)
{
    const struct calibration_kept *found = NULL;
    for (size_t i = 0; i < calibration->kept_count; i++)
        if (strcmp(calibration->kept[i].name, name) == 0) {
            assert_null(found); /* once */
            found = &calibration->kept[i];
        }
    return found;
}

static void is_kept(const struct calibration *calibration, const char *name, const char *value,
                    const char *evidence, const char *source)
{
    const struct calibration_kept *row = kept(calibration, name);
    assert_non_null(row);
    assert_string_equal(row->value, value);
    assert_string_equal(row->evidence, evidence);
    assert_string_equal(row->source, source);
}

/* The device's own attributes are documented, what the user gives is assumed. */
static void rows_are_kept_with_who_said_them(void **state)
{
    const struct calibration *calibration = &((struct fixture *)*state)->calibration;
    is_kept(calibration, "path-mtu", "1024B", "documented", "the device's own attributes");
    is_kept(calibration, "max-rd-atomic", "16", "documented", "the device's own attributes");
    is_kept(calibration, "timeout", "9", "assumed", "given");
    assert_null(kept(calibration, "rx-xoff")); /* at its preset */
    for (size_t i = 0; i < calibration->kept_count; i++)
        assert_true(calibration->kept[i].evidence[0] != '\0' &&
                    calibration->kept[i].source[0] != '\0');
}

static void what_is_sought_is_not_kept_as_well(void **state)
{
    const struct calibration *calibration = &((struct fixture *)*state)->calibration;
    bool tx_delay = false;
    assert_true(calibration->value_count > 3);
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        const struct calibration_value *value = &calibration->values[i];
        if (strncmp(value->path, "rnic.", 5) == 0)
            assert_null(kept(calibration, value->path + 5));
        assert_int_equal(value->value, value->base);
        assert_true(value->lower < value->upper);
        if (strcmp(value->path, "rnic.tx-delay") != 0)
            continue;
        tx_delay = true;
        assert_int_equal(value->base, 700 * PS_PER_NS); /* the user's */
    }
    assert_true(tx_delay);
}

/* Connecting is compared but not fitted. */
static void figures_are_looked_at_by_benchmark(void **state)
{
    const struct calibration *calibration = &((struct fixture *)*state)->calibration;
    static const time_ps measured[] = {[BENCHMARK_LATENCY] = 2100000,
                                       [BENCHMARK_INTERVAL] = 2100000,
                                       [BENCHMARK_CONNECT] = 9000000};
    assert_int_equal(calibration->shown_count, 3);
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        assert_string_equal(benchmark_names[figure->benchmark], "send-small");
        assert_int_equal(figure->measured, measured[figure->figure]);
        if (figure->figure == BENCHMARK_CONNECT)
            assert_true(figure->weight <= 0);
        else
            assert_true(figure->weight > 0 && figure->weight <= 1);
        if (figure->figure == BENCHMARK_LATENCY)
            assert_true(figure->spread > 0.01 && figure->weight < 1);
    }
}

static void the_range_of_work_is_known(void **state)
{
    const struct calibration *calibration = &((struct fixture *)*state)->calibration;
    bool sizes = false;
    for (size_t i = 0; i < calibration->range_count; i++) {
        const struct calibration_range *range = &calibration->ranges[i];
        assert_true(range->low <= range->high);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(range->word, calibration->ranges[k].word);
        sizes |= strcmp(range->word, "message-size") == 0;
    }
    assert_true(sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_kept_with_who_said_them, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_sought_is_not_kept_as_well, setup, teardown),
        cmocka_unit_test_setup_teardown(figures_are_looked_at_by_benchmark, setup, teardown),
        cmocka_unit_test_setup_teardown(the_range_of_work_is_known, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
