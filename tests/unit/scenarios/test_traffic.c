/* SPDX-License-Identifier: Apache-2.0
 * What workloads send through a fabric: each pair in both directions, and pairs that are routed
 * alike once. */
#include "scenarios/check/traffic.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct scenario *scenario;
    struct route_table *tables;
    struct traffic traffic;
};

static struct fixture gather(const char *topology, const char *workload)
{
    static struct diag diag;
    struct fixture fixture;
    char text[512];
    diag = (struct diag){0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nfabric: {topology: %s}\nworkloads: [{name: w, %s}]\n",
             topology, workload);
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    fixture.scenario = scenario_load(&input, &diag);
    if (fixture.scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    fixture.tables = routing_compute(fixture.scenario, NULL);
    traffic_gather(&fixture.traffic, fixture.scenario, fixture.tables);
    return fixture;
}

static void end(struct fixture *fixture)
{
    traffic_free(&fixture->traffic);
    routing_free(fixture->scenario, fixture->tables);
    scenario_free(fixture->scenario);
}

static uint32_t count_of(const struct fixture *fixture, enum dependency_load load)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixture->traffic.count; i++)
        count += fixture->traffic.entries[i].load == load;
    return count;
}

/* Data one way and acknowledgments the other between every two leaves: the table grows often, and
 * nothing is lost or found twice. */
static void every_pair_of_leaves_is_there(void **state)
{
    (void)state;
    enum { LEAVES = 40 };
    struct fixture fixture = gather("{kind: leaf-spine, leaves: 40, spines: 1, hosts-per-leaf: 1}",
                                    "kind: rdma-write, from: \"host*\", to: \"host*\", "
                                    "pairing: all-to-all");
    static bool seen[2][LEAVES][LEAVES];
    memset(seen, 0, sizeof seen);
    assert_int_equal(fixture.traffic.count, 2 * LEAVES * (LEAVES - 1));
    for (uint32_t i = 0; i < fixture.traffic.count; i++) {
        const struct dependency_traffic *entry = &fixture.traffic.entries[i];
        const uint32_t from = fixture.scenario->nodes[entry->from].index;
        const uint32_t to = fixture.scenario->nodes[entry->to].index;
        bool *once = &seen[entry->load == DEPENDENCY_DATA][from][to];
        assert_true(from != to && !*once);
        *once = true;
        assert_int_equal(entry->endpoint, to);
        assert_int_equal(entry->entry, fixture.scenario->nodes[entry->from].ports[0].peer_node);
    }
    uint32_t groups = 0;
    for (uint32_t i = 0; i < fixture.traffic.count; groups++) {
        const uint32_t group = traffic_group(&fixture.traffic, i);
        assert_int_equal(group, LEAVES - 1);
        i += group;
    }
    assert_int_equal(groups, 2 * LEAVES);
    end(&fixture);
}

static void hosts_of_a_leaf_are_alike(void **state)
{
    (void)state;
    struct fixture fixture = gather("{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}",
                                    "kind: rdma-write, from: \"host0..host3\", "
                                    "to: \"host4..host7\", pairing: all-to-all");
    assert_int_equal(fixture.traffic.count, 2);
    assert_int_equal(count_of(&fixture, DEPENDENCY_DATA), 1);
    assert_int_equal(count_of(&fixture, DEPENDENCY_CONTROL), 1);
    end(&fixture);
}

static void a_host_with_a_route_of_its_own_is_not(void **state)
{
    (void)state;
    struct fixture fixture = gather("{kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}, "
                                    "routes: [{at: leaf0, to: host5, via: spine1}]",
                                    "kind: rdma-write, from: \"host0..host3\", "
                                    "to: \"host4..host7\", pairing: all-to-all");
    assert_int_equal(count_of(&fixture, DEPENDENCY_DATA), 2);
    assert_int_equal(count_of(&fixture, DEPENDENCY_CONTROL), 1);
    end(&fixture);
}

/* Reads bring their data back, writes send it; a mix does both. */
static void data_goes_where_the_operation_says(void **state)
{
    (void)state;
    static const struct {
        const char *workload;
        uint32_t data, control;
        bool out, back; /* from host0, and to it */
    } rows[] = {
        {"kind: rdma-write", 1, 1, true, false},
        {"kind: rdma-send", 1, 1, true, false},
        {"kind: rdma-read", 1, 2, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s, from: host0, to: host1", rows[i].workload);
        struct fixture fixture =
            gather("{kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}", text);
        bool out = false, back = false;
        for (uint32_t k = 0; k < fixture.traffic.count; k++) {
            const struct dependency_traffic *entry = &fixture.traffic.entries[k];
            const bool data = entry->load == DEPENDENCY_DATA;
            out |= data && fixture.scenario->nodes[entry->to].index == 1;
            back |= data && fixture.scenario->nodes[entry->to].index == 0;
        }
        if (count_of(&fixture, DEPENDENCY_DATA) != rows[i].data ||
            count_of(&fixture, DEPENDENCY_CONTROL) != rows[i].control || out != rows[i].out ||
            back != rows[i].back)
            fail_msg("%s: %u and %u", rows[i].workload, count_of(&fixture, DEPENDENCY_DATA),
                     count_of(&fixture, DEPENDENCY_CONTROL));
        end(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_leaves_is_there),
        cmocka_unit_test(hosts_of_a_leaf_are_alike),
        cmocka_unit_test(a_host_with_a_route_of_its_own_is_not),
        cmocka_unit_test(data_goes_where_the_operation_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
