/* SPDX-License-Identifier: Apache-2.0
 * verbs_tcp - frames, connections, receives. */
#include "bridge/streams/verbs_tcp.h"

#include "base/check.h"
#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 8,
    BODY_MAX = 256, /* all private data and all messages are smaller */
    RECEIVES = 4,   /* posted at the same time */
    STRANGERS = 64, /* connections without a REQ; a further one replaces the oldest */
    NO_SERVICE = 8, /* REJ reasons, IBTA Vol 1 12.6.7.2 */
    BY_CONSUMER = 28
};

static const time_ps patience = 10 * PS_PER_S;

enum frame_type { FRAME_REQ = 1, FRAME_REP, FRAME_REJ, FRAME_MESSAGE };

enum link_state {
    LINK_CONNECTING, /* the REP or REJ has not arrived */
    LINK_STRANGER,   /* accepted, the REQ has not arrived */
    LINK_ASKED,      /* neither accepted nor rejected */
    LINK_OPEN,
    LINK_OVER
};

static const unsigned char magic[4] = {'s', 'g', 'a', 'g'};

struct receive {
    unsigned char *bytes;
    uint32_t length;
    uint64_t wr_id;
};

struct verbs_conn {
    struct verbs_device *device;
    struct verbs_conn *next, **link;
    struct stream_conn *stream;
    struct verbs_user user; /* of a stranger: the listener's */
    enum link_state state;
    struct timer limit; /* of a stranger; later calls of a connection that its user left */
    struct receive receives[RECEIVES];
    uint32_t first, posted;
    unsigned char frame[HEADER_BYTES + BODY_MAX]; /* arriving */
    uint32_t got;
    unsigned char request[BODY_MAX]; /* to be sent when connected */
    uint8_t request_bytes;
};

struct port {
    struct verbs_device *device;
    struct port *next;
    struct verbs_user user;
    uint16_t port;
};

struct verbs_device {
    struct stream_device *streams;
    struct env env;
    struct verbs_conn *conns; /* the newest first */
    struct port *ports;
};

/* ---- frames out ---- */

/* Frames are small and few, so a send buffer without room belongs to a peer that does not read. */
static bool send_frame(struct verbs_conn *conn, enum frame_type type, const void *bytes,
                       uint32_t length)
{
    unsigned char frame[HEADER_BYTES + BODY_MAX] = {0};
    CHECK(length <= BODY_MAX);
    memcpy(frame, magic, sizeof magic);
    frame[4] = (unsigned char)type;
    wire_put16(frame + 6, (uint16_t)length);
    if (length > 0)
        memcpy(frame + HEADER_BYTES, bytes, length);
    const struct stream_piece piece = {.bytes = frame, .length = HEADER_BYTES + length};
    return conn->stream != NULL && stream_real.send(conn->stream, &piece) == piece.length;
}

/* ---- end ---- */

static void tell(struct verbs_conn *conn, enum rdma_cm_event_type type, int status,
                 const unsigned char *bytes, uint32_t length)
{
    const struct verbs_event event = {.type = type,
                                      .status = status,
                                      .peer_ip = stream_real.peer_ip(conn->stream),
                                      .private_len = (uint8_t)length,
                                      .private_data = bytes};
    if (conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, &event);
}

static void call_soon(struct verbs_conn *conn)
{
    env_timer_set(&conn->device->env, &conn->limit, env_now(&conn->device->env));
}

/* The connection ends, which its user hears. A stranger has none, and is freed. */
static void end_link(struct verbs_conn *conn, enum rdma_cm_event_type type, int status)
{
    stream_real.close(conn->stream);
    if (conn->state == LINK_STRANGER) {
        call_soon(conn);
        return;
    }
    conn->state = LINK_OVER;
    tell(conn, type, status, NULL, 0);
}

static void free_link(struct verbs_conn *conn)
{
    env_timer_cancel(&conn->device->env, &conn->limit);
    if (conn->stream != NULL)
        stream_real.destroy(conn->stream);
    *conn->link = conn->next;
    if (conn->next != NULL)
        conn->next->link = conn->link;
    free(conn);
}

static void on_limit(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    if (conn->state == LINK_STRANGER)
        free_link(conn);
    else
        tell(conn, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, 0);
}

/* ---- frames in ---- */

static uint32_t body_bytes(const struct verbs_conn *conn)
{
    return wire_get16(conn->frame + 6);
}

static bool header_is_valid(const struct verbs_conn *conn)
{
    return memcmp(conn->frame, magic, sizeof magic) == 0 && conn->frame[4] >= FRAME_REQ &&
           conn->frame[4] <= FRAME_MESSAGE && conn->frame[5] == 0 && body_bytes(conn) <= BODY_MAX;
}

/* True: a whole frame has arrived. *valid: it may still be one. */
static bool read_frame(struct verbs_conn *conn, bool *valid)
{
    uint32_t wanted = HEADER_BYTES;
    *valid = true;
    for (;;) {
        if (conn->got < wanted)
            conn->got +=
                stream_real.read(conn->stream, conn->frame + conn->got, wanted - conn->got);
        if (conn->got < wanted)
            return false;
        if (wanted == HEADER_BYTES) {
            *valid = header_is_valid(conn);
            if (!*valid)
                return false;
            wanted += body_bytes(conn);
        }
        if (conn->got == wanted)
            return true;
    }
}

/* A message without a posted receive, or larger than it, ends the connection, as it moves a queue
 * pair to the error state. */
static void on_message(struct verbs_conn *conn, const unsigned char *bytes, uint32_t length)
{
    const struct receive to = conn->receives[conn->first];
    struct ibv_wc wc = {.status = IBV_WC_LOC_LEN_ERR, .opcode = IBV_WC_RECV, .byte_len = length};
    if (conn->posted == 0) {
        end_link(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
        return;
    }
    conn->first = (conn->first + 1) % RECEIVES;
    conn->posted--;
    wc.wr_id = to.wr_id;
    if (length <= to.length) {
        wc.status = IBV_WC_SUCCESS;
        memcpy(to.bytes, bytes, length);
    }
    conn->user.on_completion(conn->user.self, conn, &wc);
}

/* False: the frame is out of order. */
static bool on_frame(struct verbs_conn *conn)
{
    const unsigned char *body = conn->frame + HEADER_BYTES;
    const uint32_t length = body_bytes(conn);
    switch (conn->frame[4]) {
    case FRAME_REQ:
        if (conn->state != LINK_STRANGER || length > VERBS_REQ_PRIVATE_MAX)
            return false;
        env_timer_cancel(&conn->device->env, &conn->limit);
        conn->state = LINK_ASKED;
        tell(conn, RDMA_CM_EVENT_CONNECT_REQUEST, 0, body, length);
        return true;
    case FRAME_REP:
        if (conn->state != LINK_CONNECTING || length > VERBS_REP_PRIVATE_MAX)
            return false;
        conn->state = LINK_OPEN;
        tell(conn, RDMA_CM_EVENT_ESTABLISHED, 0, body, length);
        return true;
    case FRAME_REJ:
        if (conn->state != LINK_CONNECTING || length > VERBS_REJ_PRIVATE_MAX)
            return false;
        conn->state = LINK_OVER;
        stream_real.close(conn->stream);
        tell(conn, RDMA_CM_EVENT_REJECTED, BY_CONSUMER, body, length);
        return true;
    default:
        if (conn->state != LINK_OPEN)
            return false;
        on_message(conn, body, length);
        return true;
    }
}

/* What a peer sends that is no agreement is a rejection without a reason to the side that
 * connects. */
static void end_garbage(struct verbs_conn *conn)
{
    const bool asking = conn->state == LINK_CONNECTING;
    end_link(conn, asking ? RDMA_CM_EVENT_REJECTED : RDMA_CM_EVENT_DISCONNECTED,
             asking ? BY_CONSUMER : 0);
}

static void on_readable(void *self, struct stream_conn *stream)
{
    struct verbs_conn *conn = self;
    bool valid = true;
    while (conn->state != LINK_OVER && read_frame(conn, &valid)) {
        conn->got = 0;
        if (!on_frame(conn)) {
            valid = false;
            break;
        }
    }
    if (conn->state != LINK_OVER && (!valid || stream_real.ended(stream)))
        end_garbage(conn);
}

static void on_closed(void *self, struct stream_conn *stream, int error)
{
    struct verbs_conn *conn = self;
    (void)stream;
    if (conn->state == LINK_CONNECTING && error == ECONNREFUSED)
        end_link(conn, RDMA_CM_EVENT_REJECTED, NO_SERVICE);
    else if (conn->state == LINK_CONNECTING)
        end_link(conn, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
    else if (conn->state != LINK_OVER)
        end_link(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void on_connected(void *self, struct stream_conn *stream)
{
    struct verbs_conn *conn = self;
    (void)stream;
    if (!send_frame(conn, FRAME_REQ, conn->request, conn->request_bytes))
        end_link(conn, RDMA_CM_EVENT_UNREACHABLE, -ENOBUFS);
}

/* ---- connections ---- */

static struct stream_user stream_user_of(struct verbs_conn *conn)
{
    return (struct stream_user){.self = conn,
                                .on_connected = on_connected,
                                .on_readable = on_readable,
                                .on_closed = on_closed};
}

static struct verbs_conn *add_link(struct verbs_device *device, enum link_state state)
{
    struct verbs_conn *conn = memory_zeroed(1, sizeof *conn);
    conn->device = device;
    conn->state = state;
    conn->limit = (struct timer){.fire = on_limit, .self = conn, .due = TIME_NEVER};
    conn->next = device->conns;
    conn->link = &device->conns;
    if (conn->next != NULL)
        conn->next->link = &conn->next;
    device->conns = conn;
    return conn;
}

/* Makes room for one more. */
static void bound_strangers(struct verbs_device *device)
{
    struct verbs_conn *oldest = NULL;
    uint32_t count = 0;
    for (struct verbs_conn *at = device->conns; at != NULL; at = at->next)
        if (at->state == LINK_STRANGER) {
            oldest = at;
            count++;
        }
    if (count >= STRANGERS)
        free_link(oldest);
}

static bool on_accept(void *self, struct stream_conn *stream, uint32_t peer_ip,
                      struct stream_user *user)
{
    struct port *port = self;
    struct verbs_device *device = port->device;
    (void)peer_ip;
    bound_strangers(device);
    struct verbs_conn *conn = add_link(device, LINK_STRANGER);
    conn->stream = stream;
    conn->user = port->user;
    env_timer_set(&device->env, &conn->limit, env_now(&device->env) + patience);
    *user = stream_user_of(conn);
    return true;
}

static int listen_at(struct verbs_device *device, uint16_t number, const struct verbs_user *user)
{
    struct port *port = memory_zeroed(1, sizeof *port);
    *port = (struct port){.device = device, .next = device->ports, .user = *user, .port = number};
    const struct stream_listener listener = {.self = port, .on_accept = on_accept};
    if (!stream_real.listen(device->streams, number, &listener)) {
        free(port);
        return errno;
    }
    device->ports = port;
    return 0;
}

static void unlisten(struct verbs_device *device, uint16_t number)
{
    struct port **link = &device->ports;
    stream_real.unlisten(device->streams, number);
    while (*link != NULL) {
        struct port *port = *link;
        if (port->port != number) {
            link = &port->next;
            continue;
        }
        *link = port->next;
        free(port);
    }
}

static struct verbs_conn *connect_to(struct verbs_device *device, const struct verbs_peer *peer,
                                     const struct ibv_qp_cap *cap,
                                     const struct rdma_conn_param *param,
                                     const struct verbs_user *user)
{
    (void)cap;
    struct verbs_conn *conn = add_link(device, LINK_CONNECTING);
    const struct stream_peer to = {.ip = peer->ip, .port = peer->port};
    const struct stream_user with = stream_user_of(conn);
    conn->user = *user;
    conn->request_bytes = param->private_data_len;
    if (param->private_data_len > 0)
        memcpy(conn->request, param->private_data, param->private_data_len);
    conn->stream = stream_real.connect(device->streams, &to, &with);
    if (conn->stream != NULL)
        return conn;
    free_link(conn);
    return NULL;
}

static int prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                   const struct verbs_user *user)
{
    (void)cap;
    conn->user = *user;
    return conn->state == LINK_ASKED ? 0 : ENOTCONN;
}

static int accept_link(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    if (conn->state != LINK_ASKED ||
        !send_frame(conn, FRAME_REP, param->private_data, param->private_data_len))
        return ENOTCONN;
    conn->state = LINK_OPEN;
    return 0;
}

static int reject_link(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    const bool asked = conn->state == LINK_ASKED;
    const bool sent = asked && send_frame(conn, FRAME_REJ, private_data, private_len);
    conn->state = LINK_OVER;
    stream_real.close(conn->stream);
    return sent ? 0 : ENOTCONN;
}

static void disconnect_link(struct verbs_conn *conn)
{
    if (conn->state == LINK_OVER)
        return;
    conn->state = LINK_OVER;
    stream_real.close(conn->stream);
    call_soon(conn);
}

/* ---- memory and messages ---- */

static struct verbs_mr *reg_mr(struct verbs_device *device, uint32_t length, int access,
                               enum verbs_memory memory)
{
    (void)device, (void)access;
    struct verbs_mr *mr = memory_zeroed(1, sizeof *mr);
    unsigned char *bytes = memory_zeroed(length, 1);
    CHECK(memory == VERBS_BYTES);
    *mr = (struct verbs_mr){
        .addr = (uint64_t)(uintptr_t)bytes, .length = length, .memory = memory, .bytes = bytes};
    return mr;
}

static void dereg_mr(struct verbs_device *device, struct verbs_mr *mr)
{
    (void)device;
    free(mr->bytes);
    free(mr);
}

static int post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    *bad = wr;
    CHECK(wr->next == NULL && wr->num_sge == 1);
    if (conn->state == LINK_OVER)
        return ENOTCONN;
    if (conn->posted == RECEIVES)
        return ENOMEM;
    conn->receives[(conn->first + conn->posted++) % RECEIVES] =
        (struct receive){.bytes = (unsigned char *)(uintptr_t)wr->sg_list->addr,
                         .length = wr->sg_list->length,
                         .wr_id = wr->wr_id};
    return 0;
}

static int post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    *bad = wr;
    CHECK(wr->next == NULL && wr->num_sge == 1 && wr->opcode == IBV_WR_SEND);
    const void *bytes = (const void *)(uintptr_t)wr->sg_list->addr;
    if (conn->state != LINK_OPEN || !send_frame(conn, FRAME_MESSAGE, bytes, wr->sg_list->length))
        return ENOTCONN;
    return 0;
}

/* ---- device ---- */

struct verbs_device *verbs_tcp_open(const struct stream_real_site *site)
{
    struct stream_device *streams = stream_real_open(site);
    if (streams == NULL)
        return NULL;
    struct verbs_device *device = memory_zeroed(1, sizeof *device);
    device->streams = streams;
    device->env = (struct env){.ops = &loop_env_ops, .world = site->loop, .owner = "agree"};
    return device;
}

void verbs_tcp_close(struct verbs_device *device)
{
    while (device->conns != NULL)
        free_link(device->conns);
    while (device->ports != NULL)
        unlisten(device, device->ports->port);
    stream_real_close(device->streams);
    free(device);
}

struct stream_device *verbs_tcp_streams(const struct verbs_device *device)
{
    return device->streams;
}

const struct verbs_ops verbs_tcp = {
    .name = "tcp",
    .reg_mr = reg_mr,
    .dereg_mr = dereg_mr,
    .listen = listen_at,
    .unlisten = unlisten,
    .connect = connect_to,
    .prepare = prepare,
    .accept = accept_link,
    .reject = reject_link,
    .disconnect = disconnect_link,
    .destroy = free_link,
    .post_send = post_send,
    .post_recv = post_recv,
};
