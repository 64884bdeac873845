/* SPDX-License-Identifier: Apache-2.0
 * Faults as the loader leaves them: every line of fault.def by itself, places and times, values;
 * and what they do in a world while they last. */
#include "scenarios/data/fault.h"
#include "scenarios/fault/fault_kinds.h"

#include "net/switch/switch.h"
#include "nvme/target/target.h"
#include "rnic/host/host.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world_faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct scenario *load(const char *faults)
{
    static struct diag diag;
    char text[1500];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\n"
             "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n"
             "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, "
             "namespaces: [{media: fixed, drives: 2, layout: mirror}]}}\n"
             "workloads:\n  - {name: w, kind: nvme, from: host4, to: host0}\n"
             "  - {name: v, kind: rdma-write, from: host1, to: host2}\nfaults:\n%s",
             faults);
    const struct scenario_input input = {.name = "test", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static int64_t value(const struct scenario_fault *fault, const char *name)
{
    const size_t offset = opt_find(fault->ops->opts, name)->offset;
    return *(const int64_t *)(const void *)((const char *)fault->params + offset);
}

static void where_and_when_become_spots_and_times(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("  - {at: 1ms, for: 2ms, kind: slow-receiver, where: [host0, host3], drain: 10%}\n"
             "  - {kind: link-down, where: leaf0-spine0}\n"
             "  - {kind: drop-every, where: \"leaf1:p2\", n: 256, frames: all}\n"
             "  - {kind: bit-errors, where: spine0, rate: 1e-9}\n"
             "  - {kind: pause-storm, where: host1, priority: 4}\n"
             "  - {kind: random-loss, where: \"leaf1:p2\", rate: 1/256}\n");
    const struct scenario_fault *faults = scenario->faults;
    assert_int_equal(scenario->fault_count, 6);
    assert_ptr_equal(faults[0].ops, &fault_slow_receiver);
    assert_int_equal(faults[0].at, PS_PER_MS);
    assert_int_equal(faults[0].end, 3 * PS_PER_MS);
    assert_int_equal(value(&faults[0], "drain"), 100000);
    assert_int_equal(faults[0].spot_count, 2);
    assert_int_equal(faults[0].spots[1].node, 3);
    assert_int_equal(faults[0].spots[1].port, SCENARIO_ALL_PORTS);
    assert_int_equal(faults[1].end, TIME_NEVER);
    assert_int_equal(faults[1].spot_count, 2);
    assert_int_equal(faults[1].spots[0].port, 4);
    assert_int_equal(value(&faults[2], "n"), 256);
    assert_int_equal(value(&faults[2], "frames"), 0);
    assert_int_equal(faults[3].spot_count, 2);
    assert_int_equal(value(&faults[3], "rate"), 1000000);
    assert_int_equal(value(&faults[4], "priority"), 4);
    assert_int_equal(value(&faults[5], "rate"), INT64_C(3906250000000)); /* of 10^15 */
    scenario_free(scenario);
}

/* Each line of the list by itself, those that are not written yet too. */
static void every_kind_loads_and_does_something(void **state)
{
    static const char *const places[] = {
        [FAULT_AT_PORTS] = "\"leaf0:p0\"",
        [FAULT_AT_HOSTS] = "host0",
        [FAULT_AT_SWITCHES] = "leaf0",
        [FAULT_AT_TARGETS] = "host0",
    };
    (void)state;
    for (int i = 0; fault_kinds[i] != NULL; i++) {
        const struct fault_ops *ops = fault_kinds[i];
        char entry[200];
        snprintf(entry, sizeof entry, "  - {kind: %s, where: %s%s}\n", ops->name,
                 places[ops->place], ops->has_route ? ", to: host7, via: spine0" : "");
        struct scenario *scenario = load(entry);
        const struct scenario_fault *fault = scenario->faults;
        assert_ptr_equal(fault->ops, ops);
        assert_true(strlen(ops->about) > 10);
        assert_true(ops->edge != NULL || ops->apply != NULL || ops->at_target != NULL);
        assert_int_equal(ops->breaks(fault->params) & ~63u, 0);
        assert_int_equal(fault->route != NULL, ops->has_route);
        assert_true(!ops->has_cycle || ops->edge != NULL);
        assert_true(ops->in_vain == NULL || ops->in_vain(fault->params) == NULL);
        assert_true(ops->overlap == NULL || ops->overlap(fault->params, fault->params));
        scenario_free(scenario);
    }
}

/* What each may break, by what it is told. */
static void what_each_breaks(void **state)
{
    (void)state;
    static const struct {
        const char *entry;
        unsigned breaks;
    } rows[] = {
        {"kind: link-down, where: leaf0-spine0", FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS},
        {"kind: link-flap, where: leaf0-spine0", FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS},
        {"kind: switch-down, where: leaf0", FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS},
        {"kind: misroute, where: leaf0, to: host7, via: spine0", FAULT_DISTURBS_FLOWS},
        {"kind: bit-errors, where: leaf0-spine0", FAULT_LOSES_PAUSES | FAULT_DISTURBS_FLOWS},
        {"kind: drop-every, where: host0", FAULT_DISTURBS_FLOWS},
        {"kind: drop-every, where: host0, frames: data", FAULT_DISTURBS_FLOWS},
        {"kind: drop-every, where: host0, frames: all", FAULT_LOSES_PAUSES | FAULT_DISTURBS_FLOWS},
        {"kind: random-loss, where: host0", FAULT_DISTURBS_FLOWS},
        {"kind: random-loss, where: host0, frames: all", FAULT_LOSES_PAUSES | FAULT_DISTURBS_FLOWS},
        {"kind: random-loss, where: host0, frames: pause",
         FAULT_LOSES_PAUSES | FAULT_DISTURBS_FLOWS},
        {"kind: pfc-off, where: leaf0-spine0", FAULT_LOSES_PAUSES},
        {"kind: pause-storm, where: host0", 0},
        {"kind: slow-receiver, where: host0", FAULT_SLOWS_HOST},
        {"kind: target-stall, where: host0", 0},
        {"kind: target-crash, where: host0", FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS},
        {"kind: target-crash, where: host0, how: power",
         FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS | FAULT_LOSES_CARRIER},
        {"kind: target-crash, where: host0, data: lost",
         FAULT_KILLS_TARGET | FAULT_DISTURBS_FLOWS | FAULT_LOSES_DATA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char entry[200];
        snprintf(entry, sizeof entry, "  - {%s}\n", rows[i].entry);
        struct scenario *scenario = load(entry);
        const struct scenario_fault *fault = scenario->faults;
        if (fault->ops->breaks(fault->params) != rows[i].breaks)
            fail_msg("%s breaks %u", rows[i].entry, fault->ops->breaks(fault->params));
        scenario_free(scenario);
    }
}

/* ------------------------------------------------------------------ in a world */

/* A world of these faults, played up to a moment. */
struct played {
    struct scenario *scenario;
    struct world *world;
};

static struct played play(const char *faults, time_ps until)
{
    static struct diag diag;
    struct played played = {.scenario = load(faults)};
    diag = (struct diag){0};
    played.world = world_build(played.scenario, &probe_none, &diag);
    assert_non_null(played.world);
    assert_true(world_run(played.world, until));
    return played;
}

static void end(struct played *played)
{
    world_free(played->world);
    scenario_free(played->scenario);
}

/* Frames that a port loses: as many and of such a kind as the fault says, while it lasts. */
static void ports_lose_what_they_are_told(void **state)
{
    (void)state;
    static const time_ps moments[] = {PS_PER_US / 2, 2 * PS_PER_US, 4 * PS_PER_US};
    static const struct {
        const char *fault;
        uint64_t drop_every, loss;
        int64_t bits;
        unsigned frames, loss_frames;
    } rows[] = {
        {"kind: drop-every, n: 256", 256, 0, 0, PORT_FAULT_DATA, 0},
        {"kind: drop-every, n: 1, frames: pause", 1, 0, 0, PORT_FAULT_PAUSE, 0},
        {"kind: random-loss, rate: 1/256", 0, 3906250000000, 0, 0, PORT_FAULT_DATA},
        {"kind: random-loss, rate: 1/256, frames: all", 0, 3906250000000, 0, 0, PORT_FAULT_ALL},
        {"kind: random-loss, rate: 1, frames: resume", 0, 1000000000000000, 0, 0,
         PORT_FAULT_RESUME},
        {"kind: bit-errors, rate: 1e-9", 0, 0, 1000000000, 0, 0},
        {"kind: bit-errors, rate: 0", 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char entry[200];
        snprintf(entry, sizeof entry, "  - {where: \"leaf1:p2\", at: 1us, for: 2us, %s}\n",
                 rows[i].fault);
        for (int moment = 0; moment < 3; moment++) { /* before, while it lasts, after */
            struct played played = play(entry, moments[moment]);
            const struct port_fault *fault = world_port(played.world, 9, 2)->fault;
            const bool on = moment == 1;
            assert_int_equal(fault != NULL, moment > 0);
            if (fault != NULL) {
                assert_int_equal(fault->drop_every, on ? rows[i].drop_every : 0);
                assert_int_equal(fault->loss_per_10_15, on ? rows[i].loss : 0);
                assert_int_equal(fault->bits_between_errors, on ? rows[i].bits : 0);
                assert_int_equal(fault->frames, rows[i].frames);
                assert_int_equal(fault->loss_frames, rows[i].loss_frames);
            }
            assert_null(world_port(played.world, 9, 3)->fault);
            end(&played);
        }
    }
}

/* What hosts and targets are told, while it lasts and no longer. */
static void hosts_and_targets_do_what_they_are_told(void **state)
{
    (void)state;
    static const time_ps moments[] = {PS_PER_US / 2, 2 * PS_PER_US, 4 * PS_PER_US};
    for (int moment = 0; moment < 3; moment++) {
        const bool on = moment == 1;
        struct played played =
            play("  - {kind: slow-receiver, where: host0, at: 1us, for: 2us, drain: 10%}\n"
                 "  - {kind: slow-receiver, where: host1, at: 1us, for: 2us, drain: 0%}\n"
                 "  - {kind: pause-storm, where: host2, at: 1us, for: 2us, priority: 4}\n"
                 "  - {kind: pfc-off, where: \"leaf1:p2\", at: 1us, for: 2us}\n"
                 "  - {kind: target-stall, where: host0, at: 1us, for: 2us}\n",
                 moments[moment]);
        const struct world *world = played.world;
        const struct rx_buffer *slow = &world_host(world, 0)->rnics[0]->rx;
        const struct rx_buffer *stopped = &world_host(world, 1)->rnics[0]->rx;
        assert_int_equal(slow->drain_bps, on ? 10000000000 : 0);
        assert_false(slow->stopped);
        assert_int_equal(stopped->stopped, on);
        assert_int_equal(world_host(world, 2)->rnics[0]->rx.storm, on ? 1 << 4 : 0);
        assert_int_equal(world_host(world, 3)->rnics[0]->rx.storm, 0);
        assert_int_equal(world_port(world, 9, 2)->enabled, on ? 0 : 1 << 3);
        assert_int_equal(world_port(world, 9, 3)->enabled, 1 << 3);
        assert_int_equal(nvme_target_is_stalled(world->targets[0]), on);
        end(&played);
    }
}

static bool is_down(const struct world *world, uint32_t node, uint16_t port)
{
    return (world_port(world, node, port)->odd & PORT_DOWN) != 0;
}

/* Both ends of a link lose their carrier: of one that fails, of a switch, and of a host whose power
 * goes; a target whose process dies leaves the link as it is. */
static void links_and_targets_go_and_come_back(void **state)
{
    (void)state;
    static const time_ps moments[] = {PS_PER_US / 2, 2 * PS_PER_US, 4 * PS_PER_US};
    static const struct {
        const char *fault;
        bool leaf0_spine0, leaf1_spine1, host0, dead; /* what goes */
    } rows[] = {
        {"kind: link-down, where: leaf0-spine0", true, false, false, false},
        {"kind: switch-down, where: spine1", false, true, false, false},
        {"kind: switch-down, where: leaf0", true, false, true, false},
        {"kind: target-crash, where: host0", false, false, false, true},
        {"kind: target-crash, where: host0, how: power", false, false, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int moment = 0; moment < 3; moment++) {
            const bool on = moment == 1;
            char entry[200];
            snprintf(entry, sizeof entry, "  - {%s, at: 1us, for: 2us}\n", rows[i].fault);
            struct played played = play(entry, moments[moment]);
            const struct world *world = played.world;
            assert_int_equal(is_down(world, 8, 4), on && rows[i].leaf0_spine0);
            assert_int_equal(is_down(world, 10, 0), on && rows[i].leaf0_spine0);
            assert_int_equal(is_down(world, 9, 5), on && rows[i].leaf1_spine1);
            assert_int_equal(is_down(world, 11, 1), on && rows[i].leaf1_spine1);
            assert_int_equal(is_down(world, 8, 0), on && rows[i].host0);
            assert_int_equal(is_down(world, 0, 0), on && rows[i].host0);
            assert_int_equal(nvme_target_is_dead(world->targets[0]), on && rows[i].dead);
            end(&played);
        }
}

/* The switch's table has the written route while it lasts, and the computed one before and after.
 */
static void a_misroute_is_in_the_table_while_it_lasts(void **state)
{
    (void)state;
    static const time_ps moments[] = {PS_PER_US / 2, 2 * PS_PER_US, 4 * PS_PER_US};
    for (int moment = 0; moment < 3; moment++) {
        struct played played =
            play("  - {kind: misroute, where: leaf0, to: host7, via: spine1, at: 1us, for: 2us}\n",
                 moments[moment]);
        const uint16_t *ports;
        const struct swtch *leaf0 = world_switch(played.world, 8);
        assert_int_equal(route_all(&leaf0->routes, 6, &ports), 2);
        assert_int_equal(route_all(&leaf0->routes, 7, &ports), moment == 1 ? 1 : 2);
        assert_int_equal(ports[0], moment == 1 ? 5 : 4);
        end(&played);
    }
}

/* Two of a kind at one place: what is left of the other when one ends, and nothing after both. */
static void the_end_of_one_leaves_the_other(void **state)
{
    (void)state;
    static const struct {
        const char *faults;
        uint64_t every[4]; /* at 0.5, 1.5, 2.5 and 3.5 us */
    } rows[] = {
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 5}\n", {0, 5, 0, 0}},
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 0s, for: 3us, n: 5}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 7}\n",
         {5, 7, 5, 0}},
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 7}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 0s, for: 3us, n: 5}\n",
         {5, 7, 5, 0}},
        /* Of three the one that began last goes on; one that begins as another ends is whole. */
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 0s, n: 5}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 6}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 300ns, for: 2700ns, n: 7}\n",
         {7, 6, 7, 5}},
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 0s, for: 2us, n: 5}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 2us, for: 1us, n: 6}\n",
         {5, 5, 6, 0}},
        /* Both end at once. */
        {"  - {kind: drop-every, where: \"leaf1:p2\", at: 0s, for: 2us, n: 5}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 7}\n",
         {5, 7, 0, 0}},
        /* Another place, and another kind. */
        {"  - {kind: drop-every, where: \"leaf1:p3\", at: 0s, for: 3us, n: 5}\n"
         "  - {kind: random-loss, where: \"leaf1:p2\", at: 0s, for: 3us}\n"
         "  - {kind: drop-every, where: \"leaf1:p2\", at: 1us, for: 1us, n: 7}\n",
         {0, 7, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int k = 0; k < 4; k++) {
            struct played played = play(rows[i].faults, (2 * k + 1) * PS_PER_US / 2 + 1);
            const struct port_fault *fault = world_port(played.world, 9, 2)->fault;
            assert_int_equal(fault == NULL ? 0 : fault->drop_every, rows[i].every[k]);
            end(&played);
        }
    }
}

/* A fault and a workload of one moment: the workload finds the link down, so its host sends no
 * request to connect into it, but asks for the address in vain. */
static void a_fault_comes_before_a_workload_of_its_moment(void **state)
{
    (void)state;
    static const char *const moments[] = {"0s", "2us"};
    for (int i = 0; i < 2; i++) {
        char fault[100];
        snprintf(fault, sizeof fault, "  - {kind: link-down, where: leaf0-host1, at: %s}\n",
                 moments[i]);
        struct played played = play(fault, 5 * PS_PER_US);
        const struct rnic *rnic = world_host(played.world, 1)->rnics[0];
        if (i == 0)
            assert_int_equal(rnic->port.tx_discards, 0);
        else /* it connected before */
            assert_true(rnic->port.tx_discards > 0);
        assert_int_equal(rnic->cm.retries, i == 0);
        end(&played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_and_when_become_spots_and_times),
        cmocka_unit_test(every_kind_loads_and_does_something),
        cmocka_unit_test(what_each_breaks),
        cmocka_unit_test(ports_lose_what_they_are_told),
        cmocka_unit_test(hosts_and_targets_do_what_they_are_told),
        cmocka_unit_test(links_and_targets_go_and_come_back),
        cmocka_unit_test(a_misroute_is_in_the_table_while_it_lasts),
        cmocka_unit_test(the_end_of_one_leaves_the_other),
        cmocka_unit_test(a_fault_comes_before_a_workload_of_its_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
