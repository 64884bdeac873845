/* SPDX-License-Identifier: Apache-2.0
 * The priorities in which ports send PFC and obey it, from what the scenario says of both ends. */
#include "scenarios/fabric/pauses.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct scenario *load(const char *switches, const char *links, const char *hosts)
{
    char text[1024];
    struct diag diag = {0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nfabric:\n  topology: {kind: single-switch, hosts: 2}\n"
             "  switch: {%s}\n  host-links: {%s\nhosts: {defaults: {rnic: {%s}}}\n"
             "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n",
             switches, links, hosts);
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    return scenario;
}

static void follow_the_lossless_priorities(void **state)
{
    (void)state;
    static const struct {
        const char *switches, *links, *hosts;
        unsigned at_switch, at_host;
    } rows[] = {
        {"", "", "", 0x08, 0x08},
        {"pfc: {priorities: [3, 4]}", "", "", 0x18, 0x18},
        {"pfc: {priorities: none}", "", "", 0x00, 0x08},
        /* A NIC sends data of priority 5 and takes what its switch offers besides. */
        {"pfc: {priorities: [3, 4]}", "", "dscp: 46, priority: 5", 0x18, 0x38},
        /* What the scenario says of the NIC is all that it has. */
        {"pfc: {priorities: [3, 4]}", "", "pfc-priorities: [3]", 0x18, 0x08},
        {"pfc: {priorities: [3]}", "", "pfc-priorities: [0, 7]", 0x08, 0x81},
        {"", "", "pfc: false", 0x08, 0x00},
        {"", "", "pfc: false, pfc-priorities: [3]", 0x08, 0x00},
        {"", "pfc-enabled: [1, 3]", "pfc: false", 0x0A, 0x0A},
        {"", "pfc-enabled: [0, 1, 2, 3, 4, 5, 6, 7]", "", 0xFF, 0xFF},
        {"", "pfc-enabled: none", "", 0x00, 0x00},
        {"", "flow-control: none", "", 0x00, 0x00},
        {"", "flow-control: none, pfc-enabled: [3]", "", 0x00, 0x00},
        {"", "flow-control: global", "pfc: false", 0xFF, 0xFF},
        {"", "flow-control: global, pfc-enabled: none", "", 0x00, 0x00},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char links[128];
        snprintf(links, sizeof links, "%s}", rows[i].links);
        struct scenario *scenario = load(rows[i].switches, links, rows[i].hosts);
        const struct scenario_node *host = &scenario->nodes[0], *edge = &scenario->nodes[2];
        const unsigned at_host = pauses_enabled(scenario, host, 0);
        const unsigned at_switch = pauses_enabled(scenario, edge, host->ports[0].peer_port);
        if (at_host != rows[i].at_host || at_switch != rows[i].at_switch)
            fail_msg("row %zu: switch 0x%02x, host 0x%02x", i, at_switch, at_host);
        assert_int_equal(pauses_params(scenario, host, 0).pfc_enabled, at_host);
        scenario_free(scenario);
    }
}

/* Each end of a cable between two hosts offers the other what it has. */
static void hosts_take_each_others(void **state)
{
    (void)state;
    static const char text[] =
        "stormglass: 1\nname: t\nfabric: {topology: {kind: explicit, hosts: [a, b], switches: [], "
        "links: [{ends: [a, b]}]}}\nhosts: {odd: {where: b, rnic: {dscp: 46, priority: 5}}}\n"
        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n";
    struct diag diag = {0};
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    assert_int_equal(pauses_enabled(scenario, &scenario->nodes[0], 0), 0x28);
    assert_int_equal(pauses_enabled(scenario, &scenario->nodes[1], 0), 0x28);
    scenario_free(scenario);
}

/* A port of a switch offers what it has itself, more or less than its switch. */
static void a_nic_takes_what_its_port_offers(void **state)
{
    (void)state;
    static const struct {
        const char *override;
        unsigned at_host;
    } rows[] = {
        {"pfc-enabled: [1, 3]", 0x0A},
        {"pfc-enabled: none", 0x08},
        {"flow-control: global", 0x08},
        {"flow-control: none", 0x08},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "pfc-enabled: auto}\n  overrides: [{where: \"switch0:p0\", %s}]",
                 rows[i].override);
        struct scenario *scenario = load("pfc: {priorities: [3, 4]}", text, "");
        const unsigned at_host = pauses_enabled(scenario, &scenario->nodes[0], 0);
        if (at_host != rows[i].at_host)
            fail_msg("%s: host 0x%02x", rows[i].override, at_host);
        assert_int_equal(pauses_enabled(scenario, &scenario->nodes[1], 0), 0x18);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follow_the_lossless_priorities),
        cmocka_unit_test(hosts_take_each_others),
        cmocka_unit_test(a_nic_takes_what_its_port_offers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
