/* SPDX-License-Identifier: Apache-2.0
 * A session of lines: what each command prints and where it leads, against a stepper of one's own
 * that is moved to the same places in this process. */
#define _GNU_SOURCE /* fopencookie */
#include "tests/unit/step/stand.h"

#include "base/memory.h"
#include "replay/step/step_acts_private.h"
#include "replay/step/step_player.h"
#include "replay/step/step_tell.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The session prints what was expected so far. */
static void check(struct stand *stand, const char *script)
{
    assert_int_equal(stand_play(stand, script, false, NULL, TIME_NEVER), STEP_DONE);
    fflush(stand->expect);
    assert_string_equal(stand->out, stand->expected);
    assert_string_equal(stand->wrong, "");
}

/* ------------------------------------------------------------------ the same by oneself */

static void at_end(struct stand *stand)
{
    struct step_moved moved;
    const struct step_goal goal = stand_goal(stand, NULL);
    stepper_move(stand->own, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_END);
    stand_expect_position(stand);
    stand_expect_digest(stand, "the run is over; ");
}

/* The n-th time that it is true, from the begin. */
static uint64_t at_hit(struct stand *stand, const char *condition, uint64_t n)
{
    struct step_moved moved;
    const char *const conditions[] = {condition, NULL};
    struct step_goal goal = stand_goal(stand, conditions);
    goal.hits = n;
    stand_rewind(stand);
    stepper_move(stand->own, &goal, &moved);
    assert_int_equal(moved.end, STEP_AT_HIT);
    if (moved.what[0] != '\0')
        fprintf(stand->expect, "%s\n", moved.what);
    stand_expect_position(stand);
    return moved.position.events;
}

/* ------------------------------------------------------------------ going */

static void events_and_moments_forwards_and_back(void **state)
{
    struct stand *stand = *state;
    stand_at_event(stand, 1);
    stand_at_event(stand, 6);
    stand_at_time(stand, 30 * PS_PER_US);
    const uint64_t events = stepper_position(stand->own).events;
    fprintf(stand->expect, "after event %llu, 30.000000 us\n", (unsigned long long)events);
    stand_expect_digest(stand, "");
    stand_at_event(stand, events - 1); /* between two events is one step behind the last */
    stand_at_event(stand, events - 3);
    fprintf(stand->expect, "at event %llu, %.6f us\n", (unsigned long long)events - 3,
            (double)stepper_position(stand->own).now / PS_PER_US);
    stand_expect_digest(stand, "");
    stand_at_event(stand, 40);
    stand_at_time(stand, 25 * PS_PER_US);
    stand_expect_digest(stand, "");
    stand_at_time(stand, 26 * PS_PER_US);
    stand_at_event(stand, 0);
    check(stand, "next\nn 5\nuntil 30us\nwhere\nback 2\nbk 2\nwhere\ngoto event 40\ngoto 25us\n"
                 "digest\ncontinue until 26us\nback 100000\nquit\nnext\n");
}

static void the_end_is_the_end(void **state)
{
    struct stand *stand = *state;
    at_end(stand);
    stand_expect_digest(stand, "");
    const uint64_t events = stepper_position(stand->own).events;
    stand_at_event(stand, events - 2);
    at_end(stand);
    stand_at_time(stand, 20 * PS_PER_US);
    at_end(stand);
    check(stand, "run\ndigest\nback 3\nnext 9223372036854775807\ngoto 20us\nnext 7 cnp\n");
}

static void conditions_forwards_and_back(void **state)
{
    struct stand *stand = *state;
    at_hit(stand, "io of w", 3);
    at_hit(stand, "io of w", 2);
    at_hit(stand, "io of w", 6);
    stand_at_time(stand, 0);
    at_hit(stand, "drop", 1);
    fputs("start of the run reached after 0 matches\n", stand->expect);
    stand_at_event(stand, 0);
    at_hit(stand, "drop", 2);
    fputs("start of the run reached after 1 match\n", stand->expect);
    stand_at_event(stand, 0);
    check(stand, "next 3 io of w\nback io of w\nnext 4 io of w\n"
                 "goto 0s\nnext drop\nback 1 drop\nnext 2 drop\nback 2 drop\n");
}

/* ------------------------------------------------------------------ breaks */

/* Goes on as a session does: each event of a point is told, a break stops it, and so does the n-th
 * event of the last condition if that is the command's own. */
static void go_on(struct stand *stand, const char *const *texts, const bool *stops,
                  const unsigned *numbers, bool has_own, unsigned times)
{
    const struct step_goal goal = stand_goal(stand, texts);
    const uint32_t points = goal.condition_count - has_own;
    for (;;) {
        struct step_moved moved;
        bool stop = false;
        stepper_move(stand->own, &goal, &moved);
        if (moved.end != STEP_AT_HIT) {
            stand_expect_position(stand);
            stand_expect_digest(stand, "the run is over; ");
            return;
        }
        for (uint32_t i = 0; i < points; i++) {
            if ((moved.conditions >> i & 1) == 0)
                continue;
            stop |= stops[i];
            fprintf(stand->expect, "at %s %u: %s\n", stops[i] ? "break" : "watch", numbers[i],
                    texts[i]);
        }
        const bool own = has_own && (moved.conditions >> points & 1) != 0;
        if (moved.what[0] != '\0')
            fprintf(stand->expect, "%s\n", moved.what);
        times -= own;
        if (stop || (has_own && times == 0) || !own)
            stand_expect_position(stand);
        if (stop || (has_own && times == 0))
            return;
    }
}

static void breaks_stop_and_watches_tell(void **state)
{
    struct stand *stand = *state;
    static const char *const texts[] = {"io of w", "drop", NULL};
    static const bool stops[] = {false, true};
    static const unsigned numbers[] = {1, 2};
    fputs("watch 1: io of w\nbreak 2: drop\n", stand->expect);
    go_on(stand, texts, stops, numbers, false, 0);
    const uint64_t first = stepper_position(stand->own).events;
    go_on(stand, texts, stops, numbers, false, 0);
    fputs("watch 1: io of w\nbreak 2: drop\n", stand->expect);
    at_hit(stand, "drop", 1);
    assert_int_equal(stepper_position(stand->own).events, first);
    fputs("start of the run reached after 0 matches\n", stand->expect);
    stand_at_event(stand, 0);
    fputs("no break is set; break CONDITION sets one\n", stand->expect);
    go_on(stand, texts + 0, stops, numbers, true, 2); /* `drop` is the command's own now */
    go_on(stand, texts + 1, stops, numbers, true, 1);
    fputs("no break or watch is set\n", stand->expect);
    check(stand, "watch io of w# often\nbreak drop\ncontinue\nc\nbreaks\nreverse\nreverse\n"
                 "delete 2\nreverse\nnext 2 drop\ndelete\nnext drop\nbreaks\n");
}

static void every_point_is_told_to_the_end(void **state)
{
    struct stand *stand = *state;
    static const char *const texts[] = {"drop", "io of w", "resent", NULL};
    static const bool stops[] = {false, false, false};
    static const unsigned numbers[] = {1, 3, 4};
    fputs("watch 1: drop\nbreak 2: pause\nwatch 3: io of w\nwatch 4: resent\n", stand->expect);
    go_on(stand, texts, stops, numbers, false, 0);
    check(stand, "watch drop\nbreak pause\nwatch io of w\nwatch resent\ndelete 2\nrun\n");
}

/* Of a terminal, where a wrong line is not the end. */
static void there_are_only_so_many_breaks(void **state)
{
    struct stand *stand = *state;
    char script[4096], last[80];
    size_t used = 0;
    for (int i = 0; i < BREAKS_MAX + 1; i++)
        used += (size_t)snprintf(script + used, sizeof script - used, "break drop\n");
    snprintf(script + used, sizeof script - used, "delete 77\ndelete 5\nwatch drop\nbreaks\n");
    assert_int_equal(stand_play(stand, script, true, NULL, TIME_NEVER), STEP_DONE);
    snprintf(last, sizeof last, "too many breaks and watches: expected at most %d", BREAKS_MAX);
    assert_non_null(strstr(stand->wrong, last));
    assert_non_null(strstr(stand->wrong, "script:33:8: error: no break or watch has number 77"));
    assert_non_null(strstr(stand->out, "(step) watch 32: drop\n(step) break 1: drop\nbreak 2: "
                                       "drop\nbreak 3: drop\nbreak 4: drop\nbreak 6: drop\n"));
    assert_non_null(strstr(stand->out, "break 31: drop\nwatch 32: drop\n(step) \n"));
    assert_null(strstr(stand->out, "break 32"));
}

/* ------------------------------------------------------------------ looking */

static void looking_is_the_same_in_another_process(void **state)
{
    struct stand *stand = *state;
    static const struct {
        const char *line;
        step_tell *tell;
        uint32_t number;
    } looks[] = {
        {"list", step_list, STEP_LIST_PRESET},
        {"list 3", step_list, 3},
        {"show", step_show, 0},
        {"show host0", step_show, 0},
        {"show switch0:p1", step_show, 0},
        {"why host1", step_why, 0},
        {"why w", step_why, 0},
    };
    char script[512] = "goto event 300\n";
    stand_at_event(stand, 300);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        struct step_command command;
        struct step_wrong wrong;
        assert_true(step_command_parse(looks[i].line, stand->scenario, &command, &wrong));
        looks[i].tell(stand->own, &command.subject, looks[i].number, stand->expect);
        strcat(strcat(script, looks[i].line), "\n");
    }
    strcat(script, "where\n");
    fprintf(stand->expect, "at event 300, %.6f us\n",
            (double)stepper_position(stand->own).now / PS_PER_US);
    stand_expect_digest(stand, "");
    check(stand, script);
}

static void tell_letters(const struct stepper *stepper, const struct step_subject *subject,
                         uint32_t number, FILE *out)
{
    (void)stepper;
    (void)subject;
    for (uint32_t i = 0; i < number; i++)
        fputc('a' + (int)(i % 26), out);
}

static void texts_of_any_length_come_from_another_process(void **state)
{
    struct stand *stand = *state;
    static const uint32_t lengths[] = {0, 1, 2, 26, 1000000};
    struct step_player player;
    stand_rewind(stand);
    assert_true(step_player_start(&player, stand->own));
    stand->own = NULL;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *told = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&told, &bytes);
        assert_true(step_player_tell(&player, tell_letters, &step_subject_any, lengths[i], out));
        fclose(out);
        assert_int_equal(bytes, lengths[i]);
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(told[k], 'a' + k % 26);
        free(told);
    }
    step_player_end(&player);
}

/* Of a queue pair it is said what is on its way, and nothing when there is nothing. */
static void what_is_on_its_way_is_shown(void **state)
{
    struct stand *stand = *state;
    bool some = false, none = false;
    stand_rewind(stand);
    for (uint64_t events = 1; events < 400; events += 3) {
        struct step_moved moved;
        struct step_goal goal = stand_goal(stand, NULL);
        goal.events = events;
        stepper_move(stand->own, &goal, &moved);
        const struct rnic *rnic = world_host(stepper_world(stand->own), 1)->rnics[0];
        for (uint32_t i = 0; i < rnic->qps.used; i++) {
            const struct qp *qp = &rnic->qp_slots[i];
            if (qp->qpn == 0 || qp->state != IBV_QPS_RTS)
                continue;
            struct step_command command;
            struct step_wrong wrong;
            char line[64], *shown = NULL;
            size_t bytes;
            snprintf(line, sizeof line, "show host1 qp %u", qp->qpn);
            assert_true(step_command_parse(line, stand->scenario, &command, &wrong));
            FILE *out = open_memstream(&shown, &bytes);
            step_show(stand->own, &command.subject, 0, out);
            fclose(out);
            assert_non_null(strstr(shown, "next PSN to send "));
            assert_int_equal(strstr(shown, " unacknowledged packet") != NULL, qp_outstanding(qp));
            some |= qp_outstanding(qp);
            none |= !qp_outstanding(qp);
            free(shown);
        }
    }
    assert_true(some && none);
}

static void help_has_every_command_and_condition(void **state)
{
    struct stand *stand = *state;
    assert_int_equal(stand_play(stand, "help\n", false, NULL, TIME_NEVER), STEP_DONE);
    unsigned lines = 0;
    for (const char *at = stand->out; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, STEP_VERB_COUNT);
    for (int i = 0; i < STEP_VERB_COUNT; i++) {
        assert_non_null(strstr(stand->out, step_commands[i].word));
        assert_non_null(strstr(stand->out, step_commands[i].about));
    }
    assert_int_equal(stand_play(stand, "help conditions\n", false, NULL, TIME_NEVER), STEP_DONE);
    for (int i = 0; i < STEP_QUANTITY_COUNT; i++) {
        assert_non_null(strstr(stand->out, step_conditions[i].word));
        assert_non_null(strstr(stand->out, step_conditions[i].about));
    }
    assert_null(strstr(stand->out, step_commands[0].about));
}

/* ------------------------------------------------------------------ lines */

static void a_wrong_line_ends_a_script_and_no_person(void **state)
{
    struct stand *stand = *state;
    static const char script[] = "next\n# nothing\n\nnext x\nnext\n";
    assert_int_equal(stand_play(stand, script, false, NULL, TIME_NEVER), STEP_WRONG);
    stand_at_event(stand, 1);
    fflush(stand->expect);
    assert_string_equal(stand->out, stand->expected);
    assert_non_null(strstr(stand->wrong, "script:4:6: error: "));
    assert_non_null(strstr(stand->wrong, "next x\n"));
    assert_int_equal(stand_play(stand, script, true, NULL, TIME_NEVER), STEP_DONE);
    assert_non_null(strstr(stand->wrong, "script:4:6: error: "));
    /* The empty line does once more what the comment did. */
    assert_int_equal(strncmp(stand->out, "(step) event 1 ", 15), 0);
    assert_non_null(strstr(stand->out, "(step) (step) (step) (step) event 2 "));
}

static void an_empty_line_of_a_person_is_the_last_again(void **state)
{
    struct stand *stand = *state;
    assert_int_equal(stand_play(stand, "next 2\r\n\n\r\nquit\n", true, NULL, TIME_NEVER),
                     STEP_DONE);
    assert_int_equal(strncmp(stand->out, "(step) event 2 ", 15), 0);
    assert_non_null(strstr(stand->out, "\n(step) event 4 "));
    assert_non_null(strstr(stand->out, "\n(step) event 6 "));
    assert_string_equal(stand->out + strlen(stand->out) - 7, "(step) ");
    assert_int_equal(stand_play(stand, "next 2\n\n", false, NULL, TIME_NEVER), STEP_DONE);
    stand_at_event(stand, 2);
    fflush(stand->expect);
    assert_string_equal(stand->out, stand->expected);
}

/* One byte less is a line; of one that is too long nothing is left for the next. */
static void lines_have_a_length(void **state)
{
    struct stand *stand = *state;
    char script[2 * STEP_LINE_BYTES + 16];
    for (int more = 0; more < 2; more++) {
        const size_t length = STEP_LINE_BYTES - 2 + (size_t)more;
        memset(script, ' ', sizeof script);
        memcpy(script, "next", 4);
        strcpy(script + length, "\nnext\n");
        assert_int_equal(stand_play(stand, script, true, NULL, TIME_NEVER), STEP_DONE);
        assert_int_equal(
            strstr(stand->wrong, "script:1:1: error: expected a line of less than") != NULL, more);
        assert_int_equal(strstr(stand->out, "event 2 ") == NULL, more);
        assert_non_null(strstr(stand->out, "event 1 "));
    }
    memset(script, 'x', sizeof script);
    strcpy(script + 2 * STEP_LINE_BYTES, "\nnext\n");
    assert_int_equal(stand_play(stand, script, true, NULL, TIME_NEVER), STEP_DONE);
    assert_non_null(strstr(stand->out, "event 1 "));
    assert_null(strstr(stand->wrong, "script:2"));
}

/* ------------------------------------------------------------------ a process that is gone */

/* Lines that are read one after the other; before the second one all players are killed. */
struct killer {
    const char *lines[2];
    int read;
};

static void kill_players(void)
{
    char path[64], name[32];
    DIR *all = opendir("/proc");
    assert_non_null(all);
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        const int pid = atoi(entry->d_name);
        int group = 0, parent = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        if (fscanf(file, "%*d (%31[^)]) %*c %d %d", name, &parent, &group) == 3 &&
            pid != getpid() && group == getpgrp() && strncmp(name, "test_step_sess", 14) == 0)
            kill(pid, SIGKILL);
        fclose(file);
    }
    closedir(all);
}

static ssize_t read_next(void *self, char *to, size_t size)
{
    struct killer *killer = self;
    if (killer->read == 2)
        return 0;
    if (killer->read == 1)
        kill_players();
    const int length = snprintf(to, size, "%s\n", killer->lines[killer->read++]);
    return length;
}

static void a_process_that_is_gone_ends_the_session(void **state)
{
    struct stand *stand = *state;
    static const char *const lines[] = {"next",      "next 3",  "continue", "until 30us",
                                        "back 1",    "back io", "goto 5us", "goto event 2",
                                        "next 2 io", "show",    "why w",    "list",
                                        "where",     "digest",  "run"};
    if (getpgrp() != getpid()) /* whoever else is of this name is left alone */
        assert_int_equal(setpgid(0, 0), 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct killer killer = {.lines = {"until 10us", lines[i]}};
        size_t out_bytes, wrong_bytes;
        free(stand->out);
        free(stand->wrong);
        const struct step_session session = {
            .scenario = stand->scenario,
            .until = TIME_NEVER,
            .in = fopencookie(&killer, "r", (cookie_io_functions_t){.read = read_next}),
            .out = open_memstream(&stand->out, &out_bytes),
            .wrong = open_memstream(&stand->wrong, &wrong_bytes),
            .name = "script",
        };
        setvbuf(session.in, NULL, _IOLBF, 64);
        const enum step_result result = step_run(&session, &stand->diag);
        fclose(session.in);
        fclose(session.out);
        fclose(session.wrong);
        if (result != STEP_BROKEN)
            fail_msg("%s: %d", lines[i], (int)result);
        assert_string_equal(stand->wrong, "stormglass: the process of the run has ended\n");
    }
}

/* The scenario is read, but its switch has no memory for what its cables need. */
static void a_world_that_cannot_be_built_begins_no_session(void **state)
{
    static const char text[] =
        "stormglass: 1\nname: small\nduration: 1ms\nfabric: {topology: {kind: single-switch, "
        "hosts: 2}, switch: {buffer: 20KB}}\n"
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n";
    const struct scenario_input input = {.name = "s", .text = text, .length = sizeof text - 1};
    struct stand *stand = *state;
    struct scenario *whole = stand->scenario;
    stand->scenario = scenario_load(&input, &stand->diag);
    assert_non_null(stand->scenario);
    assert_int_equal(stand_play(stand, "next\n", false, NULL, TIME_NEVER), STEP_WRONG);
    assert_true(diag_failed(&stand->diag));
    assert_string_equal(stand->out, "");
    scenario_free(stand->scenario);
    stand->scenario = whole;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stand_set_up, stand_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_and_moments_forwards_and_back),
        TEST(the_end_is_the_end),
        TEST(conditions_forwards_and_back),
        TEST(breaks_stop_and_watches_tell),
        TEST(every_point_is_told_to_the_end),
        TEST(there_are_only_so_many_breaks),
        TEST(looking_is_the_same_in_another_process),
        TEST(texts_of_any_length_come_from_another_process),
        TEST(what_is_on_its_way_is_shown),
        TEST(help_has_every_command_and_condition),
        TEST(a_wrong_line_ends_a_script_and_no_person),
        TEST(an_empty_line_of_a_person_is_the_last_again),
        TEST(lines_have_a_length),
        TEST(a_world_that_cannot_be_built_begins_no_session),
        TEST(a_process_that_is_gone_ends_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
