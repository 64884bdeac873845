/* SPDX-License-Identifier: Apache-2.0
 * What holds while targets stand still, die and come back, on random scenarios.
 *   - the target comes back: every I/O completes once, none failed, reads bring what was written
 *   - every connection that was lost is made again
 *   - it stays away: I/O is reported as failed after ctrl-loss-tmo, and none is forgotten
 *   - a thousand connections at once, some of their messages lost, are made; again after a crash
 *   - the same scenario gives the same digest again, stopped in between or not */
#include "scenarios/world/world.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 60, TEXT_BYTES = 4096 };

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

/* ------------------------------------------------------------------ scenarios */

static int make_fault(struct rng *rng, bool returns, char *text, size_t size)
{
    static const char *const kinds[] = {"target-stall", "target-crash, how: process",
                                        "target-crash, how: power"};
    const unsigned kind = returns ? between(rng, 0, 2) : between(rng, 1, 2);
    const int used = snprintf(text, size, "  - {kind: %s, where: host%u, at: %uus", kinds[kind],
                              between(rng, 0, 1), between(rng, 5, 15000));
    if (!returns)
        return used + snprintf(text + used, size - (size_t)used, "}\n");
    return used + snprintf(text + used, size - (size_t)used, ", for: %uus}\n",
                           between(rng, 1, 1 << between(rng, 1, 15)));
}

/* Detection is quick, so that a run need not last for seconds. */
static void make_scenario(struct rng *rng, unsigned number, bool returns, char *text)
{
    int used = snprintf(
        text, TEXT_BYTES,
        "stormglass: 1\nname: recover-%u\nseed: %u\nduration: 20ms\ndrain: 4s\nfabric:\n"
        "  topology: {kind: single-switch, hosts: 6}\n"
        "hosts:\n"
        "  defaults:\n"
        "    rnic: {timeout: %u, retry-count: %u, cm-timeout: 3ms, cm-retries: 2}\n"
        "    nvme: {reconnect-delay: %uus, ctrl-loss-tmo: %s, keep-alive: %ums, io-timeout: %ums,"
        " admin-timeout: 60ms, queue-size: %u, sgl-invalidate: %s}\n"
        "  targets: {where: [host0, host1], target: {cores: %u}, namespaces: [{media: %s,"
        " count: 2}]}\n"
        "workloads:\n"
        "  - {name: io, kind: nvme, from: \"host2..host5\", to: [host0, host1], read: %u%%,"
        " block-size: %uKiB, queue-depth: %u, queues: %u, size: 1MiB}\n"
        "  - {name: paced, kind: nvme, from: host2, to: host0, read: 50%%, rate: %u, size: 1MiB,"
        " offset: 8MiB}\n"
        "faults:\n",
        number, between(rng, 0, 1000000), between(rng, 4, 8), between(rng, 1, 5),
        between(rng, 50, 5000), returns ? "never" : "30ms", between(rng, 8, 40),
        between(rng, 20, 60), between(rng, 4, 128), rng_below(rng, 2) ? "true" : "false",
        between(rng, 1, 4), rng_below(rng, 2) ? "flash-tlc" : "\"null\"", between(rng, 0, 100),
        4u << between(rng, 0, 5), between(rng, 1, 16), between(rng, 1, 4),
        between(rng, 1000, 50000));
    for (unsigned faults = between(rng, 1, 4); faults > 0; faults--)
        used += make_fault(rng, returns, text + used, TEXT_BYTES - (size_t)used);
}

/* ------------------------------------------------------------------ laws */

struct lived {
    uint64_t completed, failed, losses, attempts, requeued;
};

static void check_workload(const struct world *world, uint32_t index, bool returns)
{
    const struct workload_stats *stats = &world->stats[index];
    assert_int_equal(stats->corrupt, 0);
    assert_int_equal(stats->issued, stats->completed + stats->failed);
    assert_int_equal(world_outstanding(world, index), 0);
    assert_true(stats->attempts >= stats->reconnects && stats->losses >= stats->reconnects);
    if (returns) {
        assert_int_equal(stats->failed, 0);
        assert_int_equal(stats->reconnects, stats->losses);
        assert_true((stats->losses > 0) == (stats->without_service > 0));
    }
}

static void check(const struct world *world, bool returns, struct lived *lived)
{
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct workload_stats *stats = &world->stats[i];
        check_workload(world, i, returns);
        lived->completed += stats->completed;
        lived->failed += stats->failed;
        lived->losses += stats->losses;
        lived->attempts += stats->attempts;
        lived->requeued += stats->requeued;
    }
}

static struct world *load(const char *text, struct scenario **scenario)
{
    static struct diag diag;
    memset(&diag, 0, sizeof diag);
    const struct scenario_input input = {
        .name = "recover.yaml", .text = text, .length = strlen(text)};
    *scenario = scenario_load(&input, &diag);
    if (*scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(*scenario);
    struct world *world = world_build(*scenario, &probe_none, &diag);
    assert_non_null(world);
    world->engine.hostile = false; /* audited between slices; after each event would take hours */
    return world;
}

static void audit(const struct world *world)
{
    world_audit(world);
    for (uint32_t i = 0; i < world->host_count; i++)
        if (world->targets[i] != NULL)
            nvme_target_audit(world->targets[i]);
}

static struct digest play(const char *text, time_ps slice, bool returns, struct lived *lived)
{
    struct scenario *scenario;
    struct world *world = load(text, &scenario);
    while (world_run(world, world->engine.now + slice))
        audit(world);
    const struct digest digest = engine_digest(&world->engine);
    check(world, returns, lived);
    audit(world);
    world_free(world);
    scenario_free(scenario);
    return digest;
}

static struct digest play_number(unsigned number, time_ps slice, bool returns, struct lived *lived)
{
    char text[TEXT_BYTES];
    struct rng rng = rng_stream(number, "recovery", "scenario");
    make_scenario(&rng, number, returns, text);
    const char *wanted = getenv("LAW_PRINT");
    print_message("recover-%u\n", number);
    if (wanted != NULL && (unsigned)atoi(wanted) == number)
        print_message("%s", text);
    return play(text, slice, returns, lived);
}

static void what_comes_back_is_made_good(void **state)
{
    (void)state;
    struct lived lived = {0}, again = {0};
    for (unsigned i = 0; i < SCENARIOS; i++) {
        const struct digest first = play_number(i, PS_PER_MS, true, &lived);
        if (i % 8 != 0)
            continue;
        const struct digest second = play_number(i, 777 * PS_PER_US, true, &again);
        assert_memory_equal(&first, &second, sizeof first);
    }
    print_message("%llu I/Os; %llu controllers lost, %llu attempts, %llu commands sent again\n",
                  (unsigned long long)lived.completed, (unsigned long long)lived.losses,
                  (unsigned long long)lived.attempts, (unsigned long long)lived.requeued);
    assert_true(lived.completed > 100000);
    assert_true(lived.losses > SCENARIOS);
    assert_true(lived.requeued > 10 * SCENARIOS);
}

static void what_stays_away_fails(void **state)
{
    (void)state;
    struct lived lived = {0};
    for (unsigned i = 0; i < SCENARIOS / 3; i++)
        (void)play_number(i, 10 * PS_PER_MS, false, &lived);
    assert_true(lived.failed > SCENARIOS / 3);
    assert_true(lived.completed > 10000);
}

/* 50 hosts with an admin queue and 19 I/O queues each connect to one target.  Each 11th message
 * that leaves the target's port is lost, and is sent again. */
#define STORM                                                                                      \
    "stormglass: 1\nname: storm\nduration: 300ms\ndrain: 10s\nfabric:\n"                           \
    "  topology: {kind: single-switch, hosts: 51}\n"                                               \
    "hosts:\n"                                                                                     \
    "  defaults: {rnic: {profile: ideal, cm-timeout: 20ms, timeout: 8},\n"                         \
    "    nvme: {queue-size: 8, reconnect-delay: 10ms, ctrl-loss-tmo: never}}\n"                    \
    "  targets: {where: host0, namespaces: [{media: \"null\"}]}\n"                                 \
    "workloads:\n"                                                                                 \
    "  - {name: io, kind: nvme, from: \"host1..host50\", to: host0, queues: 19, queue-depth: 1,\n" \
    "     rate: 1000}\n"                                                                           \
    "faults:\n"                                                                                    \
    "  - {kind: drop-every, where: host0, n: 11, at: 0s, for: 20ms}\n"

static void a_thousand_connections(void **state)
{
    static const char *const faults[] = {
        "", "  - {kind: target-crash, where: host0, at: 150ms, for: 30ms}\n",
        "  - {kind: target-stall, where: host0, at: 0s, for: 50ms}\n"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char text[TEXT_BYTES];
        struct scenario *scenario;
        struct lived lived = {0};
        snprintf(text, sizeof text, "%s%s", STORM, faults[i]);
        struct world *world = load(text, &scenario);
        assert_true(world_run(world, 140 * PS_PER_MS));
        assert_int_equal(nvme_target_stats(world->targets[0])->queues, 1000);
        assert_int_equal(nvme_target_stats(world->targets[0])->controllers, 50);
        while (world_run(world, world->engine.now + 10 * PS_PER_MS))
            audit(world);
        check(world, true, &lived);
        assert_int_equal(lived.losses, i == 1 ? 50 : 0);
        assert_int_equal(nvme_target_stats(world->targets[0])->queues, 1000);
        assert_true(lived.completed > 50 * 100);
        world_free(world);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_back_is_made_good),
                                       cmocka_unit_test(what_stays_away_fails),
                                       cmocka_unit_test(a_thousand_connections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
