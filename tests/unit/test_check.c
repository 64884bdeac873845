/* SPDX-License-Identifier: Apache-2.0
 * Static findings: each is found where it is, and nothing where nothing is wrong. */
#include "scenarios/check.h"

#include <setjmp.h>
#include <stdarg.h>
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

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(HEAD FABRIC HOSTS WORKLOAD);
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
        cmocka_unit_test(written_routes_are_followed),
        cmocka_unit_test(nothing_is_found_where_nothing_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
