/* SPDX-License-Identifier: Apache-2.0
 * The account of time: whatever is played, the parts of each command and each message sum to its
 * latency to the picosecond, none is negative, and none of it is unknown. */
#include "replay/record/observe.h"
#include "replay/run/fabric.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct tally {
    const char *name;
    uint64_t lives, untraced;
};

static void on_life(void *self, const struct breakdown_life *life)
{
    struct tally *tally = self;
    time_ps sum = 0, places = 0;
    for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
        for (int part = 0; part < BREAKDOWN_PARTS; part++) {
            if (life->ps[phase][part] < 0)
                fail_msg("%s: %s of %s is %lld", tally->name,
                         breakdown_part_key((enum breakdown_part)part),
                         breakdown_phase_key((enum breakdown_phase)phase),
                         (long long)life->ps[phase][part]);
            sum += life->ps[phase][part];
            tally->untraced += part == BREAKDOWN_UNTRACED && life->ps[phase][part] > 0;
            places +=
                part == BREAKDOWN_PAUSED || part == BREAKDOWN_QUEUED ? -life->ps[phase][part] : 0;
        }
    for (uint32_t i = 0; i < life->place_count; i++)
        places += life->places[i].paused_ps + life->places[i].queued_ps;
    if (sum != life->completed_at - life->issued_at)
        fail_msg("%s: parts are %lld, the latency is %lld", tally->name, (long long)sum,
                 (long long)(life->completed_at - life->issued_at));
    if (places != 0)
        fail_msg("%s: places differ from parts by %lld", tally->name, (long long)places);
    tally->lives++;
}

static void print(const struct breakdown *waits, uint32_t workloads)
{
    for (uint32_t i = 0; i < workloads * BREAKDOWN_OPERATIONS; i++) {
        const struct breakdown_sum *sum = breakdown_of(
            waits, i / BREAKDOWN_OPERATIONS, (enum breakdown_operation)(i % BREAKDOWN_OPERATIONS));
        if (sum == NULL)
            continue;
        print_message("  %s: %llu, %.3f us\n",
                      breakdown_operation_key((enum breakdown_operation)(i % BREAKDOWN_OPERATIONS)),
                      (unsigned long long)sum->count,
                      (double)sum->latency_ps / (double)sum->count / 1e6);
        for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
            for (int part = 0; part < BREAKDOWN_PARTS; part++)
                if (sum->ps[phase][part] != 0)
                    print_message("    %-12s %-20s %12.3f us\n",
                                  breakdown_phase_key((enum breakdown_phase)phase),
                                  breakdown_part_words((enum breakdown_part)part),
                                  (double)sum->ps[phase][part] / (double)sum->count / 1e6);
    }
}

static struct tally play(struct scenario *scenario, time_ps until)
{
    static struct diag diag;
    struct tally tally = {.name = scenario->name};
    struct explain_fabric fabric;
    struct observe observe;
    fabric_init(&fabric, scenario);
    observe_init(&observe, &fabric, scenario->workload_count,
                 &(struct observe_wishes){.waits = true, .acks = true});
    breakdown_hear(observe.waits, on_life, &tally);
    struct world *world = world_build(scenario, &observe.probe, &diag);
    assert_non_null(world);
    while (world->engine.now < until && world_run(world, world->engine.now + PS_PER_MS))
        ;
    observe_finish(&observe, world->engine.now);
    if (getenv("VERBOSE") != NULL)
        print(observe.waits, scenario->workload_count);
    world_free(world);
    observe_fini(&observe);
    fabric_fini(&fabric);
    return tally;
}

static struct tally play_file(const char *path, time_ps until)
{
    static struct diag diag;
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load_file(path, NULL, 0, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    const struct tally tally = play(scenario, until);
    scenario_free(scenario);
    return tally;
}

static void the_parts_of_every_life_sum_to_its_latency(void **state)
{
    static const char *const files[] = {
        "scenarios/cases/first-io.yaml",          "scenarios/cases/pause-storm.yaml",
        "scenarios/cases/incast-8to1.yaml",       "scenarios/cases/dcqcn-2to1.yaml",
        "scenarios/cases/target-crash.yaml",      "scenarios/cases/oltp-fio.yaml",
        "tests/validation/tc4-storage.yaml",      "tests/validation/v10-livelock.yaml",
        "scenarios/cases/replayed-trace.yaml",    "scenarios/cases/rdma-or-tcp.yaml",
        "tests/validation/nvme-tcp-by-hand.yaml", "tests/laws/nvme-tcp-loss.yaml",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct tally tally = play_file(files[i], 20 * PS_PER_MS);
        print_message("%s: %llu lives, %llu untraced\n", files[i], (unsigned long long)tally.lives,
                      (unsigned long long)tally.untraced);
        assert_true(tally.lives > 0);
        assert_int_equal(tally.untraced, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_every_life_sum_to_its_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
