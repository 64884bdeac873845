/* SPDX-License-Identifier: Apache-2.0
 * A report of findings as it fills up, and what check says of a run that is over: members that did
 * nothing or waited for timers, faults that never happened. */
#include "scenarios/check/check_rule.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))
#define US           PS_PER_US

static struct scenario *load(const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static void assert_printed(const struct check_report *report, const char *expected)
{
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);
    assert_non_null(out);
    check_print(report, out);
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
}

/* ------------------------------------------------------------------ a report */

static void what_is_added_is_printed(void **state)
{
    (void)state;
    struct check_report report = {.rule = "one"};
    const struct diag_place place = {"f.yaml", 3, 7};
    check_shows(&report, "nothing yet");
    check_remedy(&report, "nothing yet");
    check_add(&report, DIAG_ERROR, place, "%d is wrong", 1);
    check_add(&report, DIAG_WARNING, place, "odd");
    check_shows(&report, "drops.lossy > 0");
    check_remedy(&report, "the first %s", "remedy");
    check_remedy(&report, "another");
    check_add(&report, DIAG_NOTE, place, "good to know");
    assert_int_equal(report.errors, 1);
    assert_int_equal(report.warnings, 1);
    assert_int_equal(report.notes, 1);
    assert_int_equal(report.findings[1].count, 1);
    assert_null(report.findings[1].places[0].name);
    assert_printed(&report, "f.yaml:3:7: error: 1 is wrong\n"
                            "f.yaml:3:7: warning: odd (confirm in a run: drops.lossy > 0)\n"
                            "    remedy: the first remedy\n"
                            "f.yaml:3:7: note: good to know\n");
    check_free(&report);
}

/* Nobody reads 500 findings; those beyond are counted, and leave the last one as it is. */
static void findings_beyond_the_most_are_counted(void **state)
{
    (void)state;
    enum { MOST = 500 };
    struct check_report report = {.rule = "one"};
    const struct diag_place place = {"f", 1, 1};
    char *all = malloc(MOST * 24 + 32);
    size_t used = 0;
    assert_non_null(all);
    for (int i = 0; i < MOST; i++) {
        check_add(&report, DIAG_NOTE, place, "%d", i);
        used += (size_t)sprintf(all + used, "f:1:1: note: %d\n", i);
    }
    assert_printed(&report, all);
    for (int beyond = 1; beyond <= 2; beyond++) {
        check_add(&report, DIAG_NOTE, place, "beyond");
        check_shows(&report, "drops.lossy > 0");
        check_remedy(&report, "none");
        assert_int_equal(report.count, MOST);
        assert_int_equal(report.notes, MOST + beyond);
        sprintf(all + used, "and %d more\n", beyond);
        assert_printed(&report, all);
    }
    free(all);
    check_free(&report);
}

/* One rule's findings of one level with the same words are one, of all things that it names. */
static void findings_alike_are_one(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("stormglass: 1\nname: t\nfabric: {topology: {kind: single-switch, hosts: 3}}\n"
             "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n");
    const struct scenario_node *nodes = scenario->nodes;
    const struct {
        const char *rule;
        enum diag_level level;
        uint32_t node;
        uint16_t port;
        const char *words, *name;
        size_t findings, of, things; /* afterwards: how many, which it was, and how many it has */
        uint32_t ports, switches, hosts;
    } steps[] = {
        {"a", DIAG_NOTE, 3, 0, "x", "switch0:p0", 1, 0, 1, 1, 1, 0},
        {"a", DIAG_NOTE, 3, 1, "x", "switch0:p1", 1, 0, 2, 2, 1, 0},
        {"a", DIAG_NOTE, 0, 0, "x", "host0:p0", 1, 0, 3, 3, 1, 1},
        {"a", DIAG_NOTE, 3, 2, "x", "switch0:p2", 1, 0, 4, 4, 1, 1},
        {"a", DIAG_NOTE, 2, SCENARIO_ALL_PORTS, "x", "host2", 1, 0, 5, 4, 1, 2},
        {"a", DIAG_NOTE, 2, SCENARIO_ALL_PORTS, "y", "host2", 2, 1, 1, 0, 0, 1},
        {"a", DIAG_WARNING, 2, SCENARIO_ALL_PORTS, "y", "host2", 3, 2, 1, 0, 0, 1},
        {"b", DIAG_WARNING, 2, SCENARIO_ALL_PORTS, "y", "host2", 4, 3, 1, 0, 0, 1},
        {"a", DIAG_NOTE, 1, SCENARIO_ALL_PORTS, "y", "host1", 4, 1, 2, 0, 0, 2},
    };
    struct check_report report = {0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        const struct check_thing thing = {.node = &nodes[steps[i].node], .port = steps[i].port};
        report.rule = steps[i].rule;
        check_alike(&report, steps[i].level, &thing, "%s", steps[i].words);
        assert_int_equal(report.count, steps[i].findings);
        const struct check_finding *finding = &report.findings[steps[i].of];
        assert_ptr_equal(report.latest, finding);
        assert_int_equal(finding->count, steps[i].things);
        assert_int_equal(finding->ports, steps[i].ports);
        assert_int_equal(finding->switches, steps[i].switches);
        assert_int_equal(finding->hosts, steps[i].hosts);
        assert_string_equal(finding->places[finding->count - 1].name, steps[i].name);
    }
    assert_int_equal(report.notes, 2);
    assert_int_equal(report.warnings, 2);
    check_free(&report);
    scenario_free(scenario);
}

static void a_thing_is_seen_for_the_first_time_once(void **state)
{
    (void)state;
    struct check_seen seen = {0};
    const int items[3] = {0};
    for (int i = 0; i < 3; i++) {
        assert_true(check_first_time(&seen, &items[i]));
        for (int k = 0; k <= i; k++)
            assert_false(check_first_time(&seen, &items[k]));
    }
    assert_int_equal(seen.count, 3);
    arena_free(&seen.arena);
}

/* ------------------------------------------------------------------ a run that is over */

#define HEAD                                                                                       \
    "stormglass: 1\nname: t\nduration: 1ms\nfabric: {topology: {kind: single-switch, hosts: 4}}\n"
#define CLOSED                                                                                     \
    HEAD "workloads: [{name: w, kind: rdma-write, from: [host1, host2], to: host0, qps: 1}]\n"
#define OPEN                                                                                       \
    HEAD "workloads: [{name: w, kind: rdma-write, from: [host1, host2], to: host0, rate: 10}]\n"

#define OPEN_UNTIL(stop)                                                                           \
    HEAD "workloads: [{name: w, kind: rdma-write, from: [host1, host2], to: host0, rate: 10, "     \
         "stop: " stop "}]\n"
#define ONE_HOST                                                                                   \
    HEAD "workloads: [{name: w, kind: rdma-write, from: host1, to: [host0, host2], pairing: "      \
         "all-to-all}]\n"

#define DONE                                                                                       \
    {                                                                                              \
        .connected = true, .began = 0, .ready = US, .issued = 2, .completed = 1                    \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        .connected = false, .began = 0, .ready = 900 * US                                          \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        .connected = true, .began = 0, .ready = US                                                 \
    }

/* Members of two pairs, and what the report prints. */
static const struct over {
    const char *text;
    struct workload_member members[2];
    bool cut;
    time_ps end;
    const char *prints;
} overs[] = {
    {CLOSED, {DONE, DONE}, false, 900 * US, ""},
    {CLOSED,
     {DONE, NEVER},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 2 hosts active; 1 of 2 host-target pairs never "
     "connected (first: "
     "host2 to host0); IOPS, goodput and latency exclude this pair: repair the path, or run "
     "longer\n"},
    {CLOSED,
     {NEVER, DONE},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 2 hosts active; 1 of 2 host-target pairs never "
     "connected (first: "
     "host1 to host0); IOPS, goodput and latency exclude this pair: repair the path, or run "
     "longer\n"},
    {CLOSED,
     {NEVER, NEVER},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': none of the 2 host-target pairs connected (first: host1 to "
     "host0); IOPS, goodput and latency have no values: repair the path\n"},
    {CLOSED, {NEVER, NEVER}, true, 900 * US, ""},
    {CLOSED,
     {NOTHING, DONE},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 2 hosts active; 1 of 2 host-target pairs connected too "
     "late to "
     "issue an operation (first: host1 to host0); IOPS, goodput and latency exclude this pair: "
     "repair the path, or "
     "run longer\n"},
    {CLOSED,
     {NOTHING, NEVER},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 0 of 2 hosts active; 1 of 2 host-target pairs never "
     "connected, 1 "
     "connected too late to issue an operation (first: host1 to host0); IOPS, goodput and latency "
     "exclude these pairs: "
     "repair the path, or run longer\n"},
    {CLOSED, {DONE, {.connected = true, .ready = US, .issued = 1}}, false, 900 * US, ""},
    {CLOSED,
     {{.connected = true, .ready = US, .issued = 1}, NOTHING},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 0 of 2 hosts active; 1 of 2 host-target pairs connected too "
     "late to "
     "issue an operation (first: host2 to host0); IOPS, goodput and latency exclude this pair: "
     "repair the path, or "
     "run longer\n"},
    /* An open loop may have had nothing to do, unless it was too late for all; nothing at all is
     * told. */
    {OPEN,
     {NOTHING, NOTHING},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w' issued no operations: none was due by 1ms\n"},
    {OPEN, {NOTHING, NOTHING}, true, 900 * US, ""},
    {OPEN, {DONE, NOTHING}, false, 900 * US, ""},
    {OPEN, {DONE, {.connected = true, .ready = 1000 * US - 1}}, false, 900 * US, ""},
    {OPEN,
     {DONE, {.connected = true, .ready = 1000 * US}},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 2 hosts active; 1 of 2 host-target pairs connected too "
     "late to "
     "issue an operation (first: host2 to host0); IOPS, goodput and latency exclude this pair: "
     "repair the path, or "
     "run longer\n"},
    /* Its own end counts where the run goes on, and a host with two members is one. */
    {OPEN_UNTIL("500us"),
     {DONE, {.connected = true, .ready = 500 * US}},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 2 hosts active; 1 of 2 host-target pairs connected too "
     "late to "
     "issue an operation (first: host2 to host0); IOPS, goodput and latency exclude this pair: "
     "repair the path, or "
     "run longer\n"},
    {OPEN_UNTIL("500us"), {DONE, {.connected = true, .ready = 500 * US - 1}}, false, 900 * US, ""},
    {ONE_HOST,
     {DONE, NEVER},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 1 host active; 1 of 2 host-target pairs never connected "
     "(first: "
     "host1 to host2); IOPS, goodput and latency exclude this pair: repair the path, or run "
     "longer\n"},
    {ONE_HOST,
     {NEVER, DONE},
     false,
     900 * US,
     "t.yaml:5:13: warning: 'w': 1 of 1 host active; 1 of 2 host-target pairs never connected "
     "(first: "
     "host1 to host0); IOPS, goodput and latency exclude this pair: repair the path, or run "
     "longer\n"},
    /* A fault that comes when all is over. */
    {CLOSED "faults: [{kind: link-down, where: host1, at: 800us}]\n",
     {DONE, DONE},
     false,
     800 * US + 1,
     ""},
    {CLOSED "faults: [{kind: link-down, where: host1, at: 800us}]\n",
     {DONE, DONE},
     false,
     800 * US,
     "t.yaml:6:10: warning: the fault link-down never happened: the run ended earlier, at 800 "
     "us\n"},
    {CLOSED "faults: [{kind: link-down, where: host1, at: 800us}]\n",
     {DONE, DONE},
     true,
     800 * US,
     ""},
    {CLOSED "faults: [{kind: link-down, where: host1, at: 1ms}]\n",
     {DONE, DONE},
     false,
     800 * US,
     "t.yaml:6:10: warning: the fault link-down begins after the workloads have stopped: it may "
     "have no effect\n"},
};

static void what_a_run_shows_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(overs); i++) {
        struct scenario *scenario = load(overs[i].text);
        const struct workload_member *const members[] = {&overs[i].members[0],
                                                         &overs[i].members[1]};
        const uint32_t first[] = {0, 2};
        const uint64_t retries[4] = {0};
        const struct check_run run = {
            .scenario = scenario,
            .cut = overs[i].cut,
            .stop = 1000 * US,
            .end = overs[i].end,
            .members = members,
            .first_member = first,
            .retries = retries,
        };
        struct check_report report;
        check_of_run(scenario, &run, &report);
        assert_printed(&report, overs[i].prints);
        check_free(&report);
        scenario_free(scenario);
    }
}

#define TIMERS(values)                                                                             \
    HEAD "hosts: {defaults: {rnic: {profile: ideal, " values                                       \
         "}}}\nworkloads: [{name: w, kind: rdma-write, from: [host1, host2], to: host0}]\n"
static const struct wait {
    const char *text;
    time_ps took[2];
    uint64_t retries[2];
    const char *prints;
} waits[] = {
    {TIMERS("timeout: 1"), {8191999, 8191999}, {1, 1}, ""},
    {TIMERS("timeout: 1"),
     {8192000, 8191999},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 1 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host1 to host0; longest wait: 8.19 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 1"),
     {8191999, 8192000},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 1 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host2 to host0; longest wait: 8.19 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 1"),
     {9 * US, 12 * US},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 2 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host2 to host0; longest wait: 12 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 1"),
     {12 * US, 9 * US},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 2 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host1 to host0; longest wait: 12 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 1"),
     {12 * US, 12 * US},
     {0, 1},
     "t.yaml:6:13: warning: 'w': 1 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host2 to host0; longest wait: 12 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 1"), {12 * US, 12 * US}, {0, 0}, ""},
    {TIMERS("timeout: 0, cm-timeout: 50us"), {49 * US, 49 * US}, {1, 1}, ""},
    {TIMERS("timeout: 0, cm-timeout: 50us"),
     {50 * US, 50 * US},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 2 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host1 to host0; longest wait: 50 us); start the workload "
     "later, or repair "
     "the path first\n"},
    {TIMERS("timeout: 20, cm-timeout: 50us"),
     {50 * US, 3 * US},
     {1, 1},
     "t.yaml:6:13: warning: 'w': 1 of 2 host-target pairs lost a connection message and waited "
     "until it was sent again (first: host1 to host0; longest wait: 50 us); start the workload "
     "later, or repair "
     "the path first\n"},
};

/* The shortest timer is 4.096 us x 2^timeout or cm-timeout: who took as long and sent again waited
 * for it. */
static void members_that_waited_for_timers_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct scenario *scenario = load(waits[i].text);
        struct workload_member all[2];
        for (int k = 0; k < 2; k++)
            all[k] = (struct workload_member){.connected = true,
                                              .began = US,
                                              .ready = US + waits[i].took[k],
                                              .issued = 1,
                                              .completed = 1};
        const struct workload_member *const members[] = {&all[0], &all[1]};
        const uint32_t first[] = {0, 2};
        const uint64_t retries[4] = {0, waits[i].retries[0], waits[i].retries[1], 0};
        const struct check_run run = {
            .scenario = scenario,
            .stop = 1000 * US,
            .end = 900 * US,
            .members = members,
            .first_member = first,
            .retries = retries,
        };
        struct check_report report;
        check_of_run(scenario, &run, &report);
        assert_printed(&report, waits[i].prints);
        check_free(&report);
        scenario_free(scenario);
    }
}

/* Of what could be said before, a run says that other things are played than were asked for; no
 * notes. */
static void a_run_says_what_is_played_instead(void **state)
{
    (void)state;
    static const struct {
        const char *more, *prints;
    } cases[] = {
        {"kind: nvme, from: host1, to: host0, queue-depth: 127", ""},
        {"kind: nvme, from: host1, to: host0, queue-depth: 128",
         "t.yaml:6:72: warning: 'w': queue-depth 128 is limited to 127: a queue between host1 and "
         "host0 has 128 entries (nvme.queue-size of host1); further I/Os wait at the host\n    "
         "remedy: set queue-depth 127, or use longer queues (--set workloads.w.queue-depth=127)\n"},
        {"kind: rdma-read, from: host1, to: host0, outstanding: 17", ""},
        {"kind: rdma-write, from: host1, to: host0, receives: 1", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, "
                      "namespaces: [{media: fixed}]}}\nworkloads: "
                      "[{name: w, %s}]\n",
                 cases[i].more);
        struct scenario *scenario = load(text);
        struct check_report report;
        check_of_run(scenario, NULL, &report);
        assert_printed(&report, cases[i].prints);
        assert_int_equal(report.notes, 0);
        check_free(&report);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_printed),
        cmocka_unit_test(findings_beyond_the_most_are_counted),
        cmocka_unit_test(findings_alike_are_one),
        cmocka_unit_test(a_thing_is_seen_for_the_first_time_once),
        cmocka_unit_test(what_a_run_shows_is_told),
        cmocka_unit_test(members_that_waited_for_timers_are_told),
        cmocka_unit_test(a_run_says_what_is_played_instead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
