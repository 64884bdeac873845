/* SPDX-License-Identifier: Apache-2.0
 * Deadlock by a routing loop, at its threshold.
 * Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them", HotNets
 * 2016: n switches pass what they get in a circle over links of rate B until its TTL is used up.
 * Each frame crosses the loop's links TTL times, n links share that, so that rate r loads each link
 * by r * TTL / n: deadlock if and only if r > n * B / TTL.
 *
 * Here the first switch takes the TTL down by one before the first link, and a frame that comes
 * with TTL 1 is dropped: TTL - 1 crossings.  They are n times at least two: whoever goes round only
 * once meets nobody.  The victim uses one of the loop's links and one percent of it. */
#include "base/drop.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096, LOOP_MBPS = 40000, VICTIM_RATE = 12000, MARGIN_PERCENT = 4 };

struct loop {
    unsigned switches, ttl;
};

static void write_loop(char *text, const struct loop *loop, unsigned percent)
{
    const unsigned crossings = loop->ttl - 1;
    assert_int_equal(crossings % loop->switches, 0);
    const unsigned mbps = LOOP_MBPS / 100 * percent * loop->switches / crossings;
    int used = snprintf(
        text, TEXT_BYTES,
        "stormglass: 1\nname: loop\nduration: 20ms\ndrain: 1ms\nfabric:\n"
        "  topology:\n    kind: explicit\n    hosts: [a, b, c, d]\n    switches: [s0, s1%s]\n"
        "    links:\n      - {ends: [a, s0], rate: %uMbps}\n      - {ends: [c, s0]}\n"
        "      - {ends: [d, s1]}\n      - {ends: [b, s%u]}\n      - {ends: [s0, s1]}\n%s"
        "  fabric-links: {rate: %uMbps}\n"
        "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 60KB, ecn: {kmax: 0B}}\n"
        "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, ttl: %u}}}\n"
        "workloads:\n"
        "  - {name: lost, kind: rdma-write, from: a, to: b, message-size: 256MiB, outstanding: 1,"
        " start: 1ms}\n"
        "  - {name: victim, kind: rdma-write, from: c, to: d, message-size: 4KiB, outstanding: 64,"
        " rate: %u}\n"
        "faults:\n",
        loop->switches == 3 ? ", s2" : "", mbps, loop->switches - 1,
        loop->switches == 3 ? "      - {ends: [s1, s2]}\n      - {ends: [s2, s0]}\n" : "",
        LOOP_MBPS, loop->ttl, VICTIM_RATE);
    for (unsigned i = 0; i < loop->switches; i++)
        used +=
            snprintf(text + used, TEXT_BYTES - (size_t)used,
                     "  - {kind: misroute, at: 900us, for: 14ms, where: s%u, to: b, via: s%u}\n", i,
                     (i + 1) % loop->switches);
}

static uint64_t ttl_drops(const struct world *world)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->switch_count; i++)
        sum += world->switches[i]->counters.dropped[PROBE_DROP_TTL];
    return sum;
}

static int64_t held(const struct world *world)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < world->switch_count; i++)
        sum += buffer_bytes(&world->switches[i]->buffer, world->switches[i]->buffer.used);
    return sum;
}

/* The loop stands from 0.9 to 14.9 ms; what is between 12 and 14 ms goes on for ever, and what is
 * after 16 ms without a loop. */
static void play(const struct loop *loop, unsigned percent, bool deadlock)
{
    static struct diag diag;
    char text[TEXT_BYTES];
    memset(&diag, 0, sizeof diag);
    write_loop(text, loop, percent);
    const struct scenario_input input = {.name = "loop.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe_none, &diag);
    assert_non_null(world);
    world->engine.hostile = false;
    (void)world_run(world, 12 * PS_PER_MS);
    const uint64_t done = world->stats[1].completed, dropped = ttl_drops(world);
    (void)world_run(world, 14 * PS_PER_MS);
    print_message("%u switches, TTL %u, %u %%: the victim completes %llu in 2 ms, %llu by TTL\n",
                  loop->switches, loop->ttl, percent,
                  (unsigned long long)(world->stats[1].completed - done),
                  (unsigned long long)(ttl_drops(world) - dropped));
    assert_true(dropped > 0);
    if (deadlock) {
        assert_int_equal(world->stats[1].completed, done);
        assert_int_equal(ttl_drops(world), dropped);
    } else {
        assert_in_range(world->stats[1].completed - done, VICTIM_RATE / 500 - 1,
                        VICTIM_RATE / 500 + 1);
        assert_true(ttl_drops(world) > dropped);
    }
    (void)world_run(world, 16 * PS_PER_MS);
    const uint64_t after = world->stats[1].completed;
    const int64_t standing = held(world);
    (void)world_run(world, 20 * PS_PER_MS);
    assert_true((world->stats[1].completed == after) == deadlock);
    if (deadlock) { /* nothing moves although every route is right again */
        assert_true(standing > 60000);
        assert_int_equal(held(world), standing);
    } else {
        assert_int_equal(world->stats[1].failed, 0);
        assert_true(hist_at(&world->stats[1].latency, PPM) < 100 * PS_PER_US);
    }
    for (uint32_t i = 0; i < world->switch_count; i++)
        assert_int_equal(world->switches[i]->counters.dropped_lossless, 0);
    world_audit(world);
    world_free(world);
    scenario_free(scenario);
}

static void a_loop_locks_up_above_its_threshold_only(void **state)
{
    (void)state;
    static const struct loop loops[] = {{2, 5}, {2, 9}, {2, 17}, {2, 65}, {3, 7}, {3, 16}, {3, 64}};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        play(&loops[i], 100 - MARGIN_PERCENT, false);
        play(&loops[i], 100 + MARGIN_PERCENT, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_loop_locks_up_above_its_threshold_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
