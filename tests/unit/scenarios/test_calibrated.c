/* SPDX-License-Identifier: Apache-2.0
 * test_calibrated - what a profile says it was fitted on. */
#include "replay/record/record.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char scenario_text[] =
    "stormglass: 1\n"
    "name: fitted\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
    "hosts: {defaults: {rnic: {profile: fit.yaml}}}\n"
    "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n";

/* The scenario with a profile that says `calibrated`; NULL and the messages in diag. */
static struct scenario *load(const char *calibrated, struct diag *diag)
{
    static char profile[600];
    snprintf(profile, sizeof profile,
             "stormglass-profile: 1\n"
             "name: fit\n"
             "kind: rnic\n"
             "calibrated: %s\n"
             "values: {tx-delay: {value: 1us, evidence: measured, source: test}}\n",
             calibrated);
    const struct scenario_source files[] = {{"fit.yaml", profile, strlen(profile)}};
    const struct scenario_input input = {.name = "s.yaml",
                                         .text = scenario_text,
                                         .length = sizeof scenario_text - 1,
                                         .files = files,
                                         .file_count = 1};
    *diag = (struct diag){0};
    return scenario_load(&input, diag);
}

static void ranges_reach_the_database(void **state)
{
    (void)state;
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    struct scenario *scenario =
        load("{block-size: 512B..256KiB, queue-depth: 16, read: 0%..100%}", diag);
    assert_non_null(scenario);
    assert_int_equal(scenario->calibrated.count, 3);
    char error[STORE_ERROR_BYTES], found[256];
    const struct record_options options = {.until = TIME_NEVER, .threads = 1, .version = "1"};
    struct record *record = record_open(&options, scenario, error);
    assert_non_null(record);
    store_ask_text(record_store(record),
                   "SELECT group_concat(profile||' '||word||' '||low||' '||high, ', ')"
                   " FROM calibrated",
                   found, sizeof found);
    assert_string_equal(found, "fit block-size 512 262144, fit queue-depth 16 16,"
                               " fit read 0 1000000");
    assert_true(record_close(record));
    scenario_free(scenario);
    free(diag);
}

static void what_is_no_range_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int column;
    } wrongs[] = {
        {"16", "expected a mapping", 13},
        {"{blok-size: 1KiB}", "did you mean 'block-size'", 14},
        {"{block-size: 16..32}", "expected a range", 26},
        {"{block-size: 32KiB..16KiB}", "expected a range", 26},
        {"{queue-depth: ..4}", "expected a range", 27},
        {"{queue-depth: [1, 4]}", "expected a range", 27},
    };
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        assert_null(load(wrongs[i].text, diag));
        const struct diag_message *first = &diag->messages[0];
        if (strcmp(first->file, "fit.yaml") != 0 || first->place.line != 4 ||
            first->place.column != wrongs[i].column || strstr(first->text, wrongs[i].words) == NULL)
            fail_msg("%s: %s:%d:%d: %s", wrongs[i].text, first->file, first->place.line,
                     first->place.column, first->text);
    }
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_reach_the_database),
        cmocka_unit_test(what_is_no_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
