/* SPDX-License-Identifier: Apache-2.0
 * test_harm - which cause is named for which evidence, and in which order. */
#include "base/drop.h"
#include "harm_fixture.h"
#include "replay/explain/verdict.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ frames that were dropped */

static const struct dropped {
    const char *kind, *text, *name;
    enum harm_suspect suspect;
    struct observe_drops drops; /* 9 frames */
} dropped[] = {
    {"frame-loss",
     FAULT "drop-every, where: \"switch0:p2\", n: 9}]\n",
     "faults.0",
     HARM_FAULT,
     {SWITCH, 2, 3, PROBE_DROP_INJECTED, false, 9, 900, 1, 2}},
    {"frame-loss", "", "host1:p0", HARM_LINK, {1, 0, 3, PROBE_DROP_INJECTED, false, 9, 900, 1, 2}},
    {"bit-errors",
     FAULT "bit-errors, where: \"switch0:p2\"}]\n",
     "faults.0",
     HARM_FAULT,
     {2, 0, 3, PROBE_DROP_CORRUPT, false, 9, 900, 1, 2}},
    {"bit-errors",
     FAULT "bit-errors, where: \"switch0:p2\", rate: 1e-15}, "
           "{at: 0us, kind: bit-errors, where: \"switch0:p2\", rate: 1e-7}]\n",
     "faults.1",
     HARM_FAULT,
     {2, 0, 3, PROBE_DROP_CORRUPT, false, 9, 900, 1, 2}},
    {"bit-errors", /* the harsher one began afterwards */
     FAULT "bit-errors, where: \"switch0:p2\", rate: 1e-15}, "
           "{at: 1us, kind: bit-errors, where: \"switch0:p2\", rate: 1e-7}]\n",
     "faults.0",
     HARM_FAULT,
     {2, 0, 3, PROBE_DROP_CORRUPT, false, 9, 900, 1, 2}},
    {"ttl",
     "hosts: {defaults: {rnic: {profile: ideal}}, old: {where: host1, rnic: {ttl: 1}}}\n",
     "hosts.old.rnic.ttl",
     HARM_SETTING,
     {SWITCH, 1, 3, PROBE_DROP_TTL, false, 9, 900, 1, 2}},
    {"ttl", "", "switch0", HARM_SWITCH, {SWITCH, 1, 3, PROBE_DROP_TTL, false, 9, 900, 1, 2}},
    {"no-route",
     FAULT "switch-down, where: switch0, for: 1us}]\n",
     "faults.0",
     HARM_FAULT,
     {SWITCH, 1, 3, PROBE_DROP_NO_ROUTE, false, 9, 900, 1, 2}},
    {"link-down",
     FAULT "link-down, where: host0-switch0, for: 1us}]\n",
     "faults.0",
     HARM_FAULT,
     {SWITCH, 0, 3, PROBE_DROP_LINK_DOWN, false, 9, 900, 1, 2}},
    {"pfc-off",
     FAULT "pfc-off, where: \"switch0:p1\"}]\n",
     "faults.0",
     HARM_FAULT,
     {SWITCH, 1, 3, PROBE_DROP_BUFFER, true, 9, 900, 1, 2}},
    {"headroom", "", "switch0", HARM_SWITCH, {SWITCH, 1, 3, PROBE_DROP_BUFFER, true, 9, 900, 1, 2}},
    {"lossy-class",
     "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host0, rnic: {priority: 1}}}\n",
     "hosts.odd.rnic.priority",
     HARM_SETTING,
     {SWITCH, 0, 1, PROBE_DROP_EGRESS, false, 9, 900, 1, 2}},
    {"watchdog",
     "",
     "switch0",
     HARM_SWITCH,
     {SWITCH, 2, 3, PROBE_DROP_WATCHDOG, false, 9, 900, 1, 2}},
    {"slow-host",
     "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host2, rnic: {drain: 1Gbps}}}\n",
     "hosts.odd.rnic.drain",
     HARM_SETTING,
     {2, 0, 3, PROBE_DROP_RX_BUFFER, true, 9, 900, 1, 2}},
};

static void drops_have_a_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        const struct dropped *row = &dropped[i];
        struct fixture fixture;
        char text[1000];
        snprintf(text, sizeof text, "%s%s%s", STAR, WRITES, row->text);
        build(&fixture, text);
        fixture.uses[0].lost = fixture.uses[1].lost = PPM / 2;
        fixture.scene.drops = &row->drops;
        fixture.scene.drop_count = 1;
        judge(&fixture);
        expect_first(&fixture, row->kind, row->suspect, row->name);
        assert_int_equal(fixture.harm.drops, 9);
        assert_int_equal(fixture.harm.lossless_drops, row->drops.lossless ? 9 : 0);
        assert_true(fixture.harm.severity >= HARM_MODERATE);
        raze(&fixture);
    }
}

static void a_port_that_takes_less_is_named_by_its_mtu(void **state)
{
    (void)state;
    const struct observe_drops drops = {SWITCH, 2, 3, PROBE_DROP_MTU, false, 9, 900, 1, 2};
    struct fixture fixture;
    build(&fixture, STAR "  overrides: [{where: \"switch0:p2\", mtu: 1500B}]\n" WRITES);
    fixture.scene.drops = &drops;
    fixture.scene.drop_count = 1;
    judge(&fixture); /* what was seen gives it its kind, whatever is only supposed */
    expect_first(&fixture, "mtu", HARM_SETTING, "fabric.overrides[0].mtu");
    assert_string_equal(fixture.harm.causes[0].port, "switch0:p2");
    assert_string_equal(fixture.harm.causes[0].node, "switch0");
    assert_int_equal(fixture.harm.causes[0].priority, 3);
    raze(&fixture);
}

/* ------------------------------------------------------------------ pauses */

static const struct rooted {
    const char *kind, *text, *name;
    enum harm_suspect suspect;
    enum explain_kind root;
    uint32_t port;
} rooted[] = {
    {"slow-host", FAULT "slow-receiver, where: host2}]\n", "faults.0", HARM_FAULT,
     EXPLAIN_SLOW_RECEIVER, 2},
    {"slow-host", "", "host2", HARM_HOST, EXPLAIN_SLOW_RECEIVER, 2},
    {"pause-storm", FAULT "pause-storm, where: host2, priority: 3}]\n", "faults.0", HARM_FAULT,
     EXPLAIN_STORM, 2},
    {"pause-storm", "", "host2", HARM_HOST, EXPLAIN_STORM, 2},
    {"load", "", "load", HARM_LOAD, EXPLAIN_CONGESTION, 6},
};

static void pauses_have_a_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rooted / sizeof rooted[0]; i++) {
        struct explain_root root = {
            .port = rooted[i].port, .priority = 3, .kind = rooted[i].root, .held_ps = 1000};
        struct explain_path path = {.root = 0, .hops = 1, .port = 0, .held_ps = 1000};
        struct fixture fixture;
        char text[1000];
        snprintf(text, sizeof text, "%s%s%s", STAR, WRITES, rooted[i].text);
        build(&fixture, text);
        struct explain explain = {.fabric = &fixture.fabric,
                                  .roots = &root,
                                  .root_count = 1,
                                  .paths = &path,
                                  .path_count = 1,
                                  .verdict = {.all_ps = 1000, .first_ps = 1000}};
        fixture.scene.explain = &explain;
        fixture.uses[0].blocked = PPM / 2;
        judge(&fixture);
        expect_first(&fixture, rooted[i].kind, rooted[i].suspect, rooted[i].name);
        /* host0's transmitter was stopped, host1's was not */
        assert_int_equal(fixture.harm.causes[0].victim_count, 1);
        assert_string_equal(fixture.harm.causes[0].victims[0].host, "host0");
        assert_int_equal(fixture.harm.causes[0].victims[0].lost, PPM / 2);
        assert_int_equal(fixture.harm.causes[0].victims[0].class, HARM_DIRECT);
        assert_int_equal(fixture.harm.causes[0].victims[0].paused, 1000);
        assert_int_equal(fixture.harm.causes[0].root, 0);
        assert_int_equal(fixture.harm.lost_ps, PS_PER_MS / 2);
        assert_int_equal(fixture.harm.severity,
                         rooted[i].suspect == HARM_LOAD ? HARM_SLIGHT : HARM_SEVERE);
        raze(&fixture);
    }
}

/* Pauses of one class stop nobody of another, those of a whole port everybody. */
static void a_pause_has_victims_of_its_own_priority(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t victims;
    } rows[] = {
        {STAR "workloads: [{name: w, kind: rdma-write, from: host0, to: host2, dscp: 34}]\n", 0},
        {STAR WRITES, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct explain_root root = {
            .port = 6, .priority = 3, .kind = EXPLAIN_CONGESTION, .held_ps = 1000};
        struct explain_path path = {.root = 0, .hops = 1, .port = 0, .held_ps = 1000};
        struct fixture fixture;
        build(&fixture, rows[i].text);
        struct explain explain = {.fabric = &fixture.fabric,
                                  .roots = &root,
                                  .root_count = 1,
                                  .paths = &path,
                                  .path_count = 1,
                                  .verdict = {.all_ps = 1000, .first_ps = 1000}};
        fixture.scene.explain = &explain;
        fixture.uses[0].blocked = PPM / 2;
        judge(&fixture);
        assert_int_equal(fixture.harm.victims, rows[i].victims);
        raze(&fixture);
    }
}

/* ------------------------------------------------------------------ counters */

static void a_class_that_gets_little_is_starved(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR "  switch: {weight: {3: 1, 4: 50}}\n" WRITES);
    struct port *port = world_port(fixture.world, SWITCH, 2);
    fixture.uses[SWITCH + 2].busy = PPM;
    port->prios[3].peak = 1 << 20;
    port->prios[3].tx_bytes = 1000;
    port->prios[4].tx_bytes = 50000;
    judge(&fixture);
    expect_first(&fixture, "starvation", HARM_SETTING, "fabric.switch.weight-3");
    raze(&fixture);
}

static void messages_without_a_receive_are_their_workloads(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR "workloads: [{name: s, kind: rdma-send, from: host0, to: host2, receives: "
                         "1}]\n");
    world_host(fixture.world, 2)->rnics[0]->counters.rnr_naks_sent = 5;
    fixture.uses[0].refused = PPM / 2;
    judge(&fixture);
    expect_first(&fixture, "rnr", HARM_SETTING, "workloads.s.receives");
    raze(&fixture);
}

/* A host with one link loses what that link was down; nobody else does, nor a host without work. */
static void hosts_that_are_cut_off_lose_that_time(void **state)
{
    static const struct {
        const char *fault;
        int64_t lost;
        uint32_t victims;
    } rows[] = {
        {"link-down, where: \"switch0:p0\", for: 250us}]\n", PS_PER_MS / 4, 1},
        {"link-down, where: \"switch0:p1\", for: 500us}]\n", PS_PER_MS / 2, 1},
        {"link-down, where: \"switch0:p2\", for: 250us}]\n", PS_PER_MS / 2, 2},
        {"link-down, where: \"switch0:p3\", for: 250us}]\n", 0, 0},
        {"link-down, where: \"host1:p0\", for: 250us}]\n", PS_PER_MS / 4, 1},
        {"switch-down, where: switch0, for: 250us}]\n", PS_PER_MS / 2, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        char text[500];
        snprintf(text, sizeof text, "%s%sfaults: [{at: 250us, kind: %s", STAR, WRITES,
                 rows[i].fault);
        build(&fixture, text);
        judge(&fixture);
        if (fixture.harm.lost_ps != rows[i].lost || fixture.harm.victims != rows[i].victims)
            fail_msg("%s: %" PRId64 " ps of %u", rows[i].fault, (int64_t)fixture.harm.lost_ps,
                     (unsigned)fixture.harm.victims);
        if (rows[i].victims > 0)
            expect_first(&fixture, "link-down", HARM_FAULT, "faults.0");
        raze(&fixture);
    }
}

/* `watchdog` is in words of the list that stand before it. */
static void a_host_whose_watchdog_drops_is_named_before_its_switch(void **state)
{
    (void)state;
    static const struct observe_drops drops = {2, 0, 3, PROBE_DROP_WATCHDOG, false, 9, 900, 1, 2};
    struct fixture fixture;
    build(&fixture, STAR "  overrides: [{where: switch0, watchdog: alert},\n"
                         "              {where: host2, rnic: {pfc-watchdog: 1us}}]\n" WRITES);
    fixture.uses[0].lost = fixture.uses[1].lost = PPM / 2;
    fixture.scene.drops = &drops;
    fixture.scene.drop_count = 1;
    judge(&fixture);
    expect_first(&fixture, "watchdog", HARM_SETTING, "fabric.overrides[1].rnic.pfc-watchdog");
    raze(&fixture);
}

static void a_slow_link_that_is_full_is_named(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR "  overrides: [{where: host2-switch0, rate: 10Gbps}]\n" WRITES);
    fixture.uses[SWITCH + 2].busy = PPM;
    judge(&fixture);
    expect_first(&fixture, "slow-link", HARM_SETTING, "fabric.overrides[0].rate");
    raze(&fixture);
}

static void senders_that_one_switch_slows_have_room(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        struct fixture fixture;
        build(&fixture,
              "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}\n"
              "  overrides: [{where: leaf1, ecn: {kmin: 1KB}}]\n"
              "workloads: [{name: w, kind: rdma-write, from: host0, to: host1}]\n");
        const uint32_t leaf = scenario_find_node(fixture.scenario, "leaf1");
        world_switch(fixture.world, leaf)->counters.ecn_marked = 7;
        fixture.uses[0].held = PPM;
        fixture.uses[0].busy = full ? PPM : PPM / 4;
        judge(&fixture);
        if (full)
            assert_int_equal(fixture.harm.cause_count, 0);
        else
            expect_first(&fixture, "throttle", HARM_SETTING, "fabric.overrides[0].ecn-kmin");
        raze(&fixture);
    }
}

static void a_target_that_stands_still_costs_as_long_as_it_lasts(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host2, "
                         "namespaces: [{media: \"null\"}]}}\n"
                         "workloads: [{name: w, kind: nvme, from: host0..host1, to: host2}]\n" FAULT
                         "target-stall, where: host2, for: 250us}]\n");
    judge(&fixture);
    expect_first(&fixture, "target", HARM_FAULT, "faults.0");
    assert_int_equal(fixture.harm.lost_ps, PS_PER_MS / 2);
    assert_int_equal(fixture.harm.victims, 2);
    raze(&fixture);
}

static void what_limits_a_workload_is_scarcer_than_elsewhere(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR "hosts: {defaults: {rnic: {profile: ideal}}, odd: {where: host0, rnic: "
                         "{max-rd-atomic: 1}}}\n" WRITES);
    fixture.limits[0].resource = BOTTLENECK_READS;
    fixture.limits[0].used = PPM;
    judge(&fixture);
    expect_first(&fixture, "bottleneck", HARM_SETTING, "hosts.odd.rnic.max-rd-atomic");
    raze(&fixture);
}

static void nothing_seen_is_nobodys(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR WRITES FAULT "slow-receiver, where: host3}]\n");
    judge(&fixture);
    assert_int_equal(fixture.harm.severity, HARM_NOTHING);
    assert_int_equal(fixture.harm.lost_ps, 0);
    assert_int_equal(fixture.harm.victims, 0);
    raze(&fixture);
}

/* The nearest to its limit counts, of whichever switch or host. */
static void margins_are_those_of_the_nearest(void **state)
{
    (void)state;
    struct fixture fixture;
    build(&fixture, STAR WRITES);
    struct buffer *buffer = &world_switch(fixture.world, SWITCH)->buffer;
    struct buffer_group *group = &buffer->groups[1 * PRIORITIES + 3];
    struct rx_buffer *rx = &world_host(fixture.world, 3)->rnics[0]->rx;
    group->headroom_peak = group->headroom / 4;
    rx->peak = rx->xoff / 2;
    judge(&fixture);
    group->headroom_peak = 0;
    assert_in_range(fixture.harm.headroom.used, PPM / 4 - PPM / 50, PPM / 4);
    assert_string_equal(fixture.harm.headroom.node, "switch0");
    assert_int_equal(fixture.harm.receive.used, PPM / 2);
    assert_string_equal(fixture.harm.receive.node, "host3");
    assert_non_null(
        strstr(fixture.harm.sentence, "peak receive buffer relative to XOFF 50% at host3"));
    raze(&fixture);
}

/* A standing deadlock comes before whatever cost more. */
static void a_deadlock_that_stands_is_first(void **state)
{
    (void)state;
    const struct observe_drops drops = {SWITCH, 1, 3, PROBE_DROP_INJECTED, false, 9, 900, 1, 2};
    struct fixture fixture;
    build(&fixture, STAR WRITES FAULT "drop-every, where: \"switch0:p1\", n: 9}]\n");
    struct deadlock_queue queue = {.node = SWITCH, .port = 2};
    struct deadlock deadlock = {
        .priority = 3, .gone = TIME_NEVER, .queues = &queue, .queue_count = 1, .cycle = 1};
    struct deadlock_watch *watch = &fixture.world->deadlocks;
    struct deadlock *own = watch->found;
    fixture.uses[0].lost = fixture.uses[1].lost = PPM / 2;
    fixture.scene.drops = &drops;
    fixture.scene.drop_count = 1;
    watch->found = &deadlock;
    watch->count = 1;
    judge(&fixture);
    watch->found = own;
    watch->count = 0;
    expect_first(&fixture, "deadlock", HARM_SWITCH, "switch0");
    assert_true(fixture.harm.causes[0].sure);
    assert_int_equal(fixture.harm.cause_count, 2);
    raze(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_have_a_cause),
        cmocka_unit_test(a_port_that_takes_less_is_named_by_its_mtu),
        cmocka_unit_test(pauses_have_a_cause),
        cmocka_unit_test(a_pause_has_victims_of_its_own_priority),
        cmocka_unit_test(a_class_that_gets_little_is_starved),
        cmocka_unit_test(messages_without_a_receive_are_their_workloads),
        cmocka_unit_test(hosts_that_are_cut_off_lose_that_time),
        cmocka_unit_test(a_host_whose_watchdog_drops_is_named_before_its_switch),
        cmocka_unit_test(a_slow_link_that_is_full_is_named),
        cmocka_unit_test(senders_that_one_switch_slows_have_room),
        cmocka_unit_test(a_target_that_stands_still_costs_as_long_as_it_lasts),
        cmocka_unit_test(what_limits_a_workload_is_scarcer_than_elsewhere),
        cmocka_unit_test(nothing_seen_is_nobodys),
        cmocka_unit_test(margins_are_those_of_the_nearest),
        cmocka_unit_test(a_deadlock_that_stands_is_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
