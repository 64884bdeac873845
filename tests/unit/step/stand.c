/* SPDX-License-Identifier: Apache-2.0
 * stand - a session of lines beside a stepper of one's own. */
#include "tests/unit/step/stand.h"

#include "base/memory.h"
#include "replay/step/step_tell.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: session\n"
    "duration: 120us\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "workloads: [{name: w, kind: rdma-write, from: \"host1..host2\", to: host0,\n"
    "             message-size: 16KiB}]\n"
    "faults: [{at: 0s, kind: drop-every, where: \"host1:p0\", n: 9}]\n";

int stand_set_up(void **state)
{
    struct stand *stand = calloc(1, sizeof *stand);
    assert_non_null(stand);
    const struct scenario_input input = {.name = "s.yaml", .text = text, .length = strlen(text)};
    stand->scenario = scenario_load(&input, &stand->diag);
    diag_print(&stand->diag, stderr);
    assert_non_null(stand->scenario);
    stand->expect = open_memstream(&stand->expected, &stand->expected_bytes);
    stand->own = stepper_new(stand->scenario, NULL, &stand->diag);
    assert_non_null(stand->expect);
    assert_non_null(stand->own);
    *state = stand;
    return 0;
}

int stand_tear_down(void **state)
{
    struct stand *stand = *state;
    fclose(stand->expect);
    stepper_free(stand->own);
    scenario_free(stand->scenario);
    free(stand->expected);
    free(stand->out);
    free(stand->wrong);
    free(stand);
    return 0;
}

enum step_result stand_play(struct stand *stand, const char *script, bool terminal,
                            const struct step_checks *checks, time_ps until)
{
    size_t out_bytes, wrong_bytes;
    free(stand->out);
    free(stand->wrong);
    const struct step_session session = {
        .scenario = stand->scenario,
        .checks = checks,
        .until = until,
        .in = fmemopen((void *)(uintptr_t)script, strlen(script), "r"),
        .out = open_memstream(&stand->out, &out_bytes),
        .wrong = open_memstream(&stand->wrong, &wrong_bytes),
        .name = "script",
        .terminal = terminal,
    };
    assert_non_null(session.in);
    const enum step_result result = step_run(&session, &stand->diag);
    fclose(session.in);
    fclose(session.out);
    fclose(session.wrong);
    return result;
}

struct step_goal stand_goal(struct stand *stand, const char *const *conditions)
{
    struct step_goal goal = {
        .events = UINT64_MAX, .until = TIME_NEVER, .slice = UINT64_MAX, .hits = 1};
    for (; conditions != NULL && *conditions != NULL; conditions++) {
        struct step_command command;
        struct step_wrong wrong;
        char line[80];
        snprintf(line, sizeof line, "break %s", *conditions);
        assert_true(step_command_parse(line, stand->scenario, &command, &wrong));
        goal.conditions[goal.condition_count++] = command.condition;
    }
    return goal;
}

void stand_rewind(struct stand *stand)
{
    stepper_free(stand->own);
    stand->own = stepper_new(stand->scenario, NULL, &stand->diag);
    assert_non_null(stand->own);
}

void stand_expect_position(struct stand *stand)
{
    const struct step_position at = stepper_position(stand->own);
    if (at.between || at.events == 0)
        fprintf(stand->expect, "%.6f us, after event %llu\n", (double)at.now / PS_PER_US,
                (unsigned long long)at.events);
    else
        step_list(stand->own, &step_subject_any, 1, stand->expect);
}

void stand_expect_digest(struct stand *stand, const char *before)
{
    char digest[DIGEST_TEXT_BYTES];
    const struct digest now = stepper_digest(stand->own);
    digest_format(&now, digest);
    fprintf(stand->expect, "%sdigest %s\n", before, digest);
}

void stand_at_event(struct stand *stand, uint64_t number)
{
    struct step_moved moved;
    struct step_goal goal = stand_goal(stand, NULL);
    goal.events = number;
    stand_rewind(stand);
    if (number > 0) {
        stepper_move(stand->own, &goal, &moved);
        assert_int_equal(moved.end, STEP_AT_EVENT);
        assert_int_equal(moved.position.events, number);
    }
    stand_expect_position(stand);
}

void stand_at_time(struct stand *stand, time_ps at)
{
    struct step_moved moved;
    struct step_goal goal = stand_goal(stand, NULL);
    goal.until = at;
    stand_rewind(stand);
    stepper_move(stand->own, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_TIME);
    stand_expect_position(stand);
}
