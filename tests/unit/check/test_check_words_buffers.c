/* SPDX-License-Identifier: Apache-2.0
 * What check prints of receive buffers, pauses and retries, to the letter and on both sides of each
 * bound: level, place, words, what a run shows of it, and the remedy. */
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

static void receive_buffers(void **state)
{
    (void)state;
#define LONG FABRIC "  host-links: {length: 100m}\n"
    static const struct findings_print cases[] = {
        {HEAD AT("host0", "rx-buffer: 100KB, rx-xoff: 100KB") WRITE, "host-values", ""},
        {HEAD AT("host0", "rx-buffer: 100KB, rx-xoff: 100001B") WRITE, "host-values",
         "t.yaml:5:64: warning: host0: rx-xoff (100001 B) is larger than the receive buffer "
         "(100000 B): the host never sends pauses, and drops frames when it is slow (confirm in a "
         "run: drops.lossless > 0)\n    remedy: set rnic.rx-xoff: auto (--set "
         "hosts.some.rnic.rx-xoff=auto --set hosts.some.rnic.rx-xon=auto)\n"},
        {HEAD AT("host0", "rx-buffer: 100KB, rx-xoff: 100001B, pfc: false") WRITE, "host-values",
         ""},
        {HEAD AT("host0", "rx-xoff: 100KB, rx-xon: 100KB") WRITE, "host-values", ""},
        {HEAD AT("host0", "rx-xoff: 100KB, rx-xon: 100001B") WRITE, "host-values",
         "t.yaml:5:61: warning: host0: rx-xon (100001 B) is above rx-xoff (100000 B): half of "
         "rx-xoff is used instead\n    remedy: set rnic.rx-xon: auto (--set "
         "hosts.some.rnic.rx-xon=auto)\n"},
        {HEAD AT("host0", "rx-buffer: 100KB, rx-xoff: 200KB, rx-xon: 200001B") WRITE, "host-values",
         "t.yaml:5:64: warning: host0: rx-xoff (200000 B) is larger than the receive buffer "
         "(100000 B): the host never sends pauses, and drops frames when it is slow (confirm in a "
         "run: drops.lossless > 0)\n    remedy: set rnic.rx-xoff: auto (--set "
         "hosts.some.rnic.rx-xoff=auto --set hosts.some.rnic.rx-xon=auto)\nt.yaml:5:79: warning: "
         "host0: rx-xon (200001 B) is above rx-xoff (200000 B): half of rx-xoff is used instead\n  "
         "  remedy: set rnic.rx-xon: auto (--set hosts.some.rnic.rx-xon=auto)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void room_of_receive_buffers(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        /* 100 m and the response are 1,510 ns: 18,875 B at 100 Gb/s. */
        {START LONG AT("host0", "rx-xon: 18875B") WRITE, "pauses", ""},
        {START LONG AT("host0", "rx-xon: 18874B") WRITE, "pauses",
         "t.yaml:6:45: warning: host0: XON is at 18874 B, less than the 18875 B of a round trip of "
         "the link: after each pause, the receive buffer of a slow host runs empty\n    remedy: "
         "raise rnic.rx-buffer, or rnic.rx-xon to 18875 B or more (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 262016B, rx-xoff: "
         "234735B, rx-xon: auto}}')\n"},
        {START LONG AT("host0", "rx-xon: 18874B, pfc: false") WRITE, "pauses",
         "t.yaml:6:58: warning: host0: no pauses are sent (rnic.pfc false): a slow host drops "
         "frames when its receive buffer is full (confirm in a run: drops.lossy > 0)\n    remedy: "
         "set rnic.pfc: true (--set 'fabric.overrides[+]={where: [host0], rnic: {pfc: true, "
         "rx-buffer: 262016B, rx-xoff: 234735B, rx-xon: auto}}')\n"},
        {START LONG AT("host0", "rx-xoff: 37750B, rx-xon: 37751B") WRITE, "pauses", ""},
        {START LONG AT("host0", "rx-xoff: 37749B, rx-xon: 37750B") WRITE, "pauses",
         "t.yaml:6:62: warning: host0: XON is at 18874 B, less than the 18875 B of a round trip of "
         "the link: after each pause, the receive buffer of a slow host runs empty\n    remedy: "
         "raise rnic.rx-buffer, or rnic.rx-xon to 18875 B or more (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 262016B, rx-xoff: "
         "234735B, rx-xon: auto}}')\n"},
        {START LONG AT("host0", "rx-xoff: 28091B") WRITE, "pauses", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void room_of_smaller_receive_buffers(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {START LONG AT("host0", "rx-xoff: 28090B") WRITE, "pauses",
         "t.yaml:4:13: warning: host0: XON is at 18874 B, less than the 18875 B of a round trip of "
         "the link: after each pause, the receive buffer of a slow host runs empty\n    remedy: "
         "raise rnic.rx-buffer, or rnic.rx-xon to 18875 B or more (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 262016B, rx-xoff: "
         "234735B, rx-xon: auto}}')\n"},
        {HEAD AT("host0", "rx-buffer: 100KB, rx-xoff: 100KB") WRITE, "pauses",
         "t.yaml:5:64: warning: host0: 15092 B can arrive after XOFF, but the receive buffer has "
         "only 0 B for them: a slow host drops frames (confirm in a run: drops.lossless > 0)\n "
         "   "
         "remedy: lower rnic.rx-xoff to 84908 B, or raise rnic.rx-buffer (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 100000B, rx-xoff: "
         "84908B, rx-xon: auto}}')\n"},
        {HEAD AT("host0", "rx-xoff: 250KB") WRITE, "pauses",
         "t.yaml:5:46: warning: host0: 15092 B can arrive after XOFF, but the receive buffer has "
         "only 12016 B for them: a slow host drops frames (confirm in a run: drops.lossless > "
         "0)\n    "
         "remedy: lower rnic.rx-xoff to 246924 B, or raise rnic.rx-buffer (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 262016B, rx-xoff: "
         "246924B, rx-xon: auto}}')\n"},
        {HEAD AT("host0", "rx-buffer: 16KiB, rx-xon: 5KB") WRITE, "pauses",
         "t.yaml:5:63: warning: host0: XON is at 2048 B, less than the 6628 B of a round trip of "
         "the link: after each pause, the receive buffer of a slow host runs empty\n    remedy: "
         "raise rnic.rx-buffer, or rnic.rx-xon to 6628 B or more (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 30936B, rx-xoff: "
         "15844B, rx-xon: auto}}')\nt.yaml:5:48: warning: host0: 15092 B can arrive after XOFF, "
         "but the receive buffer has only 12288 B for them: a slow host drops frames (confirm in a "
         "run: drops.lossless > 0)\n    remedy: lower rnic.rx-xoff to 1292 B, or raise "
         "rnic.rx-buffer (--set 'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: "
         "30936B, rx-xoff: 15844B, rx-xon: auto}}')\n"},
        {HEAD AT("host0", "rx-buffer: 16KiB") WRITE, "pauses",
         "t.yaml:5:48: warning: host0: XON is at 2048 B, less than the 6628 B of a round trip of "
         "the link: after each pause, the receive buffer of a slow host runs empty\n    remedy: "
         "raise rnic.rx-buffer, or rnic.rx-xon to 6628 B or more (--set "
         "'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: 30936B, rx-xoff: "
         "15844B, rx-xon: auto}}')\nt.yaml:5:48: warning: host0: 15092 B can arrive after XOFF, "
         "but the receive buffer has only 12288 B for them: a slow host drops frames (confirm in a "
         "run: drops.lossless > 0)\n    remedy: lower rnic.rx-xoff to 1292 B, or raise "
         "rnic.rx-buffer (--set 'fabric.overrides[+]={where: [host0], rnic: {pfc: true, rx-buffer: "
         "30936B, rx-xoff: 15844B, rx-xon: auto}}')\n"},
        {HEAD AT("host0", "pfc: false") WRITE, "pauses",
         "t.yaml:5:42: warning: host0: no pauses are sent (rnic.pfc false): a slow host drops "
         "frames when its receive buffer is full (confirm in a run: drops.lossy > 0)\n    remedy: "
         "set rnic.pfc: true (--set 'fabric.overrides[+]={where: [host0], rnic: {pfc: true, "
         "rx-buffer: 262016B, rx-xoff: 246924B, rx-xon: auto}}')\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void pause_frames(void **state)
{
    (void)state;
#define LINKS(values) START FABRIC "  host-links: {" values "}\n"
    static const struct findings_print cases[] = {
        {HEAD WRITE, "pauses", ""},
        {LINKS("pfc-refresh: 335532ns") WRITE, "pauses", ""},
        {LINKS("pfc-refresh: 335533ns") WRITE, "pauses",
         "t.yaml:5:29: warning: 8 ports of 1 switch and 4 hosts (host0:p0, ...): a pause lasts "
         "335.539 us, but is refreshed only every 335.533 us: the peer sends in between, and these "
         "frames are dropped (confirm in a run: drops.lossless > 0)\n    remedy: set "
         "pfc-refresh to 0ns, "
         "which means half of the pause time in an XOFF (--set "
         "fabric.host-links.pfc-refresh=0ns)\n"},
        {LINKS("pfc-refresh: 400us, flow-control: none") WRITE, "pauses", ""},
        {LINKS("pfc-refresh: 400us, pfc-enabled: none") WRITE, "pauses", ""},
        /* A port that nothing is linked to sends none. */
        {START "fabric:\n  topology: {kind: explicit, hosts: [a, b], switches: [s], links: [{ends: "
               "[\"s:p1\", a]}, {ends: [\"s:p3\", b]}]}\n  host-links: {pfc-refresh: 400us}\n" WORK(
                   "kind: rdma-write, from: a, to: b"),
         "pauses",
         "t.yaml:5:29: warning: 4 ports of 1 switch and 2 hosts (a:p0, ...): a pause lasts 335.539 "
         "us, but is refreshed only every 400.000 us: the peer sends in between, and these frames "
         "are dropped (confirm in a run: drops.lossless > 0)\n    remedy: set pfc-refresh to "
         "0ns, which means half of the pause time in an XOFF (--set "
         "fabric.host-links.pfc-refresh=0ns)\n"},
        {LINKS("pfc-refresh: 672ns") WRITE, "pauses", ""},
        {LINKS("pfc-refresh: 671ns") WRITE, "pauses",
         "t.yaml:4:13: note: 8 ports of 1 switch and 4 hosts (host0:p0, ...): pauses are refreshed "
         "every 671 ns, which uses more than 1% of the link (confirm in a run: "
         "pfc.pause_frames)\n    "
         "remedy: use longer pauses: pfc-quanta 65535, refreshed after half of them (--set "
         "fabric.host-links.pfc-quanta=65535 --set fabric.host-links.pfc-refresh=0ns)\n"},
        {LINKS("pfc-quanta: 263") WRITE, "pauses", ""},
        {LINKS("pfc-quanta: 262") WRITE, "pauses",
         "t.yaml:5:28: note: 8 ports of 1 switch and 4 hosts (host0:p0, ...): pauses are refreshed "
         "every 671 ns, which uses more than 1% of the link (confirm in a run: "
         "pfc.pause_frames)\n    "
         "remedy: use longer pauses: pfc-quanta 65535 (--set "
         "fabric.host-links.pfc-quanta=65535)\n"},
        {LINKS("pfc-quanta: 1") WRITE, "pauses",
         "t.yaml:4:13: warning: 8 ports of 1 switch and 4 hosts (host0:p0, ...): a pause lasts "
         "0.005 us, but is refreshed only every 0.003 us: the peer sends in between, and these "
         "frames are dropped (confirm in a run: drops.lossless > 0)\n    remedy: set "
         "pfc-refresh to 0ns, "
         "which means half of the pause time in an XOFF (--set fabric.host-links.pfc-refresh=0ns "
         "--set fabric.host-links.pfc-quanta=65535)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void retries(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD ALL("retry-count: 0") WRITE, "retries",
         "t.yaml:5:40: warning: host1: retry-count 0: one lost or late packet ends the queue "
         "pair\n    remedy: set rnic.retry-count: 7 (--set hosts.defaults.rnic.retry-count=7)\n"},
        {HEAD ALL("retry-count: 1, timeout: 1") WRITE, "retries", ""},
        {HEAD ALL("timeout: 0") WRITE, "retries",
         "t.yaml:5:36: warning: host1: timeout 0: a lost packet is never retransmitted if no other "
         "packet follows it\n    remedy: set rnic.timeout: 14 (67 ms), or the value of the devices "
         "(--set hosts.defaults.rnic.timeout=14)\n"},
        {HEAD ALL("rnr-retry: 0") WRITE, "retries", ""},
        {HEAD ALL("rnr-retry: 0") WORK("kind: rdma-send, from: host1, to: host0"), "retries",
         "t.yaml:5:38: warning: host0: rnr-retry 0: a SEND that finds no receive posted ends the "
         "queue pair\n    remedy: set rnic.rnr-retry: 7, which means without limit (--set "
         "hosts.defaults.rnic.rnr-retry=7)\n"},
        {HEAD ALL("rnr-retry: 1") WORK("kind: rdma-send, from: host1, to: host0"), "retries", ""},
        {HEAD "hosts:\n  defaults: {rnic: {retry-count: 0}}\n" TARGET WORK(
             "kind: nvme, from: host1, to: host0"),
         "retries",
         "t.yaml:6:34: warning: host1: retry-count 0: one lost or late packet ends the queue "
         "pair\n    remedy: set rnic.retry-count: 7 (--set hosts.defaults.rnic.retry-count=7)\n"},
        {HEAD ALL("retry-count: 0, timeout: 0, rnr-retry: 0")
             WORK("kind: rdma-send, from: host1, to: host0"),
         "retries",
         "t.yaml:5:66: warning: host0: rnr-retry 0: a SEND that finds no receive posted ends the "
         "queue pair\n    remedy: set rnic.rnr-retry: 7, which means without limit (--set "
         "hosts.defaults.rnic.rnr-retry=7)\nt.yaml:5:40: warning: host1: retry-count 0: one lost "
         "or late packet ends the queue pair\n    remedy: set rnic.retry-count: 7 (--set "
         "hosts.defaults.rnic.retry-count=7)\nt.yaml:5:52: warning: host1: timeout 0: a lost "
         "packet is never retransmitted if no other packet follows it\n    remedy: set "
         "rnic.timeout: 14 (67 ms), or the value of the devices (--set "
         "hosts.defaults.rnic.timeout=14)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_buffers),
        cmocka_unit_test(room_of_receive_buffers),
        cmocka_unit_test(room_of_smaller_receive_buffers),
        cmocka_unit_test(pause_frames),
        cmocka_unit_test(retries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
