/* SPDX-License-Identifier: Apache-2.0
 * What check prints of settings that have no effect on a kind of fabric, to the letter. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))
#define KIND(kind)                                                                                 \
    "stormglass: 1\nname: t\nfabric:\n  kind: " kind                                               \
    "\n  topology: {kind: single-switch, hosts: 2}\n"
#define WRITE "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"
#define READ                                                                                       \
    "hosts: {targets: {where: host0, namespaces: [{media: fixed}]}}\n"                             \
    "workloads: [{name: w, kind: nvme, transport: fc, from: host1, to: host0}]\n"

static void pauses_on_links_with_credits(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {KIND("infiniband") WRITE, "link-layer", ""}, /* a profile sets some */
        {KIND("fibre-channel") READ, "link-layer", ""},
        /* A run has no pause frames that would confirm it. */
        {KIND("infiniband") "hosts: {slow: {where: host0, rnic: {drain: 10Gbps}}}\n" WRITE,
         "host-values",
         "t.yaml:6:44: warning: host0: the receive buffer drains at 10Gbps (rnic.drain), but the "
         "link runs at 100Gbps: the switch waits for credits (confirm in a run: pfc.paused, and at "
         "the ports PortXmitWait)\n    remedy: find the cause of the slow host (PCIe, memory, "
         "IOMMU), and set rnic.drain: 0bps (--set hosts.slow.rnic.drain=0bps)\n"},
        {KIND("ethernet") "  host-links: {pfc-quanta: 100}\n" WRITE, "link-layer", ""},
        {KIND("infiniband") "  host-links: {pfc-quanta: 100}\n" WRITE, "link-layer",
         "t.yaml:6:28: warning: 4 ports of 1 switch and 2 hosts (host0:p0, ...): pfc-quanta has no "
         "effect: fabric.kind is infiniband\n    remedy: remove pfc-quanta\n"},
        {KIND("infiniband") "  switch: {headroom: 10KB}\n" WRITE, "link-layer",
         "t.yaml:6:22: warning: switch0: switch.headroom has no effect: fabric.kind is "
         "infiniband\n    remedy: remove switch.headroom\n"},
        {KIND("fibre-channel") "  switch: {watchdog: drop}\n" READ, "link-layer",
         "t.yaml:6:22: warning: switch0: switch.watchdog has no effect: fabric.kind is "
         "fibre-channel\n    remedy: remove switch.watchdog\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void credits_of_another_kind(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {KIND("ethernet") "  host-links: {bb-credit: 3}\n" WRITE, "link-layer",
         "t.yaml:6:27: warning: 4 ports of 1 switch and 2 hosts (host0:p0, ...): bb-credit has no "
         "effect: fabric.kind is ethernet\n    remedy: remove bb-credit\n"},
        {KIND("infiniband") "  host-links: {vl-buffer: 16KiB}\n" WRITE, "link-layer", ""},
    };
    assert_prints(cases, COUNT(cases));
}

/* EDR with four lanes and with one; FDR with one lane has 13.64 Gb/s. */
static void rates_of_links(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {KIND("infiniband") "  host-links: {rate: EDR}\n" WRITE, "link-rates", ""},
        {KIND("infiniband") "  host-links: {rate: 25Gbps}\n" WRITE, "link-rates", ""},
        {KIND("infiniband") "  host-links: {rate: FDR}\n" WRITE, "link-rates", ""},
        {KIND("ethernet") "  host-links: {rate: 33Gbps}\n" WRITE, "link-rates", ""},
        {KIND("infiniband") "  host-links: {rate: 33Gbps}\n" WRITE, "link-rates",
         "t.yaml:6:22: warning: 4 ports of 1 switch and 2 hosts (host0:p0, ...): no "
         "InfiniBand link has a rate of 33Gbps: expected SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR "
         "or XDR, or a rate of the same with 1, 2, 8 or 12 lanes\n    remedy: use 32Gbps, the "
         "closest rate (--set fabric.host-links.rate=32Gbps)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void hosts_without_that_transport(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {KIND("infiniband") "hosts: {defaults: {rnic: {roce-version: 1}}}\n" WRITE, "link-layer",
         "t.yaml:6:41: warning: 2 hosts (host0, ...): rnic.roce-version has no effect: "
         "fabric.kind is infiniband\n    remedy: remove rnic.roce-version\n"},
        {KIND("infiniband") "hosts: {defaults: {rnic: {timeout: 9}}}\n" WRITE, "link-layer", ""},
        {KIND("infiniband") "hosts: {defaults: {tcp: {rto-min: 5ms}}}\n" WRITE, "link-layer",
         "t.yaml:6:35: warning: 2 hosts (host0, ...): tcp.rto-min has no effect: fabric.kind is "
         "infiniband\n    remedy: remove tcp.rto-min\n"},
    };
    assert_prints(cases, COUNT(cases));
}

/* 27.2 Gb/s: 620 ns for 2108 B. 2 cables of 5.05 us, a frame in and out of the switch, 900 ns. */
static void credits_for_the_distance(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {KIND("fibre-channel") "  host-links: {bb-credit: 20, length: 1km}\n" READ, "credits", ""},
        {KIND("fibre-channel") "  host-links: {bb-credit: 8, length: 1km}\n" READ, "credits",
         "t.yaml:6:27: warning: 2 ports of 1 switch (switch0:p0, ...): bb-credit has credits for 8 "
         "frames, but 20 frames of 2084 B fit in a round trip of 12.2 us: the peer reaches 40% of "
         "the link rate\n    remedy: raise bb-credit to 20 (--set 'fabric.overrides[+]={where: "
         "[\"switch0:p0\", \"switch0:p1\"], bb-credit: 20}')\n"
         "t.yaml:6:27: warning: 2 ports of 2 hosts (host0:p0, ...): bb-credit has credits for 8 "
         "frames, but 18 frames of 2084 B fit in a round trip of 10.7 us: the peer reaches 46% of "
         "the link rate\n    remedy: raise bb-credit to 18 (--set 'fabric.overrides[+]={where: "
         "[\"host0:p0\", \"host1:p0\"], bb-credit: 18}')\n"},
        /* 4122 B in 330 ns of EDR; 65 blocks of 64 B each, and 66 must be left for the largest. */
        {KIND("infiniband") "  host-links: {rate: EDR, length: 300m}\n" WRITE, "credits", ""},
        {KIND("infiniband") "  host-links: {rate: EDR, length: 300m, vl-buffer: 32KiB}\n" WRITE,
         "credits",
         "t.yaml:6:52: warning: 2 ports of 1 switch (switch0:p0, ...): vl-buffer has credits for 7 "
         "frames, but 11 frames of 4122 B fit in a round trip of 3.47 us: the peer reaches 66% of "
         "the link rate\n    remedy: raise vl-buffer to 45824 B (--set 'fabric.overrides[+]="
         "{where: [\"switch0:p0\", \"switch0:p1\"], vl-buffer: 45824B}')\n"
         "t.yaml:6:52: warning: 2 ports of 2 hosts (host0:p0, ...): vl-buffer has credits for 7 "
         "frames, but 11 frames of 4122 B fit in a round trip of 3.36 us: the peer reaches 68% of "
         "the link rate\n    remedy: raise vl-buffer to 45824 B (--set 'fabric.overrides[+]="
         "{where: [\"host0:p0\", \"host1:p0\"], vl-buffer: 45824B}')\n"},
        {KIND("infiniband") "  host-links: {rate: EDR, length: 10km, vl-buffer: 128KiB}\n" WRITE,
         "credits",
         "t.yaml:6:52: warning: 4 ports of 1 switch and 2 hosts (switch0:p0, ...): vl-buffer has "
         "credits for 31 frames, but 308 frames of 4122 B fit in a round trip of 101 us: the peer "
         "reaches 10% of the link rate\n    remedy: no buffer is enough: use a shorter or slower "
         "link\n"},
        {KIND("ethernet") "  host-links: {length: 100km}\n" WRITE, "credits", ""},
    };
    assert_prints(cases, COUNT(cases));
}

/* 220 ms at the edge, 500 ms between switches, unless set; 2^18 and 2^16 times 4.096 us. */
static void lifetimes_at_the_edge(void **state)
{
#define TWO_LEAVES(kind, values)                                                                   \
    "stormglass: 1\nname: t\nfabric:\n  kind: " kind                                               \
    "\n  topology: {kind: leaf-spine, spines: 1, leaves: 2, hosts-per-leaf: 1}\n  switch: "        \
    "{" values "}\n"
    (void)state;
    static const struct findings_print cases[] = {
        {TWO_LEAVES("fibre-channel", "") READ, "lifetimes", ""},
        {TWO_LEAVES("infiniband", "") WRITE, "lifetimes", ""},
        {TWO_LEAVES("fibre-channel", "edge-hold-time: 500ms") READ, "lifetimes",
         "t.yaml:6:28: warning: 2 switches (leaf0, ...): frames for a host without credits are "
         "held for 500 ms, frames between switches 500 ms: frames of other hosts are discarded, "
         "too\n    remedy: set edge-hold-time below hold-time\n"},
        {TWO_LEAVES("fibre-channel", "edge-hold-time: 0ms, hold-time: 0ms") READ, "lifetimes", ""},
        {TWO_LEAVES("infiniband", "leaf-head-of-queue-lifetime: 20, packet-life-time: 20") WRITE,
         "lifetimes",
         "t.yaml:6:41: warning: 2 switches (leaf0, ...): frames for a host without credits are "
         "held for ever, frames between switches 1.07 s: frames of other hosts are discarded, "
         "too\n    remedy: set leaf-head-of-queue-lifetime below head-of-queue-lifetime\n"},
        {KIND("fibre-channel") "  switch: {edge-hold-time: 500ms}\n" READ, "lifetimes", ""},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_on_links_with_credits),
        cmocka_unit_test(credits_of_another_kind),
        cmocka_unit_test(rates_of_links),
        cmocka_unit_test(hosts_without_that_transport),
        cmocka_unit_test(credits_for_the_distance),
        cmocka_unit_test(lifetimes_at_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
