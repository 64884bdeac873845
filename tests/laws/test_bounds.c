/* SPDX-License-Identifier: Apache-2.0
 * test_bounds - what a plan refuses by its closed forms really fails when it is played.
 * No case, and no scenario of the worked plans, comes to more than its links, drives, CPUs and
 * loops allow, or answers sooner than light.  tests/swarm has scenarios that nobody wrote. */
#include "base/memory.h"
#include "replay/run/run.h"
#include "scenarios/embedded.h"
#include "scenarios/load/library.h"
#include "tests/laws/run/run_laws.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How many bounds it has. */
static uint32_t play(const char *name)
{
    static const char *const sets[] = {"duration=2ms"};
    const struct run_options options = {.unread = true, .until = 2 * PS_PER_MS};
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(name, sets, 1, diag);
    if (scenario == NULL) { /* something of it begins later */
        *diag = (struct diag){0};
        scenario = library_load(name, NULL, 0, diag);
    }
    assert_non_null(scenario);
    struct run run = {0};
    char sentence[RUN_LAWS_BOUND_BYTES];
    assert_int_equal(run_scenario(&run, scenario, &options, diag), RUN_DONE);
    const uint32_t bounds = run_laws_bounds(scenario, &run.result, sentence);
    if (sentence[0] != '\0')
        fail_msg("%s: %s", name, sentence);
    run_close(&run);
    scenario_free(scenario);
    free(diag);
    return bounds;
}

static void no_case_is_beyond_its_bounds(void **state)
{
    (void)state;
    uint32_t cases = 0, bounds = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *name = strrchr(file->name, '/');
        const size_t length = strlen(file->name);
        if (strncmp(file->name, "cases/", 6) != 0 || name == NULL || length < 5 ||
            strcmp(file->name + length - 5, ".yaml") != 0 || strstr(name, "fat-tree") != NULL)
            continue;
        bounds += play(name + 1);
        cases++;
    }
    assert_true(cases >= 8 && bounds >= 8 * 10);
}

static void no_worked_plan_is_beyond_its_bounds(void **state)
{
    (void)state;
    glob_t found;
    uint32_t bounds = 0;
    assert_int_equal(glob("scenarios/plans/*-scenario.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        bounds += play(found.gl_pathv[i]);
    assert_true(found.gl_pathc >= 5 && bounds >= 5);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_case_is_beyond_its_bounds),
        cmocka_unit_test(no_worked_plan_is_beyond_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
