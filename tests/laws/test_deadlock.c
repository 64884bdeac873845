/* SPDX-License-Identifier: Apache-2.0
 * Deadlocks on random graphs against brute force: the run goes on with no new traffic for long, and
 * whatever queue of a switch has not moved by then is stuck.
 *   - what a look finds never moves again, and no deadlock that was found goes away
 *   - what is stuck in the end is what a look then finds, queue by queue
 *   - none of the circle's queues has sent anything since the time that is named
 *   - where there is a deadlock, a check without a run has told of a cyclic dependency; not the
 *     other way round
 * Slow receivers and storms that end hold everything up for a while, and are no deadlocks. Links
 * with credits, of InfiniBand and Fibre Channel, have the same law. */
#include "net/port/credits.h"
#include "scenarios/check/check.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 160, TEXT_BYTES = 8192, SWITCHES_MAX = 8, NODES_MAX = 40, PORTS_MAX = 16 };

/* When each port and priority last began to send. */
struct watch {
    time_ps sent[NODES_MAX][PORTS_MAX][PRIORITIES];
};

static void on_frame(void *self, const struct probe_frame *frame)
{
    struct watch *watch = self;
    assert_true(frame->node < NODES_MAX && frame->port < PORTS_MAX);
    if (!frame_is_mac_control(frame->frame))
        watch->sent[frame->node][frame->port][frame->frame->priority] = frame->at;
}

static unsigned between(struct rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(rng, high - low + 1);
}

struct writer {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct writer *writer, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    writer->used += (size_t)vsnprintf(writer->text + writer->used, TEXT_BYTES - writer->used,
                                      format, arguments);
    va_end(arguments);
    assert_true(writer->used < TEXT_BYTES);
}

/* A ring or a tree, and some more links across; one or two hosts at each switch.  A wound one is a
 * ring in which everybody writes two switches further: the paths go round, and may lock up. */
struct shape {
    unsigned switches, each, across;
    bool wound, ring, alike;
};

static struct shape make_shape(struct rng *rng)
{
    const bool wound = rng_below(rng, 2) > 0;
    return (struct shape){
        .switches = between(rng, wound ? 5 : 3, SWITCHES_MAX),
        .each = between(rng, 1, 2),
        .across = wound ? 0 : between(rng, 0, 3),
        .wound = wound,
        .ring = wound || rng_below(rng, 3) > 0,
        .alike = rng_below(rng, 3) > 0,
    };
}

/* Kinds of fabrics, and the rates of their links; the last one is that of most links. */
static const struct fabric {
    const char *kind, *rates[4];
} fabrics[] = {{"ethernet", {"25Gbps", "40Gbps", "100Gbps", "100Gbps"}},
               {"infiniband", {"32Gbps", "40Gbps", "100Gbps", "100Gbps"}},
               {"fibre-channel", {"16GFC", "32GFC", "32GFC", "32GFC"}}};

static void add_ethernet(struct writer *writer, struct rng *rng, const char *kind, const char *xon)
{
    add(writer,
        "  switch: {buffer: %uKB, ports: 1, policy: %s, xoff: %uKB, alpha: %u%%, xon-offset: %uKB, "
        "forwarding: %s, pfc: {priorities: [3, 4], headroom: auto}}\n"
        "  overrides: [{where: \"s*\", flow-control: %s, pfc-xon: %s}, {where: \"h*\", "
        "flow-control: %s, pfc-xon: %s}%s]\n",
        between(rng, 2500, 4000), rng_below(rng, 2) > 0 ? "static" : "dynamic",
        between(rng, 20, 100), 6u << between(rng, 0, 4), between(rng, 0, 15),
        rng_below(rng, 2) > 0 ? "store-and-forward" : "cut-through", kind, xon, kind, xon,
        rng_below(rng, 6) > 0 ? "" : ", {where: s1, dscp: {34: 3}}");
}

static void add_fabric(struct writer *writer, struct rng *rng, const struct shape *shape,
                       const struct fabric *fabric)
{
    const unsigned switches = shape->switches, each = shape->each;
    const char *const *const rates = fabric->rates;
    const char *const kind = rng_below(rng, 4) > 0 ? "pfc" : "global";
    const char *const xon = rng_below(rng, 4) > 0 ? "true" : "false";
    add(writer, "fabric:\n  kind: %s\n  topology:\n    kind: explicit\n    hosts: [", fabric->kind);
    for (unsigned i = 0; i < switches * each; i++)
        add(writer, "%sh%u", i > 0 ? ", " : "", i);
    add(writer, "]\n    switches: [");
    for (unsigned i = 0; i < switches; i++)
        add(writer, "%ss%u", i > 0 ? ", " : "", i);
    add(writer, "]\n    links:\n");
    for (unsigned i = 0; i < switches * each; i++)
        add(writer, "      - {ends: [h%u, s%u], rate: %s}\n", i, i / each,
            rates[shape->alike ? 3 : rng_below(rng, 4)]);
    for (unsigned i = 1; i < switches; i++)
        add(writer, "      - {ends: [s%u, s%u], rate: %s, length: %um}\n",
            shape->ring ? i - 1 : between(rng, 0, i - 1), i, rates[3], between(rng, 1, 300));
    if (shape->ring)
        add(writer, "      - {ends: [s%u, s0], rate: %s}\n", switches - 1, rates[3]);
    for (unsigned i = 0; i < shape->across; i++) {
        const unsigned a = between(rng, 0, switches - 1);
        add(writer, "      - {ends: [s%u, s%u], rate: %s}\n", a,
            (a + between(rng, 1, switches - 1)) % switches, rates[rng_below(rng, 4)]);
    }
    if (fabric == fabrics)
        add_ethernet(writer, rng, kind, xon);
    else
        add(writer, "%s", fabric == fabrics + 1 ? "  routing: {algorithm: min-hop}\n" : "");
}

static void add_hosts(struct writer *writer, struct rng *rng, const struct fabric *fabric)
{
    if (fabric == fabrics + 2) {
        add(writer, "hosts: {targets: {where: \"h*\", namespaces: [{media: \"null\"}]}}\n");
        return;
    }
    add(writer,
        "hosts:\n  defaults: {rnic: {profile: ideal, congestion-control: %s, path-mtu: %uB}}\n",
        rng_below(rng, 4) > 0 || fabric > fabrics ? "none" : "dcqcn", 256u << between(rng, 0, 4));
    if (rng_below(rng, 3) == 0 && fabric == fabrics)
        add(writer, "  other: {where: h1, rnic: {dscp: 34, priority: 4}}\n");
}

static void make_scenario(struct rng *rng, unsigned number, const struct fabric *fabric, char *text)
{
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send"};
    struct writer writer = {.text = text};
    add(&writer, "stormglass: 1\nname: deadlock-%u\nseed: %u\nduration: %uus\ndrain: 20ms\n",
        number, between(rng, 0, 1000000),
        between(rng, 200, 600) + (fabric == fabrics + 2 ? 400 : 0)); /* logins take 250 us */
    const struct shape shape = make_shape(rng);
    const unsigned hosts = shape.switches * shape.each;
    add_fabric(&writer, rng, &shape, fabric);
    add_hosts(&writer, rng, fabric);
    add(&writer, "workloads:\n");
    const unsigned step = shape.wound ? 2 * shape.each : between(rng, 1, hosts - 1);
    const unsigned flows = between(rng, shape.wound ? hosts : hosts / 2, 2 * hosts);
    const unsigned large = between(rng, 0, 6);
    for (unsigned i = 0; i < flows; i++) {
        const unsigned from = i % hosts;
        const unsigned far = i < hosts ? step : between(rng, 1, hosts - 1);
        if (fabric == fabrics + 2)
            add(&writer,
                "  - {name: w%u, kind: nvme, transport: fc, from: h%u, to: h%u, read: %u%%, "
                "block-size: %uKiB, queue-depth: %u}\n",
                i, from, (from + far) % hosts, shape.wound ? 0 : 50,
                64u << between(rng, large / 2, 3), 8 * between(rng, 1, 4));
        else
            add(&writer,
                "  - {name: w%u, kind: %s, from: h%u, to: h%u, message-size: %uKiB, outstanding: "
                "%u}\n",
                i, kinds[shape.wound ? 0 : rng_below(rng, 3)], from, (from + far) % hosts,
                16u << between(rng, large, 6), between(rng, 1, 4));
    }
    if (rng_below(rng, 2) > 0)
        add(&writer, "faults: [{at: 50us, for: %uus, kind: %s, where: h%u}]\n",
            between(rng, 50, 2000),
            rng_below(rng, 2) > 0 && fabric == fabrics ? "pause-storm, priority: 3"
                                                       : "slow-receiver, drain: 1%",
            between(rng, 0, hosts - 1));
}

/* ------------------------------------------------------------------ brute force */

struct frozen {
    uint64_t frames[NODES_MAX][PORTS_MAX][PRIORITIES];
};

/* Frames that the queue has sent: on links with credits, updates count with their lane. */
static uint64_t sent_by(const struct port *port, unsigned priority)
{
    const struct port_credits *credits = port->credits;
    return port->prios[priority].tx_frames -
           (credits != NULL ? credits->lanes[priority].updates_tx : 0);
}

static void snapshot(const struct world *world, struct frozen *frozen)
{
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        for (uint16_t p = 0; p < swtch->port_count; p++)
            for (unsigned priority = 0; priority < PRIORITIES; priority++)
                frozen->frames[swtch->node.id][p][priority] = sent_by(&swtch->ports[p], priority);
    }
}

static bool is_listed(const struct world *world, uint32_t node, uint16_t port, unsigned priority)
{
    for (uint32_t i = 0; i < world->deadlocks.count; i++) {
        const struct deadlock *deadlock = &world->deadlocks.found[i];
        for (uint32_t q = 0; deadlock->gone == TIME_NEVER && q < deadlock->queue_count; q++)
            if (deadlock->queues[q].node == node && deadlock->queues[q].port == port &&
                deadlock->queues[q].priority == priority)
                return true;
    }
    return false;
}

static unsigned compare(const struct world *world, const struct frozen *before)
{
    unsigned stuck = 0;
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        for (uint16_t p = 0; p < swtch->port_count; p++)
            for (unsigned priority = 0; priority < PRIORITIES; priority++) {
                const struct port_prio *prio = &swtch->ports[p].prios[priority];
                const bool stands =
                    prio->bytes > 0 && sent_by(&swtch->ports[p], priority) ==
                                           before->frames[swtch->node.id][p][priority];
                stuck += stands;
                if (stands != is_listed(world, swtch->node.id, p, priority))
                    fail_msg("%s:p%u priority %u: %s, but %s", swtch->node.name, p, priority,
                             stands ? "stuck" : "not stuck", stands ? "not found" : "found");
            }
    }
    return stuck;
}

/* Nothing that was ever found has moved. */
static void check_found(const struct world *world, const struct watch *watch)
{
    for (uint32_t i = 0; i < world->deadlocks.count; i++) {
        const struct deadlock *deadlock = &world->deadlocks.found[i];
        assert_true(deadlock->gone == TIME_NEVER);
        assert_true(deadlock->cycle >= 2);
        assert_true(deadlock->since <= deadlock->found);
        time_ps latest = 0;
        for (uint32_t q = 0; q < deadlock->queue_count; q++) {
            const struct deadlock_queue *queue = &deadlock->queues[q];
            const time_ps sent = watch->sent[queue->node][queue->port][queue->priority];
            if (queue->bytes > 0)
                assert_true(sent <= queue->since);
            if (queue->role == DEADLOCK_CYCLE && sent > latest)
                latest = sent;
        }
        assert_true(latest <= deadlock->since);
    }
}

/* Past the moments at which workloads become idle, which end engine_run. */
static void go_on(struct world *world, time_ps until)
{
    while (world->engine.now < until)
        engine_run(&world->engine, until);
}

static bool has_cycle(const struct scenario *scenario)
{
    struct check_report report;
    bool found = false;
    check_scenario(scenario, &report);
    for (size_t i = 0; i < report.count; i++)
        found |= report.findings[i].level == DIAG_WARNING &&
                 strstr(report.findings[i].text, "cyclic buffer dependency") != NULL;
    check_free(&report);
    return found;
}

struct tally {
    unsigned locked, cyclic, queues, found;
};

static void play(const char *text, struct tally *tally)
{
    static struct diag diag;
    static struct watch watch;
    static struct frozen before;
    memset(&watch, 0, sizeof watch);
    memset(&diag, 0, sizeof diag);
    struct probe probe = probe_none;
    probe.self = &watch;
    probe.frame = on_frame;
    const struct scenario_input input = {
        .name = "deadlock.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    struct world *world = scenario == NULL ? NULL : world_build(scenario, &probe, &diag);
    if (world == NULL) {
        diag_print(&diag, stdout);
        fail_msg("%s", text);
        return;
    }
    world->engine.hostile = false;
    /* Far more looks than a run would have: what stands only for a moment is a false alarm. */
    time_ps step = PS_PER_US;
    while (world_run(world, world->engine.now + step)) {
        step = world->engine.now < PS_PER_MS ? PS_PER_US : 100 * PS_PER_US;
        deadlock_look(&world->deadlocks, world->engine.now);
        check_found(world, &watch);
    }
    go_on(world, world->engine.now + PS_PER_MS);
    snapshot(world, &before);
    go_on(world, world->engine.now + 20 * PS_PER_MS);
    deadlock_look(&world->deadlocks, world->engine.now);
    check_found(world, &watch);
    const unsigned stuck = compare(world, &before);
    assert_int_equal(world->deadlocks.count > 0, stuck > 0);
    const bool cyclic = has_cycle(scenario);
    assert_true(cyclic || stuck == 0);
    tally->cyclic += cyclic;
    tally->found += world->deadlocks.count;
    tally->queues += stuck;
    tally->locked += stuck > 0;
    world_free(world);
    scenario_free(scenario);
}

/* `least`: how many of the scenarios lock up at least. */
static void check_fabric(const struct fabric *fabric, unsigned first, unsigned least)
{
    struct tally tally = {0};
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    for (unsigned i = first; i < first + SCENARIOS; i++) {
        struct rng rng = rng_stream(i, "deadlocks", "scenario");
        make_scenario(&rng, i, fabric, text);
        const char *print = getenv("LAW_PRINT");
        if (print != NULL && (unsigned)atoi(print) != i)
            continue;
        printf("deadlock-%u\n%s", i, print != NULL ? text : "");
        play(text, &tally);
    }
    free(text);
    print_message("%s: %u of %d locked up, %u queues in %u deadlocks; %u have a cyclic "
                  "dependency\n",
                  fabric->kind, tally.locked, SCENARIOS, tally.queues, tally.found, tally.cyclic);
    if (getenv("LAW_PRINT") != NULL)
        return;
    assert_true(tally.locked > least && tally.cyclic > tally.locked + SCENARIOS / 10 &&
                tally.cyclic < SCENARIOS);
}

static void found_is_what_is_stuck(void **state)
{
    (void)state;
    check_fabric(&fabrics[0], 0, SCENARIOS / 10);
}

static void found_is_what_lacks_credits(void **state)
{
    (void)state;
    check_fabric(&fabrics[1], SCENARIOS, SCENARIOS / 10);
    check_fabric(&fabrics[2], 2 * SCENARIOS, SCENARIOS / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_is_what_is_stuck),
                                       cmocka_unit_test(found_is_what_lacks_credits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
