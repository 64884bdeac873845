/* SPDX-License-Identifier: Apache-2.0
 * What check prints of priorities that are lossless at a switch and that a NIC does not pause, or
 * whose pauses it does not obey; and of hosts with TCP only, which need marks instead of pauses. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases)     (sizeof(cases) / sizeof((cases)[0]))
#define START            "stormglass: 1\nname: t\n"
#define FABRIC           "fabric:\n  topology: {kind: single-switch, hosts: 4}\n"
#define HEAD             START FABRIC
#define WRITE            "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"
#define AT(host, values) "hosts: {some: {where: " host ", rnic: {" values "}}}\n"

static void what_a_nic_does_not_obey(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD AT("host0", "pfc: false") WRITE, "host-classes",
         "t.yaml:5:42: warning: host0: the NIC ignores pauses of priority 3 (DSCP 26), which is "
         "lossless at switch0: the switch drops frames when its buffer is full (confirm in a run: "
         "drops.lossless > 0)\n    remedy: set rnic.pfc: true\n"},
        /* The switch pauses priority 4, which the NIC obeys, but whose frames it does not pause. */
        {START FABRIC "  switch: {pfc: {priorities: [3, 4]}, dscp: {10: 4}}\n" AT(
             "\"host*\"",
             "dscp-to-priority: {10: 4}") "workloads: [{name: w, kind: rdma-write, from: "
                                          "host0, to: host1, dscp: 10}]\n",
         "host-classes",
         "t.yaml:4:13: warning: 2 hosts (host0, ...): the NIC sends no pauses for priority 4 (DSCP "
         "10): when its receive buffer is full, it drops traffic that is lossless at switch0 "
         "(confirm in a run: drops.lossy > 0)\n    remedy: add 4 to rnic.pfc-priorities (--set "
         "'hosts.some.rnic.pfc-priorities=[3,4]')\n"},
        {START FABRIC "  host-links: {pfc-enabled: none}\n" WRITE, "host-classes", ""},
        {START FABRIC "  overrides: [{where: host0, pfc-enabled: none}]\n" WRITE, "host-classes",
         "t.yaml:5:43: warning: host0:p0: the NIC ignores pauses of priority 3 (DSCP 26), which is "
         "lossless at switch0: the switch drops frames when its buffer is full (confirm in a run: "
         "drops.lossless > 0)\n    remedy: set flow-control: pfc at both ends, with 3 in "
         "pfc-enabled\n"},
    };
    assert_prints(cases, COUNT(cases));
}

#define STREAM      "kind: tcp-stream, from: host1, to: host0"
#define DCTCP       "hosts: {some: {where: host1, tcp: {congestion-control: dctcp}}}\n"
#define SWITCH(ecn) "  switch: {ecn: {" ecn "}, pfc: {priorities: none}}\n"
#define SMALL(ecn)                                                                                 \
    "  switch: {ecn: {" ecn "}, buffer: 300KB, reserved-lossy: 0B, reserved-queue: 0B, pfc: "      \
    "{priorities: none}}\n"
#define WORK(more) "workloads: [{name: w, " STREAM more "}]\n"

static void dctcp_has_marks_before_drops(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {START FABRIC SWITCH("kmax: 0B") DCTCP WORK(""), "marking",
         "t.yaml:5:24: warning: switch0: ECN marking is disabled (ecn-kmax 0), but a congestion "
         "control of TCP relies on marks: only losses limit senders (confirm in a run: drops.lossy "
         "> 0)\n    remedy: start marking at 274170 B; a lossy queue drops at 21169464 B (--set "
         "fabric.switch.ecn-kmin=274170B --set fabric.switch.ecn-kmax=274170B)\n"},
        {START FABRIC SWITCH("kmax: 0B") WORK(""), "marking", ""},
        {START FABRIC SMALL("kmin: 201159B, kmax: 40MB") DCTCP WORK(""), "marking",
         "t.yaml:5:24: warning: switch0: ECN marking starts at an egress queue of 201159 B, but a "
         "lossy queue drops at 201159 B: TCP has losses before it has marks (confirm in a run: "
         "drops.lossy > 0)\n    remedy: start marking at 50289 B; a lossy queue drops at 201159 B "
         "(--set fabric.switch.ecn-kmin=50289B)\n"},
        {START FABRIC SMALL("kmin: 201158B, kmax: 40MB") DCTCP WORK(""), "marking", ""},
        /* In a lossless class, pauses precede drops. */
        {START FABRIC "  switch: {ecn: {kmin: 20MB, kmax: 40MB}, pfc: {priorities: [0]}}\n"
                      "hosts: {some: {where: host1, tcp: {congestion-control: dctcp}}, defaults: "
                      "{rnic: {congestion-control: none}}}\n" WORK(""),
         "marking", ""},
    };
    assert_prints(cases, COUNT(cases));
}

#define LONG "  host-links: {length: 1km}\n"
#define FEW  "  switch: {buffer: 1GB}\n"
#define TWO  "  topology: {kind: single-switch, hosts: 2}\n"

/* A host that receives no lossless traffic sends no pauses. */
static void tcp_in_a_lossy_class_is_not_paused(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {START "fabric:\n" TWO LONG FEW WORK(""), "pauses", ""},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_nic_does_not_obey),
        cmocka_unit_test(dctcp_has_marks_before_drops),
        cmocka_unit_test(tcp_in_a_lossy_class_is_not_paused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
