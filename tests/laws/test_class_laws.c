/* SPDX-License-Identifier: Apache-2.0
 * What holds in every run with several classes, on random ones: random topology, maps from DSCP to
 * priority that all nodes share, lossless and lossy classes with weights or strict, workloads in
 * each, slow receivers.
 *   - no frame of a lossless class is lost, in switches or in receive buffers
 *   - no operation of a workload in a lossless class fails, and nothing is left in any
 *   - every frame of a workload's connections travels in its DSCP, or that of ACKs or CNPs
 *   - pauses come in lossless priorities only, and all end
 * And where neighbors' maps differ, pauses hold nobody and lossless frames are lost. */
#include "scenarios/world/world.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 50, TEXT_BYTES = 4096, CLASSES = 4, CNP_DSCP = 48 };

struct watch {
    uint64_t lossless, lossy, pauses, strangers;
    uint64_t dscps;        /* that frames may have, a bit for each */
    unsigned lossless_set; /* priorities */
    bool wrong_pause;
};

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct watch *watch = self;
    watch->lossless += drop->lossless;
    watch->lossy += !drop->lossless;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct watch *watch = self;
    watch->pauses++;
    watch->wrong_pause |= (watch->lossless_set >> pause->priority & 1) == 0;
}

static void on_frame(void *self, const struct probe_frame *reported)
{
    struct watch *watch = self;
    if (!frame_is_mac_control(reported->frame))
        watch->strangers += (watch->dscps >> (reported->frame->tos >> 2) & 1) == 0;
}

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

static const char *pick(struct rng *rng, const char *const *words, unsigned count)
{
    return words[rng_below(rng, count)];
}

/* DSCPs and priorities of four classes; some are lossless. */
struct classes {
    unsigned dscp[CLASSES], priority[CLASSES], lossless; /* mask of priorities */
    char map[128], mask[32], weights[160];
};

static void draw_classes(struct rng *rng, struct classes *classes)
{
    unsigned order[PRIORITIES] = {0, 1, 2, 3, 4, 5, 6, 7};
    int map = 0, mask = 0, weights = 0;
    *classes = (struct classes){0};
    for (unsigned i = 0; i < CLASSES; i++) {
        const unsigned j = between(rng, i, PRIORITIES - 1), swapped = order[j];
        order[j] = order[i];
        order[i] = swapped;
        classes->priority[i] = swapped;
        classes->dscp[i] = 12 * i + between(rng, 0, 11); /* 0 to 47: none is the CNPs' */
        map +=
            sprintf(classes->map + map, "%s%u: %u", i > 0 ? ", " : "", classes->dscp[i], swapped);
        if (i < 3 && rng_below(rng, 3) > 0) {
            classes->lossless |= 1u << swapped;
            mask += sprintf(classes->mask + mask, "%s%u", mask > 0 ? ", " : "", swapped);
        }
        if (rng_below(rng, 3) > 0)
            weights += sprintf(classes->weights + weights, "%s%u: %u", weights > 0 ? ", " : "",
                               swapped, between(rng, 1, 100));
    }
}

static unsigned draw_topology(struct rng *rng, char *text, size_t size)
{
    if (rng_below(rng, 2) == 0) {
        const unsigned hosts = between(rng, 3, 6);
        snprintf(text, size, "{kind: single-switch, hosts: %u}", hosts);
        return hosts;
    }
    const unsigned leaves = between(rng, 2, 3), hosts = between(rng, 2, 3);
    snprintf(text, size, "{kind: leaf-spine, leaves: %u, spines: %u, hosts-per-leaf: %u}", leaves,
             between(rng, 1, 2), hosts);
    return leaves * hosts;
}

static int write_workloads(struct rng *rng, const struct classes *classes, unsigned hosts,
                           char *text, int used)
{
    static const char *const kinds[] = {"nvme", "rdma-write", "rdma-read", "rdma-send"};
    for (unsigned i = 0; i < CLASSES; i++) {
        const char *kind = pick(rng, kinds, 4);
        used += sprintf(text + used,
                        "  - {name: w%u, kind: %s, from: \"host1..host%u\", to: host0, "
                        "dscp: %u, ",
                        i, kind, hosts - 1, classes->dscp[i]);
        if (kind == kinds[0])
            used += sprintf(text + used, "read: %u%%, block-size: %uKiB, queue-depth: %u}\n",
                            between(rng, 0, 100), 4u << between(rng, 0, 5), between(rng, 1, 32));
        else
            used += sprintf(text + used, "message-size: %uB, outstanding: %u}\n",
                            between(rng, 1, 200000), between(rng, 1, 8));
    }
    return used;
}

/* Returns whether ACKs have a class of their own: then they may overtake READ responses. */
static bool draw_scenario(struct rng *rng, struct classes *classes, char *text)
{
    static const char *const rates[] = {"25Gbps", "40Gbps", "100Gbps"};
    static const char *const buffers[] = {"2MB", "4MB", "16MB"};
    static const char *const controls[] = {"none", "dcqcn"};
    char topology[160];
    draw_classes(rng, classes);
    const unsigned hosts = draw_topology(rng, topology, sizeof topology);
    const bool own_acks = rng_below(rng, 3) == 0;
    int used = snprintf(
        text, TEXT_BYTES,
        "stormglass: 1\nname: classes\nseed: %u\nduration: 300us\ndrain: 5s\nfabric:\n"
        "  topology: %s\n  host-links: {rate: %s, length: 3m, mtu: 4200B}\n"
        "  fabric-links: {rate: 100Gbps, length: 30m, mtu: 9216B}\n"
        "  switch: {buffer: %s, ports: 1, alpha: 50%%, alpha-lossy: %u%%, pfc: {priorities: [%s]}, "
        "dscp: {%s}, weight: {%s}, ecn: {kmin: 50KB, kmax: 200KB}}\nhosts:\n"
        "  defaults: {rnic: {profile: ideal, congestion-control: %s, timeout: 12, "
        "dscp-to-priority: {%s}, "
        "pfc-priorities: [%s], weight: {%s}%s}}\n"
        "  targets: {where: host0, namespaces: [{media: \"null\"}]}\nworkloads:\n",
        between(rng, 0, 1000000), topology, pick(rng, rates, 3), pick(rng, buffers, 3),
        between(rng, 5, 50), classes->mask, classes->map, classes->weights, pick(rng, controls, 2),
        classes->map, classes->mask, classes->weights, own_acks ? ", ack-dscp: 63" : "");
    used = write_workloads(rng, classes, hosts, text, used);
    if (rng_below(rng, 2) == 0)
        snprintf(
            text + used, (size_t)(TEXT_BYTES - used),
            "faults: [{at: 50us, for: 200us, kind: slow-receiver, where: host0, drain: %u%%}]\n",
            between(rng, 0, 40));
    return own_acks;
}

static struct world *play(const char *text, struct watch *watch, struct scenario **scenario)
{
    static struct diag diag;
    static struct probe probe; /* the world outlives this call */
    probe = probe_none;
    memset(&diag, 0, sizeof diag);
    probe.self = watch;
    probe.drop = on_drop;
    probe.pause = on_pause;
    probe.frame = on_frame;
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    *scenario = scenario_load(&input, &diag);
    if (*scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(*scenario);
    struct world *world = world_build(*scenario, &probe, &diag);
    assert_non_null(world);
    world->engine.hostile = false;
    while (world_run(world, world->engine.now + 50 * PS_PER_US))
        world_audit(world);
    engine_run(&world->engine, world->engine.now + PS_PER_MS);
    world_audit(world);
    return world;
}

struct lived {
    uint64_t completed, pauses, lossy, edges;
};

static void check(const struct world *world, const struct classes *classes,
                  const struct watch *watch, struct lived *lived)
{
    assert_int_equal(watch->lossless, 0);
    assert_int_equal(watch->strangers, 0);
    assert_false(watch->wrong_pause);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct workload_stats *stats = &world->stats[i];
        assert_int_equal(world_outstanding(world, i), 0);
        assert_int_equal(stats->corrupt, 0);
        assert_int_equal(stats->issued, stats->completed + stats->failed);
        if ((classes->lossless >> classes->priority[i] & 1) != 0)
            assert_int_equal(stats->failed, 0);
        lived->completed += stats->completed;
    }
    for (uint32_t i = 0; i < world->switch_count; i++)
        for (uint16_t p = 0; p < world->switches[i]->port_count; p++)
            assert_int_equal(world->switches[i]->ports[p].asserted, 0);
    for (uint32_t i = 0; i < world->host_count; i++)
        assert_int_equal(host_port(world->hosts[i], 0)->asserted, 0);
    lived->pauses += watch->pauses;
    lived->lossy += watch->lossy;
}

static void lossless_classes_lose_nothing(void **state)
{
    (void)state;
    struct lived lived = {0};
    static char text[TEXT_BYTES];
    for (unsigned i = 0; i < SCENARIOS; i++) {
        struct rng rng = rng_stream(i, "laws", "classes");
        struct classes classes;
        struct watch watch = {.dscps = UINT64_C(1) << CNP_DSCP};
        struct scenario *scenario;
        if (draw_scenario(&rng, &classes, text))
            watch.dscps |= UINT64_C(1) << 63;
        for (unsigned c = 0; c < CLASSES; c++)
            watch.dscps |= UINT64_C(1) << classes.dscp[c];
        watch.lossless_set = classes.lossless;
        print_message("classes %u\n", i);
        const char *wanted = getenv("LAW_PRINT");
        if (wanted != NULL && (unsigned)atoi(wanted) == i)
            print_message("%s", text);
        struct world *world = play(text, &watch, &scenario);
        check(world, &classes, &watch, &lived);
        world_free(world);
        scenario_free(scenario);
    }
    print_message("%llu operations, %llu pauses, %llu frames of lossy classes lost\n",
                  (unsigned long long)lived.completed, (unsigned long long)lived.pauses,
                  (unsigned long long)lived.lossy);
    assert_true(lived.completed > 3000 && lived.pauses > 1000 && lived.lossy > 1000);
}

/* Three hosts send to one, in DSCP 26. */
#define INCAST                                                                                     \
    "stormglass: 1\nname: maps\nseed: 1\nduration: 500us\ndrain: 1s\nfabric:\n"                    \
    "  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"                    \
    "  switch: {buffer: 2MB, ports: 1, pfc: {priorities: [3, 4]}, dscp: {26: 4}}\n"
#define WRITES                                                                                     \
    "workloads: [{name: w, kind: rdma-write, from: host1..host3, to: host0, outstanding: 32}]\n"
#define HOSTS_AGREE                                                                                \
    "hosts: {defaults: {rnic: {profile: ideal, priority: 4, congestion-control: none}}}\n"
#define HOSTS_APART                                                                                \
    "hosts: {defaults: {rnic: {profile: ideal, priority: 3, congestion-control: none}}}\n"

static uint64_t lossless_drops(const char *text, uint64_t *pauses)
{
    struct watch watch = {0};
    struct scenario *scenario;
    struct world *world = play(text, &watch, &scenario);
    world_free(world);
    scenario_free(scenario);
    *pauses = watch.pauses;
    return watch.lossless;
}

static void maps_that_differ_lose_what_is_lossless(void **state)
{
    static const struct {
        const char *text;
        bool loses;
    } rows[] = {
        {INCAST HOSTS_AGREE WRITES, false},
        {INCAST HOSTS_APART WRITES, true}, /* host against leaf */
        {INCAST "  overrides: [{where: spine0, dscp: {26: 3}}]\n" HOSTS_AGREE WRITES, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t pauses;
        assert_int_equal(lossless_drops(rows[i].text, &pauses) > 0, rows[i].loses);
        assert_true(pauses > 0);
    }
}

/* ACKs in a queue of their own overtake READ responses, which then count as lost and are asked for
 * again; that costs time, but no operation. */
static void overtaken_responses_are_no_failure(void **state)
{
    static const char text[] =
        "stormglass: 1\nname: acks\nseed: 1\nduration: 4ms\ndrain: 1s\nfabric:\n"
        "  topology: {kind: single-switch, hosts: 4}\n"
        "  switch: {alpha: 12.5%, ecn: {kmax: 0B}}\n"
        "hosts:\n"
        "  defaults: {rnic: {profile: ideal, congestion-control: none, ack-dscp: 48, timeout: "
        "12}}\n"
        "  targets: {where: host3, namespaces: [{media: \"null\"}]}\n"
        "workloads:\n"
        "  - {name: w, kind: nvme, from: host0..host2, to: host3, read: 0%, block-size: 128KiB, "
        "queue-depth: 32, queues: 4}\n";
    (void)state;
    struct watch watch = {0};
    struct scenario *scenario;
    struct world *world = play(text, &watch, &scenario);
    const struct rnic_counters *target = &world->hosts[3]->rnics[0]->counters;
    assert_int_equal(watch.lossless + watch.lossy, 0);
    assert_true(target->implied_naks > 0 && target->retransmitted_packets > 0);
    assert_true(world->stats[0].completed > 100);
    assert_int_equal(world->stats[0].failed, 0);
    assert_int_equal(world_outstanding(world, 0), 0);
    world_free(world);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_classes_lose_nothing),
        cmocka_unit_test(maps_that_differ_lose_what_is_lossless),
        cmocka_unit_test(overtaken_responses_are_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
