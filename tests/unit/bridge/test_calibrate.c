/* SPDX-License-Identifier: Apache-2.0
 * test_calibrate - figures: measured over fake_rdma, written, read again, refused. */
#include "base/check.h"
#include "bridge/run/measure.h"
#include "reports/text/calibration.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOST_IP   0x0A000001u
#define TARGET_IP 0x0A000002u

static const struct measure_options over_fake = {
    .run = {.calls = &fake_rdma_calls,
            .role = LIVE_BOTH,
            .address = {{HOST_IP}, 1},
            .peer = {{TARGET_IP}, 1},
            .depth = CONTENT_FULL},
    .sets = {.list = {"fabric.host-links.rate=10Gbps"}, .count = 1},
    .repeats = 2,
};

static struct measurements *measure(struct diag *diag, char error[STORE_ERROR_BYTES])
{
    fake_rdma_init();
    fake_rdma_node(HOST_IP);
    fake_rdma_node(TARGET_IP);
    return measure_device(&over_fake, diag, error);
}

static void every_benchmark_is_measured(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    char error[STORE_ERROR_BYTES];
    struct measurements *figures = measure(diag, error);
    (void)state;
    assert_string_equal(error, "");
    assert_non_null(figures);
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
        assert_int_equal(figures->benchmarks[i].repeats, 2);
        for (int f = 0; f < BENCHMARK_FIGURE_COUNT; f++)
            for (int r = 0; r < 2; r++)
                assert_in_range(figures->benchmarks[i].times[f][r], 1, MEASUREMENTS_PS_MAX);
    }
    assert_string_equal(figures->device, "fake0");
    assert_int_equal(figures->facts.count, 2);
    assert_string_equal(figures->facts.list[0], "rnic.path-mtu=1024B");
    assert_string_equal(figures->facts.list[1], "rnic.max-rd-atomic=16");
    measurements_free(figures);
    free(diag);
    assert_int_equal(fake_rdma_fini(), 0);
}

/* What is written is read again as it was. */
static void written_and_read(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    char error[STORE_ERROR_BYTES], *text = NULL, *again = NULL;
    size_t length = 0, length_again = 0;
    struct measurements *figures = measure(diag, error);
    (void)state;
    assert_non_null(figures);
    FILE *out = open_memstream(&text, &length);
    assert_true(calibration_json(figures, NULL, out));
    fclose(out);
    struct measurements *read = measurements_parse("figures.json", text, length, diag);
    assert_non_null(read);
    out = open_memstream(&again, &length_again);
    assert_true(calibration_json(read, NULL, out));
    fclose(out);
    assert_string_equal(again, text);
    measurements_free(read);
    measurements_free(figures);
    free(text);
    free(again);
    free(diag);
    assert_int_equal(fake_rdma_fini(), 0);
}

/* A device that fails gives no figures, and nothing is left of it. */
static void a_failed_operation_is_said(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    char error[STORE_ERROR_BYTES];
    (void)state;
    fake_rdma_init();
    fake_rdma_node(HOST_IP);
    fake_rdma_node(TARGET_IP);
    fake_rdma_end_with(IBV_WC_REM_ACCESS_ERR, 5);
    assert_null(measure_device(&over_fake, diag, error));
    assert_non_null(strstr(error, "send-small was not completed"));
    free(diag);
    assert_int_equal(fake_rdma_fini(), 0);
}

static void no_device_is_said(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    char error[STORE_ERROR_BYTES];
    (void)state;
    fake_rdma_init();
    assert_null(measure_device(&over_fake, diag, error));
    assert_non_null(strstr(error, "no usable RDMA device"));
    free(diag);
    assert_int_equal(fake_rdma_fini(), 0);
}

#define HEAD "{\"stormglass-figures\": 1, \"figures\": {\"send-small\": {\"latency_ps\": "
#define TAIL ", \"interval_ps\": [2], \"connect_ps\": [3]}}}"

/* Each with the place of its message. */
static void bad_files_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
        int column;
    } files[] = {
        {"{}", "stormglass-figures: 1", 1},
        {"{\"stormglass-figures\": 2, \"figures\": {\"send-small\": {}}}", "figures: 1", 1},
        {"{\"stormglass-figures\": 1}", "expected a mapping of benchmarks", 1},
        {"{\"stormglass-figures\": 1, \"figurs\": {}}", "did you mean 'figures'", 27},
        {"{\"stormglass-figures\": 1, \"figures\": {\"send-smal\": {}}}", "send-small", 39},
        {"{\"stormglass-figures\": 1, \"device\": \"a\\u001b\"}", "printable text", 37},
        {"stormglass-figures: 1", "JSON: ", 1},
        {HEAD "[0]" TAIL, "whole number", 69},
        {HEAD "[1e30]" TAIL, "whole number", 69},
        {HEAD "[1, 2]" TAIL, "as many as in the other figures", 91},
        {HEAD "7" TAIL, "a list of 1 to 100", 68},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct diag *diag = calloc(1, sizeof *diag);
        assert_null(measurements_parse("bad.json", files[i].text, strlen(files[i].text), diag));
        assert_true(diag->count > 0);
        if (strstr(diag->messages[0].text, files[i].message) == NULL ||
            diag->messages[0].place.column != files[i].column)
            fail_msg("%s\n gives %d: %s", files[i].text, diag->messages[0].place.column,
                     diag->messages[0].text);
        free(diag);
    }
}

static void a_file_that_is_not_there_is_said(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    (void)state;
    assert_null(measurements_read("no/such/figures.json", diag));
    assert_int_equal(diag->errors, 1);
    assert_non_null(strstr(diag->messages[0].text, "No such file"));
    free(diag);
}

/* The middle of a list, and the middle distance from it. */
static void middle_and_spread(void **state)
{
    static const time_ps times[] = {130, 100, 90, 104, 95};
    struct measurements *figures = measurements_new();
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        assert_true(
            measurements_take(figures, 3, (time_ps[BENCHMARK_FIGURE_COUNT]){times[i], 1, 1}));
    const struct measurements_middle middle = measurements_middle(figures, 3, BENCHMARK_LATENCY);
    assert_int_equal(middle.time, 100);
    assert_true(middle.spread > 0.0499 && middle.spread < 0.0501); /* of 0 4 5 10 30 */
    measurements_free(figures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_benchmark_is_measured),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(a_failed_operation_is_said),
        cmocka_unit_test(no_device_is_said),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(middle_and_spread),
        cmocka_unit_test(a_file_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
