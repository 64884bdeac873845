/* SPDX-License-Identifier: Apache-2.0
 * Nodes are shared out evenly, and what talks most stays together. */
#include "scenarios/world/division.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct scenario *load(const char *fabric, const char *hosts)
{
    static struct diag diag;
    char text[1024];
    diag = (struct diag){0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nduration: 1ms\nfabric: {topology: %s}\nhosts: {%s}\n"
             "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n",
             fabric, hosts);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

struct shares {
    uint32_t least, most; /* ports of an executor */
    uint32_t cut;         /* links between executors */
    uint32_t cut_hosts;   /* of them, a host's */
};

static struct shares shares_of(const struct scenario *scenario, const uint32_t *executor_of,
                               uint32_t executors)
{
    uint32_t *ports = calloc(executors, sizeof *ports);
    assert_non_null(ports);
    struct shares shares = {.least = UINT32_MAX};
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const uint32_t *ends = scenario->links[i].node;
        const bool cut = executor_of[ends[0]] != executor_of[ends[1]];
        shares.cut += cut;
        for (int end = 0; end < 2; end++) {
            assert_true(executor_of[ends[end]] < executors);
            ports[executor_of[ends[end]]]++;
            shares.cut_hosts += cut && scenario->nodes[ends[end]].kind == SCENARIO_HOST;
        }
    }
    for (uint32_t i = 0; i < executors; i++) {
        shares.least = ports[i] < shares.least ? ports[i] : shares.least;
        shares.most = ports[i] > shares.most ? ports[i] : shares.most;
    }
    free(ports);
    return shares;
}

static struct shares divide(const char *fabric, uint32_t executors)
{
    struct scenario *scenario = load(fabric, "");
    uint32_t *executor_of = division_make(scenario, executors);
    const struct shares shares = shares_of(scenario, executor_of, executors);
    uint32_t *again = division_make(scenario, executors);
    assert_memory_equal(executor_of, again, scenario->node_count * sizeof *again);
    free(again);
    free(executor_of);
    scenario_free(scenario);
    return shares;
}

/* 8 pods of 16 hosts; of 384 links 128 are hosts' and 128 stay in their pod. */
static void pods_stay_whole(void **state)
{
    (void)state;
    for (uint32_t executors = 2; executors <= 4; executors += 2) {
        const struct shares shares = divide("{kind: fat-tree, k: 8}", executors);
        assert_true(shares.most * 10 <= shares.least * 12);
        assert_int_equal(shares.cut_hosts, 0);
        assert_true(shares.cut <= 128);
    }
}

static void leaves_keep_their_hosts(void **state)
{
    (void)state;
    const struct shares shares =
        divide("{kind: leaf-spine, leaves: 8, spines: 4, hosts-per-leaf: 8}", 4);
    assert_true(shares.most * 10 <= shares.least * 13);
    assert_int_equal(shares.cut_hosts, 0);
}

/* A switch that is half of all work has one host with it, so that it has neighbors. */
static void one_switch_is_shared_out_too(void **state)
{
    (void)state;
    const struct shares shares = divide("{kind: single-switch, hosts: 32}", 2);
    assert_int_equal(shares.least, 31);
    assert_int_equal(shares.most, 33);
    assert_int_equal(shares.cut, 31);
}

static void one_executor_runs_all(void **state)
{
    (void)state;
    assert_int_equal(divide("{kind: fat-tree, k: 4}", 1).cut, 0);
}

/* More executors than nodes: some have nothing to do. */
static void few_nodes_are_no_trouble(void **state)
{
    (void)state;
    assert_int_equal(divide("{kind: single-switch, hosts: 2}", 8).least, 0);
}

static void machines_stay_together(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("{kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 2}",
             "defaults: {rnic: {profile: softroce}}, one: {where: [host0, host5], machine: one}, "
             "two: {where: [host1, host7], machine: two}");
    uint32_t *executor_of = division_make(scenario, 4);
    uint32_t hosts[8], count = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_HOST)
            hosts[count++] = i;
    assert_int_equal(count, 8);
    assert_int_equal(executor_of[hosts[0]], executor_of[hosts[5]]);
    assert_int_equal(executor_of[hosts[1]], executor_of[hosts[7]]);
    free(executor_of);
    scenario_free(scenario);
}

/* All five hosts of a machine have the same executor, wherever their links are; others are free. */
static void a_large_machine_stays_together(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("{kind: leaf-spine, leaves: 6, spines: 2, hosts-per-leaf: 2}",
             "defaults: {rnic: {profile: softroce}}, "
             "one: {where: [host1, host3, host5, host7, host9], machine: one}, "
             "two: {where: host11, machine: two}");
    uint32_t *executor_of = division_make(scenario, 4);
    uint32_t hosts[12], count = 0, others = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].kind == SCENARIO_HOST)
            hosts[count++] = executor_of[i];
    assert_int_equal(count, 12);
    for (uint32_t i = 0; i < count; i++)
        if (i % 2 == 1 && i < 10)
            assert_int_equal(hosts[i], hosts[1]);
        else
            others += hosts[i] != hosts[1];
    assert_true(others > 0);
    free(executor_of);
    scenario_free(scenario);
}

/* Ports of the executor with the fewest and with the most, and links between executors. */
static void shares_are_even_and_few_links_are_cut(void **state)
{
    static const struct {
        const char *fabric;
        uint32_t executors;
        struct shares shares;
    } rows[] = {
        {"{kind: fat-tree, k: 4}", 2, {48, 48, 8, 0}},
        {"{kind: fat-tree, k: 4}", 3, {30, 34, 13, 0}},
        {"{kind: fat-tree, k: 6}", 4, {75, 84, 47, 0}},
        {"{kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 5}", 2, {18, 24, 4, 0}},
        {"{kind: leaf-spine, leaves: 5, spines: 3, hosts-per-leaf: 4}", 4, {16, 22, 12, 0}},
        {"{kind: leaf-spine, leaves: 6, spines: 1, hosts-per-leaf: 1}", 3, {6, 9, 5, 0}},
        {"{kind: single-switch, hosts: 9}", 3, {4, 10, 8, 8}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct shares is = divide(rows[i].fabric, rows[i].executors);
        const struct shares *expected = &rows[i].shares;
        if (is.least != expected->least || is.most != expected->most || is.cut != expected->cut ||
            is.cut_hosts != expected->cut_hosts)
            fail_msg("%s, %u executors: {%u, %u, %u, %u}", rows[i].fabric, rows[i].executors,
                     is.least, is.most, is.cut, is.cut_hosts);
    }
}

/* Executors of up to eight that pay where `from` writes to `to`; `fabric` is what follows the
 * topology. */
static uint32_t pay(const char *topology, const char *fabric, const char *from, const char *to)
{
    static struct diag diag;
    char text[1024];
    diag = (struct diag){0};
    const bool same = strcmp(from, to) == 0;
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nduration: 1ms\nfabric:\n  topology: %s\n%s"
             "workloads: [{name: w, kind: rdma-write, from: \"%s\", to: \"%s\", pairing: %s}]\n",
             topology, fabric, from, to, same ? "permutation" : "round-robin");
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    const uint32_t executors = division_worthwhile(scenario, 8);
    scenario_free(scenario);
    return executors;
}

static uint32_t worthwhile(const char *topology, const char *delay, const char *to)
{
    char fabric[128];
    snprintf(fabric, sizeof fabric, "  host-links: {delay: %s}\n  fabric-links: {delay: %s}\n",
             delay, delay);
    return pay(topology, fabric, "host*", to);
}

/* A thread must have enough to do between two moments at which others may reach it. */
static void threads_pay_where_windows_are_full(void **state)
{
    (void)state;
    const char *fabric = "{kind: fat-tree, k: 8}", *one = "{kind: single-switch, hosts: 33}";
    assert_int_equal(worthwhile(fabric, "1us", "host*"), 8);
    assert_in_range(worthwhile(fabric, "100ns", "host*"), 2, 7);
    assert_int_equal(worthwhile(fabric, "5ns", "host*"), 1); /* they meet too often */
    assert_int_equal(worthwhile(fabric, "1us", "host0"), 1); /* one link is all that moves */
    assert_int_equal(worthwhile(one, "1us", "host0"), 1);
}

/* A host of 400 Gbit/s with an MTU of 4096 bytes sends 50 kB in a window of 1 us: 12 full frames,
 * of 12 events each.  Of the hosts that send and those that are sent to the fewer count, each once;
 * a thread is for 128 events. */
static void the_fewer_hosts_decide(void **state)
{
    static const char fast[] = "  host-links: {rate: 400Gbps, mtu: 4096B, delay: 1us}\n"
                               "  fabric-links: {rate: 400Gbps, mtu: 4096B, delay: 1us}\n";
    static const char slow[] = "  host-links: {rate: 100Gbps, mtu: 1024B, delay: 1us}\n"
                               "  fabric-links: {rate: 400Gbps, mtu: 4096B, delay: 1us}\n";
    static const char near[] = "  host-links: {rate: 400Gbps, mtu: 4096B, delay: 1us}\n"
                               "  fabric-links: {rate: 400Gbps, mtu: 4096B, delay: 500ns}\n";
    static const struct {
        const char *fabric, *from, *to;
        uint32_t executors;
    } rows[] = {
        {fast, "host0..host5", "host6", 1},
        {fast, "host6", "host0..host5", 1},
        {fast, "host0", "host7", 1},
        {fast, "host0..host1", "host6..host7", 2},
        {fast, "host0..host3", "host4..host7", 4},
        {fast, "host0..host4", "host8..host13", 5},
        {fast, "host0..host6", "host8..host14", 8},
        {fast, "host0..host7", "host8..host15", 8},
        {slow, "host0..host3", "host4..host7", 4},
        {near, "host0..host3", "host4..host7", 2},
        {near, "host0..host6", "host8..host14", 4},
    };
    (void)state;
    const char *topology = "{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 8}";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t is = pay(topology, rows[i].fabric, rows[i].from, rows[i].to);
        if (is != rows[i].executors)
            fail_msg("row %zu, %s to %s: %u", i, rows[i].from, rows[i].to, is);
    }
}

/* A host of a machine brings its leaf along, and that its other hosts, as far as there is room. */
static void a_machine_brings_its_leaves_along(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("{kind: leaf-spine, leaves: 8, spines: 1, hosts-per-leaf: 2}",
             "defaults: {rnic: {profile: softroce}}, one: {where: [host0, host5], machine: one}");
    uint32_t *executor_of = division_make(scenario, 2);
    assert_int_equal(shares_of(scenario, executor_of, 2).cut_hosts, 0);
    free(executor_of);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_stay_whole),
        cmocka_unit_test(leaves_keep_their_hosts),
        cmocka_unit_test(one_switch_is_shared_out_too),
        cmocka_unit_test(one_executor_runs_all),
        cmocka_unit_test(few_nodes_are_no_trouble),
        cmocka_unit_test(machines_stay_together),
        cmocka_unit_test(a_large_machine_stays_together),
        cmocka_unit_test(shares_are_even_and_few_links_are_cut),
        cmocka_unit_test(threads_pay_where_windows_are_full),
        cmocka_unit_test(the_fewer_hosts_decide),
        cmocka_unit_test(a_machine_brings_its_leaves_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
