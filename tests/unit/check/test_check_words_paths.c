/* SPDX-License-Identifier: Apache-2.0
 * What check prints of links and paths, to the letter and on both sides of each bound: level,
 * place, words, what a run shows of it, and the remedy. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases)      (sizeof(cases) / sizeof((cases)[0]))
#define HEAD              "stormglass: 1\nname: t\nfabric:\n  topology: "
#define LEAVES            HEAD "{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
#define ONE               HEAD "{kind: single-switch, hosts: 4}\n"
#define SWITCH(values)    ONE "  switch: {" values "}\n"
#define AT(where, values) "  overrides: [{where: " where ", " values "}]\n"
#define ACROSS            "workloads: [{name: w, kind: rdma-write, from: host0, to: host2}]\n"
#define WRITE             "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"

static void ways(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {LEAVES AT("leaf0-spine1", "rate: 25Gbps") ACROSS, "path-rates",
         "t.yaml:5:43: warning: leaf0:p3: 25Gbps, but other links of its ECMP group have 100Gbps: "
         "all get the same number of flows, so the slow link saturates first\n    remedy: use one "
         "rate for all links of the group, or routes without the slow link\n"},
        {LEAVES AT("leaf0-spine0", "rate: 25Gbps") ACROSS, "path-rates",
         "t.yaml:5:43: warning: leaf0:p2: 25Gbps, but other links of its ECMP group have 100Gbps: "
         "all get the same number of flows, so the slow link saturates first\n    remedy: use one "
         "rate for all links of the group, or routes without the slow link\n"},
        {LEAVES AT("leaf0-spine1", "rate: 99999Mbps") ACROSS, "path-rates",
         "t.yaml:5:43: warning: leaf0:p3: 99.999Gbps, but other links of its ECMP group have "
         "100Gbps: all get the same number of flows, so the slow link saturates first\n    remedy: "
         "use one rate for all links of the group, or routes without the slow link\n"},
        {HEAD "{kind: fat-tree, k: 4}\n  switch: {ecmp-seed: 7}\nworkloads: [{name: w, kind: "
              "rdma-write, from: host0, to: host15}]\n",
         "hash-seeds",
         "t.yaml:5:23: warning: 4 switches (agg6, ...): the ECMP hash is the same as at the "
         "previous hop (ecmp-seed 7): flows from one switch of that hop use only 1 of 2 equal "
         "links\n    remedy: give each switch its own hash seed: ecmp-seed auto (--set "
         "fabric.switch.ecmp-seed=auto)\n"},
        {HEAD "{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 5}\n" ACROSS,
         "oversubscription",
         "t.yaml:4:13: note: 2 switches (leaf0, ...): 500Gbps of downlinks share 200Gbps of "
         "uplinks (oversubscription 2.5:1)\n"},
        {HEAD "{kind: leaf-spine, leaves: 2, spines: 3, hosts-per-leaf: 4}\n" ACROSS,
         "oversubscription",
         "t.yaml:4:13: note: 2 switches (leaf0, ...): 400Gbps of downlinks share 300Gbps of "
         "uplinks (oversubscription 1.3:1)\n"},
        {LEAVES "  host-links: {rate: 100001Mbps}\n" ACROSS, "oversubscription",
         "t.yaml:4:13: note: 2 switches (leaf0, ...): 200.002Gbps of downlinks share 200Gbps of "
         "uplinks (oversubscription 1.0:1)\n"},
        {LEAVES "  fabric-links: {rate: 99999Mbps}\n" ACROSS, "oversubscription",
         "t.yaml:4:13: note: 2 switches (leaf0, ...): 200Gbps of downlinks share 199.998Gbps of "
         "uplinks (oversubscription 1.0:1)\n"},
        {LEAVES ACROSS, "oversubscription", ""},
        {LEAVES AT("\"spine*\"",
                   "router: true") "hosts: {defaults: {rnic: {roce-version: 1}}}\n" ACROSS,
         "routers",
         "t.yaml:7:13: error: 'w' from host0 to host2 uses RoCE v1, and spine1 is a router: it "
         "drops "
         "frames without an IP header, so no connection comes up\n    remedy: use RoCE v2, or keep "
         "both hosts in one VLAN (--set 'fabric.overrides[+]={where: [host0], rnic: {roce-version: "
         "2}}')\n"},
        {LEAVES AT("\"spine*\"", "router: true") ACROSS, "routers", ""},
        {LEAVES "hosts: {defaults: {rnic: {roce-version: 1}}}\n" ACROSS, "routers", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void mtus(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {ONE AT("\"switch0:p1\"", "mtu: 4156B") WRITE, "paths", ""},
        {ONE AT("\"switch0:p1\"", "mtu: 4155B") WRITE, "paths",
         "t.yaml:5:42: error: switch0:p1: MTU 4155 drops packets of 'w', which need MTU 4156 "
         "(confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "'fabric.overrides[0].mtu=4156B')\n"},
        {ONE AT("\"switch0:p0\"", "mtu: 4155B") WRITE, "paths",
         "t.yaml:5:42: error: switch0:p0: MTU 4155 drops packets of 'w', which need MTU 4156 "
         "(confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "'fabric.overrides[0].mtu=4156B')\n"},
        {ONE AT("\"switch0:p2\"", "mtu: 4155B") WRITE, "paths", ""},
        {ONE "  host-links: {mtu: 4198B}\nhosts: {defaults: {rnic: {profile: ideal, "
             "congestion-control: "
             "hpcc}}}\n" WRITE,
         "paths", ""},
        {ONE "  host-links: {mtu: 4197B}\nhosts: {defaults: {rnic: {profile: ideal}}, some: "
             "{where: host0, rnic: {congestion-control: "
             "hpcc}}}\n" WRITE,
         "paths",
         "t.yaml:5:21: error: 4 ports of 1 switch and 2 hosts (host1:p0, ...): MTU 4197 drops "
         "packets of 'w', which need MTU 4198 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4198 B or more, or lower rnic.path-mtu (--set "
         "fabric.host-links.mtu=4198B)\n"},
        {ONE "  host-links: {mtu: 1500B}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: "
             "host0, message-size: 1376B}]\n",
         "paths", ""},
        {ONE "  host-links: {mtu: 1500B}\nworkloads: [{name: w, kind: rdma-write, from: host1, to: "
             "host0, message-size: 1377B}]\n",
         "paths",
         "t.yaml:5:21: error: 4 ports of 1 switch and 2 hosts (host1:p0, ...): MTU 1500 drops "
         "packets of 'w', which need MTU 1501 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 1501 B or more, or lower rnic.path-mtu (--set "
         "fabric.host-links.mtu=1501B)\n"},
        {ONE "  host-links: {mtu: 1500B}\nhosts: {defaults: {rnic: {profile: ideal, path-mtu: "
             "1024B}}}\n" WRITE,
         "paths", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void paths(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD "{kind: explicit, hosts: [a, b], switches: [s, t], links: [{ends: [a, s]}, {ends: "
              "[b, t]}]}\n"
              "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
         "paths",
         "t.yaml:5:13: error: 'w': there is no path from a to b (confirm in a run: "
         "drops.no_route > "
         "0)\n"},
        {HEAD "{kind: explicit, hosts: [a, b], switches: [s, t], links: [{ends: [a, s]}, {ends: "
              "[b, t]}]}\n"
              "  routes: [{at: s, to: a, via: a}]\n"
              "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
         "paths",
         "t.yaml:6:13: error: 'w': there is no path from a to b (confirm in a run: "
         "drops.no_route > "
         "0)\nt.yaml:6:13: error: 'w': there is no path from b to a (confirm in a run: "
         "drops.no_route > "
         "0)\n"},
        /* Hosts are ends, not ways. */
        {HEAD "{kind: explicit, hosts: [a, b, h], switches: [s, t], links: [{ends: [a, s]}, {ends: "
              "[b, t]}, {ends: [h, s]}, {ends: [h, t]}]}\n"
              "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
         "paths",
         "t.yaml:5:13: error: 'w': there is no path from a to b (confirm in a run: "
         "drops.no_route > "
         "0)\n"},
        /* The last host's port and a switch's are two. */
        {ONE "  host-links: {mtu: 1500B}\nworkloads: [{name: w, kind: rdma-write, from: host3, to: "
             "host1}]\n",
         "paths",
         "t.yaml:5:21: error: 4 ports of 1 switch and 2 hosts (host3:p0, ...): MTU 1500 drops "
         "packets of 'w', which need MTU 4156 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "fabric.host-links.mtu=4156B)\n"},
        /* Ports without a link lead nowhere. */
        {HEAD
         "{kind: explicit, hosts: [a, b], switches: [s], links: [{ends: [\"s:p1\", a]}, {ends: "
         "[\"s:p3\", b]}]}\n"
         "  host-links: {mtu: 1500B}\nworkloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
         "paths",
         "t.yaml:5:21: error: 4 ports of 1 switch and 2 hosts (a:p0, ...): MTU 1500 drops packets "
         "of 'w', which need MTU 4156 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "fabric.host-links.mtu=4156B)\n"},
        /* What one workload left behind is nothing to the next. */
        {LEAVES
         "  routes: [{at: spine1, to: host2, via: leaf0}, {at: leaf0, to: host2, via: spine1}]\n"
         "workloads:\n  - {name: w, kind: rdma-write, from: host0, to: host2}\n  - {name: v, kind: "
         "rdma-write, from: host0, to: host3}\n",
         "paths",
         "t.yaml:7:5: error: 'w': configured routes from host0 to host2 loop through leaf0 and "
         "spine1 (confirm in a run: drops.ttl > 0)\n"},
        {LEAVES "  routes: [{at: spine1, to: host2, via: leaf0}, {at: leaf0, to: host2, via: "
                "spine1}]\n" ACROSS,
         "paths",
         "t.yaml:6:13: error: 'w': configured routes from host0 to host2 loop through leaf0 and "
         "spine1 (confirm in a run: drops.ttl > 0)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

/* Of hosts with two links the first one counts. */
static void written_ways_of_hosts_with_two_links(void **state)
{
    (void)state;
#define TWO_EACH                                                                                   \
    HEAD "{kind: explicit, hosts: [a, b, c], switches: [s, t, u], links: [{ends: [a, s]}, {ends: " \
         "[a, u]}, {ends: [b, s]}, "                                                               \
         "{ends: [b, u]}, {ends: [c, t]}, {ends: [c, u]}, {ends: [s, t]}, {ends: [s, t]}]}\n"
    static const struct findings_print cases[] = {
        {TWO_EACH "  routes: [{at: t, to: b, via: s}]\n" AT(
             "s-t", "mtu: 1500B") "workloads: [{name: w, kind: rdma-write, from: c, to: b}]\n",
         "paths",
         "t.yaml:6:33: error: 4 ports of 2 switches (t:p1, ...): MTU 1500 drops packets of 'w', "
         "which need MTU 4156 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "'fabric.overrides[0].mtu=4156B')\n"},
        {TWO_EACH "  routes: [{at: s, to: c, via: \"s:p2\"}, {at: t, to: b, via: \"t:p1\"}]\n" AT(
             "\"s:p3\"", "mtu: 1500B") "workloads: [{name: w, kind: rdma-write, from: b, to: c}]\n",
         "paths", ""},
    };
    assert_prints(cases, COUNT(cases));
}

#define CLASSES "pfc: {priorities: [3, 4]}, dscp: {26: 3, 34: 4}"
#define BOTH                                                                                       \
    "hosts: {defaults: {rnic: {profile: ideal, pfc-priorities: [3, 4], dscp-to-priority: {34: "    \
    "4}}}}\n"                                                                                      \
    "workloads:\n"                                                                                 \
    "  - {name: low, kind: rdma-write, from: host1, to: host0, dscp: 26}\n"
#define HIGH(more) "  - {name: high, kind: rdma-write, from: host2, to: " more ", dscp: 34}\n"
#define BACK       "  - {name: back, kind: rdma-write, from: host0, to: host1, dscp: 26}\n"

static void shares_of_a_link(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        /* 5 of 100 is tiny, and 6 of 100 is not. */
        {SWITCH(CLASSES ", scheduler: {weights: {3: 5, 4: 95}}") BOTH HIGH("host0"), "weights",
         "t.yaml:5:86: warning: switch0:p0: priority 3 has lossless data, but a weight of only 5 "
         "of 100: when others send, it gets only this part of the link and pauses its senders\n    "
         "remedy: set the weight of this priority to its share of the offered load (--set "
         "fabric.switch.weight-3=95)\n"},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 6, 4: 94}}") BOTH HIGH("host0"), "weights", ""},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 95, 4: 5}}") BOTH HIGH("host0"), "weights",
         "t.yaml:5:93: warning: switch0:p0: priority 4 has lossless data, but a weight of only 5 "
         "of 100: when others send, it gets only this part of the link and pauses its senders\n    "
         "remedy: set the weight of this priority to its share of the offered load (--set "
         "fabric.switch.weight-4=95)\n"},
        {SWITCH("pfc: {priorities: [4]}, dscp: {26: 3, 34: 4}, scheduler: {weights: {3: 5, 4: 95}}")
             BOTH HIGH("host0"),
         "weights", ""},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 95, 6: 5}}") BOTH BACK, "weights",
         "t.yaml:5:93: warning: 2 ports of 1 switch (switch0:p0, ...): priority 6 has CNPs, but a "
         "weight of only 5 of 100: congestion control reacts late when many flows are marked\n    "
         "remedy: use strict priority for CNPs: weight 0 (--set fabric.switch.weight-6=0)\n"},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 94, 6: 6}}") BOTH BACK, "weights", ""},
        {SWITCH(
             CLASSES
             ", scheduler: {weights: {3: 50, 4: 50}}") "hosts: {defaults: {rnic: {profile: ideal, "
                                                       "weight-3: 5, "
                                                       "weight-4: 95, pfc-priorities: [3, 4], "
                                                       "dscp-to-priority: {34: 4}}}}\nworkloads:\n"
                                                       "  - {name: low, kind: rdma-write, from: "
                                                       "host1, to: host0, dscp: 26}\n"
                                                       "  - {name: high, kind: rdma-write, from: "
                                                       "host1, to: host0, dscp: 34}\n",
         "weights",
         "t.yaml:6:53: warning: host1:p0: priority 3 has lossless data, but a weight of only 5 of "
         "100: when others send, it gets only this part of the link and pauses its senders\n    "
         "remedy: set the weight of this priority to its share of the offered load (--set "
         "hosts.defaults.rnic.weight-3=95)\n"},
        {SWITCH(CLASSES) BOTH HIGH("host0"), "starvation",
         "t.yaml:4:13: warning: switch0:p0: priority 4 is strict and carries data without a rate "
         "limit: priority 3 gets only the rest of the link, possibly nothing\n    remedy: set "
         "weights for both (scheduler.weights), or a rate for the workloads of priority 4 (--set "
         "fabric.switch.weight-3=50 --set fabric.switch.weight-4=50)\n"},
        {SWITCH(CLASSES) BOTH HIGH("host0, rate: 1000"), "starvation", ""},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 50, 4: 50}}") BOTH HIGH("host0"), "starvation",
         ""},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 50}}") BOTH HIGH("host0"), "starvation",
         "t.yaml:4:13: warning: switch0:p0: priority 4 is strict and carries data without a rate "
         "limit: priority 3 gets only the rest of the link, possibly nothing\n    remedy: set "
         "weights for both (scheduler.weights), or a rate for the workloads of priority 4 (--set "
         "fabric.switch.weight-4=50)\n"},
        /* A strict class below the weighted one is before it all the same. */
        {SWITCH(CLASSES ", scheduler: {weights: {4: 50}}") BOTH HIGH("host0"), "starvation",
         "t.yaml:4:13: warning: switch0:p0: priority 3 is strict and carries data without a rate "
         "limit: priority 4 gets only the rest of the link, possibly nothing\n    remedy: set "
         "weights for both (scheduler.weights), or a rate for the workloads of priority 3 (--set "
         "fabric.switch.weight-3=50)\n"},
        {SWITCH(CLASSES ", scheduler: {weights: {3: 50, 4: 50}}") BOTH
         "  - {name: high, kind: rdma-write, from: host1, to: host3, dscp: 34}\n",
         "starvation",
         "t.yaml:4:13: warning: host1:p0: priority 4 is strict and carries data without a rate "
         "limit: priority 3 gets only the rest of the link, possibly nothing\n    remedy: set "
         "weights for both (rnic.weight-N), or a rate for the workloads of priority 4 (--set "
         "hosts.defaults.rnic.weight-3=50 --set hosts.defaults.rnic.weight-4=50)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void members_that_cannot_connect(void **state)
{
    (void)state;
#define FOUR(more)                                                                                 \
    "workloads: [{name: w, kind: rdma-write, from: [host0, host1], to: host2" more "}]\n"
#define DOWN(what) "faults: [{kind: " what "}]\n"
    static const struct findings_print cases[] = {
        {LEAVES FOUR("") DOWN("switch-down, where: spine0, at: 0s"), "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect, depending on the hash (first: host0 to host2); a "
         "lost message is sent again only after 6.14 s (cm-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES FOUR("") DOWN("link-down, where: host1, at: 0s"), "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 1 "
         "of 2 host-target pairs cannot connect (first: host1 to host2); address resolution is "
         "retried only after 1 s (a third of address-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES FOUR("") DOWN("link-down, where: host2, at: 0s"), "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect (first: host0 to host2); address resolution is "
         "retried only after 1 s (a third of address-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES "hosts: {defaults: {rnic: {profile: ideal, address-timeout: 3ms}}}\n" FOUR(
             ", stop: 1001us") DOWN("link-down, where: host2, at: 0s"),
         "fault-connects",
         "t.yaml:6:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect (first: host0 to host2); address resolution is "
         "retried only after 1 ms (a third of address-timeout) (confirm in a run: members_idle > "
         "0)\n    remedy: start the fault after the workload, or start the workload after the "
         "routes have converged\n"},
        {LEAVES "hosts: {defaults: {rnic: {profile: ideal, address-timeout: 3ms}}}\n" FOUR(
             ", stop: 1ms") DOWN("link-down, where: host2, at: 0s"),
         "fault-connects",
         "t.yaml:6:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect (first: host0 to host2); address resolution is "
         "retried only after 1 ms (a third of address-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void members_with_two_ways(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        /* One of two ways, and both. */
        {LEAVES FOUR("") DOWN("link-down, where: leaf1-spine1, at: 0s"), "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect, depending on the hash (first: host0 to host2); a "
         "lost message is sent again only after 6.14 s (cm-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES FOUR("") "faults: [{kind: link-down, where: leaf1-spine0, at: 0s}, {kind: "
                         "link-down, where: leaf1-spine1, at: 0s}]\n",
         "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect (first: host0 to host2); address resolution is "
         "retried only after 1 s (a third of address-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {TWO_EACH "workloads: [{name: w, kind: rdma-write, from: c, to: b}]\n" DOWN(
             "link-down, where: \"t:p1\", at: 0s"),
         "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 1 "
         "of 1 host-target pair cannot connect, depending on the hash (first: c to b); a lost "
         "message is sent again only after 6.14 s (cm-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES FOUR(", start: 1ms") DOWN("link-down, where: host2, at: 1ms"), "fault-connects",
         "t.yaml:5:13: warning: 'w' begins while routes still use links that faults took down: 2 "
         "of 2 host-target pairs cannot connect (first: host0 to host2); address resolution is "
         "retried only after 1 s (a third of address-timeout), when the workload has stopped "
         "(confirm in a run: members_idle > 0)\n    remedy: start the fault after the workload, or "
         "start the workload after the routes have converged\n"},
        {LEAVES FOUR(", start: 1ms") DOWN("link-down, where: host2, at: 1000001ns"),
         "fault-connects", ""},
        {LEAVES FOUR(", start: 1ms") DOWN("link-down, where: host2, at: 0ms, for: 1ms"),
         "fault-connects", ""},
        {LEAVES FOUR(", start: 1ms") DOWN("switch-down, where: spine0, at: 0s, for: 500us"),
         "fault-connects", ""},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways),
        cmocka_unit_test(mtus),
        cmocka_unit_test(paths),
        cmocka_unit_test(written_ways_of_hosts_with_two_links),
        cmocka_unit_test(shares_of_a_link),
        cmocka_unit_test(members_that_cannot_connect),
        cmocka_unit_test(members_with_two_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
