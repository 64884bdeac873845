/* SPDX-License-Identifier: Apache-2.0
 * test_workload_rdma - the rdma-* kinds and their sink.
 * The verbs are acted: a connection is a pair of ends, a message takes a fixed time, and SENDs need
 * a receive or are tried again.  Both ends live on one stage. */
#include "scenarios/workload/wl_rdma.h"
#include "tests/unit/workload/stage.h"

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

static struct acted {
    struct stage *stage;
    time_ps service;
    struct verbs_user listener;
    bool listening, rejects;
    uint64_t posted, fails_at, dies_at;
    enum ibv_wr_opcode last_opcode;
    uint32_t last_rkey;
    uint64_t last_addr;
    uint32_t mrs, most_receives, tried_again;
    time_ps taken_at[64],
        put_at[64]; /* receives: when a message took one, and when one was posted */
    uint32_t taken, put;
    struct verbs_conn *conns;
} acted;

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
        const struct ibv_wc received = {.opcode = IBV_WC_RECV};
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

static const struct verbs_ops verbs = {
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
};

struct play {
    struct stage stage;
    struct wl_rdma_params params;
    struct workload_stats stats;
    struct workload_site site;
    const struct workload_ops *kind;
    struct workload *workload;
    struct rdma_sink *sink;
    int idle;
};

static void on_idle(void *self)
{
    ((struct play *)self)->idle++;
}

static struct play *begin(const char *kind)
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
        .verbs = &verbs,
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

static void run(struct play *play, time_ps until)
{
    if (play->workload == NULL) {
        play->sink = rdma_sink_create(&play->stage.env, &verbs, NULL);
        assert_non_null(play->sink);
        play->workload = play->kind->create(&play->site);
        play->kind->start(play->workload);
    }
    stage_run(&play->stage, until);
}

static void end(struct play *play)
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

static void each_kind_posts_its_opcode_at_the_granted_buffer(void **state)
{
    static const struct {
        const char *kind;
        enum ibv_wr_opcode opcode;
        uint32_t receives;
    } rows[] = {
        {"rdma-write", IBV_WR_RDMA_WRITE, 1},
        {"rdma-read", IBV_WR_RDMA_READ, 1},
        {"rdma-send", IBV_WR_SEND, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play *play = begin(rows[i].kind);
        run(play, PS_PER_S);
        assert_int_equal(play->stats.issued, 200);
        assert_int_equal(play->stats.completed, 200);
        assert_int_equal(play->stats.bytes, 200 * INT64_C(1048576));
        assert_int_equal(play->stats.latency.min, 100 * PS_PER_US);
        assert_int_equal(acted.last_opcode, rows[i].opcode);
        assert_int_equal(acted.last_rkey, 0x77);
        assert_int_equal(acted.last_addr, 0xABC000);
        assert_int_equal(acted.most_receives, rows[i].receives);
        assert_int_equal(acted.tried_again, 0);
        assert_int_equal(play->stats.window_from, PS_PER_MS);
        assert_int_equal(play->stats.window_to, 11 * PS_PER_MS);
        assert_int_equal(play->idle, 1);
        end(play);
    }
}

static void each_message_is_answered_before_the_next(void **state)
{
    (void)state;
    struct play *play = begin("rdma-ping-pong");
    play->params.outstanding = 1;
    run(play, PS_PER_S);
    /* 10 ms, 100 us there and 100 us back; both ends post as many. */
    assert_int_equal(play->stats.completed, 50);
    assert_int_equal(play->stats.failed, 0);
    assert_int_equal(acted.posted, 100);
    assert_int_equal(acted.tried_again, 0);
    assert_int_equal(play->stats.latency.min, 200 * PS_PER_US);
    assert_int_equal(play->stats.latency.max, 200 * PS_PER_US);
    assert_int_equal(play->idle, 1);
    end(play);
}

static void queue_pairs_share_a_count(void **state)
{
    (void)state;
    struct play *play = begin("rdma-write");
    play->params.qps = 3;
    play->params.outstanding = 4;
    play->params.count = 25;
    run(play, PS_PER_MS + 150 * PS_PER_US);
    assert_int_equal(play->kind->outstanding(play->workload), 12);
    char text[128];
    play->kind->describe(play->workload, text, sizeof text);
    assert_string_equal(text, "12 messages of 1048576 B to 10.0.0.2, the oldest since 50 us");
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 25);
    assert_int_equal(play->idle, 1);
    end(play);
}

/* One receive, there again 250 us after each message: those that follow are tried at 100, 200 and
 * 300 us. */
static void a_slow_receiver_has_receives_late(void **state)
{
    (void)state;
    struct play *play = begin("rdma-send");
    play->params.outstanding = 1;
    play->params.count = 10;
    play->params.receives = 1;
    play->params.receive_delay = 250 * PS_PER_US;
    run(play, PS_PER_S);
    assert_int_equal(acted.most_receives, 1);
    assert_int_equal(play->stats.completed, 10);
    assert_int_equal(acted.tried_again, 9 * 2);
    assert_int_equal(play->stats.latency.min, 100 * PS_PER_US);
    assert_int_equal(play->stats.latency.max, 300 * PS_PER_US);
    end(play);
}

/* Each is posted again a delay after its own message, whatever else is owed. */
static void receives_come_back_one_by_one(void **state)
{
    (void)state;
    struct play *play = begin("rdma-send");
    play->params.rate = 12500; /* every 80 us */
    play->params.count = 20;
    play->params.receives = 3;
    play->params.receive_delay = 210 * PS_PER_US;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 20);
    assert_int_equal(acted.taken, 20);
    assert_int_equal(acted.put, 3 + 20);
    for (uint32_t i = 0; i < acted.taken; i++)
        assert_int_equal(acted.put_at[3 + i], acted.taken_at[i] + 210 * PS_PER_US);
    assert_true(acted.taken_at[1] != acted.taken_at[0]);
    end(play);
}

static void an_open_loop_keeps_its_rate(void **state)
{
    (void)state;
    struct play *play = begin("rdma-write");
    play->params.rate = 1000;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 10);
    assert_int_equal(play->stats.missed, 0);
    end(play);
    play = begin("rdma-write");
    play->params.rate = 100000; /* two in 100 us: a fifth of it */
    run(play, PS_PER_S);
    assert_in_range(play->stats.completed, 199, 201);
    assert_int_equal(play->stats.completed + play->stats.missed, 1000);
    end(play);
}

static void a_rejected_connection_ends_it(void **state)
{
    (void)state;
    struct play *play = begin("rdma-send");
    play->params.qps = 2;
    acted.rejects = true;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 2);
    assert_int_equal(play->stats.issued, 2); /* each connection stands for one that failed */
    assert_int_equal(acted.posted, 0);
    assert_int_equal(play->idle, 1);
    end(play);
}

static void a_failed_message_takes_its_queue_pair_with_it(void **state)
{
    (void)state;
    struct play *play = begin("rdma-write");
    play->params.qps = 2;
    acted.fails_at = 50;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 2); /* it and the one behind it */
    assert_int_equal(play->stats.issued, play->stats.completed + play->stats.failed);
    assert_true(play->stats.completed > 200); /* the other goes on */
    assert_int_equal(play->idle, 1);
    end(play);
}

static void a_disconnect_ends_it(void **state)
{
    (void)state;
    struct play *play = begin("rdma-write");
    acted.dies_at = 50;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.issued, 50);
    assert_int_equal(play->stats.issued, play->stats.completed + play->stats.failed);
    assert_int_equal(play->stats.window_to, 11 * PS_PER_MS); /* rates tell of the rest too */
    assert_int_equal(play->idle, 1);
    end(play);
}

static void it_can_be_stopped_early(void **state)
{
    (void)state;
    struct play *play = begin("rdma-read");
    run(play, 2 * PS_PER_MS + 50 * PS_PER_US);
    play->kind->stop(play->workload);
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 22);
    assert_int_equal(play->idle, 1);
    end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_posts_its_opcode_at_the_granted_buffer),
        cmocka_unit_test(each_message_is_answered_before_the_next),
        cmocka_unit_test(queue_pairs_share_a_count),
        cmocka_unit_test(a_slow_receiver_has_receives_late),
        cmocka_unit_test(receives_come_back_one_by_one),
        cmocka_unit_test(an_open_loop_keeps_its_rate),
        cmocka_unit_test(a_rejected_connection_ends_it),
        cmocka_unit_test(a_failed_message_takes_its_queue_pair_with_it),
        cmocka_unit_test(a_disconnect_ends_it),
        cmocka_unit_test(it_can_be_stopped_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
