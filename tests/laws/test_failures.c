/* SPDX-License-Identifier: Apache-2.0
 * What holds while links and switches fail and come back, on random scenarios.
 *   - what entered a cable left it, or was lost on it: frames and bytes
 *   - what entered a switch left it, or was lost there
 *   - the path returns before the transport gives up: every operation is complete, none failed
 *   - the path does not return: operations fail, and none is forgotten
 *   - XOFF and XON alternate, and every pause ended; all frames are given back
 *   - the same scenario gives the same digest again, stopped in between or not */
#include "scenarios/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 40, FAILING = 20, TEXT_BYTES = 4096, PORTS_MAX = 4096, NODE_PORTS = 64 };

struct losses {
    uint64_t frames, bytes;
};

struct watch {
    uint8_t asserted[PORTS_MAX][PRIORITIES];
    struct losses on_cable[PORTS_MAX], in_switch[PORTS_MAX];
    uint64_t causes[PROBE_DROP_CAUSE_COUNT], lossless;
    char error[256];
};

static uint32_t slot(uint32_t node, uint16_t port)
{
    assert_true(port < NODE_PORTS && node < PORTS_MAX / NODE_PORTS);
    return node * NODE_PORTS + port;
}

/* Ports know no egress: what they drop never came into the switch. */
static void on_drop(void *self, const struct probe_drop *drop)
{
    struct watch *watch = self;
    const bool by_port = drop->cause == PROBE_DROP_LINK_DOWN && drop->egress == UINT16_MAX;
    struct losses *losses = by_port ? watch->on_cable : watch->in_switch;
    losses[slot(drop->node, drop->port)].frames++;
    losses[slot(drop->node, drop->port)].bytes += (uint64_t)drop->frame_bytes;
    watch->causes[drop->cause]++;
    watch->lossless += drop->lossless;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct watch *watch = self;
    uint8_t *asserted = &watch->asserted[slot(pause->node, pause->port)][pause->priority];
    if (pause->refresh ? !*asserted : pause->xoff == (*asserted != 0))
        snprintf(watch->error, sizeof watch->error, "node %u port %u priority %u: %s twice",
                 pause->node, pause->port, pause->priority, pause->xoff ? "XOFF" : "XON");
    *asserted = pause->xoff;
}

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
        "  defaults: {rnic: {timeout: 8, retry-count: 7, congestion-control: %s}, nvme: "
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

static struct losses sent(const struct port *port)
{
    struct losses sum = {0};
    for (int i = 0; i < PRIORITIES; i++) {
        sum.frames += port->lanes[i].tx_frames;
        sum.bytes += port->lanes[i].tx_bytes;
    }
    return sum;
}

static struct losses taken(const struct port *port)
{
    struct losses sum = {port->pfc_frames_rx, port->pfc_frames_rx * WIRE_PFC_BYTES};
    for (int i = 0; i < PRIORITIES; i++) {
        sum.frames += port->lanes[i].rx_frames;
        sum.bytes += port->lanes[i].rx_bytes;
    }
    return sum;
}

/* Both directions together: a port that drops does not say in which one. */
static void check_cables(const struct world *world, const struct watch *watch)
{
    for (uint32_t i = 0; i < world->scenario->link_count; i++) {
        const struct scenario_link *link = &world->scenario->links[i];
        struct losses in = {0}, out = {0};
        for (int end = 0; end < 2; end++) {
            const struct port *port = world_port(world, link->node[end], link->port[end]);
            const struct losses *lost = &watch->on_cable[slot(link->node[end], link->port[end])];
            in.frames += sent(port).frames;
            in.bytes += sent(port).bytes;
            out.frames += taken(port).frames + lost->frames;
            out.bytes += taken(port).bytes + lost->bytes;
        }
        assert_int_equal(in.frames, out.frames);
        assert_int_equal(in.bytes, out.bytes);
    }
}

static void check_switches(const struct world *world, const struct watch *watch)
{
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        uint64_t in = 0, out = 0;
        for (uint16_t p = 0; p < swtch->port_count; p++) {
            const struct port *port = &swtch->ports[p];
            in += taken(port).frames - port->pfc_frames_rx;
            out += sent(port).frames - port->pfc_frames_tx +
                   watch->in_switch[slot(swtch->node.id, p)].frames;
            assert_int_equal(port->asserted, 0);
            assert_int_equal(port->paused, 0);
        }
        assert_int_equal(in, out);
        assert_int_equal(swtch->buffer.used, 0);
    }
    assert_int_equal(world->executors[0].frames.frames.taken, 0);
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        assert_int_equal(world->executors[0].frames.blobs[i].taken, 0);
}

static void check_workloads(const struct world *world, bool returns)
{
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct workload_stats *stats = &world->stats[i];
        assert_int_equal(stats->corrupt, 0);
        assert_int_equal(stats->issued, stats->completed + stats->failed);
        assert_int_equal(world_outstanding(world, i), 0);
        if (returns)
            assert_int_equal(stats->failed, 0);
    }
}

struct lived {
    uint64_t completed, failed, link_down, no_route, ttl;
};

static struct digest play(const char *text, time_ps slice, bool returns, struct lived *lived)
{
    static struct diag diag;
    static struct watch watch;
    memset(&watch, 0, sizeof watch);
    memset(&diag, 0, sizeof diag);
    struct probe probe = probe_none;
    probe.self = &watch;
    probe.drop = on_drop;
    probe.pause = on_pause;
    const struct scenario_input input = {.name = "fail.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe, &diag);
    assert_non_null(world);
    world->engine.hostile = false; /* audited between slices; after each event would take hours */
    while (world_run(world, world->engine.now + slice))
        world_audit(world);
    engine_run(&world->engine, world->engine.now + 20 * PS_PER_MS);
    const struct digest digest = engine_digest(&world->engine);
    if (lived != NULL) {
        assert_string_equal(watch.error, "");
        assert_int_equal(watch.lossless, 0);
        check_workloads(world, returns);
        if (returns) { /* a loop without end may stand still, full */
            check_cables(world, &watch);
            check_switches(world, &watch);
        }
        for (uint32_t i = 0; i < world->workload_count; i++) {
            lived->completed += world->stats[i].completed;
            lived->failed += world->stats[i].failed;
        }
        lived->link_down += watch.causes[PROBE_DROP_LINK_DOWN];
        lived->no_route += watch.causes[PROBE_DROP_NO_ROUTE];
        lived->ttl += watch.causes[PROBE_DROP_TTL];
    }
    world_audit(world);
    world_free(world);
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
