/* SPDX-License-Identifier: Apache-2.0
 * Cables: what is a host, which port has which number, where things stand in the file. */
#include "scenarios/import/clab.h"
#include "scenarios/import/dot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct diag diag;
    struct cabling cabling;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    cabling_end(&fixture->cabling);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static bool load(struct fixture *fixture, cabling_reader *read, const char *text)
{
    const struct tree_file *file = tree_hold(&fixture->arena, "in", text, strlen(text));
    cabling_end(&fixture->cabling);
    fixture->diag = (struct diag){0};
    cabling_begin(&fixture->cabling, &fixture->arena, file, &fixture->diag);
    return read(&fixture->cabling) && cabling_settle(&fixture->cabling);
}

static void is_link(const struct fixture *fixture, size_t index, const char *expected)
{
    char text[256];
    const struct cabling_end *ends = fixture->cabling.links[index].ends;
    snprintf(text, sizeof text, "%s:p%u-%s:p%u", ends[0].called, ends[0].number, ends[1].called,
             ends[1].number);
    assert_string_equal(text, expected);
}

static void is_role(const struct fixture *fixture, const char *name, enum cabling_role role)
{
    const struct cabling_node *node = cabling_find(&fixture->cabling, name);
    assert_non_null(node);
    if (node->role != role)
        fail_msg("%s is %d, because %s", name, node->role, node->why);
}

static void ports_are_numbered_by_their_names(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph {\n"
                     "s:swp10 -- a:eth0; s:swp9 -- b:eth0\n"
                     "s -- c:eth0; s:swp1s2 -- d:eth0; s:swp01 -- e:eth0; s:swp1 -- f:eth0 }"));
    is_link(fixture, 0, "s:p4-a:p0");
    is_link(fixture, 1, "s:p3-b:p0");
    is_link(fixture, 2, "s:p5-c:p0"); /* without a name: last */
    is_link(fixture, 3, "s:p2-d:p0");
    is_link(fixture, 4, "s:p0-e:p0");
    is_link(fixture, 5, "s:p1-f:p0");
    assert_true(
        load(fixture, dot_read, "graph { s:p7 -- a; s:p0 -- b:p3; t:p1 -- c; t:p01 -- d }"));
    is_link(fixture, 0, "s:p7-a:p0");
    is_link(fixture, 1, "s:p0-b:p0");
    is_link(fixture, 2, "t:p1-c:p0");
    is_link(fixture, 3, "t:p0-d:p0"); /* p01 is no pN */
}

/* In the order of their names, up to eight; then another host. */
static void each_cable_of_a_host_is_a_nic(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph { h:eth1 -- s:swp1; h:eth0 -- t:swp1; \"h-2\":eth0 -- s:swp2 }"));
    is_link(fixture, 0, "h:p1-s:p0");
    is_link(fixture, 1, "h:p0-t:p0");
    is_link(fixture, 2, "h-2:p0-s:p1");
    assert_int_equal(fixture->cabling.host_count, 2);
    assert_int_equal(fixture->cabling.nics, 2);
    assert_int_equal(fixture->cabling.notes.count, 0);
}

static void a_host_has_eight_nics(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph { h:eth0 -- s:swp1; h:eth1 -- s:swp2; h:eth2 -- s:swp3; h:eth3 -- "
                     "s:swp4; h:eth4 -- s:swp5; h:eth5 -- s:swp6; h:eth6 -- s:swp7; h:eth7 -- "
                     "s:swp8; h:eth8 -- s:swp9; g:eth0 -- s:swp10 }"));
    is_link(fixture, 7, "h:p7-s:p7");
    is_link(fixture, 8, "h-2:p0-s:p8");
    assert_int_equal(fixture->cabling.host_count, 3);
    assert_int_equal(fixture->cabling.nics, 8);
    assert_int_equal(fixture->cabling.notes.count, 1);
}

static void edges_know_their_places(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph { /* \n */ \"a\xc3\xa4\" ; x:1 -- y -- z\n"
                     "# u -- v\n"
                     "  p -- \"q -- r\" [rate=\"10Gbps\"] }"));
    static const int places[][2] = {{2, 12}, {2, 19}, {4, 3}};
    assert_int_equal(fixture->cabling.link_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fixture->cabling.links[i].place.line, places[i][0]);
        assert_int_equal(fixture->cabling.links[i].place.column, places[i][1]);
    }
    assert_string_equal(fixture->cabling.links[2].values[0].text, "10Gbps");
}

static void a_node_is_what_it_says_or_what_it_looks_like(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph { a [role=Storage]; a -- b; a -- c; b -- c; b -- d; e:swp1 -- f:eno1\n"
                     "f:enp3s0 -- b; g [function=leaf]; g -- b }"));
    is_role(fixture, "a", CABLING_HOST);
    is_role(fixture, "b", CABLING_SWITCH);
    is_role(fixture, "d", CABLING_HOST);
    is_role(fixture, "e", CABLING_SWITCH);
    is_role(fixture, "f", CABLING_HOST);
    is_role(fixture, "g", CABLING_SWITCH);
    assert_true(
        load(fixture, clab_read,
             "topology: {defaults: {kind: linux}, groups: {fabric: {kind: srl}}, nodes: {\n"
             " a: , b: , r: , s: {group: fabric}, t: {kind: ceos}}, links: [\n"
             " {endpoints: [\"a:eth1\", \"s:e1-1\"]}, {endpoints: [\"b:eth1\", \"r:eth1\"]},\n"
             " {endpoints: [\"r:eth2\", \"t:eth1\"]}, {endpoints: [\"s:e1-2\", \"t:eth2\"]}]}"));
    is_role(fixture, "a", CABLING_HOST);
    is_role(fixture, "b", CABLING_HOST);
    is_role(fixture, "r", CABLING_SWITCH);
    is_role(fixture, "s", CABLING_SWITCH);
    is_role(fixture, "t", CABLING_SWITCH);
}

static void the_tree_is_an_explicit_topology(void **state)
{
    struct fixture *fixture = *state;
    assert_true(
        load(fixture, dot_read, "graph {\n a:eth0 -- s:swp1 [mtu=\"1500B\"]\n b:p0 -- s }"));
    const struct tree_node *tree = cabling_tree(&fixture->cabling);
    const struct tree_node *links = tree_get(tree, "links");
    assert_string_equal(tree_get(tree, "kind")->text, "explicit");
    assert_string_equal(tree_get(tree, "hosts")->items[1].value->text, "b");
    assert_string_equal(tree_get(tree, "switches")->items[0].value->text, "s");
    assert_int_equal(links->count, 2);
    assert_string_equal(tree_get(links->items[0].value, "mtu")->text, "1500B");
    assert_string_equal(tree_get(links->items[0].value, "names")->items[1].value->text, "swp1");
    assert_string_equal(tree_get(links->items[1].value, "names")->items[0].value->text, "");
    assert_int_equal(links->items[1].value->place.line, 3);
}

static uint32_t weight_of(const struct tree_node *node)
{
    uint32_t weight = 1;
    for (size_t i = 0; i < node->count; i++)
        weight += node->items[i].value->weight;
    return weight;
}

/* A message about the topology shows the line of the graph that it comes from. */
static void the_tree_knows_its_places(void **state)
{
    struct fixture *fixture = *state;
    assert_true(load(fixture, dot_read,
                     "graph {\n  h\n  s:swp3 -- h:eth0 [delay=\"2us\", mtu=\"1500B\"]\n"
                     " s:swp1 -- \"b c\":eth0 }"));
    const struct tree_node *tree = cabling_tree(&fixture->cabling);
    const struct tree_node *hosts = tree_get(tree, "hosts"), *links = tree_get(tree, "links");
    assert_int_equal(tree->place.line, 1);
    assert_int_equal(tree->place.column, 1);
    assert_string_equal(hosts->items[0].value->text, "h");
    assert_int_equal(hosts->items[0].value->place.line, 3);
    assert_string_equal(hosts->items[1].value->text, "b-c");
    const struct tree_node *link = links->items[0].value;
    assert_int_equal(link->place.line, 3);
    assert_string_equal(tree_get(link, "ends")->items[0].value->text, "s:p1");
    assert_string_equal(tree_get(link, "ends")->items[1].value->text, "h:p0");
    assert_string_equal(tree_get(link, "names")->items[0].value->text, "swp3");
    assert_string_equal(tree_get(link, "names")->items[1].value->text, "eth0");
    assert_int_equal(tree_get(link, "ends")->items[1].value->place.line, 3);
    assert_int_equal(tree_item(link, "mtu")->key_place.line, 3);
    assert_string_equal(tree_get(link, "delay")->text, "2us");
    const struct tree_node *weighed[] = {tree, hosts, links, link, tree_get(link, "ends")};
    for (size_t i = 0; i < sizeof weighed / sizeof weighed[0]; i++) {
        assert_int_equal(weighed[i]->weight, weight_of(weighed[i]));
        assert_ptr_equal(weighed[i]->file, fixture->cabling.file);
    }
}

static void one_graph_after_a_wrong_one(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 3; i++) {
        assert_false(load(fixture, dot_read, "graph { a -- [ b \n }"));
        assert_int_equal(fixture->diag.messages[0].place.line, 1);
        assert_true(load(fixture, dot_read, "graph { a -- b }"));
        assert_int_equal(fixture->cabling.link_count, 1);
    }
}

/* A comment begins with two characters and ends with two others. */
static void comments_are_passed_over(void **state)
{
    static const char *const graphs[] = {
        "graph { a -- b /**/ }",
        "graph { a -- b /*/ ; c -- d */ }",
        "graph { a -- b /***/ /* ** / */ }",
        "graph { a -- b // c -- d\n }",
        "graph { a -- b //\n }",
        "#\ngraph { a -- b\n# c -- d\n#\n }",
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        if (!load(fixture, dot_read, graphs[i]) || fixture->cabling.link_count != 1)
            fail_msg("%s: %zu links", graphs[i], fixture->cabling.link_count);
        is_link(fixture, 0, "a:p0-b:p0");
    }
    assert_false(load(fixture, dot_read, "graph { a -- b } /*/"));
    assert_false(load(fixture, dot_read, "graph { a -- b } /*"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(ports_are_numbered_by_their_names),
        TEST(each_cable_of_a_host_is_a_nic),
        TEST(a_host_has_eight_nics),
        TEST(edges_know_their_places),
        TEST(a_node_is_what_it_says_or_what_it_looks_like),
        TEST(the_tree_is_an_explicit_topology),
        TEST(the_tree_knows_its_places),
        TEST(one_graph_after_a_wrong_one),
        TEST(comments_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
