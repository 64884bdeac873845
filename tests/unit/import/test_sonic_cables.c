/* SPDX-License-Identifier: Apache-2.0
 * Files of cables beside the configuration of two SONiC switches that know no neighbors. */
#include "scenarios/sonic/sonic.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PORT(alias)                                                                                \
    "{\"alias\": \"" alias "\", \"speed\": \"100000\", \"mtu\": \"9100\", \"admin_status\": "      \
    "\"up\"}"

static const char leaf[] =
    "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"leaf\"}},\n\"PORT\": "
    "{\"Ethernet0\": " PORT("etp1") ", \"Ethernet4\": " PORT("etp2") ", \"Ethernet8\": " PORT(
        "etp3") "}}\n";
static const char spine[] =
    "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"spine\"}},\n\"PORT\": "
    "{\"Ethernet0\": " PORT("one") ", \"Ethernet4\": " PORT("two") "}}\n";

static struct sonic_result result;
static struct diag diag;

/* The two switches and a file of cables, which stands first. */
static bool import(const char *name, const char *text)
{
    const struct sonic_input inputs[] = {{name, text, strlen(text)},
                                         {"leaf.json", leaf, sizeof leaf - 1},
                                         {"spine.json", spine, sizeof spine - 1}};
    const struct sonic_ask ask = {.inputs = inputs, .count = 3, .verbose = true};
    diag = (struct diag){0};
    fuzz_input("sonic_cables", text, strlen(text));
    return sonic_import(&ask, &result, &diag);
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected '%s' in:\n%s", part, text);
}

static void cabled(const char *name, const char *text, const char *const *parts)
{
    if (!import(name, text))
        fail_msg("%s: %s", name, diag.messages[0].text);
    for (int i = 0; parts[i] != NULL; i++)
        has(result.scenario, parts[i]);
    sonic_free(&result);
}

static void refused(const char *name, const char *text, int line, int column, const char *why)
{
    assert_false(import(name, text));
    has(diag.messages[0].text, why);
    assert_int_equal(diag.messages[0].place.line, line);
    assert_int_equal(diag.messages[0].place.column, column);
}

static const char *const all[] = {
    "- {ends: [\"leaf:p0\", \"h0:p0\"], names: [Ethernet0, eth0]",
    "- {ends: [\"leaf:p1\", \"spine:p1\"], names: [Ethernet4, Ethernet4]",
    "- {ends: [\"leaf:p2\", \"spine:p0\"], names: [Ethernet8, Ethernet0]",
    NULL,
};

static void a_list_of_cables(void **state)
{
    (void)state;
    cabled("cables.txt",
           "# the row\nleaf Ethernet0 h0 eth0\nspine, two, leaf, etp2 # by alias\n\n"
           "leaf Ethernet8 spine Ethernet0\r\n",
           all);
}

static void a_graph_of_the_fabric(void **state)
{
    (void)state;
    cabled("t.dot",
           "/* the row */ graph g {\n leaf:Ethernet0 -- h0:eth0\n leaf:etp2 -- spine:Ethernet4\n"
           " spine:one -- leaf:Ethernet8\n far:swp1 -- away:swp2\n}\n",
           all);
    assert_true(import("t.dot", "graph g {\nleaf:Ethernet0 -- h0:eth0\nfar:swp1 -- away:swp2\n}"));
    has(result.notes, "t.dot:3:1: note: cables between nodes without a config_db.json: left out");
    sonic_free(&result);
}

#define HEAD                                                                                       \
    "Capability codes: (R) Router, (B) Bridge, (O) Other\n"                                        \
    "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"                 \
    "-----------  --------------  --------------  ------------  ---------------\n"
#define TAIL "--------------------------------------------------\nTotal entries displayed:  3\n"

static void a_table_of_lldp(void **state)
{
    (void)state;
    cabled("out/leaf.lldp",
           HEAD "Ethernet0    h0              eth0            O             port of a host\n"
                "Ethernet4    spine.lab       two             BR            Ethernet4\n"
                "Ethernet8    spine           Ethernet0       BR\n"
                "eth0         office          ge-0/0/1        BR            uplink\n" TAIL,
           all);
}

static void tables_of_lldp_in_one_file(void **state)
{
    (void)state;
    cabled("all",
           "==> leaf.lldp <==\n" HEAD "Ethernet0    h0              eth0            O\n" TAIL
           "\n==> spine <==\n" HEAD "Ethernet0    leaf            etp3            BR\n"
           "Ethernet4    leaf            x               BR            Ethernet4\n" TAIL,
           (const char *const[]){
               all[0], "- {ends: [\"spine:p1\", \"leaf:p1\"], names: [Ethernet4, Ethernet4]",
               "- {ends: [\"spine:p0\", \"leaf:p2\"], names: [Ethernet0, Ethernet8]", NULL});
}

static void a_host_is_known_by_the_name_of_its_port(void **state)
{
    (void)state;
    cabled("leaf.lldp",
           "LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n"
           "-----------  --------------  -----------------  ------------  ---------------\n"
           "Ethernet0    h0              0c:42:a1:5d:11:02  O             eth0\n",
           (const char *const[]){all[0], NULL});
}

static void what_is_heard_twice_differently(void **state)
{
    (void)state;
    assert_true(import("leaf.lldp", HEAD "Ethernet0    h0              eth0            O\n"
                                         "Ethernet0    h1              eth0            O\n"));
    has(result.notes,
        "leaf Ethernet0 has a cable already, to h0 eth0 in leaf.lldp:4: that one is used");
    has(result.scenario, "hosts: [h0]");
    sonic_free(&result);
}

static void a_bridge_without_a_file_is_said_to_be_one(void **state)
{
    (void)state;
    assert_true(import("leaf.lldp", HEAD "Ethernet0    core            eth1/1          BR\n"));
    has(result.notes, "core reports the type switch but has no configuration file here; it is "
                      "imported as a host");
    sonic_free(&result);
}

static void what_only_a_picture_needs_is_counted(void **state)
{
    (void)state;
    assert_true(import("t.dot", "graph g {\n leaf:Ethernet0 -- h0:eth0 [color=red];\n}"));
    has(result.notes, "t.dot:2:2: note: the attribute color of 1 ");
    sonic_free(&result);
}

static void an_alias_of_two_ports(void **state)
{
    (void)state;
    static const char two[] =
        "{\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"tor\"}},\n\"PORT\": {"
        "\"Ethernet0\": " PORT("same") ", \"Ethernet4\": " PORT("same") "}}\n";
    const struct sonic_input inputs[] = {{"c", "tor same h0 eth0\n", 17},
                                         {"t", two, sizeof two - 1}};
    const struct sonic_ask ask = {.inputs = inputs, .count = 2};
    diag = (struct diag){0};
    assert_false(sonic_import(&ask, &result, &diag));
    has(diag.messages[0].text,
        "'same' is the alias of tor Ethernet0 and of Ethernet4: expected a port's name");
}

static void lists_that_are_wrong(void **state)
{
    (void)state;
    refused("c", "leaf Ethernet0\n", 1, 1, "expected a switch, its port, the neighbor and its");
    refused("c", "leaf Ethernet0 h0 eth0 5m\n", 1, 24, "expected a switch, its port");
    refused("c", "leef Ethernet0 h0 eth0\n", 1, 6, "neither 'leef' nor 'h0' is a switch");
    refused("c", "leaf Ethernet1 h0 eth0\n", 1, 6, "leaf has no port 'Ethernet1'; did you mean");
    refused("c", "h0 eth0 leaf\n", 1, 9, "expected the port of leaf");
    refused("c", "leaf etp1 h0 eth0\nleaf Ethernet0 h1 eth0\n", 2, 6,
            "leaf Ethernet0 has a cable already, to h0 eth0 in c:1");
    refused("c", "leaf etp1 spine one\nspine Ethernet0 leaf Ethernet4\n", 2, 7,
            "spine Ethernet0 has a cable already, to leaf etp1 in c:1");
}

static void tables_that_are_wrong(void **state)
{
    (void)state;
    refused("a.lldp", HEAD, 2, 1, "there is no switch 'a'");
    refused("leaf.lldp", "LocalPort    RemoteDevice\n-----------  ----\n", 2, 1,
            "expected dashes under the title RemotePortID");
    refused("leaf.lldp", HEAD "Ethernet0    h0              0c:42:a1:5d:11:02  O\n", 4, 46,
            "expected a row in the columns of the dashes");
    assert_false(import("t.dot", "graph g { leaf:Ethernet0 -- h0:eth0\n"));
}

static void a_list_that_says_the_same_again(void **state)
{
    (void)state;
    cabled("c", "leaf etp1 h0 eth0\nleaf Ethernet0 h0 eth0\nh0 eth0 leaf Ethernet0\n",
           (const char *const[]){all[0], NULL});
}

static void cables_without_a_switch(void **state)
{
    (void)state;
    const struct sonic_input input = {"c", "leaf a b c\n", 11};
    const struct sonic_ask ask = {.inputs = &input, .count = 1};
    diag = (struct diag){0};
    assert_false(sonic_import(&ask, &result, &diag));
    has(diag.messages[0].text, "expected also the config_db.json of at least one switch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_cables),
        cmocka_unit_test(a_graph_of_the_fabric),
        cmocka_unit_test(a_table_of_lldp),
        cmocka_unit_test(tables_of_lldp_in_one_file),
        cmocka_unit_test(a_host_is_known_by_the_name_of_its_port),
        cmocka_unit_test(what_is_heard_twice_differently),
        cmocka_unit_test(a_bridge_without_a_file_is_said_to_be_one),
        cmocka_unit_test(what_only_a_picture_needs_is_counted),
        cmocka_unit_test(an_alias_of_two_ports),
        cmocka_unit_test(lists_that_are_wrong),
        cmocka_unit_test(tables_that_are_wrong),
        cmocka_unit_test(a_list_that_says_the_same_again),
        cmocka_unit_test(cables_without_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
