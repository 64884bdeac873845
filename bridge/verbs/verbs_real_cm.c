/* SPDX-License-Identifier: Apache-2.0
 * verbs_real_cm - connections with librdmacm.
 *   connect: create_id, bind, QP (INIT: receives may be posted), resolve_addr
 *            -> ADDR_RESOLVED: resolve_route -> ROUTE_RESOLVED: rdma_connect
 *            -> CONNECT_RESPONSE: QP to RTS, rdma_establish; its user gets ESTABLISHED
 *   listen:  CONNECT_REQUEST -> prepare (QP), accept (QP to RTS first) or reject
 * An event is copied and acknowledged before its user's callback, so that the callback may destroy
 * any other connection: rdma_destroy_id waits for unacknowledged events. */
#include "base/memory.h"
#include "bridge/verbs/verbs_real_private.h"

#include "base/check.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLVE_MS = 2000, BACKLOG = 1024 };

/* ------------------------------------------------------------------ helpers */

struct sockaddr_storage verbs_real_cm_address(uint32_t ip, uint16_t port)
{
    struct sockaddr_storage storage = {0};
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};
    memcpy(&storage, &address, sizeof address);
    return storage;
}

static uint32_t peer_ip(struct rdma_cm_id *id)
{
    struct sockaddr_in address;
    memcpy(&address, rdma_get_peer_addr(id), sizeof address);
    return address.sin_family == AF_INET ? ntohl(address.sin_addr.s_addr) : 0;
}

static void report_event(struct verbs_conn *conn, enum rdma_cm_event_type type, int status)
{
    const struct verbs_event event = {.type = type, .status = status};
    if (conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, &event);
}

/* The connection no longer counts as open, whenever it is destroyed. */
static void mark_ended(struct verbs_conn *conn)
{
    if (conn->state != REAL_OVER && conn->state != REAL_LISTENING)
        conn->device->counters.open--;
    conn->state = REAL_OVER;
}

static void on_later(void *self, time_ps now)
{
    struct verbs_conn *conn = self;
    (void)now;
    report_event(conn, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static struct verbs_conn *add_conn(struct verbs_device *device, const struct verbs_user *user,
                                   enum real_state state)
{
    struct verbs_conn *conn = memory_new(sizeof *conn);
    conn->device = device;
    conn->state = state;
    conn->resume = (struct timer){.fire = verbs_real_post_resume, .self = conn, .due = TIME_NEVER};
    conn->later = (struct timer){.fire = on_later, .self = conn, .due = TIME_NEVER};
    if (user != NULL)
        conn->user = *user;
    conn->next = device->conns;
    conn->link = &device->conns;
    if (conn->next != NULL)
        conn->next->link = &conn->next;
    device->conns = conn;
    if (state != REAL_LISTENING)
        device->counters.open++;
    return conn;
}

static uint8_t least(uint8_t a, int64_t b)
{
    return a < b ? a : (uint8_t)b;
}

static void copy_param(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    const struct verbs_real_wishes *most = &conn->device->wishes;
    conn->param = *param;
    conn->param.retry_count = least(param->retry_count, most->retry_count);
    conn->param.rnr_retry_count = least(param->rnr_retry_count, most->rnr_retry);
    static_assert(REAL_PRIVATE_MAX > UINT8_MAX, "any length fits");
    if (param->private_data_len > 0)
        memcpy(conn->private_data, param->private_data, param->private_data_len);
    conn->param.private_data = conn->private_data;
}

static int set_option(const struct verbs_conn *conn, int name, uint8_t value)
{
    return conn->device->calls->set_option(conn->id, RDMA_OPTION_ID, name, &value, sizeof value) ==
                   0
               ? 0
               : errno;
}

/* Sets the class of this end's packets; the other end uses that of the REQ. */
static int set_class(const struct verbs_conn *conn, const struct verbs_class *class)
{
    const int64_t dscp = conn->device->wishes.dscp;
    if (class->tos_set)
        return set_option(conn, RDMA_OPTION_ID_TOS, class->tos);
    return dscp == VERBS_REAL_ANY ? 0 : set_option(conn, RDMA_OPTION_ID_TOS, (uint8_t)(dscp << 2));
}

/* Sets the ACK timeout for the REQ. The kernel uses half of it as the packet lifetime (Linux
 * cma.c), so no timeout (0) cannot be requested this way. The queue pair gets the requested value
 * in any case; kernels before 5.1 do not have this option. */
static void set_timeout(const struct verbs_conn *conn)
{
    const int64_t timeout = conn->device->wishes.timeout;
    if (timeout > 0 && set_option(conn, RDMA_OPTION_ID_ACK_TIMEOUT, (uint8_t)timeout) != 0)
        conn->device->counters.refused++;
}

static int make_id(struct verbs_conn *conn, uint32_t ip, uint16_t port)
{
    const struct rdma_calls *calls = conn->device->calls;
    struct sockaddr_storage local = verbs_real_cm_address(ip, port);
    if (calls->create_id(conn->device->channel, &conn->id, conn, RDMA_PS_TCP) != 0)
        return errno;
    return calls->bind_addr(conn->id, (struct sockaddr *)&local) == 0 ? 0 : errno;
}

/* ------------------------------------------------------------------ functions of the table */

int verbs_real_cm_listen(struct verbs_device *device, uint16_t port, const struct verbs_user *user)
{
    struct verbs_conn *conn = add_conn(device, user, REAL_LISTENING);
    conn->port = port;
    int error = make_id(conn, device->site.any ? INADDR_ANY : device->site.ip, port);
    if (error == 0 && device->calls->listen(conn->id, BACKLOG) != 0)
        error = errno;
    if (error != 0)
        verbs_real_cm_destroy(conn);
    return error;
}

void verbs_real_cm_unlisten(struct verbs_device *device, uint16_t port)
{
    struct verbs_conn *next = NULL;
    for (struct verbs_conn *conn = device->conns; conn != NULL; conn = next) {
        next = conn->next;
        if (conn->state == REAL_LISTENING && conn->port == port)
            verbs_real_cm_destroy(conn);
    }
}

struct verbs_conn *verbs_real_cm_connect(struct verbs_device *device, const struct verbs_peer *peer,
                                         const struct ibv_qp_cap *cap,
                                         const struct rdma_conn_param *param,
                                         const struct verbs_user *user)
{
    struct verbs_conn *conn = add_conn(device, user, REAL_CONNECTING);
    copy_param(conn, param);
    conn->peer = verbs_real_cm_address(peer->ip, peer->port);
    device->counters.connects++;
    int error = device->removed ? ENODEV : make_id(conn, device->site.ip, 0);
    if (error == 0)
        error = set_class(conn, &peer->class);
    if (error == 0)
        error = verbs_real_qp_make(conn, cap);
    if (error == 0 && device->calls->resolve_addr(conn->id, NULL, (struct sockaddr *)&conn->peer,
                                                  RESOLVE_MS) != 0)
        error = errno;
    if (error == 0)
        return conn;
    verbs_real_cm_destroy(conn);
    errno = error;
    return NULL;
}

int verbs_real_cm_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                          const struct verbs_user *user)
{
    CHECK(conn->state == REAL_ASKED && conn->qp == NULL);
    conn->user = *user;
    return verbs_real_qp_make(conn, cap);
}

int verbs_real_cm_accept(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    copy_param(conn, param);
    conn->param.qp_num = conn->qp->qp_num;
    conn->accepted = true;
    const int error = verbs_real_qp_connect(conn);
    if (error != 0)
        return error;
    if (conn->device->calls->accept(conn->id, &conn->param) != 0)
        return errno;
    conn->device->counters.accepts++;
    conn->state = REAL_CONNECTING;
    return 0;
}

int verbs_real_cm_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len)
{
    mark_ended(conn);
    conn->device->counters.rejects++;
    return conn->device->calls->reject(conn->id, private_data, private_len) == 0 ? 0 : errno;
}

/* The CM reports the end of connections that were open. Of others it may report nothing, so their
 * end is reported here by a timer, after the caller has returned. */
void verbs_real_cm_disconnect(struct verbs_conn *conn)
{
    if (conn->state == REAL_OVER)
        return;
    const bool was_open = conn->state == REAL_OPEN;
    mark_ended(conn);
    conn->device->counters.disconnects++;
    verbs_real_qp_end(conn);
    const bool asked = conn->device->calls->disconnect(conn->id) == 0;
    if (!asked || !was_open)
        loop_env_ops.timer_set(conn->device->loop, &conn->later, loop_now(conn->device->loop));
}

void verbs_real_cm_destroy(struct verbs_conn *conn)
{
    struct verbs_device *device = conn->device;
    const struct rdma_calls *calls = device->calls;
    loop_env_ops.timer_set(device->loop, &conn->later, TIME_NEVER);
    loop_env_ops.timer_set(device->loop, &conn->resume, TIME_NEVER);
    verbs_real_qp_destroy(conn);
    if (conn->id != NULL)
        calls->destroy_id(conn->id);
    device->destroyed++;
    *conn->link = conn->next;
    if (conn->next != NULL)
        conn->next->link = conn->link;
    mark_ended(conn);
    free(conn->receives.arrivals);
    free(conn->reads.arrivals);
    free(conn);
}

/* ------------------------------------------------------------------ events */

static int resolve_route(const struct verbs_conn *conn)
{
    set_timeout(conn);
    return conn->device->calls->resolve_route(conn->id, RESOLVE_MS);
}

static int ask(struct verbs_conn *conn)
{
    conn->param.qp_num = conn->qp->qp_num;
    return conn->device->calls->connect(conn->id, &conn->param);
}

/* Steps until rdma_connect; false: the attempt is over, and the user was notified. */
static void advance_connect(struct verbs_conn *conn, const struct rdma_cm_event *event)
{
    switch (event->event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        if (resolve_route(conn) != 0)
            report_event(conn, RDMA_CM_EVENT_UNREACHABLE, -errno);
        return;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        if (ask(conn) != 0)
            report_event(conn, RDMA_CM_EVENT_CONNECT_ERROR, -errno);
        return;
    default:
        report_event(conn, RDMA_CM_EVENT_UNREACHABLE, event->status);
    }
}

/* librdmacm names the depths from the receiver's point of view (rdma_get_cm_event(3)); verbs_event
 * has them as the peer offered them. */
static struct verbs_event translate(const struct rdma_cm_event *event, const unsigned char *private)
{
    const struct rdma_conn_param *param = &event->param.conn;
    return (struct verbs_event){
        .type = event->event,
        .status = event->status,
        .responder_resources = param->initiator_depth,
        .initiator_depth = param->responder_resources,
        .private_len = param->private_data_len,
        .private_data = private,
    };
}

static void on_request(struct verbs_device *device, struct rdma_cm_id *id,
                       struct verbs_event *event, struct verbs_conn *listener)
{
    const struct verbs_real_site *site = &device->site;
    event->peer_ip = peer_ip(id);
    const bool ours = listener != NULL && id->verbs == device->context && !device->removed;
    if (!ours ||
        (site->admits != NULL && !site->admits(site->self, listener->port, event->peer_ip))) {
        device->counters.rejects += ours;
        device->calls->reject(id, NULL, 0);
        device->calls->destroy_id(id);
        return;
    }
    struct verbs_conn *conn = add_conn(device, NULL, REAL_ASKED);
    conn->id = id;
    id->context = conn;
    listener->user.on_cm(listener->user.self, conn, event);
}

/* The REP has arrived: the queue pair is connected, and the RTU sent. */
static void on_response(struct verbs_conn *conn, struct verbs_event *event)
{
    const int error = verbs_real_qp_connect(conn);
    const bool established = error == 0 && conn->device->calls->establish(conn->id) == 0;
    event->type = established ? RDMA_CM_EVENT_ESTABLISHED : RDMA_CM_EVENT_CONNECT_ERROR;
    event->status = established ? 0 : -(error != 0 ? error : errno);
}

static void on_event(struct verbs_conn *conn, struct verbs_event *event)
{
    if (event->type == RDMA_CM_EVENT_CONNECT_RESPONSE && conn->state == REAL_CONNECTING)
        on_response(conn, event);
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        if (conn->state != REAL_CONNECTING)
            return;
        conn->state = REAL_OPEN;
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        if (conn->state != REAL_OVER) {
            verbs_real_qp_end(conn);
            conn->device->calls->disconnect(conn->id);
        }
        mark_ended(conn);
        break;
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        mark_ended(conn);
        break;
    default:
        break;
    }
    loop_env_ops.timer_set(conn->device->loop, &conn->later, TIME_NEVER);
    event->peer_ip = peer_ip(conn->id);
    if (conn->user.on_cm != NULL)
        conn->user.on_cm(conn->user.self, conn, event);
}

static void dispatch(struct verbs_device *device, const struct rdma_cm_event *raw,
                     struct verbs_event *event)
{
    struct verbs_conn *conn = raw->id->context;
    switch (raw->event) {
    case RDMA_CM_EVENT_CONNECT_REQUEST:
        on_request(device, raw->id, event, raw->listen_id == NULL ? NULL : raw->listen_id->context);
        break;
    case RDMA_CM_EVENT_ADDR_RESOLVED:
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
        if (conn->state == REAL_CONNECTING)
            advance_connect(conn, raw);
        break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        verbs_real_removed(device);
        if (conn != NULL && conn->state != REAL_LISTENING)
            on_event(conn, event);
        break;
    default:
        if (conn != NULL)
            on_event(conn, event);
    }
}

void verbs_real_cm_readable(void *self)
{
    struct verbs_device *device = self;
    struct rdma_cm_event *event;
    while (device->calls->get_cm_event(device->channel, &event) == 0) {
        const struct rdma_cm_event raw = *event;
        unsigned char private[UINT8_MAX];
        const uint8_t length = raw.param.conn.private_data_len;
        if (length > 0 && raw.param.conn.private_data != NULL)
            memcpy(private, raw.param.conn.private_data, length);
        device->calls->ack_cm_event(event);
        struct verbs_event reported = translate(&raw, private);
        if (raw.param.conn.private_data == NULL)
            reported.private_len = 0;
        loop_touch(device->loop);
        dispatch(device, &raw, &reported);
    }
}
