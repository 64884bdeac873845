/* SPDX-License-Identifier: Apache-2.0
 * Lines that a person types: which command each is, and where it is wrong. */
#include "base/memory.h"
#include "replay/step/step_command.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "stormglass: 1\n"
    "name: step\n"
    "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 3}}\n"
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "
    "fixed}]}}\n"
    "workloads:\n"
    "  - {name: hot, kind: nvme, from: host1, to: host0}\n"
    "  - {name: raw, kind: rdma-write, from: host5, to: host3}\n";

static struct scenario *load(void)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const struct scenario_input input = {.name = "step", .text = text, .length = sizeof text - 1};
    struct scenario *scenario = scenario_load(&input, diag);
    if (scenario == NULL)
        diag_print(diag, stderr);
    assert_non_null(scenario);
    free(diag);
    return scenario;
}

static const struct {
    const char *line;
    int column; /* 0: it is right */
    const char *words;
} lines[] = {
    {"", 0, ""},
    {"  # a comment", 0, ""},
    {"next", 0, ""},
    {"n 3 packets of host3", 0, ""},
    {"next io of hot", 0, ""},
    {"back 2 completed of hot > 1ms", 0, ""},
    {"break leaf1:p3 prio 3 paused > 50us", 0, ""},
    {"b queue leaf0:p0 priority 3 > 100KiB # so much", 0, ""},
    {"b buffer > 50% leaf0", 0, ""},
    {"b packet from host1 to host0 qp 17", 0, ""},
    {"goto event 12", 0, ""},
    {"goto 1.5us", 0, ""},
    {"c until 3ms", 0, ""},
    {"show", 0, ""},
    {"show leaf0:p1 prio 4", 0, ""},
    {"nxet", 1, "did you mean 'next'"},
    {"  zzzzzz", 3, "'help' lists them"},
    {"next 0", 6, "from 1 on"},
    {"next 99999999999999999999", 6, "expected a number"},
    {"continue after 3ms", 10, "expected 'until'"},
    {"until", 6, "a time such as"},
    {"until 3", 7, "a time such as"},
    {"goto event", 11, "expected a number"},
    {"break", 6, "expected a condition"},
    {"break leaf0", 12, "expected a condition"},
    {"break leaf0 leaf1 drop", 13, "a second one"},
    {"break leaf7 drop", 7, "did you mean 'leaf0'"},
    {"break leaf0:p9 drop", 14, "from 0 to 3"},
    {"break leaf0:9 drop", 7, "a port such as leaf0:p0"},
    {"break drop > 3", 14, "expected no value"},
    {"break paused > 3KiB", 16, "a time such as"},
    {"break queue leaf0", 7, "expected 'queue > SIZE'"},
    {"break queue > 3KiB", 7, "expected a node"},
    {"break queue host1 > 3KiB", 13, "expected a switch"},
    {"break buffer leaf0:p1 > 3KiB", 14, "does not apply to a port"},
    {"break drop of hot", 15, "does not apply to a workload"},
    {"break issued by host1", 17, "does not apply to a node"},
    {"break deadlock leaf0", 16, "does not apply to a node"},
    {"break packet from leaf0", 19, "is a switch"},
    {"break pause from host0", 7, "'from' and 'to' are for"},
    {"break completed prio 3", 7, "no priority"},
    {"break pause qp 3", 7, "no queue pair"},
    {"break paused prio 8", 19, "from 0 to 7"},
    {"why", 4, "expected a port"},
    {"show hot now", 10, "a second one"},
    {"where x", 7, "the end of the line"},
    {"help me", 6, "expected 'conditions'"},
    {"help x", 6, "expected 'conditions'"},
};

static void lines_are_read_or_refused_at_a_column(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct step_command command;
        struct step_wrong wrong;
        const bool well = step_command_parse(lines[i].line, scenario, &command, &wrong);
        if (wrong.column != lines[i].column || strstr(wrong.text, lines[i].words) == NULL)
            fail_msg("'%s': %d: %s", lines[i].line, wrong.column, wrong.text);
        assert_true(!well || wrong.column == 0);
    }
    scenario_free(scenario);
}

static void a_condition_has_what_the_line_says(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct step_command command;
    struct step_wrong wrong;
    assert_true(step_command_parse("b leaf1:p3 prio 3 paused > 50us", scenario, &command, &wrong));
    const struct step_subject *subject = &command.condition.subject;
    assert_string_equal(scenario->nodes[subject->node].name, "leaf1");
    assert_int_equal(subject->port, 3);
    assert_int_equal(subject->priority, 3);
    assert_int_equal(command.condition.quantity, STEP_PAUSED);
    assert_int_equal(command.condition.above, 50 * PS_PER_US);
    assert_true(step_command_parse("n 7 packets from host1", scenario, &command, &wrong));
    assert_int_equal(command.number, 7);
    assert_int_equal(command.condition.quantity, STEP_PACKET);
    assert_int_equal(command.condition.subject.to, STEP_ANY);
    assert_true(step_command_parse("b buffer leaf0 > 12.5%", scenario, &command, &wrong));
    assert_true(command.condition.share);
    assert_int_equal(command.condition.above, 125000);
    scenario_free(scenario);
}

static void a_line_is_a_command_with_its_number_and_moment(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum step_verb verb;
        int64_t number; /* -1: it has none of its own */
        time_ps until;
    } rows[] = {
        {"goto event 12", STEP_DO_GOTO, 12, TIME_NEVER},
        {"g 1.5us", STEP_DO_GOTO, -1, 1500000},
        {"continue", STEP_DO_CONTINUE, -1, TIME_NEVER},
        {"c until 3ms", STEP_DO_CONTINUE, -1, 3 * PS_PER_MS},
        {"run until 0s", STEP_DO_RUN, -1, 0},
        {"u 7ns", STEP_DO_UNTIL, -1, 7000},
        {"next", STEP_DO_NEXT, -1, TIME_NEVER},
        {"next 1", STEP_DO_NEXT, 1, TIME_NEVER},
        {"bk 20 packets", STEP_DO_BACK, 20, TIME_NEVER},
        {"delete", STEP_DO_DELETE, -1, TIME_NEVER},
        {"d 0", STEP_DO_DELETE, 0, TIME_NEVER},
        {"list", STEP_DO_LIST, -1, TIME_NEVER},
        {"l 3", STEP_DO_LIST, 3, TIME_NEVER},
        {"help", STEP_DO_HELP, -1, TIME_NEVER},
        {"where # 3", STEP_DO_WHERE, -1, TIME_NEVER},
    };
    struct scenario *scenario = load();
    struct step_command command;
    struct step_wrong wrong;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!step_command_parse(rows[i].line, scenario, &command, &wrong))
            fail_msg("%s: %s", rows[i].line, wrong.text);
        if (command.verb != rows[i].verb || command.has_number != (rows[i].number >= 0) ||
            command.until != rows[i].until ||
            (command.has_number && command.number != (uint64_t)rows[i].number))
            fail_msg("%s: command %d, %d, %llu", rows[i].line, (int)command.verb,
                     command.has_number, (unsigned long long)command.number);
    }
    assert_true(step_command_parse("next", scenario, &command, &wrong));
    assert_int_equal(command.number, 1); /* one event, if nothing is said */
    assert_true(step_command_parse("list", scenario, &command, &wrong));
    assert_int_equal(command.number, STEP_LIST_PRESET);
    assert_true(step_command_parse("help conditions", scenario, &command, &wrong));
    assert_true(command.has_number);
    assert_true(step_command_parse(" watch  queue leaf0:p0 > 3KiB", scenario, &command, &wrong));
    assert_int_equal(command.condition_at, 8);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_or_refused_at_a_column),
        cmocka_unit_test(a_condition_has_what_the_line_says),
        cmocka_unit_test(a_line_is_a_command_with_its_number_and_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
