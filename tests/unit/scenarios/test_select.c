/* SPDX-License-Identifier: Apache-2.0
 * What `where` selects, and who is paired with whom. */
#include "scenarios/load/select.h"

#include "scenarios/load/load.h"
#include "scenarios/load/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: test\n"
    "fabric: {topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 4}}\n"
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "
    "fixed}]}}\n"
    "workloads: [{name: w, kind: nvme, from: host1, to: host0}]\n";

static int setup(void **state)
{
    struct diag *diag = calloc(1, sizeof *diag);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    *state = scenario_load(&input, diag);
    diag_print(diag, stderr);
    free(diag);
    return *state == NULL;
}

static int teardown(void **state)
{
    scenario_free(*state);
    return 0;
}

static bool select_text(struct scenario *scenario, const char *where, unsigned kinds,
                        struct selection *selection, struct diag *diag)
{
    *diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&scenario->arena, "where", where, strlen(where));
    const struct tree_node *root = tree_parse(&scenario->arena, file, 0, diag);
    assert_non_null(root);
    return select_from(scenario, root, kinds, selection, diag);
}

/* "host3 leaf2:p1": what was selected, in order. */
static const char *words(const struct scenario *scenario, const struct selection *selection,
                         char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < selection->count && used < size; i++) {
        const struct scenario_spot *spot = &selection->spots[i];
        used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? "" : " ",
                                 scenario->nodes[spot->node].name);
        if (spot->port != SCENARIO_ALL_PORTS && used < size)
            used += (size_t)snprintf(out + used, size - used, ":p%u", spot->port);
    }
    return out;
}

static const unsigned any = SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS | SELECT_LINKS;

static void things_are_found(void **state)
{
    struct scenario *scenario = *state;
    static const struct {
        const char *where;
        unsigned kinds;
        const char *found;
    } rows[] = {
        {"host3", any, "host3"},
        {"host1..host3", any, "host1 host2 host3"},
        {"[host3, host1, host3, host0..host1]", SELECT_HOSTS, "host3 host1 host0"},
        {"leaf*", any, "leaf0 leaf1 leaf2"},
        {"\"*e?2\"", SELECT_SWITCHES, ""},
        {"\"?eaf2\"", any, "leaf2"},
        {"host1*", SELECT_HOSTS, "host1 host10 host11"},
        {"leaf2:p1", any, "leaf2:p1"},
        {"\"leaf2:p*\"", any, "leaf2:p0 leaf2:p1 leaf2:p2 leaf2:p3 leaf2:p4 leaf2:p5"},
        {"leaf2:p4..leaf2:p5", any, "leaf2:p4 leaf2:p5"},
        {"leaf2-spine1", any, "leaf2:p5 spine1:p2"},
        {"spine1-leaf2", any, "leaf2:p5 spine1:p2"},
        {"link leaf2-spine1", any, "leaf2:p5 spine1:p2"},
        {"port leaf2:p1", any, "leaf2:p1"},
        {"node spine0", any, "spine0"},
        {"host spine0", any, ""},
        {"switch spine0", any, "spine0"},
        {"switch host0", any, ""},
        {"host10..host11", SELECT_HOSTS, "host10 host11"},
        {"\"leaf1-spine*\"", SELECT_LINKS, "leaf1:p4 spine0:p1 leaf1:p5 spine1:p1"},
        {"targets", any, "host0"},
        {"[targets, hosts]", SELECT_HOSTS,
         "host0 host1 host2 host3 host4 host5 host6 host7 host8 host9 host10 host11"},
        {"leaves", any, "leaf0 leaf1 leaf2"},
        {"spines", SELECT_SWITCHES, "spine0 spine1"},
        {"spines", SELECT_HOSTS, ""},
        {"group targets", any, "host0"},
        {"group others", any, ""},
        {"fabric a", any, ""},
        {"links of targets", any, "host0:p0 leaf0:p0"},
        {"links of spine1", any, "spine1:p0 leaf0:p5 spine1:p1 leaf1:p5 spine1:p2 leaf2:p5"},
        {"links of links of spine1", any, ""},
        {"links of leaf0..leaf1", SELECT_HOSTS, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct selection selection;
        struct diag diag;
        char out[400];
        const bool fine = select_text(scenario, rows[i].where, rows[i].kinds, &selection, &diag);
        if (fine != (rows[i].found[0] != '\0'))
            fail_msg("%s: %s", rows[i].where, diag.messages[0].text);
        assert_string_equal(words(scenario, &selection, out, sizeof out), rows[i].found);
    }
}

static void what_is_not_there_is_said(void **state)
{
    static const struct {
        const char *where;
        unsigned kinds;
        const char *says;
    } rows[] = {
        {"hots3", any, "did you mean 'host3'?"},
        {"host12", SELECT_HOSTS, "no host is called 'host12'"},
        {"leaf0", SELECT_HOSTS, "no host is called 'leaf0'"},
        {"host10..host13", SELECT_HOSTS, "only 2 of the 4"},
        {"host3..host1", any, "ends before it begins"},
        {"host1..leaf3", any, "expected a range"},
        {"host..host3", any, "expected a range"},
        {"link leaf0-spine0", SELECT_HOSTS, "cannot be selected here"},
        {"leaf0:p6", any, "no node, port or link"},
        {"[]", any, "at least one name"},
        {"{a: b}", any, "expected a name"},
        {"[[a]]", any, "expected a name"},
        {"''", any, "expected a name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct selection selection;
        struct diag diag;
        if (select_text(*state, rows[i].where, rows[i].kinds, &selection, &diag))
            fail_msg("found: %s", rows[i].where);
        if (strstr(diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("%s gives: %s", rows[i].where, diag.messages[0].text);
    }
}

/* A suggestion can be selected: where only hosts can, no switch is suggested. */
static void only_what_can_be_selected_is_suggested(void **state)
{
    static const struct {
        const char *where;
        unsigned kinds;
        bool suggests;
    } rows[] = {{"laef0", SELECT_HOSTS, false},       {"laef0", SELECT_SWITCHES, true},
                {"laef0", SELECT_LINKS, false},       {"hots3", SELECT_SWITCHES, false},
                {"hots3", SELECT_HOSTS, true},        {"leaf0-spine9", SELECT_LINKS, true},
                {"leaf0-spine9", SELECT_HOSTS, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct selection selection;
        struct diag diag;
        assert_false(select_text(*state, rows[i].where, rows[i].kinds, &selection, &diag));
        const bool suggests = strstr(diag.messages[0].text, "did you mean") != NULL;
        if (suggests != rows[i].suggests)
            fail_msg("%s gives: %s", rows[i].where, diag.messages[0].text);
    }
}

static void wildcards_match(void **state)
{
    (void)state;
    assert_true(select_matches("*", ""));
    assert_true(select_matches("a*b*c", "aXbYbZc"));
    assert_false(select_matches("a*b*c", "aXbYbZ"));
    assert_true(select_matches("**", "x"));
    assert_false(select_matches("?", ""));
    assert_false(select_matches("a", "ab"));
    assert_true(select_matches("a?c", "abc"));
    assert_false(select_matches("a?c", "abd"));
    assert_false(select_matches("?bc", "bc"));
    assert_true(select_matches("*ab", "aab")); /* the first a is the star's */
    assert_true(select_matches("*aab*", "aaabb"));
    assert_false(select_matches("*ab", "abc"));
    assert_true(select_matches("a*?", "ab"));
    assert_false(select_matches("a*?", "a"));
    assert_true(select_matches("leaf0:p*-spine?:p1", "leaf0:p12-spine3:p1"));
    assert_true(select_matches("", ""));
}

/* 127 bytes are the most that a name has. */
static void a_long_name_is_a_message(void **state)
{
    struct selection selection;
    struct diag diag;
    char name[132];
    snprintf(name, sizeof name, "\"%0128d\"", 0);
    assert_false(select_text(*state, name, any, &selection, &diag));
    assert_non_null(strstr(diag.messages[0].text, "expected a name such as"));
    snprintf(name, sizeof name, "\"%0127d\"", 0);
    assert_false(select_text(*state, name, any, &selection, &diag));
    assert_non_null(strstr(diag.messages[0].text, "no node, port or link is called '0000"));
    memset(name + 1, '*', 127);
    assert_true(select_text(*state, name, SELECT_SWITCHES, &selection, &diag));
    assert_int_equal(selection.count, 5);
}

/* ---- pairing ---- */

static const char *pairs(struct scenario *scenario, enum pairing pairing, const char *from,
                         const char *to, char *out, size_t size)
{
    struct selection ends[2];
    struct diag diag;
    assert_true(select_text(scenario, from, SELECT_HOSTS, &ends[0], &diag));
    assert_true(select_text(scenario, to, SELECT_HOSTS, &ends[1], &diag));
    struct rng rng = rng_stream(1, "test", "pairs");
    struct pairing_list list;
    const char *why = pairing_make(&scenario->arena, &(struct pairing_way){pairing, false},
                                   &ends[0], &ends[1], &rng, &list);
    if (why != NULL)
        return why;
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < list.count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%u>%u", i == 0 ? "" : " ",
                                 list.pairs[i].from, list.pairs[i].to);
    return out;
}

static void hosts_are_paired(void **state)
{
    char out[400];
    static const struct {
        enum pairing pairing;
        const char *from, *to, *expected;
    } rows[] = {
        {PAIRING_ROUND_ROBIN, "host1..host4", "host0", "1>0 2>0 3>0 4>0"},
        {PAIRING_ROUND_ROBIN, "host0", "host1..host3", "0>1 0>2 0>3"},
        {PAIRING_ROUND_ROBIN, "host1..host5", "[host6, host7]", "1>6 2>7 3>6 4>7 5>6"},
        {PAIRING_ROUND_ROBIN, "host0..host2", "host0", "1>0 2>0"},
        {PAIRING_ROUND_ROBIN, "host0", "host0",
         "a host is paired with itself, which needs loopback: true"},
        {PAIRING_ALL_TO_ALL, "host0..host1", "host0..host2", "0>1 0>2 1>0 1>2"},
        {PAIRING_ONE_TO_ONE, "[host3, host1]", "host4..host5", "3>4 1>5"},
        {PAIRING_ONE_TO_ONE, "[host3, host1]", "host4",
         "one-to-one needs the same number of hosts in from and in to"},
        {PAIRING_ONE_TO_ONE, "host3..host4", "host3..host4",
         "a host is paired with itself, which needs loopback: true"},
        {PAIRING_PERMUTATION, "host0..host1", "host0..host1", "0>1 1>0"},
        {PAIRING_PERMUTATION, "host0", "host0",
         "every permutation pairs a host with itself, which needs loopback: true"},
        {PAIRING_PERMUTATION, "host0..host1", "host0",
         "a permutation needs at least as many hosts in to as in from"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(
            pairs(*state, rows[i].pairing, rows[i].from, rows[i].to, out, sizeof out),
            rows[i].expected);
}

static void permutations_have_no_fixed_point(void **state)
{
    struct scenario *scenario = *state;
    struct selection ends[2];
    struct diag diag;
    for (uint64_t seed = 0; seed < 500; seed++) {
        assert_true(select_text(scenario, "host0..host4", SELECT_HOSTS, &ends[0], &diag));
        assert_true(select_text(scenario, seed % 2 ? "host0..host4" : "host3..host9", SELECT_HOSTS,
                                &ends[1], &diag));
        const struct pairing_way way = {PAIRING_PERMUTATION, false};
        struct rng rng = rng_stream(seed, "test", "permutation");
        struct pairing_list list;
        assert_null(pairing_make(&scenario->arena, &way, &ends[0], &ends[1], &rng, &list));
        assert_int_equal(list.count, 5);
        unsigned seen = 0;
        for (uint32_t i = 0; i < list.count; i++) {
            assert_int_equal(list.pairs[i].from, i);
            assert_int_not_equal(list.pairs[i].to, i);
            assert_int_equal(seen >> list.pairs[i].to & 1, 0);
            seen |= 1u << list.pairs[i].to;
        }
    }
}

static void ports_by_what_the_equipment_calls_them(void **state)
{
    (void)state;
    static const char named[] =
        "stormglass: 1\n"
        "name: test\n"
        "fabric: {topology: {kind: explicit, hosts: [a, b], switches: [s], links: [\n"
        "  {ends: [\"s:p4\", a], names: [Ethernet0, eth0]},\n"
        "  {ends: [s, b], names: [ethernet-1/1, \"\"]}]}}\n"
        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n";
    struct diag diag = {0};
    struct selection selection;
    char out[64];
    const struct scenario_input input = {.name = "n", .text = named, .length = strlen(named)};
    struct scenario *scenario = scenario_load(&input, &diag);
    diag_print(&diag, stderr);
    assert_non_null(scenario);
    assert_true(select_text(scenario, "[\"s:Ethernet0\", \"*:eth*\", \"s:ethernet-1/1\", \"s:p4\"]",
                            SELECT_PORTS, &selection, &diag));
    assert_string_equal(words(scenario, &selection, out, sizeof out), "s:p4 a:p0 s:p0");
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_are_found),
        cmocka_unit_test(ports_by_what_the_equipment_calls_them),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(only_what_can_be_selected_is_suggested),
        cmocka_unit_test(wildcards_match),
        cmocka_unit_test(a_long_name_is_a_message),
        cmocka_unit_test(hosts_are_paired),
        cmocka_unit_test(permutations_have_no_fixed_point),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
