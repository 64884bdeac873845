/* SPDX-License-Identifier: Apache-2.0
 * iwarp_conn - connections: TCP handshake, MPA request and reply, end.
 * As in siw_cm.c: the side that connects sends the MPA request with the private data of the
 * protocol; the other side's user accepts or rejects it. Each side closes after the other. */
#include "rnic/iwarp/iwarp_private.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPAREQ_TIMEOUT and MPAREP_TIMEOUT of siw; and the time for the peer's FIN, assumed. */
#define MPA_LIMIT (10 * PS_PER_S)
#define LINGER    PS_PER_S

enum { NO_SERVICE = 8, BY_CONSUMER = 28 }; /* REJ reasons, IBTA Vol 1 12.6.7.2 */

static const struct env *env_of(const struct verbs_conn *conn)
{
    return conn->device->site.env;
}

static void set_limit(struct verbs_conn *conn, time_ps after)
{
    env_timer_set(env_of(conn), &conn->limit, env_now(env_of(conn)) + after);
}

/* The stream ends, and the peer has some time to end it, too. */
static void close_stream(struct verbs_conn *conn)
{
    conn->state = IWARP_OVER;
    iwarp_streams(conn)->close(conn->stream);
    set_limit(conn, LINGER);
}

void iwarp_later(struct verbs_conn *conn)
{
    if (conn->later.due == TIME_NEVER)
        env_timer_set(env_of(conn), &conn->later, env_now(env_of(conn)));
}

/* ---- events ---- */

static void report(struct verbs_conn *conn, struct verbs_event *event)
{
    event->peer_ip = conn->peer_ip;
    if (conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, event);
}

/* The connection ends, which its user hears once. A stranger has none. */
static void end_conn(struct verbs_conn *conn, enum rdma_cm_event_type type, int status)
{
    const bool stranger = conn->state == IWARP_STRANGER;
    struct verbs_event event = {.type = type, .status = status};
    if (conn->state == IWARP_OVER)
        return;
    conn->state = IWARP_OVER;
    if (!conn->ended)
        iwarp_streams(conn)->close(conn->stream);
    set_limit(conn, LINGER);
    iwarp_give_back(conn);
    if (!stranger && conn->stream != NULL)
        report(conn, &event);
}

void iwarp_fail(struct verbs_conn *conn, const struct iwarp_fault *fault)
{
    const struct env *env = env_of(conn);
    char text[128];
    if (conn->failed)
        return;
    conn->failed = true;
    snprintf(text, sizeof text, "iWARP: %s", fault->why);
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
    if (!conn->terminated)
        iwarp_send_terminate(conn, fault);
    iwarp_later(conn);
}

static void deliver(struct verbs_conn *conn)
{
    if (conn->established) {
        struct verbs_event event = {.type = RDMA_CM_EVENT_ESTABLISHED};
        conn->established = false;
        report(conn, &event);
    }
    for (uint32_t i = 0; i < conn->wc_count; i++) { /* none is left of a destroyed connection */
        const struct ibv_wc wc = conn->wcs[i];
        conn->user.on_completion(conn->user.self, conn, &wc);
    }
    conn->wc_count = 0;
}

/* ---- MPA ---- */

static uint32_t put_frame(struct verbs_conn *conn, const struct iwarp_mpa *mpa,
                          const void *private_data)
{
    const uint32_t bytes = iwarp_mpa_encode(mpa, conn->mpa);
    if (mpa->private_len > 0)
        memcpy(conn->mpa + bytes, private_data, mpa->private_len);
    return bytes + mpa->private_len;
}

/* A send buffer has room for the first frame. */
static bool send_frame(struct verbs_conn *conn, uint32_t bytes)
{
    const struct stream_piece piece = {.bytes = conn->mpa, .length = bytes};
    return iwarp_streams(conn)->send(conn->stream, &piece) == bytes;
}

static void on_connected(void *self, struct stream_conn *stream)
{
    struct verbs_conn *conn = self;
    (void)stream;
    const bool sent = send_frame(conn, conn->mpa_bytes);
    set_limit(conn, MPA_LIMIT);
    conn->mpa_bytes = 0;
    if (!sent)
        end_conn(conn, RDMA_CM_EVENT_UNREACHABLE, -ENOBUFS);
}

/* True: a whole frame has arrived. */
static bool read_frame(struct verbs_conn *conn, bool *valid)
{
    const struct stream_ops *streams = iwarp_streams(conn);
    uint32_t wanted = IWARP_MPA_BYTES;
    for (;;) {
        if (conn->mpa_bytes < wanted)
            conn->mpa_bytes +=
                streams->read(conn->stream, conn->mpa + conn->mpa_bytes, wanted - conn->mpa_bytes);
        if (conn->mpa_bytes < wanted)
            return false;
        const int32_t behind = iwarp_mpa_begin(conn->mpa, conn->state == IWARP_CONNECTING);
        *valid = behind >= 0;
        if (!*valid || conn->mpa_bytes == IWARP_MPA_BYTES + (uint32_t)behind)
            return *valid;
        wanted = IWARP_MPA_BYTES + (uint32_t)behind;
    }
}

static void open_conn(struct verbs_conn *conn, bool crc)
{
    struct stream_info info;
    iwarp_streams(conn)->info(conn->stream, &info);
    conn->segment = info.mss;
    conn->crc = crc;
    conn->state = IWARP_OPEN;
    env_timer_cancel(env_of(conn), &conn->limit);
}

static const unsigned char *private_of(const struct verbs_conn *conn, const struct iwarp_mpa *mpa)
{
    return conn->mpa + IWARP_MPA_BYTES + (mpa->enhanced ? IWARP_MPA_ENHANCED_BYTES : 0);
}

static void on_reply(struct verbs_conn *conn, const struct iwarp_mpa *mpa)
{
    struct verbs_event event = {.type = RDMA_CM_EVENT_ESTABLISHED,
                                .private_len = (uint8_t)mpa->private_len,
                                .private_data = private_of(conn, mpa)};
    if (mpa->reject) {
        close_stream(conn);
        event.type = RDMA_CM_EVENT_REJECTED;
        event.status = BY_CONSUMER;
    } else {
        if (mpa->enhanced && mpa->ird < conn->ord)
            conn->ord = mpa->ird;
        open_conn(conn, conn->device->params.crc != 0 || mpa->crc);
    }
    report(conn, &event);
}

static void on_request(struct verbs_conn *conn, const struct iwarp_mpa *mpa)
{
    struct verbs_event event = {.type = RDMA_CM_EVENT_CONNECT_REQUEST,
                                .responder_resources = (uint8_t)iwarp_min(mpa->ird, UINT8_MAX),
                                .initiator_depth = (uint8_t)iwarp_min(mpa->ord, UINT8_MAX),
                                .private_len = (uint8_t)mpa->private_len,
                                .private_data = private_of(conn, mpa)};
    conn->crc = conn->device->params.crc != 0 || mpa->crc;
    conn->ird = mpa->enhanced ? mpa->ord : (uint16_t)conn->device->params.reads;
    conn->state = IWARP_ASKED;
    env_timer_cancel(env_of(conn), &conn->limit);
    report(conn, &event);
}

static void take_frame(struct verbs_conn *conn)
{
    struct iwarp_mpa mpa = {0};
    bool valid = true;
    const char *why = NULL;
    const bool asks = conn->state == IWARP_CONNECTING;
    if (!read_frame(conn, &valid) && valid)
        return;
    valid = valid && iwarp_mpa_decode(&mpa, conn->mpa, &why) && mpa.private_len <= UINT8_MAX;
    if (!valid)
        end_conn(conn, asks ? RDMA_CM_EVENT_REJECTED : RDMA_CM_EVENT_DISCONNECTED,
                 asks ? BY_CONSUMER : 0);
    else if (asks)
        on_reply(conn, &mpa);
    else
        on_request(conn, &mpa);
}

/* ---- stream ---- */

static void attend(struct verbs_conn *conn)
{
    if (conn->stream == NULL)
        return;
    conn->busy++;
    if (conn->state == IWARP_CONNECTING || conn->state == IWARP_STRANGER)
        take_frame(conn);
    if (conn->stream != NULL)
        iwarp_receive(conn);
    if (conn->stream != NULL)
        deliver(conn);
    if (conn->stream != NULL &&
        (conn->failed || (!conn->ended && iwarp_streams(conn)->ended(conn->stream))))
        end_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
    conn->busy--;
}

static void on_later(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    attend(conn);
}

static void on_readable(void *self, struct stream_conn *stream)
{
    (void)stream;
    attend(self);
}

static void on_writable(void *self, struct stream_conn *stream)
{
    (void)stream;
    iwarp_flush(self);
}

static void report_parted(struct verbs_conn *conn)
{
    struct verbs_event event = {.type = RDMA_CM_EVENT_DISCONNECTED};
    if (!conn->parting)
        return;
    conn->parting = false;
    iwarp_give_back(conn);
    report(conn, &event);
}

static void on_closed(void *self, struct stream_conn *stream, int error)
{
    struct verbs_conn *conn = self;
    (void)stream;
    const bool asks = conn->state == IWARP_CONNECTING;
    conn->busy++;
    conn->ended = true;
    if (asks && error == ECONNREFUSED)
        end_conn(conn, RDMA_CM_EVENT_REJECTED, NO_SERVICE);
    else if (asks)
        end_conn(conn, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
    else
        end_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
    env_timer_cancel(env_of(conn), &conn->limit);
    report_parted(conn);
    conn->busy--;
}

/* No MPA frame in time, or no FIN. */
static void on_limit(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    if (conn->stream == NULL)
        return;
    conn->busy++;
    if (!conn->ended)
        iwarp_streams(conn)->reset(conn->stream);
    conn->ended = true;
    if (conn->state == IWARP_CONNECTING)
        end_conn(conn, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
    else
        end_conn(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
    env_timer_cancel(env_of(conn), &conn->limit);
    report_parted(conn);
    conn->busy--;
}

/* ---- life ---- */

static struct stream_user user_of(struct verbs_conn *conn)
{
    return (struct stream_user){.self = conn,
                                .on_connected = on_connected,
                                .on_readable = on_readable,
                                .on_writable = on_writable,
                                .on_closed = on_closed};
}

static struct verbs_conn *add_conn(struct verbs_device *device, enum iwarp_state state, uint32_t ip)
{
    struct verbs_conn *conn = memory_zeroed(1, sizeof *conn);
    conn->device = device;
    conn->state = state;
    conn->peer_ip = ip;
    conn->number = ++device->numbers;
    conn->later = (struct timer){.fire = on_later, .self = conn, .due = TIME_NEVER};
    conn->limit = (struct timer){.fire = on_limit, .self = conn, .due = TIME_NEVER};
    conn->next = device->conns;
    device->conns = conn;
    return conn;
}

static void make_queues(struct verbs_conn *conn, const struct ibv_qp_cap *cap)
{
    conn->sends.room = cap->max_send_wr > 0 ? cap->max_send_wr : 1;
    conn->sq = memory_zeroed(conn->sends.room, sizeof *conn->sq);
    conn->receives.room = cap->max_recv_wr > 0 ? cap->max_recv_wr : 1;
    conn->rq = memory_zeroed(conn->receives.room, sizeof *conn->rq);
    conn->lined.room = conn->sends.room + UINT8_MAX;
    conn->line = memory_zeroed(conn->lined.room, sizeof *conn->line);
    conn->reads_served.room = conn->reads_issued.room = UINT8_MAX;
    conn->answers = memory_zeroed(UINT8_MAX, sizeof *conn->answers);
    conn->reads = memory_zeroed(UINT8_MAX, sizeof *conn->reads);
}

static bool on_accept(void *self, struct stream_conn *stream, uint32_t peer_ip,
                      struct stream_user *user)
{
    const struct iwarp_listener *listener = self;
    struct verbs_conn *conn = add_conn(listener->device, IWARP_STRANGER, peer_ip);
    conn->stream = stream;
    conn->user = listener->user;
    set_limit(conn, MPA_LIMIT);
    *user = user_of(conn);
    return true;
}

int iwarp_listen(struct verbs_device *device, uint16_t port, const struct verbs_user *user)
{
    const struct iwarp_site *site = &device->site;
    struct iwarp_listener *own = memory_zeroed(1, sizeof *own);
    *own = (struct iwarp_listener){.device = device,
                                   .next = device->listeners,
                                   .user = *user,
                                   .port = (uint16_t)(port + IWARP_PORT_OFFSET)};
    const struct stream_listener listener = {.self = own, .on_accept = on_accept};
    if (!site->streams->listen(site->stream, own->port, &listener)) {
        free(own);
        return EADDRINUSE;
    }
    device->listeners = own;
    return 0;
}

void iwarp_unlisten(struct verbs_device *device, uint16_t port)
{
    const struct iwarp_site *site = &device->site;
    struct iwarp_listener **link = &device->listeners;
    while (*link != NULL && (*link)->port != port + IWARP_PORT_OFFSET)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    struct iwarp_listener *own = *link;
    site->streams->unlisten(site->stream, own->port);
    *link = own->next;
    free(own);
}

struct verbs_conn *iwarp_connect(struct verbs_device *device, const struct verbs_peer *peer,
                                 const struct ibv_qp_cap *cap, const struct rdma_conn_param *param,
                                 const struct verbs_user *user)
{
    const struct iwarp_site *site = &device->site;
    struct verbs_conn *conn = add_conn(device, IWARP_CONNECTING, peer->ip);
    conn->user = *user;
    make_queues(conn, cap);
    conn->ird = param->responder_resources;
    conn->ord = param->initiator_depth;
    const struct iwarp_mpa mpa = {.crc = device->params.crc != 0,
                                  .enhanced = true,
                                  .ird = conn->ird,
                                  .ord = conn->ord,
                                  .private_len = param->private_data_len};
    conn->mpa_bytes = put_frame(conn, &mpa, param->private_data);
    const struct stream_peer to = {.ip = peer->ip,
                                   .port = (uint16_t)(peer->port + IWARP_PORT_OFFSET),
                                   .class = {.dscp_set = peer->class.tos_set,
                                             .priority_set = peer->class.priority_set,
                                             .dscp = peer->class.tos >> 2,
                                             .priority = peer->class.priority}};
    const struct stream_user stream_user = user_of(conn);
    conn->stream = site->streams->connect(site->stream, &to, &stream_user);
    if (conn->stream != NULL)
        return conn;
    iwarp_destroy(conn);
    return NULL;
}

int iwarp_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                  const struct verbs_user *user)
{
    if (conn->state != IWARP_ASKED || conn->sq != NULL)
        return EINVAL;
    conn->user = *user;
    make_queues(conn, cap);
    return 0;
}

/* READs that the peer serves limit those that this side issues, and the other way round. */
int iwarp_accept(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    if (conn->state != IWARP_ASKED || conn->sq == NULL)
        return EINVAL;
    conn->ord = param->initiator_depth;
    const struct iwarp_mpa mpa = {.reply = true,
                                  .crc = conn->crc,
                                  .enhanced = true,
                                  .ird = conn->ird,
                                  .ord = conn->ord,
                                  .private_len = param->private_data_len};
    if (!send_frame(conn, put_frame(conn, &mpa, param->private_data)))
        return EINVAL;
    open_conn(conn, conn->crc);
    conn->established = true;
    iwarp_later(conn);
    return 0;
}

int iwarp_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    const struct iwarp_mpa mpa = {.reply = true,
                                  .crc = conn->crc,
                                  .reject = true,
                                  .enhanced = true,
                                  .private_len = private_len};
    if (conn->state != IWARP_ASKED)
        return EINVAL;
    const bool sent = send_frame(conn, put_frame(conn, &mpa, private_data));
    close_stream(conn);
    return sent ? 0 : EINVAL;
}

void iwarp_disconnect(struct verbs_conn *conn)
{
    const bool over = conn->state == IWARP_OVER;
    conn->parting = true;
    conn->wc_count = 0;
    if (conn->ended || conn->stream == NULL) {
        conn->state = IWARP_OVER;
        set_limit(conn, 0);
        return;
    }
    if (over)
        return;
    close_stream(conn);
}

void iwarp_destroy(struct verbs_conn *conn)
{
    struct verbs_device *device = conn->device;
    struct verbs_conn **link = &device->conns;
    struct stream_info info;
    env_timer_cancel(env_of(conn), &conn->later);
    env_timer_cancel(env_of(conn), &conn->limit);
    if (conn->stream != NULL) {
        iwarp_streams(conn)->info(conn->stream, &info);
        conn->cpu = info.cpu;
        iwarp_streams(conn)->destroy(conn->stream);
        conn->stream = NULL;
    }
    while (*link != conn)
        link = &(*link)->next;
    *link = conn->next;
    free(conn->sq);
    free(conn->rq);
    free(conn->line);
    free(conn->answers);
    free(conn->reads);
    free(conn->wcs);
    conn->wcs = NULL;
    conn->wc_count = 0;
    conn->parting = conn->established = false;
    conn->next = device->dead;
    device->dead = conn;
    iwarp_free_dead(device, false);
}
