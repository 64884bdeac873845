/* SPDX-License-Identifier: Apache-2.0
 * On real verbs in memory: a connection that ends in mid-I/O, a target that dies and comes back, a
 * device that is removed, calls that fail on the way back.  Every I/O completes once and nothing is
 * left behind (bridge_pair_fini). */
#include "tests/unit/bridge/bridge_pair.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>

static struct bridge_pair pair;

static void begin(int64_t patience)
{
    bridge_pair_init(&pair);
    pair.host_params.reconnect_delay = PS_PER_MS;
    pair.host_params.ctrl_loss_tmo = patience;
    pair.host_params.ctrl_loss_limit = NVME_HOST_LIMITS_ATTEMPTS; /* whatever the machine's speed */
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
}

static void submit(unsigned count, enum nvme_opcode opcode)
{
    for (unsigned i = 0; i < count; i++)
        bridge_pair_submit(&pair, i, opcode, i * 128, 65536, i + 1);
}

/* `count` writes came through, once each, and can be read. */
static void assert_written(unsigned count)
{
    bridge_pair_run(&pair, 3 * PS_PER_MS);
    assert_int_equal(pair.completed, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(bridge_pair_io(&pair, NVME_READ, i * 128, 65536, 0)->content, i + 1);
}

static void test_every_status(void **state)
{
    (void)state;
    begin(NVME_HOST_NEVER);
    uint64_t losses = 0;
    for (int status = IBV_WC_LOC_LEN_ERR; status <= IBV_WC_GENERAL_ERR; status++)
        for (unsigned skip = 0; skip < 3; skip++) {
            pair.completed = 0;
            fake_rdma_end_with((enum ibv_wc_status)status, skip);
            submit(8, NVME_WRITE);
            bridge_pair_await(&pair, 8);
            assert_written(8);
            losses++;
        }
    assert_int_equal(nvme_host_stats(pair.host)->losses, losses);
    assert_int_equal(nvme_host_stats(pair.host)->reconnects, losses);
    assert_int_equal(verbs_real_counters(pair.target_device)->open, 3);
    bridge_pair_fini(&pair);
}

static void test_target_dies_and_returns(void **state)
{
    (void)state;
    begin(NVME_HOST_NEVER);
    submit(20, NVME_WRITE);
    nvme_target_kill(pair.target, false);
    while (nvme_host_stats(pair.host)->attempts < 4)
        bridge_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 0);
    assert_false(nvme_host_live(pair.host));
    assert_true(nvme_target_revive(pair.target));
    bridge_pair_await(&pair, 20);
    assert_written(20);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    assert_int_equal(nvme_host_stats(pair.host)->reconnects, 1);
    bridge_pair_fini(&pair);
}

static void test_stall_delays(void **state)
{
    (void)state;
    begin(NVME_HOST_NEVER);
    nvme_target_stall(pair.target, true);
    submit(20, NVME_WRITE);
    bridge_pair_run(&pair, 20 * PS_PER_MS);
    assert_int_equal(pair.completed, 0);
    loop_touch(pair.loop);
    nvme_target_stall(pair.target, false);
    bridge_pair_await(&pair, 20);
    assert_written(20);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
    bridge_pair_fini(&pair);
}

static void test_peer_vanishes_for_good(void **state)
{
    (void)state;
    begin(10 * PS_PER_MS);
    fake_rdma_vanish(BRIDGE_TARGET_IP);
    submit(8, NVME_READ);
    bridge_pair_run(&pair, PS_PER_MS);
    fake_rdma_time_out();
    bridge_pair_await(&pair, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_TRANSPORT);
    assert_true(nvme_host_lost(pair.host));
    assert_int_equal(nvme_host_stats(pair.host)->attempts, 10);
    bridge_pair_fini(&pair);
}

static void test_device_is_removed(void **state)
{
    static const uint32_t ips[] = {BRIDGE_HOST_IP, BRIDGE_TARGET_IP};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(5 * PS_PER_MS);
        submit(8, NVME_READ);
        fake_rdma_remove(ips[i]);
        bridge_pair_await(&pair, 8);
        bridge_pair_run(&pair, PS_PER_MS);
        assert_true(nvme_host_lost(pair.host));
        assert_int_equal(nvme_host_stats(pair.host)->reconnects, 0);
        assert_int_equal(pair.removed, 1);
        bridge_pair_fini(&pair);
    }
}

/* Not req_notify_cq: a queue that cannot be armed counts as a device that was removed. */
static void test_the_way_back_fails_first(void **state)
{
    static const char *const calls[] = {"create_id",    "bind_addr",     "create_cq", "create_qp",
                                        "resolve_addr", "resolve_route", "connect",   "post_recv",
                                        "post_send",    "accept"};
    (void)state;
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (unsigned skip = 0; skip < 3; skip++) {
            begin(NVME_HOST_NEVER);
            submit(20, NVME_WRITE);
            nvme_target_kill(pair.target, false);
            assert_true(nvme_target_revive(pair.target));
            fake_rdma_fail(calls[i], skip, ENOMEM);
            bridge_pair_await(&pair, 20);
            assert_written(20);
            assert_in_range(nvme_host_stats(pair.host)->attempts, 2, 3);
            bridge_pair_fini(&pair);
        }
}

static void test_hundred_deaths(void **state)
{
    (void)state;
    begin(NVME_HOST_NEVER);
    for (unsigned i = 0; i < 100; i++) {
        pair.completed = 0;
        submit(10, NVME_WRITE);
        bridge_pair_run(&pair, i * 3 * PS_PER_US);
        nvme_target_kill(pair.target, false);
        assert_true(nvme_target_revive(pair.target));
        while (nvme_host_stats(pair.host)->reconnects <= i)
            bridge_pair_run(&pair, PS_PER_MS);
        bridge_pair_await(&pair, 10);
    }
    assert_int_equal(nvme_host_stats(pair.host)->losses, 100);
    assert_int_equal(verbs_real_counters(pair.target_device)->open, 3);
    bridge_pair_fini(&pair);
}

/* Only EINVAL can mean too much inline data: with little memory, less of it is no remedy. */
static void test_other_errors_do_not_name_inline_data(void **state)
{
    (void)state;
    struct verbs_real_wishes wishes = verbs_real_no_wishes;
    wishes.inline_size = 96;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    fake_rdma_fail("create_qp", 0, ENOMEM);
    bridge_pair_start(&pair);
    assert_int_not_equal(pair.ready_status, NVME_STATUS_OK);
    assert_string_equal(pair.fatal, "");
    bridge_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status),
        cmocka_unit_test(test_target_dies_and_returns),
        cmocka_unit_test(test_stall_delays),
        cmocka_unit_test(test_peer_vanishes_for_good),
        cmocka_unit_test(test_device_is_removed),
        cmocka_unit_test(test_the_way_back_fails_first),
        cmocka_unit_test(test_hundred_deaths),
        cmocka_unit_test(test_other_errors_do_not_name_inline_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
