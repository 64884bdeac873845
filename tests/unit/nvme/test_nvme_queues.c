/* SPDX-License-Identifier: Apache-2.0
 * Types of I/O queues: how many of those granted are default, read and poll queues, and which one
 * an I/O takes. */
#include "base/check.h"
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nvme_pair pair;

static void start(int64_t queues, int64_t writes, int64_t polls, int64_t most)
{
    nvme_pair_init(&pair, "null");
    pair.host_params.queues = queues;
    pair.host_params.write_queues = writes;
    pair.host_params.poll_queues = polls;
    pair.target_params.max_queues = most;
    nvme_pair_start(&pair);
    assert_true(pair.ready && pair.ready_status == NVME_STATUS_OK);
}

/* The queue, from 1, on which the I/O of the core is sent. */
static uint16_t takes(uint32_t core, enum nvme_opcode opcode, bool polled)
{
    struct nvme_io *io = nvme_pair_fill(&pair, 0, opcode, 0, opcode == NVME_FLUSH ? 0 : 4096);
    io->polled = polled;
    const uint32_t expected = nvme_host_queue_of(pair.host, core, io) + 1;
    const uint32_t before = pair.completed;
    assert_true(nvme_host_submit(pair.host, core, io));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, before + 1);
    assert_int_equal(io->status, NVME_STATUS_OK);
    assert_int_equal(io->qid, expected);
    return io->qid;
}

/* nvme_tcp_set_io_queues of Linux 6.1 by hand. */
static void test_granted(void **state)
{
    static const struct {
        int64_t queues, writes, polls, most;
        uint32_t granted, cores;
        uint16_t write, read, polled_read; /* queues of core 0 */
    } cases[] = {
        {4, 0, 0, 16, 4, 4, 1, 1, 1}, /* no types: a polled read is a read */
        {4, 2, 0, 16, 6, 4, 1, 3, 3}, /* queues 1 and 2 for writes */
        {4, 2, 3, 16, 9, 4, 1, 3, 7}, /* poll queues are the last ones */
        {4, 2, 3, 7, 7, 4, 1, 3, 7},  /* one is left to poll */
        {4, 2, 3, 5, 5, 4, 1, 2, 2},  /* one for writes, none to poll */
        {4, 2, 3, 4, 4, 4, 1, 1, 1},  /* only with more than `queues`: shared */
        {2, 0, 4, 16, 6, 4, 1, 1, 3}, /* as many cores as poll queues */
    };
    (void)state;
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        start(cases[c].queues, cases[c].writes, cases[c].polls, cases[c].most);
        assert_int_equal(nvme_host_queues(pair.host), cases[c].granted);
        assert_int_equal(nvme_host_cores(pair.host), cases[c].cores);
        assert_int_equal(takes(0, NVME_WRITE, false), cases[c].write);
        assert_int_equal(takes(0, NVME_FLUSH, false), cases[c].write);
        assert_int_equal(takes(0, NVME_READ, false), cases[c].read);
        assert_int_equal(takes(0, NVME_READ, true), cases[c].polled_read);
        nvme_pair_fini(&pair);
    }
}

static void test_cores(void **state)
{
    (void)state;
    start(4, 2, 3, 16); /* default 1, 2; read 3 to 6; poll 7 to 9 */
    for (uint32_t core = 0; core < 4; core++) {
        assert_int_equal(takes(core, NVME_WRITE, false), 1 + core % 2);
        assert_int_equal(takes(core, NVME_READ, false), 3 + core);
        assert_int_equal(takes(core, NVME_WRITE, true), 7 + core % 3);
    }
    nvme_pair_fini(&pair);
}

/* The queues of a core of all types do their work in turn: it is counted once. */
static void test_one_core(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.queues = pair.host_params.write_queues = 1;
    pair.host_params.submit_cost = 10 * PS_PER_US;
    pair.host_params.complete_cost = 0;
    nvme_pair_start(&pair);
    const time_ps begin = pair.world.now;
    const time_ps busy = nvme_host_occupied(pair.host, begin);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(nvme_host_submit(
            pair.host, 0, nvme_pair_fill(&pair, i, i % 2 == 0 ? NVME_READ : NVME_WRITE, 0, 4096)));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(nvme_host_occupied(pair.host, pair.world.now) - busy, 80 * PS_PER_US);
    time_ps last = 0;
    for (uint32_t i = 0; i < 8; i++)
        last = time_later(last, pair.ios[i].posted_at);
    assert_int_equal(last - begin, 80 * PS_PER_US);
    nvme_pair_fini(&pair);
}

/* nvme_tcp_nr_io_queues of Linux 6.1 by hand: each type has at most as many queues as CPUs. */
static void test_cpus(void **state)
{
    static const struct {
        int64_t cpus;
        uint32_t granted, cores;
    } cases[] = {{0, 14, 8}, {8, 14, 8}, {3, 8, 3}, {1, 3, 1}};
    (void)state;
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        nvme_pair_init(&pair, "null");
        pair.host_params.queues = 8;
        pair.host_params.write_queues = 4;
        pair.host_params.poll_queues = 2;
        pair.host_params.cpus = cases[c].cpus;
        pair.target_params.max_queues = 64;
        nvme_pair_start(&pair);
        assert_int_equal(nvme_host_queues(pair.host), cases[c].granted);
        assert_int_equal(nvme_host_cores(pair.host), cases[c].cores);
        nvme_pair_fini(&pair);
    }
}

/* Cores that issue to one queue: 8 to read queues, and to write queues what the target leaves. */
static void test_sharing(void **state)
{
    const struct nvme_host_params params = {.queues = 8, .write_queues = 4, .poll_queues = 2};
    const struct nvme_io read = {.opcode = NVME_READ}, write = {.opcode = NVME_WRITE},
                         polled = {.opcode = NVME_READ, .polled = true};
    (void)state;
    assert_int_equal(nvme_host_params_sharing(&params, 14, &read), 1);
    assert_int_equal(nvme_host_params_sharing(&params, 14, &write), 2);
    assert_int_equal(nvme_host_params_sharing(&params, 14, &polled), 4);
    assert_int_equal(nvme_host_params_sharing(&params, 9, &write), 8);
    assert_int_equal(nvme_host_params_sharing(&params, 9, &polled), 1);
    assert_int_equal(nvme_host_params_sharing(&params, 2, &write), 1);
}

/* A core that polls is busy until its last I/O ends; its own work is not counted twice. */
static void test_spinning(void **state)
{
    (void)state;
    for (unsigned polled = 0; polled < 2; polled++) {
        nvme_pair_init(&pair, "null");
        pair.host_params.queues = pair.host_params.poll_queues = 2;
        pair.host_params.submit_cost = pair.host_params.complete_cost = PS_PER_US;
        nvme_pair_start(&pair);
        const time_ps begin = pair.world.now;
        const time_ps used = nvme_host_cpu(pair.host, begin).io;
        for (uint32_t i = 0; i < 3; i++) { /* two of core 0, one of core 1 */
            struct nvme_io *io = nvme_pair_fill(&pair, i, NVME_READ, 0, 4096);
            io->polled = polled;
            assert_true(nvme_host_submit(pair.host, i / 2, io));
        }
        nvme_pair_run(&pair, PS_PER_MS);
        const time_ps ends[] = {pair.ios[1].completed_at, pair.ios[2].completed_at};
        const time_ps cpu = nvme_host_cpu(pair.host, pair.world.now).io - used;
        assert_true(ends[0] - begin > 4 * PS_PER_US && ends[1] - begin > 2 * PS_PER_US);
        assert_int_equal(cpu, polled ? ends[0] - begin + ends[1] - begin : 6 * PS_PER_US);
        nvme_pair_fini(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_granted),  cmocka_unit_test(test_cores),
        cmocka_unit_test(test_one_core), cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_sharing),  cmocka_unit_test(test_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
