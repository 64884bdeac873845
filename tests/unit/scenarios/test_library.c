/* SPDX-License-Identifier: Apache-2.0
 * Scenarios by name: what travels inside the program, a file before that, and the nearest name of
 * one that is neither. */
#include "scenarios/load/library.h"

#include "scenarios/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct diag diag;

static int set_up(void **state)
{
    (void)state;
    memset(&diag, 0, sizeof diag);
    return 0;
}

static struct scenario *load(const char *name)
{
    struct scenario *scenario = library_load(name, NULL, 0, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    return scenario;
}

/* "cases/pause-storm.yaml": under its stem and its name, as it says of itself. */
static unsigned load_all(const char *folder, unsigned *works_of_a_case)
{
    unsigned count = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *name = file->name + strlen(folder), *end = strstr(name, ".yaml");
        if (strncmp(file->name, folder, strlen(folder)) != 0 || end == NULL)
            continue;
        char stem[128], called[160];
        snprintf(stem, sizeof stem, "%.*s", (int)(end - name), name);
        snprintf(called, sizeof called, "name: %s\n", stem);
        struct scenario *scenario = load(stem), *other = load(name);
        assert_non_null(scenario);
        assert_non_null(other);
        assert_string_equal(scenario->name, other->name);
        assert_int_equal(scenario->node_count, other->node_count);
        if (strstr((const char *)file->bytes, called) != NULL)
            assert_string_equal(scenario->name, stem);
        *works_of_a_case += scenario->workload_count > 0;
        scenario_free(scenario);
        scenario_free(other);
        count++;
    }
    return count;
}

static void cases_and_works_are_there_by_name(void **state)
{
    (void)state;
    unsigned working = 0;
    const unsigned cases = load_all("cases/", &working);
    assert_true(cases >= 5 && working >= cases / 2);
    assert_true(load_all("works/", &working) >= 3);
    assert_false(diag_failed(&diag));
}

static void a_case_is_changed_by_sets(void **state)
{
    (void)state;
    static const char *const sets[] = {"seed=77"};
    struct scenario *plain = load("first-io");
    struct scenario *scenario = library_load("first-io", sets, 1, &diag);
    assert_non_null(scenario);
    assert_non_null(plain);
    assert_int_equal(scenario->seed, 77);
    assert_int_not_equal(plain->seed, 77);
    scenario_free(scenario);
    scenario_free(plain);
}

static void a_file_goes_before_a_case(void **state)
{
    (void)state;
    char folder[] = "/tmp/stormglass-test-XXXXXX", before[4096];
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("first-io", "w");
    assert_non_null(file);
    fputs("stormglass: 1\nname: mine\nfabric: {topology: {kind: single-switch, hosts: 2}}\n"
          "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n",
          file);
    fclose(file);
    struct scenario *mine = load("first-io"), *other = load("first-io.yaml");
    unlink("first-io");
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_non_null(mine);
    assert_non_null(other);
    assert_string_equal(mine->name, "mine");
    assert_string_equal(other->name, "first-io");
    scenario_free(mine);
    scenario_free(other);
}

static void what_is_neither_is_said_with_the_nearest_case(void **state)
{
    (void)state;
    static const struct {
        const char *name, *words;
    } rows[] = {
        {"pause-strom", "No such file or directory, and there is no such case; did you mean "
                        "'pause-storm'?"},
        {"pause-strom.yaml", "and there is no such case; did you mean 'pause-storm'?"},
        {"frist-io", "did you mean 'first-io'?"},
        {"qqqqqqqqqqqq", "and there is no such case; see stormglass list cases"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&diag, 0, sizeof diag);
        assert_null(library_load(rows[i].name, NULL, 0, &diag));
        assert_int_equal(diag.count, 1);
        if (strstr(diag.messages[0].text, rows[i].words) == NULL)
            fail_msg("%s: %s", rows[i].name, diag.messages[0].text);
        assert_string_equal(diag.messages[0].place.file, rows[i].name);
    }
}

/* A path is meant as a path. */
static void a_path_that_is_not_there_is_no_case(void **state)
{
    (void)state;
    static const char *const paths[] = {"nowhere/pause-storm", "./pause-strom",
                                        "nowhere/first-io.yaml"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        memset(&diag, 0, sizeof diag);
        assert_null(library_load(paths[i], NULL, 0, &diag));
        assert_int_equal(diag.count, 1);
        assert_null(strstr(diag.messages[0].text, "case"));
        assert_non_null(strstr(diag.messages[0].text, "No such file"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cases_and_works_are_there_by_name, set_up),
        cmocka_unit_test_setup(a_case_is_changed_by_sets, set_up),
        cmocka_unit_test_setup(a_file_goes_before_a_case, set_up),
        cmocka_unit_test_setup(what_is_neither_is_said_with_the_nearest_case, set_up),
        cmocka_unit_test_setup(a_path_that_is_not_there_is_no_case, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
