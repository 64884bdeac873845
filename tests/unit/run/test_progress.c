/* SPDX-License-Identifier: Apache-2.0
 * The bar on a terminal and the lines elsewhere: not too often, and what they say. */
#define _GNU_SOURCE
#include "replay/run/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHOWN_BYTES = 512 };

static int master, former;

/* stderr becomes a terminal, whose other end is read. */
static int set_up(void **state)
{
    (void)state;
    fflush(stderr);
    former = dup(STDERR_FILENO);
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return -1;
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios plain;
    if (slave < 0 || tcgetattr(slave, &plain) != 0)
        return -1;
    cfmakeraw(&plain);
    tcsetattr(slave, TCSANOW, &plain);
    dup2(slave, STDERR_FILENO);
    close(slave);
    return fcntl(master, F_SETFL, O_NONBLOCK);
}

static int tear_down(void **state)
{
    (void)state;
    dup2(former, STDERR_FILENO);
    close(former);
    close(master);
    return 0;
}

/* What was written since the last time. */
static const char *written(void)
{
    static char text[SHOWN_BYTES];
    const ssize_t got = read(master, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

static struct progress begin(void)
{
    struct progress progress;
    progress_begin(&progress, true);
    assert_true(progress.on);
    assert_string_equal(written(), "");
    progress.shown_s -= 1; /* long ago */
    return progress;
}

static void it_says_how_far_it_is(void **state)
{
    (void)state;
    static const struct {
        time_ps now, end;
        const char *words;
        double left_s;
    } rows[] = {
        {0, 2 * PS_PER_MS, "\r  [..............................]   0%  0 ps of 2.00 ms, ", 0},
        {PS_PER_MS, 2 * PS_PER_MS,
         "\r  [###############...............]  50%  1.000 ms of 2.00 ms, ", 1e6},
        {PS_PER_MS, 3 * PS_PER_MS,
         "\r  [##########....................]  33%  1.000 ms of 3.00 ms, ", 2e6},
        {2 * PS_PER_MS, 2 * PS_PER_MS,
         "\r  [##############################] 100%  2.00 ms of 2.00 ms, ", 0},
        {3 * PS_PER_MS, 2 * PS_PER_MS,
         "\r  [##############################] draining: 1.000 ms after the "
         "end \033[K",
         -1},
        {0, 0, "\r  [##############################] 100%  0 ps of 0 ps, ", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct progress progress = begin();
        progress.begun_s -= 1e6; /* so long that this machine's own delays are nothing beside it */
        progress_show(&progress, rows[i].now, rows[i].end);
        const char *text = written();
        if (strncmp(text, rows[i].words, strlen(rows[i].words)) != 0)
            fail_msg("row %zu: %s", i, text);
        if (rows[i].left_s < 0)
            continue;
        char *end;
        const double left_s = strtod(text + strlen(rows[i].words), &end);
        assert_true(left_s >= rows[i].left_s && left_s <= rows[i].left_s * 1.01);
        assert_string_equal(end, " s left \033[K");
    }
}

static void it_is_not_shown_again_at_once(void **state)
{
    (void)state;
    struct progress progress = begin();
    progress_show(&progress, 1, 2);
    assert_string_not_equal(written(), "");
    progress.shown_s += 100; /* however slow this machine is */
    progress_show(&progress, 2, 2);
    assert_string_equal(written(), "");
}

static void its_line_is_gone_at_the_end(void **state)
{
    (void)state;
    struct progress progress = begin();
    progress_end(&progress);
    assert_string_equal(written(), "\r\033[K");
    assert_false(progress.on);
    progress_end(&progress);
    progress_show(&progress, 1, 2);
    assert_string_equal(written(), "");
}

static void who_does_not_want_it_sees_nothing(void **state)
{
    (void)state;
    struct progress progress;
    progress_begin(&progress, false);
    assert_false(progress.on);
    progress.shown_s -= 1;
    progress_show(&progress, 1, 2);
    progress_end(&progress);
    assert_string_equal(written(), "");
}

static void a_pipe_gets_one_line_a_minute(void **state)
{
    (void)state;
    struct progress progress;
    int ends[2];
    const int terminal = dup(STDERR_FILENO), kept = master;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    master = ends[0];
    progress_begin(&progress, true);
    assert_false(progress.bar);
    progress.begun_s -= 1e6;
    progress.shown_s -= 50; /* as long as this machine delays us by less than 10 s */
    progress_show(&progress, PS_PER_MS, 3 * PS_PER_MS);
    assert_string_equal(written(), "");
    progress.shown_s -= 11;
    progress_show(&progress, PS_PER_MS, 3 * PS_PER_MS);
    const char *line = written();
    const char *end = strchr(line, '\n');
    assert_non_null(strstr(line, " s: simulated 1.000 ms of 3.00 ms (33%), about 20000"));
    assert_true(end != NULL && end[1] == '\0' && strchr(line, '\r') == NULL);
    progress_show(&progress, 2 * PS_PER_MS, 3 * PS_PER_MS);
    assert_string_equal(written(), "");
    progress.shown_s -= 61;
    progress_show(&progress, 4 * PS_PER_MS, 3 * PS_PER_MS);
    assert_non_null(strstr(written(), " s: draining, 1.000 ms after the end\n"));
    progress_end(&progress);
    assert_string_equal(written(), "");
    master = kept;
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_says_how_far_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_not_shown_again_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(its_line_is_gone_at_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_does_not_want_it_sees_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_gets_one_line_a_minute, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
