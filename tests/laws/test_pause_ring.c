/* SPDX-License-Identifier: Apache-2.0
 * The rings that Spin has searched (tests/models/rings.txt), played: a run locks up exactly where
 * the model does, and a check tells of a cyclic dependency where the table says so.
 * What the model proves, which knows no time, must hold at all rates and loads: rings that hold
 * are played with drawn ones (RING_SEEDS each, from RING_SEED on), and hosts that stop receiving
 * for a while. */
#include "scenarios/check/check.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192, HOSTS_MAX = 8, CELL = 1200, SEEDS = 20, GBPS = 40 };

struct ring {
    unsigned switches, hops[HOSTS_MAX];
    unsigned cells, window, slow;
    bool locks, cyclic;
};

/* How a ring is loaded: by the table, or drawn. */
struct load {
    struct rng *rng; /* NULL: every host writes as fast as it can */
    unsigned slow;
};

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

static unsigned between(const struct load *load, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(load->rng, high - low + 1);
}

static unsigned rate(const struct load *load)
{
    static const unsigned rates[] = {10, 25, 40, 40, 100};
    return load->rng == NULL ? GBPS : rates[rng_below(load->rng, 5)];
}

/* ------------------------------------------------------------------ the table */

static bool read_row(const char *line, struct ring *ring)
{
    char hops[32], verdict[16], check[16];
    *ring = (struct ring){0};
    if (line[0] == '#' || sscanf(line, "%31s %u %u %u %15s %15s", hops, &ring->cells, &ring->window,
                                 &ring->slow, verdict, check) != 6)
        return false;
    for (const char *at = hops; *at != '\0'; at += *at == ',') {
        char *end;
        assert_true(ring->switches < HOSTS_MAX);
        ring->hops[ring->switches++] = (unsigned)strtoul(at, &end, 10);
        assert_true(end != at);
        at = end;
    }
    ring->locks = strcmp(verdict, "locks") == 0;
    ring->cyclic = strcmp(check, "cyclic") == 0;
    assert_true(ring->locks || strcmp(verdict, "holds") == 0);
    assert_true(ring->cyclic || strcmp(check, "free") == 0);
    return true;
}

/* Calls for each ring of the table. */
static void each_ring(void (*act)(const struct ring *ring, const char *row))
{
    char line[256];
    unsigned rows = 0;
    FILE *file = fopen("tests/models/rings.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        struct ring ring;
        if (!read_row(line, &ring))
            continue;
        rows++;
        act(&ring, line);
    }
    fclose(file);
    assert_true(rows > 0);
}

/* ------------------------------------------------------------------ the scenario */

static bool goes_round(const struct ring *ring, unsigned host)
{
    return ring->hops[host] >= ring->switches;
}

/* What goes round is on its way to the host before its own, and never gets there. */
static unsigned destination(const struct ring *ring, unsigned host)
{
    const unsigned hops = goes_round(ring, host) ? ring->switches - 1 : ring->hops[host];
    return (host + hops) % ring->switches;
}

static void add_fabric(struct writer *writer, const struct ring *ring, const struct load *load)
{
    add(writer, "fabric:\n  topology:\n    kind: explicit\n    hosts: [h0");
    for (unsigned i = 1; i < ring->switches; i++)
        add(writer, ", h%u", i);
    add(writer, "]\n    switches: [s0");
    for (unsigned i = 1; i < ring->switches; i++)
        add(writer, ", s%u", i);
    add(writer, "]\n    links:\n");
    for (unsigned i = 0; i < ring->switches; i++)
        add(writer, "      - {ends: [h%u, s%u], rate: %uGbps}\n", i, i, rate(load));
    for (unsigned i = 0; i < (ring->switches == 2 ? 1 : ring->switches); i++)
        add(writer, "      - {ends: [s%u, s%u], rate: %uGbps}\n", i, (i + 1) % ring->switches,
            i == 1 && load->slow > 0 ? load->slow : rate(load));
    add(writer,
        "  switch: {buffer: 8MB, ports: 1, cell: %uB, policy: static, xoff: %uB, xon-offset: %uB,"
        " ecn: {kmax: 0B}, pfc: {headroom: auto}}\n",
        CELL, CELL * ring->cells, CELL);
}

static void add_routes(struct writer *writer, const struct ring *ring)
{
    add(writer, "  routes:\n    - {at: s0, to: h0, via: h0}\n");
    for (unsigned i = 0; i < ring->switches; i++)
        for (unsigned j = 0; !goes_round(ring, i) && j < ring->hops[i]; j++)
            add(writer, "    - {at: s%u, to: h%u, via: s%u}\n", (i + j) % ring->switches,
                destination(ring, i), (i + j + 1) % ring->switches);
}

/* ACKs are none of the ring's: they travel in a lossy class. */
static void add_hosts(struct writer *writer, const struct ring *ring, const struct load *load)
{
    const bool paced = load->rng != NULL && rng_below(load->rng, 3) == 0;
    add(writer,
        "hosts:\n  defaults: {rnic: {profile: ideal, congestion-control: %s, path-mtu: 1024B, "
        "ack-dscp: 0,"
        " timeout: 8}}\n",
        paced ? "dcqcn" : "none");
    for (unsigned i = 0; i < ring->switches; i++)
        if (goes_round(ring, i))
            add(writer, "  loop%u: {where: h%u, rnic: {ttl: %u}}\n", i, i, ring->hops[i] + 1);
}

static void add_workloads(struct writer *writer, const struct ring *ring, const struct load *load)
{
    add(writer, "workloads:\n");
    for (unsigned i = 0; i < ring->switches; i++) {
        if (ring->hops[i] == 0)
            continue;
        const bool drawn = load->rng != NULL, free = ring->window == 0;
        const char *kind = drawn && rng_below(load->rng, 2) > 0 ? "rdma-send" : "rdma-write";
        add(writer, "  - {name: w%u, kind: %s, from: h%u, to: h%u, start: %uus, message-size: %uB,",
            i, kind, i, destination(ring, i), drawn ? 1000 + between(load, 0, 30) : 1000,
            drawn ? between(load, 1, free ? 65536 : 1024) : (free ? 65536 : 1024));
        add(writer, " outstanding: %u}\n",
            free ? (drawn ? between(load, 1, 16) : 8) : ring->window);
    }
}

static void add_faults(struct writer *writer, const struct ring *ring, const struct load *load)
{
    add(writer, "faults:\n  - {kind: slow-receiver, where: h0, at: 0us, for: 1us}\n");
    for (unsigned i = 0; i < ring->switches; i++)
        for (unsigned j = 0; goes_round(ring, i) && j < ring->switches; j++)
            add(writer, "  - {kind: misroute, at: 900us, where: s%u, to: h%u, via: s%u}\n", j,
                destination(ring, i), (j + 1) % ring->switches);
    for (unsigned i = 0; load->rng != NULL && i < ring->switches; i++)
        add(writer, "  - {kind: %s, where: h%u, at: %uus, for: %uus}\n",
            rng_below(load->rng, 2) > 0 ? "pause-storm" : "slow-receiver, drain: 5%", i,
            1000 + between(load, 0, 150), between(load, 1, 150));
}

static void write_scenario(char *text, const struct ring *ring, const struct load *load,
                           unsigned seed)
{
    struct writer writer = {.text = text};
    add(&writer, "stormglass: 1\nname: ring\nseed: %u\nduration: 1300us\ndrain: 20ms\n", seed);
    add_fabric(&writer, ring, load);
    add_routes(&writer, ring);
    add_hosts(&writer, ring, load);
    add_workloads(&writer, ring, load);
    add_faults(&writer, ring, load);
}

/* ------------------------------------------------------------------ playing */

static bool tells_of_cycle(const struct scenario *scenario)
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

struct outcome {
    bool cyclic;
    uint32_t deadlocks;
    uint64_t lost, pauses; /* frames of the lossless class; XOFFs between switches */
    uint64_t completed, left;
};

static void count_switches(const struct world *world, struct outcome *outcome)
{
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        outcome->lost += swtch->counters.dropped_lossless;
        for (uint16_t p = 1; p < swtch->port_count; p++) /* 0 is the host's */
            outcome->pauses += swtch->ports[p].pauses[3].tx_xoff;
    }
}

static struct outcome play(const char *text)
{
    static struct diag diag;
    memset(&diag, 0, sizeof diag);
    const struct scenario_input input = {.name = "ring.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    struct world *world = scenario == NULL ? NULL : world_build(scenario, &probe_none, &diag);
    if (world == NULL) {
        diag_print(&diag, stdout);
        fail_msg("%s", text);
    }
    world->engine.hostile = false;
    while (world_run(world, world->engine.now + 100 * PS_PER_US))
        ;
    deadlock_look(&world->deadlocks, world->engine.now);
    struct outcome outcome = {.cyclic = tells_of_cycle(scenario),
                              .deadlocks = world->deadlocks.count};
    count_switches(world, &outcome);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        outcome.completed += world->stats[i].completed;
        outcome.left += world_outstanding(world, i);
    }
    world_audit(world);
    world_free(world);
    scenario_free(scenario);
    return outcome;
}

static void play_row(const struct ring *ring, const char *row)
{
    static char text[TEXT_BYTES];
    const struct load load = {.slow = ring->slow};
    write_scenario(text, ring, &load, 1);
    const struct outcome outcome = play(text);
    print_message("%.46s %6u deadlocks %6llu XOFF\n", row, outcome.deadlocks,
                  (unsigned long long)outcome.pauses);
    if ((outcome.deadlocks > 0) != ring->locks || outcome.cyclic != ring->cyclic)
        fail_msg("%s%s: %s, %s", text, row, outcome.deadlocks > 0 ? "locks" : "holds",
                 outcome.cyclic ? "cyclic" : "free");
    assert_int_equal(outcome.lost, 0);
}

static void locks_exactly_where_the_model_does(void **state)
{
    (void)state;
    each_ring(play_row);
}

static unsigned from_environment(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void play_drawn(const struct ring *ring, const char *row)
{
    static char text[TEXT_BYTES];
    const unsigned first = from_environment("RING_SEED", 1);
    const unsigned seeds = from_environment("RING_SEEDS", SEEDS);
    uint64_t pauses = 0;
    bool round = false;
    for (unsigned i = 0; i < ring->switches; i++)
        round |= goes_round(ring, i);
    for (unsigned seed = first; !ring->locks && seed - first < seeds; seed++) {
        struct rng rng = rng_stream(seed, row, "load");
        const struct load load = {.rng = &rng};
        write_scenario(text, ring, &load, seed);
        const struct outcome outcome = play(text);
        pauses += outcome.pauses;
        if (outcome.deadlocks > 0 || outcome.lost > 0 || (outcome.left > 0 && !round))
            fail_msg("%s# %sseed %u: %u deadlocks, %llu lost, %llu left", text, row, seed,
                     outcome.deadlocks, (unsigned long long)outcome.lost,
                     (unsigned long long)outcome.left);
        assert_true(outcome.completed > 0 || round);
    }
    if (!ring->locks)
        print_message("%.46s %6u loads %6llu XOFF\n", row, seeds, (unsigned long long)pauses);
}

static void what_holds_holds_under_every_load(void **state)
{
    (void)state;
    each_ring(play_drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_exactly_where_the_model_does),
        cmocka_unit_test(what_holds_holds_under_every_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
