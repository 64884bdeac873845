/* SPDX-License-Identifier: Apache-2.0
 * fabric.kind: infiniband: what it makes of the values, what it refuses, and its routes. */
#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load(const char *fabric, const char *rest)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\nfabric:\n  kind: infiniband\n  topology: {kind: "
             "leaf-spine, leaves: 2, spines: 3, hosts-per-leaf: 4}\n%s\n%s\nworkloads: [{name: w, "
             "kind: rdma-write, from: host0, to: host5}]\n",
             fabric, rest);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static void links_have_credits_and_switches_lanes(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("  host-links: {rate: EDR, vl-buffer: 32KiB}\n  fabric-links: {rate: NDR}",
             "hosts: {defaults: {rnic: {profile: ideal}}}");
    assert_non_null(scenario);
    assert_int_equal(scenario->kinds, 1 << SCENARIO_INFINIBAND);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct port_params *port = node->ports[p].params;
            assert_int_equal(port->kind, PORT_INFINIBAND);
            assert_int_equal(port->flow_control, PORT_FLOW_CREDITS);
            assert_int_equal(port->mtu, 4096);
            const bool outer = node->kind == SCENARIO_HOST || node->ports[p].peer_node < 8;
            assert_int_equal(port->rate, INT64_C(1000000000) * (outer ? 100 : 400));
            assert_int_equal(port->lane_buffer, outer ? 32768 : 65536);
        }
        if (node->kind == SCENARIO_HOST) {
            assert_int_equal(node->host->rnic->link, PORT_INFINIBAND);
            assert_int_equal(node->host->rnic->priority, 0);
            continue;
        }
        assert_int_equal(node->switch_params->reserved, 65536);
        assert_int_equal(node->switch_params->pfc_priorities, 255);
        assert_int_equal(node->switch_params->forwarding, SWITCH_CUT_THROUGH);
        assert_int_equal(node->switch_params->ecn_kmax, 0);
        assert_int_equal(node->priority_of_dscp[9], 1);
    }
    scenario_free(scenario);
}

/* Each error has its line. */
static void contradictions_are_refused(void **state)
{
    static const struct {
        const char *fabric, *rest;
        int line;
        const char *text;
    } rows[] = {
        {"  host-links: {vl-buffer: 0B}", "", 6, "vl-buffer: 0B is less than the minimum, 64B"},
        {"  host-links: {vl-buffer: 4096B}", "", 6,
         "vl-buffer: 4096 B are less than the largest packet, 4222 B with its headers at mtu 4096 "
         "B: the link would never send it"},
        {"  host-links: {mtu: 4200B}", "", 6,
         "mtu: expected an MTU of InfiniBand (256B, 512B, 1024B, 2048B or 4096B), but found 4200 "
         "B"},
        {"  host-links: {flow-control: pfc}", "", 6,
         "flow-control: a link of InfiniBand has credits; expected credits, or nothing"},
        {"  host-links: {pfc-enabled: [3]}", "", 6,
         "pfc-enabled: a link of InfiniBand has credits, not PFC; expected auto, or nothing"},
        {"  switch: {dscp: {26: 3}}", "", 6,
         "InfiniBand has service levels, not DSCPs: expected fabric.sl-to-vl"},
        {"  routing: {algorithm: updn}", "", 6, NULL},
        {"  sl-to-vl: {16: 0}", "", 6, "service level: 16 is more than the maximum, 15"},
        {"  sl-to-vl: {1: 8}", "", 6, "virtual lane: 8 is more than the maximum, 7"},
        {"", "hosts: {defaults: {rnic: {profile: softroce}}}", 1, NULL},
        {"", "hosts: {defaults: {rnic: {congestion-control: hpcc}}}", 7,
         "congestion-control: hpcc needs telemetry of Ethernet switches, but fabric.kind is "
         "infiniband; expected one of none, ibcc, swift"},
        {"", "hosts: {defaults: {rnic: {congestion-control: {kind: dcqcn-paper}}}}", 7,
         "congestion-control: dcqcn-paper needs ECN marks of Ethernet switches, but fabric.kind is "
         "infiniband; expected one of none, ibcc, swift"},
        {"", "hosts: {defaults: {rnic: {congestion-control: {kind: ibcc, ccti-limit: 1024}}}}", 7,
         "ccti-limit: 1024 is more than the maximum, 1023"},
        {"  switch: {fecn-threshold: 16}", "", 6,
         "fecn-threshold: 16 is more than the maximum, 15"},
        {"  switch: {fecn-packet-size: 100B}", "", 6, NULL},
        {"  switch: {fecn-victims: some}", "", 6, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].fabric, rows[i].rest));
        assert_true(diag.errors > 0);
        assert_int_equal(diag.messages[0].place.line, rows[i].line);
        if (rows[i].text != NULL)
            assert_string_equal(diag.messages[0].text, rows[i].text);
    }
}

static struct scenario *load_ethernet(const char *setting)
{
    char text[512];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nfabric:\n  topology: {kind: single-switch, hosts: 2}\n  "
             "%s\nworkloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n",
             setting);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static void ethernet_takes_the_default_algorithm(void **state)
{
    (void)state;
    struct scenario *scenario = load_ethernet("routing: {algorithm: min-hop}");
    assert_non_null(scenario);
    scenario_free(scenario);
}

/* The default may be written: a link with credits then has no pauses. */
static void automatic_pauses_are_accepted(void **state)
{
    (void)state;
    struct scenario *scenario = load("  host-links: {pfc-enabled: auto}", "");
    assert_non_null(scenario);
    assert_int_equal(scenario->nodes[0].ports[0].params->flow_control, PORT_FLOW_CREDITS);
    scenario_free(scenario);
}

static void hosts_have_no_congestion_control_by_default(void **state)
{
    (void)state;
    struct scenario *scenario = load("", "");
    assert_non_null(scenario);
    assert_string_equal(scenario->nodes[0].host->cc_preset->name, "none");
    scenario_free(scenario);
    scenario = load_ethernet("");
    assert_non_null(scenario);
    assert_string_equal(scenario->nodes[0].host->cc_preset->name, "dcqcn-mlx5");
    scenario_free(scenario);
}

static void ethernet_refuses_congestion_control_of_infiniband(void **state)
{
    (void)state;
    assert_null(load_ethernet("host-links: {rate: 10Gbps}\nhosts: {defaults: {rnic: "
                              "{congestion-control: ibcc}}}"));
    assert_int_equal(diag.messages[0].place.line, 6);
    assert_non_null(strstr(diag.messages[0].text,
                           "congestion-control: ibcc needs FECN and BECN of InfiniBand, but "
                           "fabric.kind is ethernet; expected one of none, dcqcn, "));
}

/* Ethernet has neither service levels nor credits. */
static void ethernet_refuses_what_is_of_infiniband(void **state)
{
    static const char *const bad[] = {"sl-to-vl: {1: 1}", "routing: {algorithm: up-down}",
                                      "host-links: {flow-control: credits}", "kind: infinband"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(load_ethernet(bad[i]));
        assert_int_equal(diag.messages[0].place.line, 5);
    }
}

/* One port for each destination; four destinations over three spines: two of one, one of each
 * other. */
static void destinations_are_spread_over_equal_paths(void **state)
{
    (void)state;
    struct scenario *scenario = load("", "");
    assert_non_null(scenario);
    struct route_table *tables = routing_compute(scenario, NULL);
    unsigned of_port[16] = {0};
    for (uint32_t host = 4; host < 8; host++) { /* as leaf0, node 8, sees them */
        const uint16_t *ports;
        assert_int_equal(route_all(&tables[8], host, &ports), 1);
        of_port[ports[0]]++;
    }
    assert_int_equal(of_port[4], 2);
    assert_int_equal(of_port[5], 1);
    assert_int_equal(of_port[6], 1);
    routing_free(scenario, tables);
    scenario_free(scenario);
}

/* Each leaf sends what is for host 4 + i to spine i mod 3, whatever its own hosts are. */
static void fat_tree_spreads_by_destination(void **state)
{
    (void)state;
    struct scenario *scenario = load("  routing: {algorithm: fat-tree}", "");
    assert_non_null(scenario);
    struct route_table *tables = routing_compute(scenario, NULL);
    for (uint32_t host = 0; host < 8; host++) {
        const uint32_t leaf = host < 4 ? 9 : 8; /* the other leaf */
        const uint16_t *ports;
        assert_int_equal(route_all(&tables[leaf], host, &ports), 1);
        assert_int_equal(ports[0], 4 + host % 3);
    }
    routing_free(scenario, tables);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_credits_and_switches_lanes),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(ethernet_takes_the_default_algorithm),
        cmocka_unit_test(automatic_pauses_are_accepted),
        cmocka_unit_test(hosts_have_no_congestion_control_by_default),
        cmocka_unit_test(ethernet_refuses_congestion_control_of_infiniband),
        cmocka_unit_test(ethernet_refuses_what_is_of_infiniband),
        cmocka_unit_test(destinations_are_spread_over_equal_paths),
        cmocka_unit_test(fat_tree_spreads_by_destination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
