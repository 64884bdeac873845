/* SPDX-License-Identifier: Apache-2.0
 * test_bridge - the portable host and target over verbs_real. */
#include "tests/unit/bridge/bridge_pair.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void begin(struct bridge_pair *pair)
{
    bridge_pair_init(pair);
    bridge_pair_open(pair);
    bridge_pair_start(pair);
    assert_true(pair->ready);
    assert_int_equal(pair->ready_status, NVME_STATUS_OK);
}

static void expect_sound(const struct bridge_pair *pair)
{
    assert_int_equal(verbs_real_counters(pair->host_device)->unsound, 0);
    assert_int_equal(verbs_real_counters(pair->target_device)->unsound, 0);
}

static void test_connects(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(nvme_host_queues(pair.host), 2);
    assert_int_equal(verbs_real_counters(pair.host_device)->open, 3);
    assert_int_equal(verbs_real_counters(pair.target_device)->accepts, 3);
    expect_sound(&pair);
    bridge_pair_fini(&pair);
}

/* In the capsule, by RDMA READ, in several commands; and back by RDMA WRITE. */
static void test_data_come_back(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4096, 65536, 1 << 21};
    struct bridge_pair pair;
    begin(&pair);
    for (unsigned i = 0; i < 3; i++) {
        struct nvme_io *io = bridge_pair_io(&pair, NVME_WRITE, 1024 * i, sizes[i], 77 + i);
        assert_int_equal(io->status, NVME_STATUS_OK);
        io = bridge_pair_io(&pair, NVME_READ, 1024 * i, sizes[i], 0);
        assert_int_equal(io->status, NVME_STATUS_OK);
        assert_int_equal(io->content, 77 + i);
        assert_true(io->posted_at <= io->response_at && io->response_at <= io->completed_at);
    }
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 1 << 16, 4096, 0)->content, 0);
    assert_int_equal(bridge_pair_io(&pair, NVME_FLUSH, 0, 0, 0)->status, NVME_STATUS_OK);
    expect_sound(&pair);
    assert_int_equal(fake_rdma_rnr(), 0);
    bridge_pair_fini(&pair);
}

/* Without a scenario the CM's own, but for its RNR timer of 655 ms. */
static void test_the_cms_attributes(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    for (int accepted = 0; accepted < 2; accepted++) {
        const struct fake_rdma_asked asked = fake_rdma_asked(accepted != 0);
        assert_int_equal(asked.retry_count, 7);
        assert_int_equal(asked.rnr_retry, 7);
        assert_int_equal(asked.min_rnr_timer, 12);
        assert_int_equal(asked.timeout, 19);
        assert_int_equal(asked.path_mtu, IBV_MTU_1024);
        assert_int_equal(asked.traffic_class, 0);
        assert_int_equal(asked.inline_data, 0);
    }
    assert_int_equal(fake_rdma_asked(false).timeout_option, -1);
    assert_int_equal(fake_rdma_asked(false).reads_served, 16);
    assert_int_equal(fake_rdma_asked(true).reads_issued, 16);
    bridge_pair_fini(&pair);
}

/* Both queue pairs have the scenario's, and the REQ says what it can say of it. */
static void test_wishes_are_the_scenarios(void **state)
{
    (void)state;
    static const struct verbs_real_wishes wishes = {
        .retry_count = 3,
        .rnr_retry = 2,
        .min_rnr_timer = 22,
        .timeout = 10,
        .accept_timeout = 12,
        .path_mtu = 512,
        .max_rd_atomic = 4,
        .dscp = 26,
        .accept_dscp = 34,
        .inline_size = 96,
    };
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    for (int accepted = 0; accepted < 2; accepted++) {
        const struct fake_rdma_asked asked = fake_rdma_asked(accepted != 0);
        assert_int_equal(asked.retry_count, 3);
        assert_int_equal(asked.rnr_retry, 2);
        assert_int_equal(asked.min_rnr_timer, 22);
        assert_int_equal(asked.timeout, accepted ? 12 : 10);
        assert_int_equal(asked.path_mtu, IBV_MTU_512);
        assert_int_equal(asked.traffic_class, accepted ? 34 << 2 : 26 << 2);
        assert_int_equal(asked.inline_data, 96);
    }
    assert_int_equal(fake_rdma_asked(false).timeout_option, 10);
    assert_int_equal(fake_rdma_asked(false).reads_served, 4);
    assert_int_equal(fake_rdma_asked(true).reads_issued, 4);
    assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 5)->status, NVME_STATUS_OK);
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 0, 65536, 0)->content, 5);
    bridge_pair_fini(&pair);
}

/* What a REQ cannot ask for, or the kernel does not know, the queue pair has all the same. */
static void test_wishes_at_their_ends(void **state)
{
    (void)state;
    struct verbs_real_wishes wishes = verbs_real_no_wishes;
    struct bridge_pair pair;
    wishes.timeout = 0;
    wishes.path_mtu = 4096;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(fake_rdma_asked(false).timeout, 0);
    assert_int_equal(fake_rdma_asked(false).timeout_option, -1);
    assert_int_equal(fake_rdma_asked(false).path_mtu, IBV_MTU_1024);
    bridge_pair_fini(&pair);
    wishes.timeout = 8;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    fake_rdma_fail("set_option", 0, ENOSYS);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(fake_rdma_asked(false).timeout, 8);
    assert_int_equal(verbs_real_counters(pair.host_device)->refused, 1);
    bridge_pair_fini(&pair);
}

/* What a device cannot do is said in one sentence before anything is asked of it; a peer that asks
 * for it is refused, and nothing else ends. */
static void test_limits_are_told(void **state)
{
    (void)state;
    static const struct {
        size_t attribute;
        int limit;
        const char *why;
    } cases[] = {
#define CASE(attribute, limit, why) {offsetof(struct ibv_device_attr, attribute), limit, why}
        CASE(max_qp_wr, 90,
             "fake0 has at most 90 work requests in a send queue (max_qp_wr), and 97 are needed: "
             "reduce queue-size or outstanding"),
        CASE(max_qp_wr, 32, "work requests in a send queue (max_qp_wr), and 97 are needed"),
        CASE(max_cqe, 100,
             "fake0 has at most 100 entries in a completion queue (max_cqe), and 131 are needed: "
             "reduce queue-size or outstanding"),
        CASE(max_sge, 1,
             "fake0 has at most 1 pieces in a send request (max_sge), and 2 are needed"),
        CASE(max_qp, 0, "fake0 has at most 0 queue pairs (max_qp), and 1 is needed"),
        CASE(max_cq, 0, "fake0 has at most 0 completion queues (max_cq), and 1 is needed"),
#undef CASE
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bridge_pair pair;
        bridge_pair_init(&pair);
        bridge_pair_open(&pair); /* a device says it when it is opened */
        verbs_real_close(pair.host_device);
        int *limit = (int *)(void *)((char *)fake_rdma_limits() + cases[i].attribute);
        const int usual = *limit;
        *limit = cases[i].limit;
        pair.site.ip = BRIDGE_HOST_IP;
        pair.host_device = verbs_real_open(&pair.site);
        *limit = usual;
        bridge_pair_start(&pair);
        assert_non_null(strstr(pair.fatal, cases[i].why));
        bridge_pair_fini(&pair);
    }
}

static void test_a_peer_that_asks_for_too_much(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    bridge_pair_open(&pair);
    bridge_pair_end_target(&pair);
    fake_rdma_limits()->max_qp_wr = 20;
    bridge_pair_open_target(&pair);
    bridge_pair_start(&pair);
    assert_int_not_equal(pair.ready_status, NVME_STATUS_OK);
    assert_string_equal(pair.fatal, "");
    assert_non_null(strstr(pair.refused, "(max_qp_wr)"));
    bridge_pair_fini(&pair);
}

static void test_inline_data_are_tried(void **state)
{
    (void)state;
    struct verbs_real_wishes wishes = verbs_real_no_wishes;
    struct bridge_pair pair;
    wishes.inline_size = 600;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_string_equal(
        pair.fatal,
        "fake0 cannot create a queue pair with 600 B of inline data: reduce inline-size");
    bridge_pair_fini(&pair);
}

static void test_reads_under_way_are_limited(void **state)
{
    (void)state;
    struct verbs_real_wishes wishes = verbs_real_no_wishes;
    char why[VERBS_REAL_WHY_BYTES];
    struct bridge_pair pair;
    wishes.max_rd_atomic = 32;
    bridge_pair_init(&pair);
    pair.site.wishes = &wishes;
    bridge_pair_open(&pair);
    assert_false(verbs_real_can(pair.host_device, why));
    assert_string_equal(why, "fake0 has at most 16 RDMA READs that a queue pair serves "
                             "(max_qp_rd_atom), and 32 are needed: reduce max-rd-atomic");
    bridge_pair_fini(&pair);
}

static void test_a_flipped_bit_is_seen(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 5);
    fake_rdma_corrupt();
    const struct nvme_io *io = bridge_pair_io(&pair, NVME_READ, 0, 65536, 0);
    assert_int_equal(io->status, NVME_STATUS_OK);
    assert_int_equal(io->content, NVME_CONTENT_MIXED);
    assert_int_equal(verbs_real_counters(pair.host_device)->unsound, 1);
    bridge_pair_fini(&pair);
}

static void test_completions_one_by_one(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    fake_rdma_poll_limit(1);
    for (unsigned i = 0; i < 20; i++)
        bridge_pair_submit(&pair, i, i % 2 == 0 ? NVME_WRITE : NVME_READ, 8 * i, 4096, i + 1);
    bridge_pair_await(&pair, 20);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    bridge_pair_fini(&pair);
}

static void test_busy_polling(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.site.busy = true;
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 9)->status, NVME_STATUS_OK);
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 0, 65536, 0)->content, 9);
    bridge_pair_fini(&pair);
}

/* Whatever a work request ends with, the I/Os come back, the host is over, and another connects. */
static void test_every_status(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    for (int status = IBV_WC_LOC_LEN_ERR; status <= IBV_WC_GENERAL_ERR; status++)
        for (unsigned skip = 0; skip < 3; skip++) {
            const unsigned before = pair.completed;
            fake_rdma_end_with((enum ibv_wc_status)status, skip);
            bridge_pair_submit(&pair, 0, NVME_WRITE, 0, 65536, 3);
            bridge_pair_submit(&pair, 1, NVME_READ, 128, 4096, 0);
            bridge_pair_await(&pair, before + 2);
            assert_true(pair.ios[0].status != 0 || pair.ios[1].status != 0);
            bridge_pair_end_host(&pair);
            bridge_pair_run(&pair, PS_PER_MS);
            bridge_pair_start(&pair);
            assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        }
    assert_int_equal(verbs_real_counters(pair.target_device)->open, 3);
    bridge_pair_fini(&pair);
}

static void test_peer_vanishes(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    bridge_pair_io(&pair, NVME_WRITE, 0, 4096, 1);
    fake_rdma_vanish(BRIDGE_TARGET_IP);
    for (unsigned i = 0; i < 8; i++)
        bridge_pair_submit(&pair, i, NVME_READ, 0, 4096, 0);
    bridge_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 1);
    fake_rdma_time_out();
    bridge_pair_await(&pair, 9);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_TRANSPORT);
    assert_false(nvme_host_live(pair.host));
    bridge_pair_end_host(&pair);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_TRANSPORT);
    bridge_pair_fini(&pair);
}

static void test_target_ends(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    bridge_pair_submit(&pair, 0, NVME_READ, 0, 4096, 0);
    nvme_target_destroy(pair.target);
    pair.target = NULL;
    verbs_real_close(pair.target_device);
    pair.target_device = NULL;
    bridge_pair_await(&pair, 1);
    assert_int_equal(pair.ios[0].status, NVME_STATUS_TRANSPORT);
    bridge_pair_fini(&pair);
}

static void remove_and_see(uint32_t ip)
{
    struct bridge_pair pair;
    begin(&pair);
    bridge_pair_submit(&pair, 0, NVME_READ, 0, 65536, 0);
    fake_rdma_remove(ip);
    bridge_pair_await(&pair, 1);
    bridge_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.ios[0].status, NVME_STATUS_TRANSPORT);
    assert_int_equal(pair.removed, 1);
    assert_false(nvme_host_live(pair.host));
    bridge_pair_fini(&pair);
}

static void test_device_is_removed(void **state)
{
    (void)state;
    remove_and_see(BRIDGE_HOST_IP);
    remove_and_see(BRIDGE_TARGET_IP);
}

/* Every answer of the CM to each step of connecting. */
static void test_connecting_fails(void **state)
{
    (void)state;
    static const struct {
        enum rdma_cm_event_type of, as;
        int status;
    } rows[] = {
        {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT},
        {RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR, -EHOSTUNREACH},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_REJECTED, 28},
        {RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_DEVICE_REMOVAL, 0},
        {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_DEVICE_REMOVAL, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bridge_pair pair;
        bridge_pair_init(&pair);
        bridge_pair_open(&pair);
        fake_rdma_event(rows[i].of, rows[i].as, rows[i].status);
        bridge_pair_start(&pair);
        assert_true(pair.ready);
        assert_int_equal(pair.ready_status, NVME_STATUS_TRANSPORT);
        bridge_pair_fini(&pair);
    }
}

/* Events that concern nobody change nothing. */
static void test_other_events(void **state)
{
    (void)state;
    static const enum rdma_cm_event_type types[] = {
        RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_MULTICAST_JOIN, RDMA_CM_EVENT_MULTICAST_ERROR,
        RDMA_CM_EVENT_TIMEWAIT_EXIT,    RDMA_CM_EVENT_ADDR_CHANGE,
    };
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bridge_pair pair;
        begin(&pair);
        bridge_pair_end_host(&pair);
        fake_rdma_event(RDMA_CM_EVENT_DISCONNECTED, types[i], 0);
        bridge_pair_run(&pair, PS_PER_MS);
        bridge_pair_start(&pair);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        bridge_pair_fini(&pair);
    }
}

static void test_calls_fail(void **state)
{
    (void)state;
    static const char *const calls[] = {"create_id",    "bind_addr",     "create_cq", "create_qp",
                                        "resolve_addr", "resolve_route", "connect",   "post_recv",
                                        "post_send",    "req_notify_cq", "accept"};
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (unsigned skip = 0; skip < 2; skip++) {
            struct bridge_pair pair;
            bridge_pair_init(&pair);
            bridge_pair_open(&pair);
            fake_rdma_fail(calls[i], skip, ENOMEM);
            bridge_pair_start(&pair);
            assert_true(pair.ready);
            assert_int_not_equal(pair.ready_status, NVME_STATUS_OK);
            bridge_pair_fini(&pair);
        }
}

static void test_devices_that_cannot_be_opened(void **state)
{
    (void)state;
    static const char *const calls[] = {"create_event_channel", "create_id", "bind_addr",
                                        "query_device",         "alloc_pd",  "create_comp_channel"};
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.site.ip = BRIDGE_HOST_IP;
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        fake_rdma_fail(calls[i], 0, ENODEV);
        assert_null(verbs_real_open(&pair.site));
        assert_int_equal(errno, ENODEV);
    }
    pair.site.ip = 0x0A0000FF;
    assert_null(verbs_real_open(&pair.site));
    assert_int_equal(errno, EADDRNOTAVAIL);
    bridge_pair_fini(&pair);
}

static void test_a_thousand_connects(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.host_params.queues = 1;
    bridge_pair_open(&pair);
    bridge_pair_run(&pair, PS_PER_MS);
    const unsigned idle = fake_rdma_alive();
    for (unsigned i = 0; i < 1000; i++) {
        bridge_pair_start(&pair);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        if (i % 3 == 0)
            bridge_pair_submit(&pair, 0, NVME_READ, 0, 4096, 0);
        bridge_pair_end_host(&pair);
    }
    bridge_pair_run(&pair, 10 * PS_PER_MS);
    assert_int_equal(verbs_real_counters(pair.target_device)->open, 0);
    assert_int_equal(fake_rdma_alive(), idle);
    bridge_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connects),
        cmocka_unit_test(test_data_come_back),
        cmocka_unit_test(test_the_cms_attributes),
        cmocka_unit_test(test_wishes_are_the_scenarios),
        cmocka_unit_test(test_wishes_at_their_ends),
        cmocka_unit_test(test_limits_are_told),
        cmocka_unit_test(test_a_peer_that_asks_for_too_much),
        cmocka_unit_test(test_inline_data_are_tried),
        cmocka_unit_test(test_reads_under_way_are_limited),
        cmocka_unit_test(test_a_flipped_bit_is_seen),
        cmocka_unit_test(test_completions_one_by_one),
        cmocka_unit_test(test_busy_polling),
        cmocka_unit_test(test_every_status),
        cmocka_unit_test(test_peer_vanishes),
        cmocka_unit_test(test_target_ends),
        cmocka_unit_test(test_device_is_removed),
        cmocka_unit_test(test_connecting_fails),
        cmocka_unit_test(test_other_events),
        cmocka_unit_test(test_calls_fail),
        cmocka_unit_test(test_devices_that_cannot_be_opened),
        cmocka_unit_test(test_a_thousand_connects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
