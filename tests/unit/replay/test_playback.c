/* SPDX-License-Identifier: Apache-2.0
 * The events of a stored run between two moments: those of the whole run that lie there, of all
 * nodes or of one. */
#include "replay/run/playback.h"

#include "replay/run/run.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: played\n"
    "duration: 25us\n"
    "drain: 1ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "workloads: [{name: w, kind: rdma-write, from: \"host1..host2\", to: host0,\n"
    "             message-size: 16KiB}]\n";

enum { TOLD_MAX = 4096, WORDS_BYTES = 160 };

struct told {
    time_ps at;
    char node[32], words[WORDS_BYTES];
};

struct list {
    struct told told[TOLD_MAX];
    uint32_t count;
};

struct fixture {
    char folder[64], path[96];
    struct diag diag;
    struct list all, some;
};

static void record(struct fixture *fixture, time_ps until)
{
    const struct scenario_input input = {.name = "p.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &fixture->diag);
    diag_print(&fixture->diag, stderr);
    assert_non_null(scenario);
    const struct run_options options = {.path = fixture->path, .until = until};
    struct run run;
    assert_int_equal(run_scenario(&run, scenario, &options, &fixture->diag), RUN_DONE);
    assert_true(run_close(&run));
    scenario_free(scenario);
}

static void tell(void *self, const struct eventlog_reported *event)
{
    struct list *list = self;
    assert_true(list->count < TOLD_MAX);
    struct told *told = &list->told[list->count++];
    told->at = event->at;
    snprintf(told->node, sizeof told->node, "%.*s", (int)strcspn(event->port, ":"), event->port);
    snprintf(told->words, sizeof told->words, "%s %s", event->port, event->what);
}

static enum playback_end play(struct fixture *fixture, struct list *list, time_ps from,
                              time_ps until, const char *node, char why[STORE_ERROR_BYTES])
{
    const struct playback playback = {.path = fixture->path,
                                      .from = from,
                                      .until = until,
                                      .node = node,
                                      .tell = tell,
                                      .self = list};
    list->count = 0;
    return playback_run(&playback, why, &fixture->diag);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char why[STORE_ERROR_BYTES];
    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/run.db", fixture->folder);
    record(fixture, TIME_NEVER);
    assert_int_equal(play(fixture, &fixture->all, 0, TIME_NEVER, NULL, why), PLAYBACK_DONE);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    unlink(fixture->path);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static void check(struct fixture *fixture, time_ps from, time_ps until, const char *node)
{
    char why[STORE_ERROR_BYTES];
    uint32_t at = 0;
    assert_int_equal(play(fixture, &fixture->some, from, until, node, why), PLAYBACK_DONE);
    for (uint32_t i = 0; i < fixture->all.count; i++) {
        const struct told *told = &fixture->all.told[i];
        if (told->at <= from || told->at > until || (node != NULL && strcmp(told->node, node) != 0))
            continue;
        assert_true(at < fixture->some.count);
        assert_int_equal(fixture->some.told[at].at, told->at);
        assert_string_equal(fixture->some.told[at++].words, told->words);
    }
    assert_int_equal(at, fixture->some.count);
}

static void all_events_are_told_in_order(void **state)
{
    const struct fixture *fixture = *state;
    assert_true(fixture->all.count > 300);
    for (uint32_t i = 1; i < fixture->all.count; i++)
        assert_true(fixture->all.told[i - 1].at <= fixture->all.told[i].at);
    assert_true(fixture->all.told[fixture->all.count - 1].at > 25 * PS_PER_US);
}

static void a_window_has_what_lies_in_it(void **state)
{
    struct fixture *fixture = *state;
    const time_ps one = fixture->all.told[100].at;
    static const time_ps us = PS_PER_US;
    check(fixture, 0, 3 * us, NULL);
    check(fixture, 2 * us, 3 * us, NULL);
    check(fixture, 3 * us, 15 * us + 1, NULL);
    check(fixture, 5 * us, TIME_NEVER, NULL);
    check(fixture, one - 1, one, NULL);
    assert_true(fixture->some.count > 0);
    check(fixture, one, one + 1, NULL);
    check(fixture, 7 * us, 7 * us, NULL);
    assert_int_equal(fixture->some.count, 0);
    check(fixture, 9 * us, 8 * us, NULL);
    assert_int_equal(fixture->some.count, 0);
    check(fixture, PS_PER_S, TIME_NEVER, NULL);
    assert_int_equal(fixture->some.count, 0);
}

static void of_one_node_its_own(void **state)
{
    struct fixture *fixture = *state;
    static const char *const nodes[] = {"host0", "host1", "host2", "switch0"};
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        check(fixture, 0, TIME_NEVER, nodes[i]);
        assert_true(fixture->some.count > 0);
        sum += fixture->some.count;
        check(fixture, 6 * PS_PER_US, 17 * PS_PER_US, nodes[i]);
        assert_true(fixture->some.count > 0);
    }
    assert_int_equal(sum, fixture->all.count);
}

/* A run that was stopped is told as far as it went. */
static void a_run_ends_where_it_was_stopped(void **state)
{
    struct fixture *fixture = *state;
    char why[STORE_ERROR_BYTES];
    const time_ps until = 12 * PS_PER_US + 5;
    record(fixture, until);
    assert_int_equal(play(fixture, &fixture->some, 0, TIME_NEVER, NULL, why), PLAYBACK_DONE);
    uint32_t count = 0;
    while (fixture->all.told[count].at <= until)
        count++;
    assert_int_equal(fixture->some.count, count);
    record(fixture, TIME_NEVER);
}

static void what_cannot_be_told_is_refused(void **state)
{
    struct fixture *fixture = *state;
    char why[STORE_ERROR_BYTES];
    assert_int_equal(play(fixture, &fixture->some, 0, TIME_NEVER, "switch1", why),
                     PLAYBACK_REFUSED);
    assert_non_null(strstr(why, "there is no node 'switch1'"));
    assert_non_null(strstr(why, "'switch0'"));
    assert_int_equal(fixture->some.count, 0);
    struct fixture other = *fixture;
    strcat(other.path, "x");
    assert_int_equal(play(&other, &fixture->some, 0, TIME_NEVER, NULL, why), PLAYBACK_REFUSED);
    assert_non_null(strstr(why, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_events_are_told_in_order),
        cmocka_unit_test(a_window_has_what_lies_in_it),
        cmocka_unit_test(of_one_node_its_own),
        cmocka_unit_test(a_run_ends_where_it_was_stopped),
        cmocka_unit_test(what_cannot_be_told_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
