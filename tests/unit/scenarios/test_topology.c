/* SPDX-License-Identifier: Apache-2.0
 * Topologies: names, numbers of ports, and what an explicit one may not say. */
#include "scenarios/fabric/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct diag diag;
    struct topology topology;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int teardown(void **state)
{
    arena_free(&((struct fixture *)*state)->arena);
    free(*state);
    return 0;
}

static bool load(struct fixture *fixture, const char *text)
{
    fixture->diag = (struct diag){0};
    fixture->topology = (struct topology){0};
    const struct tree_file *file = tree_hold(&fixture->arena, "t", text, strlen(text));
    const struct tree_node *root = tree_parse(&fixture->arena, file, 0, &fixture->diag);
    assert_non_null(root);
    return topology_load(&fixture->arena, root, &fixture->topology, &fixture->diag);
}

/* "leaf0:p3-spine1:p0" */
static const char *link_text(const struct topology *topology, uint32_t index, char text[128])
{
    const struct topology_link *link = &topology->links[index];
    snprintf(text, 128, "%s:p%u-%s:p%u", topology->nodes[link->node[0]].name, link->port[0],
             topology->nodes[link->node[1]].name, link->port[1]);
    return text;
}

static void assert_link(const struct topology *topology, uint32_t index, const char *expected)
{
    char text[128];
    assert_string_equal(link_text(topology, index, text), expected);
}

static void a_single_switch(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, "{kind: single-switch, hosts: 3}"));
    const struct topology *topology = &fixture->topology;
    assert_int_equal(topology->node_count, 4);
    assert_int_equal(topology->host_count, 3);
    assert_int_equal(topology->link_count, 3);
    assert_string_equal(topology->nodes[3].name, "switch0");
    assert_link(topology, 2, "host2:p0-switch0:p2");
}

static void a_leaf_spine(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, "{kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 4}"));
    const struct topology *topology = &fixture->topology;
    assert_int_equal(topology->node_count, 12 + 3 + 2);
    assert_int_equal(topology->link_count, 12 + 6);
    assert_string_equal(topology->nodes[12].name, "leaf0");
    assert_string_equal(topology->nodes[15].name, "spine0");
    assert_link(topology, 0, "host0:p0-leaf0:p0");
    assert_link(topology, 4, "host4:p0-leaf1:p0");
    assert_link(topology, 11, "host11:p0-leaf2:p3");
    assert_link(topology, 12, "leaf0:p4-spine0:p0");
    assert_link(topology, 13, "leaf0:p5-spine1:p0");
    assert_link(topology, 17, "leaf2:p5-spine1:p2");
}

/* Every switch has k ports; hosts under an edge are neighbors; core j*k/2+i meets agg j of every
 * pod. */
static void a_fat_tree(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, "{kind: fat-tree, k: 8}"));
    const struct topology *topology = &fixture->topology;
    assert_int_equal(topology->host_count, 128);
    assert_int_equal(topology->node_count, 128 + 32 + 32 + 16);
    assert_int_equal(topology->link_count, 3 * 128);
    for (uint32_t i = 0; i < topology->node_count; i++)
        assert_int_equal(topology->nodes[i].port_count, i < 128 ? 1 : 8);
    assert_link(topology, 127, "host127:p0-edge31:p3");
    assert_link(topology, 128, "edge0:p4-agg0:p0");
    assert_link(topology, 128 + 31 * 4 + 3, "edge31:p7-agg31:p3");
    assert_link(topology, 256, "agg0:p4-core0:p0");
    assert_link(topology, 256 + 5 * 4 + 2, "agg5:p6-core6:p1");
    assert_link(topology, 383, "agg31:p7-core15:p7");
}

static void an_explicit_one(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, "kind: explicit\n"
                              "hosts: [a, rack-1.b]\n"
                              "switches: [s, t]\n"
                              "links:\n"
                              "  - {ends: [a, s]}\n"
                              "  - {ends: [\"s:p0\", t], rate: 10Gbps}\n"
                              "  - {ends: [\"t:p9\", rack-1.b], names: [swp9, \"\"]}\n"));
    const struct topology *topology = &fixture->topology;
    /* s:p0 is named by a later line, so the first one takes p1. */
    assert_link(topology, 0, "a:p0-s:p1");
    assert_link(topology, 1, "s:p0-t:p0");
    assert_link(topology, 2, "t:p9-rack-1.b:p0");
    assert_int_equal(topology->nodes[3].port_count, 10);
    assert_string_equal(topology->links[2].port_name[0], "swp9");
    assert_null(topology->links[2].port_name[1]);
    assert_non_null(tree_get(topology->links[1].written, "rate"));
}

/* Where the NICs of each host go, and how the switches of several fabrics are called. */
static void hosts_with_two_nics(void **state)
{
    struct fixture *fixture = *state;
    const struct topology *topology = &fixture->topology;
    static const struct {
        const char *text;
        uint32_t nodes, links;
        const char *first, *second,
            *next; /* NICs of host0, the second of the host after a leaf's */
        const char *last;
    } rows[] = {
        {"{kind: single-switch, hosts: 2, nics: 2}", 3, 4, "host0:p0-switch0:p0",
         "host0:p1-switch0:p2", "host1:p1-switch0:p3", "host1:p1-switch0:p3"},
        {"{kind: single-switch, hosts: 2, nics: 2, homing: fabrics}", 4, 4, "host0:p0-a-switch0:p0",
         "host0:p1-b-switch0:p0", "host1:p1-b-switch0:p1", "host1:p1-b-switch0:p1"},
        {"{kind: leaf-spine, leaves: 4, spines: 1, hosts-per-leaf: 1, nics: 2, homing: dual}", 9,
         12, "host0:p0-leaf0:p0", "host0:p1-leaf1:p1", "host1:p1-leaf0:p1", "leaf3:p2-spine0:p3"},
        {"{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 1, nics: 2, homing: fabrics}",
         10, 12, "host0:p0-a-leaf0:p0", "host0:p1-b-leaf0:p0", "host1:p1-b-leaf1:p0",
         "b-leaf1:p2-b-spine1:p1"},
        {"{kind: fat-tree, k: 4, nics: 2, homing: dual}", 36, 64, "host0:p0-edge0:p0",
         "host0:p1-edge1:p2", "host1:p1-edge1:p3", "agg7:p3-core3:p3"},
        {"{kind: fat-tree, k: 4, nics: 2, homing: fabrics}", 56, 96, "host0:p0-a-edge0:p0",
         "host0:p1-b-edge0:p0", "host1:p1-b-edge0:p1", "b-agg7:p3-b-core3:p3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(load(fixture, rows[i].text));
        assert_int_equal(topology->node_count, rows[i].nodes);
        assert_int_equal(topology->link_count, rows[i].links);
        assert_int_equal(topology->nics, 2);
        for (uint32_t h = 0; h < topology->host_count; h++)
            assert_int_equal(topology->nodes[h].port_count, 2);
        assert_link(topology, 0, rows[i].first);
        assert_link(topology, topology->host_count, rows[i].second);
        assert_link(topology, topology->host_count + 1, rows[i].next);
        assert_link(topology, topology->link_count - 1, rows[i].last);
    }
}

static void what_cannot_be_built(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"{kind: leafspine}", "unknown topology 'leafspine'"},
        {"{hosts: 3}", "expected a topology such as"},
        {"{kind: fat-tree, k: 7}", "even"},
        {"{kind: fat-tree, k: 66}", "more than the maximum, 64"},
        {"{kind: single-switch, hosts: 0}", "less than the minimum"},
        {"{kind: single-switch, host: 2}", "did you mean 'hosts'?"},
        {"{kind: leaf-spine, leaves: 4096, hosts-per-leaf: 2048}", "more than the limit"},
        {"{kind: explicit, hosts: [a, a], switches: [], links: []}", "used twice"},
        {"{kind: explicit, hosts: [a], switches: [a], links: []}", "used twice"},
        {"{kind: explicit, hosts: [a:b], switches: [], links: []}", "expected the name of a node"},
        {"{kind: explicit, hosts: [0a], switches: [], links: []}", "expected the name of a node"},
        {"{kind: explicit, hosts: [[a]], switches: [], links: []}", "expected the name of a node"},
        {"{kind: explicit, hosts: [a], switches: []}", "expected links: a list"},
        {"{kind: explicit, hosts: [a], switches: [], links: [{ends: [a, a]}]}", "to itself"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a]}]}", "expected ends"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [x]}", "expected ends"},
        {"{kind: explicit, hosts: [aa, b], switches: [], links: [{ends: [ab, b]}]}",
         "did you mean 'aa'?"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [{ends: [\"a:0\", b]}]}",
         "expected a port"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [{ends: [\"a:p4096\", b]}]}",
         "expected a port"},
        {"{kind: explicit, hosts: [a, b, c], switches: [], "
         "links: [{ends: [\"a:p0\", b]}, {ends: [\"a:p0\", c]}]}",
         "has a link already"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a, b], names: [x]}]}",
         "expected names"},
        {"{kind: explicit, hosts: [a, b], switches: [], links: [{ends: [a, b], names: [x, p0]}]}",
         "expected the name of a port"},
        {"{kind: explicit, hosts: [a, b], switches: [s], "
         "links: [{ends: [s, b], names: [x, x]}, {ends: [a, s], names: [x, x]}]}",
         "s has two ports called 'x', also in line 1"},
        {"{kind: single-switch, hosts: 2, nics: 9}", "more than the maximum, 8"},
        {"{kind: single-switch, hosts: 2, nics: 2, homing: dual}", "cannot be divided into groups"},
        {"{kind: leaf-spine, leaves: 3, nics: 2, homing: dual}", "cannot be divided into groups"},
        {"{kind: fat-tree, k: 2, nics: 2, homing: dual}", "cannot be divided into groups"},
        {"{kind: leaf-spine, nics: 2, homing: both}", "dual"},
        {"{kind: explicit, hosts: [a, b], switches: [s], links: [{ends: [\"a:p8\", s]}]}",
         "a:p8: a host has at most 8 NICs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (load(fixture, rows[i].text))
            fail_msg("built: %s", rows[i].text);
        if (strstr(fixture->diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("%s gives: %s", rows[i].text, fixture->diag.messages[0].text);
    }
}

/* What hosts are linked with is the first tier, whatever the order of nodes and links. */
static void an_explicit_one_has_tiers(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *links, *tiers; /* of hosts a and b, switches s, t, u, v */
    } rows[] = {
        {"[{ends: [a, s]}, {ends: [b, t]}, {ends: [s, u]}, {ends: [u, t]}, {ends: [v, u]}]",
         "001123"},
        {"[{ends: [v, u]}, {ends: [u, t]}, {ends: [t, s]}, {ends: [s, a]}, {ends: [b, s]}]",
         "001234"},
        {"[{ends: [a, v]}, {ends: [v, s]}, {ends: [s, b]}, {ends: [t, u]}]", "001111"},
        {"[{ends: [a, b]}]", "001111"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512], tiers[7] = "";
        snprintf(text, sizeof text,
                 "{kind: explicit, hosts: [a, b], switches: [s, t, u, v], links: %s}",
                 rows[i].links);
        assert_true(load(fixture, text));
        for (uint32_t n = 0; n < 6; n++)
            tiers[n] = (char)('0' + fixture->topology.nodes[n].tier);
        assert_string_equal(tiers, rows[i].tiers);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_single_switch),
        TEST(a_leaf_spine),
        TEST(a_fat_tree),
        TEST(an_explicit_one),
        TEST(an_explicit_one_has_tiers),
        TEST(hosts_with_two_nics),
        TEST(what_cannot_be_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
