/* SPDX-License-Identifier: Apache-2.0
 * What check prints of switches, to the letter and on both sides of each bound: level, place,
 * words, what a run shows of it, and the remedy. */
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
#define ALL(values)       "hosts: {defaults: {rnic: {profile: ideal, " values "}}}\n"
#define ACROSS            "workloads: [{name: w, kind: rdma-write, from: host0, to: host2}]\n"
#define WRITE             "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"

static void classes_of_switches(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {LEAVES ACROSS, "switch-classes", ""},
        {LEAVES "  switch: {pfc: {priorities: [4]}}\n" ACROSS, "switch-classes",
         "t.yaml:5:30: warning: 4 switches (leaf0, ...): DSCP 26 has priority 3, which is not "
         "lossless: RoCE data may be dropped (confirm in a run: drops.lossy > 0)\n    remedy: make "
         "priority 3 lossless at the switch (--set 'fabric.overrides[+]={where: [leaf0, leaf1, "
         "spine0, spine1], pfc: {priorities: [3,4]}}')\n"},
        /* Who chose a class may mean it. */
        {LEAVES "workloads: [{name: w, kind: rdma-write, from: host0, to: host2, dscp: 10}]\n",
         "switch-classes",
         "t.yaml:4:13: note: 4 switches (leaf0, ...): DSCP 10 has priority 1, which is not "
         "lossless: RoCE data may be dropped (confirm in a run: drops.lossy > 0)\n    remedy: mark "
         "DSCP 26 (ToS 104) (--set workloads.w.dscp=26)\n"},
        {LEAVES AT("spine1", "dscp: {26: 5}") ACROSS, "switch-classes",
         "t.yaml:4:13: warning: 2 switches (leaf0, ...): DSCP 26 has priority 3 (lossless) here, "
         "but 5 (lossy) at spine1 (confirm in a run: drops.lossy > 0)\n    remedy: use the same "
         "dscp map and the same pfc.priorities at all switches (--set 'fabric.overrides[+]={where: "
         "[spine1], dscp: {26: 3}, pfc: {priorities: [3]}}')\nt.yaml:4:13: warning: spine1: DSCP "
         "26 has priority 5, which is not lossless: RoCE data may be dropped (confirm in a run: "
         "drops.lossy > 0)\n    remedy: map DSCP 26 to priority 3, as leaf0 does (--set "
         "'fabric.overrides[+]={where: [spine1], dscp: {26: 3}, pfc: {priorities: [3]}}')\n"},
        /* Another priority that is lossless too, and the same one that is not. */
        {LEAVES "  switch: {pfc: {priorities: [3, 4]}}\n" AT("spine1", "dscp: {26: 4}") ACROSS,
         "switch-classes",
         "t.yaml:5:30: warning: 2 switches (leaf0, ...): DSCP 26 has priority 3 (lossless) here, "
         "but 4 (lossless) at spine1 (confirm in a run: drops.lossy > 0)\n    remedy: use the "
         "same dscp "
         "map and the same pfc.priorities at all switches (--set 'fabric.overrides[+]={where: "
         "[spine1], dscp: {26: 3}, pfc: {priorities: [3,4]}}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void more_classes_of_switches(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {LEAVES AT("spine1", "pfc: {priorities: [4]}") ACROSS, "switch-classes",
         "t.yaml:4:13: warning: 2 switches (leaf0, ...): DSCP 26 has priority 3 (lossless) here, "
         "but 3 (lossy) at spine1 (confirm in a run: drops.lossy > 0)\n    remedy: use the same "
         "dscp map and the same pfc.priorities at all switches (--set 'fabric.overrides[+]={where: "
         "[spine1], dscp: {26: 3}, pfc: {priorities: [3,4]}}')\nt.yaml:5:49: warning: spine1: DSCP "
         "26 has priority 3, which is not lossless: RoCE data may be dropped (confirm in a run: "
         "drops.lossy > 0)\n    remedy: map DSCP 26 to priority 3, as leaf0 does (--set "
         "'fabric.overrides[+]={where: [spine1], dscp: {26: 3}, pfc: {priorities: [3,4]}}')\n"},
        {LEAVES AT("leaf0-spine0", "pfc-enabled: none") ACROSS, "switch-classes",
         "t.yaml:5:50: warning: 2 ports of 2 switches (leaf0:p2, ...): priority 3 is lossless at "
         "the switch, but its PFC is disabled on the port (confirm in a run: drops.lossless > "
         "0)\n    "
         "remedy: set flow-control: pfc at both ends of each of these links (leaf0-spine0), with 3 "
         "in pfc-enabled (--set 'fabric.overrides[+]={where: [\"leaf0:p2\", \"spine0:p0\"], "
         "flow-control: pfc, pfc-enabled: [3]}')\n"},
        {LEAVES AT("leaf0-spine0", "pfc-enabled: [4]") ACROSS, "switch-classes",
         "t.yaml:5:50: warning: 2 ports of 2 switches (leaf0:p2, ...): priority 3 is lossless at "
         "the switch, but its PFC is disabled on the port (confirm in a run: drops.lossless > "
         "0)\n    "
         "remedy: set flow-control: pfc at both ends of each of these links (leaf0-spine0), with 3 "
         "in pfc-enabled (--set 'fabric.overrides[+]={where: [\"leaf0:p2\", \"spine0:p0\"], "
         "flow-control: pfc, pfc-enabled: [3,4]}')\n"},
        {LEAVES AT("leaf0-spine0", "pfc-enabled: [3]") ACROSS, "switch-classes", ""},
        {LEAVES AT("leaf0-spine0", "flow-control: none") ACROSS, "switch-classes",
         "t.yaml:5:51: warning: 2 ports of 2 switches (leaf0:p2, ...): priority 3 is lossless at "
         "the switch, but its PFC is disabled on the port (confirm in a run: drops.lossless > "
         "0)\n    "
         "remedy: set flow-control: pfc at both ends of each of these links (leaf0-spine0), with 3 "
         "in pfc-enabled (--set 'fabric.overrides[+]={where: [\"leaf0:p2\", \"spine0:p0\"], "
         "flow-control: pfc, pfc-enabled: [3]}')\n"},
        /* A port without a link is none of it. */
        {HEAD "{kind: explicit, hosts: [a, b], switches: [s], links: [{ends: [\"s:p1\", a]}, "
              "{ends: [\"s:p3\", b]}]}\n"
              "  host-links: {pfc-enabled: none}\n"
              "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n",
         "switch-classes",
         "t.yaml:5:29: warning: 2 ports of 1 switch (s:p1, ...): priority 3 is lossless at the "
         "switch, but its PFC is disabled on the port (confirm in a run: drops.lossless > 0)\n "
         "   "
         "remedy: set flow-control: pfc at both ends of each of these links (s-a), with 3 in "
         "pfc-enabled (--set 'fabric.overrides[+]={where: [\"s:p1\", \"a:p0\", \"s:p3\", "
         "\"b:p0\"], flow-control: pfc, pfc-enabled: [3]}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void pauses_of_two_ends(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {ONE WRITE, "pause-kinds", ""},
        {ONE AT("\"switch0:p0\"", "flow-control: global") WRITE, "pause-kinds",
         "t.yaml:4:13: warning: host0:p0: PFC at this end, but PAUSE at switch0:p0: neither end "
         "obeys the other (confirm in a run: drops.lossless > 0)\n    remedy: use PFC at both ends "
         "of the link (--set 'fabric.overrides[+]={where: [\"host0:p0\", \"switch0:p0\"], "
         "flow-control: pfc}')\n"},
        {ONE AT("\"switch0:p0\"", "flow-control: none") WRITE, "pause-kinds",
         "t.yaml:4:13: warning: host0:p0: PFC at this end, but no pauses at switch0:p0: neither "
         "end obeys the other (confirm in a run: drops.lossless > 0)\n    remedy: use PFC at both "
         "ends of the link (--set 'fabric.overrides[+]={where: [\"host0:p0\", \"switch0:p0\"], "
         "flow-control: pfc}')\n"},
        {ONE AT("\"switch0:p0\"",
                "flow-control: none") "  host-links: {flow-control: global}\n" WRITE,
         "pause-kinds",
         "t.yaml:6:30: warning: host0:p0: PAUSE at this end, but no pauses at switch0:p0: neither "
         "end obeys the other (confirm in a run: drops.lossless > 0)\n    remedy: use PAUSE at "
         "both ends of the link (--set 'fabric.overrides[+]={where: [\"host0:p0\", "
         "\"switch0:p0\"], flow-control: global}')\n"},
        /* What the switch does not pause for is not obeyed, unless the scenario says so. */
        {SWITCH("dscp: {10: 1}") "workloads: [{name: w, kind: rdma-write, from: host1, to: host0, "
                                 "dscp: 10}]\n",
         "lossy-pauses", ""},
        {SWITCH("dscp: {10: 0}") "  host-links: {pfc-enabled: [0]}\nworkloads: [{name: w, kind: "
                                 "rdma-write, from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses",
         "t.yaml:6:29: note: switch0:p0: priority 0 is lossy at the switch, but the port obeys "
         "pauses for it: its peer can stop this traffic\n    remedy: remove 0 from pfc-enabled of "
         "the link (--set 'fabric.overrides[+]={where: [\"switch0:p0\"], pfc-enabled: [none]}')\n"},
        {SWITCH("dscp: {10: 7}") "  host-links: {pfc-enabled: [7]}\nworkloads: [{name: w, kind: "
                                 "rdma-write, from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses",
         "t.yaml:6:29: note: switch0:p0: priority 7 is lossy at the switch, but the port obeys "
         "pauses for it: its peer can stop this traffic\n    remedy: remove 7 from pfc-enabled of "
         "the link (--set 'fabric.overrides[+]={where: [\"switch0:p0\"], pfc-enabled: [none]}')\n"},
        {SWITCH("dscp: {10: 1}") "  host-links: {flow-control: global}\nworkloads: [{name: w, "
                                 "kind: rdma-write, from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses", ""},
        {SWITCH("dscp: {10: 1}, pfc: {priorities: [1]}") "workloads: [{name: w, kind: rdma-write, "
                                                         "from: host1, to: host0, dscp: 10}]\n",
         "lossy-pauses", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void values_of_a_switch(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("policy: static, xoff: 10KB, xon: 10KB") WRITE, "switch-values", ""},
        {SWITCH("policy: static, xoff: 10KB, xon: 10001B") WRITE, "switch-values",
         "t.yaml:5:45: warning: switch0: xon (10001 B) is above xoff (10000 B): a sender resumes "
         "before it is paused\n    remedy: lower xon below xoff (--set fabric.switch.xon=5000B)\n"},
        {SWITCH("policy: static, xoff: 10KB, xon-offset: 10KB") WRITE, "switch-values", ""},
        {SWITCH("policy: static, xoff: 10KB, xon-offset: 10001B") WRITE, "switch-values",
         "t.yaml:5:52: warning: switch0: xon-offset (10001 B) is larger than xoff (10000 B): a "
         "paused sender resumes only when its buffer is empty\n    remedy: lower xon-offset below "
         "xoff (--set fabric.switch.xon-offset=5000B)\n"},
        {SWITCH("policy: static, xoff: 10KB, xon-offset: 10001B, xon: 1B") WRITE, "switch-values",
         ""},
        /* What follows the free memory may be anywhere. */
        {SWITCH("policy: dynamic, xon: 1GB") WRITE, "switch-values", ""},
        {SWITCH("ecn: {kmin: 1MB, kmax: 1MB}") WRITE, "switch-values", ""},
        {SWITCH("ecn: {kmin: 1000001B, kmax: 1MB}") WRITE, "switch-values",
         "t.yaml:5:24: warning: switch0: ecn-kmin (1000001 B) is above ecn-kmax (1000000 B): the "
         "marking probability has no slope\n    remedy: lower ecn-kmin, or raise ecn-kmax (--set "
         "fabric.switch.ecn-kmin=250000B)\n"},
        {SWITCH("ecn: {kmin: 1MB, kmax: 0B}") WRITE, "switch-values", ""},
        {SWITCH("pfc: {priorities: none}, ecn: {kmin: 1000001B, kmax: 1MB}") WRITE, "switch-values",
         "t.yaml:5:49: warning: switch0: ecn-kmin (1000001 B) is above ecn-kmax (1000000 B): the "
         "marking probability has no slope\n    remedy: lower ecn-kmin, or raise ecn-kmax (--set "
         "fabric.switch.ecn-kmin=250000B)\n"},
        {SWITCH("watchdog: {action: drop, detection: 100ms}") WRITE, "switch-values",
         "t.yaml:5:48: warning: switch0: the watchdog polls every 200 ms: a detection time of 100 "
         "ms is extended to a whole poll interval\n    remedy: set watchdog-poll to the detection "
         "time, or detection to at least one poll interval (--set "
         "fabric.switch.watchdog-poll=100ms)\n"},
        {SWITCH("watchdog: {action: drop}") WRITE, "switch-values", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void more_values_of_a_switch(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("pfc: {priorities: none}, watchdog: {action: drop}") WRITE, "switch-values",
         "t.yaml:5:56: warning: switch0: the PFC watchdog has no effect: there is no lossless "
         "priority\n    remedy: set pfc.priorities to the lossless class, or watchdog: off (--set "
         "'fabric.overrides[+]={where: [switch0], watchdog: off}')\n"},
        {SWITCH("pfc: {priorities: none, headroom-pool: 1MB}") WRITE, "switch-values",
         "t.yaml:5:51: warning: switch0: the headroom pool of 1000000 B is unused: there is no "
         "lossless priority\n    remedy: set pfc.priorities to the lossless class, or "
         "headroom-pool: none (--set fabric.switch.headroom-pool=none)\n"},
        {SWITCH("pfc: {priorities: none, headroom-pool: 1B}") WRITE, "switch-values",
         "t.yaml:5:51: warning: switch0: the headroom pool of 1 B is unused: there is no lossless "
         "priority\n    remedy: set pfc.priorities to the lossless class, or headroom-pool: none "
         "(--set fabric.switch.headroom-pool=none)\n"},
        {SWITCH("pfc: {priorities: none, headroom-pool: 0B}") WRITE, "switch-values", ""},
        {SWITCH("pfc: {priorities: none}") WRITE, "switch-values", ""},
        {SWITCH("pfc: {priorities: none}, egress-limit: 1KB") WRITE, "switch-values", ""},
        {SWITCH("egress-limit: 100KB") WRITE, "switch-values",
         "t.yaml:5:26: warning: switch0: egress-limit 100000 B drops lossless frames when a queue "
         "is longer, despite pauses (confirm in a run: drops.lossless > 0)\n    remedy: remove "
         "the limit "
         "of lossless queues: egress-limit none (--set fabric.switch.egress-limit=none)\n"},
        {SWITCH("buffer: 3MB, egress-limit: 2999999B") WRITE, "switch-values",
         "t.yaml:5:39: warning: switch0: egress-limit 2999999 B drops lossless frames when a queue "
         "is longer, despite pauses (confirm in a run: drops.lossless > 0)\n    remedy: remove "
         "the limit "
         "of lossless queues: egress-limit none (--set fabric.switch.egress-limit=none)\n"},
        {SWITCH("buffer: 3MB, egress-limit: 3MB") WRITE, "switch-values", ""},
        {SWITCH("policy: static, xoff: 1MB, alpha: 50%") WRITE, "switch-values",
         "t.yaml:5:46: note: switch0: alpha has no effect: the policy is static\n    remedy: set "
         "policy: dynamic, or set xoff instead of alpha\n"},
        {SWITCH("xoff: 1MB") WRITE, "switch-values",
         "t.yaml:5:18: note: switch0: xoff has no effect: the policy is dynamic\n    remedy: set "
         "policy: static, or remove xoff (--set fabric.switch.policy=static)\n"},
        {SWITCH("policy: abm, xoff: 1MB") WRITE, "switch-values",
         "t.yaml:5:31: note: switch0: xoff has no effect: the policy is abm\n    remedy: set "
         "policy: static, or remove xoff (--set fabric.switch.policy=static)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void thresholds(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("policy: static, xoff: 29779968B") WRITE, "thresholds", ""},
        {SWITCH("policy: static, xoff: 29779969B") WRITE, "thresholds",
         "t.yaml:5:34: warning: switch0: xoff (29779969 B) is larger than the shared memory "
         "(29779968 B): ports are paused only when this memory is full (confirm in a run: "
         "pfc.pause_frames)\n    remedy: set xoff to at most the shared memory divided by the "
         "number of ports that may be congested at the same time (--set "
         "fabric.switch.xoff=7444992B)\n"},
        {SWITCH("alpha: 4500%, buffer: 3MB") WRITE, "thresholds", ""},
        {SWITCH("alpha: 4600%, buffer: 3MB") WRITE, "thresholds",
         "t.yaml:5:19: warning: switch0: alpha lets one congested port use 763185 of 779776 B of "
         "shared memory: the rest is too small for the 4 ports\n    remedy: lower alpha, or use a "
         "larger buffer (--set fabric.switch.alpha=16000000ppm)\n"},
        {SWITCH("alpha: 12800%, buffer: 3MB, pfc: {priorities: none}") WRITE, "thresholds", ""},
        {SWITCH("ecn: {kmin: 3313493B, kmax: 40MB}") WRITE, "marking",
         "t.yaml:5:24: warning: switch0: ECN marking starts at an egress queue of 3313493 B, but a "
         "single sender is paused at 3313493 B: pauses act before congestion control (confirm in a "
         "run: pfc.pause_frames > 0)\n"
         "    remedy: lower ecn-kmin well below 3313493 B, for example to half of it (--set "
         "fabric.switch.ecn-kmin=1243136B)\n"},
        {SWITCH("ecn: {kmin: 3313492B, kmax: 40MB}") WRITE, "marking",
         "t.yaml:5:24: note: switch0: ECN marking starts at an egress queue of 3313492 B, but with "
         "4 congested ports on a switch, a sender is already paused at a queue of 2486272 B "
         "(confirm in a run: pfc.pause_frames > 0)\n"
         "    remedy: lower ecn-kmin well below 2486272 B, for example to half of it (--set "
         "fabric.switch.ecn-kmin=1243136B)\n"},
        {SWITCH("ecn: {kmin: 2486272B, kmax: 40MB}") WRITE, "marking",
         "t.yaml:5:24: note: switch0: ECN marking starts at an egress queue of 2486272 B, but with "
         "4 congested ports on a switch, a sender is already paused at a queue of 2486272 B "
         "(confirm in a run: pfc.pause_frames > 0)\n"
         "    remedy: lower ecn-kmin well below 2486272 B, for example to half of it (--set "
         "fabric.switch.ecn-kmin=1243136B)\n"},
        {SWITCH("ecn: {kmin: 2486271B, kmax: 40MB}") WRITE, "marking", ""},
        {SWITCH("ecn: {kmax: 0B}") WRITE, "marking",
         "t.yaml:5:24: warning: switch0: ECN marking is disabled (ecn-kmax 0): congestion control "
         "gets no signal, and only pauses limit senders (confirm in a run: ecn.marked == 0)\n  "
         "  remedy: "
         "start marking below the pause threshold, at 621568 B (--set "
         "fabric.switch.ecn-kmin=621568B --set fabric.switch.ecn-kmax=2486272B)\n"},
        {SWITCH("ecn: {kmax: 8436B}") WRITE, "marking", ""},
        {SWITCH("ecn: {kmax: 8435B}") WRITE, "marking",
         "t.yaml:5:24: warning: switch0: ecn-kmax 8435 B is less than 2 frames of 4218 B: even two "
         "alternating senders are marked, and links stay partly idle\n    remedy: raise ecn-kmin "
         "to 621568 B and ecn-kmax to 2486272 B (--set fabric.switch.ecn-kmin=621568B --set "
         "fabric.switch.ecn-kmax=2486272B)\n"},
        {SWITCH("ecn: {kmax: 0B}, pfc: {priorities: none}") WRITE, "marking", ""},
        {SWITCH("ecn: {kmax: 0B}") "hosts: {defaults: {rnic: {profile: ideal, congestion-control: "
                                   "none}}}\n" WRITE,
         "marking", ""},
        /* One that reacts, the last, is enough. */
        {SWITCH("ecn: {kmax: 0B}") "hosts: {defaults: {rnic: {profile: ideal}}, some: {where: "
                                   "host0..host2, rnic: {congestion-control: "
                                   "none}}}\n" WRITE,
         "marking",
         "t.yaml:5:24: warning: switch0: ECN marking is disabled (ecn-kmax 0): congestion control "
         "gets no signal, and only pauses limit senders (confirm in a run: ecn.marked == 0)\n  "
         "  remedy: "
         "start marking below the pause threshold, at 621568 B (--set "
         "fabric.switch.ecn-kmin=621568B --set fabric.switch.ecn-kmax=2486272B)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void memory(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("buffer: 100KB") WRITE, "buffers",
         "t.yaml:5:20: error: switch0: reserved buffers and headroom need 2220032 B, but the "
         "packet memory has 100000 B\n    remedy: use a larger buffer, or less headroom (shorter "
         "cables, "
         "or headroom-pool)\n"},
        {SWITCH("pfc: {headroom-pool: 10KB}") WRITE, "buffers",
         "t.yaml:5:33: warning: switch0: the headroom pool has 9984 B, but the lossless groups of "
         "one port may need 52224 B (confirm in a run: drops.lossless > 0)\n    remedy: set "
         "headroom-pool to 52224 B or more (--set 'fabric.overrides[+]={where: [switch0], "
         "headroom-pool: 52224B}')\n"},
        /* Half of it set aside is none too much, three quarters are a warning. */
        {SWITCH("buffer: 2960042B") WRITE, "buffers",
         "t.yaml:5:20: warning: switch0: reserved memory and headroom take 2220032 of 2960042 B, "
         "more than half of the buffer\n    remedy: share the headroom among the ports "
         "(headroom-pool: auto), because queues cannot use headroom that is reserved for each port "
         "(--set 'fabric.overrides[+]={where: "
         "[switch0], headroom-pool: "
         "auto}')\n"},
        {SWITCH("buffer: 4440063B") WRITE, "buffers",
         "t.yaml:5:20: note: switch0: reserved memory and headroom take 2220032 of 4440063 B, more "
         "than half of the buffer\n    remedy: share the headroom among the ports (headroom-pool: "
         "auto), because queues cannot use headroom that is reserved for each port (--set "
         "'fabric.overrides[+]={where: "
         "[switch0], headroom-pool: auto}')\n"},
        {SWITCH("buffer: 4440064B") WRITE, "buffers", ""},
        {SWITCH("pfc: {headroom-pool: 52223B}") WRITE, "buffers",
         "t.yaml:5:33: warning: switch0: the headroom pool has 51968 B, but the lossless groups of "
         "one port may need 52224 B (confirm in a run: drops.lossless > 0)\n    remedy: set "
         "headroom-pool to 52224 B or more (--set 'fabric.overrides[+]={where: [switch0], "
         "headroom-pool: 52224B}')\n"},
        {SWITCH("pfc: {priorities: [3, 4], headroom-pool: 60KB}") WRITE, "buffers",
         "t.yaml:5:53: warning: switch0: the headroom pool has 59904 B, but the lossless groups of "
         "one port may need 104448 B (confirm in a run: drops.lossless > 0)\n    remedy: set "
         "headroom-pool to 104448 B or more (--set 'fabric.overrides[+]={where: [switch0], "
         "headroom-pool: 104448B}')\n"},
        {SWITCH("pfc: {headroom-pool: 52224B}") WRITE, "buffers", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void headroom(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("pfc: {headroom: 1KB}") WRITE, "headroom",
         "t.yaml:5:28: warning: switch0:p1: 21760 B of data can arrive after XOFF, but the "
         "headroom is 1024 B (confirm in a run: drops.lossless > 0)\n"
         "    remedy: set the switch's headroom to 22784 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 21760B}") WRITE, "headroom",
         "t.yaml:5:28: note: switch0:p1: 22784 B of back-to-back ACKs and requests can arrive "
         "after XOFF, but the headroom is 21760 B, enough only for full-size data frames\n    "
         "remedy: set the switch's headroom to 22784 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 21759B}") WRITE, "headroom",
         "t.yaml:5:28: note: switch0:p1: 22784 B of back-to-back ACKs and requests can arrive "
         "after XOFF, but the headroom is 21760 B, enough only for full-size data frames\n    "
         "remedy: set the switch's headroom to 22784 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 22784B}") WRITE, "headroom", ""},
        {SWITCH("pfc: {headroom: 22783B}") WRITE, "headroom", ""},
        {SWITCH("pfc: {headroom: 22528B}") WRITE, "headroom",
         "t.yaml:5:28: note: switch0:p1: 22784 B of back-to-back ACKs and requests can arrive "
         "after XOFF, but the headroom is 22528 B, enough only for full-size data frames\n    "
         "remedy: set the switch's headroom to 22784 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void more_headroom(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {SWITCH("policy: static, xoff: 1MB, pfc: {headroom: 1KB}") WRITE, "headroom",
         "t.yaml:5:55: warning: switch0:p1: 17408 B of data can arrive after XOFF, but the "
         "headroom is 1024 B (confirm in a run: drops.lossless > 0)\n"
         "    remedy: set the switch's headroom to 18432 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 28KiB}") "  host-links: {length: 40m}\nworkloads: [{name: w, "
                                          "kind: rdma-write, from: host1, to: host0, qps: 256}]\n",
         "headroom",
         "t.yaml:5:28: note: switch0:p0: 57856 B of back-to-back ACKs and requests can arrive "
         "after XOFF, but the headroom is 28672 B, enough only for full-size data frames\n    "
         "remedy: set the switch's headroom to 57856 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\nt.yaml:5:28: note: "
         "switch0:p1: 66048 B of back-to-back ACKs and requests can arrive after XOFF, "
         "but the headroom is 28672 B, enough only for full-size data frames\n    remedy: set the "
         "switch's "
         "headroom to 66048 B or more, or to auto (--set 'fabric.overrides[+]={where: [switch0], "
         "headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 1KB}") "hosts: {defaults: {rnic: {profile: ideal}}, targets: "
                                        "{where: host0, namespaces: [{media: "
                                        "fixed}]}}\nworkloads: [{name: w, kind: nvme, from: host1, "
                                        "to: host0}]\n",
         "headroom",
         "t.yaml:5:28: warning: switch0:p0: 21760 B of data can arrive after XOFF, but the "
         "headroom is 1024 B (confirm in a run: drops.lossless > 0)\n    remedy: set the "
         "switch's "
         "headroom to 33792 B or more, or to auto (--set 'fabric.overrides[+]={where: [switch0], "
         "headroom: auto}')\nt.yaml:5:28: note: switch0:p1: 16384 B of back-to-back ACKs and "
         "requests can arrive after XOFF, but the headroom is 1024 B, enough only for full-size "
         "data frames\n    remedy: set the switch's headroom to 16384 B or more, or to "
         "auto (--set 'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        /* A frame of its own that has just begun is none larger than what hosts send. */
        {SWITCH("pfc: {headroom: 1KB}") "  host-links: {mtu: 9216B}\n" ALL("path-mtu: 1024B") WRITE,
         "headroom",
         "t.yaml:5:28: warning: switch0:p1: 15360 B of data can arrive after XOFF, but the "
         "headroom is 1024 B (confirm in a run: drops.lossless > 0)\n"
         "    remedy: set the switch's headroom to 16384 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {headroom: 1KB}") "  host-links: {mtu: 1500B}\n" WRITE, "headroom",
         "t.yaml:5:28: warning: switch0:p1: 17408 B of data can arrive after XOFF, but the "
         "headroom is 1024 B (confirm in a run: drops.lossless > 0)\n"
         "    remedy: set the switch's headroom to 18432 B or more, or to auto (--set "
         "'fabric.overrides[+]={where: [switch0], headroom: auto}')\n"},
        {SWITCH("pfc: {priorities: [4], headroom: 1KB}") WRITE, "headroom", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void watchdogs(void **state)
{
    (void)state;
#define STORM "faults: [{kind: pause-storm, where: host0, at: 1ms}]\n"
    static const struct findings_print cases[] = {
        {LEAVES ACROSS, "watchdogs", ""},
        {LEAVES ACROSS STORM, "watchdogs",
         "t.yaml:4:13: warning: 4 switches (leaf0, ...): the PFC watchdog is off, so a permanent "
         "pause blocks traffic until the simulation ends\n    remedy: set watchdog: {action: "
         "drop}, the "
         "usual setting (--set 'fabric.overrides[+]={where: [leaf0, leaf1, spine0, spine1], "
         "watchdog: {action: drop}}')\n"},
        {LEAVES AT("\"leaf*\"", "watchdog: {action: drop}") ACROSS STORM, "watchdogs",
         "t.yaml:4:13: warning: 2 switches (spine0, ...): the PFC watchdog is off, so a permanent "
         "pause blocks traffic until the simulation ends\n    remedy: set watchdog: {action: "
         "drop}, the "
         "usual setting (--set 'fabric.overrides[+]={where: [spine0, spine1], watchdog: {action: "
         "drop}}')\n"},
        {LEAVES AT("\"leaf*\"", "pfc: {priorities: none}") ACROSS STORM, "watchdogs",
         "t.yaml:4:13: warning: 2 switches (spine0, ...): the PFC watchdog is off, so a permanent "
         "pause blocks traffic until the simulation ends\n    remedy: set watchdog: {action: "
         "drop}, the "
         "usual setting (--set 'fabric.overrides[+]={where: [spine0, spine1], watchdog: {action: "
         "drop}}')\n"},
        {LEAVES ACROSS "faults: [{kind: link-down, where: host0, at: 1ms}]\n", "watchdogs", ""},
        {LEAVES ACROSS "faults: [{kind: link-down, where: host0, at: 1ms}, {kind: pause-storm, "
                       "where: host0, at: 1ms}]\n",
         "watchdogs",
         "t.yaml:4:13: warning: 4 switches (leaf0, ...): the PFC watchdog is off, so a permanent "
         "pause blocks traffic until the simulation ends\n    remedy: set watchdog: {action: "
         "drop}, the "
         "usual setting (--set 'fabric.overrides[+]={where: [leaf0, leaf1, spine0, spine1], "
         "watchdog: {action: drop}}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_switches),
        cmocka_unit_test(more_classes_of_switches),
        cmocka_unit_test(pauses_of_two_ends),
        cmocka_unit_test(values_of_a_switch),
        cmocka_unit_test(more_values_of_a_switch),
        cmocka_unit_test(thresholds),
        cmocka_unit_test(memory),
        cmocka_unit_test(headroom),
        cmocka_unit_test(more_headroom),
        cmocka_unit_test(watchdogs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
