/* SPDX-License-Identifier: Apache-2.0
 * Classes in scenarios: a workload's DSCP and priority, the hosts' maps, and what check says. */
#include "scenarios/check/check.h"

#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HEAD   "stormglass: 1\nname: test\n"
#define FABRIC "fabric: {topology: {kind: single-switch, hosts: 4}"
#define RAW    "kind: rdma-write, from: host0, to: host1"

static struct diag diag;

static struct scenario *load(const char *text)
{
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static struct scenario *load_fine(const char *text)
{
    struct scenario *scenario = load(text);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static void a_workload_has_a_class(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(HEAD FABRIC "}\nworkloads:\n"
                              "  - {name: a, " RAW "}\n"
                              "  - {name: b, " RAW ", dscp: 46, priority: 5}\n"
                              "  - {name: c, " RAW ", dscp: 0}\n"
                              "  - {name: d, " RAW ", dscp: auto, priority: 0}\n");
    const struct verbs_class known[] = {
        {0}, {true, true, 46 << 2, 5}, {.tos_set = true}, {.priority_set = true}};
    for (int i = 0; i < 4; i++) {
        const struct verbs_class *class = &scenario->workloads[i].class;
        assert_int_equal(class->tos_set, known[i].tos_set);
        assert_int_equal(class->priority_set, known[i].priority_set);
        assert_int_equal(class->tos, known[i].tos);
        assert_int_equal(class->priority, known[i].priority);
    }
    scenario_free(scenario);
}

/* Sections are laid over each other, entry by entry. */
static void hosts_have_maps(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(
        HEAD FABRIC ", overrides: [{where: host3, rnic: {dscp-to-priority: {10: 6}}}]}\n"
                    "hosts:\n"
                    "  defaults: {rnic: {profile: ideal, dscp-to-priority: {3: 3, 46: 7}, "
                    "pfc-priorities: [3, 4]}}\n"
                    "  other: {where: host2..host3, rnic: {dscp-to-priority: {46: 2, 4: 4}, "
                    "pfc-priorities: auto, dscp: 12}}\n"
                    "workloads: [{name: a, " RAW "}]\n");
    const struct scenario_node *nodes = scenario->nodes;
    const uint8_t known[4][5] = {/* DSCP 3, 4, 10, 12, 46 */
                                 {3, 0, 1, 1, 7},
                                 {3, 0, 1, 1, 7},
                                 {3, 4, 1, 3, 2},
                                 {3, 4, 6, 3, 2}};
    static const int dscps[5] = {3, 4, 10, 12, 46};
    for (int host = 0; host < 4; host++)
        for (int i = 0; i < 5; i++)
            assert_int_equal(nodes[host].priority_of_dscp[dscps[i]], known[host][i]);
    assert_int_equal(nodes[0].host->rnic->pfc_priorities, 1 << 3 | 1 << 4);
    assert_int_equal(nodes[2].host->rnic->pfc_priorities, RNIC_AUTO);
    assert_int_equal(nodes[0].priority_of_dscp[26], 3);
    scenario_free(scenario);
}

static void bad_classes_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {HEAD FABRIC "}\nworkloads: [{name: a, " RAW ", dscp: 64}]\n",
         "expected a DSCP from 0 to 63, but found 64"},
        {HEAD FABRIC "}\nworkloads: [{name: a, " RAW ", priority: -1}]\n", "priority"},
        {HEAD FABRIC "}\nhosts: {defaults: {rnic: {profile: ideal, dscp-to-priority: {3: 8}}}}\n"
                     "workloads: [{name: a, " RAW "}]\n",
         "the maximum, 7"},
        {HEAD FABRIC "}\nhosts: {defaults: {rnic: {profile: ideal, dscp-to-priority: {x: 3}}}}\n"
                     "workloads: [{name: a, " RAW "}]\n",
         "dscp: "},
        {HEAD FABRIC "}\nhosts: {defaults: {rnic: {profile: ideal, pfc-priorities: [8]}}}\n"
                     "workloads: [{name: a, " RAW "}]\n",
         "pfc-priorities"},
        {HEAD FABRIC "}\nhosts: {defaults: {rnic: {profile: ideal, pfc-priorities: outo}}}\n"
                     "workloads: [{name: a, " RAW "}]\n",
         "auto"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].text));
        if (strstr(diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("row %zu: '%s' instead of '%s'", i, diag.messages[0].text, rows[i].says);
    }
}

static size_t findings(const char *text, enum diag_level level, const char *says)
{
    struct scenario *scenario = load_fine(text);
    struct check_report report;
    check_scenario(scenario, &report);
    size_t found = 0;
    for (size_t i = 0; i < report.count; i++)
        found += report.findings[i].level == level && strstr(report.findings[i].text, says) != NULL;
    check_free(&report);
    scenario_free(scenario);
    return found;
}

static void check_follows_each_class(void **state)
{
    (void)state;
    const char *mapped_apart = HEAD FABRIC ", switch: {pfc: {priorities: [3, 4]}, dscp: {46: 4}}}\n"
                                           "workloads: [{name: a, " RAW ", dscp: 46}]\n";
    assert_int_equal(
        findings(mapped_apart, DIAG_WARNING,
                 "host0, ...): DSCP 46 is sent on priority 5, but switch0 maps it to priority 4"),
        1);
    assert_int_equal(findings(mapped_apart, DIAG_WARNING, "2 hosts (host0, ...): DSCP 46 is sent"),
                     1);
    const char *not_paused = HEAD FABRIC ", switch: {pfc: {priorities: [3, 5]}}}\n"
                                         "workloads: [{name: a, " RAW ", dscp: 46}]\n";
    const char *says = "the NIC sends no pauses for priority 5 (DSCP 46)";
    assert_int_equal(findings(not_paused, DIAG_WARNING, says), 1);
    const char *paused =
        HEAD FABRIC ", switch: {pfc: {priorities: [3, 5]}}}\n"
                    "hosts: {defaults: {rnic: {profile: ideal, pfc-priorities: [3, 5]}}}\n"
                    "workloads: [{name: a, " RAW ", dscp: 46}]\n";
    assert_int_equal(findings(paused, DIAG_WARNING, "sends no pause"), 0);
    const char *agreed =
        HEAD FABRIC ", switch: {pfc: {priorities: [3, 4]}, dscp: {46: 4}}}\n"
                    "hosts: {defaults: {rnic: {profile: ideal, dscp-to-priority: {46: 4}}}}\n"
                    "workloads: [{name: a, " RAW ", dscp: 46}]\n";
    assert_int_equal(findings(agreed, DIAG_WARNING, "is sent on"), 0);
    const char *lossy = HEAD FABRIC "}\nworkloads: [{name: a, " RAW ", dscp: 0}]\n";
    assert_int_equal(
        findings(lossy, DIAG_NOTE, "DSCP 0 has priority 0, which is not lossless: RoCE data may"),
        1);
    assert_int_equal(findings(lossy, DIAG_WARNING, "may be dropped"), 0);
    const char *unmeant = HEAD FABRIC ", switch: {pfc: {priorities: [4]}}}\n"
                                      "workloads: [{name: a, " RAW "}]\n";
    assert_int_equal(
        findings(unmeant, DIAG_WARNING, "DSCP 26 has priority 3, which is not lossless: RoCE"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workload_has_a_class),
        cmocka_unit_test(hosts_have_maps),
        cmocka_unit_test(bad_classes_are_refused),
        cmocka_unit_test(check_follows_each_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
