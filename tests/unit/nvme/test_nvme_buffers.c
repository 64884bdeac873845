/* SPDX-License-Identifier: Apache-2.0
 * Data buffers that the commands of a target share, and work requests, one for each RDMA operation
 * beyond a command's first: who waits, in which order, what comes back. */
#include "base/check.h"
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_pair pair;

enum { UNIT = 8192, PIECE = 64 << 10 };

static void start(int64_t buffers)
{
    nvme_pair_init(&pair, "fixed");
    pair.target_params.data_buffers = buffers;
    pair.target_params.io_unit = UNIT;
    pair.host_params.queues = 2;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
}

struct seen {
    uint32_t by_stage[NVME_TARGET_RESPONDED + 1];
};

static void count(void *self, const struct nvme_target_command *command)
{
    struct seen *seen = self;
    seen->by_stage[command->stage]++;
}

static struct seen look(void)
{
    struct seen seen = {0};
    nvme_target_look(pair.target, count, &seen);
    return seen;
}

static void submit(uint32_t index, enum nvme_opcode opcode, uint32_t bytes)
{
    assert_true(nvme_host_submit(pair.host, index % 2,
                                 nvme_pair_fill(&pair, index, opcode, index * 4096, bytes)));
}

/* Until the commands are at the target and the medium has not answered. */
static void arrive(void)
{
    nvme_pair_run(&pair, 5 * PS_PER_US);
}

static void one_that_needs_more_keeps_its_place(void **state)
{
    (void)state;
    start(3);
    submit(0, NVME_READ, 2 * UNIT);
    submit(1, NVME_READ, 2 * UNIT);
    submit(2, NVME_READ, 4096); /* one is free, but it is not its turn */
    arrive();
    assert_int_equal(look().by_stage[NVME_TARGET_IN_MEDIA], 1);
    assert_int_equal(look().by_stage[NVME_TARGET_UNBUFFERED], 2);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 3);
    assert_true(pair.ios[0].completed_at < pair.ios[1].completed_at);
    assert_true(pair.ios[0].completed_at < pair.ios[2].completed_at);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void data_in_capsules_need_none(void **state)
{
    (void)state;
    start(2);
    submit(0, NVME_READ, 2 * UNIT);
    submit(1, NVME_READ, 4096);
    submit(2, NVME_WRITE, 4096);
    submit(3, NVME_FLUSH, 0);
    arrive();
    assert_int_equal(look().by_stage[NVME_TARGET_UNBUFFERED], 1);
    assert_int_equal(look().by_stage[NVME_TARGET_IN_MEDIA], 2); /* a flush takes no time there */
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    nvme_pair_fini(&pair);
}

static void commands_are_no_larger_than_they_can_hold(void **state)
{
    (void)state;
    static const struct {
        int64_t buffers;
        uint32_t most;
    } cases[] = {{0, 1 << 20}, {1, UNIT}, {3, 2 * UNIT}, {16, 16 * UNIT}, {1000, 16 * UNIT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(cases[i].buffers);
        assert_int_equal(nvme_host_max_transfer(pair.host), cases[i].most);
        const struct nvme_io *io = nvme_pair_io(&pair, NVME_WRITE, 100, 5 * UNIT + 512, 9);
        assert_int_equal(io->status, NVME_STATUS_OK);
        nvme_pair_fini(&pair);
    }
}

/* Whoever waits or holds when the target dies, the buffers are there again when it is back. */
/* With eight that are asked for: none is lost, and what they held is there again. */
static void die_while_some_wait(void)
{
    arrive();
    assert_true(look().by_stage[NVME_TARGET_UNBUFFERED] > 0);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, PS_PER_US * 100);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 50 * PS_PER_MS);
    assert_int_equal(pair.completed, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void they_come_back_after_a_death(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "fixed");
    pair.target_params.data_buffers = 3;
    pair.target_params.io_unit = UNIT;
    pair.host_params.queues = 2;
    pair.host_params.reconnect_delay = PS_PER_MS;
    nvme_pair_start(&pair);
    for (uint32_t i = 0; i < 8; i++)
        submit(i, i % 2 == 0 ? NVME_READ : NVME_WRITE, 2 * UNIT);
    die_while_some_wait();
}

static void every_number_of_them_is_enough(void **state)
{
    (void)state;
    for (int64_t buffers = 1; buffers < 40; buffers += 3) {
        start(buffers);
        pair.resubmit = true;
        for (uint32_t i = 0; i < 24; i++)
            submit(i, i % 3 == 0 ? NVME_WRITE : NVME_READ, 512 * (1 + i * 7 % 40));
        for (unsigned i = 0; i < 50; i++)
            nvme_pair_run(&pair, 20 * PS_PER_US);
        assert_true(pair.completed > 48);
        assert_int_equal(nvme_host_outstanding(pair.host), 24);
        assert_int_equal(pair.world.rnr + pair.world.bad, 0);
        nvme_pair_fini(&pair);
    }
}

/* ---- work requests ---- */

static void start_wrs(int64_t wrs, int64_t buffers)
{
    nvme_pair_init(&pair, "fixed");
    pair.target_params.data_wr_pool = wrs;
    pair.target_params.data_buffers = buffers;
    pair.target_params.io_unit = PIECE;
    pair.rdma_params.target.rdma_size = PIECE;
    pair.host_params.queues = 2;
    pair.host_params.reconnect_delay = PS_PER_MS;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
}

static void the_first_operation_needs_none(void **state)
{
    (void)state;
    start_wrs(1, 0);
    for (uint32_t i = 0; i < 8; i++)
        submit(i, NVME_READ, PIECE);
    arrive();
    nvme_pair_run(&pair, 2 * PS_PER_US);
    assert_int_equal(look().by_stage[NVME_TARGET_IN_MEDIA], 8);
    assert_int_equal(look().by_stage[NVME_TARGET_WITHOUT_WRS], 0);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 8);
    nvme_pair_fini(&pair);
}

/* Of 5: 3 and 1 are taken, then one that needs 3 waits, and keeps one that needs 1 behind it. */
static void one_that_needs_more_work_requests_keeps_its_place(void **state)
{
    (void)state;
    start_wrs(5, 0);
    submit(0, NVME_READ, 4 * PIECE);
    submit(1, NVME_READ, 2 * PIECE);
    submit(2, NVME_READ, 4 * PIECE);
    submit(3, NVME_READ, 2 * PIECE);
    submit(4, NVME_READ, PIECE); /* needs none */
    arrive();
    assert_int_equal(look().by_stage[NVME_TARGET_IN_MEDIA], 3);
    assert_int_equal(look().by_stage[NVME_TARGET_WITHOUT_WRS], 2);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 5);
    assert_true(pair.ios[0].completed_at < pair.ios[2].completed_at);
    assert_true(pair.ios[1].completed_at < pair.ios[3].completed_at);
    assert_true(pair.ios[4].completed_at < pair.ios[2].completed_at);
    nvme_pair_fini(&pair);
}

/* Buffers first: what waits for work requests has them already. */
static void buffers_come_first(void **state)
{
    (void)state;
    start_wrs(1, 4);
    for (uint32_t i = 0; i < 3; i++)
        submit(i, NVME_READ, 2 * PIECE);
    arrive();
    assert_int_equal(look().by_stage[NVME_TARGET_IN_MEDIA], 1);
    assert_int_equal(look().by_stage[NVME_TARGET_WITHOUT_WRS], 1);
    assert_int_equal(look().by_stage[NVME_TARGET_UNBUFFERED], 1);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 3);
    assert_true(pair.last.buffered_at > 0 && pair.last.wrs_at >= pair.last.buffered_at);
    nvme_pair_fini(&pair);
}

static void a_command_that_needs_more_than_all_takes_all(void **state)
{
    (void)state;
    start_wrs(2, 0);
    for (uint32_t i = 0; i < 4; i++)
        submit(i, i % 2 == 0 ? NVME_READ : NVME_WRITE, 8 * PIECE);
    arrive();
    assert_int_equal(look().by_stage[NVME_TARGET_WITHOUT_WRS], 3);
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void work_requests_come_back_after_a_death(void **state)
{
    (void)state;
    start_wrs(3, 4);
    for (uint32_t i = 0; i < 8; i++)
        submit(i, i % 2 == 0 ? NVME_READ : NVME_WRITE, 3 * PIECE);
    die_while_some_wait();
}

static void every_number_of_work_requests_is_enough(void **state)
{
    (void)state;
    for (int64_t wrs = 1; wrs < 20; wrs += 3) {
        start_wrs(wrs, wrs % 2 * 5);
        pair.resubmit = true;
        for (uint32_t i = 0; i < 24; i++)
            submit(i, i % 3 == 0 ? NVME_WRITE : NVME_READ, PIECE * (1 + i * 7 % 4));
        for (unsigned i = 0; i < 50; i++)
            nvme_pair_run(&pair, 40 * PS_PER_US);
        assert_true(pair.completed > 24);
        assert_int_equal(nvme_host_outstanding(pair.host), 24);
        assert_int_equal(pair.world.rnr + pair.world.bad, 0);
        nvme_pair_fini(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_needs_more_keeps_its_place),
        cmocka_unit_test(data_in_capsules_need_none),
        cmocka_unit_test(commands_are_no_larger_than_they_can_hold),
        cmocka_unit_test(they_come_back_after_a_death),
        cmocka_unit_test(every_number_of_them_is_enough),
        cmocka_unit_test(the_first_operation_needs_none),
        cmocka_unit_test(one_that_needs_more_work_requests_keeps_its_place),
        cmocka_unit_test(buffers_come_first),
        cmocka_unit_test(a_command_that_needs_more_than_all_takes_all),
        cmocka_unit_test(work_requests_come_back_after_a_death),
        cmocka_unit_test(every_number_of_work_requests_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
