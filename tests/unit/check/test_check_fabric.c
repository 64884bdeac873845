/* SPDX-License-Identifier: Apache-2.0
 * Rules about links, switches and paths: each finds what it is for, and nothing in what is like
 * it. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD         "stormglass: 1\nname: test\nfabric: {topology: "
#define LEAVES       "{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}"
#define WRITES       "}\nworkloads: [{name: w, kind: rdma-write, from: host0, to: host2}]\n"
#define INSIDE       "}\nworkloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n"
#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))

static void a_slow_link_in_a_group_is_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD LEAVES ", overrides: [{where: leaf0-spine1, rate: 25Gbps}]" WRITES, "path-rates",
         DIAG_WARNING, "leaf0:p3: 25Gbps, but other links of its ECMP group have 100Gbps", 1},
        {HEAD LEAVES ", fabric-links: {rate: 25Gbps}" WRITES, "path-rates", DIAG_WARNING, "", 0},
        /* Another way, not one of equal costs. */
        {HEAD LEAVES ", overrides: [{where: leaf0-spine1, rate: 25Gbps}], routes: [{at: leaf0, to: "
                     "host2, via: spine0}]" WRITES,
         "path-rates", DIAG_WARNING, "", 0},
        /* Where nobody comes by. */
        {HEAD "{kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}, overrides: [{where: "
              "leaf2-spine1, rate: 25Gbps}]" WRITES,
         "path-rates", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

#define TREE "{kind: fat-tree, k: 4}"

static void tiers_that_hash_alike_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD TREE ", switch: {ecmp-seed: 7}}\nworkloads: [{name: w, kind: rdma-write, from: "
                   "host0, to: host15}]\n",
         "hash-seeds", DIAG_WARNING,
         "flows from one switch of that hop use only 1 of 2 equal links", 4},
        {HEAD TREE "}\nworkloads: [{name: w, kind: rdma-write, from: host0, to: host15}]\n",
         "hash-seeds", DIAG_WARNING, "", 0},
        {HEAD TREE ", switch: {ecmp-seed: 7}, overrides: [{where: \"agg*\", ecmp-seed: 8}]}\n"
                   "workloads: [{name: w, kind: rdma-write, from: host0, to: host15}]\n",
         "hash-seeds", DIAG_WARNING, "", 0},
        /* Other fields give another hash. */
        {HEAD TREE ", switch: {ecmp-seed: 7}, overrides: [{where: \"agg*\", ecmp-hash: "
                   "addresses}]}\n"
                   "workloads: [{name: w, kind: rdma-write, from: host0, to: host15}]\n",
         "hash-seeds", DIAG_WARNING, "", 0},
        /* A spine has one way to a leaf: nothing is left to choose. */
        {HEAD LEAVES ", switch: {ecmp-seed: 7}" WRITES, "hash-seeds", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void oversubscription_is_told_with_its_factor(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD "{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 5}" INSIDE,
         "oversubscription", DIAG_NOTE,
         "500Gbps of downlinks share 200Gbps of uplinks (oversubscription 2.5:1)", 2},
        {HEAD LEAVES WRITES, "oversubscription", DIAG_NOTE, "", 0},
        {HEAD "{kind: single-switch, hosts: 4}" INSIDE, "oversubscription", DIAG_NOTE, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

#define SWITCH                                                                                     \
    "stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 4}, switch: "
#define CLASSES "pfc: {priorities: [3, 4]}, dscp: {26: 3, 34: 4}"
#define BOTH                                                                                       \
    "hosts: {defaults: {rnic: {profile: ideal, pfc-priorities: [3, 4], dscp-to-priority: {34: "    \
    "4}}}}\n"                                                                                      \
    "workloads:\n"                                                                                 \
    "  - {name: low, kind: rdma-write, from: host1, to: host0, dscp: 26}\n"
#define HIGH(more) "  - {name: high, kind: rdma-write, from: host2, to: " more ", dscp: 34}\n"

static void tiny_weights_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 1, 4: 99}}}}\n" BOTH HIGH("host0"),
         "weights", DIAG_WARNING,
         "switch0:p0: priority 3 has lossless data, but a weight of only 1 of "
         "100",
         1},
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 10, 4: 90}}}}\n" BOTH HIGH("host0"),
         "weights", DIAG_WARNING, "", 0},
        /* The other class goes elsewhere. */
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 1, 4: 99}}}}\n" BOTH HIGH("host3"),
         "weights", DIAG_WARNING, "", 0},
        /* CNPs go against the data, and meet data where hosts send both ways. */
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 99, 6: 1}}}}\n" BOTH
                "  - {name: back, kind: rdma-write, from: host0, to: host1, dscp: 26}\n",
         "weights", DIAG_WARNING, "priority 6 has CNPs, but a weight of only 1 of 100", 2},
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 99, 6: 1}}}}\n" BOTH, "weights",
         DIAG_WARNING, "", 0},
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 99}}}}\n" BOTH
                "  - {name: back, kind: rdma-write, from: host0, to: host1, dscp: 26}\n",
         "weights", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void strict_classes_that_starve_others_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH "{" CLASSES "}}\n" BOTH HIGH("host0"), "starvation", DIAG_WARNING,
         "switch0:p0: priority 4 is strict and carries data without a rate limit: priority 3", 1},
        {SWITCH "{" CLASSES "}}\n" BOTH HIGH("host3"), "starvation", DIAG_WARNING, "", 0},
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 50, 4: 50}}}}\n" BOTH HIGH("host0"),
         "starvation", DIAG_WARNING, "", 0},
        {SWITCH "{" CLASSES "}}\n" BOTH HIGH("host0, rate: 1000"), "starvation", DIAG_WARNING, "",
         0},
        /* A host sends both: its own scheduler. */
        {SWITCH "{" CLASSES ", scheduler: {weights: {3: 50, 4: 50}}}}\n" BOTH
                "  - {name: high, kind: rdma-write, from: host1, to: host3, dscp: 34}\n",
         "starvation", DIAG_WARNING, "host1:p0: priority 4 is strict", 1},
    };
    assert_findings(cases, COUNT(cases));
}

static void pauses_of_lossy_classes_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH "{dscp: {10: 1}}}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: host0, "
                "dscp: 10}]\n",
         "lossy-pauses", DIAG_NOTE, "", 0},
        {SWITCH "{dscp: {10: 1}}, host-links: {pfc-enabled: [1, 3]}}\nworkloads: [{name: w, kind: "
                "rdma-write, from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses", DIAG_NOTE, "switch0:p0: priority 1 is lossy at the switch", 1},
        {SWITCH "{dscp: {10: 1}}, host-links: {pfc-enabled: [3]}}\nworkloads: [{name: w, kind: "
                "rdma-write, from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses", DIAG_NOTE, "", 0},
        {SWITCH "{}}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n",
         "lossy-pauses", DIAG_NOTE, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

/* 66,560 B at 100G and 40 m hold every mix that comes; 17 KiB hold not even full frames. */
static void headroom_is_for_frames_that_are_sent(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH
         "{pfc: {headroom: 17408B}}, host-links: {length: 40m}}\nworkloads: [{name: w, kind: "
         "rdma-write, from: host1, to: host0}]\n",
         "headroom", DIAG_WARNING, "switch0:p1: 26112 B of data can arrive after XOFF", 1},
        {SWITCH "{pfc: {headroom: 28KiB}}, host-links: {length: 40m}}\nworkloads: [{name: w, kind: "
                "rdma-write, from: host1, to: host0}]\n",
         "headroom", DIAG_WARNING, "", 0},
        {SWITCH "{pfc: {headroom: 28KiB}}, host-links: {length: 40m}}\nworkloads: [{name: w, kind: "
                "rdma-write, from: host1, to: host0, qps: 256}]\n",
         "headroom", DIAG_NOTE, "of back-to-back ACKs and requests can arrive", 2},
        {SWITCH
         "{pfc: {headroom: 66560B}}, host-links: {length: 40m}}\nworkloads: [{name: w, kind: "
         "rdma-write, from: host1, to: host0, qps: 256}]\n",
         "headroom", DIAG_WARNING, "", 0},
        /* Messages of one byte more than a cell holds waste most of the second. */
        {SWITCH
         "{pfc: {headroom: 25000B}}, host-links: {length: 40m}}\nworkloads: [{name: w, kind: "
         "rdma-write, from: host1, to: host0, message-size: 180B}]\n",
         "headroom", DIAG_WARNING, "B of data can arrive after XOFF, but the headroom is", 1},
    };
    assert_findings(cases, COUNT(cases));
}

static void rows_of_another_policy_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH "{policy: static, xoff: 1MB, alpha: 50%}}\nworkloads: [{name: w, kind: rdma-write, "
                "from: host1, to: host0}]\n",
         "switch-values", DIAG_NOTE, "alpha has no effect: the policy is static", 1},
        {SWITCH "{xoff: 1MB}}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n",
         "switch-values", DIAG_NOTE, "xoff has no effect: the policy is dynamic", 1},
        {SWITCH "{alpha: 50%}}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n",
         "switch-values", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void thresholds_that_leave_nothing_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {SWITCH "{policy: static, xoff: 100MB}}\nworkloads: [{name: w, kind: rdma-write, from: "
                "host1, to: host0}]\n",
         "thresholds", DIAG_WARNING, "switch0: xoff (100000000 B) is larger than the shared memory",
         1},
        {SWITCH "{policy: static, xoff: 10MB}}\nworkloads: [{name: w, kind: rdma-write, from: "
                "host1, to: host0}]\n",
         "thresholds", DIAG_WARNING, "", 0},
        {SWITCH "{alpha: 12800%, buffer: 3MB}}\nworkloads: [{name: w, kind: rdma-write, from: "
                "host1, to: host0}]\n",
         "thresholds", DIAG_WARNING, "alpha lets one congested port use", 1},
        {SWITCH "{alpha: 800%, buffer: 3MB}}\nworkloads: [{name: w, kind: rdma-write, from: "
                "host1, to: host0}]\n",
         "thresholds", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_that_leave_nothing_are_found),
        cmocka_unit_test(tiny_weights_are_found),
        cmocka_unit_test(strict_classes_that_starve_others_are_found),
        cmocka_unit_test(pauses_of_lossy_classes_are_found),
        cmocka_unit_test(headroom_is_for_frames_that_are_sent),
        cmocka_unit_test(rows_of_another_policy_are_found),
        cmocka_unit_test(a_slow_link_in_a_group_is_found),
        cmocka_unit_test(tiers_that_hash_alike_are_found),
        cmocka_unit_test(oversubscription_is_told_with_its_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
