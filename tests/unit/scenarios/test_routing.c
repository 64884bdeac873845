/* SPDX-License-Identifier: Apache-2.0
 * Routes of a scenario: written ones, those after failures, and when they change. */
#include "scenarios/fabric/routing.h"

#include "scenarios/fabric/timeline.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOP "stormglass: 1\nname: t\nduration: 900us\ndrain: 100us\n"
#define CLOS(more)                                                                                 \
    TOP "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n" more  \
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host5}]\n"

static struct diag diag;

static struct scenario *load(const char *text)
{
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    return scenario_load(&input, &diag);
}

static struct scenario *load_fine(const char *text)
{
    struct scenario *scenario = load(text);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

/* The neighbors by which a switch reaches a host: "spine0,spine1". */
static void expect_ways(const struct scenario *scenario, const struct route_table *tables,
                        const char *at, const char *to, const char *expected)
{
    const uint32_t node = scenario_find_node(scenario, at);
    char text[256] = "";
    const uint16_t *ports;
    const uint32_t endpoint = scenario->nodes[scenario_find_node(scenario, to)].endpoint;
    const uint32_t count = route_all(&tables[node], endpoint, &ports);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t peer = scenario->nodes[node].ports[ports[i]].peer_node;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "," : "",
                 scenario->nodes[peer].name);
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%s to %s goes by '%s', not '%s'", at, to, text, expected);
}

static void mark(const struct scenario *scenario, uint8_t *links, const char *name)
{
    for (uint32_t i = 0; i < scenario->link_count; i++)
        links[i] |= strcmp(scenario->links[i].name, name) == 0;
}

/* ------------------------------------------------------------------ written routes */

static void written_routes_go_before_the_shortest(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(CLOS("  routes:\n"
                       "    - {at: \"leaf*\", to: \"host*\", via: \"spine*\"}\n"
                       "    - {at: leaf0, to: [host4, host5], via: spine1}\n"
                       "    - {at: spine1, to: host5, via: \"spine1:p0\"}\n"
                       "    - {at: leaf1, to: host5, via: leaf1-spine0}\n"));
    struct route_table *tables = routing_compute(scenario, NULL);
    expect_ways(scenario, tables, "leaf0", "host5", "spine1");
    expect_ways(scenario, tables, "leaf0", "host2", "spine0,spine1");
    expect_ways(scenario, tables, "leaf0", "host0", "spine0,spine1"); /* written, if senseless */
    expect_ways(scenario, tables, "leaf1", "host3", "spine0,spine1"); /* at every leaf */
    expect_ways(scenario, tables, "leaf2", "host4", "spine0,spine1");
    expect_ways(scenario, tables, "leaf1", "host5", "spine0");
    expect_ways(scenario, tables, "spine1", "host5", "leaf0"); /* a loop */
    expect_ways(scenario, tables, "spine1", "host4", "leaf2");
    expect_ways(scenario, tables, "spine0", "host5", "leaf2");
    routing_free(scenario, tables);
    scenario_free(scenario);
}

/* A written route to a host is one to each of its ports, and to no other's. */
static void a_written_route_is_for_every_port_of_a_host(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine("stormglass: 1\nname: test\nfabric:\n"
                  "  topology: {kind: explicit, hosts: [a, b, c], switches: [s, t, u], links: "
                  "[{ends: [a, s]}, "
                  "{ends: [a, t]}, {ends: [b, s]}, {ends: [b, t]}, {ends: [c, s]}, {ends: [c, t]}, "
                  "{ends: [s, "
                  "u]}, {ends: [t, u]}, {ends: [s, t]}]}\n"
                  "  routes: [{at: s, to: b, via: u}]\n"
                  "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n");
    const uint32_t s = scenario_find_node(scenario, "s"), u = scenario_find_node(scenario, "u");
    struct route_table *tables = routing_compute(scenario, NULL);
    for (uint32_t endpoint = 0; endpoint < 6; endpoint++) {
        const uint16_t *ports;
        const uint32_t count = route_all(&tables[s], endpoint, &ports);
        bool by_u = false;
        for (uint32_t i = 0; i < count; i++)
            by_u |= scenario->nodes[s].ports[ports[i]].peer_node == u;
        assert_int_equal(count, 1);
        assert_int_equal(by_u, endpoint == 2 || endpoint == 3);
    }
    routing_free(scenario, tables);
    scenario_free(scenario);
}

/* Where the way ends at the host: to each NIC by its own cable, though the route names both. */
static void a_written_route_ends_at_the_nic_that_is_meant(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine("stormglass: 1\nname: test\nfabric:\n"
                  "  topology: {kind: single-switch, hosts: 3, nics: 2}\n"
                  "  routes: [{at: switch0, to: host1, via: host1}]\n"
                  "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n");
    const uint32_t s = scenario_find_node(scenario, "switch0");
    struct route_table *tables = routing_compute(scenario, NULL);
    for (uint32_t endpoint = 0; endpoint < 6; endpoint++) {
        const uint16_t *ports;
        assert_int_equal(route_all(&tables[s], endpoint, &ports), 1);
        const struct scenario_port *port = &scenario->nodes[s].ports[ports[0]];
        assert_int_equal(scenario->nodes[port->peer_node].endpoint + port->peer_port, endpoint);
    }
    routing_free(scenario, tables);
    scenario_free(scenario);
}

/* By any of its cables; to another switch by that of the switch itself, if it has one. */
static void a_link_aggregate_is_one_destination(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(
        "stormglass: 1\nname: test\nfabric:\n"
        "  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 1, nics: 2, "
        "homing: dual}\n"
        "hosts: {defaults: {rnic: {profile: ideal}}, some: {where: [host0, host1], rnic: {lag: "
        "layer3+4}}}\n"
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host2}]\n");
    uint8_t *down = calloc(scenario->link_count, 1);
    struct route_table *tables = routing_compute(scenario, NULL);
    expect_ways(scenario, tables, "leaf0", "host0", "host0");
    expect_ways(scenario, tables, "leaf1", "host0", "host0");
    expect_ways(scenario, tables, "leaf2", "host0", "spine0,spine1");
    expect_ways(scenario, tables, "spine0", "host0", "leaf0,leaf1");
    expect_ways(scenario, tables, "spine0", "host2", "leaf2"); /* host2 has an address a NIC */
    routing_free(scenario, tables);
    /* All learn that a cable is gone: none goes to the switch that has no other. */
    mark(scenario, down, "host0-leaf0");
    tables = routing_compute(scenario, down);
    expect_ways(scenario, tables, "leaf0", "host0", "spine0,spine1");
    expect_ways(scenario, tables, "spine0", "host0", "leaf1");
    routing_free(scenario, tables);
    free(down);
    scenario_free(scenario);
}

static void cables_of_a_link_aggregate_share_its_flows(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine("stormglass: 1\nname: test\nfabric:\n"
                  "  topology: {kind: single-switch, hosts: 3, nics: 2}\n"
                  "  routes: [{at: switch0, to: host1, via: host1}]\n"
                  "hosts: {defaults: {rnic: {profile: ideal}}, some: {where: [host0, host1], rnic: "
                  "{lag: layer2}}}\n"
                  "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n");
    const uint32_t s = scenario_find_node(scenario, "switch0");
    struct route_table *tables = routing_compute(scenario, NULL);
    const uint16_t *ports;
    for (uint32_t endpoint = 0; endpoint < 6; endpoint++)
        assert_int_equal(route_all(&tables[s], endpoint, &ports), endpoint < 4 ? 2 : 1);
    routing_free(scenario, tables);
    scenario_free(scenario);
}

static void a_written_route_that_is_dead_is_not_there(void **state)
{
    (void)state;
    struct scenario *scenario =
        load_fine(CLOS("  routes: [{at: leaf0, to: host5, via: spine1}]\n"));
    uint8_t *down = calloc(scenario->link_count, 1);
    assert_non_null(down);
    mark(scenario, down, "leaf0-spine1");
    struct route_table *tables = routing_compute(scenario, down);
    expect_ways(scenario, tables, "leaf0", "host5", "spine0");
    routing_free(scenario, tables);
    free(down);
    scenario_free(scenario);
}

static void parallel_links_are_all_meant(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(
        TOP "fabric:\n  topology: {kind: explicit, hosts: [a, b], switches: [s, t, u], links: [\n"
            "    {ends: [a, s]}, {ends: [s, t]}, {ends: [s, t]}, {ends: [s, u]}, {ends: [u, t]},\n"
            "    {ends: [t, b]}]}\n"
            "  routes: [{at: s, to: b, via: [t, u]}, {at: t, to: b, via: b}]\n"
            "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n");
    struct route_table *tables = routing_compute(scenario, NULL);
    expect_ways(scenario, tables, "s", "b", "t,t,u");
    expect_ways(scenario, tables, "t", "b", "b");
    routing_free(scenario, tables);
    scenario_free(scenario);
}

static void wrong_routes_are_refused_with_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *routes;
        int column;
        const char *says;
    } rows[] = {
        {"{at: leaf0, to: host5, via: leaf1}", 40, "leaf0 has no such neighbor"},
        {"{at: leaf0, to: host5, via: [spine0, leaf1]}", 40, "no link from these switches"},
        {"{at: leaf0, to: host5, via: \"leaf1:p0\"}", 40, "leaf0 has no such neighbor"},
        {"{at: leaf0, to: host5, via: host0}", 40, "hosts do not forward"},
        {"{at: leaf0, to: host5, via: spine7}", 40, "did you mean"},
        {"{at: host0, to: host5, via: spine0}", 17, "no switch is called 'host0'"},
        {"{at: leaf0, to: spine0, via: spine0}", 28, "no host is called 'spine0'"},
        {"{at: leaf0, to: host5}", 12, "expected via:"},
        {"{to: host5, via: spine0}", 12, "expected at:"},
        {"{at: leaf0, to: host5, by: spine0}", 35, "unknown key 'by'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, CLOS("  routes: [%s]\n"), rows[i].routes);
        if (load(text) != NULL)
            fail_msg("taken: %s", rows[i].routes);
        const struct diag_message *message = &diag.messages[0];
        if (strstr(message->text, rows[i].says) == NULL || message->place.line != 7 ||
            message->place.column != rows[i].column)
            fail_msg("%s gives %d:%d: %s", rows[i].routes, message->place.line,
                     message->place.column, message->text);
    }
}

/* ------------------------------------------------------------------ failures */

static void a_switch_repairs_its_own_ways_first(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(CLOS(""));
    uint8_t *known = calloc(scenario->link_count, 1);
    assert_non_null(known);
    mark(scenario, known, "leaf0-spine0");
    struct routing_view view = {.detected = known};
    struct route_table *tables = routing_compute_view(scenario, &view);
    expect_ways(scenario, tables, "leaf0", "host5", "spine1");
    expect_ways(scenario, tables, "leaf2", "host0", "spine0,spine1"); /* has not heard of it */
    expect_ways(scenario, tables, "spine0", "host0", "");
    expect_ways(scenario, tables, "spine0", "host5", "leaf2");
    routing_free(scenario, tables);
    tables = routing_compute(scenario, known);
    expect_ways(scenario, tables, "leaf2", "host0", "spine1");
    expect_ways(scenario, tables, "spine0", "host0", "leaf1,leaf2"); /* the way around */
    routing_free(scenario, tables);
    free(known);
    scenario_free(scenario);
}

static void without_local_repair_all_learn_at_once(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(CLOS("  routing: {local-repair: false}\n"));
    uint8_t *known = calloc(scenario->link_count, 1);
    assert_non_null(known);
    mark(scenario, known, "leaf0-spine0");
    struct routing_view view = {.detected = known};
    struct route_table *tables = routing_compute_view(scenario, &view);
    expect_ways(scenario, tables, "leaf0", "host5", "spine0,spine1");
    routing_free(scenario, tables);
    free(known);
    scenario_free(scenario);
}

/* leaf-spine-leaf-spine-leaf: down, and up again. */
static void detours_bounce_off_a_leaf(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(CLOS(""));
    uint8_t *down = calloc(scenario->link_count, 1);
    assert_non_null(down);
    mark(scenario, down, "leaf0-spine0");
    mark(scenario, down, "leaf1-spine1");
    struct route_table *tables = routing_compute(scenario, down);
    expect_ways(scenario, tables, "leaf0", "host2", "spine1");
    expect_ways(scenario, tables, "spine1", "host2", "leaf2");
    expect_ways(scenario, tables, "leaf2", "host2", "spine0");
    expect_ways(scenario, tables, "spine0", "host2", "leaf1");
    routing_free(scenario, tables);
    free(down);
    scenario_free(scenario);
}

/* The leaf knows that its host is gone; the others send what it drops. */
static void a_dead_host_link_is_known_to_its_leaf(void **state)
{
    (void)state;
    struct scenario *scenario = load_fine(CLOS(""));
    uint8_t *down = calloc(scenario->link_count, 1);
    assert_non_null(down);
    mark(scenario, down, "host5-leaf2");
    struct route_table *tables = routing_compute(scenario, down);
    expect_ways(scenario, tables, "leaf2", "host5", "");
    expect_ways(scenario, tables, "leaf2", "host4", "host4");
    expect_ways(scenario, tables, "leaf0", "host5", "spine0,spine1");
    routing_free(scenario, tables);
    free(down);
    scenario_free(scenario);
}

/* ------------------------------------------------------------------ time */

static void expect_epochs(const char *text, const time_ps *at, uint32_t count)
{
    struct scenario *scenario = load_fine(text);
    struct routing_epoch *epochs;
    const uint32_t found = routing_epochs(scenario, 16, &epochs);
    for (uint32_t i = 0; i < found; i++)
        if (i >= count || epochs[i].at != at[i] * PS_PER_US)
            fail_msg("epoch %u begins at %lld us", i, (long long)(epochs[i].at / PS_PER_US));
    assert_int_equal(found, count);
    struct route_table *tables = routing_compute_view(scenario, &epochs[found - 1].view);
    routing_free(scenario, tables);
    free(epochs);
    scenario_free(scenario);
}

#define DELAYS "  routing: {detection: 10us, convergence: 100us}\n"

static void routes_follow_in_steps(void **state)
{
    (void)state;
    /* known at both ends, converged; back known, and at 410 us all is as in the beginning */
    const time_ps once[] = {0, 110, 210, 310};
    expect_epochs(CLOS(DELAYS "faults: [{kind: link-down, where: leaf0-spine0, at: 100us, for: "
                              "200us}]\n"),
                  once, 4);
    const time_ps misrouted[] = {0, 50};
    expect_epochs(CLOS(DELAYS "faults: [{kind: misroute, where: leaf0, to: host5, via: spine0, "
                              "at: 50us, for: 10us}]\n"),
                  misrouted, 2);
    /* a host's link converges nowhere */
    const time_ps host[] = {0, 110};
    expect_epochs(CLOS(DELAYS "faults: [{kind: link-down, where: host0, at: 100us}]\n"), host, 2);
}

static void what_does_not_last_is_not_noticed(void **state)
{
    (void)state;
    const time_ps never[] = {0};
    expect_epochs(CLOS(DELAYS "faults: [{kind: link-flap, where: leaf0-spine0, at: 100us, period: "
                              "15us, duty: 60%}]\n"),
                  never, 1);
    expect_epochs(CLOS(DELAYS "faults: [{kind: link-flap, where: leaf0-spine0, at: 100us, period: "
                              "8us}]\n"),
                  never, 1);
    /* 12 us down are noticed, 3 us up are not: it is down from 110 us on */
    const time_ps once[] = {0, 112, 212};
    expect_epochs(CLOS(DELAYS "faults: [{kind: link-flap, where: leaf0-spine0, at: 102us, period: "
                              "15us, duty: 80%}]\n"),
                  once, 3);
}

struct seen {
    unsigned downs, ups, lost, routes;
};

static void ignore(void *self, uint32_t fault, bool on)
{
    (void)self;
    (void)fault;
    (void)on;
}

static void on_link(void *self, uint32_t link, bool up)
{
    (void)link;
    ((struct seen *)self)->downs += !up;
    ((struct seen *)self)->ups += up;
}

static void on_lost(void *self, uint32_t node)
{
    (void)node;
    ((struct seen *)self)->lost++;
}

static void on_routes(void *self, const struct routing_view *view)
{
    (void)view;
    ((struct seen *)self)->routes++;
}

static struct seen play(const char *text)
{
    struct scenario *scenario = load_fine(text);
    struct seen seen = {0};
    const struct timeline_calls calls = {&seen, ignore, on_link, on_lost, on_routes, NULL};
    struct timeline *timeline = timeline_new(scenario);
    while (timeline_due(timeline) < PS_PER_MS)
        timeline_step(timeline, &calls);
    timeline_free(timeline);
    scenario_free(scenario);
    return seen;
}

static void faults_of_one_link_overlap(void **state)
{
    (void)state;
    const struct seen seen =
        play(CLOS("faults:\n"
                  "  - {kind: link-down, where: leaf0-spine0, at: 100us, for: 100us}\n"
                  "  - {kind: link-down, where: \"spine0:p0\", at: 200us, for: 50us}\n"
                  "  - {kind: link-flap, where: leaf0-spine0, at: 150us, for: 90us, period: 30us}\n"
                  "  - {kind: switch-down, where: spine0, at: 180us, for: 300us}\n"
                  "  - {kind: switch-down, where: \"spine*\", at: 300us, for: 10us}\n"));
    assert_int_equal(seen.downs, 1 + 2 + 3); /* at 100, at 180, at 300 us */
    assert_int_equal(seen.ups, 3 + 3);
    assert_int_equal(seen.lost, 2);
}

static void a_flap_is_as_often_as_it_says(void **state)
{
    (void)state;
    const struct seen half = play(CLOS(
        "faults: [{kind: link-flap, where: leaf0-spine0, at: 100us, for: 95us, period: 10us}]\n"));
    assert_int_equal(half.downs, 10);
    assert_int_equal(half.ups, 10);
    const struct seen all = play(CLOS("faults: [{kind: link-flap, where: leaf0-spine0, at: 100us, "
                                      "for: 95us, period: 10us, duty: 100%}]\n"));
    assert_int_equal(all.downs, 1);
    const struct seen none = play(CLOS("faults: [{kind: link-flap, where: leaf0-spine0, at: 100us, "
                                       "for: 95us, period: 10us, duty: 0%}]\n"));
    assert_int_equal(none.downs, 0);
    assert_int_equal(none.routes, 0);
}

/* Host 0 has a cable to each of two switches, host 1 one to the second, and the switches one
 * between them:  0 -- 2 -- 3 -- 1,  0 -- 3.  Endpoints are 0's two ports and 1's.  A host is no way
 * to anywhere. */
static void each_port_of_a_host_is_reached_by_its_own_cable(void **state)
{
    (void)state;
    static const struct route_link links[] = {
        {0, 2, 0, 4}, {0, 3, 1, 5}, {1, 3, 0, 6}, {2, 3, 7, 8}};
    static const uint8_t forwards[] = {0, 0, 1, 1};
    static const uint32_t hosts[] = {0, 0, 1};
    static const uint16_t host_ports[] = {0, 1, 0}, expected[2][3] = {{4, 7, 7}, {8, 5, 6}};
    const struct route_graph graph = {4, links, 4, forwards, hosts, host_ports, 3};
    struct route_table tables[4] = {0};
    route_compute(&graph, tables);
    for (int i = 0; i < 2; i++)
        for (uint32_t endpoint = 0; endpoint < 3; endpoint++)
            assert_int_equal(route_pick(&tables[2 + i], endpoint, 1, 1), expected[i][endpoint]);
    assert_null(tables[0].egress);
    for (int i = 2; i < 4; i++)
        route_table_fini(&tables[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_routes_go_before_the_shortest),
        cmocka_unit_test(a_written_route_is_for_every_port_of_a_host),
        cmocka_unit_test(a_written_route_ends_at_the_nic_that_is_meant),
        cmocka_unit_test(a_link_aggregate_is_one_destination),
        cmocka_unit_test(cables_of_a_link_aggregate_share_its_flows),
        cmocka_unit_test(a_written_route_that_is_dead_is_not_there),
        cmocka_unit_test(parallel_links_are_all_meant),
        cmocka_unit_test(each_port_of_a_host_is_reached_by_its_own_cable),
        cmocka_unit_test(wrong_routes_are_refused_with_a_place),
        cmocka_unit_test(a_switch_repairs_its_own_ways_first),
        cmocka_unit_test(without_local_repair_all_learn_at_once),
        cmocka_unit_test(detours_bounce_off_a_leaf),
        cmocka_unit_test(a_dead_host_link_is_known_to_its_leaf),
        cmocka_unit_test(routes_follow_in_steps),
        cmocka_unit_test(what_does_not_last_is_not_noticed),
        cmocka_unit_test(faults_of_one_link_overlap),
        cmocka_unit_test(a_flap_is_as_often_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
