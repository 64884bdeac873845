/* SPDX-License-Identifier: Apache-2.0
 * A target whose I/O queue pairs share receives (SRQ), and whose cores share a lock. */
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_pair pair; /* large; each test initialises it */

static void start(uint32_t queues, int64_t receives)
{
    nvme_pair_init(&pair, "fixed");
    pair.host_params.queues = queues;
    pair.rdma_params.target.shared_receives = receives;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
}

/* The Connect has bytes, a write in its capsule a tag, and both come into such a receive. */
static void takes_whatever_comes(void **state)
{
    (void)state;
    start(3, 8);
    assert_int_equal(nvme_host_queues(pair.host), 3);
    for (unsigned i = 0; i < 20; i++) {
        const uint32_t bytes = i % 2 == 0 ? 4096 : 65536; /* in the capsule, and fetched */
        struct nvme_io *io = nvme_pair_io(&pair, NVME_WRITE, i * 1000, bytes, 7 + i);
        assert_int_equal(io->status, NVME_STATUS_OK);
        io = nvme_pair_io(&pair, NVME_READ, i * 1000, bytes, 0);
        assert_int_equal(io->status, NVME_STATUS_OK);
        assert_int_equal(io->content, 7 + i);
    }
    assert_int_equal(pair.world.rnr + pair.world.bad, 0);
    nvme_pair_fini(&pair); /* nothing is held */
}

/* More commands than there are receives: those that find none wait, of whatever queue. */
static void is_short_for_all(void **state)
{
    (void)state;
    start(4, 4);
    enum { EACH = 2 }; /* so that one of a queue waits at most, which is what the fake can do */
    for (uint32_t i = 0; i < 4 * EACH; i++)
        assert_true(
            nvme_host_submit(pair.host, i % 4, nvme_pair_fill(&pair, i, NVME_READ, i * 8, 4096)));
    nvme_pair_run(&pair, 100 * PS_PER_MS);
    assert_int_equal(pair.completed, 4 * EACH);
    assert_true(pair.world.rnr > 0);
    assert_int_equal(pair.world.bad, 0);
    for (uint32_t i = 0; i < 4 * EACH; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

/* A host that goes away takes none of them with it. */
static void a_lost_connection_gives_back(void **state)
{
    (void)state;
    start(2, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(
            nvme_host_submit(pair.host, i % 2, nvme_pair_fill(&pair, i, NVME_READ, i * 8, 4096)));
    nvme_pair_run(&pair, 2 * PS_PER_US);
    fake_break(&pair.world);
    nvme_pair_run(&pair, 60 * PS_PER_S); /* it comes back */
    assert_int_equal(pair.completed, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static uint32_t completed_in_10_ms(int64_t lock_cost)
{
    nvme_pair_init(&pair, "null");
    pair.host_params.queues = 4;
    pair.target_params.lock_cost = lock_cost;
    nvme_pair_start(&pair);
    pair.resubmit = true;
    for (uint32_t i = 0; i < 32; i++)
        assert_true(
            nvme_host_submit(pair.host, i % 4, nvme_pair_fill(&pair, i, NVME_READ, i * 8, 4096)));
    const uint32_t before = pair.completed;
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    const uint32_t completed = pair.completed - before;
    pair.resubmit = false;
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    nvme_pair_fini(&pair);
    return completed;
}

/* Each command holds the lock for 10 us, on whichever of four cores it is: a thousand in 10 ms. */
static void cores_take_turns_at_a_lock(void **state)
{
    (void)state;
    assert_true(completed_in_10_ms(0) > 3000);
    assert_in_range(completed_in_10_ms(10 * PS_PER_US), 990, 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_whatever_comes),
        cmocka_unit_test(is_short_for_all),
        cmocka_unit_test(cores_take_turns_at_a_lock),
        cmocka_unit_test(a_lost_connection_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
