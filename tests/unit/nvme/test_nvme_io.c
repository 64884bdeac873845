/* SPDX-License-Identifier: Apache-2.0
 * Host against target: connect, I/O, flow control, errors, failure. */
#include "tests/unit/nvme/nvme_pair.h"

#include "nvme/wire/capsule.h"
#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_pair pair; /* large; each test initialises it */

static void connects_and_scans(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.queues = 4;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(nvme_host_queues(pair.host), 4);
    assert_int_equal(nvme_host_queue_size(pair.host), 128);
    assert_int_equal(nvme_host_namespaces(pair.host), 2);
    assert_int_equal(nvme_host_namespace(pair.host, 1)->nsid, 2);
    assert_int_equal(nvme_host_namespace(pair.host, 0)->block_bytes, 512);
    assert_int_equal(nvme_host_namespace(pair.host, 0)->blocks, (INT64_C(1) << 40) / 512);
    assert_int_equal(nvme_host_max_transfer(pair.host), 1 << 20);
    assert_int_equal(nvme_target_stats(pair.target)->queues, 5);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    assert_int_equal(pair.world.rnr + pair.world.bad, 0);
    nvme_pair_fini(&pair);
}

/* What the target negotiates down. */
static void takes_the_smaller(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.queues = 8;
    pair.host_params.queue_size = 1024;
    pair.target_params.max_queues = 3;
    pair.target_params.max_queue_size = 64;
    pair.target_params.max_transfer = 128 << 10;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(nvme_host_queues(pair.host), 3);
    assert_int_equal(nvme_host_queue_size(pair.host), 64);
    assert_int_equal(nvme_host_max_transfer(pair.host), 128 << 10);
    nvme_pair_fini(&pair);
}

/* The messages since the log was at `from`, as opcodes and lengths. */
static void assert_messages(uint32_t from, const int expected[][2], unsigned count)
{
    assert_int_equal(pair.world.logged - from, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(pair.world.log[from + i].opcode, expected[i][0]);
        assert_int_equal(pair.world.log[from + i].length, expected[i][1]);
    }
}

/* The four I/Os at the end of the capture: same operations, lengths and data movement. */
static void moves_data_as_linux_does(void **state)
{
    (void)state;
    static const int read[][2] = {
        {IBV_WR_SEND, 64}, {IBV_WR_RDMA_WRITE, 131072}, {IBV_WR_SEND_WITH_INV, 16}};
    static const int small_write[][2] = {{IBV_WR_SEND, 64 + 4096}, {IBV_WR_SEND, 16}};
    static const int large_write[][2] = {
        {IBV_WR_SEND, 64}, {IBV_WR_RDMA_READ, 65536}, {IBV_WR_SEND_WITH_INV, 16}};
    static const int flush[][2] = {{IBV_WR_SEND, 64}, {IBV_WR_SEND, 16}};
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);

    uint32_t from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 131072, 0)->status, NVME_STATUS_OK);
    assert_messages(from, read, 3);
    assert_int_equal(pair.world.log[from].head[39], NVME_SGL_KEYED_INVALIDATE);
    assert_int_equal(pair.world.log[from + 2].invalidated,
                     wire_get32(pair.world.log[from].head + 35));

    from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 8, 4096, 77)->status, NVME_STATUS_OK);
    assert_messages(from, small_write, 2);
    assert_int_equal(pair.world.log[from].head[39], NVME_SGL_IN_CAPSULE);
    assert_int_equal(pair.last.fetch_at, 0);

    from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 16, 65536, 78)->status, NVME_STATUS_OK);
    assert_messages(from, large_write, 3);

    from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_FLUSH, 0, 0, 0)->status, NVME_STATUS_OK);
    assert_messages(from, flush, 2);
    assert_int_equal(pair.world.log[from].head[39], NVME_SGL_KEYED);
    nvme_pair_fini(&pair);
}

/* Pieces of 64 KiB, the last one shorter; one completion tells of all READs, and the data are
 * whole.  A queue of two entries has credits for a command in all its pieces. */
static void moves_data_in_pieces(void **state)
{
    (void)state;
    enum { BYTES = 3 * 65536 + 4096, LARGE = 1 << 20 };
    static const int read[][2] = {{IBV_WR_SEND, 64},          {IBV_WR_RDMA_WRITE, 65536},
                                  {IBV_WR_RDMA_WRITE, 65536}, {IBV_WR_RDMA_WRITE, 65536},
                                  {IBV_WR_RDMA_WRITE, 4096},  {IBV_WR_SEND_WITH_INV, 16}};
    static const int write[][2] = {{IBV_WR_SEND, 64},         {IBV_WR_RDMA_READ, 65536},
                                   {IBV_WR_RDMA_READ, 65536}, {IBV_WR_RDMA_READ, 65536},
                                   {IBV_WR_RDMA_READ, 4096},  {IBV_WR_SEND_WITH_INV, 16}};
    nvme_pair_init(&pair, "null");
    pair.rdma_params.target.rdma_size = 65536;
    pair.host_params.queue_size = 2;
    nvme_pair_start(&pair);
    uint32_t from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 0, BYTES, 7)->status, NVME_STATUS_OK);
    assert_messages(from, write, 6);
    from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, BYTES, 0)->content, 7);
    assert_messages(from, read, 6);
    from = pair.world.logged;
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, LARGE, 0)->status, NVME_STATUS_OK);
    assert_int_equal(pair.world.logged - from, 18);
    nvme_pair_fini(&pair);
}

/* The block layer's reads come before the caller hears that the host is ready, and are not its. */
static void looks_for_partitions(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.partition_scan = 1;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(pair.completed, 0);
    assert_int_equal(nvme_target_stats(pair.target)->reads, 6); /* three of each namespace */
    assert_int_equal(nvme_host_outstanding(pair.host), 0);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void content_comes_back(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    nvme_pair_io(&pair, NVME_WRITE, 8, 4096, 77);
    nvme_pair_io(&pair, NVME_WRITE, 16, 65536, 78);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 8, 4096, 0)->content, 77);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 16, 65536, 0)->content, 78);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 32, 512, 0)->content, 78);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 8, 8192, 0)->content, NVME_CONTENT_MIXED);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 1000, 4096, 0)->content, 0);
    /* The other namespace is another device. */
    struct nvme_io *io = nvme_pair_fill(&pair, 1, NVME_READ, 8, 4096);
    io->nsid = 2;
    assert_true(nvme_host_submit(pair.host, 0, io));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(io->status, NVME_STATUS_OK);
    assert_int_equal(io->content, 0);
    nvme_pair_fini(&pair);
}

/* One 4 KiB read, step by step: 1 us to submit, 1 us each way, 1 us at the target, 10 us in the
 * media, 1 us to complete.  The RDMA WRITE and the response travel together; the SEND's own
 * completion is there long before. */
static void every_moment_by_hand(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "fixed");
    nvme_pair_start(&pair);
    const time_ps start = pair.world.now;
    const struct nvme_io *io = nvme_pair_io(&pair, NVME_READ, 0, 4096, 0);
    const time_ps us = PS_PER_US;
    assert_int_equal(io->issued_at - start, 0);
    assert_int_equal(io->posted_at - start, 1 * us);
    assert_int_equal(pair.last.capsule_at - start, 2 * us);
    assert_int_equal(pair.last.media_at - start, 3 * us);
    assert_int_equal(pair.last.media_begun_at - start, 3 * us);
    assert_int_equal(pair.last.media_done_at - start, 13 * us);
    assert_int_equal(pair.last.response_at - start, 13 * us);
    assert_int_equal(io->response_at - start, 14 * us);
    assert_int_equal(io->completed_at - start, 15 * us);
    assert_int_equal(pair.last.qid, 1);
    assert_int_equal(pair.last.cid, io->cid);
    assert_int_equal(pair.last.host_ip, PAIR_HOST_IP);

    /* A keyed write adds the RDMA READ: 2 us. */
    const time_ps second = pair.world.now;
    io = nvme_pair_io(&pair, NVME_WRITE, 0, 8192, 5);
    assert_int_equal(pair.last.fetch_at - second, 3 * us);
    assert_int_equal(pair.last.fetched_at - second, 5 * us);
    assert_int_equal(io->completed_at - second, 17 * us);
    nvme_pair_fini(&pair);
}

/* 127 commands fit a queue of 128; the CPU takes them one per microsecond. */
static void queue_full_is_refused(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "fixed");
    nvme_pair_start(&pair);
    for (uint32_t i = 0; i < 127; i++)
        assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, i, NVME_READ, i, 512)));
    assert_false(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 127, NVME_READ, 0, 512)));
    assert_int_equal(nvme_host_outstanding(pair.host), 127);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 127);
    assert_int_equal(nvme_host_outstanding(pair.host), 0);
    assert_int_equal(pair.ios[126].posted_at - pair.ios[0].posted_at, 126 * PS_PER_US);
    assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 127, NVME_READ, 0, 512)));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.world.rnr, 0);
    nvme_pair_fini(&pair);
}

/* Full queues for a long time: every command completes once, no receive is ever missing,
 * nothing is overrun. */
static void keeps_full_queues_busy(void **state)
{
    (void)state;
    static const struct {
        int64_t size;
        enum nvme_opcode opcode;
        uint32_t bytes;
    } cases[] = {
        {2, NVME_READ, 4096},    {16, NVME_WRITE, 4096},  {128, NVME_READ, 4096},
        {128, NVME_WRITE, 8192}, {128, NVME_WRITE, 4096}, {33, NVME_FLUSH, 0},
    };
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        nvme_pair_init(&pair, "fixed");
        pair.host_params.queue_size = cases[c].size;
        pair.host_params.queues = 2;
        pair.host_params.submit_cost = pair.host_params.complete_cost = 1000;
        pair.target_params.command_cost = 1000;
        pair.resubmit = true;
        nvme_pair_start(&pair);
        const uint32_t depth = (uint32_t)cases[c].size - 1;
        for (uint32_t i = 0; i < 2 * depth; i++)
            assert_true(nvme_host_submit(
                pair.host, i / depth,
                nvme_pair_fill(&pair, i, cases[c].opcode, i * 16, cases[c].bytes)));
        for (unsigned i = 0; i < 100; i++)
            nvme_pair_run(&pair, 20 * PS_PER_US);
        assert_true(pair.completed > 100);
        assert_int_equal(nvme_host_outstanding(pair.host), 2 * depth);
        assert_int_equal(pair.world.rnr + pair.world.bad, 0);
        nvme_pair_fini(&pair);
    }
}

/* A command identifier is 4 bits of generation over the tag; tags come from Linux's bitmap. */
static void identifiers_carry_generations(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    for (unsigned i = 0; i < 16 * 16 + 1; i++) {
        const uint16_t expected = (uint16_t)((i / 16 % 16) << 12 | (1 + i % 16));
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 512, 0)->cid, expected);
    }
    nvme_pair_fini(&pair);
}

static void large_io_is_split(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.max_transfer = 64 << 10;
    pair.host_params.queue_size = 4;
    nvme_pair_start(&pair);
    const uint64_t before = pair.target_ios;
    const struct nvme_io *io = nvme_pair_io(&pair, NVME_WRITE, 100, (1 << 20) + 512, 9);
    assert_int_equal(io->status, NVME_STATUS_OK);
    assert_int_equal(pair.target_ios - before, 17);
    assert_int_equal(nvme_target_stats(pair.target)->bytes_written, (1 << 20) + 512);
    io = nvme_pair_io(&pair, NVME_READ, 100, (1 << 20) + 512, 0);
    assert_int_equal(io->content, 9);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 99, 1 << 20, 0)->content, NVME_CONTENT_MIXED);
    nvme_pair_fini(&pair);
}

static void errors_come_back_as_statuses(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.namespaces[0].params.size = 1 << 20; /* 2048 blocks */
    nvme_pair_start(&pair);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 2047, 512, 0)->status, NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 2048, 512, 0)->status, NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 2047, 1024, 1)->status, NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 2000, 65536, 1)->status,
                     NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, UINT64_MAX, 512, 0)->status,
                     NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_pair_io(&pair, (enum nvme_opcode)0x06, 0, 4096, 0)->status,
                     NVME_STATUS_INVALID_OPCODE);
    struct nvme_io *io = nvme_pair_fill(&pair, 1, NVME_READ, 0, 4096);
    io->nsid = 9;
    assert_true(nvme_host_submit(pair.host, 0, io));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(io->status, NVME_STATUS_INVALID_FIELD); /* valid, and not active */
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(nvme_target_stats(pair.target)->errors, 6);
    nvme_pair_fini(&pair);
}

/* With lasting keys (0x40) nothing is invalidated, in capsule or not. */
static void works_without_invalidation(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.rdma_params.host.sgl_invalidate = 0;
    pair.host_params.in_capsule = 0;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    const uint32_t from = pair.world.logged;
    nvme_pair_io(&pair, NVME_WRITE, 0, 4096, 3);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->content, 3);
    static const int expected[][2] = {{IBV_WR_SEND, 64},         {IBV_WR_RDMA_READ, 4096},
                                      {IBV_WR_SEND, 16},         {IBV_WR_SEND, 64},
                                      {IBV_WR_RDMA_WRITE, 4096}, {IBV_WR_SEND, 16}};
    assert_messages(from, expected, 6);
    nvme_pair_fini(&pair);
}

static void target_without_capsule_room(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.target_params.in_capsule = 0;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    nvme_pair_io(&pair, NVME_WRITE, 0, 4096, 3);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->content, 3);
    nvme_pair_fini(&pair);
}

/* The first command overtakes the CM's last message: it waits and is answered. */
static void commands_before_established_wait(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.world.late_rtu = true;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void a_broken_connection_ends_everything(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "flash-tlc");
    pair.host_params.queues = 2;
    pair.host_params.ctrl_loss_tmo = 0;
    nvme_pair_start(&pair);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(
            nvme_host_submit(pair.host, i % 2, nvme_pair_fill(&pair, i, NVME_READ, i * 8, 4096)));
    struct nvme_io *large = nvme_pair_fill(&pair, 100, NVME_WRITE, 0, 300 << 20);
    assert_true(nvme_host_submit(pair.host, 0, large));
    nvme_pair_run(&pair, 60 * PS_PER_US);
    fake_break(&pair.world);
    nvme_pair_run(&pair, PS_PER_S); /* the target's media still finish what they began */
    assert_false(nvme_host_live(pair.host));
    assert_int_equal(pair.completed, 101);
    assert_int_equal(nvme_host_outstanding(pair.host), 0);
    assert_int_equal(large->status, NVME_STATUS_TRANSPORT);
    assert_int_equal(pair.ios[0].status, NVME_STATUS_TRANSPORT);
    assert_false(nvme_host_submit(pair.host, 0, large));
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
    nvme_pair_fini(&pair);
}

static void an_io_times_out(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.host_params.io_timeout = 3 * PS_PER_S;
    pair.host_params.ctrl_loss_tmo = 0;
    nvme_pair_start(&pair);
    nvme_pair_io(&pair, NVME_READ, 0, 4096, 0);
    pair.world.silent = true;
    const time_ps start = pair.world.now;
    assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 1, NVME_READ, 0, 4096)));
    fake_run(&pair.world, start + 3 * PS_PER_S - 1);
    assert_int_equal(pair.completed, 1);
    fake_run(&pair.world, start + 3 * PS_PER_S);
    assert_int_equal(pair.completed, 2);
    assert_int_equal(pair.ios[1].status, NVME_STATUS_TRANSPORT);
    nvme_pair_fini(&pair);
}

/* A stalled target answers nothing until it is let go. */
static void a_stalled_target_resumes(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(
            nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, i, NVME_WRITE, i * 8, 4096)));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 0);
    nvme_target_stall(pair.target, false);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 20);
    nvme_pair_fini(&pair);
}

static void nobody_listens(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    pair.target_ip = PAIR_TARGET_IP + 70;
    nvme_pair_start(&pair);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_TRANSPORT);
    nvme_pair_fini(&pair);
}

/* An idle controller stays: the host sends a keep-alive well within KATO.  A silent one ends on
 * both sides. */
static void keep_alive_keeps_alive(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    const uint32_t from = pair.world.logged;
    fake_run(&pair.world, pair.world.now + 60 * PS_PER_S);
    assert_true(nvme_host_live(pair.host));
    assert_in_range(pair.world.logged - from, 2 * 12, 2 * 60);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    pair.world.silent = true;
    fake_run(&pair.world, pair.world.now + 30 * PS_PER_S);
    assert_false(nvme_host_live(pair.host));
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
    nvme_pair_fini(&pair);
}

static void shuts_down(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "fixed");
    nvme_pair_start(&pair);
    assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 0, NVME_READ, 0, 4096)));
    const uint64_t commands = nvme_target_stats(pair.target)->commands;
    nvme_host_shutdown(pair.host);
    assert_false(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 1, NVME_READ, 0, 4096)));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    /* The read, CC.SHN, and CSTS until it says complete. */
    assert_int_equal(nvme_target_stats(pair.target)->commands, commands + 3);
    assert_int_equal(pair.completed, 1);
    assert_int_equal(pair.ios[0].status, NVME_STATUS_OK);
    char text[64];
    nvme_host_describe(pair.host, text, sizeof text);
    assert_string_equal(text, "closed");
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    fake_run(&pair.world, pair.world.now + 100 * PS_PER_S);
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connects_and_scans),
        cmocka_unit_test(takes_the_smaller),
        cmocka_unit_test(moves_data_as_linux_does),
        cmocka_unit_test(moves_data_in_pieces),
        cmocka_unit_test(looks_for_partitions),
        cmocka_unit_test(content_comes_back),
        cmocka_unit_test(every_moment_by_hand),
        cmocka_unit_test(queue_full_is_refused),
        cmocka_unit_test(keeps_full_queues_busy),
        cmocka_unit_test(identifiers_carry_generations),
        cmocka_unit_test(large_io_is_split),
        cmocka_unit_test(errors_come_back_as_statuses),
        cmocka_unit_test(works_without_invalidation),
        cmocka_unit_test(target_without_capsule_room),
        cmocka_unit_test(commands_before_established_wait),
        cmocka_unit_test(a_broken_connection_ends_everything),
        cmocka_unit_test(an_io_times_out),
        cmocka_unit_test(a_stalled_target_resumes),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(keep_alive_keeps_alive),
        cmocka_unit_test(shuts_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
