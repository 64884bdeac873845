/* SPDX-License-Identifier: Apache-2.0
 * Rules about links, switches and paths: each finds what it is for, and nothing in what is like
 * it. */
#include "tests/unit/scenarios/findings.h"

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
         DIAG_WARNING, "leaf0:p3: 25Gbps in one ECMP group with 100Gbps", 1},
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
         "hash-seeds", DIAG_WARNING, "flows from one of them use 1 of 2 equal links", 4},
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
         "500Gbps below and 200Gbps above: oversubscription 2.5 to 1", 2},
        {HEAD LEAVES WRITES, "oversubscription", DIAG_NOTE, "", 0},
        {HEAD "{kind: single-switch, hosts: 4}" INSIDE, "oversubscription", DIAG_NOTE, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_link_in_a_group_is_found),
        cmocka_unit_test(tiers_that_hash_alike_are_found),
        cmocka_unit_test(oversubscription_is_told_with_its_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
