/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_survival - ports, devices, targets and limits that fail. */
#include "scenarios/workload/wl_rdma.h"
#include "tests/unit/bridge/bridge_pair.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void begin(struct bridge_pair *pair)
{
    bridge_pair_init(pair);
    bridge_pair_open(pair);
    bridge_pair_start(pair);
    assert_int_equal(pair->ready_status, NVME_STATUS_OK);
}

enum { TURNS = 5000 }; /* of a millisecond: a loaded machine is slow */

static void await_events(struct bridge_pair *pair, uint64_t count)
{
    const struct verbs_real_counters *counters = verbs_real_counters(pair->host_device);
    for (int i = 0; i < TURNS && counters->async_events < count; i++)
        bridge_pair_run(pair, PS_PER_MS);
    assert_int_equal(counters->async_events, count);
}

static void await_end(struct bridge_pair *pair)
{
    for (int i = 0; i < TURNS && nvme_host_live(pair->host); i++)
        bridge_pair_run(pair, PS_PER_MS);
    assert_false(nvme_host_live(pair->host));
}

/* The port goes down, what is under way ends by its timers; it comes up, and another host works. */
static void test_port_goes_down(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    bridge_pair_submit(&pair, 0, NVME_READ, 0, 4096, 0);
    bridge_pair_await(&pair, 1);
    fake_rdma_vanish(BRIDGE_HOST_IP);
    fake_rdma_async(BRIDGE_HOST_IP, IBV_EVENT_PORT_ERR);
    bridge_pair_submit(&pair, 1, NVME_READ, 0, 4096, 0);
    await_events(&pair, 1);
    assert_int_equal(pair.port_changes, 1);
    assert_int_equal(pair.removed, 0);
    assert_int_equal(verbs_real_counters(pair.host_device)->port_downs, 1);
    fake_rdma_time_out();
    bridge_pair_await(&pair, 2);
    assert_int_equal(pair.ios[1].status, NVME_STATUS_TRANSPORT);
    bridge_pair_end_host(&pair);
    fake_rdma_return(BRIDGE_HOST_IP);
    fake_rdma_async(BRIDGE_HOST_IP, IBV_EVENT_PORT_ACTIVE);
    await_events(&pair, 2);
    assert_int_equal(pair.port_changes, 2);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    bridge_pair_fini(&pair);
}

/* Every asynchronous event: those of a queue pair or its completion queue end it, and the I/Os come
 * back; others change nothing; none is waited for. */
static void test_every_async_event(void **state)
{
    (void)state;
    for (int type = IBV_EVENT_CQ_ERR; type <= IBV_EVENT_WQ_FATAL; type++) {
        const bool ends = type == IBV_EVENT_CQ_ERR || type == IBV_EVENT_QP_FATAL ||
                          type == IBV_EVENT_QP_REQ_ERR || type == IBV_EVENT_QP_ACCESS_ERR ||
                          type == IBV_EVENT_DEVICE_FATAL;
        struct bridge_pair pair;
        begin(&pair);
        const unsigned before = fake_rdma_notified();
        fake_rdma_async(BRIDGE_HOST_IP, (enum ibv_event_type)type);
        const bool of_each = (type >= IBV_EVENT_CQ_ERR && type <= IBV_EVENT_COMM_EST);
        await_events(&pair, of_each ? 3 : 1);
        assert_int_equal(pair.removed, type == IBV_EVENT_DEVICE_FATAL);
        assert_int_equal(fake_rdma_notified() - before, type == IBV_EVENT_COMM_EST ? 3 : 0);
        if (!ends)
            assert_int_equal(bridge_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
        else if (type != IBV_EVENT_DEVICE_FATAL)
            await_end(&pair);
        bridge_pair_fini(&pair);
    }
}

static void test_target_restarts(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    for (unsigned round = 0; round < 20; round++) {
        const unsigned before = pair.completed;
        for (unsigned i = 0; i < 8; i++)
            bridge_pair_submit(&pair, i, i % 2 == 0 ? NVME_READ : NVME_WRITE, 0, 65536, 4);
        bridge_pair_end_target(&pair);
        bridge_pair_await(&pair, before + 8);
        assert_false(nvme_host_live(pair.host));
        bridge_pair_end_host(&pair);
        bridge_pair_start(&pair); /* nobody is there */
        assert_int_equal(pair.ready_status, NVME_STATUS_TRANSPORT);
        bridge_pair_end_host(&pair);
        bridge_pair_open_target(&pair);
        bridge_pair_start(&pair);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    }
    bridge_pair_fini(&pair);
}

static void test_type_of_service(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    assert_int_equal(fake_rdma_tos(), -1);
    bridge_pair_end_host(&pair);
    pair.rdma_params.class = (struct verbs_class){.tos_set = true, .tos = 26 << 2};
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(fake_rdma_tos(), 26 << 2);
    bridge_pair_end_host(&pair);
    fake_rdma_fail("set_option", 0, EINVAL);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_TRANSPORT);
    bridge_pair_fini(&pair);
}

/* On its own address, and on all only when that is asked for. */
static void test_where_it_listens(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    assert_int_equal(fake_rdma_listener(NVME_RDMA_PORT), BRIDGE_TARGET_IP);
    bridge_pair_fini(&pair);
    bridge_pair_init(&pair);
    pair.site.any = true;
    bridge_pair_open(&pair);
    assert_int_equal(fake_rdma_listener(NVME_RDMA_PORT), 0);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    bridge_pair_fini(&pair);
}

static void test_memory_that_cannot_be_locked(void **state)
{
    (void)state;
    struct bridge_pair pair;
    struct rlimit limit;
    char expected[64];
    begin(&pair);
    getrlimit(RLIMIT_MEMLOCK, &limit);
    fake_rdma_fail("reg_mr", 0, ENOMEM);
    assert_null(verbs_real.reg_mr(pair.host_device, 1 << 20, 0, VERBS_BYTES));
    assert_string_equal(pair.fatal, ""); /* who asked may go on without */
    verbs_real.no_memory(pair.host_device, 1 << 20);
    assert_non_null(strstr(pair.fatal, "1048576 bytes of memory cannot be registered"));
    if (limit.rlim_cur != RLIM_INFINITY) {
        snprintf(expected, sizeof expected, "the limit of locked memory is %llu KiB",
                 (unsigned long long)limit.rlim_cur / 1024);
        assert_non_null(strstr(pair.fatal, expected));
        assert_non_null(strstr(pair.fatal, "needs at least"));
    }
    bridge_pair_fini(&pair);
}

/* Whichever registration fails, its queue is rejected or its command fails; the target goes on,
 * and serves the next host when there is memory again. */
static void test_hosts_that_ask_too_much(void **state)
{
    (void)state;
    struct bridge_pair pair;
    unsigned rejected = 0, failed = 0; /* a queue, a command of the admin queue */
    bridge_pair_init(&pair);
    bridge_pair_open(&pair);
    const unsigned idle = fake_rdma_alive();
    for (unsigned more = 1; more < 12; more++) {
        fake_rdma_limit_regions(BRIDGE_TARGET_IP, more);
        bridge_pair_start(&pair);
        failed += pair.ready_status == NVME_STATUS_INTERNAL;
        rejected += pair.ready_status == NVME_STATUS_TRANSPORT;
        assert_int_equal(rejected + failed, more);
        assert_int_equal(verbs_real_counters(pair.target_device)->rejects, rejected);
        bridge_pair_end_host(&pair);
        bridge_pair_run(&pair, PS_PER_MS);
    }
    assert_true(rejected > 2 && failed > 0);
    fake_rdma_limit_regions(BRIDGE_TARGET_IP, 10000);
    bridge_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 7)->status, NVME_STATUS_OK);
    bridge_pair_end_host(&pair);
    assert_string_equal(pair.fatal, "");
    assert_true(fake_rdma_alive() < idle + 500);
    bridge_pair_fini(&pair);
}

/* A command that there is no memory for fails, and the next does not. */
static void test_commands_that_ask_too_much(void **state)
{
    (void)state;
    struct bridge_pair pair;
    begin(&pair);
    fake_rdma_limit_regions(BRIDGE_TARGET_IP, 0);
    assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 7)->status & ~NVME_STATUS_DNR,
                     NVME_STATUS_INTERNAL);
    fake_rdma_limit_regions(BRIDGE_TARGET_IP, 100);
    assert_int_equal(bridge_pair_io(&pair, NVME_WRITE, 0, 65536, 7)->status, NVME_STATUS_OK);
    assert_int_equal(bridge_pair_io(&pair, NVME_READ, 0, 65536, 0)->content, 7);
    assert_string_equal(pair.fatal, "");
    bridge_pair_fini(&pair);
}

static void on_raw_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    bool *up = self;
    (void)conn;
    *up = event->type == RDMA_CM_EVENT_ESTABLISHED;
}

static void on_raw_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    (void)self, (void)conn, (void)wc;
}

static void test_raw_hosts_come_and_go(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bool up = false;
    const struct wl_rdma_request request = {
        .opcode = IBV_WR_SEND, .outstanding = 4, .message_bytes = 4096};
    uint8_t bytes[WL_RDMA_REQ_BYTES];
    const struct rdma_conn_param param = {.private_data = bytes, .private_data_len = sizeof bytes};
    const struct verbs_peer peer = {.ip = BRIDGE_TARGET_IP, .port = WORKLOAD_RDMA_PORT};
    const struct ibv_qp_cap cap = {1, 1, 1, 1, 0};
    const struct verbs_user user = {
        .self = &up, .on_cm = on_raw_cm, .on_completion = on_raw_completion};
    wl_rdma_encode_request(&request, bytes);
    begin(&pair);
    struct rdma_sink *sink = rdma_sink_create(&pair.env, &verbs_real, pair.target_device);
    const unsigned idle = fake_rdma_alive();
    for (unsigned i = 0; i < 1000; i++) {
        struct verbs_conn *conn = verbs_real.connect(pair.host_device, &peer, &cap, &param, &user);
        assert_non_null(conn);
        while (!up)
            bridge_pair_run(&pair, PS_PER_MS / 10);
        verbs_real.destroy(conn);
        up = false;
        bridge_pair_run(&pair, PS_PER_MS / 10);
    }
    assert_true(fake_rdma_alive() < idle + 20); /* what is left of the last */
    rdma_sink_destroy(sink);
    assert_int_equal(fake_rdma_alive(), idle); /* the listener is the device's */
    bridge_pair_fini(&pair);
}

/* What is refused leaves nothing behind either. */
static void test_raw_hosts_that_nobody_understands(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bool up = false;
    const uint8_t bytes[WL_RDMA_REQ_BYTES] = {0};
    const struct rdma_conn_param param = {.private_data = bytes, .private_data_len = sizeof bytes};
    const struct verbs_peer peer = {.ip = BRIDGE_TARGET_IP, .port = WORKLOAD_RDMA_PORT};
    const struct ibv_qp_cap cap = {1, 1, 1, 1, 0};
    const struct verbs_user user = {
        .self = &up, .on_cm = on_raw_cm, .on_completion = on_raw_completion};
    begin(&pair);
    struct rdma_sink *sink = rdma_sink_create(&pair.env, &verbs_real, pair.target_device);
    const unsigned idle = fake_rdma_alive();
    for (unsigned i = 0; i < 100; i++) {
        struct verbs_conn *conn = verbs_real.connect(pair.host_device, &peer, &cap, &param, &user);
        assert_non_null(conn);
        bridge_pair_run(&pair, PS_PER_MS / 10);
        assert_false(up);
        verbs_real.destroy(conn);
        bridge_pair_run(&pair, PS_PER_MS / 10);
    }
    assert_true(fake_rdma_alive() < idle + 20);
    rdma_sink_destroy(sink);
    assert_int_equal(fake_rdma_alive(), idle);
    bridge_pair_fini(&pair);
}

static void test_raw_hosts_that_ask_too_much(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bool up = false;
    const struct wl_rdma_request request = {
        .opcode = IBV_WR_SEND, .outstanding = 4, .message_bytes = 4096};
    uint8_t bytes[WL_RDMA_REQ_BYTES];
    const struct rdma_conn_param param = {.private_data = bytes, .private_data_len = sizeof bytes};
    const struct verbs_peer peer = {.ip = BRIDGE_TARGET_IP, .port = WORKLOAD_RDMA_PORT};
    const struct ibv_qp_cap cap = {1, 1, 1, 1, 0};
    const struct verbs_user user = {
        .self = &up, .on_cm = on_raw_cm, .on_completion = on_raw_completion};
    wl_rdma_encode_request(&request, bytes);
    begin(&pair);
    struct rdma_sink *sink = rdma_sink_create(&pair.env, &verbs_real, pair.target_device);
    const unsigned idle = fake_rdma_alive();
    for (unsigned more = 0; more < 2; more++) {
        fake_rdma_limit_regions(BRIDGE_TARGET_IP, more);
        struct verbs_conn *conn = verbs_real.connect(pair.host_device, &peer, &cap, &param, &user);
        assert_non_null(conn);
        for (int i = 0; i < 100 && !up; i++)
            bridge_pair_run(&pair, PS_PER_MS / 10);
        assert_int_equal(up, more > 0);
        verbs_real.destroy(conn);
        bridge_pair_run(&pair, PS_PER_MS / 10);
    }
    assert_int_equal(verbs_real_counters(pair.target_device)->rejects, 1);
    assert_string_equal(pair.fatal, "");
    rdma_sink_destroy(sink);
    assert_int_equal(fake_rdma_alive(), idle);
    bridge_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_port_goes_down),
        cmocka_unit_test(test_every_async_event),
        cmocka_unit_test(test_target_restarts),
        cmocka_unit_test(test_type_of_service),
        cmocka_unit_test(test_where_it_listens),
        cmocka_unit_test(test_raw_hosts_come_and_go),
        cmocka_unit_test(test_raw_hosts_that_nobody_understands),
        cmocka_unit_test(test_hosts_that_ask_too_much),
        cmocka_unit_test(test_commands_that_ask_too_much),
        cmocka_unit_test(test_raw_hosts_that_ask_too_much),
        cmocka_unit_test(test_memory_that_cannot_be_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
