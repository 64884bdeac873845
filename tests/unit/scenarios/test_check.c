/* SPDX-License-Identifier: Apache-2.0
 * Static findings: each is found where it is, and nothing where nothing is wrong. */
#include "scenarios/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD       "stormglass: 1\nname: test\n"
#define TWO_LEAVES "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}"
#define FABRIC     TWO_LEAVES "}\n"
#define HOSTS      "hosts: {targets: {where: host0, namespaces: [{media: fixed, count: 3}]}}\n"
#define WORKLOAD   "workloads: [{name: w, kind: nvme, from: host4, to: host0}]\n"

static struct scenario *load_fine(const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static void assert_finding(const char *text, enum diag_level level, const char *says)
{
    struct scenario *scenario = load_fine(text);
    struct check_report report;
    check_scenario(scenario, &report);
    bool said = false;
    for (size_t i = 0; i < report.count; i++)
        said |= report.findings[i].level == level && strstr(report.findings[i].text, says) != NULL;
    if (!said)
        fail_msg("%s has no finding '%s', but %zu others, the first: %s", text, says, report.count,
                 report.count == 0 ? "" : report.findings[0].text);
    check_free(&report);
    scenario_free(scenario);
}

static void findings_are_found(void **state)
{
    (void)state;
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: \"leaf1:p5\", mtu: 1500B}]}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "need MTU 4156, but leaf1:p5 has 1500");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {priorities: [4]}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "DSCP 26 is priority 3 there, which is not lossless");
    assert_finding(
        HEAD TWO_LEAVES ", overrides: [{where: spine1, dscp: {26: 5}}]}\n" HOSTS WORKLOAD,
        DIAG_WARNING, "DSCP 26 is priority 3 (lossless) at leaf0, but 5 (lossy) at spine1");
    assert_finding(HEAD TWO_LEAVES ", switch: {dscp: {26: 4}}}\n" HOSTS WORKLOAD, DIAG_WARNING,
                   "its pauses never stop it");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: leaf0-spine0, pfc-enabled: none}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "PFC is off");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: leaf0-spine0, flow-control: none}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "PFC is off");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: \"leaf0:p4\", flow-control: global}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "by PAUSE and spine0:p0 by PFC: neither obeys the other");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {headroom: 1KB}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "but its headroom is 1024 B");
    assert_finding(HEAD TWO_LEAVES ", switch: {buffer: 100KB}}\n" HOSTS WORKLOAD, DIAG_ERROR,
                   "its packet memory has 100000 B");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {headroom-pool: 10KB}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "its headroom pool has 9984 B, one port's groups may need");
    assert_finding(HEAD FABRIC HOSTS
                   "workloads: [{name: w, kind: nvme, from: host1..host7, to: host0}]\n",
                   DIAG_NOTE, "7 hosts with 700 Gb/s meet at host0, which has 100: fan-in 7 to 1");
    assert_finding(HEAD "fabric: {topology: {kind: explicit, hosts: [a, b], switches: [s, t], "
                        "links: [{ends: [a, s]}, {ends: [b, t]}]}}\n"
                        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
                   DIAG_ERROR, "there is no path from a to b");
}

/* Both workloads are told of every port on their ways, and of each once, however many pairs use
 * it. */
static void every_port_is_told_of_once(void **state)
{
    (void)state;
    static const char *const ports[] = {"leaf0:p4",  "leaf0:p5",  "leaf1:p4",  "leaf1:p5",
                                        "spine0:p0", "spine0:p1", "spine1:p0", "spine1:p1"};
    struct scenario *scenario = load_fine(
        HEAD TWO_LEAVES ", fabric-links: {mtu: 1500B}}\n"
                        "workloads:\n"
                        "  - {name: w, kind: rdma-write, from: \"host4..host7\", to: host0}\n"
                        "  - {name: v, kind: rdma-write, from: host5, to: \"host0..host3\", "
                        "pairing: all-to-all}\n");
    struct check_report report;
    check_scenario(scenario, &report);
    assert_int_equal(report.errors, 16);
    for (size_t i = 0; i < 16; i++) {
        char has[64], name[8];
        snprintf(has, sizeof has, "but %s has 1500 and drops them", ports[i / 2]);
        snprintf(name, sizeof name, "'%c': ", i % 2 == 0 ? 'w' : 'v');
        unsigned times = 0;
        for (size_t k = 0; k < report.count; k++)
            times += strstr(report.findings[k].text, has) != NULL &&
                     strncmp(report.findings[k].text, name, strlen(name)) == 0;
        if (times != 1)
            fail_msg("%s %s %u times", name, has, times);
    }
    check_free(&report);
    scenario_free(scenario);
}

#define ROUTES(list) TWO_LEAVES ", routes: [" list "]"

static void written_routes_are_followed(void **state)
{
    (void)state;
    assert_finding(HEAD ROUTES("{at: spine1, to: host0, via: leaf1}, "
                               "{at: leaf1, to: host0, via: spine1}") "}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "round in a circle by");
    assert_finding(HEAD ROUTES("{at: leaf0, to: host4, via: spine0}, "
                               "{at: leaf1, to: host0, via: spine0}, "
                               "{at: spine0, to: host0, via: leaf1}") "}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "from host4 to host0 round in a circle by");
    /* The way back is another one. */
    assert_finding(HEAD ROUTES("{at: leaf0, to: host4, via: spine1}, "
                               "{at: leaf1, to: host0, via: spine0}") ", overrides: [{where: "
                                                                      "leaf0-spine1, mtu: "
                                                                      "1500B}]}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "need MTU 4156, but leaf0:p5 has 1500");
    struct scenario *scenario =
        load_fine(HEAD ROUTES("{at: leaf0, to: host4, via: spine1}, "
                              "{at: leaf1, to: host0, via: spine1}") ", overrides: [{where: "
                                                                     "leaf0-spine0, mtu: "
                                                                     "1500B}]}\n" HOSTS WORKLOAD);
    struct check_report report;
    check_scenario(scenario, &report);
    assert_int_equal(report.errors, 0);
    check_free(&report);
    scenario_free(scenario);
}

static void thresholds_and_times_that_do_not_fit_are_found(void **state)
{
    (void)state;
    static const char dcqcn[] =
        "hosts: {defaults: {rnic: {congestion-control: dcqcn}}}\n"
        "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n";
    char text[1024];
    snprintf(text, sizeof text, HEAD TWO_LEAVES ", switch: {ecn: {kmin: 20MB, kmax: 21MB}}}\n%s",
             dcqcn);
    assert_finding(text, DIAG_WARNING, "pauses come first");
    /* alpha B / (1 + n alpha): 1/8 of some 30 MB alone, but a sixth of that with six ports */
    snprintf(text, sizeof text,
             HEAD TWO_LEAVES ", switch: {alpha: 800%%, ecn: {kmin: 6MB, kmax: 7MB}}}\n%s", dcqcn);
    assert_finding(text, DIAG_NOTE, "when all of its 6 ports are congested");
    snprintf(text, sizeof text, HEAD TWO_LEAVES ", switch: {ecn: {kmax: 0B}}}\n%s", dcqcn);
    assert_finding(text, DIAG_NOTE, "marks nothing");
    assert_finding(HEAD TWO_LEAVES ", host-links: {pfc-refresh: 400us}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "the peer sends in between");
    assert_finding(HEAD TWO_LEAVES ", host-links: {pfc-quanta: 100}}\n" HOSTS WORKLOAD, DIAG_NOTE,
                   "more than a hundredth of the link");
    assert_finding(HEAD FABRIC "hosts: {defaults: {rnic: {rx-xoff: 250KB}}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n",
                   DIAG_WARNING, "its receive buffer keeps 12016 B for that");
    assert_finding(HEAD TWO_LEAVES ", host-links: {length: 10km}}\n" HOSTS WORKLOAD, DIAG_WARNING,
                   "can arrive after its pause");
    assert_finding(HEAD FABRIC HOSTS WORKLOAD, DIAG_NOTE, "leaf0 and 3 more have no PFC watchdog");
}

#define SWITCH(values) HEAD TWO_LEAVES ", switch: {" values "}}\n" HOSTS WORKLOAD
#define RNIC(values)   HEAD FABRIC "hosts: {defaults: {rnic: {" values "}}}\n" WRITES
#define WRITES         "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n"
#define FAULT(values)  HEAD "duration: 1ms\ndrain: 1ms\n" FABRIC WRITES "faults: [{" values "}]\n"

static void values_that_contradict_each_other_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {SWITCH("policy: static, xoff: 10KB, xon: 20KB"), "lies above xoff, 10000 B"},
        {SWITCH("policy: static, xoff: 10KB, xon-offset: 11KB"), "is more than xoff, 10000 B"},
        {SWITCH("ecn: {kmin: 2MB, kmax: 1MB}"), "lies above ecn-kmax, 1000000 B"},
        {SWITCH("watchdog: {action: drop, detection: 100ms}"), "as long as a poll"},
        {SWITCH("pfc: {priorities: none}, watchdog: {action: drop}"), "nothing to watch"},
        {SWITCH("pfc: {priorities: none, headroom-pool: 1MB}"), "nobody uses it"},
        {SWITCH("egress-limit: 100KB"), "drops what is lossless"},
        {RNIC("rx-buffer: 100KB, rx-xoff: 200KB"), "it never pauses anybody"},
        {RNIC("rx-xoff: 100KB, rx-xon: 110KB"), "lies above rx-xoff, 100000 B"},
        {HEAD FABRIC "workloads: [{name: w, kind: rdma-write, from: host4, to: host0, "
                     "priority: 4}]\n",
         "'w': host4 sends DSCP 26 in priority 4, but leaf1 puts it in 3"},
        {FAULT("kind: link-down, where: leaf0-spine0, at: 3ms"), "it never happens"},
        {FAULT("kind: link-down, where: leaf0-spine0, at: 1500us"), "workloads have stopped"},
        {FAULT("kind: link-flap, where: leaf0-spine0, at: 0ns, period: 10us, duty: 0%"),
         "no carrier is ever lost"},
        {HEAD FABRIC "hosts: {box: {where: host0..host1, machine: box}, "
                     "one: {where: host1, rnic: {profile: softroce}}}\n"
                     "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n",
         "host0 and host1 are of machine box with other costs"},
        {HEAD FABRIC "workloads: [{name: w, kind: rdma-write, from: host4, to: host0, "
                     "receives: 1}]\n",
         "receives are of rdma-send"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_finding(cases[i].text, DIAG_WARNING, cases[i].says);
}

static void findings_say_what_a_run_shows(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(HEAD TWO_LEAVES
                  ", switch: {pfc: {headroom: 1KB}, watchdog: {action: drop}}}\n" HOSTS WORKLOAD);
    struct check_report report;
    check_scenario(scenario, &report);
    assert_true(report.count > 0);
    assert_string_equal(report.findings[0].shown, "drops.lossless > 0");
    check_free(&report);
    scenario_free(scenario);
}

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(HEAD TWO_LEAVES ", switch: {watchdog: {action: drop}}}\n" HOSTS WORKLOAD);
    struct check_report report;
    check_scenario(scenario, &report);
    assert_int_equal(report.count, 0);
    check_free(&report);
    scenario_free(scenario);
    /* Small operations fit through a small MTU. */
    scenario =
        load_fine(HEAD TWO_LEAVES ", overrides: [{where: \"leaf1:p5\", mtu: 1500B}]}\n" HOSTS
                                  "workloads: [{name: w, kind: nvme, from: host4, to: host0, "
                                  "block-size: 1KiB}]\n");
    check_scenario(scenario, &report);
    assert_int_equal(report.errors, 0);
    check_free(&report);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(every_port_is_told_of_once),
        cmocka_unit_test(written_routes_are_followed),
        cmocka_unit_test(thresholds_and_times_that_do_not_fit_are_found),
        cmocka_unit_test(values_that_contradict_each_other_are_found),
        cmocka_unit_test(findings_say_what_a_run_shows),
        cmocka_unit_test(nothing_is_found_where_nothing_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
