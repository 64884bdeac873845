/* SPDX-License-Identifier: Apache-2.0
 * The counters of ports, from tables that are written by hand: by each name that a port has, and
 * none under a name that several have. */
#include "replay/database/port_counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Of the tables what is read.  leaf0's ports are called by the equipment, one of them as another of
 * leaf1 is; host0 has one port, which has the node's name; leaf1's second has no counters. */
static const char tables[] =
    "CREATE TABLE node(node, name, kind, link_layer DEFAULT 'ethernet');"
    "INSERT INTO node(node, name, kind) VALUES(0, 'host0', 'host'), (1, 'leaf0', 'switch'), (2, "
    "'leaf1', 'switch'),"
    " (3, 'alone', 'switch');"
    "CREATE TABLE port(node, port, name);"
    "INSERT INTO port VALUES(2, 1, 'leaf1:p1'), (0, 0, 'host0'), (1, 0, 'leaf0:Ethernet0'),"
    " (1, 12, 'leaf0:Ethernet4'), (2, 0, 'leaf1:Ethernet4'), (3, 7, 'alone:p7');"
    "CREATE TABLE counter(node, port, name, priority, value);"
    "INSERT INTO counter VALUES(1, 12, 'rx_prio3_pause', 3, 11), (1, 12, 'rx_prio4_pause', 4, 12),"
    " (1, 12, 'of_another_version', NULL, 13), (1, 12, 'rx_packets_phy', NULL, 14),"
    " (0, 0, 'rx_prio3_pause', 3, 21), (2, 0, 'rx_prio3_pause', 3, 31),"
    " (9, 0, 'rx_prio3_pause', 3, 41), (1, NULL, 'rx_packets_phy', NULL, 51);";

static struct store *store;
static struct port_counters counters;

static int set_up(void **state)
{
    (void)state;
    char error[STORE_ERROR_BYTES];
    const struct store_beginning beginning = {.kind = STORE_RUN, .schema = tables};
    store = store_create(NULL, &beginning, error);
    assert_non_null(store);
    port_counters_load(&counters, store);
    assert_null(store_error(store));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    port_counters_free(&counters);
    assert_int_equal(counters.port_count, 0);
    assert_true(store_close(store));
    return 0;
}

static enum counter_id id_of(const char *name)
{
    enum counter_id id;
    int priority;
    assert_true(counter_find(name, &id, &priority));
    return id;
}

static void ports_are_in_order_with_all_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *node, *numbered, *equipment;
        bool of_switch;
        uint32_t count;
    } expected[] = {
        {"host0", "host0", "host0:p0", NULL, false, 1},
        {"leaf0:Ethernet0", "leaf0", "leaf0:p0", "Ethernet0", true, 0},
        {"leaf0:Ethernet4", "leaf0", "leaf0:p12", "Ethernet4", true, 3},
        {"leaf1:Ethernet4", "leaf1", "leaf1:p0", "Ethernet4", true, 1},
        {"leaf1:p1", "leaf1", "leaf1:p1", NULL, true, 0},
        {"alone:p7", "alone", "alone:p7", NULL, true, 0},
    };
    assert_int_equal(counters.port_count, sizeof expected / sizeof expected[0]);
    uint32_t values = 0;
    for (uint32_t i = 0; i < counters.port_count; i++) {
        const struct port_counters_port *port = &counters.ports[i];
        assert_string_equal(port->name, expected[i].name);
        assert_string_equal(port->node, expected[i].node);
        assert_string_equal(port->numbered, expected[i].numbered);
        assert_int_equal(port->equipment != NULL, expected[i].equipment != NULL);
        if (port->equipment != NULL)
            assert_string_equal(port->equipment, expected[i].equipment);
        assert_int_equal(port->of_switch, expected[i].of_switch);
        assert_int_equal(port->first, values);
        assert_int_equal(port->count, expected[i].count);
        values += port->count;
    }
    assert_int_equal(counters.value_count, values);
}

static void a_port_is_found_by_each_name_that_is_its_alone(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int port; /* -1: none, or several */
    } rows[] = {
        {"host0", 0},      {"host0:p0", 0},  {"leaf0", -1},          {"leaf0:Ethernet0", 1},
        {"leaf0:p0", 1},   {"Ethernet0", 1}, {"leaf0:Ethernet4", 2}, {"leaf0:p12", 2},
        {"Ethernet4", -1}, {"leaf1:p0", 3},  {"leaf1:Ethernet4", 3}, {"leaf1:p1", 4},
        {"leaf1", -1},     {"alone", 5},     {"alone:p7", 5},        {"p7", -1},
        {"", -1},          {"zz", -1},       {"leaf0:", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct port_counters_port *found = port_counters_find(&counters, rows[i].name);
        assert_ptr_equal(found, rows[i].port < 0 ? NULL : &counters.ports[rows[i].port]);
    }
    for (uint32_t i = 1; i < counters.key_count; i++)
        assert_true(strcmp(counters.keys[i - 1].name, counters.keys[i].name) < 0);
}

static void values_are_the_ports_own(void **state)
{
    (void)state;
    const struct port_counters_port *port = &counters.ports[2];
    const enum counter_id pause = id_of("rx_prio3_pause"), packets = id_of("rx_packets_phy");
    assert_int_equal(port_counters_get(&counters, port, pause, 3), 11);
    assert_int_equal(port_counters_get(&counters, port, pause, 4), 12);
    assert_int_equal(port_counters_get(&counters, port, pause, 5), 0);
    assert_int_equal(port_counters_get(&counters, port, pause, -1), 0);
    assert_int_equal(port_counters_get(&counters, port, packets, -1), 14);
    assert_int_equal(port_counters_get(&counters, port, packets, 0), 0);
    assert_int_equal(port_counters_get(&counters, &counters.ports[0], pause, 3), 21);
    assert_int_equal(port_counters_get(&counters, &counters.ports[0], packets, -1), 0);
    assert_int_equal(port_counters_get(&counters, &counters.ports[3], pause, 3), 31);
    assert_int_equal(port_counters_get(&counters, &counters.ports[4], pause, 3), 0);
}

/* By the scope of each counter. */
static void a_kind_of_port_has_its_counters(void **state)
{
    (void)state;
    unsigned of_host = 0, of_switch = 0;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const enum counter_scope scope = counters_about[i].scope;
        const bool host = port_counters_has(&counters.ports[0], (enum counter_id)i);
        const bool swtch = port_counters_has(&counters.ports[1], (enum counter_id)i);
        const bool of_any = scope == COUNTER_OF_PRIORITY || scope == COUNTER_OF_PORT;
        assert_int_equal(host, of_any || scope == COUNTER_OF_RNIC);
        assert_int_equal(swtch, of_any || scope == COUNTER_OF_SWITCH_PRIORITY ||
                                    scope == COUNTER_OF_SWITCH_PORT);
        of_host += host;
        of_switch += swtch;
    }
    assert_true(of_host > 0 && of_switch > 0);
}

static void a_run_without_ports_has_none(void **state)
{
    (void)state;
    struct port_counters none;
    store_exec(store, "DELETE FROM port");
    port_counters_load(&none, store);
    assert_int_equal(none.port_count + none.value_count + none.key_count, 0);
    assert_null(port_counters_find(&none, "host0"));
    port_counters_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_are_in_order_with_all_their_names),
        cmocka_unit_test(a_port_is_found_by_each_name_that_is_its_alone),
        cmocka_unit_test(values_are_the_ports_own),
        cmocka_unit_test(a_kind_of_port_has_its_counters),
        cmocka_unit_test(a_run_without_ports_has_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
