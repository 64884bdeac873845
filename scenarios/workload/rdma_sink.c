/* SPDX-License-Identifier: Apache-2.0
 * rdma_sink - the other end of the rdma-* kinds.
 * Gives each connection a buffer as large as the message that its REQ announces, readable and
 * writable from afar, and for SEND keeps twice the announced messages' receives posted: as many
 * again as can be under way, so that a receive that is being posted anew is never missed.  A REQ
 * may ask for fewer, posted anew only after a delay: then messages come that find none (RNR).
 * Owner: the caller of rdma_sink_create.  Errors: a REQ that it does not understand is rejected. */
#include "base/memory.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/wl_watch.h"

#include "base/probe.h"

#include <errno.h>
#include <stdlib.h>

struct sink_conn {
    struct rdma_sink *sink;
    struct sink_conn *next;
    struct verbs_conn *conn;
    struct verbs_mr *mr;
    struct wl_rdma_request request;
    struct timer timer; /* posts what is owed */
    time_ps *owed_at;   /* ring of `receives`: when each is to be posted anew */
    uint32_t receives, first_owed, owed;
    uint32_t unanswered, answers_under_way;
    uint32_t *lengths; /* ring of `outstanding`: of what is unanswered */
    uint32_t first_length;
    bool open, gone; /* gone: the CM has reported its end */
};

struct rdma_sink {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct sink_conn *conns;
    uint32_t gone; /* of them, but not cleared away yet */
};

static void note_state(const struct rdma_sink *sink, const char *text)
{
    const struct env *env = sink->env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

static bool post_receive(struct sink_conn *sc)
{
    struct ibv_sge sge = {
        .addr = sc->mr->addr, .length = sc->request.message_bytes, .lkey = sc->mr->lkey};
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return sc->sink->verbs->post_recv(sc->conn, &wr, &bad) == 0;
}

static void post_owed(void *self, time_ps now)
{
    struct sink_conn *sc = self;
    while (sc->open && sc->owed > 0 && sc->owed_at[sc->first_owed] <= now) {
        if (!post_receive(sc))
            note_state(sc->sink, "rdma sink: a receive could not be posted");
        sc->first_owed = (sc->first_owed + 1) % sc->receives;
        sc->owed--;
    }
    if (sc->open && sc->owed > 0)
        env_timer_set(sc->sink->env, &sc->timer, sc->owed_at[sc->first_owed]);
}

/* As long as what was asked, and of the same memory: nobody reads it. */
static bool post_answer(struct sink_conn *sc)
{
    struct ibv_sge sge = {
        .addr = sc->mr->addr, .length = sc->lengths[sc->first_length], .lkey = sc->mr->lkey};
    struct ibv_send_wr wr = {
        .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad = NULL;
    if (sc->sink->verbs->post_send(sc->conn, &wr, &bad) != 0)
        return false;
    wl_watch_posted(sc->sink->env, PROBE_USE_ANSWER);
    return true;
}

/* More are owed than the send queue has room for while acknowledgements are lost. */
static void post_answers(struct sink_conn *sc)
{
    while (sc->unanswered > 0 && sc->answers_under_way < sc->request.outstanding) {
        if (!post_answer(sc)) {
            note_state(sc->sink, "rdma sink: an answer could not be posted");
            return;
        }
        sc->first_length = (sc->first_length + 1) % sc->request.outstanding;
        sc->unanswered--;
        sc->answers_under_way++;
    }
}

static void owe_receive(struct sink_conn *sc)
{
    const time_ps now = env_now(sc->sink->env);
    CHECK(sc->owed < sc->receives);
    sc->owed_at[(sc->first_owed + sc->owed++) % sc->receives] =
        now + (time_ps)sc->request.receive_delay_us * PS_PER_US;
    post_owed(sc, now);
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct sink_conn *sc = self;
    (void)conn;
    if (!sc->open)
        return;
    sc->open = wc->status == IBV_WC_SUCCESS;
    if (!sc->open) {
        if (sc->request.answered) /* who waits for an answer would wait for ever */
            sc->sink->verbs->disconnect(conn);
        return;
    }
    if ((wc->opcode & IBV_WC_RECV) == 0) {
        CHECK(sc->answers_under_way > 0);
        sc->answers_under_way--;
    } else {
        if (sc->request.answered && sc->unanswered < sc->request.outstanding)
            sc->lengths[(sc->first_length + sc->unanswered++) % sc->request.outstanding] =
                wc->byte_len;
        owe_receive(sc);
    }
    post_answers(sc);
}

static void has_gone(struct sink_conn *sc)
{
    sc->sink->gone += !sc->gone;
    sc->gone = true;
}

static void on_conn_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct sink_conn *sc = self;
    (void)conn;
    if (event->type != RDMA_CM_EVENT_ESTABLISHED)
        sc->open = false;
    if (event->type == RDMA_CM_EVENT_DISCONNECTED)
        has_gone(sc);
}

/* Receives for SEND; the other operations need none. */
static uint32_t receives_of(const struct wl_rdma_request *request)
{
    if (request->opcode != IBV_WR_SEND)
        return 0;
    return request->receives > 0 ? request->receives : 2 * request->outstanding;
}

static int prepare(struct sink_conn *sc)
{
    const struct verbs_ops *verbs = sc->sink->verbs;
    const struct ibv_qp_cap cap = {
        .max_send_wr = sc->request.answered ? sc->request.outstanding : 1,
        .max_recv_wr = sc->receives > 0 ? sc->receives : 1,
        .max_send_sge = 1,
        .max_recv_sge = 1,
    };
    const struct verbs_user user = {
        .self = sc, .on_cm = on_conn_cm, .on_completion = on_completion};
    const int error = verbs->prepare(sc->conn, &cap, &user);
    if (error != 0)
        return error;
    sc->open = true;
    for (uint32_t i = 0; i < sc->receives; i++)
        if (!post_receive(sc))
            return ENOMEM;
    return 0;
}

static int accept_conn(struct sink_conn *sc, const struct verbs_event *event)
{
    const struct verbs_ops *verbs = sc->sink->verbs;
    const struct wl_rdma_grant grant = {
        .length = sc->mr->length, .rkey = sc->mr->rkey, .addr = sc->mr->addr};
    uint8_t private_data[WL_RDMA_REP_BYTES];
    wl_rdma_encode_grant(&grant, private_data);
    const uint8_t most = verbs->max_rd_atomic(sc->sink->device);
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = sizeof private_data,
        .responder_resources = event->initiator_depth < most ? event->initiator_depth : most,
        .initiator_depth = event->responder_resources < most ? event->responder_resources : most,
        .rnr_retry_count = 7,
    };
    return verbs->accept(sc->conn, &param);
}

static struct sink_conn *add_conn(struct rdma_sink *sink, struct verbs_conn *conn)
{
    struct sink_conn *sc = memory_new(sizeof *sc);
    *sc = (struct sink_conn){.sink = sink, .next = sink->conns, .conn = conn};
    sc->timer = (struct timer){.fire = post_owed, .self = sc, .due = TIME_NEVER};
    sink->conns = sc;
    return sc;
}

/* False: the device has no more memory; what has been had is given back with the connection. */
static bool make_memory(struct sink_conn *sc)
{
    const struct wl_rdma_request *request = &sc->request;
    struct rdma_sink *sink = sc->sink;
    sc->receives = receives_of(request);
    sc->owed_at = memory_zeroed((size_t)sc->receives, sizeof *sc->owed_at);
    sc->lengths = memory_zeroed((size_t)request->outstanding, sizeof *sc->lengths);
    sc->mr = sink->verbs->reg_mr(
        sink->device, request->message_bytes,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, VERBS_BULK);
    return sc->mr != NULL;
}

static void forget(struct rdma_sink *sink, struct sink_conn *sc)
{
    env_timer_cancel(sink->env, &sc->timer);
    sink->verbs->destroy(sc->conn);
    if (sc->mr != NULL)
        sink->verbs->dereg_mr(sink->device, sc->mr);
    free(sc->owed_at);
    free(sc->lengths);
    free(sc);
}

/* Who comes clears away who has gone: a connection cannot be destroyed while it is told its end,
 * nor its timer while the world has a wake-up for it. */
static void clear_away(struct rdma_sink *sink)
{
    struct sink_conn **link = &sink->conns;
    while (sink->gone > 0 && *link != NULL) {
        struct sink_conn *sc = *link;
        if (!sc->gone || sc->timer.pending != 0) {
            link = &sc->next;
            continue;
        }
        *link = sc->next;
        sink->gone--;
        forget(sink, sc);
    }
}

static void reject(struct sink_conn *sc, const char *why)
{
    note_state(sc->sink, why);
    sc->open = false;
    has_gone(sc);
    sc->sink->verbs->reject(sc->conn, NULL, 0);
}

static void on_listen_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct rdma_sink *sink = self;
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    clear_away(sink);
    struct sink_conn *sc = add_conn(sink, conn);
    if (!wl_rdma_decode_request(event->private_data, event->private_len, &sc->request)) {
        reject(sc, "rdma sink: malformed connection request");
        return;
    }
    if (!make_memory(sc))
        reject(sc, "rdma sink: no memory for a connection's buffer");
    else if (prepare(sc) != 0 || accept_conn(sc, event) != 0)
        reject(sc, "rdma sink: a connection could not be accepted");
}

struct rdma_sink *rdma_sink_create(const struct env *env, const struct verbs_ops *verbs,
                                   struct verbs_device *device)
{
    struct rdma_sink *sink = memory_new(sizeof *sink);
    *sink = (struct rdma_sink){.env = env, .verbs = verbs, .device = device};
    const struct verbs_user user = {.self = sink, .on_cm = on_listen_cm};
    if (verbs->listen(device, WORKLOAD_RDMA_PORT, &user) != 0) {
        free(sink);
        return NULL;
    }
    return sink;
}

void rdma_sink_destroy(struct rdma_sink *sink)
{
    struct sink_conn *next = NULL;
    for (struct sink_conn *sc = sink->conns; sc != NULL; sc = next) {
        next = sc->next;
        forget(sink, sc);
    }
    free(sink);
}
