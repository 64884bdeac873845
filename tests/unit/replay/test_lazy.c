/* SPDX-License-Identifier: Apache-2.0
 * test_lazy - libraries that are loaded late: the ones whose headers were read, all or nothing. */
#include "replay/files/lazy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    double (*sqrt)(double);
    double (*no_such_function)(double);
} library;

static const struct lazy_function here = {"sqrt", &library.sqrt};
static const struct lazy_function half[] = {{"sqrt", &library.sqrt},
                                            {"no_such_function", &library.no_such_function}};
static char why[LAZY_WHY_BYTES];

static int forget(void **state)
{
    (void)state;
    memset(&library, 0, sizeof library);
    why[0] = '\0';
    return 0;
}

static void a_function_is_found(void **state)
{
    (void)state;
    assert_true(lazy_load("libm.so.6", &here, 1, why));
    assert_true(library.sqrt(144) > 11.9 && library.sqrt(144) < 12.1);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    (void)state;
    assert_false(lazy_load("libno-such.so.7", &here, 1, why));
    assert_non_null(strstr(why, "libno-such.so.7 cannot be loaded: "));
    assert_non_null(strstr(why, "No such file"));
    assert_null(library.sqrt);
}

static void without_one_function_there_is_none(void **state)
{
    (void)state;
    assert_false(lazy_load("libm.so.6", half, 2, why));
    assert_non_null(strstr(why, "no_such_function"));
    assert_null(library.sqrt);
}

static void who_needs_one_ends_with_3(void **state)
{
    (void)state;
    const pid_t made = fork();
    if (made == 0) {
        lazy_need("libno-such.so.7", &here, 1);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(made, &status, 0), made);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void both_have_the_names_of_this_system(void **state)
{
    (void)state;
    void *function = NULL;
    const struct lazy_function pcap = {"pcap_next_ex", &function}, gvc = {"gvLayout", &function};
    assert_true(lazy_load(lazy_pcap, &pcap, 1, why));
    assert_non_null(function);
    assert_true(lazy_load(lazy_gvc, &gvc, 1, why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_function_is_found, forget),
        cmocka_unit_test_setup(a_library_that_is_not_there_is_named, forget),
        cmocka_unit_test_setup(without_one_function_there_is_none, forget),
        cmocka_unit_test_setup(who_needs_one_ends_with_3, forget),
        cmocka_unit_test_setup(both_have_the_names_of_this_system, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
