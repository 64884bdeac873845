/* SPDX-License-Identifier: Apache-2.0
 * On random scenarios without faults - random topology, rates, lengths, buffers, workloads - the
 * laws of every run (run_laws.h), and more:
 *   - no frame is lost: headroom is automatic
 *   - every operation is complete: none failed, none left, none twice, none corrupt
 *   - packets arrive in the order of their PSNs: no NAK, nothing sent twice
 *   - the same scenario gives the same digest again, watched or not, and another seed another one
 */
#include "base/drop.h"
#include "scenarios/load/load.h"
#include "tests/laws/run/run_laws.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 60, TEXT_BYTES = 4096 };

static const char *pick(struct rng *rng, const char *const *words)
{
    uint64_t count = 0;
    while (words[count] != NULL)
        count++;
    return words[rng_below(rng, count)];
}

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

/* Writes a topology and returns its number of hosts. */
static unsigned make_topology(struct rng *rng, char *text, size_t size)
{
    switch (rng_below(rng, 3)) {
    case 0: {
        const unsigned hosts = between(rng, 2, 8);
        snprintf(text, size, "{kind: single-switch, hosts: %u}", hosts);
        return hosts;
    }
    case 1: {
        const unsigned leaves = between(rng, 2, 4), hosts = between(rng, 1, 4);
        snprintf(text, size, "{kind: leaf-spine, leaves: %u, spines: %u, hosts-per-leaf: %u}",
                 leaves, between(rng, 1, 3), hosts);
        return leaves * hosts;
    }
    default:
        snprintf(text, size, "{kind: fat-tree, k: 4}");
        return 16;
    }
}

/* Host 0 is the only target; everybody else may use it or write to anybody. */
static void make_scenario(struct rng *rng, unsigned number, char *text)
{
    static const char *const rates[] = {"10Gbps",  "25Gbps", "40Gbps", "100Gbps",
                                        "200Gbps", "33Gbps", NULL};
    static const char *const lengths[] = {"1m", "3m", "30m", "100m", "300m", NULL};
    static const char *const mtus[] = {"256B", "512B", "1024B", "2048B", "4096B", NULL};
    static const char *const media[] = {"null", "fixed", "flash-tlc", "storage-class", NULL};
    static const char *const controls[] = {"none", "dcqcn", "dcqcn-mlx5", NULL};
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send", NULL};
    static const char *const buffers[] = {"4MB", "12MB", "32MB", NULL};
    static const char *const alphas[] = {"12.5%", "50%", "100%", "800%", NULL};
    static const char *const cells[] = {"1B", "80B", "208B", "254B", NULL};
    static const char *const lossy[] = {"0%", "25%", NULL};
    char topology[160];
    const unsigned hosts = make_topology(rng, topology, sizeof topology);
    const int head = snprintf(
        text, TEXT_BYTES,
        "stormglass: 1\nname: law-%u\nseed: %u\nduration: %uus\ndrain: 200ms\nfabric:\n"
        "  topology: %s\n"
        "  host-links: {rate: %s, length: %s, mtu: 4200B}\n"
        "  fabric-links: {rate: %s, length: %s, mtu: 9216B}\n"
        "  switch: {buffer: %s, ports: 1, policy: %s, xoff: %uKB, alpha: %s, cell: %s, "
        "lossy-pool: %s, ecn: {kmin: 100KB, kmax: 400KB, pmax: 20%%}, "
        "forwarding: %s}\n"
        "hosts:\n"
        "  defaults: {rnic: {profile: ideal, congestion-control: %s, path-mtu: %s, ack-interval: "
        "%u}}\n"
        "  targets: {where: host0, namespaces: [{media: %s}]}\n"
        "workloads:\n",
        number, between(rng, 0, 1000000), between(rng, 200, 800), topology, pick(rng, rates),
        pick(rng, lengths), pick(rng, rates), pick(rng, lengths), pick(rng, buffers),
        rng_below(rng, 2) ? "static" : "dynamic", between(rng, 20, 200), pick(rng, alphas),
        pick(rng, cells), pick(rng, lossy), rng_below(rng, 2) ? "cut-through" : "store-and-forward",
        pick(rng, controls), pick(rng, mtus), between(rng, 1, 16), pick(rng, media));
    snprintf(text + head, (size_t)(TEXT_BYTES - head),
             "  - {name: io, kind: nvme, from: \"host1..host%u\", to: host0, read: %u%%, "
             "block-size: %uKiB, "
             "queue-depth: %u, queues: %u}\n"
             "  - {name: raw, kind: %s, from: \"host1..host%u\", to: host0, message-size: %uB, "
             "outstanding: %u}\n",
             hosts - 1, between(rng, 0, 100), 4u << between(rng, 0, 5), between(rng, 1, 16),
             between(rng, 1, 3), pick(rng, kinds), hosts - 1, between(rng, 1, 100000),
             between(rng, 1, 4));
}

/* Without faults and with memory enough. */
static void check_rest(const struct world *world)
{
    for (uint32_t i = 0; i < world->host_count; i++) {
        const struct rnic_counters *counters = &world->hosts[i]->rnics[0]->counters;
        assert_int_equal(counters->retransmitted_packets, 0);
        assert_int_equal(counters->naks, 0);
        assert_int_equal(counters->out_of_sequence, 0);
        assert_int_equal(counters->duplicate_requests, 0);
        assert_int_equal(counters->qp_errors, 0);
    }
}

static void check_workloads(const struct world *world)
{
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct workload_stats *stats = &world->stats[i];
        assert_int_equal(stats->failed, 0);
        assert_int_equal(stats->corrupt, 0);
        assert_int_equal(world_outstanding(world, i), 0);
        assert_int_equal(stats->issued, stats->completed);
        assert_int_equal(stats->latency.count, stats->completed);
    }
}

/* Summed over the scenarios: a law that nothing happened under says nothing. */
struct lived {
    uint64_t completed, edges, marked;
};

static void live(struct lived *lived, const struct world *world, const struct run_laws *laws)
{
    for (uint32_t i = 0; i < world->workload_count; i++)
        lived->completed += world->stats[i].completed;
    for (uint32_t i = 0; i < world->switch_count; i++)
        lived->marked += world->switches[i]->counters.ecn_marked;
    lived->edges += laws->edges;
}

static struct digest play(const char *text, const char *set, struct lived *lived)
{
    static struct diag diag;
    static struct run_laws laws;
    memset(&diag, 0, sizeof diag);
    const struct scenario_input input = {.name = "law.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set != NULL};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    assert_true(run_laws_init(&laws, scenario, lived != NULL));
    struct world *world = world_build(scenario, &laws.probe, &diag);
    assert_non_null(world);
    run_laws_watch(&laws, world);
    world->engine.hostile = false; /* looked at between slices; after each event would take hours */
    while (world_run(world, world->engine.now + 50 * PS_PER_US))
        run_laws_look(&laws);
    /* What is left are acknowledgments and orderly ends: give them time. */
    run_laws_ended(&laws);
    engine_run(&world->engine, world->engine.now + PS_PER_MS);
    const struct digest digest = engine_digest(&world->engine);
    run_laws_look(&laws);
    run_laws_close(&laws, world, UINT64_MAX);
    run_laws_look(&laws);
    run_laws_judge(&laws);
    assert_string_equal(laws.broken, "");
    if (lived != NULL) {
        live(lived, world, &laws);
        assert_int_equal(world->executors[0].frames.frames.taken, 0);
        assert_int_equal(laws.lossless, 0);
        for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
            assert_int_equal(laws.causes[i], 0);
        check_workloads(world);
        check_rest(world);
    }
    world_free(world);
    run_laws_fini(&laws);
    scenario_free(scenario);
    return digest;
}

static void laws_hold(void **state)
{
    (void)state;
    struct lived lived = {0};
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    for (unsigned i = 0; i < SCENARIOS; i++) {
        struct rng rng = rng_stream(i, "laws", "scenario");
        make_scenario(&rng, i, text);
        print_message("law-%u\n", i);
        const char *seed = getenv("LAW_PRINT");
        if (seed != NULL && (unsigned)atoi(seed) == i)
            print_message("%s", text);
        const struct digest first = play(text, NULL, &lived);
        if (i % 8 != 0)
            continue;
        const struct digest again = play(text, NULL, NULL);
        const struct digest other = play(text, "seed=1000001", NULL);
        assert_memory_equal(&first, &again, sizeof first);
        assert_memory_not_equal(&first, &other, sizeof first);
    }
    free(text);
    print_message("%llu operations, %llu pause edges, %llu marks\n",
                  (unsigned long long)lived.completed, (unsigned long long)lived.edges,
                  (unsigned long long)lived.marked);
    assert_true(lived.completed > 5000);
    assert_true(lived.edges > 1000);
    assert_true(lived.marked > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
