/* SPDX-License-Identifier: Apache-2.0
 * Rules about hosts and workloads: each finds what it is for, and nothing in what is like it. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define START       "stormglass: 1\nname: test\n"
#define HEAD        START "fabric: {topology: {kind: single-switch, hosts: 4}}\n"
#define TWO         "from: [host1, host2], to: host0"
#define WRITE       "workloads: [{name: w, kind: rdma-write, " TWO "}]\n"
#define SEND        "workloads: [{name: w, kind: rdma-send, from: host1, to: host0}]\n"
#define ALL(values) "hosts: {defaults: {rnic: {profile: ideal, " values "}}}\n"
#define AT(host, values)                                                                           \
    "hosts: {defaults: {rnic: {profile: ideal}}, some: {where: " host ", rnic: {" values "}}}\n"
#define COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))

static void queue_pairs_that_bear_no_loss_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD ALL("retry-count: 0") WRITE, "retries", DIAG_WARNING,
         "2 hosts (host1, ...): retry-count 0", 2},
        {HEAD ALL("retry-count: 1") WRITE, "retries", DIAG_WARNING, "", 0},
        {HEAD ALL("timeout: 0") WRITE, "retries", DIAG_WARNING, "timeout 0", 2},
        {HEAD ALL("rnr-retry: 0") WRITE, "retries", DIAG_WARNING, "", 0},
        {HEAD ALL("rnr-retry: 0") SEND, "retries", DIAG_WARNING, "host0: rnr-retry 0", 1},
        /* Who accepts retries as the other end asks; who receives asks for RNR retries. */
        {HEAD AT("host0", "retry-count: 0") WRITE, "retries", DIAG_WARNING, "", 0},
        {HEAD AT("host0", "rnr-retry: 0") SEND, "retries", DIAG_WARNING, "host0: rnr-retry 0", 1},
        {HEAD AT("host1", "rnr-retry: 0") SEND, "retries", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void completion_queues_that_are_too_small_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD ALL("completions: interrupt, cq-size: 1") WRITE, "completions", DIAG_WARNING,
         "2 hosts (host1, ...): cq-size is 1, but a queue pair of 'w' can have 2 completions", 2},
        {HEAD ALL("completions: interrupt, cq-size: 2") WRITE, "completions", DIAG_WARNING, "", 0},
        {HEAD ALL("completions: interrupt") WRITE, "completions", DIAG_WARNING, "", 0},
        {HEAD ALL("cq-size: 1") WRITE, "completions", DIAG_WARNING, "", 0}, /* it polls at once */
        {HEAD ALL("software: true, cq-size: 1") WRITE, "completions", DIAG_WARNING, "cq-size is 1",
         2},
        /* Where messages take receives, those too. */
        {HEAD ALL("completions: adaptive, cq-size: 3") SEND, "completions", DIAG_WARNING,
         "host0: cq-size is 3, but a queue pair of 'w' can have 4 completions before software "
         "reads any "
         "(receives)",
         1},
        {HEAD ALL("completions: adaptive, cq-size: 4") SEND, "completions", DIAG_WARNING, "", 0},
        {HEAD AT("host0", "completions: interrupt, cq-size: 1") WRITE, "completions", DIAG_WARNING,
         "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void senders_that_cannot_be_marked_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD AT("host1", "congestion-control: none") WRITE, "ecn", DIAG_WARNING,
         "host1: congestion-control none: frames are not ECT", 1},
        {HEAD ALL("congestion-control: dcqcn") WRITE, "ecn", DIAG_WARNING, "", 0},
        /* Nobody reacts, though switches mark by default. */
        {HEAD ALL("congestion-control: none") WRITE, "ecn", DIAG_NOTE, "no switch marks them", 2},
        {"stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 4}, switch: "
         "{ecn: {kmax: 0B}}}\n" ALL("congestion-control: none") WRITE,
         "ecn", DIAG_NOTE, "", 0},
        {"stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 4}, switch: "
         "{ecn: {kmin: 10KB, kmax: 40KB}}}\n" ALL("congestion-control: none") WRITE,
         "ecn", DIAG_NOTE, "no switch marks them", 2},
        /* Who sends no data matters to nobody. */
        {HEAD AT("host0", "congestion-control: none") WRITE, "ecn", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

#define STREAM "workloads: [{name: w, kind: tcp-stream, from: host0, to: host1}]\n"
#define ECN(client, server)                                                                        \
    HEAD "hosts: {client: {where: host0, tcp: {" client                                            \
         "}}, server: {where: host1, tcp: {ecn: " server "}}}\n" STREAM

static void a_tcp_server_accepts_the_ecn_that_its_client_requests(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {ECN("ecn: accurate", "off"), "ecn", DIAG_WARNING,
         "host1: accepts no ECN over TCP, but host0 requests accurate ECN", 1},
        {ECN("ecn: on", "off"), "ecn", DIAG_WARNING,
         "host1: accepts no ECN over TCP, but host0 requests ECN", 1},
        {ECN("congestion-control: dctcp", "off"), "ecn", DIAG_WARNING, "host0 requests ECN", 1},
        {ECN("ecn: accurate", "passive"), "ecn", DIAG_NOTE,
         "host1: accepts only classic ECN over TCP, but host0 requests accurate ECN", 1},
        {ECN("ecn: accurate", "on"), "ecn", DIAG_NOTE, "falls back to classic ECN", 1},
        {ECN("ecn: accurate", "accurate-passive"), "ecn", DIAG_NOTE, "", 0},
        {ECN("ecn: accurate", "on-accurate-passive"), "ecn", DIAG_NOTE, "", 0},
        {ECN("ecn: on", "passive"), "ecn", DIAG_NOTE, "", 0},
        {ECN("ecn: accurate-passive", "off"), "ecn", DIAG_NOTE, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void a_dscp_without_effect_is_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD AT("host0", "dscp: 46") WRITE, "idle-settings", DIAG_WARNING,
         "host0: rnic.dscp 46 has no effect", 1},
        {HEAD AT("host0", "dscp: 26") WRITE, "idle-settings", DIAG_WARNING, "", 0},
        {HEAD ALL("dscp: 46") WRITE, "idle-settings", DIAG_WARNING, "", 0},
        {HEAD ALL("dscp: 46") "workloads: [{name: w, kind: rdma-write, from: host1, to: host0, "
                              "dscp: 26}]\n",
         "idle-settings", DIAG_WARNING, "host1: rnic.dscp 46 has no effect: the workloads", 1},
    };
    assert_findings(cases, COUNT(cases));
}

/* A lost message of the connection manager comes again after seconds. */
static void faults_that_keep_members_from_connecting_are_found(void **state)
{
    (void)state;
#define SPINES                                                                                     \
    START "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
#define FOUR(more)                                                                                 \
    "workloads: [{name: w, kind: rdma-write, from: [host0, host1], to: host2" more "}]\n"
#define DOWN(what) "faults: [{kind: " what "}]\n"
    static const struct findings_case cases[] = {
        {SPINES FOUR("") DOWN("switch-down, where: spine0, at: 0s"), "fault-connects", DIAG_WARNING,
         "2 of 2 host-target pairs cannot connect, depending on the hash (first: host0 to host2); "
         "a lost message is sent again only after 6.14 s (cm-timeout), when the workload has "
         "stopped",
         1},
        {SPINES FOUR("") DOWN("link-down, where: host1, at: 0s"), "fault-connects", DIAG_WARNING,
         "1 of 2 host-target pairs cannot connect (first: host1 to host2)", 1},
        {SPINES FOUR("") DOWN("link-down, where: host2, at: 0s"), "fault-connects", DIAG_WARNING,
         "2 of 2 host-target pairs cannot connect (first: host0", 1},
        /* It comes later, is over, touches nobody, or its leaves have learnt of it. */
        {SPINES FOUR("") DOWN("switch-down, where: spine0, at: 1ms"), "fault-connects",
         DIAG_WARNING, "", 0},
        {SPINES FOUR(", start: 1ms") DOWN("switch-down, where: spine0, at: 0s, for: 500us"),
         "fault-connects", DIAG_WARNING, "", 0},
        {SPINES FOUR("") DOWN("link-down, where: host3, at: 0s"), "fault-connects", DIAG_WARNING,
         "", 0},
        {SPINES FOUR(", start: 2ms") DOWN("switch-down, where: spine0, at: 0s"), "fault-connects",
         DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

#define NVME_AT(values)                                                                            \
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "    \
    "\"null\"}]" values "}}\n"                                                                     \
    "workloads: [{name: w, kind: nvme, from: host1, to: host0, block-size: "
#define NVME           NVME_AT("")
#define BUFFERS(units) NVME_AT(", target: {data-buffers: " units ", io-unit: 64KiB}")

static void loads_beyond_a_link_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        /* 131,072 B are 133,696 on the wire: 93,495 of them a second fill 100 Gb/s. */
        {HEAD "workloads: [{name: w, kind: rdma-write, " TWO
              ", message-size: 128KiB, rate: 47000}]\n",
         "offered", DIAG_WARNING, "host0: workloads with a rate offer", 1},
        {HEAD "workloads: [{name: w, kind: rdma-write, " TWO
              ", message-size: 128KiB, rate: 46000}]\n",
         "offered", DIAG_WARNING, "", 0},
        {HEAD "workloads: [{name: w, kind: rdma-read, " TWO
              ", message-size: 128KiB, rate: 47000}]\n",
         "offered", DIAG_WARNING, "that it sends", 1},
        {HEAD WRITE, "offered", DIAG_WARNING, "", 0},
    };
    assert_findings(cases, COUNT(cases));
}

static void operations_that_are_split_or_wait_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        {HEAD NVME "2MiB}]\n", "block-sizes", DIAG_NOTE, "is sent as 2 commands", 1},
        {HEAD NVME "1MiB}]\n", "block-sizes", DIAG_NOTE, "", 0},
        {HEAD BUFFERS("4") "1MiB}]\n", "block-sizes", DIAG_NOTE,
         "as 4 commands: the data buffers of a command (target.io-unit, target.data-buffers) of "
         "host0 is 262144 B",
         1},
        {HEAD BUFFERS("16") "1MiB}]\n", "block-sizes", DIAG_NOTE, "", 0},
        {HEAD "workloads: [{name: r, kind: rdma-read, from: host1, to: host0, outstanding: 17}]\n",
         "depths", DIAG_NOTE, "16 of its 17 outstanding READs are in flight at the same time", 1},
        {HEAD "workloads: [{name: r, kind: rdma-read, from: host1, to: host0, outstanding: 16}]\n",
         "depths", DIAG_NOTE, "", 0},
        /* No READ may be under way, be it for the one end or for the other. */
        {HEAD AT("host0", "max-rd-atomic: 0") "workloads: [{name: r, kind: rdma-read, from: host1, "
                                              "to: host0}]\n",
         "depths", DIAG_WARNING,
         "'r': host1 can never READ from host0, with rnic.max-rd-atomic 0 at host0", 1},
        {HEAD AT("host1", "max-rd-atomic: 0") "workloads: [{name: r, kind: rdma-read, from: host1, "
                                              "to: host0}]\n",
         "depths", DIAG_WARNING, "with rnic.max-rd-atomic 0 at host1: no operation is ever sent",
         1},
        {HEAD AT("host0", "max-rd-atomic: 0") "workloads: [{name: r, kind: rdma-write, from: "
                                              "host1, to: host0}]\n",
         "depths", DIAG_WARNING, "", 0},
        {HEAD "hosts:\n  odd: {where: host1, rnic: {max-rd-atomic: 0}}\n  targets: {where: host0, "
              "namespaces: [{media: fixed}]}\n"
              "workloads: [{name: n, kind: nvme, from: host1, to: host0}]\n",
         "depths", DIAG_WARNING,
         "'n': host0 can never READ from host1, with rnic.max-rd-atomic 0 at host1: the data of "
         "Connect and of writes cannot be fetched, so no controller comes up",
         1},
        {HEAD "hosts:\n  targets: {where: host0, rnic: {max-rd-atomic: 0}, namespaces: [{media: "
              "fixed}]}\n"
              "workloads: [{name: n, kind: nvme, from: host1, to: host0}]\n",
         "depths", DIAG_WARNING, "rnic.max-rd-atomic 0 at host0", 1},
    };
    assert_findings(cases, COUNT(cases));
}

static void receive_buffers_below_the_round_trip_are_found(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        /* 100 m and the response are 1,510 ns: 18,875 B at 100 Gb/s. */
        {"stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 2}, "
         "host-links: "
         "{length: 100m}}\n" ALL("rx-xon: 18KB") SEND,
         "pauses", DIAG_WARNING,
         "XON is at 18000 B, less than the 18875 B of a round trip of the link", 2},
        {"stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 2}, "
         "host-links: "
         "{length: 100m}}\n" ALL("rx-xon: 19KB") SEND,
         "pauses", DIAG_WARNING, "", 0},
        {HEAD ALL("rx-buffer: 16KiB") SEND, "pauses", DIAG_WARNING, "can arrive after XOFF", 4},
    };
    assert_findings(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_beyond_a_link_are_found),
        cmocka_unit_test(operations_that_are_split_or_wait_are_found),
        cmocka_unit_test(receive_buffers_below_the_round_trip_are_found),
        cmocka_unit_test(queue_pairs_that_bear_no_loss_are_found),
        cmocka_unit_test(completion_queues_that_are_too_small_are_found),
        cmocka_unit_test(senders_that_cannot_be_marked_are_found),
        cmocka_unit_test(a_tcp_server_accepts_the_ecn_that_its_client_requests),
        cmocka_unit_test(faults_that_keep_members_from_connecting_are_found),
        cmocka_unit_test(a_dscp_without_effect_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
