/* SPDX-License-Identifier: Apache-2.0
 * Limits of a namespace: who goes, who waits for the next millisecond, what is made up for. */
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nvme_pair pair;

static void start(struct nvme_limits limits)
{
    nvme_pair_init(&pair, "null");
    for (int i = 0; i < 2; i++)
        pair.namespaces[i].params.limits = limits;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    nvme_pair_run(&pair, 10 * PS_PER_MS - pair.world.now); /* a slice's begin */
}

static void count(void *self, const struct nvme_target_command *command)
{
    *(uint32_t *)self += command->stage == NVME_TARGET_LIMITED;
}

static uint32_t waiting(void)
{
    uint32_t limited = 0;
    nvme_target_look(pair.target, count, &limited);
    return limited;
}

static void submit(uint32_t index, enum nvme_opcode opcode, uint32_t bytes)
{
    assert_true(
        nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, index, opcode, index * 64, bytes)));
}

static void a_slice_has_a_thousandth_of_a_second(void **state)
{
    (void)state;
    start((struct nvme_limits){.of[NVME_LIMIT_IOPS] = 3000});
    for (uint32_t i = 0; i < 8; i++)
        submit(i, NVME_READ, 4096);
    nvme_pair_run(&pair, 900 * PS_PER_US);
    assert_int_equal(pair.completed, 3);
    assert_int_equal(waiting(), 5);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 6);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 8);
    assert_int_equal(waiting(), 0);
    nvme_pair_fini(&pair);
}

/* 8 Mb/s are 1,000 B in a slice: 4,096 B are paid for when four more have begun. */
static void what_is_overdrawn_is_made_up_for(void **state)
{
    (void)state;
    start((struct nvme_limits){.of[NVME_LIMIT_RATE] = 8000000});
    submit(0, NVME_READ, 4096);
    submit(1, NVME_WRITE, 4096);
    nvme_pair_run(&pair, 3900 * PS_PER_US);
    assert_int_equal(pair.completed, 1);
    nvme_pair_run(&pair, 200 * PS_PER_US);
    assert_int_equal(pair.completed, 2);
    nvme_pair_run(&pair, 100 * PS_PER_MS);
    submit(2, NVME_READ, 512); /* however long nothing came: one slice's worth */
    submit(3, NVME_READ, 512);
    submit(4, NVME_READ, 512);
    nvme_pair_run(&pair, 100 * PS_PER_US);
    assert_int_equal(pair.completed, 4);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 5);
    nvme_pair_fini(&pair);
}

static void reads_pass_writes_that_wait(void **state)
{
    (void)state;
    start((struct nvme_limits){.of[NVME_LIMIT_WRITE] = 8000000});
    submit(0, NVME_WRITE, 4096);
    submit(1, NVME_WRITE, 4096);
    submit(2, NVME_READ, 4096);
    submit(3, NVME_FLUSH, 0);
    nvme_pair_run(&pair, 900 * PS_PER_US);
    assert_int_equal(pair.completed, 3);
    assert_int_equal(pair.ios[1].completed_at, 0);
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    nvme_pair_fini(&pair);
}

static const uint32_t both[] = {0, 1};

/* Three a millisecond to whoever connects, two of them to each namespace. */
static void a_subsystem_goes_before_its_namespaces(void **state)
{
    (void)state;
    const struct nvme_target_subsystem subsystem = {
        .nqn = "nqn.2014-08.org.example:gold",
        .limits = {.of[NVME_LIMIT_IOPS] = 3000},
        .namespaces = both,
        .namespace_count = 2,
    };
    nvme_pair_init(&pair, "null");
    pair.subsystems = &subsystem;
    pair.subsystem_count = 1;
    pair.subsystem_nqn = subsystem.nqn;
    pair.namespaces[0].params.limits.of[NVME_LIMIT_IOPS] = 2000;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    nvme_pair_run(&pair, 10 * PS_PER_MS - pair.world.now);
    for (uint32_t i = 0; i < 6; i++)
        submit(i, NVME_READ, 4096);
    nvme_pair_run(&pair, 900 * PS_PER_US);
    assert_int_equal(pair.completed, 2); /* the third waits for its namespace */
    assert_int_equal(waiting(), 4);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 6);
    assert_int_equal(waiting(), 0);
    nvme_target_kill(pair.target, false);
    nvme_pair_fini(&pair);
}

static void a_subsystem_limits_all_namespaces(void **state)
{
    (void)state;
    const struct nvme_target_subsystem subsystem = {
        .nqn = "nqn.2014-08.org.example:gold",
        .limits = {.of[NVME_LIMIT_WRITE] = 8000000},
        .namespaces = both,
        .namespace_count = 2,
    };
    nvme_pair_init(&pair, "null");
    pair.subsystems = &subsystem;
    pair.subsystem_count = 1;
    pair.subsystem_nqn = subsystem.nqn;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    nvme_pair_run(&pair, 10 * PS_PER_MS - pair.world.now);
    submit(0, NVME_WRITE, 4096);
    submit(1, NVME_WRITE, 4096);
    submit(2, NVME_READ, 4096);
    nvme_pair_run(&pair, 900 * PS_PER_US);
    assert_int_equal(pair.completed, 2);
    assert_int_equal(waiting(), 1);
    nvme_target_kill(pair.target, false); /* with one that waits */
    nvme_pair_run(&pair, 9 * PS_PER_MS);
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    nvme_pair_fini(&pair);
}

/* What waits goes with the queues that it came by. */
static void who_waits_may_leave(void **state)
{
    (void)state;
    start((struct nvme_limits){.of[NVME_LIMIT_IOPS] = 1});
    submit(0, NVME_READ, 4096);
    submit(1, NVME_READ, 4096);
    nvme_pair_run(&pair, 900 * PS_PER_US);
    assert_int_equal(waiting(), 1);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 3 * PS_PER_MS);
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_has_a_thousandth_of_a_second),
        cmocka_unit_test(what_is_overdrawn_is_made_up_for),
        cmocka_unit_test(reads_pass_writes_that_wait),
        cmocka_unit_test(who_waits_may_leave),
        cmocka_unit_test(a_subsystem_goes_before_its_namespaces),
        cmocka_unit_test(a_subsystem_limits_all_namespaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
