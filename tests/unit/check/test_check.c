/* SPDX-License-Identifier: Apache-2.0
 * Static findings: each is found where it is, and nothing where nothing is wrong. */
#include "net/switch/switch_carve.h"
#include "scenarios/check/check_rule.h"
#include "scenarios/load/load.h"
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD       "stormglass: 1\nname: test\n"
#define TWO_LEAVES "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}"
#define FABRIC     TWO_LEAVES "}\n"
#define HOSTS                                                                                      \
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "    \
    "fixed}]}}\n"
#define WORKLOAD "workloads: [{name: w, kind: nvme, from: host4, to: host0}]\n"

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

/* Of that level there are so many things with these words, and each names what a run shows of it.
 */
static void assert_finding(const char *text, enum diag_level level, const char *says,
                           unsigned times, const char *shown)
{
    struct scenario *scenario = load_fine(text);
    struct check_report report;
    check_scenario(scenario, &report);
    unsigned said = 0;
    for (size_t i = 0; i < report.count; i++) {
        const struct check_finding *finding = &report.findings[i];
        if (finding->level != level || strstr(finding->text, says) == NULL)
            continue;
        said += (unsigned)finding->count;
        if (strcmp(finding->shown == NULL ? "" : finding->shown, shown) != 0)
            fail_msg("%s: a run shows '%s', not '%s'", says, finding->shown, shown);
    }
    if (said != times)
        fail_msg("%s has %u findings '%s' of %zu, the first: %s", text, said, says, report.count,
                 report.count == 0 ? "" : report.findings[0].text);
    check_free(&report);
    assert_remedies(scenario, text);
    scenario_free(scenario);
}

static void findings_are_found(void **state)
{
    (void)state;
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: \"leaf1:p5\", mtu: 1500B}]}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "leaf1:p5: MTU 1500 drops packets of 'w', which need MTU 4156", 1,
                   "drops.mtu > 0");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {priorities: [4]}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "DSCP 26 has priority 3, which is not lossless", 4,
                   "drops.lossy > 0");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: spine1, dscp: {26: 5}}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "DSCP 26 has priority 3 (lossless) here, but 5 (lossy) at spine1",
                   2, "drops.lossy > 0");
    assert_finding(HEAD TWO_LEAVES ", switch: {dscp: {26: 4}}}\n" HOSTS WORKLOAD, DIAG_WARNING,
                   "pauses have no effect", 2, "drops.lossy > 0");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: leaf0-spine0, pfc-enabled: none}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "its PFC is disabled", 2, "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: leaf0-spine0, flow-control: none}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "its PFC is disabled", 2, "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES
                   ", overrides: [{where: \"leaf0:p4\", flow-control: global}]}\n" HOSTS WORKLOAD,
                   DIAG_WARNING,
                   "leaf0:p4: PAUSE at this end, but PFC at spine0:p0: neither end obeys the other",
                   1, "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {headroom: 1KB}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "of data can arrive after XOFF, but the headroom is 1024 B", 5,
                   "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES ", switch: {buffer: 100KB}}\n" HOSTS WORKLOAD, DIAG_ERROR,
                   "the packet memory has 100000 B", 4, "");
    assert_finding(HEAD TWO_LEAVES ", switch: {pfc: {headroom-pool: 10KB}}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING,
                   "the headroom pool has 9984 B, but the lossless groups of one port", 4,
                   "drops.lossless > 0");
    assert_finding(HEAD FABRIC HOSTS
                   "workloads: [{name: w, kind: nvme, from: host1..host7, to: host0, read: 0%}]\n",
                   DIAG_NOTE,
                   "host0: 7 senders together can send up to 700 Gb/s, but the receiver's links "
                   "carry 100 Gb/s: a fan-in of 7:1",
                   1, "pfc.pause_frames");
    assert_finding(HEAD "fabric: {topology: {kind: explicit, hosts: [a, b], switches: [s, t], "
                        "links: [{ends: [a, s]}, {ends: [b, t]}]}}\n"
                        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
                   DIAG_ERROR, "there is no path from a to b", 1, "drops.no_route > 0");
}

/* Both workloads are told of every port on their ways, and of each once, however many pairs use
 * it; ports where the same is wrong are one finding. */
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
    assert_int_equal(report.errors, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct check_finding *finding = &report.findings[i];
        assert_int_equal(finding->count, 8);
        assert_non_null(strstr(finding->text, "8 ports of 4 switches (leaf"));
        assert_non_null(strstr(finding->words, i == 0 ? "'w'" : "'v'"));
        assert_non_null(strstr(finding->remedy.text, "4156 B"));
        /* "fabric: {" stands in line 3, and the MTU in that line. */
        assert_int_equal(finding->place.line, 3);
        assert_int_equal(finding->place.column, strlen(TWO_LEAVES ", fabric-links: {mtu: ") + 1);
        for (size_t p = 0; p < 8; p++) {
            unsigned times = 0;
            for (size_t k = 0; k < finding->count; k++)
                times += strcmp(finding->places[k].name, ports[p]) == 0;
            assert_int_equal(times, 1);
        }
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
                   DIAG_ERROR, "loop through", 1, "drops.ttl > 0");
    assert_finding(HEAD ROUTES("{at: leaf0, to: host4, via: spine0}, "
                               "{at: leaf1, to: host0, via: spine0}, "
                               "{at: spine0, to: host0, via: leaf1}") "}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "from host4 to host0 loop through", 1, "drops.ttl > 0");
    /* Once, however many pairs go round; of each workload. */
    assert_finding(
        HEAD ROUTES("{at: spine1, to: host0, via: leaf1}, "
                    "{at: leaf1, to: host0, via: spine1}") "}\n"
                                                           "workloads:\n"
                                                           "  - {name: v, kind: rdma-write, from: "
                                                           "\"host4..host7\", to: host0}\n"
                                                           "  - {name: w, kind: rdma-write, from: "
                                                           "\"host5..host6\", to: host0}\n",
        DIAG_ERROR, "loop through", 2, "drops.ttl > 0");
    /* The way back is another one. */
    assert_finding(HEAD ROUTES("{at: leaf0, to: host4, via: spine1}, "
                               "{at: leaf1, to: host0, via: spine0}") ", overrides: [{where: "
                                                                      "leaf0-spine1, mtu: "
                                                                      "1500B}]}\n" HOSTS WORKLOAD,
                   DIAG_ERROR, "2 ports of 2 switches (leaf0:p5, ...): MTU 1500", 2,
                   "drops.mtu > 0");
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
        "hosts: {defaults: {rnic: {profile: ideal, congestion-control: dcqcn}}}\n"
        "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n";
    char text[1024];
    snprintf(text, sizeof text, HEAD TWO_LEAVES ", switch: {ecn: {kmin: 20MB, kmax: 21MB}}}\n%s",
             dcqcn);
    assert_finding(text, DIAG_WARNING, "pauses act before congestion control", 4,
                   "pfc.pause_frames > 0");
    /* alpha B / (1 + n alpha): 1/8 of some 30 MB alone, but a sixth of that with six ports */
    snprintf(text, sizeof text,
             HEAD TWO_LEAVES ", switch: {alpha: 800%%, ecn: {kmin: 6MB, kmax: 7MB}}}\n%s", dcqcn);
    assert_finding(text, DIAG_NOTE, "with 6 congested ports on a switch", 2,
                   "pfc.pause_frames > 0");
    snprintf(text, sizeof text, HEAD TWO_LEAVES ", switch: {ecn: {kmax: 0B}}}\n%s", dcqcn);
    assert_finding(text, DIAG_WARNING, "ECN marking is disabled", 4, "ecn.marked == 0");
    assert_finding(HEAD TWO_LEAVES ", host-links: {pfc-refresh: 400us}}\n" HOSTS WORKLOAD,
                   DIAG_WARNING, "the peer sends in between", 16, "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES ", host-links: {pfc-quanta: 100}}\n" HOSTS WORKLOAD, DIAG_NOTE,
                   "more than 1% of the link", 16, "pfc.pause_frames");
    assert_finding(HEAD FABRIC "hosts: {defaults: {rnic: {profile: ideal, rx-xoff: 250KB}}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n",
                   DIAG_WARNING, "the receive buffer has only 12016 B", 8, "drops.lossless > 0");
    assert_finding(HEAD TWO_LEAVES ", host-links: {length: 10km}}\n" HOSTS WORKLOAD, DIAG_WARNING,
                   "can arrive after XOFF, but the receive buffer", 8, "drops.lossless > 0");
    /* A watchdog is missed only where pauses could last. */
    assert_finding(HEAD FABRIC HOSTS WORKLOAD, DIAG_NOTE, "the PFC watchdog is off", 0, "");
    assert_finding(HEAD FABRIC HOSTS WORKLOAD
                   "faults: [{kind: pause-storm, where: host0, at: 1ms}]\n",
                   DIAG_WARNING, "4 switches (leaf0, ...): the PFC watchdog is off", 4, "");
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
        unsigned times;
        const char *shown;
    } cases[] = {
        {SWITCH("policy: static, xoff: 10KB, xon: 20KB"), "is above xoff (10000 B)", 4, ""},
        {SWITCH("policy: static, xoff: 10KB, xon-offset: 11KB"), "is larger than xoff (10000 B)", 4,
         ""},
        {SWITCH("ecn: {kmin: 2MB, kmax: 1MB}"), "is above ecn-kmax (1000000 B)", 4, ""},
        {SWITCH("watchdog: {action: drop, detection: 100ms}"), "is extended to a whole poll", 4,
         ""},
        {SWITCH("pfc: {priorities: none}, watchdog: {action: drop}"),
         "there is no lossless priority", 4, ""},
        {SWITCH("pfc: {priorities: none, headroom-pool: 1MB}"), "is unused", 4, ""},
        {SWITCH("egress-limit: 100KB"), "drops lossless frames", 4, "drops.lossless > 0"},
        {RNIC("rx-buffer: 100KB, rx-xoff: 200KB"), "the host never sends pauses", 8,
         "drops.lossless > 0"},
        {RNIC("rx-xoff: 100KB, rx-xon: 110KB"), "is above rx-xoff (100000 B)", 8, ""},
        {HEAD FABRIC "workloads: [{name: w, kind: rdma-write, from: host4, to: host0, "
                     "priority: 4}]\n",
         "'w': host4 sends DSCP 26 on priority 4, but leaf1 maps it to priority 3", 1,
         "drops.lossless > 0"},
        {FAULT("kind: link-down, where: leaf0-spine0, at: 3ms"), "it has no effect", 1, ""},
        {FAULT("kind: link-down, where: leaf0-spine0, at: 1500us"), "workloads have stopped", 1,
         ""},
        {FAULT("kind: link-flap, where: leaf0-spine0, at: 0ns, period: 10us, duty: 0%"),
         "the link never goes down", 1, ""},
        {HEAD FABRIC
         "hosts: {defaults: {rnic: {profile: ideal}}, box: {where: host0..host1, machine: box}, "
         "one: {where: host1, rnic: {profile: softroce}}}\n"
         "workloads: [{name: w, kind: rdma-write, from: host4, to: host0}]\n",
         "host0 and host1 share machine box but differ in CPU costs", 1, ""},
        {HEAD FABRIC "workloads: [{name: w, kind: rdma-write, from: host4, to: host0, "
                     "receives: 1}]\n",
         "receives has no effect", 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_finding(cases[i].text, DIAG_WARNING, cases[i].says, cases[i].times, cases[i].shown);
}

/* Whoever may send to a host at the same time counts, whatever workload it is of, and once. */
static void senders_of_all_workloads_meet(void **state)
{
    (void)state;
    assert_finding(HEAD FABRIC "workloads:\n"
                               "  - {name: a, kind: rdma-write, from: host4, to: host0}\n"
                               "  - {name: b, kind: rdma-write, from: host5, to: host1}\n"
                               "  - {name: c, kind: rdma-write, from: host5, to: host0}\n"
                               "  - {name: d, kind: rdma-write, from: host4, to: host2}\n"
                               "  - {name: e, kind: rdma-write, from: host4, to: host0}\n"
                               "  - {name: f, kind: rdma-write, from: host1, to: host0}\n",
                   DIAG_NOTE,
                   "host0: 3 senders together can send up to 300 Gb/s, but the receiver's links "
                   "carry 100 Gb/s: a fan-in of 3:1",
                   1, "pfc.pause_frames");
}

/* The second of two hosts that send, and a host that is sent to, are looked at too. */
static void a_priority_is_checked_at_every_host(void **state)
{
    (void)state;
    static const char *const pairs[] = {"from: [host0, host4], to: host1",
                                        "from: host0, to: host4"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD TWO_LEAVES ", overrides: [{where: leaf1, dscp: {26: 4}}]}\n"
                                 "workloads: [{name: w, kind: rdma-write, %s, priority: 3}]\n",
                 pairs[i]);
        assert_finding(text, DIAG_WARNING,
                       "'w': host4 sends DSCP 26 on priority 3, but leaf1 maps it to priority 4", 1,
                       "drops.lossy > 0");
    }
}

/* All pairs are looked at where each is as it should be. */
static void a_priority_that_is_the_same_everywhere_is_no_finding(void **state)
{
    (void)state;
    for (int pairs = 1; pairs <= 4; pairs++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD FABRIC "workloads: [{name: w, kind: rdma-write, from: \"host0..host%d\", to: "
                             "\"host4..host%d\", priority: 3}]\n",
                 pairs - 1, 3 + pairs);
        assert_finding(text, DIAG_WARNING, "sends DSCP", 0, "");
    }
}

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(HEAD TWO_LEAVES ", fabric-links: {rate: 200Gbps}}\n" HOSTS WORKLOAD);
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

/* A port that nothing is linked to needs no room for what comes after XOFF. */
static void spare_ports_are_no_links(void **state)
{
    static const char *const linked[] = {"s:p0", "s:p7"};
    (void)state;
    for (int spare = 0; spare < 2; spare++) {
        char text[512], why[DIAG_TEXT_BYTES];
        snprintf(text, sizeof text,
                 HEAD "fabric: {topology: {kind: explicit, hosts: [a, b], switches: [s], links: "
                      "[{ends: [\"s:p1\", a]}, {ends: [\"%s\", b]}]}}\n"
                      "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: a, namespaces: "
                      "[{media: fixed}]}}\n"
                      "workloads: [{name: w, kind: nvme, from: b, to: a}]\n",
                 linked[spare]);
        struct scenario *scenario = load_fine(text);
        struct switch_plan plan;
        assert_int_equal(scenario->nodes[2].port_count, spare ? 8 : 2);
        assert_true(check_plan(scenario, &scenario->nodes[2], &plan, why, sizeof why));
        assert_int_equal(plan.links, 2);
        assert_int_equal(plan.headroom_sum, 2 * plan.headroom_most * plan.lossless);
        scenario_free(scenario);
    }
}

/* Before a run: one error for each switch whose memory is too small, and none where all are fine.
 */
static void memories_that_are_too_small_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *overrides;
        size_t errors;
        const char *first;
    } cases[] = {
        {"", 0, NULL},
        {", overrides: [{where: spine1, buffer: 100KB}]", 1,
         "spine1: reserved buffers and headroom need 2220032 B, but the packet memory has 100000 "
         "B"},
        {", overrides: [{where: [leaf0, spine1], buffer: 100KB}]", 2,
         "leaf0: reserved buffers and headroom need 2220032 B, but the packet memory has 100000 B"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        static struct diag diag;
        diag = (struct diag){0};
        snprintf(text, sizeof text, HEAD TWO_LEAVES "%s}\n" HOSTS WORKLOAD, cases[i].overrides);
        struct scenario *scenario = load_fine(text);
        check_memories(scenario, &diag);
        assert_int_equal(diag.errors, cases[i].errors);
        if (cases[i].first != NULL)
            assert_string_equal(diag.messages[0].text, cases[i].first);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(memories_that_are_too_small_are_errors),
        cmocka_unit_test(every_port_is_told_of_once),
        cmocka_unit_test(written_routes_are_followed),
        cmocka_unit_test(thresholds_and_times_that_do_not_fit_are_found),
        cmocka_unit_test(values_that_contradict_each_other_are_found),
        cmocka_unit_test(senders_of_all_workloads_meet),
        cmocka_unit_test(a_priority_is_checked_at_every_host),
        cmocka_unit_test(a_priority_that_is_the_same_everywhere_is_no_finding),
        cmocka_unit_test(nothing_is_found_where_nothing_is_wrong),
        cmocka_unit_test(spare_ports_are_no_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
