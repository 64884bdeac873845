/* SPDX-License-Identifier: Apache-2.0
 * Flows on equal paths: 5-tuples as Linux makes them, a hash for each switch.
 * Bounds are those of a fair draw: the same flows give the same picks in each run, so that a test
 * that holds once holds. */
#include "net/route/route.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/qp.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WAYS_MAX = 16, FLOWS = 20000 };

/* One endpoint, and so many ports to it. */
static struct route_table fan(uint16_t ways)
{
    uint16_t ports[WAYS_MAX];
    for (uint16_t i = 0; i < ways; i++)
        ports[i] = i;
    struct route_table table = {.endpoint_count = 1, .used = 1};
    table.egress = calloc(1, sizeof *table.egress);
    table.groups = calloc(1, sizeof *table.groups);
    assert_non_null(table.egress);
    assert_non_null(table.groups);
    route_set(&table, 0, ports, ways);
    return table;
}

/* Between the same two hosts: queue pairs in a row on each side, as drivers number them. */
static uint32_t same_hosts(uint32_t flow)
{
    return qp_entropy(rnic_ip(1), rnic_ip(2), qp_udp_source_port(0x100 + flow, 0x4000 + flow));
}

/* Among many hosts, one queue pair each. */
static uint32_t many_hosts(uint32_t flow)
{
    return qp_entropy(rnic_ip(flow % 200), rnic_ip(1000 + flow / 200),
                      qp_udp_source_port(0x11, 0x11));
}

/* How far from even: sum of (found - expected)^2 / expected, in thousandths. */
static int64_t chi_square(const uint32_t *counts, uint32_t count, uint32_t total)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t off = (int64_t)counts[i] * count - total; /* count times the difference */
        sum += off * off * 1000 / ((int64_t)total * count);
    }
    return sum;
}

/* Picks of two tiers of four ports each, one after the other. */
static void count_pairs(uint32_t (*flow_of)(uint32_t), uint64_t seed, uint64_t next_seed,
                        uint32_t counts[16])
{
    struct route_table table = fan(4);
    memset(counts, 0, 16 * sizeof *counts);
    for (uint32_t i = 0; i < FLOWS; i++) {
        const uint32_t entropy = flow_of(i);
        counts[4 * route_pick(&table, 0, entropy, seed) +
               route_pick(&table, 0, entropy, next_seed)]++;
    }
    route_table_fini(&table);
}

/* 15 degrees of freedom: 37.7 is passed once in a thousand draws. */
static void own_seeds_use_every_path_alike(void **state)
{
    (void)state;
    uint32_t counts[16];
    for (uint64_t seed = 1; seed < 20; seed++) {
        count_pairs(many_hosts, hash_mix(seed), hash_mix(seed + 100), counts);
        assert_in_range(chi_square(counts, 16, FLOWS), 1000, 37700);
        count_pairs(same_hosts, hash_mix(seed), hash_mix(seed + 100), counts);
        assert_in_range(chi_square(counts, 16, FLOWS), 1000, 60000); /* few source ports */
    }
}

/* What reaches a switch of the second tier has been picked by the same hash: one of n ways. */
static void equal_seeds_polarize(void **state)
{
    (void)state;
    uint32_t counts[16], used = 0;
    count_pairs(many_hosts, hash_mix(7), hash_mix(7), counts);
    for (int i = 0; i < 16; i++)
        used += counts[i] > 0;
    assert_int_equal(used, 4);
}

/* n flows on m paths: (1 - 1/m)^n of the paths stay empty, and all go apart in m!/(m-n)!/m^n of the
 * draws. */
static void flows_collide_like_balls_in_bins(void **state)
{
    (void)state;
    enum { DRAWS = 4000, PATHS = 8, FEW = 4 };
    struct route_table table = fan(PATHS);
    uint32_t empty = 0, apart = 0;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        unsigned used = 0, used_by_few = 0;
        for (uint32_t flow = 0; flow < PATHS; flow++) {
            used |= 1u << route_pick(&table, 0, many_hosts(draw * PATHS + flow), hash_mix(3));
            if (flow == FEW - 1)
                used_by_few = used;
        }
        empty += PATHS - (uint32_t)__builtin_popcount(used);
        apart += __builtin_popcount(used_by_few) == FEW;
    }
    /* 8 * (7/8)^8 = 2.7489 a draw, sd 0.79; 8*7*6*5 / 8^4 = 0.41016, sd 0.49; within 4 sigma */
    assert_in_range(empty, 10996 - 200, 10996 + 200);
    assert_in_range(apart, 1641 - 125, 1641 + 125);
    route_table_fini(&table);
}

/* A group that shrinks moves the flows of all, as a hash modulo its size does. */
static void a_group_of_one_is_a_port(void **state)
{
    (void)state;
    struct route_table table = fan(5);
    const uint16_t one = 9;
    route_set(&table, 0, &one, 1);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(route_pick(&table, 0, many_hosts(i), 1), 9);
    route_set(&table, 0, NULL, 0);
    assert_int_equal(route_pick(&table, 0, many_hosts(0), 1), UINT16_MAX);
    route_table_fini(&table);
}

/* Frames by the uplinks of the sender's leaf, of many queue pairs between the same two hosts. */
static void uplinks(const char *hash, uint64_t sent[4])
{
    static struct diag diag;
    static const char text[] =
        "stormglass: 1\nname: t\nduration: 200us\nfabric:\n"
        "  topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts-per-leaf: 1}\n"
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, qps: 64}]\n";
    const struct scenario_input input = {
        .name = "t.yaml", .text = text, .length = strlen(text), .sets = &hash, .set_count = 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe_none, &diag);
    assert_non_null(world);
    world->engine.hostile = false;
    while (world_run(world, TIME_NEVER))
        ;
    for (int i = 0; i < 4; i++)
        sent[i] = port_frames_sent(&world->switches[0]->ports[1 + i]);
    world_free(world);
    scenario_free(scenario);
}

static void a_hash_sees_the_fields_that_it_is_given(void **state)
{
    (void)state;
    uint64_t sent[4];
    unsigned used = 0;
    uplinks("fabric.switch.ecmp-hash=addresses", sent);
    for (int i = 0; i < 4; i++)
        used += sent[i] > 0;
    assert_int_equal(used, 1);
    uplinks("fabric.switch.ecmp-hash=5-tuple", sent);
    for (int i = 0; i < 4; i++)
        assert_true(sent[i] > 100);
    uint64_t others[4];
    uplinks("fabric.switch.ecmp-hash=queue-pair", others);
    for (int i = 0; i < 4; i++)
        assert_true(others[i] > 100);
    assert_memory_not_equal(sent, others, sizeof sent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_seeds_use_every_path_alike),
        cmocka_unit_test(equal_seeds_polarize),
        cmocka_unit_test(flows_collide_like_balls_in_bins),
        cmocka_unit_test(a_group_of_one_is_a_port),
        cmocka_unit_test(a_hash_sees_the_fields_that_it_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
