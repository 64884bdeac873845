/* SPDX-License-Identifier: Apache-2.0
 * What holds while links and switches fail and come back, on random scenarios.
 *   - what entered a cable left it, or was lost on it: frames and bytes
 *   - what entered a switch left it, or was lost there
 *   - the path returns before the transport gives up: every operation is complete, none failed
 *   - the path does not return: operations fail, and none is forgotten
 *   - XOFF and XON alternate, and every pause ended; all frames are given back
 *   - the same scenario gives the same digest again, stopped in between or not */
#include "base/drop.h"
#include "scenarios/load/load.h"
#include "tests/laws/run/run_laws.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 40, FAILING = 20, TEXT_BYTES = 4096 };

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

/* ------------------------------------------------------------------ scenarios */

/* Every third link of the fabric has a way around it; those of hosts have none. */
static void make_fault(struct rng *rng, bool returns, char *text, size_t size)
{
    static const char *const links[] = {"leaf0-spine0", "leaf1-spine0", "leaf1-spine1",
                                        "leaf0-spine1", "leaf2-spine*", "host0-leaf0",
                                        "host2-leaf1",  "leaf0:p3",     "leaf2"};
    static const char *const switches[] = {"spine0", "spine1", "leaf1", "leaf2"};
    const unsigned at = between(rng, 10, 900), drawn = between(rng, 1, 1000);
    const unsigned span = returns ? drawn : 1000000000;
    const char *link = links[rng_below(rng, sizeof links / sizeof links[0])];
    switch (rng_below(rng, 4)) {
    case 0:
        snprintf(text, size, "kind: switch-down, where: %s, at: %uus, for: %uus",
                 switches[rng_below(rng, 4)], at, span);
        return;
    case 1:
        snprintf(text, size,
                 "kind: link-flap, where: \"%s\", at: %uus, for: %uus, period: %uus, duty: %u%%",
                 link, at, span, between(rng, 1, 400), between(rng, 0, 100));
        return;
    case 2:
        snprintf(text, size,
                 "kind: misroute, where: spine1, to: host4, via: leaf0, at: %uus, for: %uus", at,
                 span);
        return;
    default:
        snprintf(text, size, "kind: link-down, where: \"%s\", at: %uus, for: %uus", link, at, span);
        return;
    }
}

static void make_scenario(struct rng *rng, unsigned number, bool returns, char *text)
{
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send"};
    int used = snprintf(
        text, TEXT_BYTES,
        "stormglass: 1\nname: fail-%u\nseed: %u\nduration: 2ms\ndrain: 100ms\nfabric:\n"
        "  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n"
        "  host-links: {rate: 25Gbps, length: %um, mtu: 4200B}\n"
        "  fabric-links: {rate: %uGbps, length: %um}\n"
        "  switch: {buffer: 4MB, ports: 1, alpha: 12.5%%, forwarding: %s}\n"
        "  routing: {detection: %uus, convergence: %uus, local-repair: %s}\n"
        "hosts:\n"
        "  defaults: {rnic: {profile: ideal, timeout: 8, retry-count: 7, congestion-control: %s}, "
        "nvme: "
        "{io-timeout: 40ms, ctrl-loss-tmo: 0s}}\n"
        "  targets: {where: host0, namespaces: [{media: fixed}]}\n"
        "workloads:\n"
        "  - {name: io, kind: nvme, from: \"host1..host5\", to: host0, read: %u%%, block-size: "
        "%uKiB,"
        " queue-depth: %u}\n"
        "  - {name: raw, kind: %s, from: \"host0..host2\", to: \"host3..host5\", message-size: %uB,"
        " outstanding: %u}\n"
        "faults:\n",
        number, between(rng, 0, 1000000), between(rng, 1, 300), between(rng, 10, 100),
        between(rng, 1, 300), rng_below(rng, 2) ? "cut-through" : "store-and-forward",
        between(rng, 0, 1) * between(rng, 0, 300), between(rng, 0, 1) * between(rng, 0, 400),
        rng_below(rng, 4) ? "true" : "false", rng_below(rng, 2) ? "none" : "dcqcn",
        between(rng, 0, 100), 4u << between(rng, 0, 4), between(rng, 1, 16),
        kinds[rng_below(rng, 3)], between(rng, 1, 50000), between(rng, 1, 4));
    for (unsigned faults = between(rng, 1, 5); faults > 0; faults--) {
        char fault[160];
        make_fault(rng, returns, fault, sizeof fault);
        used += snprintf(text + used, TEXT_BYTES - (size_t)used, "  - {%s}\n", fault);
    }
}

/* ------------------------------------------------------------------ laws */

static void check_workloads(const struct world *world, bool returns)
{
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct workload_stats *stats = &world->stats[i];
        assert_int_equal(world_outstanding(world, i), 0);
        if (returns)
            assert_int_equal(stats->failed, 0);
    }
}

struct lived {
    uint64_t completed, failed, link_down, no_route, ttl;
};

static void judge(struct run_laws *laws, struct world *world, bool returns, struct lived *lived)
{
    run_laws_close(laws, world, UINT64_MAX);
    run_laws_judge(laws);
    assert_string_equal(laws->broken, "");
    assert_int_equal(laws->lossless, 0);
    check_workloads(world, returns);
    for (uint32_t i = 0; i < world->workload_count; i++) {
        lived->completed += world->stats[i].completed;
        lived->failed += world->stats[i].failed;
    }
    lived->link_down += laws->causes[PROBE_DROP_LINK_DOWN];
    lived->no_route += laws->causes[PROBE_DROP_NO_ROUTE];
    lived->ttl += laws->causes[PROBE_DROP_TTL];
}

static struct digest play(const char *text, time_ps slice, bool returns, struct lived *lived)
{
    static struct diag diag;
    static struct run_laws laws;
    memset(&diag, 0, sizeof diag);
    const struct scenario_input input = {.name = "fail.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    assert_true(run_laws_init(&laws, scenario, lived != NULL));
    struct world *world = world_build(scenario, &laws.probe, &diag);
    assert_non_null(world);
    run_laws_watch(&laws, world);
    world->engine.hostile = false; /* looked at between slices; after each event would take hours */
    while (world_run(world, world->engine.now + slice))
        run_laws_look(&laws);
    run_laws_ended(&laws);
    engine_run(&world->engine, world->engine.now + 20 * PS_PER_MS);
    const struct digest digest = engine_digest(&world->engine);
    if (lived != NULL) {
        if (returns) /* a loop without end may stand still, full */
            assert_int_equal(world->executors[0].frames.frames.taken, 0);
        judge(&laws, world, returns, lived);
    }
    world_free(world);
    run_laws_fini(&laws);
    scenario_free(scenario);
    return digest;
}

/* In number 624 responses of READs come by two ways: a responder that answers duplicates has no
 * room for the next READ of a requester that needs none of them any more. */
static const unsigned hazards[] = {624};

static unsigned number_of(unsigned i)
{
    return i < SCENARIOS ? i : hazards[i - SCENARIOS];
}

static struct digest play_number(unsigned number, time_ps slice, bool returns, struct lived *lived)
{
    char text[TEXT_BYTES];
    struct rng rng = rng_stream(number, "failures", "scenario");
    make_scenario(&rng, number, returns, text);
    const char *wanted = getenv("LAW_PRINT");
    print_message("fail-%u\n", number);
    if (wanted != NULL && (unsigned)atoi(wanted) == number)
        print_message("%s", text);
    return play(text, slice, returns, lived);
}

static void what_comes_back_is_made_good(void **state)
{
    (void)state;
    struct lived lived = {0};
    for (unsigned i = 0; i < SCENARIOS + sizeof hazards / sizeof hazards[0]; i++) {
        const struct digest first = play_number(number_of(i), 50 * PS_PER_US, true, &lived);
        if (i % 8 != 0)
            continue;
        const struct digest again = play_number(number_of(i), 333 * PS_PER_US, true, NULL);
        assert_memory_equal(&first, &again, sizeof first);
    }
    print_message("%llu operations; frames lost: %llu on links, %llu without route, %llu by TTL\n",
                  (unsigned long long)lived.completed, (unsigned long long)lived.link_down,
                  (unsigned long long)lived.no_route, (unsigned long long)lived.ttl);
    assert_true(lived.completed > 10000);
    assert_true(lived.link_down > 1000);
    assert_true(lived.no_route > 100);
    assert_true(lived.ttl > 10);
}

static void what_stays_away_fails(void **state)
{
    (void)state;
    struct lived lived = {0};
    for (unsigned i = 0; i < FAILING; i++)
        (void)play_number(i, 500 * PS_PER_US, false, &lived);
    print_message("%llu operations, %llu failed\n", (unsigned long long)lived.completed,
                  (unsigned long long)lived.failed);
    assert_true(lived.completed > 5000);
    assert_true(lived.failed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_back_is_made_good),
                                       cmocka_unit_test(what_stays_away_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
