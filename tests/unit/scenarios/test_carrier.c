/* SPDX-License-Identifier: Apache-2.0
 * A link without carrier, a switch without power, and bits that flip. */
#include "base/drop.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"
#include "tests/unit/net/pump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ ports */

struct pair {
    struct engine engine;
    struct frame_pool frames;
    struct pump a, b;
};

static void pair_init(struct pair *pair)
{
    struct port_params params;
    opt_presets(port_opts, &params);
    engine_init(&pair->engine, 1);
    pair->engine.hostile = true;
    frame_pool_init(&pair->frames);
    pump_init(&pair->a, &pair->engine, "a", &params, &pair->frames);
    pump_init(&pair->b, &pair->engine, "b", &params, &pair->frames);
    port_join(&pair->a.port, pump_ingress, &pair->b.port, pump_ingress);
    engine_start(&pair->engine);
    pump_start(&pair->a, 0);
    engine_run(&pair->engine, 10 * PS_PER_US);
    const struct probe_pause why = {.at = 10 * PS_PER_US, .priority = 3, .xoff = true};
    port_pfc_assert(&pair->b.port, 3, &why);
    engine_run(&pair->engine, 20 * PS_PER_US);
}

static void set_up(struct pair *pair, bool up)
{
    port_set_up(&pair->a.port, up, pair->engine.now);
    port_set_up(&pair->b.port, up, pair->engine.now);
}

static void pair_fini(struct pair *pair)
{
    engine_fini(&pair->engine);
    frame_pool_fini(&pair->frames);
}

/* A pause does not outlive the carrier; the port that still needs it tells it again at once. */
static void carrier_takes_pauses_with_it(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair);
    assert_int_equal(pair.a.port.paused, 1 << 3);
    set_up(&pair, false);
    assert_int_equal(pair.a.port.paused, 0);
    assert_int_equal(pair.b.port.asserted, 1 << 3);
    engine_run(&pair.engine, 30 * PS_PER_US);
    const uint64_t received = pair.b.received;
    set_up(&pair, true);
    engine_run(&pair.engine, 32 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 1 << 3);
    assert_int_equal(pair.a.port.pauses[3].rx_xoff, 2);
    assert_in_range(pair.b.received, received + 1, received + 20);
    pair_fini(&pair);
}

/* Released meanwhile: the peer has nothing to be told. */
static void a_pause_that_ended_without_carrier_is_over(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair);
    set_up(&pair, false);
    engine_run(&pair.engine, 30 * PS_PER_US);
    const struct probe_pause why = {.at = 30 * PS_PER_US, .priority = 3};
    port_pfc_release(&pair.b.port, 3, &why);
    set_up(&pair, true);
    engine_run(&pair.engine, 40 * PS_PER_US);
    assert_int_equal(pair.a.port.paused, 0);
    assert_int_equal(pair.a.port.pauses[3].rx_xoff, 1);
    assert_int_equal(pair.a.port.pauses[3].rx_xon, 0);
    pair_fini(&pair);
}

/* ------------------------------------------------------------------ worlds */

static struct scenario *load(const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

static struct world *build(const struct scenario *scenario, const struct probe *probe)
{
    static struct diag diag;
    struct world *world = world_build(scenario, probe, &diag);
    assert_non_null(world);
    return world;
}

#define INCAST                                                                                     \
    "stormglass: 1\nname: t\nduration: 1ms\ndrain: 100us\nfabric:\n"                               \
    "  topology: {kind: single-switch, hosts: 4}\n"                                                \
    "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 50KB}\n"                              \
    "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, timeout: 4, "             \
    "retry-count: 7}}}\n"                                                                          \
    "workloads: [{name: w, kind: rdma-write, from: \"host1..host3\", to: host0}]\n"

static void on_drop(void *self, const struct probe_drop *drop)
{
    assert_int_equal(drop->cause, PROBE_DROP_LINK_DOWN);
    (*(uint64_t *)self)++;
}

static void a_switch_without_power_is_empty(void **state)
{
    (void)state;
    struct scenario *scenario =
        load(INCAST "faults: [{kind: switch-down, where: switch0, at: 500us, for: 100us}]\n");
    uint64_t drops = 0;
    struct probe probe = probe_none;
    probe.self = &drops;
    probe.drop = on_drop;
    struct world *world = build(scenario, &probe);
    struct swtch *swtch = world->switches[0];
    (void)world_run(world, 500 * PS_PER_US - 1);
    assert_true(buffer_bytes(&swtch->buffer, swtch->buffer.used) > 100000);
    assert_true((swtch->ports[1].asserted | swtch->ports[2].asserted | swtch->ports[3].asserted) ==
                1 << 3);
    assert_int_equal(drops, 0);
    (void)world_run(world, 500 * PS_PER_US);
    assert_int_equal(swtch->buffer.used, 0);
    assert_true(drops > 20);
    uint64_t dropped = 0; /* each is its port's */
    for (uint16_t i = 0; i < swtch->port_count; i++)
        dropped += swtch->port_counters[i].dropped[PROBE_DROP_LINK_DOWN];
    assert_int_equal(swtch->counters.dropped[PROBE_DROP_LINK_DOWN], dropped);
    assert_in_range(dropped, 20, drops); /* some are lost on their wires */
    for (uint16_t p = 0; p < swtch->port_count; p++) {
        assert_int_equal(swtch->ports[p].asserted | swtch->ports[p].paused, 0);
        assert_int_equal(swtch->ports[p].ready | swtch->ports[p].pfc_due, 0);
    }
    (void)world_run(world, 510 * PS_PER_US); /* what was on a wire has arrived */
    const uint64_t done = world->stats[0].completed;
    (void)world_run(world, 599 * PS_PER_US);
    assert_int_equal(world->stats[0].completed, done);
    while (world_run(world, TIME_NEVER))
        ;
    assert_true(world->stats[0].completed > done);
    assert_int_equal(world->stats[0].failed, 0);
    assert_int_equal(world_outstanding(world, 0), 0);
    world_audit(world);
    world_free(world);
    scenario_free(scenario);
}

/* Leaf 0 loses one of two ways: what its hash sends there is lost until it knows, and no longer. */
static void drops_last_for_the_detection_time(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("stormglass: 1\nname: t\nduration: 2ms\ndrain: 100ms\nfabric:\n"
             "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 1}\n"
             "  routing: {detection: 100us, convergence: 300us}\n"
             "hosts: {defaults: {rnic: {profile: ideal, timeout: 4}}}\n"
             "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, qps: 16}]\n"
             "faults: [{kind: link-down, where: leaf0-spine0, at: 500us}]\n");
    struct world *world = build(scenario, &probe_none);
    struct swtch *leaf = world_switch(world, scenario_find_node(scenario, "leaf0"));
    struct swtch *spine = world_switch(world, scenario_find_node(scenario, "spine0"));
    (void)world_run(world, 600 * PS_PER_US - 1);
    const uint64_t sent = port_frames_sent(&leaf->ports[1]);
    assert_int_equal(spine->counters.dropped[PROBE_DROP_NO_ROUTE], 0);
    assert_true(sent > 100);
    (void)world_run(world, 900 * PS_PER_US);
    assert_int_equal(port_frames_sent(&leaf->ports[1]), sent);
    const uint64_t no_route = spine->counters.dropped[PROBE_DROP_NO_ROUTE];
    assert_true(no_route > 0); /* answers, for leaf 1 has not heard of it */
    (void)world_run(world, 1000 * PS_PER_US);
    const uint64_t last = spine->counters.dropped[PROBE_DROP_NO_ROUTE];
    while (world_run(world, TIME_NEVER))
        ;
    assert_int_equal(spine->counters.dropped[PROBE_DROP_NO_ROUTE], last);
    assert_int_equal(world->stats[0].failed, 0);
    assert_int_equal(world_outstanding(world, 0), 0);
    world_free(world);
    scenario_free(scenario);
}

/* Errors are a Poisson process over the bits of each direction: of frames with b bits together some
 * b * rate are corrupt, give or take the root of it. */
static void bit_errors_come_at_their_rate(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("stormglass: 1\nname: t\nduration: 10ms\ndrain: 200ms\nfabric:\n"
             "  topology: {kind: single-switch, hosts: 2}\n"
             "  host-links: {mtu: 1500B}\n"
             "hosts: {defaults: {rnic: {profile: ideal, path-mtu: 1024B, timeout: 4}}}\n"
             "workloads:\n"
             "  - {name: there, kind: rdma-write, from: host0, to: host1, qps: 8}\n"
             "  - {name: back, kind: rdma-write, from: host1, to: host0, qps: 8}\n"
             "faults: [{kind: bit-errors, where: host0-switch0, rate: 4e-7}]\n");
    struct world *world = build(scenario, &probe_none);
    world->engine.hostile = false;
    while (world_run(world, TIME_NEVER))
        ;
    const struct port *ends[2] = {world_port(world, 0, 0), &world->switches[0]->ports[0]};
    for (int i = 0; i < 2; i++) {
        int64_t bits = 0;
        for (int p = 0; p < PRIORITIES; p++)
            bits += (int64_t)ends[i]->prios[p].tx_bytes * 8;
        const int64_t expected = bits / 2500000, found = (int64_t)ends[1 - i]->corrupt;
        print_message("%lld corrupt frames of %lld expected\n", (long long)found,
                      (long long)expected);
        assert_true(expected > 100);
        assert_true((found - expected) * (found - expected) < 9 * expected); /* 3 sigma */
    }
    assert_int_equal(world->stats[0].failed + world->stats[1].failed, 0);
    world_free(world);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrier_takes_pauses_with_it),
        cmocka_unit_test(a_pause_that_ended_without_carrier_is_over),
        cmocka_unit_test(a_switch_without_power_is_empty),
        cmocka_unit_test(drops_last_for_the_detection_time),
        cmocka_unit_test(bit_errors_come_at_their_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
