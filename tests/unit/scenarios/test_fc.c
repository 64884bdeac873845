/* SPDX-License-Identifier: Apache-2.0
 * fabric.kind: fibre-channel: what it makes of the values, and what it refuses. */
#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "rnic/host/rnic.h"
#include "rnic/pipeline/pipeline_params.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load(const char *kind, const char *fabric, const char *workload)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\nfabric:\n  kind: %s\n  topology: {kind: leaf-spine, "
             "leaves: 2, spines: 1, hosts-per-leaf: 2}\n%s\n"
             "hosts: {targets: {where: host2, namespaces: [{media: null}]}}\nworkloads:\n"
             "  - {name: w, from: host0, to: host2, %s}\n",
             kind, fabric, workload);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static void links_have_a_credit_for_each_frame(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("fibre-channel", "  host-links: {bb-credit: 7}\n  fabric-links: {rate: 64GFC}",
             "kind: nvme, transport: fc");
    assert_non_null(scenario);
    assert_int_equal(scenario->kinds, 1 << SCENARIO_FIBRE_CHANNEL);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            const struct port_params *port = node->ports[p].params;
            const bool outer = node->kind == SCENARIO_HOST || node->ports[p].peer_node < 4;
            assert_int_equal(port->kind, PORT_FIBRE_CHANNEL);
            assert_int_equal(port->flow_control, PORT_FLOW_CREDITS);
            assert_int_equal(port->mtu, 2048);
            assert_int_equal(port->rate, INT64_C(100000000) * (outer ? 272 : 544));
            assert_int_equal(port->bb_credit, outer ? 7 : 20);
        }
        if (node->kind == SCENARIO_HOST) {
            assert_int_equal(node->host->rnic->link, PORT_FIBRE_CHANNEL);
            assert_false(pipeline_is_on(&node->host->rnic->pipeline));
            continue;
        }
        assert_int_equal(node->switch_params->reserved, 20 * 2112); /* 2084 B in cells of 64 B */
        assert_int_equal(node->switch_params->pfc_priorities, 1);
        assert_int_equal(node->priority_of_dscp[63], 0);
    }
    scenario_free(scenario);
}

/* Each error has its line. */
static void contradictions_are_refused(void **state)
{
    static const char fc[] = "kind: nvme, transport: fc";
    static const struct {
        const char *kind, *fabric, *workload;
        int line;
        const char *text;
    } rows[] = {
        {"fibre-channel", "  host-links: {bb-credit: 0}", fc, 6,
         "bb-credit: 0 is less than the minimum, 1"},
        {"fibre-channel", "  host-links: {mtu: 4096B}", fc, 6,
         "mtu: expected the largest data field of a frame, 1024B to 2112B in words of 4 B, but "
         "found 4096 B"},
        {"fibre-channel", "  host-links: {rate: EDR}", fc, 6,
         "rate: Fibre Channel has no rate of EDR; expected 8GFC, 16GFC, 32GFC, 64GFC or "
         "128GFC"},
        {"ethernet", "  host-links: {rate: EDR}", "kind: rdma-write", 6,
         "rate: EDR is a rate of InfiniBand, and this fabric has kind: ethernet; expected a rate "
         "such as 25Gbps"},
        {"ethernet", "  host-links: {rate: 32GFC}", "kind: rdma-write", 6,
         "rate: 32GFC is a rate of Fibre Channel, and this fabric has kind: ethernet; expected a "
         "rate such as 25Gbps"},
        {"infiniband", "  host-links: {rate: 64GFC}", "kind: rdma-write", 6,
         "rate: 64GFC is a rate of Fibre Channel, and this fabric has kind: infiniband; expected a "
         "rate such as EDR or 100Gbps"},
        {"fibre-channel", "  overrides: [{where: 'leaf0:p0', bb-sc-n: 4}]", fc, 6,
         "bb-sc-n: found 0 and 4 at the ends of link host0-leaf0, expected the same value, on "
         "which they agree at login; override the link, not a port"},
        {"fibre-channel", "  overrides: [{where: host0, mtu: 1024B}]", fc, 6,
         "mtu: found 1024 and 2048 B at the ends of link host0-leaf0, expected the same value, on "
         "which they agree at login; override the link, not a port"},
        {"fibre-channel", "  host-links: {flow-control: pfc}", fc, 6,
         "flow-control: a link of Fibre Channel has credits; expected credits, or nothing"},
        {"fibre-channel", "  host-links: {pfc-enabled: [3]}", fc, 6,
         "pfc-enabled: a link of Fibre Channel has credits, not PFC; expected auto, or nothing"},
        {"fibre-channel", "  host-links: {vl-buffer: 32KiB}", fc, 6,
         "vl-buffer: Fibre Channel counts frames, not bytes; expected bb-credit"},
        {"fibre-channel", "  switch: {dscp: {26: 3}}", fc, 6,
         "frames of Fibre Channel have no DSCP; remove dscp"},
        {"fibre-channel", "", "kind: nvme", 9,
         "'w': transport rdma needs Ethernet or InfiniBand, and fabric.kind is fibre-channel; "
         "expected transport fc"},
        {"fibre-channel", "", "kind: rdma-write", 9,
         "'w': kind rdma-write needs Ethernet or InfiniBand, and fabric.kind is fibre-channel; "
         "expected kind nvme with transport fc"},
        {"fibre-channel", "", "kind: nvme, transport: tcp", 9,
         "'w': transport tcp needs Ethernet, and fabric.kind is fibre-channel; expected transport "
         "fc"},
        {"ethernet", "", fc, 9,
         "'w': transport fc needs Fibre Channel, and fabric.kind is ethernet; expected transport "
         "rdma"},
        {"infiniband", "", fc, 9,
         "'w': transport fc needs Fibre Channel, and fabric.kind is infiniband; expected transport "
         "rdma"},
        {"fibrechannel", "", fc, 4, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].kind, rows[i].fabric, rows[i].workload));
        assert_true(diag.errors > 0);
        if (rows[i].text != NULL)
            assert_string_equal(diag.messages[0].text, rows[i].text);
        assert_int_equal(diag.messages[0].place.line, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_a_credit_for_each_frame),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
