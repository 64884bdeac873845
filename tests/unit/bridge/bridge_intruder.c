/* SPDX-License-Identifier: Apache-2.0
 * bridge_intruder - see bridge_intruder.h. */
#include "tests/unit/bridge/bridge_intruder.h"

#include "base/check.h"
#include "bridge/agree/agree_wire.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/wire.h"
#include "tests/unit/bridge/bridge_case.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ACTS_MAX = 24, ROUNDS_MAX = 10000, EVENTS = 12 };

static const char text[] =
    "stormglass: 1\nname: one\nduration: 200ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "
    "\"null\", count: 1}]}}\n"
    "workloads:\n"
    "  - {name: w, kind: nvme, from: host1, to: host0, block-size: 4KiB}\n"
    "  - {name: raw, kind: rdma-write, from: host1, to: host0, message-size: 4KiB, qps: 2}\n";

/* What is on its way arrives: nothing takes time here but the loop's turns.  Whoever never comes to
 * rest hangs. */
static void settle(struct bridge_intruder *intruder)
{
    unsigned rounds = 0;
    do {
        CHECK(rounds < ROUNDS_MAX);
        bridge_pair_run(&intruder->pair, 5 * PS_PER_US);
    } while (rounds++ < 2 || !fake_rdma_quiet());
}

void bridge_intruder_open(struct bridge_intruder *intruder)
{
    struct bridge_pair *pair = &intruder->pair;
    memset(intruder, 0, sizeof *intruder);
    bridge_pair_init(pair);
    pair->target_params.strangers = INTRUDER_STRANGERS;
    bridge_pair_open(pair);
    intruder->scenario = bridge_case_load(text);
    agree_plan_make(&intruder->plan, intruder->scenario);
    intruder->state.zero = TIME_NEVER;
    access_add_own(&intruder->access, BRIDGE_HOST_IP);
    intruder->site = (struct agree_site){.env = &pair->env,
                                         .verbs = &verbs_real,
                                         .device = pair->target_device,
                                         .plan = &intruder->plan,
                                         .access = &intruder->access};
    intruder->agree = agree_target_create(&intruder->site, &intruder->state, NULL, NULL);
    CHECK(intruder->agree != NULL);
    intruder->run.scenario = intruder->scenario;
    intruder->target = (struct live_target){.run = &intruder->run, .nics = {.count = 1}};
    intruder->target.sinks[0] = rdma_sink_create(&pair->env, &verbs_real, pair->target_device);
    CHECK(intruder->target.sinks[0] != NULL);
    live_guard_sinks(&intruder->target);
}

/* ------------------------------------------------------------------ its connections */

static bool post_receive(struct intruder_conn *conn, unsigned index)
{
    enum { EACH = INTRUDER_BYTES / INTRUDER_RECEIVES };
    struct ibv_sge sge = {.addr = conn->received->addr + (uint64_t)index * EACH,
                          .length = EACH,
                          .lkey = conn->received->lkey};
    struct ibv_recv_wr wr = {.wr_id = 1 + index, .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return verbs_real.post_recv(conn->conn, &wr, &bad) == 0;
}

static void on_completion(void *self, struct verbs_conn *of, const struct ibv_wc *wc)
{
    struct intruder_conn *conn = self;
    (void)of;
    conn->failed += wc->status != IBV_WC_SUCCESS;
    if (wc->wr_id == 0 || wc->status != IBV_WC_SUCCESS)
        return;
    conn->answered++;
    post_receive(conn, (unsigned)wc->wr_id - 1);
}

static void on_cm(void *self, struct verbs_conn *of, const struct verbs_event *event)
{
    struct intruder_conn *conn = self;
    (void)of;
    if (event->private_data != NULL)
        memcpy(conn->answer, event->private_data, event->private_len);
    conn->status = event->status;
    conn->up |= event->type == RDMA_CM_EVENT_ESTABLISHED;
    conn->down |= event->type != RDMA_CM_EVENT_ESTABLISHED;
}

static struct verbs_mr *memory(struct verbs_device *device)
{
    return verbs_real.reg_mr(
        device, INTRUDER_BYTES,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE, VERBS_BYTES);
}

void bridge_intruder_leave(struct bridge_intruder *intruder, unsigned index)
{
    struct intruder_conn *conn = &intruder->conns[index];
    if (conn->conn != NULL)
        verbs_real.destroy(conn->conn);
    if (conn->sent != NULL)
        verbs_real.dereg_mr(intruder->pair.host_device, conn->sent);
    if (conn->received != NULL)
        verbs_real.dereg_mr(intruder->pair.host_device, conn->received);
    *conn = (struct intruder_conn){0};
    settle(intruder);
}

void bridge_intruder_connect(struct bridge_intruder *intruder, unsigned index, uint16_t port,
                             const void *private_data, uint8_t length)
{
    struct intruder_conn *conn = &intruder->conns[index];
    const struct ibv_qp_cap cap = {
        .max_send_wr = 64, .max_recv_wr = INTRUDER_RECEIVES, .max_send_sge = 1, .max_recv_sge = 1};
    const struct rdma_conn_param param = {.private_data = private_data,
                                          .private_data_len = length,
                                          .responder_resources = 16,
                                          .retry_count = 7,
                                          .rnr_retry_count = 7};
    const struct verbs_user user = {.self = conn, .on_cm = on_cm, .on_completion = on_completion};
    const struct verbs_peer peer = {.ip = BRIDGE_TARGET_IP, .port = port};
    bridge_intruder_leave(intruder, index);
    conn->sent = memory(intruder->pair.host_device);
    conn->received = memory(intruder->pair.host_device);
    if (conn->sent == NULL || conn->received == NULL)
        return;
    conn->conn = verbs_real.connect(intruder->pair.host_device, &peer, &cap, &param, &user);
    for (unsigned i = 0; conn->conn != NULL && i < INTRUDER_RECEIVES; i++)
        post_receive(conn, i);
    settle(intruder);
}

void bridge_intruder_connect_well(struct bridge_intruder *intruder, unsigned index, uint16_t port)
{
    unsigned char bytes[VERBS_REQ_PRIVATE_MAX] = {0};
    const struct nvme_cm_request nvme = {.qid = 0, .hrqsize = 32, .hsqsize = 31};
    const struct agree_request agree = {.version = AGREE_VERSION,
                                        .question = AGREE_JOIN,
                                        .digest = intruder->plan.digest,
                                        .lines = intruder->plan.count};
    if (port == AGREE_PORT)
        agree_write_request(&agree, bytes);
    else if (port == WORKLOAD_RDMA_PORT)
        intruder->scenario->workloads[1].ops->request(intruder->scenario->workloads[1].params,
                                                      bytes);
    else
        nvme_fabrics_encode_request(&nvme, bytes);
    bridge_intruder_connect(intruder, index, port, bytes, sizeof bytes);
}

void bridge_intruder_send(struct bridge_intruder *intruder, unsigned index, const void *bytes,
                          size_t length)
{
    struct intruder_conn *conn = &intruder->conns[index];
    if (conn->conn == NULL || !conn->up)
        return;
    if (length > INTRUDER_BYTES)
        length = INTRUDER_BYTES;
    memcpy(conn->sent->bytes, bytes, length);
    struct ibv_sge sge = {
        .addr = conn->sent->addr, .length = (uint32_t)length, .lkey = conn->sent->lkey};
    struct ibv_send_wr wr = {
        .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad = NULL;
    verbs_real.post_send(conn->conn, &wr, &bad);
    settle(intruder);
}

/* ------------------------------------------------------------------ any bytes */

struct bytes {
    const uint8_t *at, *end;
};

static uint8_t take(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static size_t take_some(struct bytes *bytes, size_t most, const uint8_t **some)
{
    const size_t left = (size_t)(bytes->end - bytes->at);
    const size_t count = most < left ? most : left;
    *some = bytes->at;
    bytes->at += count;
    return count;
}

/* A capsule as it stands, or with the intruder's buffer as what its descriptor names. */
static void send_some(struct bridge_intruder *intruder, unsigned index, struct bytes *bytes)
{
    unsigned char capsule[4096];
    const uint8_t *some;
    const size_t length = (size_t)take(bytes) * 16 + take(bytes) % 16;
    const bool named = length % 2 == 0;
    const size_t count = take_some(bytes, length, &some);
    memset(capsule, 0, sizeof capsule);
    memcpy(capsule, some, count);
    const struct verbs_mr *mr = intruder->conns[index].received;
    if (named && mr != NULL && count >= NVME_SQE_BYTES) {
        wire_put64(capsule + 24, mr->addr);
        wire_put32(capsule + 35, mr->rkey);
    }
    bridge_intruder_send(intruder, index, capsule, count);
}

static const char *const calls[] = {"create_id",     "set_option", "bind_addr", "resolve_addr",
                                    "resolve_route", "connect",    "accept",    "reject",
                                    "disconnect",    "reg_mr",     "create_cq", "create_qp",
                                    "modify_qp",     "post_send",  "post_recv", "notify"};
/* What the CM may tell of a connection.  Requests are others'; a device that goes ends all. */
static const enum rdma_cm_event_type events[] = {
    RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR,       RDMA_CM_EVENT_ROUTE_RESOLVED,
    RDMA_CM_EVENT_ROUTE_ERROR,   RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_CONNECT_ERROR,
    RDMA_CM_EVENT_UNREACHABLE,   RDMA_CM_EVENT_REJECTED,         RDMA_CM_EVENT_ESTABLISHED,
    RDMA_CM_EVENT_DISCONNECTED,  RDMA_CM_EVENT_ADDR_CHANGE,      RDMA_CM_EVENT_TIMEWAIT_EXIT};
static const int errors[] = {EINVAL, ENOMEM, EIO, ENODEV};
/* What a device tells of itself; one that dies is test_bridge_survival's. */
static const enum ibv_event_type asyncs[] = {
    IBV_EVENT_QP_FATAL,    IBV_EVENT_QP_ACCESS_ERR, IBV_EVENT_COMM_EST,   IBV_EVENT_SQ_DRAINED,
    IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR,      IBV_EVENT_LID_CHANGE, IBV_EVENT_GID_CHANGE};

static uint32_t some_ip(uint8_t byte)
{
    return byte % 2 == 0 ? BRIDGE_HOST_IP : BRIDGE_TARGET_IP;
}

static void upset_fabric(uint8_t act, struct bytes *bytes)
{
    const uint8_t a = take(bytes), b = take(bytes), c = take(bytes);
    switch (act % 10) {
    case 0:
        fake_rdma_event(events[a % EVENTS], events[b % EVENTS], (int8_t)c);
        break;
    case 1:
        fake_rdma_end_with(1 + a % IBV_WC_GENERAL_ERR, b % 4);
        break;
    case 2:
        fake_rdma_fail(calls[a % (sizeof calls / sizeof calls[0])], b % 4,
                       errors[c % (sizeof errors / sizeof errors[0])]);
        break;
    case 3:
        fake_rdma_vanish(some_ip(a));
        break;
    case 4:
        fake_rdma_return(some_ip(a));
        break;
    case 5:
        fake_rdma_time_out();
        break;
    case 6:
        fake_rdma_async(some_ip(a), asyncs[b % (sizeof asyncs / sizeof asyncs[0])]);
        break;
    case 7:
        fake_rdma_poll_limit(a % 3);
        break;
    case 8:
        fake_rdma_limit_regions(some_ip(a), b % 4);
        break;
    default:
        fake_rdma_tell(a, events[b % EVENTS], (int8_t)c);
    }
}

static void act(struct bridge_intruder *intruder, struct bytes *bytes)
{
    const uint8_t first = take(bytes), kind = first & 0x0F;
    const unsigned index = (first >> 4) % 4;
    const uint16_t port = (first & 0x80) != 0   ? AGREE_PORT
                          : (first & 0x40) != 0 ? WORKLOAD_RDMA_PORT
                                                : NVME_RDMA_PORT;
    const uint8_t *some;
    struct intruder_conn *conn = &intruder->conns[index];
    if (kind == 0) {
        const size_t count = take_some(bytes, take(bytes) % (VERBS_REQ_PRIVATE_MAX + 1), &some);
        bridge_intruder_connect(intruder, index, port, some, (uint8_t)count);
    } else if (kind == 1) {
        bridge_intruder_connect_well(intruder, index, port);
    } else if (kind < 5) {
        send_some(intruder, index, bytes);
    } else if (kind == 5) {
        bridge_intruder_leave(intruder, index);
    } else if (kind == 6 && conn->conn != NULL) {
        verbs_real.disconnect(conn->conn);
        settle(intruder);
    } else {
        upset_fabric(first, bytes);
        settle(intruder);
    }
}

void bridge_intruder_play(struct bridge_intruder *intruder, const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    for (unsigned i = 0; i < ACTS_MAX && bytes.at < bytes.end; i++)
        act(intruder, &bytes);
}

/* ------------------------------------------------------------------ afterwards */

static void leave_all(struct bridge_intruder *intruder)
{
    for (unsigned i = 0; i < INTRUDER_CONNS; i++)
        bridge_intruder_leave(intruder, i);
}

void bridge_intruder_close(struct bridge_intruder *intruder)
{
    struct bridge_pair *pair = &intruder->pair;
    fake_rdma_behave();
    leave_all(intruder);
    bridge_pair_start(pair);
    CHECK(pair->ready && pair->ready_status == NVME_STATUS_OK);
    CHECK(bridge_pair_io(pair, NVME_WRITE, 0, 8192, 5)->status == NVME_STATUS_OK);
    CHECK(bridge_pair_io(pair, NVME_READ, 0, 8192, 0)->content == 5);
    CHECK(pair->fatal[0] == '\0' && pair->removed == 0);
    bridge_pair_end_host(pair);
    rdma_sink_destroy(intruder->target.sinks[0]);
    agree_target_free(intruder->agree);
    agree_plan_free(&intruder->plan);
    scenario_free(intruder->scenario);
    bridge_pair_fini(pair);
}
