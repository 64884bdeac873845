/* SPDX-License-Identifier: Apache-2.0
 * acted_verbs - connections that need no RNIC. */
#include "acted_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct verbs_conn {
    struct verbs_user user;
    struct verbs_conn *peer;
    struct ibv_wc wcs[8192];
    uint32_t wc_first, wc_end;
    int receives;
    uint8_t private_data[64];
    uint8_t private_len;
    struct verbs_conn *next; /* of all that were made */
};

struct acted acted;

static struct verbs_mr *reg_mr(struct verbs_device *device, uint32_t length, int access,
                               enum verbs_memory memory)
{
    (void)device;
    struct verbs_mr *mr = calloc(1, sizeof *mr);
    assert_non_null(mr);
    const bool remote = (access & IBV_ACCESS_REMOTE_WRITE) != 0;
    *mr = (struct verbs_mr){.addr = remote ? 0xABC000 : 0x1000,
                            .length = length,
                            .lkey = 1,
                            .rkey = remote ? 0x77 : 0,
                            .memory = memory};
    acted.mrs++;
    return mr;
}

static void dereg_mr(struct verbs_device *device, struct verbs_mr *mr)
{
    (void)device;
    acted.mrs--;
    free(mr);
}

static int acted_listen(struct verbs_device *device, uint16_t port, const struct verbs_user *user)
{
    (void)device;
    assert_int_equal(port, WORKLOAD_RDMA_PORT);
    acted.listener = *user;
    acted.listening = true;
    return 0;
}

static struct verbs_conn *new_conn(void)
{
    struct verbs_conn *conn = calloc(1, sizeof *conn);
    assert_non_null(conn);
    conn->next = acted.conns;
    acted.conns = conn;
    return conn;
}

static void tell(struct verbs_conn *conn, enum rdma_cm_event_type type, const uint8_t *data,
                 uint8_t length)
{
    const struct verbs_event event = {.type = type,
                                      .private_data = data,
                                      .private_len = length,
                                      .initiator_depth = 16,
                                      .responder_resources = 16};
    if (conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, &event);
}

static void request(void *self, void *what)
{
    struct verbs_conn *client = self;
    (void)what;
    struct verbs_conn *server = new_conn();
    server->peer = client;
    client->peer = server;
    const struct verbs_event event = {.type = RDMA_CM_EVENT_CONNECT_REQUEST,
                                      .private_data = client->private_data,
                                      .private_len = client->private_len,
                                      .initiator_depth = 16,
                                      .responder_resources = 16};
    if (acted.listening && !acted.rejects)
        acted.listener.on_cm(acted.listener.self, server, &event);
    else
        tell(client, RDMA_CM_EVENT_REJECTED, NULL, 0);
}

static struct verbs_conn *acted_connect(struct verbs_device *device, const struct verbs_peer *peer,
                                        const struct ibv_qp_cap *cap,
                                        const struct rdma_conn_param *param,
                                        const struct verbs_user *user)
{
    (void)device, (void)cap;
    assert_int_equal(peer->port, WORKLOAD_RDMA_PORT);
    struct verbs_conn *conn = new_conn();
    conn->user = *user;
    conn->private_len = param->private_data_len;
    memcpy(conn->private_data, param->private_data, param->private_data_len);
    stage_at(acted.stage, acted.stage->now + 1000, request, conn, NULL);
    return conn;
}

static int prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                   const struct verbs_user *user)
{
    acted.most_receives = cap->max_recv_wr;
    conn->user = *user;
    return 0;
}

static void established(void *self, void *what)
{
    struct verbs_conn *server = self;
    (void)what;
    tell(server->peer, RDMA_CM_EVENT_ESTABLISHED, server->private_data, server->private_len);
    tell(server, RDMA_CM_EVENT_ESTABLISHED, NULL, 0);
}

static int acted_accept(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    conn->private_len = param->private_data_len;
    memcpy(conn->private_data, param->private_data, param->private_data_len);
    stage_at(acted.stage, acted.stage->now + 1000, established, conn, NULL);
    return 0;
}

static int reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    (void)private_data, (void)private_len;
    tell(conn->peer, RDMA_CM_EVENT_REJECTED, NULL, 0);
    return 0;
}

static void disconnect(struct verbs_conn *conn)
{
    (void)conn;
}

static void destroy(struct verbs_conn *conn)
{
    conn->user = (struct verbs_user){0};
}

static void give(struct verbs_conn *conn, const struct ibv_wc *wc)
{
    if (conn->user.on_completion != NULL)
        conn->user.on_completion(conn->user.self, conn, wc);
}

static void complete(void *self, void *what)
{
    struct verbs_conn *conn = self;
    (void)what;
    const struct ibv_wc wc = conn->wcs[conn->wc_first % 8192];
    const bool needs_receive = wc.opcode == IBV_WC_SEND && wc.status == IBV_WC_SUCCESS;
    if (needs_receive && conn->peer->receives == 0) {
        acted.tried_again++;
        stage_at(acted.stage, acted.stage->now + acted.service, complete, conn, NULL);
        return;
    }
    conn->wc_first++;
    if (needs_receive) {
        conn->peer->receives--;
        if (acted.taken < 64)
            acted.taken_at[acted.taken++] = acted.stage->now;
        const struct ibv_wc received = {.opcode = IBV_WC_RECV, .byte_len = wc.byte_len};
        give(conn->peer, &received);
    }
    give(conn, &wc);
}

static int post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    (void)bad;
    acted.posted++;
    acted.last_opcode = wr->opcode;
    acted.last_rkey = wr->wr.rdma.rkey;
    acted.last_addr = wr->wr.rdma.remote_addr;
    const bool fails = acted.posted == acted.fails_at;
    conn->wcs[conn->wc_end++ % 8192] =
        (struct ibv_wc){.wr_id = wr->wr_id,
                        .byte_len = wr->sg_list->length,
                        .opcode = wr->opcode == IBV_WR_SEND ? IBV_WC_SEND : IBV_WC_RDMA_WRITE,
                        .status = fails ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS};
    stage_at(acted.stage, acted.stage->now + acted.service, complete, conn, NULL);
    if (acted.posted == acted.dies_at)
        tell(conn, RDMA_CM_EVENT_DISCONNECTED, NULL, 0);
    return 0;
}

static int post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)wr, (void)bad;
    conn->receives++;
    if (acted.put < 64)
        acted.put_at[acted.put++] = acted.stage->now;
    return 0;
}

static uint8_t max_rd_atomic(struct verbs_device *device)
{
    (void)device;
    return 16;
}

static time_ps post_cost(struct verbs_device *device, time_ps *spread)
{
    (void)device;
    *spread = acted.post_spread;
    return acted.post_cost;
}

const struct verbs_ops acted_verbs = {
    .name = "acted",
    .reg_mr = reg_mr,
    .dereg_mr = dereg_mr,
    .listen = acted_listen,
    .connect = acted_connect,
    .prepare = prepare,
    .accept = acted_accept,
    .reject = reject,
    .disconnect = disconnect,
    .destroy = destroy,
    .post_send = post_send,
    .post_recv = post_recv,
    .max_rd_atomic = max_rd_atomic,
    .post_cost = post_cost,
};

static void on_idle(void *self)
{
    ((struct play *)self)->idle++;
}

struct play *acted_begin(const char *kind)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    stage_init(&play->stage, 1);
    memset(&acted, 0, sizeof acted);
    acted.stage = &play->stage;
    acted.service = 100 * PS_PER_US;
    play->kind = workload_find(kind);
    assert_non_null(play->kind);
    opt_presets(play->kind->opts, &play->params);
    play->params.message_size = 1 << 20;
    hist_reset(&play->stats.latency);
    play->site = (struct workload_site){
        .env = &play->stage.env,
        .verbs = &acted_verbs,
        .target_ip = 0x0A000002,
        .params = &play->params,
        .start = PS_PER_MS,
        .stop = 11 * PS_PER_MS,
        .stats = &play->stats,
        .on_idle = on_idle,
        .on_idle_self = play,
    };
    return play;
}

void acted_run(struct play *play, time_ps until)
{
    if (play->workload == NULL) {
        play->sink = rdma_sink_create(&play->stage.env, &acted_verbs, NULL);
        assert_non_null(play->sink);
        play->workload = play->kind->create(&play->site);
        play->kind->start(play->workload);
    }
    stage_run(&play->stage, until);
}

void acted_end(struct play *play)
{
    play->kind->destroy(play->workload);
    rdma_sink_destroy(play->sink);
    assert_int_equal(acted.mrs, 0);
    while (acted.conns != NULL) {
        struct verbs_conn *conn = acted.conns;
        acted.conns = conn->next;
        free(conn);
    }
    free(play);
}
