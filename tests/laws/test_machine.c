/* SPDX-License-Identifier: Apache-2.0
 * Hosts of one machine, from the scenario to its end: one processor does everything, each cost is
 * paid where it belongs, and the run repeats. */
#include "scenarios/world/world.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(machine)                                                                              \
    "stormglass: 1\nname: machine\nseed: 7\nduration: 1s\n"                                        \
    "fabric:\n"                                                                                    \
    "  topology: {kind: explicit, hosts: [host0, host1], switches: [],\n"                          \
    "             links: [{ends: [\"host0:p0\", \"host1:p0\"], rate: 400Gbps, length: 1m}]}\n"     \
    "hosts:\n"                                                                                     \
    "  defaults: {rnic: {profile: softroce, congestion-control: none},\n"                          \
    "             nvme: {sgl-invalidate: false}}\n"                                                \
    "  targets: {where: host1, namespaces: [{media: \"null\"}]}\n" machine "workloads:\n"          \
    "  - {name: w, kind: nvme, from: host0, to: host1, read: 50%, block-size: 4KiB,\n"             \
    "     queue-depth: 1, count: 300}\n"                                                           \
    "expect: [all-commands-complete]\n"

static const char shared[] = TEXT("  lab: {where: \"host0..host1\", machine: lab}\n");
static const char apart[] = TEXT("");

enum { RESPONSE = 16 };

struct result {
    uint64_t completed;
    time_ps mean;
    time_ps busy[2]; /* of each host's processor */
    struct digest digest;
    uint64_t sent, received;
    bool one; /* to the engine */
};

static time_ps busy_of(const struct machine *machine)
{
    time_ps sum = 0;
    for (int level = 0; level < PROCESSOR_LEVELS; level++)
        sum += machine->processor.busy[level];
    return sum;
}

static struct result play(const char *text, const char *first, const char *second)
{
    static struct diag diag;
    const char *const sets[] = {first, second};
    const struct scenario_input input = {.name = "machine.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = sets,
                                         .set_count = second != NULL  ? 2
                                                      : first != NULL ? 1
                                                                      : 0};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    struct world *world = world_build(scenario, &probe_none, &diag);
    assert_non_null(world);
    struct result result = {0};
    while (world_run(world, world->engine.now + PS_PER_MS))
        world_audit(world);
    const struct rnic_counters *counters[2] = {&world->hosts[0]->rnics[0]->counters,
                                               &world->hosts[1]->rnics[0]->counters};
    result.completed = world->stats[0].completed;
    assert_true(world->stats[0].latency.count > 0);
    result.mean = (time_ps)(world->stats[0].latency.sum / world->stats[0].latency.count);
    for (int i = 0; i < 2; i++) {
        result.busy[i] = busy_of(world->machines[i]);
        result.sent += counters[i]->message_bytes;
        result.received += counters[i]->received_bytes;
    }
    result.digest = engine_digest(&world->engine);
    result.one = world->hosts[0]->node.group == world->hosts[1]->node.group;
    world_free(world);
    scenario_free(scenario);
    return result;
}

static void test_shared_is_slower_and_repeats(void **state)
{
    (void)state;
    const struct result one = play(shared, "workloads.w.queue-depth=16", NULL);
    const struct result again = play(shared, "workloads.w.queue-depth=16", NULL);
    const struct result two = play(apart, "workloads.w.queue-depth=16", NULL);
    assert_true(one.one && !two.one);
    assert_int_equal(one.completed, 300);
    assert_int_equal(two.completed, 300);
    assert_memory_equal(&one.digest, &again.digest, sizeof one.digest);
    /* All has arrived; the last response's ACK may still be under way. */
    assert_true(one.received >= one.sent && one.received - one.sent <= RESPONSE);
    assert_true(two.received >= two.sent && two.received - two.sent <= RESPONSE);
    assert_int_equal(one.received, two.received);
    assert_int_equal(one.busy[0], one.busy[1]); /* it is the same one */
    assert_true(two.busy[0] > 0 && two.busy[1] > 0 && two.busy[0] != two.busy[1]);
    assert_true(two.mean < one.mean && two.mean > one.mean / 2);
}

/* At depth 1 nothing overlaps with the target's command, so its cost is seen in full. */
static void test_target_runs_on_it(void **state)
{
    (void)state;
    const char quiet[] = "hosts.defaults.rnic.cpu-tick=0ns";
    const struct result free_of = play(shared, "hosts.defaults.target.command-cost=0ns", quiet);
    const struct result costly = play(shared, "hosts.defaults.target.command-cost=50us", quiet);
    assert_int_equal(free_of.completed, 300);
    const time_ps more = costly.mean - free_of.mean;
    assert_true(more > 49500 * PS_PER_NS && more < 50500 * PS_PER_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_is_slower_and_repeats),
        cmocka_unit_test(test_target_runs_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
