/* SPDX-License-Identifier: Apache-2.0
 * Deadlocks where there is one, and none where there is none, however still everything stands. */
#include "net/deadlock/deadlock_waits_private.h"
#include "replay/record/record_deadlocks.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192, NODES_MAX = 64, PORTS_MAX = 16 };

struct stand {
    struct scenario *scenario;
    struct world *world;
    time_ps sent[NODES_MAX][PORTS_MAX]; /* when each port last began to send data */
    struct probe probe;
};

static void on_frame(void *self, const struct probe_frame *frame)
{
    struct stand *stand = self;
    if (!frame_is_mac_control(frame->frame))
        stand->sent[frame->node][frame->port] = frame->at;
}

static void build(struct stand *stand, const char *text)
{
    static struct diag diag;
    memset(stand, 0, sizeof *stand);
    memset(&diag, 0, sizeof diag);
    stand->probe = probe_none;
    stand->probe.self = stand;
    stand->probe.frame = on_frame;
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    stand->scenario = scenario_load(&input, &diag);
    if (stand->scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    stand->world = world_build(stand->scenario, &stand->probe, &diag);
    assert_non_null(stand->world);
    stand->world->engine.hostile = false;
}

static const struct deadlock_watch *play(struct stand *stand, time_ps slice)
{
    while (world_run(stand->world, stand->world->engine.now + slice))
        ;
    world_audit(stand->world);
    deadlock_look(&stand->world->deadlocks, stand->world->engine.now);
    return &stand->world->deadlocks;
}

static void end(struct stand *stand)
{
    world_free(stand->world);
    scenario_free(stand->scenario);
}

/* A ring of switches with a host at each, and everybody writes two switches further: there is one
 * shortest way, and all go round.  `names` tells several rings of one fabric apart. */
struct ring {
    unsigned count;
    const char *names;
    const char *host_rate;
    const char *drain; /* NULL: 4ms */
    const char *also;  /* of the switches */
    const char *more;  /* lines behind the workloads */
};

static size_t add_links(const struct ring *ring, char name, char *text, size_t used)
{
    for (unsigned i = 0; i < ring->count; i++)
        used += (size_t)snprintf(text + used, TEXT_BYTES - used,
                                 "      - {ends: [h%c%u, %c%u], rate: %s}\n"
                                 "      - {ends: [%c%u, %c%u], rate: 100Gbps}\n",
                                 name, i, name, i, ring->host_rate, name, i, name,
                                 (i + 1) % ring->count);
    return used;
}

static size_t add_names(const struct ring *ring, const char *prefix, char *text, size_t used)
{
    for (const char *name = ring->names; *name != '\0'; name++)
        for (unsigned i = 0; i < ring->count; i++)
            used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%s%s%c%u",
                                     name == ring->names && i == 0 ? "" : ", ", prefix, *name, i);
    return used;
}

static const char *write_ring(const struct ring *ring)
{
    static char text[TEXT_BYTES];
    size_t used = (size_t)snprintf(text, TEXT_BYTES,
                                   "stormglass: 1\nname: ring\nduration: 1ms\ndrain: %s\n"
                                   "fabric:\n  topology:\n    kind: explicit\n    hosts: [",
                                   ring->drain != NULL ? ring->drain : "4ms");
    used = add_names(ring, "h", text, used);
    used += (size_t)snprintf(text + used, TEXT_BYTES - used, "]\n    switches: [");
    used = add_names(ring, "", text, used);
    used += (size_t)snprintf(text + used, TEXT_BYTES - used, "]\n    links:\n");
    for (const char *name = ring->names; *name != '\0'; name++)
        used = add_links(ring, *name, text, used);
    used += (size_t)snprintf(
        text + used, TEXT_BYTES - used,
        "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 100KB, pfc: {headroom: auto}%s}\n"
        "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\nworkloads:\n",
        ring->also != NULL ? ring->also : "");
    for (const char *name = ring->names; *name != '\0'; name++)
        for (unsigned i = 0; i < ring->count; i++)
            used += (size_t)snprintf(text + used, TEXT_BYTES - used,
                                     "  - {name: w%c%u, kind: rdma-write, from: h%c%u, to: h%c%u, "
                                     "message-size: 1MiB, outstanding: 4}\n",
                                     *name, i, *name, i, *name, (i + 2) % ring->count);
    snprintf(text + used, TEXT_BYTES - used, "%s", ring->more != NULL ? ring->more : "");
    return text;
}

static void ring_locks_up(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {.count = 5, .names = "s", .host_rate = "100Gbps"};
    build(&stand, write_ring(&ring));
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_int_equal(watch->count, 1);
    const struct deadlock *deadlock = &watch->found[0];
    assert_int_equal(deadlock->priority, 3);
    assert_int_equal(deadlock->cycle, 5);
    assert_int_equal(deadlock->knot, 0);
    assert_int_equal(deadlock->behind, 5); /* the hosts */
    assert_int_equal(deadlock->queue_count, 10);
    assert_true(deadlock->gone == TIME_NEVER);
    assert_true(deadlock->bytes >= 5 * 100000);
    time_ps latest = 0;
    for (uint32_t i = 0; i < 5; i++) { /* each waits for the next, where its frames would arrive */
        const struct deadlock_queue *queue = &deadlock->queues[i];
        const struct port *port = world_port(stand.world, queue->node, queue->port);
        assert_int_equal(port->peer_node, deadlock->queues[(i + 1) % 5].node);
        assert_int_equal(queue->bytes, port->prios[3].bytes);
        if (stand.sent[queue->node][queue->port] > latest)
            latest = stand.sent[queue->node][queue->port];
    }
    /* Since the last of them had to stop: it had begun its last frame within one frame's time. */
    assert_true(deadlock->since >= latest && deadlock->since - latest < 400 * PS_PER_NS);
    assert_true(deadlock->found - deadlock->since <= 20 * PS_PER_US);
    char text[256];
    record_deadlock_words(stand.world->scenario, deadlock, text, sizeof text);
    assert_non_null(strstr(text, "s0:p1 -> s1:p2 -> s2:p2 -> s3:p2 -> s4:p2 -> s0:p1 (priority 3), "
                                 "5 queues, "));
    assert_non_null(strstr(text, " blocked; 5 more ports wait behind them"));
    end(&stand);
}

/* A line of switches ends in the ring; the further one has the lower number, so that what is behind
 * is not found by going through the switches once. */
static void the_whole_line_behind_a_ring_waits(void **state)
{
    (void)state;
    static struct stand stand;
    build(
        &stand,
        "stormglass: 1\nname: tail\nduration: 1ms\ndrain: 4ms\nfabric:\n  topology:\n"
        "    kind: explicit\n    hosts: [h0, h1, h2, h3, h4, far]\n"
        "    switches: [t1, t0, s0, s1, s2, s3, s4]\n    links:\n"
        "      - {ends: [h0, s0], rate: 100Gbps}\n      - {ends: [h1, s1], rate: 100Gbps}\n"
        "      - {ends: [h2, s2], rate: 100Gbps}\n      - {ends: [h3, s3], rate: 100Gbps}\n"
        "      - {ends: [h4, s4], rate: 100Gbps}\n      - {ends: [far, t1], rate: 100Gbps}\n"
        "      - {ends: [t1, t0], rate: 100Gbps}\n      - {ends: [t0, s0], rate: 100Gbps}\n"
        "      - {ends: [s0, s1], rate: 100Gbps}\n      - {ends: [s1, s2], rate: 100Gbps}\n"
        "      - {ends: [s2, s3], rate: 100Gbps}\n      - {ends: [s3, s4], rate: 100Gbps}\n"
        "      - {ends: [s4, s0], rate: 100Gbps}\n"
        "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 100KB, pfc: {headroom: auto}}\n"
        "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\nworkloads:\n"
        "  - {name: w0, kind: rdma-write, from: h0, to: h2, message-size: 1MiB, outstanding: 4}\n"
        "  - {name: w1, kind: rdma-write, from: h1, to: h3, message-size: 1MiB, outstanding: 4}\n"
        "  - {name: w2, kind: rdma-write, from: h2, to: h4, message-size: 1MiB, outstanding: 4}\n"
        "  - {name: w3, kind: rdma-write, from: h3, to: h0, message-size: 1MiB, outstanding: 4}\n"
        "  - {name: w4, kind: rdma-write, from: h4, to: h1, message-size: 1MiB, outstanding: 4}\n"
        "  - {name: w, kind: rdma-write, from: far, to: h2, message-size: 1MiB, outstanding: 4}\n");
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_int_equal(watch->count, 1);
    const struct deadlock *deadlock = &watch->found[0];
    assert_int_equal(deadlock->cycle, 5);
    assert_int_equal(deadlock->behind, 5 + 2 + 1); /* the ring's hosts, the line, its host */
    unsigned behind = 0;
    for (uint32_t i = 0; i < deadlock->queue_count; i++) {
        const char *name = stand.scenario->nodes[deadlock->queues[i].node].name;
        const bool line = name[0] == 't' || strcmp(name, "far") == 0;
        assert_true(!line || deadlock->queues[i].role == DEADLOCK_BEHIND);
        behind += line;
    }
    assert_int_equal(behind, 3);
    end(&stand);
}

/* The same circle of buffers, and rates that never fill it. */
static void same_ring_does_not_lock_up_at_lower_rates(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {.count = 5, .names = "s", .host_rate = "40Gbps"};
    build(&stand, write_ring(&ring));
    assert_int_equal(play(&stand, 100 * PS_PER_US)->count, 0);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(world_outstanding(stand.world, i) == 0 && stand.world->stats[i].completed > 0);
    end(&stand);
}

static void two_rings_are_two_deadlocks(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {.count = 5, .names = "st", .host_rate = "100Gbps"};
    build(&stand, write_ring(&ring));
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_int_equal(watch->count, 2);
    assert_int_equal(watch->found[0].cycle, 5);
    assert_int_equal(watch->found[1].cycle, 5);
    end(&stand);
}

/* Two rings of five switches share the link from s0 to s1. A queue waits for the next one of its
 * ring, and the shared queue waits for both rings: nine queues wait for each other. Every cycle
 * among them is one of the rings, so five queues are the cycle and the other four complete it. */
static void rings_with_a_common_link_are_one_deadlock(void **state)
{
    (void)state;
    static struct stand stand;
    build(&stand,
          "stormglass: 1\nname: eight\nduration: 1ms\ndrain: 4ms\nfabric:\n  topology:\n"
          "    kind: explicit\n    hosts: [h0, h1, h2, h3, h4, g0, g1, g2, g3, g4]\n"
          "    switches: [s0, s1, s2, s3, s4, t2, t3, t4]\n    links:\n"
          "      - {ends: [h0, s0], rate: 100Gbps}\n      - {ends: [h1, s1], rate: 100Gbps}\n"
          "      - {ends: [h2, s2], rate: 100Gbps}\n      - {ends: [h3, s3], rate: 100Gbps}\n"
          "      - {ends: [h4, s4], rate: 100Gbps}\n      - {ends: [g0, s0], rate: 100Gbps}\n"
          "      - {ends: [g1, s1], rate: 100Gbps}\n      - {ends: [g2, t2], rate: 100Gbps}\n"
          "      - {ends: [g3, t3], rate: 100Gbps}\n      - {ends: [g4, t4], rate: 100Gbps}\n"
          "      - {ends: [s0, s1], rate: 100Gbps}\n      - {ends: [s1, s2], rate: 100Gbps}\n"
          "      - {ends: [s2, s3], rate: 100Gbps}\n      - {ends: [s3, s4], rate: 100Gbps}\n"
          "      - {ends: [s4, s0], rate: 100Gbps}\n      - {ends: [s1, t2], rate: 100Gbps}\n"
          "      - {ends: [t2, t3], rate: 100Gbps}\n      - {ends: [t3, t4], rate: 100Gbps}\n"
          "      - {ends: [t4, s0], rate: 100Gbps}\n"
          "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 100KB, pfc: {headroom: auto}}\n"
          "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\n"
          "workloads:\n"
          "  - {name: a0, kind: rdma-write, from: h0, to: h2, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: a1, kind: rdma-write, from: h1, to: h3, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: a2, kind: rdma-write, from: h2, to: h4, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: a3, kind: rdma-write, from: h3, to: h0, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: a4, kind: rdma-write, from: h4, to: h1, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: b0, kind: rdma-write, from: g0, to: g2, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: b1, kind: rdma-write, from: g1, to: g3, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: b2, kind: rdma-write, from: g2, to: g4, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: b3, kind: rdma-write, from: g3, to: g0, message-size: 1MiB, outstanding: 4}\n"
          "  - {name: b4, kind: rdma-write, from: g4, to: g1, message-size: 1MiB, outstanding: "
          "4}\n");
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_int_equal(watch->count, 1);
    const struct deadlock *deadlock = &watch->found[0];
    assert_int_equal(deadlock->cycle, 5);
    assert_int_equal(deadlock->knot, 4);
    assert_int_equal(deadlock->queue_count, 5 + 4 + deadlock->behind);
    char text[256];
    record_deadlock_words(stand.world->scenario, deadlock, text, sizeof text);
    assert_non_null(strstr(text, "9 queues, "));
    end(&stand);
}

/* A link of the circle fails: no pause is refreshed over it, and what waits there runs into it. */
static void broken_deadlock_is_remembered(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {
        .count = 5,
        .names = "s",
        .host_rate = "100Gbps",
        .more = "faults: [{at: 600us, kind: link-down, where: s1-s2}]\n",
    };
    build(&stand, write_ring(&ring));
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_int_equal(watch->count, 1);
    const struct deadlock *deadlock = &watch->found[0];
    assert_true(deadlock->since < deadlock->found && deadlock->found <= deadlock->seen);
    assert_true(deadlock->seen <= 610 * PS_PER_US && deadlock->seen > 550 * PS_PER_US);
    assert_true(deadlock->gone >= 600 * PS_PER_US && deadlock->gone < 650 * PS_PER_US);
    char text[256];
    record_deadlock_words(stand.world->scenario, deadlock, text, sizeof text);
    assert_non_null(strstr(text, " until 6"));
    end(&stand);
}

/* A watchdog drops what waits, and the ring moves; it may lock up again, which is another one. */
static void watchdog_ends_a_deadlock(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {
        .count = 5,
        .names = "s",
        .host_rate = "100Gbps",
        .drain = "300ms",
        .also = ", watchdog: {action: drop, detection: 100ms, restoration: 100ms, poll: 100ms}",
    };
    build(&stand, write_ring(&ring));
    const struct deadlock_watch *watch = play(&stand, 100 * PS_PER_US);
    assert_true(watch->count >= 1);
    assert_true(watch->found[0].since < 100 * PS_PER_US);
    assert_true(watch->found[0].seen >= 90 * PS_PER_MS);
    assert_true(watch->found[0].gone > watch->found[0].seen);
    assert_true(watch->found[0].gone < 290 * PS_PER_MS);
    for (uint32_t i = 1; i < watch->count; i++)
        assert_true(watch->found[i].since >= watch->found[0].seen);
    end(&stand);
}

/* Looks happen at the same virtual times and find the same, however the run is cut. */
static void slices_do_not_matter(void **state)
{
    (void)state;
    static struct stand one, other;
    const struct ring ring = {.count = 5, .names = "s", .host_rate = "100Gbps"};
    build(&one, write_ring(&ring));
    build(&other, write_ring(&ring));
    play(&one, 3 * PS_PER_US + 17);
    play(&other, 700 * PS_PER_US);
    const struct deadlock *a = &one.world->deadlocks.found[0];
    const struct deadlock *b = &other.world->deadlocks.found[0];
    assert_int_equal(a->since, b->since);
    assert_int_equal(a->found, b->found);
    assert_int_equal(one.world->deadlocks.looks, other.world->deadlocks.looks);
    const struct digest x = engine_digest(&one.world->engine);
    const struct digest y = engine_digest(&other.world->engine);
    assert_memory_equal(&x, &y, sizeof x);
    end(&one);
    end(&other);
}

static void assert_none(const char *text, bool paused)
{
    static struct stand stand;
    build(&stand, text);
    const struct deadlock_watch *watch = play(&stand, 50 * PS_PER_US);
    bool any = false;
    for (uint32_t i = 0; i < stand.world->switch_count; i++)
        for (uint16_t p = 0; p < stand.world->switches[i]->port_count; p++)
            any |= stand.world->switches[i]->ports[p].paused != 0;
    assert_int_equal(any, paused);
    assert_int_equal(watch->count, 0);
    assert_true(watch->looks > 5);
    end(&stand);
}

#define HEAD "stormglass: 1\nname: t\nduration: 500us\ndrain: 500us\n"
#define CLOS                                                                                       \
    "fabric:\n  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 3}\n"           \
    "  switch: {buffer: 3MB, ports: 1, policy: static, xoff: 30KB}\n"                              \
    "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, rx-buffer: 100KB}}}\n"    \
    "workloads: [{name: w, kind: rdma-write, from: \"host*\", to: \"host*\", pairing: "            \
    "all-to-all, message-size: 64KiB}]\n"

static void still_is_not_deadlocked(void **state)
{
    (void)state;
    /* For ever paused, and everything waits: but for a host. */
    assert_none(HEAD CLOS "faults: [{at: 20us, kind: pause-storm, priority: 3, where: host0}]\n",
                true);
    assert_none(HEAD CLOS "faults: [{at: 20us, kind: pause-storm, priority: 3, where: "
                          "\"host0..host3\"}]\n",
                true);
    assert_none(HEAD CLOS "faults: [{at: 20us, kind: slow-receiver, drain: 0%, where: host5}]\n",
                true);
    /* Heavy incast. */
    assert_none(HEAD "fabric:\n  topology: {kind: fat-tree, k: 4}\n"
                     "  switch: {buffer: 3MB, ports: 1, policy: static, xoff: 30KB}\n"
                     "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\n"
                     "workloads: [{name: w, kind: rdma-write, from: \"host1..host15\", to: host0, "
                     "message-size: 16KiB, outstanding: 2}]\n",
                false);
}

/* A ring that a storm stands in: it waits for the host, and goes on when the storm ends. */
static void ring_behind_a_storm_is_not_deadlocked(void **state)
{
    (void)state;
    static struct stand stand;
    const struct ring ring = {
        .count = 5,
        .names = "s",
        .host_rate = "40Gbps",
        .more = "faults: [{at: 100us, for: 500us, kind: pause-storm, priority: 3, where: hs3}]\n",
    };
    build(&stand, write_ring(&ring));
    const struct deadlock_watch *watch = play(&stand, 50 * PS_PER_US);
    for (uint32_t i = 0; i < watch->count; i++)
        assert_true(watch->found[i].gone == TIME_NEVER);
    if (watch->count == 0)
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(world_outstanding(stand.world, i), 0);
    end(&stand);
}

/* Every 10 us or 1/256 of the time that has passed; not before events have paid for it, 16 for
 * each that is looked at, and at the latest four such times later. */
static void looks_are_paid_for(void **state)
{
    (void)state;
    const struct ring ring = {.count = 4, .names = "a", .host_rate = "100Gbps"};
    struct stand stand;
    build(&stand, write_ring(&ring));
    struct deadlock_watch *watch = &stand.world->deadlocks;
    deadlock_look(watch, 0); /* tells what a look is worth */
    const uint64_t before = watch->looks, price = watch->waits->cost * 16;
    assert_true(price > 0);
    const struct {
        time_ps now;
        uint64_t events, looks;
        time_ps next;
    } rows[] = {
        {1000 * PS_PER_US, 0, 1, 1010 * PS_PER_US},
        {1010 * PS_PER_US, 0, 1, 1020 * PS_PER_US},
        {1040 * PS_PER_US - 1, 0, 1, 1050 * PS_PER_US - 1},
        {1040 * PS_PER_US, 0, 2, 1050 * PS_PER_US},
        {1050 * PS_PER_US, price - 1, 2, 1060 * PS_PER_US},
        {1060 * PS_PER_US, price, 3, 1070 * PS_PER_US},
        {1070 * PS_PER_US, 2 * price - 1, 3, 1080 * PS_PER_US},
        {1080 * PS_PER_US, 2 * price, 4, 1090 * PS_PER_US},
        {PS_PER_S, 2 * price, 5, PS_PER_S + PS_PER_S / 256},
        {PS_PER_S + 2 * PS_PER_MS, 3 * price, 6,
         PS_PER_S + 2 * PS_PER_MS + (PS_PER_S + 2 * PS_PER_MS) / 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        deadlock_tick(watch, rows[i].now, rows[i].events);
        if (watch->looks - before != rows[i].looks || watch->next != rows[i].next)
            fail_msg("row %zu: %llu looks, the next at %lld", i,
                     (unsigned long long)(watch->looks - before), (long long)watch->next);
    }
    assert_int_equal(watch->looked, PS_PER_S + 2 * PS_PER_MS);
    assert_int_equal(watch->count, 0);
    end(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_locks_up),
        cmocka_unit_test(the_whole_line_behind_a_ring_waits),
        cmocka_unit_test(same_ring_does_not_lock_up_at_lower_rates),
        cmocka_unit_test(two_rings_are_two_deadlocks),
        cmocka_unit_test(rings_with_a_common_link_are_one_deadlock),
        cmocka_unit_test(broken_deadlock_is_remembered),
        cmocka_unit_test(watchdog_ends_a_deadlock),
        cmocka_unit_test(slices_do_not_matter),
        cmocka_unit_test(looks_are_paid_for),
        cmocka_unit_test(still_is_not_deadlocked),
        cmocka_unit_test(ring_behind_a_storm_is_not_deadlocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
