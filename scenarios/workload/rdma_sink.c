/* SPDX-License-Identifier: Apache-2.0
 * rdma_sink - the passive end of the rdma-* workloads.
 * Gives each connection a buffer as large as the message size in its REQ, with remote read and
 * write access. For SEND, it keeps receives posted for twice the number of outstanding messages, so
 * that a receive that is being reposted is never missed. A REQ may request fewer receives, reposted
 * only after a delay, so that messages find none (RNR). It may also request a shared receive queue:
 * connections with equal requests share one, whose receives are reposted one by one, or all used
 * ones together when the queue reaches its limit.
 * Owner: the caller of rdma_sink_create. Errors: an invalid REQ is rejected. */
#include "base/memory.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/wl_watch.h"

#include "base/plural.h"
#include "base/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVE_BACK_AFTER (100 * PS_PER_US)

/* Receives of a connection, or of all connections that share a queue. */
struct sink_receives {
    struct rdma_sink *sink;
    struct verbs_conn *conn; /* NULL: shared */
    struct verbs_srq *srq;
    struct sink_receives *next; /* next shared receive queue */
    struct verbs_mr *mr;
    uint32_t length, delay_us;
    uint32_t limit;     /* 0: each receive is reposted on its own */
    struct timer timer; /* posts receives that are due */
    time_ps *owed_at;   /* ring of `count` entries: time at which each is to be reposted */
    uint32_t count, first_owed, owed;
    uint32_t waiting; /* used receives, until the limit is reached */
    bool reached;     /* the limit was reached when no receive was waiting */
    bool told, open;
};

/* State of a connection whose memory is deregistered while it is in use. */
struct sink_return {
    struct timer timer;
    struct verbs_mr *kept; /* memory of its receives; NULL: it has none */
};

struct sink_conn {
    struct rdma_sink *sink;
    struct sink_conn *next;
    struct verbs_conn *conn;
    struct verbs_mr *mr;
    struct wl_rdma_request request;
    struct sink_return *giving_back; /* NULL: the memory stays registered */
    struct sink_receives own, *receives;
    uint32_t unanswered, answers_under_way;
    uint32_t *lengths; /* ring of `outstanding` entries: lengths of the unanswered messages */
    uint32_t first_length;
    bool open, gone; /* gone: the CM has reported that the connection ended */
};

struct rdma_sink {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct sink_conn *conns;
    struct sink_receives *shared;
    struct rdma_sink_guard guard;
    uint32_t gone; /* number of ended connections that have not been destroyed yet */
};

static void note_state(const struct rdma_sink *sink, const char *text)
{
    const struct env *env = sink->env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

/* ------------------------------------------------------------------ receives */

static bool post_receive(struct sink_receives *receives)
{
    struct ibv_sge sge = {
        .addr = receives->mr->addr, .length = receives->length, .lkey = receives->mr->lkey};
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    const struct verbs_ops *verbs = receives->sink->verbs;
    return receives->srq != NULL ? verbs->post_srq_recv(receives->srq, &wr, &bad) == 0
                                 : verbs->post_recv(receives->conn, &wr, &bad) == 0;
}

static void arm_limit(struct sink_receives *receives)
{
    if (receives->limit > 0)
        receives->sink->verbs->arm_srq(receives->srq, receives->limit);
}

static void post_owed(void *self, time_ps now)
{
    struct sink_receives *receives = self;
    const bool some = receives->owed > 0;
    while (receives->open && receives->owed > 0 && receives->owed_at[receives->first_owed] <= now) {
        if (!post_receive(receives))
            note_state(receives->sink, "rdma sink: a receive could not be posted");
        receives->first_owed = (receives->first_owed + 1) % receives->count;
        receives->owed--;
    }
    if (receives->open && receives->owed > 0)
        env_timer_set(receives->sink->env, &receives->timer,
                      receives->owed_at[receives->first_owed]);
    else if (some)
        arm_limit(receives);
}

static void schedule_receives(struct sink_receives *receives, uint32_t count)
{
    const time_ps now = env_now(receives->sink->env);
    CHECK(count <= receives->count - receives->owed);
    for (; count > 0; count--)
        receives->owed_at[(receives->first_owed + receives->owed++) % receives->count] =
            now + (time_ps)receives->delay_us * PS_PER_US;
    post_owed(receives, now);
}

/* A receive was used. */
static void owe_receive(struct sink_receives *receives)
{
    receives->waiting++;
    if (receives->limit > 0 && !receives->reached)
        return;
    const uint32_t waiting = receives->waiting;
    receives->waiting = 0;
    receives->reached = false;
    schedule_receives(receives, waiting);
}

/* Few receives of the shared queue are left. */
static void on_limit(void *self)
{
    struct sink_receives *receives = self;
    const uint32_t waiting = receives->waiting;
    char text[96];
    snprintf(text, sizeof text, "rdma sink: fewer than %u of %u shared %s %s left", receives->limit,
             receives->count, plural(receives->count, "receive", "receives"),
             plural(receives->count, "is", "are"));
    if (!receives->told)
        note_state(receives->sink, text);
    receives->told = true;
    receives->waiting = 0;
    receives->reached = waiting == 0;
    if (waiting > 0)
        schedule_receives(receives, waiting);
}

static void receives_begin(struct sink_receives *receives, struct rdma_sink *sink,
                           const struct wl_rdma_request *request, uint32_t count)
{
    *receives = (struct sink_receives){
        .sink = sink,
        .length = request->message_bytes,
        .delay_us = request->receive_delay_us,
        .limit = request->receive_limit,
        .count = count,
        .owed_at = memory_zeroed(count, sizeof *receives->owed_at),
        .open = true,
    };
    receives->timer = (struct timer){.fire = post_owed, .self = receives, .due = TIME_NEVER};
}

static bool post_all(struct sink_receives *receives)
{
    for (uint32_t i = 0; i < receives->count; i++)
        if (!post_receive(receives))
            return false;
    arm_limit(receives);
    return true;
}

static bool asks_alike(const struct sink_receives *receives, const struct wl_rdma_request *request)
{
    return receives->length == request->message_bytes && receives->count == request->receives &&
           receives->limit == request->receive_limit &&
           receives->delay_us == request->receive_delay_us;
}

static void receives_free(struct sink_receives *receives)
{
    env_timer_cancel(receives->sink->env, &receives->timer);
    if (receives->srq != NULL)
        receives->sink->verbs->destroy_srq(receives->srq);
    if (receives->srq != NULL && receives->mr != NULL)
        receives->sink->verbs->dereg_mr(receives->sink->device, receives->mr);
    free(receives->owed_at);
}

static struct sink_receives *make_shared(struct rdma_sink *sink,
                                         const struct wl_rdma_request *request)
{
    struct sink_receives *receives = memory_new(sizeof *receives);
    receives_begin(receives, sink, request, request->receives);
    const struct verbs_srq_user user = {.self = receives, .on_limit = on_limit};
    receives->srq = sink->verbs->create_srq(sink->device, receives->count, &user);
    receives->mr = sink->verbs->reg_mr(sink->device, request->message_bytes, IBV_ACCESS_LOCAL_WRITE,
                                       VERBS_BULK);
    if (receives->mr == NULL || !post_all(receives)) {
        receives_free(receives);
        free(receives);
        return NULL;
    }
    receives->next = sink->shared;
    sink->shared = receives;
    return receives;
}

/* Finds the shared queue of the connections with equal requests, or creates it; NULL: the device
 * has no shared queues, or no memory. */
static struct sink_receives *shared_receives(struct rdma_sink *sink,
                                             const struct wl_rdma_request *request)
{
    for (struct sink_receives *receives = sink->shared; receives != NULL; receives = receives->next)
        if (asks_alike(receives, request))
            return receives;
    return sink->verbs->create_srq == NULL ? NULL : make_shared(sink, request);
}

/* ------------------------------------------------------------------ connections */

/* The answer has the length of the message and uses the same memory: its content is ignored. */
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

/* While acknowledgments are lost, more answers may be due than fit the send queue. */
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

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct sink_conn *sc = self;
    (void)conn;
    if ((wc->opcode & IBV_WC_RECV) != 0 && sc->request.shared)
        owe_receive(sc->receives); /* also after a failure: other connections share the queue */
    if (!sc->open)
        return;
    sc->open = wc->status == IBV_WC_SUCCESS;
    sc->own.open = sc->open;
    if (!sc->open) {
        if (sc->request.answered) /* a peer waiting for the answer would wait indefinitely */
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
        if (!sc->request.shared)
            owe_receive(&sc->own);
    }
    post_answers(sc);
}

static void has_gone(struct sink_conn *sc)
{
    sc->sink->gone += !sc->gone;
    sc->gone = true;
}

/* Simulates a program that frees memory while a peer still uses it. */
static void deregister_buffer(void *self, time_ps now)
{
    struct sink_conn *sc = self;
    (void)now;
    if (!sc->open || sc->mr == NULL)
        return;
    note_state(sc->sink, "rdma sink: a connection closed and its memory was freed");
    sc->sink->verbs->dereg_mr(sc->sink->device, sc->mr);
    sc->mr = NULL;
}

static void on_conn_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct sink_conn *sc = self;
    (void)conn;
    if (event->type == RDMA_CM_EVENT_ESTABLISHED && sc->giving_back != NULL)
        env_timer_set(sc->sink->env, &sc->giving_back->timer,
                      env_now(sc->sink->env) + GIVE_BACK_AFTER);
    if (event->type != RDMA_CM_EVENT_ESTABLISHED)
        sc->open = sc->own.open = false;
    if (event->type == RDMA_CM_EVENT_DISCONNECTED)
        has_gone(sc);
}

/* Number of receives; 0 for operations that need none. */
static uint32_t receives_of(const struct wl_rdma_request *request)
{
    if (!wl_rdma_needs_receives(request->opcode) || request->shared)
        return 0;
    return request->receives > 0 ? request->receives : 2 * request->outstanding;
}

static int prepare(struct sink_conn *sc)
{
    const struct verbs_ops *verbs = sc->sink->verbs;
    const struct ibv_qp_cap cap = {
        .max_send_wr = sc->request.answered ? sc->request.outstanding : 1,
        .max_recv_wr = sc->own.count > 0 ? sc->own.count : 1,
        .max_send_sge = 1,
        .max_recv_sge = 1,
    };
    const struct verbs_user user = {.self = sc,
                                    .on_cm = on_conn_cm,
                                    .on_completion = on_completion,
                                    .srq = sc->request.shared ? sc->receives->srq : NULL};
    const int error = verbs->prepare(sc->conn, &cap, &user);
    if (error != 0)
        return error;
    sc->open = true;
    return post_all(&sc->own) ? 0 : ENOMEM;
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
    sink->conns = sc;
    return sc;
}

/* Registers the memory of a connection. False: the device has no more memory; what was registered
 * is released with the connection. */
static bool make_memory(struct sink_conn *sc)
{
    const struct wl_rdma_request *request = &sc->request;
    struct rdma_sink *sink = sc->sink;
    receives_begin(&sc->own, sink, request, receives_of(request));
    sc->own.limit = 0;
    sc->own.conn = sc->conn;
    sc->receives = request->shared ? shared_receives(sink, request) : &sc->own;
    sc->lengths = memory_zeroed((size_t)request->outstanding, sizeof *sc->lengths);
    const int rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    sc->mr =
        sink->verbs->reg_mr(sink->device, request->message_bytes,
                            IBV_ACCESS_LOCAL_WRITE | (request->no_right ? 0 : rights), VERBS_BULK);
    sc->own.mr = sc->mr;
    if (request->gives_back) {
        sc->giving_back = memory_new(sizeof *sc->giving_back);
        *sc->giving_back = (struct sink_return){
            .timer = {.fire = deregister_buffer, .self = sc, .due = TIME_NEVER}};
    }
    if (request->gives_back && sc->own.count > 0) /* receives keep their own memory */
        sc->own.mr = sc->giving_back->kept = sink->verbs->reg_mr(
            sink->device, request->message_bytes, IBV_ACCESS_LOCAL_WRITE, VERBS_BULK);
    return sc->mr != NULL && sc->own.mr != NULL && sc->receives != NULL;
}

static void forget(struct rdma_sink *sink, struct sink_conn *sc)
{
    sink->verbs->destroy(sc->conn);
    if (sc->own.sink != NULL)
        receives_free(&sc->own);
    if (sc->mr != NULL)
        sink->verbs->dereg_mr(sink->device, sc->mr);
    if (sc->giving_back != NULL)
        env_timer_cancel(sink->env, &sc->giving_back->timer);
    if (sc->giving_back != NULL && sc->giving_back->kept != NULL)
        sink->verbs->dereg_mr(sink->device, sc->giving_back->kept);
    free(sc->giving_back);
    free(sc->lengths);
    free(sc);
}

/* Destroys ended connections when a new one arrives: a connection cannot be destroyed during the
 * callback that reports its end, nor its timer while a wake-up is pending. */
static void clear_away(struct rdma_sink *sink)
{
    struct sink_conn **link = &sink->conns;
    while (sink->gone > 0 && *link != NULL) {
        struct sink_conn *sc = *link;
        const struct sink_return *back = sc->giving_back;
        if (!sc->gone || sc->own.timer.pending != 0 || (back != NULL && back->timer.pending != 0)) {
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

/* True if the guard allows one more connection like this one, which is already in the list. */
static bool is_admitted(const struct rdma_sink *sink, const struct sink_conn *sc,
                        const struct verbs_event *event)
{
    if (sink->guard.room == NULL)
        return true;
    uint32_t alike = 0;
    for (const struct sink_conn *other = sink->conns; other != NULL; other = other->next)
        alike += !other->gone && memcmp(&other->request, &sc->request, sizeof sc->request) == 0;
    return alike <= sink->guard.room(sink->guard.self, event->peer_ip, event->private_data);
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
    if (!is_admitted(sink, sc, event))
        reject(sc, "rdma sink: a connection that no workload of the scenario opens");
    else if (!make_memory(sc))
        reject(sc, sc->receives == NULL ? "rdma sink: the device has no shared receive queue"
                                        : "rdma sink: no memory for a connection's buffer");
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

void rdma_sink_set_guard(struct rdma_sink *sink, const struct rdma_sink_guard *guard)
{
    sink->guard = *guard;
}

void rdma_sink_destroy(struct rdma_sink *sink)
{
    struct sink_conn *next = NULL;
    for (struct sink_conn *sc = sink->conns; sc != NULL; sc = next) {
        next = sc->next;
        forget(sink, sc);
    }
    while (sink->shared != NULL) {
        struct sink_receives *shared = sink->shared;
        sink->shared = shared->next;
        receives_free(shared);
        free(shared);
    }
    free(sink);
}
