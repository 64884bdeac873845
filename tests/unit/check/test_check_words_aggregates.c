/* SPDX-License-Identifier: Apache-2.0
 * What check prints of NICs that are one link aggregate, or should be. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases)     (sizeof(cases) / sizeof((cases)[0]))
#define START            "stormglass: 1\nname: t\n"
#define HEAD             START "fabric:\n  topology: {kind: single-switch, hosts: 4}\n"
#define HEAD_NICS        START "fabric:\n  topology: {kind: single-switch, hosts: 2, nics: 2}\n"
#define WORK(values)     "workloads: [{name: w, " values "}]\n"
#define WRITE            WORK("kind: rdma-write, from: host1, to: host0")
#define ALL(values)      "hosts: {defaults: {rnic: {" values "}}}\n"
#define AT(host, values) "hosts: {some: {where: " host ", rnic: {" values "}}}\n"
#define TWO_LINKS(links)                                                                           \
    START "fabric:\n  topology: {kind: explicit, hosts: [a, b, c], switches: [s], links: [{ends: " \
          "[a, s]}, {ends: [b, s]}, {ends: [c, s]}" links "]}\n"

static void members_and_flows(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD_NICS ALL("lag: layer3+4") WORK("kind: rdma-write, from: host0, to: host1"), "homing",
         "t.yaml:4:13: note: 2 hosts (host0, ...): 2 members of a link aggregation group, all "
         "connected to one switch: the group survives the loss of a cable, but not of the switch\n "
         "   remedy: set homing: dual, or connect the links to different switches\n"},
        {HEAD_NICS ALL("lag: layer3+4") WORK("kind: rdma-write, from: host0, to: host1"),
         "host-links", ""},
        {HEAD_NICS ALL("lag: layer3+4") WORK("kind: rdma-write, from: host0, to: host1"),
         "aggregates", ""},
        {HEAD_NICS ALL("lag: layer2+3") WORK("kind: rdma-write, from: host0, to: host1"),
         "aggregates",
         "t.yaml:5:32: warning: 2 hosts (host0, ...): all its frames leave by one link of its link "
         "aggregation group (polarization): it sends to one host, and the hash uses only "
         "addresses\n    remedy: set rnic.lag: queue-affinity or layer3+4 (--set "
         "hosts.defaults.rnic.lag=layer3+4)\n"},
        {HEAD_NICS ALL("lag: layer3+4, roce-version: 1")
             WORK("kind: rdma-write, from: host0, to: host1"),
         "aggregates",
         "t.yaml:5:32: note: 2 hosts (host0, ...): RoCE v1 queue pairs are assigned to the links "
         "of the link aggregation group in turn: only RoCEv2 is hashed\n"},
        {HEAD_NICS ALL("lag: queue-affinity, roce-version: 1")
             WORK("kind: rdma-write, from: host0, to: host1"),
         "aggregates", ""},
        {START "fabric:\n  topology: {kind: single-switch, hosts: 3, nics: 2}\n" AT(
             "host0", "lag: layer2+3") WORK("kind: rdma-write, from: host0, to: host1..host2"),
         "aggregates", ""},
        {START "fabric:\n  topology: {kind: single-switch, hosts: 3, nics: 2}\n" AT(
             "host0", "lag: layer2") WORK("kind: rdma-write, from: host0, to: host1..host2"),
         "aggregates",
         "t.yaml:5:42: warning: host0: all its frames leave by one link of its link aggregation "
         "group (polarization): through a router, all frames have the same two MAC addresses\n    "
         "remedy: set rnic.lag: queue-affinity or layer3+4 (--set hosts.some.rnic.lag=layer3+4)\n"},
        {HEAD AT("host1", "lag: layer2") WRITE, "aggregates",
         "t.yaml:5:42: warning: host1: rnic.lag has no effect, the NICs are not aggregated: it has "
         "one\n"},
        {TWO_LINKS(", {ends: [a, s], rate: 25Gbps}") AT("a", "lag: queue-affinity")
             WORK("kind: rdma-write, from: a, to: b"),
         "aggregates",
         "t.yaml:4:140: warning: a:p1: the links of its link aggregation group have different "
         "rates, but each gets the same number of flows\n    remedy: use links of one rate\n"},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
