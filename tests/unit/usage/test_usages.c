/* SPDX-License-Identifier: Apache-2.0
 * Who has work when, and what is counted of it. */
#include "replay/usage/usages.h"

#include "base/units.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "stormglass: 1\nname: test\nduration: 640us\n"                                                 \
    "fabric: {topology: {kind: single-switch, hosts: 4}}\nworkloads:\n"
#define WRITE "kind: rdma-write, message-size: 64KiB, outstanding: 4, "

static struct scenario *load(const char *text)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    return scenario;
}

static struct world *build(const struct scenario *scenario)
{
    static const struct probe nobody;
    static struct diag diag;
    struct world *world = world_build(scenario, &nobody, &diag);
    assert_non_null(world);
    return world;
}

/* Percent of the time in which host 0's link was busy. */
static int busy(const struct usage *usage)
{
    const uint64_t bytes = (uint64_t)usage_of_port(usage, 0, USAGE_PORT_BYTES);
    return (int)(100 * units_transfer_ps(bytes, 100000000000) / usage_span(usage));
}

static void each_has_its_own_time(void **state)
{
    (void)state;
    struct scenario *scenario =
        load(HEAD "  - {name: all, " WRITE "from: host1, to: host2, rate: 10, start: 64us}\n"
                  "  - {name: late, " WRITE "from: host0, to: host3, start: 512us}\n"
                  "  - {name: also, " WRITE "from: host1, to: host3, start: 512us, rate: 10}\n"
                  "  - {name: soon, " WRITE "from: host2, to: host1, start: 64us, stop: 128us}\n");
    struct world *world = build(scenario);
    struct usages usages;
    usages_init(&usages, world);
    assert_int_equal(usages.count, 3);
    assert_int_equal(usages.list[0].from, 64 * PS_PER_US);
    assert_int_equal(usages.list[0].until, 640 * PS_PER_US);
    assert_ptr_equal(usages_of(&usages, 0), &usages.list[0]);
    assert_ptr_equal(usages_of(&usages, 1), usages_of(&usages, 2));
    assert_int_equal(usages_of(&usages, 1)->from, 512 * PS_PER_US);
    assert_int_equal(usages_of(&usages, 3)->until, 128 * PS_PER_US);
    while (usages.next != TIME_NEVER && world_run(world, usages.next))
        usages_take(&usages);
    usages_end(&usages, world->engine.now, world->engine.now);
    assert_in_range(busy(usages_of(&usages, 1)), 96, 100);
    assert_in_range(busy(&usages.list[0]), 25, 45); /* 128 us of the last 432 */
    assert_in_range(busy(usages_of(&usages, 3)), 0, 1);
    assert_in_range(usage_span(usages_of(&usages, 1)), 96 * PS_PER_US, 128 * PS_PER_US);
    usages_fini(&usages);
    world_free(world);
    scenario_free(scenario);
}

/* More times than are kept apart: theirs is the run's. */
static void times_beyond_the_most_are_the_runs(void **state)
{
    (void)state;
    char text[4096];
    int used = snprintf(text, sizeof text, HEAD);
    for (int i = 0; i < USAGES_MAX + 2; i++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "  - {name: w%d, " WRITE "from: host0, to: host1, start: %dus}\n", i, 10 * i);
    struct scenario *scenario = load(text);
    struct world *world = build(scenario);
    struct usages usages;
    usages_init(&usages, world);
    assert_int_equal(usages.count, USAGES_MAX);
    for (uint32_t i = 0; i < USAGES_MAX + 2; i++)
        assert_ptr_equal(usages_of(&usages, i), &usages.list[i < USAGES_MAX ? i : 0]);
    usages_fini(&usages);
    world_free(world);
    scenario_free(scenario);
}

#define TCP_HEAD                                                                                   \
    "stormglass: 1\nname: test\nduration: 4ms\n"                                                   \
    "fabric: {topology: {kind: single-switch, hosts: 2}, switch: {pfc: {priorities: none}}}\n"
#define TCP_WORK                                                                                   \
    "workloads:\n  - {name: w, kind: tcp-stream, from: host0, to: host1, message-size: 64KiB, "    \
    "outstanding: 16, connections: 2}\n"

static int64_t of_tcp(const char *hosts, uint32_t node, unsigned what, time_ps *span)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s%s", TCP_HEAD, hosts, TCP_WORK);
    struct scenario *scenario = load(text);
    struct world *world = build(scenario);
    struct usages usages;
    usages_init(&usages, world);
    while (usages.next != TIME_NEVER && world_run(world, usages.next))
        usages_take(&usages);
    usages_end(&usages, world->engine.now, world->engine.now);
    const int64_t found = usage_of_rnic(&usages.list[0], node, 0, what);
    *span = usage_span(&usages.list[0]);
    usages_fini(&usages);
    world_free(world);
    scenario_free(scenario);
    return found;
}

/* The receiver's core is always busy, or the window always full. */
static void cores_and_windows_of_tcp_are_counted(void **state)
{
    (void)state;
    static const char slow[] = "hosts: {defaults: {tcp: {cores: 1, copy-cost: 2us}}}\n";
    static const char narrow[] =
        "hosts: {defaults: {tcp: {receive-buffer: 32KiB, receive-buffer-max: 32KiB}}}\n";
    time_ps span;
    const time_ps busy = of_tcp(slow, 1, USAGE_TCP_BUSY, &span);
    assert_in_range(busy, span * 98 / 100, span);
    assert_int_equal(of_tcp(slow, 1, USAGE_TCP_CORES, &span), 1);
    const int64_t active = of_tcp(slow, 1, USAGE_TCP_ACTIVE, &span);
    assert_true(active >= USAGE_MOMENTS);
    assert_in_range(of_tcp(slow, 1, USAGE_TCP_CORE, &span), active / 2, active);
    assert_in_range(of_tcp(narrow, 1, USAGE_TCP_BUSY, &span), 1, span * 9 / 10);
    const int64_t sending = of_tcp(narrow, 0, USAGE_TCP_ACTIVE, &span);
    assert_in_range(of_tcp(narrow, 0, USAGE_TCP_WINDOW, &span), sending / 2, sending);
    assert_int_equal(of_tcp(narrow, 0, USAGE_TCP_LOSS, &span), 0);
    assert_int_equal(of_tcp(narrow, 0, USAGE_TCP_RESENT, &span), 0);
    assert_true(of_tcp(narrow, 0, USAGE_TCP_SENT, &span) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own_time),
        cmocka_unit_test(times_beyond_the_most_are_the_runs),
        cmocka_unit_test(cores_and_windows_of_tcp_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
