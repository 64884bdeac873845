/* SPDX-License-Identifier: Apache-2.0
 * test_deviation - which settings of a few differ from those of their like, and what is common. */
#include "scenarios/deviation/deviation.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TREE   "fabric:\n  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 2}\n"
#define WRITES "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n"

static const struct row {
    const char *text, *found; /* a line each: path value common places, "broad" */
} rows[] = {
    {TREE WRITES, ""},
    /* One switch, and what --set calls it. */
    {TREE "  overrides: [{where: leaf1, pfc: {headroom: 1KB}}]\n" WRITES,
     "fabric.overrides[0].headroom 1000B auto 1\n"},
    /* 6 ports of a leaf have one path, so they are one suspect with all their places. */
    {TREE "  overrides: [{where: leaf1, mtu: 1500B}]\n" WRITES,
     "fabric.overrides[0].mtu 1500B 4200B 4\n"},
    {TREE "  overrides: [{where: \"leaf1:p3\", pfc-enabled: none}]\n" WRITES,
     "fabric.overrides[0].pfc-enabled none auto 1\n"},
    /* The common value is that of the tier, also where an override gave it. */
    {TREE "  overrides: [{where: \"leaf*\", alpha: 25%}, {where: leaf2, alpha: 1%}]\n" WRITES,
     "fabric.overrides[1].alpha 1% 25% 1\nfabric.overrides[0].alpha 25% 12.5% 3 broad\n"},
    /* A seed of its own is no worse than another; equal ones at two switches may polarize. */
    {TREE "  overrides: [{where: leaf1, ecmp-seed: 7}]\n" WRITES, ""},
    {TREE "  overrides: [{where: \"leaf*\", ecmp-seed: 7}]\n" WRITES,
     "fabric.overrides[0].ecmp-seed 7 auto 4 broad\n"},
    /* What is said again deviates from nothing. */
    {TREE "  overrides: [{where: leaf1, alpha: 12.5%}]\n" WRITES, ""},
    {TREE "  overrides: [{where: \"spine*\", headroom: 0B}]\n" WRITES,
     "fabric.overrides[0].headroom 0B auto 2 broad\n"},
    /* Both ends of a slow cable; but all fabric links may have another rate. */
    {TREE "  overrides: [{where: leaf1-spine0, rate: 10Gbps}]\n" WRITES,
     "fabric.overrides[0].rate 10Gbps 100Gbps 2\n"},
    {TREE "  overrides: [{where: \"leaf*-spine*\", rate: 10Gbps}]\n" WRITES, ""},
    /* The only cable of its kind has no like but what the section for all says. */
    {"fabric:\n"
     "  topology: {kind: explicit, hosts: [host0, host1], switches: [s0, s1], links: [{ends: "
     "[host0,"
     " s0]}, {ends: [host1, s1]}, {ends: [s0, s1]}]}\n"
     "  overrides: [{where: s0-s1, rate: 1Gbps}]\n" WRITES,
     "fabric.overrides[0].rate 1Gbps 100Gbps 2 broad\n"},
    /* A faster one is nobody's harm, and where every cable is another, none is odd. */
    {TREE "  overrides: [{where: leaf1-spine0, rate: 400Gbps}]\n" WRITES, ""},
    {TREE "  overrides: [{where: leaf0-spine0, length: 5m}, {where: leaf0-spine1, length: 6m},"
          " {where: leaf1-spine0, length: 7m}, {where: leaf1-spine1, length: 8m}]\n" WRITES,
     ""},
    /* Nobody says so of one port: the fabric as a whole passes less than hosts send. */
    {TREE "  fabric-links: {mtu: 1500B}\n" WRITES,
     "fabric.fabric-links.mtu 1500B 4200B 16 broad\n"},
    {TREE "  fabric-links: {mtu: 9216B}\n" WRITES, ""},
    {TREE "  host-links: {flow-control: none}\n" WRITES,
     "fabric.host-links.flow-control none pfc 16 broad\n"},
    /* Hosts: one value, a map, another congestion control and one of its values. */
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, slow: {where: host3, rnic: {drain: "
          "5Gbps}}}\n" WRITES,
     "hosts.slow.rnic.drain 5Gbps 0bps 1\n"},
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, two: {where: host3, rnic: "
          "{dscp-to-priority: {26: 0}}}}\n" WRITES,
     "hosts.two.rnic.dscp-to-priority.26 0 unset 1\n"},
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, two: {where: host3, rnic: "
          "{congestion-control: none}}}\n" WRITES,
     "hosts.two.rnic.congestion-control none dcqcn-mlx5 1\n"},
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, two: {where: host3, rnic: "
          "{congestion-control: {kind: dcqcn-mlx5, g: "
          "1/16}}}}\n" WRITES,
     "hosts.two.rnic.congestion-control.g 1/16 48828125e-10 1\n"},
    /* Another preset of one algorithm is one deviation; two names of one preset are none. */
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, two: {where: host3, rnic: "
          "{congestion-control: {kind: dcqcn, g: 1/16}}}}\n" WRITES,
     "hosts.two.rnic.congestion-control dcqcn dcqcn-mlx5 1\n"},
    {TREE "hosts: {defaults: {rnic: {profile: ideal, congestion-control: dcqcn}}, two: {where: "
          "host3, rnic: "
          "{congestion-control: dcqcn-paper}}}\n" WRITES,
     ""},
    /* TCP of one host. */
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, one: {where: host3, tcp: "
          "{receive-buffer-max: 64KiB}}}\n" WRITES,
     "hosts.one.tcp.receive-buffer-max 64KiB 6MiB 1\n"},
    {TREE "  overrides: [{where: leaf1, dscp: {26: 0, 27: 1}}]\n" WRITES,
     "fabric.overrides[0].dscp 0 3 1\n"},
    {TREE "  overrides: [{where: leaf1, dscp: {26: 0}}]\n" WRITES,
     "fabric.overrides[0].dscp.26 0 3 1\n"},
    /* A profile's values are one deviation. */
    {TREE "  overrides: [{where: leaf1, profile: shared-buffer-12mb}]\n" WRITES,
     "fabric.overrides[0].profile shared-buffer-12mb shared-buffer-32mb 1\n"},
    /* One target of three with another medium, or with another value of the same. */
    {TREE "hosts:\n  targets: {where: [host0, host2], namespaces: [{media: storage-class}]}\n"
          "  slow: {where: host4, namespaces: [{media: flash-tlc}]}\n" WRITES,
     "hosts.slow.namespaces[0].media flash-tlc storage-class 1\n"},
    {TREE
     "hosts:\n  targets: {where: [host0, host2], namespaces: [{media: {kind: fixed}}]}\n"
     "  slow: {where: host4, namespaces: [{media: {kind: fixed, read-latency: 3ms}}]}\n" WRITES,
     "hosts.slow.namespaces[0].media.read-latency 3ms 10us 1\n"},
    /* Of two, the slower one. */
    {TREE
     "hosts:\n  targets: {where: host0, namespaces: [{media: {kind: fixed}}]}\n"
     "  slow: {where: host4, namespaces: [{media: {kind: fixed, read-latency: 3ms}}]}\n" WRITES,
     "hosts.slow.namespaces[0].media.read-latency 3ms 10us 1\n"},
    /* Of two, the one that has no default; of a value that is no time. */
    {TREE "hosts:\n  targets: {where: host0, namespaces: [{media: {kind: ssd}}]}\n"
          "  home: {where: host4, namespaces: [{media: {kind: ssd, power-loss-protection: "
          "false}}]}\n" WRITES,
     "hosts.home.namespaces[0].media.power-loss-protection false true 1\n"},
    /* No medium has a majority: drives are compared with those of their own kind. */
    {TREE
     "hosts:\n  targets: {where: [host0, host1], namespaces: [{media: {kind: ssd}}]}\n"
     "  home: {where: host2, namespaces: [{media: {kind: ssd, power-loss-protection: false}}]}\n"
     "  fast: {where: [host3, host4, host5], namespaces: [{media: storage-class}]}\n" WRITES,
     "hosts.home.namespaces[0].media.power-loss-protection false true 1\n"},
    /* What a workload is served with is no load. */
    {TREE "workloads: [{name: w, kind: rdma-send, from: host1, to: host0, receives: 2}]\n",
     "workloads.w.receives 2 0 1\n"},
    /* A limit of one namespace of two, and drives of one of three. */
    {TREE "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: "
          "[{media: fixed}, "
          "{media: fixed, iops-limit: 5000}]}}\n" WRITES,
     "hosts.targets.namespaces[1].iops-limit 5000 0 1\n"},
    {TREE "hosts:\n  targets: {where: [host0, host2], namespaces: [{media: fixed, drives: 4}]}\n"
          "  slow: {where: host4, namespaces: [{media: fixed, size: 1GiB}]}\n" WRITES,
     "hosts.slow.namespaces[0].drives 1 4 1\n"},
    /* A workload in another class, and a way that somebody wrote. */
    {TREE "workloads:\n  - {name: w, kind: rdma-write, from: host1, to: host0}\n"
          "  - {name: x, kind: rdma-write, from: host1, to: host2, dscp: 0}\n",
     "workloads.x.dscp 0 auto 1\n"},
    {TREE "  routes: [{at: [leaf0, leaf1], to: host7, via: spine1}]\n" WRITES,
     "fabric.routes[0] written computed 2 broad\n"},
};

static struct scenario *load(const char *text, const char *set)
{
    char whole[2000];
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const int length = snprintf(whole, sizeof whole, "stormglass: 1\nname: d\n%s", text);
    const struct scenario_input input = {.name = "d.yaml",
                                         .text = whole,
                                         .length = (size_t)length,
                                         .sets = &set,
                                         .set_count = set != NULL};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stdout);
    free(diag);
    assert_non_null(scenario);
    return scenario;
}

/* A line each. */
static void write_found(const struct deviations *deviations, char *found, size_t size)
{
    size_t used = 0;
    found[0] = '\0';
    for (size_t k = 0; k < deviations->count; k++) {
        const struct deviation *one = &deviations->list[k];
        used +=
            (size_t)snprintf(found + used, size - used, "%s %s %s %u%s\n", one->path, one->value,
                             one->common, deviation_spots(one), one->broad ? " broad" : "");
    }
}

static void each_is_found_with_its_path_and_the_common_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario *scenario = load(rows[i].text, NULL);
        struct deviations deviations;
        char found[1000];
        deviations_find(&deviations, scenario);
        write_found(&deviations, found, sizeof found);
        assert_string_equal(found, rows[i].found);
        deviations_free(&deviations);
        scenario_free(scenario);
    }
}

/* The listing's path and value, given to --set, leave no deviation. */
static void the_path_and_the_common_value_are_a_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario *scenario = load(rows[i].text, NULL);
        struct deviations deviations, left;
        char set[400];
        deviations_find(&deviations, scenario);
        const struct deviation *one = &deviations.list[0];
        if (deviations.count == 1 && one->changes[0].of != DEVIATION_ROUTE &&
            one->changes[0].of != DEVIATION_DSCP && one->changes[0].of != DEVIATION_HOST_DSCP) {
            const bool listed = strchr(one->common, ',') != NULL;
            snprintf(set, sizeof set, "%s=%s%s%s", one->path, listed ? "[" : "", one->common,
                     listed ? "]" : "");
            struct scenario *repaired = load(rows[i].text, set);
            deviations_find(&left, repaired);
            assert_int_equal(left.count, 0);
            deviations_free(&left);
            scenario_free(repaired);
        }
        deviations_free(&deviations);
        scenario_free(scenario);
    }
}

/* All that somebody wrote and that is not the program's own value, odd or not. */
static void what_is_written_is_found(void **state)
{
    (void)state;
    static const struct row written[] = {
        {TREE WRITES, ""},
        {TREE "  fabric-links: {mtu: 9216B}\n" WRITES, ""},
        {TREE "  fabric-links: {mtu: 1500B}\n" WRITES,
         "fabric.fabric-links.mtu 1500B 4200B 16 broad\n"},
        {TREE "  switch: {alpha: 10%, pfc: {headroom: 1KB}}\n" WRITES,
         "fabric.switch.headroom 1000B auto 6 broad\n"},
        {TREE "  overrides: [{where: leaf1, alpha: 12.5%}, {where: leaf2, alpha: 1%}]\n" WRITES,
         ""},
        {TREE "hosts: {defaults: {rnic: {profile: ideal, drain: 5Gbps}}}\n" WRITES,
         "hosts.defaults.rnic.drain 5Gbps 0bps 8 broad\n"}, /* a limit of the hardware */
        {TREE
         "hosts: {defaults: {rnic: {profile: ideal, pcie-generation: 3, pcie-lanes: 4}}, targets: "
         "{where: host0, namespaces: [{media: fixed, iops-limit: 1000}]}}\n" WRITES,
         "hosts.defaults.rnic.pcie-generation 3 off 8 broad\n"
         "hosts.defaults.rnic.pcie-lanes 4 16 8 broad\n"}, /* a quota is intended */
        {TREE "hosts: {defaults: {rnic: {profile: ideal, congestion-control: {kind: dcqcn, g: "
              "1/16}}}}\n" WRITES,
         ""},
        {TREE "hosts: {defaults: {rnic: {profile: ideal}, nvme: {queue-size: 16}, target: "
              "{max-queues: 3}}, targets: "
              "{where: host0, namespaces: [{media: fixed}]}}\n" WRITES,
         "hosts.defaults.nvme.queue-size 16 128 8 broad\nhosts.defaults.target.max-queues 3 128 8 "
         "broad\n"},
    };
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        struct scenario *scenario = load(written[i].text, NULL);
        struct deviations deviations;
        char found[1000];
        deviations_find_written(&deviations, scenario);
        write_found(&deviations, found, sizeof found);
        assert_string_equal(found, written[i].found);
        deviations_free(&deviations);
        scenario_free(scenario);
    }
}

static void its_places_and_its_line_are_told(void **state)
{
    (void)state;
    struct scenario *scenario =
        load(TREE "  overrides: [{where: leaf1, mtu: 1500B, headroom: 1KB}]\n" WRITES, NULL);
    const uint32_t leaf1 = scenario_find_node(scenario, "leaf1");
    struct deviations deviations;
    deviations_find(&deviations, scenario);
    assert_int_equal(deviations.count, 2);
    const struct deviation *mtu = &deviations.list[0], *headroom = &deviations.list[1];
    assert_true(deviation_is_at(mtu, leaf1, 0));
    assert_true(deviation_is_at(mtu, leaf1, SCENARIO_ALL_PORTS));
    assert_false(deviation_is_at(mtu, leaf1 + 1, SCENARIO_ALL_PORTS));
    assert_true(deviation_is_at(headroom, leaf1, 2));
    assert_int_equal(mtu->where.line, 5);
    assert_int_equal(headroom->where.line, 5);
    assert_true(mtu->where.column < headroom->where.column);
    assert_string_equal(mtu->entry, "fabric.overrides[0]");
    assert_true(deviation_together(mtu, headroom));
    deviations_free(&deviations);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_found_with_its_path_and_the_common_value),
        cmocka_unit_test(the_path_and_the_common_value_are_a_set),
        cmocka_unit_test(what_is_written_is_found),
        cmocka_unit_test(its_places_and_its_line_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
