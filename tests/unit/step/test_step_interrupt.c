/* SPDX-License-Identifier: Apache-2.0
 * ^C in a session: who is asked, and who is after it. */
#define _GNU_SOURCE /* fopencookie */
#include "tests/unit/step/stand.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static volatile sig_atomic_t interrupts;

static void count_interrupt(int number)
{
    (void)number;
    interrupts++;
}

/* Somebody presses ^C while a line is awaited, and then there is no more. */
static ssize_t interrupt_once(void *self, char *to, size_t size)
{
    bool *done = self;
    if (*done)
        return 0;
    *done = true;
    raise(SIGINT);
    return snprintf(to, size, "where\n");
}

/* A session of a person catches it, and gives the handler back; that of a program leaves it. */
static void an_interrupt_is_caught_at_a_terminal_alone(void **state)
{
    struct stand *stand = *state;
    const sighandler_t former = signal(SIGINT, count_interrupt);
    for (int terminal = 0; terminal < 2; terminal++) {
        size_t bytes;
        bool done = false;
        interrupts = 0;
        free(stand->out);
        free(stand->wrong);
        const struct step_session session = {
            .scenario = stand->scenario,
            .until = TIME_NEVER,
            .in = fopencookie(&done, "r", (cookie_io_functions_t){.read = interrupt_once}),
            .out = open_memstream(&stand->out, &bytes),
            .wrong = open_memstream(&stand->wrong, &bytes),
            .name = "script",
            .terminal = terminal,
        };
        assert_int_equal(step_run(&session, &stand->diag), STEP_DONE);
        fclose(session.in);
        fclose(session.out);
        fclose(session.wrong);
        assert_int_equal(interrupts, terminal ? 0 : 1);
        raise(SIGINT);
        assert_int_equal(interrupts, terminal ? 1 : 2);
    }
    signal(SIGINT, former);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_interrupt_is_caught_at_a_terminal_alone, stand_set_up,
                                        stand_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
