/* SPDX-License-Identifier: Apache-2.0
 * What check prints of hosts and their settings, to the letter and on both sides of each bound:
 * level, place, words, what a run shows of it, and the remedy. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases)     (sizeof(cases) / sizeof((cases)[0]))
#define START            "stormglass: 1\nname: t\n"
#define FABRIC           "fabric:\n  topology: {kind: single-switch, hosts: 4}\n"
#define HEAD             START FABRIC
#define WORK(values)     "workloads: [{name: w, " values "}]\n"
#define WRITE            WORK("kind: rdma-write, from: host1, to: host0")
#define READ(more)       WORK("kind: rdma-read, from: [host1, host2], to: host0" more)
#define ALL(values)      "hosts: {defaults: {rnic: {" values "}}}\n"
#define AT(host, values) "hosts: {some: {where: " host ", rnic: {" values "}}}\n"
#define TARGET           "  targets: {where: host0, namespaces: [{media: fixed}]}\n"

static void settings_of_the_other_transport(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD "hosts:\n  defaults: {tcp: {rto-min: 5ms}}\n" WRITE, "idle-settings",
         "t.yaml:6:29: warning: host0: rto-min has no effect: the host has RDMA traffic only\n"
         "    remedy: remove it, or set the workload's transport to tcp\n"},
        {HEAD "hosts:\n  defaults: {rnic: {timeout: 12}}\n" TARGET WORK(
             "kind: nvme, transport: tcp, from: host1, to: host0, count: 1"),
         "idle-settings",
         "t.yaml:6:30: warning: host0: timeout has no effect: the host has TCP traffic only\n"
         "    remedy: remove it, or set the workload's transport to rdma\n"},
        /* A default that acts at one host is no mistake. */
        {HEAD
         "hosts:\n  defaults: {rnic: {timeout: 12}}\n" TARGET
         "workloads: [{name: w, kind: nvme, transport: tcp, from: host1, to: host0, count: 1}, "
         "{name: r, kind: rdma-write, from: host2, to: host3}]\n",
         "idle-settings", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void classes_of_hosts(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD WRITE, "host-classes", ""},
        {START FABRIC "  switch: {dscp: {26: 4}}\n" WRITE, "host-classes",
         "t.yaml:4:13: warning: 2 hosts (host0, ...): DSCP 26 is sent on priority 3, but switch0 "
         "maps it to priority 4: pauses have no effect (confirm in a run: drops.lossy > 0)\n   "
         " remedy: "
         "map DSCP 26 to a lossless priority at the switch, the same priority as at the host "
         "(--set 'fabric.overrides[+]={where: [switch0], dscp: {26: 3}}')\n"},
        {START FABRIC "  switch: {dscp: {26: 4}, pfc: {priorities: [4]}}\n" WRITE, "host-classes",
         "t.yaml:4:13: warning: 2 hosts (host0, ...): DSCP 26 is sent on priority 3, but switch0 "
         "maps it to priority 4: pauses have no effect (confirm in a run: drops.lossless > 0)\n    "
         "remedy: use the same priority at both ends: set rnic.priority or rnic.dscp-to-priority "
         "of the host, or the dscp map of the switch (--set 'fabric.overrides[+]={where: [host0, "
         "host1], rnic: {pfc: true, dscp-to-priority: {26: 4}, pfc-priorities: [3,4]}}')\n"},
        {HEAD ALL("dscp: 0") WRITE, "host-classes",
         "t.yaml:4:13: warning: 2 hosts (host0, ...): DSCP 0 is sent on priority 3, but switch0 "
         "maps it to priority 0: pauses have no effect (confirm in a run: drops.lossy > 0)\n   "
         " remedy: "
         "mark DSCP 26 (ToS 104) (--set hosts.defaults.rnic.dscp=26)\n"},
        {HEAD ALL("dscp: 0, dscp-to-priority: {0: 0}") WRITE, "host-classes", ""},
        {HEAD AT("host1", "dscp-to-priority: {26: 4}") WRITE, "host-classes",
         "t.yaml:4:13: warning: host1: DSCP 26 is sent on priority 4, but switch0 maps it to "
         "priority 3: pauses have no effect (confirm in a run: drops.lossless > 0)\n    remedy: "
         "use the same priority at both ends: set rnic.priority or rnic.dscp-to-priority of the "
         "host, or the dscp map of the switch (--set 'fabric.overrides[+]={where: [host1], rnic: "
         "{pfc: true, dscp-to-priority: {26: 3}, pfc-priorities: [3,4]}}')\n"},
        {HEAD AT("host3", "dscp-to-priority: {26: 4}") WRITE, "host-classes", ""},
        {HEAD AT("host0", "pfc-priorities: [4]") WRITE, "host-classes",
         "t.yaml:5:53: warning: host0: the NIC ignores pauses of priority 3 (DSCP 26), which is "
         "lossless at switch0: the switch drops frames when its buffer is full (confirm in a run: "
         "drops.lossless > 0)\n    remedy: add 3 to rnic.pfc-priorities\n"},
        {START FABRIC "  switch: {pfc: {priorities: [4]}}\n" AT("host0", "pfc-priorities: [4]")
             WRITE,
         "host-classes", ""},
        {HEAD AT("host0", "dscp: 46") WRITE, "idle-settings",
         "t.yaml:5:43: warning: host0: rnic.dscp 46 has no effect: a connection uses the DSCP of "
         "the host that requests it, 26 of host1\n    remedy: set the dscp at the hosts in `from` "
         "or in the workload, or set rnic.accept-dscp here\n"},
        {HEAD AT("host0", "dscp: 26") WRITE, "idle-settings", ""},
        {HEAD AT("host3", "dscp: 46") WRITE, "idle-settings", ""},
        {HEAD AT("host1", "dscp: 46") WRITE, "idle-settings", ""},
        {HEAD AT("host1", "dscp: 46") WORK("kind: rdma-write, from: host1, to: host0, dscp: 26"),
         "idle-settings",
         "t.yaml:5:43: warning: host1: rnic.dscp 46 has no effect: the workloads set their own "
         "dscp\n    remedy: remove one of the two\n"},
        {HEAD AT("host1",
                 "dscp: 46") "workloads:\n  - {name: w, kind: rdma-write, from: host1, to: host0, "
                             "dscp: 26}\n  - {name: v, kind: rdma-write, from: host1, to: host0}\n",
         "idle-settings", ""},
        {HEAD WORK("kind: rdma-write, from: host1, to: host0, priority: 4"), "workloads",
         "t.yaml:5:13: warning: 'w': host1 sends DSCP 26 on priority 4, but switch0 maps it to "
         "priority 3: pauses from switch0 have no effect (confirm in a run: drops.lossless > 0)\n"},
        {HEAD WORK("kind: rdma-write, from: host1, to: host0, priority: 3"), "workloads", ""},
        {HEAD WRITE, "workloads", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void receives_and_memory(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD WORK("kind: rdma-write, from: host1, to: host0, receives: 1"), "workloads",
         "t.yaml:5:13: warning: 'w': receives has no effect: rdma-write needs none without "
         "immediate data\n"},
        {HEAD WORK("kind: rdma-write, from: host1, to: host0, receives: 1, immediate: true"),
         "workloads", ""},
        {HEAD WORK("kind: rdma-send, from: host1, to: host0, shared-receives: 9, receive-limit: 9"),
         "workloads", ""},
        {HEAD WORK(
             "kind: rdma-send, from: host1, to: host0, shared-receives: 9, receive-limit: 10"),
         "workloads",
         "t.yaml:5:13: warning: 'w': receive-limit 10 is limited to 9, the number of "
         "shared-receives\n"},
        {HEAD WORK("kind: rdma-read, from: host1, to: host0, remote-access: wrong-key"),
         "workloads", ""},
        {HEAD WORK("kind: rdma-send, from: host1, to: host0, remote-access: wrong-key"),
         "workloads",
         "t.yaml:5:13: warning: 'w': remote-access has no effect: SENDs use the address of the "
         "receive\n"},
        {HEAD WORK("kind: rdma-send, from: host1, to: host0, receive-limit: 1"), "workloads",
         "t.yaml:5:13: warning: 'w': receive-limit has no effect: shared-receives are 0\n"},
        {HEAD WORK("kind: rdma-send, from: host1, to: host0, receives: 1, shared-receives: 1"),
         "workloads",
         "t.yaml:5:13: warning: 'w': receives has no effect: shared-receives are used instead\n"},
        {HEAD WORK("kind: rdma-write, from: host1, to: host0, shared-receives: 1"), "workloads",
         "t.yaml:5:13: warning: 'w': shared-receives has no effect: rdma-write needs none without "
         "immediate data\n"},
        {HEAD WORK("kind: rdma-read, from: host1, to: host0, immediate: true"), "workloads",
         "t.yaml:5:13: warning: 'w': immediate has no effect: rdma-read carries no data there\n"},
        {HEAD WORK("kind: rdma-read, from: host1, to: host0, receive-delay: 1ns"), "workloads",
         "t.yaml:5:13: warning: 'w': receives has no effect: rdma-read needs none\n"},
        {HEAD WORK("kind: rdma-send, from: host1, to: host0, receives: 1"), "workloads", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void directions(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD AT("host0", "dscp: 46, accept-dscp: 46") WRITE, "idle-settings", ""},
        {HEAD AT("host1", "accept-dscp: 46") WRITE, "idle-settings",
         "t.yaml:5:50: warning: host1: rnic.accept-dscp 46 has no effect: no host connects to it\n "
         "   remedy: set rnic.accept-dscp at the hosts in `to`, or rnic.dscp at this host\n"},
        {HEAD AT("host3", "accept-dscp: 46") WRITE, "idle-settings", ""},
        {HEAD AT("host0", "accept-dscp: 26") WRITE, "directions", ""},
        {HEAD AT("host0", "accept-dscp: 31") WRITE, "directions", ""},
        {HEAD AT("host0", "accept-dscp: 46") WRITE, "directions",
         "t.yaml:5:50: warning: host0: 'w' is lossless in one direction only: the initiators send "
         "with DSCP 46 (lossy at switch0), the targets with DSCP 26 (lossless at switch0) (confirm "
         "in a run: drops.lossy > 0)\n"
         "    remedy: reply with the DSCP of the request, 26: rnic.accept-dscp auto (--set "
         "hosts.some.rnic.accept-dscp=auto)\n"},
        {HEAD "workloads: [{name: w, kind: tcp-stream, from: host3, to: host0, dscp: 26}]\n",
         "directions",
         "t.yaml:4:13: warning: host0: 'w' is lossless in one direction only: the initiators send "
         "with DSCP 0 (lossy at switch0), the targets with DSCP 26 (lossless at switch0) (confirm "
         "in a run: drops.lossy > 0)\n"
         "    remedy: set tcp.dscp of the target to 26, the DSCP of the requests (--set "
         "hosts.defaults.tcp.dscp=26)\n"},
        {HEAD "hosts: {a: {where: host0..host2, rnic: {accept-dscp: 26}}}\nworkloads: [{name: w, "
              "kind: rdma-write, from: host3, to: host0..host2, dscp: 0}]\n",
         "directions",
         "t.yaml:5:54: warning: 3 hosts (host0, ...): 'w' is lossless in one direction only: the "
         "initiators send with DSCP 26 (lossless at switch0), the targets with DSCP 0 (lossy at "
         "switch0) "
         "(confirm in a run: drops.lossy > 0)\n    remedy: mark DSCP 26 (ToS 104) (--set "
         "workloads.w.dscp=26)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

/* host1 connects to host0. */
static void path_mtus(void **state)
{
    (void)state;
#define SMALL         HEAD "  host-links: {mtu: 1500B}\n"
#define SEND_OF(size) WORK("kind: rdma-send, from: host1, to: host0, message-size: " size)
    static const struct findings_print cases[] = {
        {HEAD AT("host0", "path-mtu: 1024B") WRITE, "path-mtu", ""},
        {HEAD AT("host0", "path-mtu-agreement: own") WRITE, "path-mtu", ""},
        {HEAD AT("host0", "path-mtu: 1024B, path-mtu-agreement: own") SEND_OF("1024B"), "path-mtu",
         ""},
        {HEAD AT("host0", "path-mtu: 1024B, path-mtu-agreement: own") SEND_OF("1025B"), "path-mtu",
         "t.yaml:5:74: error: host0: 'w': it accepts path MTU 1024, but host1 sends with 4096: it "
         "rejects the first message above 1024 B as an invalid request, which ends the queue pair "
         "(confirm in a run: rnic.qp_errors > 0)\n    remedy: use the same rnic.path-mtu at "
         "both ends, "
         "or set rnic.path-mtu-agreement: request or smaller (--set "
         "hosts.some.rnic.path-mtu-agreement=smaller)\n"},
        {HEAD AT("host1", "path-mtu: 1024B, path-mtu-agreement: own") WRITE, "path-mtu", ""},
        {HEAD AT("host0", "path-mtu: 1024B, path-mtu-agreement: refuse") WRITE, "path-mtu",
         "t.yaml:5:74: error: host0: 'w': it rejects the connections of host1 (REJ 26, invalid "
         "path MTU): their REQs have 4096 B, but it accepts at most 1024 B\n    remedy: set "
         "rnic.path-mtu: 1024B at host1, or path-mtu-agreement: smaller there (--set "
         "hosts.some.rnic.path-mtu-agreement=smaller)\n"},
        {HEAD AT("host1", "path-mtu: 1024B, path-mtu-agreement: refuse") WRITE, "path-mtu", ""},
        {HEAD "hosts: {a: {where: host0, rnic: {path-mtu: 1024B, path-mtu-agreement: refuse}}, b: "
              "{where: host1, rnic: {path-mtu-agreement: smaller}}}\n" WRITE,
         "path-mtu", ""},
        {SMALL AT("host0", "path-mtu: 1024B") WRITE, "paths",
         "t.yaml:5:21: error: 4 ports of 1 switch and 2 hosts (host1:p0, ...): MTU 1500 drops "
         "packets of 'w', which need MTU 4156 (confirm in a run: drops.mtu > 0)\n"
         "    remedy: raise the link's mtu to 4156 B or more, or lower rnic.path-mtu (--set "
         "fabric.host-links.mtu=4156B)\n"},
        {SMALL "hosts: {a: {where: host0, rnic: {path-mtu: 1024B}}, b: {where: host1, rnic: "
               "{path-mtu-agreement: smaller}}}\n" WRITE,
         "paths", ""},
    };
    assert_prints(cases, COUNT(cases));
}

/* host1 asks, host0 answers. */
static void recoveries(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD WRITE, "loss-recovery", ""},
        {HEAD ALL("loss-recovery: selective-repeat") WRITE, "loss-recovery", ""},
        {HEAD ALL("loss-recovery: go-back-0") WRITE, "loss-recovery",
         "t.yaml:5:42: warning: host1: loss-recovery go-back-0: one lost packet repeats a whole "
         "message of 'w', so large messages may never complete (Guo et al., SIGCOMM 2016, 4.1)\n   "
         " remedy: set rnic.loss-recovery: go-back-n (--set "
         "hosts.defaults.rnic.loss-recovery=go-back-n)\n"},
        /* The other end of the connection repeats nothing. */
        {HEAD AT("host0", "loss-recovery: go-back-0") WRITE, "loss-recovery", ""},
        {HEAD AT("host3", "loss-recovery: selective-repeat") WRITE, "loss-recovery", ""},
        {HEAD ALL("nak-delay: 20us, retransmit-delay: 1us, adaptive-retransmission: true") WRITE,
         "loss-recovery", ""},
        {HEAD ALL("nak-delay: 20us, loss-recovery: selective-repeat") WRITE, "loss-recovery",
         "t.yaml:5:38: warning: 4 hosts (host0, ...): rnic.nak-delay has no effect: "
         "selective-repeat does not use it\n"},
        {HEAD ALL("retransmit-delay: 20us, software: true") WRITE, "loss-recovery",
         "t.yaml:5:45: warning: 4 hosts (host0, ...): rnic.retransmit-delay has no effect: a "
         "software RNIC does not use it\n"},
        {HEAD ALL("adaptive-retransmission: true, timeout: 0") WRITE, "loss-recovery",
         "t.yaml:5:52: warning: 4 hosts (host0, ...): rnic.adaptive-retransmission has no effect: "
         "timeout 0 disables the timer\n"},
        {HEAD ALL("adaptive-retransmission: true, adaptive-timeout: 16384ns, timeout: 2") WRITE,
         "loss-recovery",
         "t.yaml:5:52: warning: 4 hosts (host0, ...): rnic.adaptive-retransmission has no effect: "
         "adaptive-timeout is not shorter than the timer of rnic.timeout\n"},
        {HEAD ALL("adaptive-retransmission: true, adaptive-timeout: 16383ns, timeout: 2") WRITE,
         "loss-recovery", ""},
        {HEAD AT("host1", "loss-recovery: selective-repeat") WRITE, "loss-recovery",
         "t.yaml:5:52: warning: host1: 'w': selective-repeat has no effect: host0 has go-back-n, "
         "which both ends then use\n    remedy: use the same rnic.loss-recovery at both ends "
         "(--set 'fabric.overrides[+]={where: [host0], rnic: {loss-recovery: "
         "selective-repeat}}')\n"},
        {HEAD AT("host0", "loss-recovery: selective-repeat") WRITE, "loss-recovery",
         "t.yaml:5:52: warning: host0: 'w': selective-repeat has no effect: host1 has go-back-n, "
         "which both ends then use\n    remedy: use the same rnic.loss-recovery at both ends "
         "(--set 'fabric.overrides[+]={where: [host1], rnic: {loss-recovery: "
         "selective-repeat}}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void links_and_devices(void **state)
{
    (void)state;
#define TWO_LINKS(links)                                                                           \
    START "fabric:\n  topology: {kind: explicit, hosts: [a, b, c], switches: [s], links: [{ends: " \
          "[a, s]}, {ends: [b, s]}, {ends: [c, s]}" links "]}\n"
#define LINK_REMEDY "\n    remedy: set nics in the topology, or nic and peer-nic of workloads\n"
#define HEAD_NICS   START "fabric:\n  topology: {kind: single-switch, hosts: 2, nics: 2}\n"
    static const struct findings_print cases[] = {
        {TWO_LINKS("") WORK("kind: rdma-write, from: a, to: b"), "host-links", ""},
        {TWO_LINKS(", {ends: [c, s]}") WORK("kind: rdma-write, from: a, to: b"), "host-links", ""},
        {TWO_LINKS(", {ends: [a, s]}") WORK("kind: rdma-write, from: a, to: b"), "host-links",
         "t.yaml:4:38: warning: a: 1 of its 2 links carries no traffic: workloads use the first "
         "link of a host, a:p0" LINK_REMEDY},
        {TWO_LINKS(", {ends: [b, s]}, {ends: [b, s]}") WORK("kind: rdma-write, from: a, to: b"),
         "host-links",
         "t.yaml:4:41: warning: b: 2 of its 3 links carry no traffic: workloads use the first link "
         "of a host, b:p0" LINK_REMEDY},
        {TWO_LINKS(", {ends: [a, s]}, {ends: [b, s]}, {ends: [c, s]}")
             WORK("kind: rdma-write, from: [a, c], to: b"),
         "host-links",
         "t.yaml:4:38: warning: a (and 2 more): 1 of its 2 links carries no traffic: workloads use "
         "the first link of a host, a:p0" LINK_REMEDY},
        {HEAD_NICS WORK("kind: rdma-write, from: host0, to: host1, qps: 2"), "host-links", ""},
        {HEAD_NICS WORK("kind: rdma-write, from: host0, to: host1"), "homing",
         "t.yaml:4:13: note: 2 hosts (host0, ...): 2 NICs, all connected to one switch: more "
         "bandwidth, but no redundancy\n    remedy: set homing: dual or fabrics, or connect the "
         "links to different switches\n"},
        {START
         "fabric:\n  topology: {kind: single-switch, hosts: 2, nics: 2, homing: fabrics}\n" WORK(
             "kind: rdma-write, from: host0, to: host1"),
         "homing", ""},
        {HEAD_NICS WORK("kind: rdma-write, from: host0, to: host1"), "host-links",
         "t.yaml:4:13: warning: host0 (and 1 more): 1 of its 2 links carries no traffic "
         "(host0:p1): the workloads have too few queue pairs to use all links\n    remedy: use "
         "more queue pairs or more host-target pairs\n"},
        {HEAD_NICS WORK("kind: rdma-write, from: host0, to: host1, nic: 1, qps: 2"), "host-links",
         "t.yaml:4:13: warning: host0: 1 of its 2 links carries no traffic (host0:p0): workload "
         "'w' uses only one NIC (its keys nic and peer-nic)\n"
         "    remedy: remove nic and peer-nic of the workloads (--set workloads.w.nic=auto)\n"},
        {HEAD ALL("line-rate: 100Gbps") WRITE, "line-rates", ""},
        {HEAD ALL("line-rate: 99999Mbps") WRITE, "line-rates",
         "t.yaml:5:38: warning: 4 hosts (host0, ...): the link runs at 100Gbps, but the RNIC has "
         "the values of a 99.999Gbps device\n    remedy: use the rnic.profile of the link's rate "
         "(stormglass list profiles), or set rnic.line-rate\n"},
        {HEAD ALL("line-rate: 400Gbps") WRITE, "line-rates",
         "t.yaml:5:38: warning: 4 hosts (host0, ...): the link runs at 100Gbps, but the RNIC has "
         "the values of a 400Gbps device\n    remedy: use the rnic.profile of the link's rate "
         "(stormglass list profiles), or set rnic.line-rate\n"},
        {HEAD ALL("line-rate: 399999Mbps") WRITE, "line-rates", ""},
        {HEAD ALL("line-rate: any") WRITE, "line-rates", ""},
        {HEAD "hosts: {box: {where: host0..host1, machine: box}, one: {where: host1, rnic: "
              "{profile: softroce}}}\n" WRITE,
         "machines",
         "t.yaml:4:13: warning: host0 and host1 share machine box but differ in CPU costs: the "
         "costs of host0 are used\n"},
        {HEAD "hosts: {box: {where: host2..host3, machine: box}, one: {where: host1, rnic: "
              "{profile: softroce}}}\n" WRITE,
         "machines", ""},
        {HEAD "hosts: {box: {where: host2..host3, machine: box}, two: {where: host0..host1, "
              "machine: box2}, one: {where: host3, rnic: {profile: softroce}}}\n" WRITE,
         "machines",
         "t.yaml:4:13: warning: host2 and host3 share machine box but differ in CPU costs: the "
         "costs of host2 are used\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void marks(void **state)
{
    (void)state;
#define NOBODY ALL("congestion-control: none")
#define NOT_ECT                                                                                    \
    "t.yaml:4:13: note: host1: congestion-control none: frames are not ECT, so no switch marks "   \
    "them and only pauses limit their senders (confirm in a run: ecn.marked == 0)\n    "           \
    "remedy: use "                                                                                 \
    "congestion-control "                                                                          \
    "dcqcn-mlx5 for all senders that share links (--set 'fabric.overrides[+]={where: [host1], "    \
    "rnic: "                                                                                       \
    "{congestion-control: dcqcn-mlx5}}')\n"
#define SLOPE FABRIC "  switch: {ecn: {kmin: 10KB, kmax: 40KB}}\n"
    static const struct findings_print cases[] = {
        {HEAD AT("host1", "congestion-control: none")
             WORK("kind: rdma-write, from: [host1, host2], to: host0"),
         "ecn",
         "t.yaml:4:13: warning: host1: congestion-control none: frames are not ECT, so no "
         "switch marks them, and senders that react to marks leave the links to these frames\n    "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host1], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {HEAD AT("host2", "congestion-control: none") READ(""), "ecn", ""},
        {HEAD AT("host0", "congestion-control: none") READ(""), "ecn",
         "t.yaml:4:13: note: host0: congestion-control none: frames are not ECT, so no switch "
         "marks them and only pauses limit their senders (confirm in a run: ecn.marked == 0)\n "
         "   "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {HEAD AT("host0", "congestion-control: none") "workloads:\n  - {name: w, kind: rdma-read, "
                                                      "from: host1, to: host0}\n  - {name: v, "
                                                      "kind: rdma-write, from: host2, to: host0}\n",
         "ecn",
         "t.yaml:4:13: warning: host0: congestion-control none: frames are not ECT, so no "
         "switch marks them, and senders that react to marks leave the links to these frames\n    "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {HEAD AT("host2", "congestion-control: none") WRITE, "ecn", ""},
        {HEAD NOBODY WRITE, "ecn", NOT_ECT},
        {START SLOPE NOBODY WRITE, "ecn",
         "t.yaml:4:13: note: host1: congestion-control none: frames are not ECT, so no switch "
         "marks them and only pauses limit their senders (confirm in a run: ecn.marked == 0)\n "
         "   "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host1], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {START FABRIC "  switch: {ecn: {kmax: 40KB}}\n" NOBODY WRITE, "ecn",
         "t.yaml:4:13: note: host1: congestion-control none: frames are not ECT, so no switch "
         "marks them and only pauses limit their senders (confirm in a run: ecn.marked == 0)\n "
         "   "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host1], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {START FABRIC "  switch: {ecn: {kmin: 10KB}}\n" NOBODY WRITE, "ecn",
         "t.yaml:4:13: note: host1: congestion-control none: frames are not ECT, so no switch "
         "marks them and only pauses limit their senders (confirm in a run: ecn.marked == 0)\n "
         "   "
         "remedy: use congestion-control dcqcn-mlx5 for all senders that share links (--set "
         "'fabric.overrides[+]={where: [host1], rnic: {congestion-control: dcqcn-mlx5}}')\n"},
        {START FABRIC "  switch: {ecn: {kmin: 10KB, kmax: 0B}}\n" NOBODY WRITE, "ecn", ""},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_mtus),  cmocka_unit_test(receives_and_memory),
        cmocka_unit_test(directions), cmocka_unit_test(classes_of_hosts),
        cmocka_unit_test(recoveries), cmocka_unit_test(links_and_devices),
        cmocka_unit_test(marks),      cmocka_unit_test(settings_of_the_other_transport),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
