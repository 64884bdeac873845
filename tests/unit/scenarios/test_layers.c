/* SPDX-License-Identifier: Apache-2.0
 * Several link layers in one fabric: which places have which, with what values, and what is
 * refused. */
#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static const char of_all[] = "  infiniband: {where: ib, host-links: {rate: HDR}}\n"
                             "  fibre-channel: {where: fc, switch: {latency: 2us}}";
static const char by_fc[] = "kind: nvme, transport: fc, from: e, to: f";

/* Line 5 has the topology, 6 and following `fabric`. */
static struct scenario *load(const char *more_links, const char *fabric, const char *workload)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\nfabric:\n"
             "  host-links: {rate: 25Gbps, mtu: 4200B}\n"
             "  topology: {kind: explicit, hosts: [a, b, c, d, e, f], switches: [eth, ib, fc], "
             "links: [{ends: [a, eth]}, {ends: [b, eth]}, {ends: [c, ib]}, {ends: [d, ib]}, "
             "{ends: [e, fc]}, {ends: [f, fc]}%s]}\n%s\n"
             "hosts: {targets: {where: [b, d, f], namespaces: [{media: null}]}}\nworkloads:\n"
             "  - {name: w, %s}\n",
             more_links, fabric, workload);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static const struct scenario_node *node_of(const struct scenario *scenario, const char *name)
{
    return &scenario->nodes[scenario_find_node(scenario, name)];
}

static void check_place(const struct scenario *scenario, const char *host, const char *swtch,
                        enum scenario_kind kind, int64_t rate, int64_t mtu)
{
    const struct scenario_node *end = node_of(scenario, host), *middle = node_of(scenario, swtch);
    assert_int_equal(end->link, kind);
    assert_int_equal(middle->link, kind);
    assert_int_equal(end->ports[0].params->rate, rate);
    assert_int_equal(end->ports[0].params->mtu, mtu);
    assert_int_equal(end->ports[0].params->kind, (int)kind);
    assert_int_equal(end->host->rnic->link, (int)kind);
    assert_int_equal(end->ports[0].params->flow_control,
                     kind == SCENARIO_ETHERNET ? PORT_FLOW_PFC : PORT_FLOW_CREDITS);
}

static void a_host_has_the_link_layer_of_its_switch(void **state)
{
    (void)state;
    struct scenario *scenario = load("", of_all, by_fc);
    assert_non_null(scenario);
    assert_int_equal(scenario->kinds, (1 << SCENARIO_KIND_COUNT) - 1);
    check_place(scenario, "a", "eth", SCENARIO_ETHERNET, INT64_C(25000000000), 4200);
    check_place(scenario, "d", "ib", SCENARIO_INFINIBAND, INT64_C(200000000000), 4096);
    check_place(scenario, "e", "fc", SCENARIO_FIBRE_CHANNEL, INT64_C(27200000000), 2048);
    assert_int_equal(node_of(scenario, "fc")->switch_params->latency, 2 * PS_PER_US);
    assert_int_not_equal(node_of(scenario, "ib")->switch_params->latency, 2 * PS_PER_US);
    assert_int_equal(node_of(scenario, "eth")->switch_params->cell, 256);
    assert_string_equal(node_of(scenario, "a")->host->cc_preset->name, "dcqcn-mlx5");
    assert_string_equal(node_of(scenario, "c")->host->cc_preset->name, "none");
    scenario_free(scenario);
}

/* The section of Ethernet in a fabric of another kind. */
static void the_kind_of_the_fabric_may_be_another(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("",
             "  kind: infiniband\n  ethernet: {where: eth, host-links: {rate: 10Gbps}}\n"
             "  fibre-channel: {where: fc}\n"
             "  overrides: [{where: \"c-ib\", mtu: 2048B}, {where: \"d-ib\", mtu: 1024B}]",
             "kind: rdma-write, from: a, to: b");
    assert_null(scenario); /* host-links has an MTU of Ethernet, which reaches no host */
    assert_string_equal(diag.messages[0].text,
                        "mtu: expected an MTU of InfiniBand (256B, 512B, 1024B, 2048B or 4096B), "
                        "but found 4200 B");
    assert_int_equal(diag.messages[0].place.line, 4);
}

static void contradictions_are_refused(void **state)
{
    static const struct {
        const char *links, *fabric, *workload;
        int line;
        const char *text;
    } rows[] = {
        {", {ends: [ib, fc]}", of_all, by_fc, 5,
         "a link joins ib (infiniband) and fc (fibre-channel); expected one link layer at both "
         "ends, and at all ports of a host"},
        {", {ends: [a, ib]}", of_all, by_fc, 5,
         "a link joins a (ethernet) and ib (infiniband); expected one link layer at both ends, and "
         "at all ports of a host"},
        {"", "  infiniband: {host-links: {rate: EDR}}", by_fc, 6,
         "expected the switches of infiniband, such as where: switch1; fabric.kind is ethernet"},
        {"", "  infiniband: {where: [ib, fc]}\n  fibre-channel: {where: fc}", by_fc, 7,
         "where: fc is in fabric.infiniband, too; expected it in one of both"},
        {"", "  ethernet: {where: eth}", by_fc, 6,
         "ethernet is fabric.kind, whose values are in fabric itself; expected a section of "
         "another "
         "link layer"},
        {"", of_all, "kind: rdma-write, from: a, to: d", 10,
         "'w': a is on ethernet, and d on infiniband; expected hosts with one link layer"},
        {"", of_all, "kind: rdma-write, from: e, to: f", 10,
         "'w': kind rdma-write needs Ethernet or InfiniBand, and the link of its hosts is "
         "fibre-channel; expected kind nvme with transport fc"},
        {"", of_all, "kind: nvme, transport: tcp, from: c, to: d", 10,
         "'w': transport tcp needs Ethernet, and the link of its hosts is infiniband; expected "
         "transport rdma"},
        {"", "  fibre-channel: {where: fc, host-links: {rate: 100Gbps}}", by_fc, 6,
         "rate: Fibre Channel has no rate of 100Gbps; expected 8GFC, 16GFC, 32GFC, 64GFC or "
         "128GFC"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].links, rows[i].fabric, rows[i].workload));
        assert_string_equal(diag.messages[0].text, rows[i].text);
        assert_int_equal(diag.messages[0].place.line, rows[i].line);
    }
}

/* Defaults for all hosts may name a control that only some of them can use. */
static void a_control_must_suit_the_link_of_each_host(void **state)
{
    (void)state;
    assert_null(load("",
                     "  infiniband: {where: ib}\n"
                     "  overrides: [{where: c, rnic: {congestion-control: dcqcn}}]",
                     "kind: rdma-write, from: a, to: b"));
    assert_int_equal(diag.messages[0].place.line, 7);
    assert_non_null(strstr(diag.messages[0].text, "but the link of c is infiniband; expected"));
    assert_int_equal(diag.errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_the_link_layer_of_its_switch),
        cmocka_unit_test(the_kind_of_the_fabric_may_be_another),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(a_control_must_suit_the_link_of_each_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
