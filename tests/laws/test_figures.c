/* SPDX-License-Identifier: Apache-2.0
 * test_figures - no run stores or prints a figure that cannot be.
 * With arguments: judges these databases, of whatever version, and says what is wrong with each. */
#include "base/memory.h"
#include "replay/run/run.h"
#include "scenarios/embedded.h"
#include "scenarios/load/library.h"
#include "tests/laws/run/run_laws.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* At every level, with the account of time and without, with fine samples and those of the
 * default. */
static void play(const char *name, const char *const *sets, uint32_t set_count, unsigned turn)
{
    const char *folder = getenv("TMPDIR");
    char path[200], sentence[RUN_LAWS_BOUND_BYTES];
    static unsigned number; /* one that fails stays open */
    snprintf(path, sizeof path, "%s/figures%u.db", folder == NULL ? "/tmp" : folder, number++);
    struct run_options options = {.path = path,
                                  .level = (enum record_level)(turn % 3),
                                  .waits = turn % 2 == 0,
                                  .interval = SERIES_AUTO,
                                  .until = TIME_NEVER};
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(name, sets, set_count, diag);
    if (scenario == NULL) { /* something of it begins later */
        *diag = (struct diag){0};
        scenario = library_load(name, NULL, 0, diag);
    }
    assert_non_null(scenario);
    if (turn % 4 == 1)
        options.interval = time_later(3 * PS_PER_US, scenario->duration / 10000);
    struct run run = {0};
    if (run_scenario(&run, scenario, &options, diag) != RUN_DONE)
        fail_msg("%s: %s", name, run.error);
    run_laws_figures(record_store(run.record), sentence);
    if (sentence[0] != '\0')
        fail_msg("%s: %s", name, sentence);
    assert_true(run_close(&run));
    remove(path);
    scenario_free(scenario);
    free(diag);
}

static void no_case_has_an_impossible_figure(void **state)
{
    (void)state;
    static const char *const sets[] = {"duration=2ms"};
    unsigned cases = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const char *name = strrchr(file->name, '/');
        const size_t length = strlen(file->name);
        if (strncmp(file->name, "cases/", 6) != 0 || name == NULL || length < 5 ||
            strcmp(file->name + length - 5, ".yaml") != 0 || strstr(name, "fat-tree") != NULL)
            continue;
        const bool crash = strstr(name, "crash") != NULL; /* its fault comes after seconds */
        play(name + 1, sets, crash ? 0 : 1, cases++);
    }
    assert_true(cases >= 8);
}

static void play_folder(const char *pattern, unsigned least)
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (unsigned turn = 0; turn < 2; turn++)
            play(found.gl_pathv[i], NULL, 0, turn);
    assert_true(found.gl_pathc >= least);
    globfree(&found);
}

/* Each printed a figure that cannot be. */
static void what_was_impossible_is_so_no_more(void **state)
{
    (void)state;
    play_folder("tests/laws/impossible/*.yaml", 9);
}

static int judge_databases(int count, char **paths)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        char sentence[RUN_LAWS_BOUND_BYTES], error[STORE_ERROR_BYTES];
        struct store *store = store_open(paths[i], error);
        if (store == NULL) {
            printf("%s: %s\n", paths[i], error);
            return 2;
        }
        run_laws_figures(store, sentence);
        printf("%s: %s\n", paths[i], sentence[0] == '\0' ? "possible" : sentence);
        wrong += sentence[0] != '\0';
        store_close(store);
    }
    return wrong > 0;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_case_has_an_impossible_figure),
        cmocka_unit_test(what_was_impossible_is_so_no_more),
    };
    if (count > 1)
        return judge_databases(count - 1, arguments + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
