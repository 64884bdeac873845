/* SPDX-License-Identifier: Apache-2.0
 * Deadlocks of links with credits: the same search as for pauses finds them. */
#include "scenarios/world/world.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 4096 };

/* Credits: min-hop locks up as PFC does, and up-down, which has no cycle, does not. A lifetime of
 * frames in the switches ends a deadlock. */
static void credits_lock_up_in_a_ring(void **state)
{
    (void)state;
    static const char *const routings[] = {"min-hop", "min-hop", "up-down"};
    for (int i = 0; i < 3; i++) {
        char text[TEXT_BYTES];
        size_t used = (size_t)snprintf(
            text, sizeof text,
            "stormglass: 1\nname: ring\nduration: 1ms\ndrain: 4ms\nfabric:\n"
            "  kind: infiniband\n  routing: {algorithm: %s}\n"
            "  switch: {head-of-queue-lifetime: %s, leaf-head-of-queue-lifetime: 20}\n"
            "  topology:\n    kind: explicit\n    hosts: [h0, h1, h2, h3, h4]\n"
            "    switches: [s0, s1, s2, s3, s4]\n    links:\n",
            routings[i], i == 1 ? "8" : "20"); /* 1 ms or 4.3 s */
        for (int s = 0; s < 5; s++)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "      - {ends: [h%d, s%d]}\n      - {ends: [s%d, s%d]}\n", s,
                                     s, s, (s + 1) % 5);
        used += (size_t)snprintf(text + used, sizeof text - used, "workloads:\n");
        for (int s = 0; s < 5; s++)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  - {name: w%d, kind: rdma-write, from: h%d, to: h%d, "
                                     "message-size: 1MiB, outstanding: 4}\n",
                                     s, s, (s + 2) % 5);
        const struct scenario_input input = {
            .name = "t.yaml", .text = text, .length = strlen(text)};
        static struct diag diag;
        struct scenario *scenario = scenario_load(&input, &diag);
        assert_non_null(scenario);
        struct world *world = world_build(scenario, &probe_none, &diag);
        assert_non_null(world);
        while (world_run(world, world->engine.now + 100 * PS_PER_US))
            ;
        world_audit(world);
        const struct deadlock_watch *watch = &world->deadlocks;
        assert_int_equal(watch->count > 0, i < 2);
        if (watch->count > 0) {
            assert_int_equal(watch->found[0].cycle, 5);
            assert_int_equal(watch->found[0].behind, 5); /* the hosts */
            assert_int_equal(watch->found[0].gone == TIME_NEVER, i == 0);
        }
        world_free(world);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(credits_lock_up_in_a_ring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
