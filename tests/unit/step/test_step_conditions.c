/* SPDX-License-Identifier: Apache-2.0
 * Conditions with a limit: they are true of what is above it and not of what equals it, as often as
 * the database of the same run counts. */
#include "base/memory.h"
#include "replay/database/store.h"
#include "replay/run/run.h"
#include "replay/step/step_command.h"
#include "replay/step/stepper.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>

static const char text[] =
    "stormglass: 1\n"
    "name: conditions\n"
    "duration: 200us\n"
    "drain: 5ms\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 4}\n"
    "  switch: {buffer: 2MiB, headroom: 40KiB}\n"
    "hosts:\n"
    "  targets: {where: host0, namespaces: [{media: fixed}]}\n"
    "workloads:\n"
    "  - {name: io, kind: nvme, from: \"host1..host2\", to: host0, read: 30%, block-size: 16KiB,\n"
    "     queue-depth: 4}\n"
    "  - {name: raw, kind: rdma-write, from: host3, to: host1, message-size: 64KiB}\n"
    "faults: [{at: 50us, for: 100us, kind: slow-receiver, drain: 4%, where: host0}]\n";

static struct diag diag;
static struct scenario *scenario;
static struct run run;
static struct store *store;

static int set_up(void **state)
{
    (void)state;
    const struct scenario_input input = {.name = "t", .text = text, .length = sizeof text - 1};
    const struct run_options options = {.level = RECORD_IOS, .until = TIME_NEVER, .threads = 1};
    scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    assert_int_equal(run_scenario(&run, scenario, &options, &diag), RUN_DONE);
    store = record_store(run.record);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_true(run_close(&run));
    scenario_free(scenario);
    return 0;
}

/* How many events of the whole run the condition is true of. */
__attribute__((format(printf, 1, 2))) static int64_t count(const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct step_command command;
    struct step_wrong wrong;
    struct step_moved moved;
    if (!step_command_parse(line, scenario, &command, &wrong))
        fail_msg("%s: %s", line, wrong.text);
    struct stepper *stepper = stepper_new(scenario, NULL, &diag);
    assert_non_null(stepper);
    const struct step_goal goal = {
        .events = UINT64_MAX,
        .until = TIME_NEVER,
        .slice = UINT64_MAX,
        .condition_count = 1,
        .conditions = {command.condition},
    };
    stepper_move(stepper, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_END);
    stepper_free(stepper);
    return (int64_t)moved.hits;
}

#define TOOK "(SELECT completed_ps-issued_ps AS ps FROM io WHERE workload=0)"

static int64_t ask(const char *sql)
{
    const int64_t found = store_ask_int(store, sql, -1);
    assert_true(found >= 0);
    return found;
}

static void completed_counts_what_took_longer(void **state)
{
    (void)state;
    static const char *const limits[] = {
        "SELECT min(ps) FROM " TOOK,
        "SELECT ps FROM " TOOK " ORDER BY ps LIMIT 1 OFFSET (SELECT count(*)/2 FROM io"
        " WHERE workload=0)",
        "SELECT max(ps) FROM " TOOK,
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const int64_t limit = ask(limits[i]);
        for (int64_t above = limit - 1; above <= limit; above++) {
            char sql[200];
            snprintf(sql, sizeof sql, "SELECT count(*) FROM " TOOK " WHERE ps>%" PRId64, above);
            assert_int_equal(count("b completed of io > %" PRId64 "ps", above), ask(sql));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completed_counts_what_took_longer),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
