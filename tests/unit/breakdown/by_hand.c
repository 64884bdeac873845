/* SPDX-License-Identifier: Apache-2.0
 * by_hand - plays a few hosts at one switch, and compares lives with what was worked by hand. */
#include "by_hand.h"

#include "replay/record/observe.h"
#include "replay/run/fabric.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LIVES_MAX = 64, TEXT_BYTES = 4096 };

static const char head[] =
    "stormglass: 1\n"
    "name: by-hand\n"
    "about: A few hosts at one switch.\n"
    "duration: 20ms\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 3}\n"
    "  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}\n"
    "  switch: {profile: shared-buffer-32mb}\n"
    "hosts:\n"
    "  defaults:\n"
    "    rnic: {profile: rnic-100g, congestion-control: none, path-mtu: 4096B}\n"
    "    nvme: {submit-cost: 1us, complete-cost: 1us}\n"
    "    target: {command-cost: 1us}\n"
    "  targets: {where: host1, namespaces: [{media: {kind: fixed, read-latency: 10us, "
    "write-latency: 10us, parallel: 1}}]}\n";

static struct breakdown_life lives[LIVES_MAX];
static uint32_t life_count;

static void on_life(void *self, const struct breakdown_life *life)
{
    (void)self;
    assert_true(life_count < LIVES_MAX);
    lives[life_count++] = *life;
}

static uint32_t count_of(const char *const *sets)
{
    uint32_t count = 0;
    while (sets[count] != NULL)
        count++;
    return count;
}

void by_hand_play(const char *rest)
{
    by_hand_play_set(rest, (const char *const[]){NULL});
}

void by_hand_play_set(const char *rest, const char *const *sets)
{
    static struct diag diag;
    static char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s%s", head, rest);
    const struct scenario_input input = {.name = "t.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = sets,
                                         .set_count = count_of(sets)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    struct explain_fabric fabric;
    struct observe observe;
    fabric_init(&fabric, scenario);
    observe_init(&observe, &fabric, scenario->workload_count,
                 &(struct observe_wishes){.waits = true, .acks = true});
    breakdown_hear(observe.waits, on_life, NULL);
    life_count = 0;
    struct world *world = world_build(scenario, &observe.probe, &diag);
    assert_non_null(world);
    while (world_run(world, world->engine.now + PS_PER_MS))
        ;
    observe_finish(&observe, world->engine.now);
    world_free(world);
    observe_fini(&observe);
    fabric_fini(&fabric);
    scenario_free(scenario);
}

uint32_t by_hand_count(void)
{
    return life_count;
}

const struct breakdown_life *by_hand_life(uint32_t index)
{
    assert_true(index < life_count);
    return &lives[index];
}

time_ps by_hand_across(unsigned bytes)
{
    return 2 * BITS(bytes) + 2 * CABLE + PIPELINE;
}

void by_hand_check(const struct breakdown_life *life, const struct by_hand_part *parts,
                   size_t count)
{
    time_ps left[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
    bool same = true;
    memcpy(left, life->ps, sizeof left);
    for (size_t i = 0; i < count; i++)
        left[parts[i].phase][parts[i].part] -= parts[i].ps;
    for (int i = 0; i < BREAKDOWN_PHASES * BREAKDOWN_PARTS; i++) {
        const time_ps more = left[i / BREAKDOWN_PARTS][i % BREAKDOWN_PARTS];
        if (more == 0)
            continue;
        print_error("%s in %s: %lld ps, which is %lld more than by hand\n",
                    breakdown_part_words((enum breakdown_part)(i % BREAKDOWN_PARTS)),
                    breakdown_phase_key((enum breakdown_phase)(i / BREAKDOWN_PARTS)),
                    (long long)life->ps[i / BREAKDOWN_PARTS][i % BREAKDOWN_PARTS], (long long)more);
        same = false;
    }
    assert_true(same);
}
