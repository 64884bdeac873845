/* SPDX-License-Identifier: Apache-2.0
 * What check prints of workloads and faults, to the letter and on both sides of each bound:
 * level, place, words, what a run shows of it, and the remedy. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))
#define START        "stormglass: 1\nname: t\n"
#define FABRIC       "fabric:\n  topology: {kind: single-switch, hosts: 4}\n"
#define HEAD         START FABRIC
#define WORK(values) "workloads: [{name: w, " values "}]\n"
#define WRITE        WORK("kind: rdma-write, from: host1, to: host0")
#define READ(more)   WORK("kind: rdma-read, from: [host1, host2], to: host0" more)
#define ALL(values)  "hosts: {defaults: {rnic: {profile: ideal, " values "}}}\n"
#define AT(host, values)                                                                           \
    "hosts: {defaults: {rnic: {profile: ideal}}, some: {where: " host ", rnic: {" values "}}}\n"
#define TARGET     "  targets: {where: host0, namespaces: [{media: fixed}]}\n"
#define NVME(more) WORK("kind: nvme, from: [host1, host2], to: host0" more)

static void commands_and_queues(void **state)
{
    (void)state;
#define HOSTS(host, target)                                                                        \
    "hosts:\n  defaults: {rnic: {profile: ideal}, nvme: {" host "}, target: {" target "}}"         \
    "\n" TARGET
#define SECOND(host) "hosts:\n  some: {where: host2, nvme: {" host "}}\n" TARGET
    static const struct findings_print cases[] = {
        {HEAD HOSTS("", "") NVME(", block-size: 1MiB"), "block-sizes", ""},
        {HEAD HOSTS("", "") NVME(", block-size: 1049088B"), "block-sizes",
         "t.yaml:8:80: note: 'w': an I/O of 1049088 B is sent as 2 commands: target.max-transfer "
         "of host0 is 1048576 B\n    remedy: raise max-transfer at both ends, or use smaller "
         "blocks\n"},
        {HEAD HOSTS("max-transfer: 8KiB", "") NVME(", block-size: 16KiB"), "block-sizes",
         "t.yaml:8:80: note: 'w': an I/O of 16384 B is sent as 2 commands: nvme.max-transfer of "
         "host1 is 8192 B\n    remedy: raise max-transfer at both ends, or use smaller blocks\n"},
        {HEAD HOSTS("", "max-transfer: 8KiB") NVME(", block-size: 16896B"), "block-sizes",
         "t.yaml:8:80: note: 'w': an I/O of 16896 B is sent as 3 commands: target.max-transfer of "
         "host0 is 8192 B\n    remedy: raise max-transfer at both ends, or use smaller blocks\n"},
        {HEAD SECOND("max-transfer: 8KiB") NVME(", block-size: 16KiB"), "block-sizes",
         "t.yaml:8:80: note: 'w': an I/O of 16384 B is sent as 2 commands: nvme.max-transfer of "
         "host2 is 8192 B\n    remedy: raise max-transfer at both ends, or use smaller blocks\n"},
        {HEAD HOSTS("", "") NVME(", queue-depth: 127"), "depths", ""},
        {HEAD HOSTS("", "") NVME(", queue-depth: 128"), "depths",
         "t.yaml:8:81: warning: 'w': queue-depth 128 is limited to 127: a queue between host1 and "
         "host0 has 128 entries (nvme.queue-size of host1); further I/Os wait at the host\n    "
         "remedy: set queue-depth 127, or use longer queues (--set workloads.w.queue-depth=127)\n"},
        {HEAD HOSTS("queue-size: 16", "") NVME(", queue-depth: 16"), "depths",
         "t.yaml:8:81: warning: 'w': queue-depth 16 is limited to 15: a queue between host1 and "
         "host0 has 16 entries (nvme.queue-size of host1); further I/Os wait at the host\n    "
         "remedy: set queue-depth 15, or use longer queues (--set workloads.w.queue-depth=15)\n"},
        {HEAD HOSTS("queue-size: 16", "") NVME(", queue-depth: 15"), "depths", ""},
        {HEAD HOSTS("", "max-queue-size: 16") NVME(", queue-depth: 16"), "depths",
         "t.yaml:8:81: warning: 'w': queue-depth 16 is limited to 15: a queue between host1 and "
         "host0 has 16 entries (target.max-queue-size of host0); further I/Os wait at the host\n   "
         " remedy: set queue-depth 15, or use longer queues (--set workloads.w.queue-depth=15)\n"},
        {HEAD SECOND("queue-size: 16") NVME(", queue-depth: 16"), "depths",
         "t.yaml:8:81: warning: 'w': queue-depth 16 is limited to 15: a queue between host2 and "
         "host0 has 16 entries (nvme.queue-size of host2); further I/Os wait at the host\n    "
         "remedy: set queue-depth 15, or use longer queues (--set workloads.w.queue-depth=15)\n"},
        /* An open loop has a bound, not a depth. */
        {HEAD HOSTS("queue-size: 16", "") NVME(", queue-depth: 16, rate: 1000"), "depths", ""},
        {HEAD HOSTS("", "max-queues: 3") NVME(", queues: 3"), "depths", ""},
        {HEAD HOSTS("", "max-queues: 3") NVME(", queues: 4"), "depths",
         "t.yaml:8:76: warning: 'w': queues 4 is limited to 3: host0 grants no more to a "
         "controller (target.max-queues)\n    remedy: set queues 3, or a larger target.max-queues "
         "(--set workloads.w.queues=3)\n"},
        {HEAD HOSTS("queue-size: 16", "max-queues: 3") NVME(", queues: 4, queue-depth: 16"),
         "depths",
         "t.yaml:8:92: warning: 'w': queue-depth 16 is limited to 15: a queue between host1 and "
         "host0 has 16 entries (nvme.queue-size of host1); further I/Os wait at the host\n    "
         "remedy: set queue-depth 15, or use longer queues (--set "
         "workloads.w.queue-depth=15)\nt.yaml:8:76: warning: 'w': queues 4 is limited to 3: host0 "
         "grants no more to a controller (target.max-queues)\n    remedy: set queues 3, or a "
         "larger target.max-queues (--set workloads.w.queues=3)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

/* Write and poll queues count, too. Four CPUs share two queues for writes. */
static void types_of_queues(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD HOSTS("write-queues: 2", "") NVME(", queues: 4, queue-depth: 64, read: 50%"),
         "depths",
         "t.yaml:8:92: warning: 'w': queue-depth 64 is limited to 63: a queue between host1 and "
         "host0 has 128 entries (nvme.queue-size of host1), which 2 CPUs share; further I/Os wait "
         "at the host\n    remedy: set queue-depth 63, or use longer queues (--set "
         "workloads.w.queue-depth=63)\n"},
        {HEAD HOSTS("write-queues: 2", "") NVME(", queues: 4, queue-depth: 64"), "depths", ""},
        {HEAD HOSTS("write-queues: 2, poll-queues: 1", "max-queues: 5") NVME(", queues: 3"),
         "depths",
         "t.yaml:8:76: warning: 'w': queues 3 with 3 write and poll queues is limited to 5: host0 "
         "grants no more to a controller (target.max-queues)\n    remedy: set queues 2, or a "
         "larger target.max-queues (--set workloads.w.queues=2)\n"},
        {HEAD HOSTS("cpus: 2, poll-queues: 1", "") NVME(", queues: 4"), "depths",
         "t.yaml:8:76: note: 'w': host1 requests 3 of 5 queues: it has 2 CPUs (nvme.cpus), and no "
         "more queues of each type\n"},
    };
    assert_prints(cases, COUNT(cases));
}

static void depths_of_reads(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD READ(", outstanding: 16"), "depths", ""},
        {HEAD READ(", outstanding: 17"), "depths",
         "t.yaml:5:86: note: 'w': only 16 of its 17 outstanding READs are in flight at the same "
         "time (rnic.max-rd-atomic of host1)\n    remedy: use more queue pairs (qps), or a larger "
         "rnic.max-rd-atomic at both ends (--set hosts.defaults.rnic.max-rd-atomic=17)\n"},
        {HEAD ALL("max-rd-atomic: 20") READ(", outstanding: 21"), "depths",
         "t.yaml:6:86: note: 'w': only 20 of its 21 outstanding READs are in flight at the same "
         "time (rnic.max-rd-atomic of host1)\n    remedy: use more queue pairs (qps), or a larger "
         "rnic.max-rd-atomic at both ends (--set hosts.defaults.rnic.max-rd-atomic=21)\n"},
        {HEAD AT("host0", "max-rd-atomic: 4") READ(", outstanding: 5"), "depths",
         "t.yaml:6:86: note: 'w': only 4 of its 5 outstanding READs are in flight at the same time "
         "(rnic.max-rd-atomic of host0)\n    remedy: use more queue pairs (qps), or a larger "
         "rnic.max-rd-atomic at both ends (--set hosts.defaults.rnic.max-rd-atomic=5 --set "
         "hosts.some.rnic.max-rd-atomic=5)\n"},
        {HEAD AT("host2", "max-rd-atomic: 4") READ(", outstanding: 5"), "depths",
         "t.yaml:6:86: note: 'w': only 4 of its 5 outstanding READs are in flight at the same time "
         "(rnic.max-rd-atomic of host2)\n    remedy: use more queue pairs (qps), or a larger "
         "rnic.max-rd-atomic at both ends (--set hosts.some.rnic.max-rd-atomic=5 --set "
         "hosts.defaults.rnic.max-rd-atomic=5)\n"},
        {HEAD ALL("max-rd-atomic: 4")
             WORK("kind: rdma-write, from: host1, to: host0, outstanding: 5"),
         "depths", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void what_hosts_get(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        {HEAD WORK("kind: rdma-write, from: [host1, host2], to: host0"), "fan-in",
         "t.yaml:4:13: note: host0: 2 senders together can send up to 200 Gb/s, but the receiver's "
         "links carry 100 Gb/s: a fan-in of 2:1 (confirm in a run: "
         "pfc.pause_frames)\n"},
        {HEAD WORK("kind: rdma-write, from: [host1, host2, host3], to: host0"), "fan-in",
         "t.yaml:4:13: note: host0: 3 senders together can send up to 300 Gb/s, but the receiver's "
         "links carry 100 Gb/s: a fan-in of 3:1 (confirm in a run: "
         "pfc.pause_frames)\n"},
        {HEAD WORK("kind: rdma-read, from: host0, to: [host1, host2], pairing: all-to-all"),
         "fan-in",
         "t.yaml:4:13: note: host0: 2 senders together can send up to 200 Gb/s, but the receiver's "
         "links carry 100 Gb/s: a fan-in of 2:1 (confirm in a run: "
         "pfc.pause_frames)\n"},
        {HEAD READ(""), "fan-in", ""},
        {HEAD WRITE, "fan-in", ""},
        {HEAD "workloads:\n  - {name: w, kind: rdma-write, from: host1, to: host0}\n  - {name: v, "
              "kind: rdma-write, from: host1, to: host0}\n",
         "fan-in", ""},
        {HEAD "workloads:\n  - {name: w, kind: rdma-write, from: [host1, host2], to: host0}\n  - "
              "{name: v, kind: rdma-write, from: [host1, host2], to: host3}\n",
         "fan-in",
         "t.yaml:4:13: note: 2 hosts (host0, ...): 2 senders together can send up to 200 Gb/s, but "
         "the receiver's links carry 100 Gb/s: a fan-in of 2:1 (confirm in a run: "
         "pfc.pause_frames)\n"},
    };
    assert_prints(cases, COUNT(cases));
}

#define RATE(kind, from, bytes, rate)                                                              \
    WORK("kind: " kind ", from: " from ", to: host0, message-size: " bytes ", rate: " rate)
#define SERVED(read, rate)                                                                         \
    "hosts:\n" TARGET WORK("kind: nvme, from: host1, to: host0, block-size: 128KiB, read: " read   \
                           ", rate: " rate)
#define OFFERS(host, does)                                                                         \
    "t.yaml:4:13: warning: " host ": workloads with a rate offer 100Gbps that it " does            \
    ", but its links carry 100Gbps: the backlog grows without limit\n    remedy: lower the rate "  \
    "of "                                                                                          \
    "the workloads, or spread them over more hosts\n"

static void what_is_offered(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        /* 131,072 B are 133,696 on the wire: 93,495.7 of them a second fill 100 Gb/s. */
        {HEAD RATE("rdma-write", "host1", "128KiB", "93495"), "offered", ""},
        {HEAD RATE("rdma-write", "host1", "128KiB", "93496"), "offered",
         OFFERS("host0", "receives") OFFERS("host1", "sends")},
        {HEAD RATE("rdma-read", "host1", "128KiB", "93496"), "offered",
         OFFERS("host0", "sends") OFFERS("host1", "receives")},
        {HEAD RATE("rdma-write", "[host1, host2]", "128KiB", "46747"), "offered", ""},
        {HEAD RATE("rdma-write", "[host1, host2]", "128KiB", "46748"), "offered",
         OFFERS("host0", "receives")},
        {HEAD RATE("rdma-write", "[host1, host2]", "128KiB", "46747"), "fan-in", ""},
        {HEAD RATE("rdma-write", "[host1, host2]", "128KiB", "70122"), "fan-in",
         "t.yaml:4:13: note: host0: 2 senders together can send up to 150.00 Gb/s, but the "
         "receiver's links carry 100 Gb/s: a fan-in of 1.50:1 (confirm in a run: "
         "pfc.pause_frames)\n"},
        {HEAD RATE("rdma-write", "[host1, host2]", "128KiB", "46748"), "fan-in",
         "t.yaml:4:13: note: host0: 2 senders together can send slightly more than the 100 Gb/s of "
         "the receiver's links (confirm in a run: "
         "pfc.pause_frames)\n"},
        {HEAD SERVED("25%", "124660"), "offered", ""},
        {HEAD SERVED("25%", "124661"), "offered",
         OFFERS("host0", "receives") OFFERS("host1", "sends")},
        {HEAD SERVED("75%", "124661"), "offered",
         OFFERS("host0", "sends") OFFERS("host1", "receives")},
        {HEAD SERVED("100%", "93496"), "offered",
         OFFERS("host0", "sends") OFFERS("host1", "receives")},
        {HEAD SERVED("0%", "93496"), "offered",
         OFFERS("host0", "receives") OFFERS("host1", "sends")},
        /* One byte beyond a packet is another packet. */
        {HEAD RATE("rdma-write", "host1", "4096B", "2991862"), "offered", ""},
        {HEAD RATE("rdma-write", "host1", "4096B", "2991863"), "offered",
         OFFERS("host0", "receives") OFFERS("host1", "sends")},
        {HEAD RATE("rdma-write", "host1", "4097B", "2933583"), "offered", ""},
        {HEAD RATE("rdma-write", "host1", "4097B", "2933584"), "offered",
         OFFERS("host0", "receives") OFFERS("host1", "sends")},
        {HEAD WRITE, "offered", ""},
    };
    assert_prints(cases, COUNT(cases));
}

static void faults(void **state)
{
    (void)state;
#define FAULT(work, values)                                                                        \
    START "duration: 1ms\ndrain: 1ms\n" FABRIC work "faults: [{" values "}]\n"
#define TREE                "{kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}"
#define LEAVES              "fabric:\n  topology: " TREE "\n"
#define AMONG(work, values) START "duration: 1ms\ndrain: 1ms\n" LEAVES work "faults: [" values "]\n"
#define ACROSS              WORK("kind: rdma-write, from: host0, to: host2, " BETWEEN)
#define BETWEEN             "start: 100us, stop: 500us"
    static const struct findings_print cases[] = {
        {FAULT(WRITE, "kind: link-down, where: host0, at: 2ms"), "faults",
         "t.yaml:8:10: warning: the fault link-down begins after the workloads have stopped: it "
         "may have no effect\n"},
        {FAULT(WRITE, "kind: link-down, where: host0, at: 2000001ns"), "faults",
         "t.yaml:8:10: warning: the fault link-down begins after the end of the run: it has no "
         "effect\n"},
        {FAULT(WRITE, "kind: link-down, where: host0, at: 1ms"), "faults",
         "t.yaml:8:10: warning: the fault link-down begins after the workloads have stopped: it "
         "may have no effect\n"},
        {FAULT(WRITE, "kind: link-down, where: host0, at: 999999ns"), "faults", ""},
        {FAULT(WRITE, "kind: pause-storm, where: host0, at: 0s"), "faults", ""},
        {FAULT(WRITE, "kind: pause-storm, where: host0, at: 0s, priority: 2"), "faults",
         "t.yaml:8:10: warning: the fault pause-storm at host0 has no effect: PFC of priority 2 is "
         "disabled at host0 or at the other end of its link\n"},
        {FAULT(WRITE, "kind: link-down, where: host3, at: 0s"), "faults",
         "t.yaml:8:10: warning: the fault link-down affects no traffic: no workload sends through "
         "its location\n"},
        {FAULT(WORK("kind: rdma-write, from: host1, to: host0, stop: 500us"),
               "kind: link-down, where: host0, at: 500us"),
         "faults",
         "t.yaml:8:10: warning: the fault link-down affects no traffic: the workloads there stop "
         "before the fault begins\n"},
        {FAULT(WORK("kind: rdma-write, from: host1, to: host0, stop: 500us"),
               "kind: link-down, where: host0, at: 499999ns"),
         "faults", ""},
        {FAULT(WORK("kind: rdma-write, from: host1, to: host0, start: 500us"),
               "kind: link-down, where: host0, at: 0s, for: 500us"),
         "faults",
         "t.yaml:8:10: warning: the fault link-down affects no traffic: the workloads there begin "
         "after the end of the fault\n"},
        {FAULT(WORK("kind: rdma-write, from: host1, to: host0, start: 500us"),
               "kind: link-down, where: host0, at: 0s, for: 500001ns"),
         "faults", ""},
        {FAULT("hosts:\n" TARGET WRITE, "kind: target-crash, where: host0, at: 0s"), "faults",
         "t.yaml:10:10: warning: the fault target-crash affects no traffic: it stops only NVMe, "
         "but only rdma-* workloads use its targets, and they continue at full rate (target-crash "
         "with how: power stops them)\n"},
        {FAULT("hosts:\n" TARGET WRITE, "kind: target-crash, where: host0, at: 0s, how: power"),
         "faults", ""},
        {FAULT("hosts:\n" TARGET WRITE, "kind: target-stall, where: host0, at: 0s, for: 1us"),
         "faults",
         "t.yaml:10:10: warning: the fault target-stall affects no traffic: it stops only NVMe, "
         "but only rdma-* workloads use its targets, and they continue at full rate (target-crash "
         "with how: power stops them)\n"},
        {FAULT("hosts:\n" TARGET WORK("kind: nvme, from: host1, to: host0, stop: 500us"),
               "kind: target-crash, where: host0, at: 499999ns"),
         "faults", ""},
        {FAULT("hosts:\n" TARGET WORK("kind: nvme, from: host1, to: host0, stop: 500us"),
               "kind: target-crash, where: host0, at: 500us"),
         "faults",
         "t.yaml:10:10: warning: the fault target-crash affects no traffic: the workloads there "
         "stop before the fault begins\n"},
        {FAULT(WRITE, "kind: link-flap, where: host0, at: 0ns, period: 10us, duty: 0%"), "faults",
         "t.yaml:8:10: warning: the fault link-flap has duty 0%: the link never goes down\n"},
    };
    assert_prints(cases, COUNT(cases));
}

#define BOTH(one, other)                                                                           \
    "workloads:\n  - {name: w, kind: rdma-write, from: host0, to: host2, " one                     \
    "}\n  - {name: v, kind: rdma-write, from: host1, to: host3, " other "}\n"

static void faults_inside_the_fabric(void **state)
{
    (void)state;
    static const struct findings_print cases[] = {
        /* Inside of the fabric the paths decide. */
        {AMONG(ACROSS, "{kind: bit-errors, where: leaf0-spine0, at: 0s}"), "faults", ""},
        {AMONG(ACROSS, "{kind: bit-errors, where: leaf2-spine0, at: 0s}"), "faults",
         "t.yaml:8:10: warning: the fault bit-errors affects no traffic: no workload sends through "
         "its location\n"},
        {AMONG(ACROSS, "{kind: bit-errors, where: leaf0-spine0, at: 500us}"), "faults",
         "t.yaml:8:10: warning: the fault bit-errors affects no traffic: the workloads there stop "
         "before the fault begins\n"},
        {AMONG(ACROSS, "{kind: bit-errors, where: leaf0-spine0, at: 0s, for: 100us}"), "faults",
         "t.yaml:8:10: warning: the fault bit-errors affects no traffic: the workloads there begin "
         "after the end of the fault\n"},
        {AMONG(ACROSS, "{kind: switch-down, where: leaf2, at: 0s}"), "faults",
         "t.yaml:8:10: warning: the fault switch-down affects no traffic: no workload sends "
         "through its location\n"},
        {AMONG(ACROSS, "{kind: switch-down, where: spine1, at: 0s}"), "faults", ""},
        /* Of several workloads there the last one counts, whichever comes first. */
        {AMONG(BOTH("stop: 200us", "stop: 500us"),
               "{kind: bit-errors, where: leaf0-spine0, at: 300us}"),
         "faults", ""},
        {AMONG(BOTH("stop: 500us", "stop: 200us"),
               "{kind: bit-errors, where: leaf0-spine0, at: 300us}"),
         "faults", ""},
        {AMONG(BOTH("start: 500us", "start: 200us"),
               "{kind: bit-errors, where: leaf0-spine0, at: 0s, for: 300us}"),
         "faults", ""},
        {AMONG(BOTH("start: 200us", "start: 500us"),
               "{kind: bit-errors, where: leaf0-spine0, at: 0s, for: 200us}"),
         "faults",
         "t.yaml:10:10: warning: the fault bit-errors affects no traffic: the workloads there "
         "begin after the end of the fault\n"},
        /* Two that move routes move each other's. */
        {AMONG(ACROSS, "{kind: switch-down, where: leaf2, at: 0s}, {kind: link-down, where: "
                       "leaf0-spine0, at: 0s}"),
         "faults", ""},
    };
    assert_prints(cases, COUNT(cases));
}

/* One remedy is enough for all outages that a timer must outlast: of one target, or of several. */
static void timers_of_several_outages(void **state)
{
    (void)state;
#define STALLS(values) "faults: [" values "]\n"
#define SHORT          "hosts:\n  defaults: {nvme: {fast-io-fail-tmo: 10us}}\n"
#define FAST(host, outage)                                                                         \
    "t.yaml:7:39: warning: " host ": nvme.fast-io-fail-tmo is 10 us, but target-stall at " outage  \
    ": I/O fails before the target is back\n    remedy: set nvme.fast-io-fail-tmo above 219 us "   \
    "(--set hosts.defaults.nvme.fast-io-fail-tmo=438us)\n"
    static const struct findings_print cases[] = {
        {HEAD "duration: 1ms\n" SHORT TARGET NVME("")
             STALLS("{kind: target-stall, where: host0, at: 1us, for: 98us}, {kind: target-stall, "
                    "where: host0, at: 200us, for: 219us}"),
         "io-times",
         FAST("2 hosts (host1, ...)", "host0 from 1us lasts 98 us")
             FAST("2 hosts (host1, ...)", "host0 from 200us lasts 219 us")},
        {HEAD "duration: 1ms\n" SHORT
              "  targets: {where: [host0, host3], namespaces: [{media: fixed}]}\n"
              "workloads: [{name: w, kind: nvme, from: host1, to: host0}, {name: v, kind: nvme, "
              "from: host2, to: host3}]\n" STALLS(
                  "{kind: target-stall, where: host3, at: 1us, for: 219us}, {kind: target-stall, "
                  "where: host0, at: 1us, for: 98us}"),
         "io-times",
         FAST("host1", "host0 from 1us lasts 98 us") FAST("host2", "host3 from 1us lasts 219 us")},
    };
    assert_prints(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_and_queues),      cmocka_unit_test(types_of_queues),
        cmocka_unit_test(depths_of_reads),          cmocka_unit_test(what_hosts_get),
        cmocka_unit_test(what_is_offered),          cmocka_unit_test(faults),
        cmocka_unit_test(faults_inside_the_fabric), cmocka_unit_test(timers_of_several_outages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
