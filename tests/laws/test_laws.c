/* SPDX-License-Identifier: Apache-2.0
 * What holds in every run, on random scenarios: random topology, rates, lengths, buffers,
 * workloads.
 *   - no frame of a lossless class is lost: headroom is automatic
 *   - every operation is complete: none failed, none left, none twice, none corrupt
 *   - packets arrive in the order of their PSNs: no NAK, nothing sent twice
 *   - what entered a wire left it: frames and bytes, link by link and priority by priority
 *   - XOFF and XON alternate on every port and priority, and every pause ended
 *   - buffers are never negative and are empty in the end; all frames are given back
 *   - the same scenario gives the same digest again, and another seed another one */
#include "scenarios/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 60, TEXT_BYTES = 4096, PORTS_MAX = 4096 };

struct watch {
    uint8_t asserted[PORTS_MAX][PRIORITIES];
    uint64_t lossless, drops, edges;
    char error[256];
};

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct watch *watch = self;
    watch->drops++;
    watch->lossless += drop->lossless;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct watch *watch = self;
    const uint32_t port = (pause->node * 64u + pause->port) % PORTS_MAX;
    uint8_t *asserted = &watch->asserted[port][pause->priority];
    if (pause->refresh ? !*asserted : pause->xoff == (*asserted != 0))
        snprintf(watch->error, sizeof watch->error, "node %u port %u priority %u: %s twice",
                 pause->node, pause->port, pause->priority, pause->xoff ? "XOFF" : "XON");
    *asserted = pause->xoff;
    watch->edges++;
}

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
        "  defaults: {rnic: {congestion-control: %s, path-mtu: %s, ack-interval: %u}}\n"
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

/* Frames and bytes that entered the wire of each port have left it at the peer. */
static void check_wires(const struct world *world)
{
    for (uint32_t n = 0; n < world->scenario->node_count; n++) {
        for (uint16_t p = 0; p < world->scenario->nodes[n].port_count; p++) {
            const struct port *port = world_port(world, n, p);
            const struct port *peer = world_port(world, port->peer_node, port->peer_port);
            uint64_t sent = 0, sent_bytes = 0, taken = peer->pfc_frames_rx;
            uint64_t taken_bytes = peer->pfc_frames_rx * WIRE_PFC_BYTES;
            for (int i = 0; i < PRIORITIES; i++) {
                sent += port->lanes[i].tx_frames;
                sent_bytes += port->lanes[i].tx_bytes;
                taken += peer->lanes[i].rx_frames;
                taken_bytes += peer->lanes[i].rx_bytes;
            }
            assert_int_equal(sent, taken);
            assert_int_equal(sent_bytes, taken_bytes);
        }
    }
}

static void check_rest(const struct world *world)
{
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        assert_int_equal(swtch->buffer.used, 0);
        assert_true(swtch->buffer.used_peak <= swtch->buffer.total);
        for (uint16_t p = 0; p < swtch->port_count; p++)
            assert_int_equal(swtch->ports[p].asserted, 0);
    }
    for (uint32_t i = 0; i < world->host_count; i++) {
        const struct rnic_counters *counters = &world->hosts[i]->rnics[0]->counters;
        assert_int_equal(counters->retransmitted_packets, 0);
        assert_int_equal(counters->naks, 0);
        assert_int_equal(counters->out_of_sequence, 0);
        assert_int_equal(counters->duplicate_requests, 0);
        assert_int_equal(counters->qp_errors, 0);
    }
    assert_int_equal(world->executors[0].frames.frames.taken, 0);
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        assert_int_equal(world->executors[0].frames.blobs[i].taken, 0);
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

static void live(struct lived *lived, const struct world *world, const struct watch *watch)
{
    for (uint32_t i = 0; i < world->workload_count; i++)
        lived->completed += world->stats[i].completed;
    for (uint32_t i = 0; i < world->switch_count; i++)
        lived->marked += world->switches[i]->counters.ecn_marked;
    lived->edges += watch->edges;
}

static struct digest play(const char *text, const char *set, struct lived *lived)
{
    static struct diag diag;
    static struct watch watch;
    memset(&watch, 0, sizeof watch);
    memset(&diag, 0, sizeof diag);
    struct probe probe = probe_none;
    probe.self = &watch;
    probe.drop = on_drop;
    probe.pause = on_pause;
    const struct scenario_input input = {.name = "law.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set != NULL};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe, &diag);
    assert_non_null(world);
    world->engine.hostile = false; /* audited between slices; after each event would take hours */
    while (world_run(world, world->engine.now + 50 * PS_PER_US))
        world_audit(world);
    /* What is left are acknowledgements and orderly ends: give them time. */
    engine_run(&world->engine, world->engine.now + PS_PER_MS);
    const struct digest digest = engine_digest(&world->engine);
    if (lived != NULL) {
        live(lived, world, &watch);
        assert_string_equal(watch.error, "");
        assert_int_equal(watch.lossless, 0);
        assert_int_equal(watch.drops, 0);
        check_workloads(world);
        check_wires(world);
        check_rest(world);
    }
    world_audit(world);
    world_free(world);
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
