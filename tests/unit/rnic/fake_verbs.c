/* SPDX-License-Identifier: Apache-2.0
 * fake_verbs - reliable connections between fake devices. */
#include "tests/unit/rnic/fake_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t gather(const struct verbs_device *device, const struct ibv_sge *sges, int count,
                       struct fake_event *event)
{
    uint32_t length = 0;
    event->bytes = calloc(1, MESSAGE_MAX);
    CHECK(event->bytes != NULL);
    for (int i = 0; i < count; i++) {
        const struct fake_mr *fake = fake_find(device, sges[i].lkey, sges[i].addr, sges[i].length);
        CHECK(fake != NULL);
        if (fake->mr.bytes != NULL) {
            memcpy(event->bytes + length, fake->mr.bytes + (sges[i].addr - fake->mr.addr),
                   sges[i].length);
            event->real = length + sges[i].length;
        } else {
            event->content = fake->mr.content;
        }
        length += sges[i].length;
    }
    return length;
}

static bool scatter(const struct verbs_device *device, const struct ibv_sge *sges, int count,
                    const struct fake_event *event)
{
    uint32_t at = 0;
    for (int i = 0; i < count && at < event->length; i++) {
        struct fake_mr *fake = fake_find(device, sges[i].lkey, sges[i].addr, sges[i].length);
        CHECK(fake != NULL);
        const uint32_t left = event->length - at;
        const uint32_t part = left < sges[i].length ? left : sges[i].length;
        if (fake->mr.bytes != NULL && at < event->real)
            memcpy(fake->mr.bytes + (sges[i].addr - fake->mr.addr), event->bytes + at,
                   event->real - at < part ? event->real - at : part);
        if (fake->mr.memory == VERBS_BULK && event->real < event->length)
            fake->mr.content = event->content;
        at += part;
    }
    return at == event->length;
}

static void complete(struct verbs_conn *conn, const struct ibv_wc *wc, time_ps at)
{
    struct fake_event *event = fake_schedule(conn->device->world, COMPLETE, at);
    event->conn = conn;
    event->wc = *wc;
}

static void finish(const struct fake_event *event, enum ibv_wc_status status)
{
    struct verbs_conn *sender = event->conn->peer;
    struct fake_world *world = sender->device->world;
    if (status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR)
        world->bad++;
    if (status == IBV_WC_SUCCESS && (event->wr.send_flags & IBV_SEND_SIGNALED) == 0)
        return;
    const struct ibv_wc wc = {.wr_id = event->wr.wr_id, .status = status};
    complete(sender, &wc, world->now + FAKE_DELAY);
}

static void tell(struct verbs_conn *conn, enum rdma_cm_event_type type, time_ps at)
{
    struct fake_event *event = fake_schedule(conn->device->world, CM, at);
    event->conn = conn;
    event->cm = (struct verbs_event){.type = type};
}

static void shut(struct verbs_conn *conn)
{
    if (conn == NULL || !conn->open)
        return;
    conn->open = false;
    const time_ps at = conn->device->world->now + FAKE_DELAY;
    for (struct receive *r = conn->first; r != NULL; r = r->next) {
        const struct ibv_wc wc = {.wr_id = r->wr_id, .status = IBV_WC_WR_FLUSH_ERR};
        complete(conn, &wc, at);
    }
    fake_free_receives(conn);
    if (!conn->reported)
        tell(conn, RDMA_CM_EVENT_DISCONNECTED, at);
    conn->reported = true;
}

static void disconnect(struct verbs_conn *conn)
{
    shut(conn);
    shut(conn->peer);
}

void fake_break(struct fake_world *world)
{
    for (unsigned i = 0; i < FAKE_DEVICES && world->devices[i] != NULL; i++)
        for (struct verbs_conn *c = world->devices[i]->conns; c != NULL; c = c->next)
            shut(c);
}

/* ---- messages ---- */

static void note(const struct fake_event *event)
{
    struct fake_world *world = event->conn->device->world;
    if (world->logged < FAKE_LOG_MAX) {
        struct fake_message *message = &world->log[world->logged];
        *message = (struct fake_message){
            .at = world->now,
            .from_ip = event->conn->peer->device->ip,
            .opcode = event->wr.opcode,
            .length = event->length,
        };
        if (event->wr.opcode == IBV_WR_SEND_WITH_INV)
            message->invalidated = event->wr.invalidate_rkey;
        if (event->bytes != NULL)
            memcpy(message->head, event->bytes, FAKE_HEAD_BYTES);
    }
    world->logged++;
}

static struct fake_mr *invalidatable(const struct verbs_device *device, uint32_t key)
{
    struct fake_mr *fake = key >> 8 < device->mr_count ? device->mrs[key >> 8] : NULL;
    return fake != NULL && fake->valid && fake->mr.rkey == key ? fake : NULL;
}

static bool has_receive(const struct verbs_conn *conn)
{
    return (conn->user.srq != NULL ? conn->user.srq->first : conn->first) != NULL;
}

static struct receive *take_receive(struct verbs_conn *conn)
{
    struct receive *receive = conn->first;
    if (conn->user.srq != NULL)
        return fake_srq_take(conn->user.srq);
    conn->first = receive->next;
    if (conn->first == NULL)
        conn->last = NULL;
    return receive;
}

static enum ibv_wc_status arrive_send(struct fake_event *event)
{
    struct verbs_conn *conn = event->conn;
    struct fake_world *world = conn->device->world;
    struct receive *receive = take_receive(conn);
    if (world->spoil != NULL)
        world->spoil(world, &event->wr, event->bytes, &event->length);
    const bool fits = scatter(conn->device, receive->sges, receive->count, event);
    struct ibv_wc wc = {
        .wr_id = receive->wr_id,
        .status = fits ? IBV_WC_SUCCESS : IBV_WC_LOC_LEN_ERR,
        .opcode = IBV_WC_RECV,
        .byte_len = event->length,
    };
    free(receive);
    if (event->wr.opcode == IBV_WR_SEND_WITH_INV) {
        const uint32_t key = event->wr.invalidate_rkey;
        struct fake_mr *fake = invalidatable(conn->device, key);
        if (fake == NULL)
            return IBV_WC_REM_INV_REQ_ERR;
        fake->valid = false;
        wc.wc_flags = IBV_WC_WITH_INV;
        wc.invalidated_rkey = key;
    }
    complete(conn, &wc, world->now);
    return fits ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR;
}

static enum ibv_wc_status arrive_write(struct fake_event *event)
{
    struct fake_mr *fake =
        fake_find_remote(event->conn->device, event->wr.wr.rdma.rkey, event->wr.wr.rdma.remote_addr,
                         event->length, IBV_ACCESS_REMOTE_WRITE);
    if (fake == NULL)
        return IBV_WC_REM_ACCESS_ERR;
    if (fake->mr.bytes != NULL)
        memcpy(fake->mr.bytes + (event->wr.wr.rdma.remote_addr - fake->mr.addr), event->bytes,
               event->real);
    else
        fake->mr.content = event->content;
    return IBV_WC_SUCCESS;
}

static enum ibv_wc_status arrive_read(struct fake_event *event)
{
    const struct verbs_device *requester = event->conn->peer->device;
    const struct fake_mr *from =
        fake_find_remote(event->conn->device, event->wr.wr.rdma.rkey, event->wr.wr.rdma.remote_addr,
                         event->length, IBV_ACCESS_REMOTE_READ);
    if (from == NULL)
        return IBV_WC_REM_ACCESS_ERR;
    struct fake_mr *to =
        fake_find(requester, event->sges[0].lkey, event->sges[0].addr, event->sges[0].length);
    CHECK(to != NULL);
    if (to->mr.bytes != NULL && from->mr.bytes != NULL)
        memcpy(to->mr.bytes + (event->sges[0].addr - to->mr.addr),
               from->mr.bytes + (event->wr.wr.rdma.remote_addr - from->mr.addr), event->length);
    to->mr.content = from->mr.content;
    return IBV_WC_SUCCESS;
}

bool fake_arrive(struct fake_event *event)
{
    struct verbs_conn *conn = event->conn;
    const enum ibv_wr_opcode opcode = event->wr.opcode;
    enum ibv_wc_status status = IBV_WC_SUCCESS;
    if (!conn->open || !conn->peer->open) {
        finish(event, IBV_WC_WR_FLUSH_ERR);
        return false;
    }
    if (conn->device->world->silent)
        return false;
    if (opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_INV) {
        if (!has_receive(conn)) {
            conn->device->world->rnr++;
            CHECK(conn->stuck == NULL);
            conn->stuck = event;
            return true;
        }
        status = arrive_send(event);
    } else if (opcode == IBV_WR_RDMA_WRITE) {
        status = arrive_write(event);
    } else {
        status = arrive_read(event);
    }
    note(event);
    finish(event, status);
    if (status != IBV_WC_SUCCESS)
        disconnect(conn);
    return false;
}

static int post_one(struct verbs_conn *conn, const struct ibv_send_wr *wr)
{
    struct fake_world *world = conn->device->world;
    if (!conn->open || conn->peer == NULL || wr->num_sge > SGES_MAX)
        return EINVAL;
    if (wr->opcode == IBV_WR_LOCAL_INV) {
        struct fake_mr *fake = invalidatable(conn->device, wr->invalidate_rkey);
        CHECK(fake != NULL);
        fake->valid = false;
        const struct ibv_wc wc = {.wr_id = wr->wr_id, .status = IBV_WC_SUCCESS};
        complete(conn, &wc, world->now);
        return 0;
    }
    struct fake_event *event = fake_schedule(world, ARRIVE, world->now + FAKE_DELAY);
    event->conn = conn->peer;
    event->wr = *wr;
    event->wr.next = NULL;
    memcpy(event->sges, wr->sg_list, sizeof(struct ibv_sge) * (size_t)wr->num_sge);
    if (wr->opcode == IBV_WR_RDMA_READ)
        event->length = wr->sg_list[0].length;
    else
        event->length = gather(conn->device, wr->sg_list, wr->num_sge, event);
    return 0;
}

static int post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    for (; wr != NULL; wr = wr->next) {
        const int error = post_one(conn, wr);
        if (error != 0) {
            *bad = wr;
            return error;
        }
    }
    return 0;
}

void fake_unstick(struct verbs_conn *conn)
{
    struct fake_event *event = conn->stuck;
    conn->stuck = NULL;
    if (event != NULL && !fake_arrive(event))
        fake_free_event(event);
}

static int post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    for (; wr != NULL; wr = wr->next) {
        if (!conn->open || conn->user.srq != NULL || wr->num_sge > SGES_MAX) {
            *bad = wr;
            return EINVAL;
        }
        fake_add_receive(&conn->first, &conn->last, wr);
    }
    fake_unstick(conn);
    return 0;
}

/* ---- connections ---- */

static struct verbs_conn *new_conn(struct verbs_device *device)
{
    struct verbs_conn *conn = calloc(1, sizeof *conn);
    CHECK(conn != NULL);
    conn->device = device;
    conn->number = ++device->conn_count;
    conn->open = true;
    conn->next = device->conns;
    device->conns = conn;
    return conn;
}

static struct fake_event *message(struct verbs_conn *conn, enum rdma_cm_event_type type,
                                  const void *private_data, uint8_t length)
{
    struct fake_event *event =
        fake_schedule(conn->device->world, CM, conn->device->world->now + FAKE_DELAY);
    event->conn = conn;
    event->cm = (struct verbs_event){
        .type = type, .private_len = length, .private_data = event->private_data};
    if (length > 0)
        memcpy(event->private_data, private_data, length);
    return event;
}

static int listen_on(struct verbs_device *device, uint16_t port, const struct verbs_user *user)
{
    if (device->listener.port != 0)
        return EADDRINUSE;
    device->listener = (struct listener){.port = port, .user = *user};
    return 0;
}

static void unlisten(struct verbs_device *device, uint16_t port)
{
    CHECK(device->listener.port == port);
    device->listener = (struct listener){0};
}

static struct verbs_conn *connect_to(struct verbs_device *device, const struct verbs_peer *peer,
                                     const struct ibv_qp_cap *cap,
                                     const struct rdma_conn_param *param,
                                     const struct verbs_user *user)
{
    (void)cap;
    struct fake_world *world = device->world;
    struct verbs_conn *conn = new_conn(device);
    conn->user = *user;
    for (unsigned i = 0; i < FAKE_DEVICES && world->devices[i] != NULL; i++) {
        struct verbs_device *other = world->devices[i];
        if (other->ip != peer->ip || other->listener.port != peer->port)
            continue;
        struct verbs_conn *passive = new_conn(other);
        passive->peer = conn;
        passive->user = other->listener.user;
        struct fake_event *event = message(passive, RDMA_CM_EVENT_CONNECT_REQUEST,
                                           param->private_data, param->private_data_len);
        event->cm.peer_ip = device->ip;
        event->cm.responder_resources = param->responder_resources;
        event->cm.initiator_depth = param->initiator_depth;
        return conn;
    }
    tell(conn, RDMA_CM_EVENT_UNREACHABLE, world->now + FAKE_DELAY);
    return conn;
}

static int prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                   const struct verbs_user *user)
{
    (void)cap;
    conn->user = *user;
    return 0;
}

static int accept_it(struct verbs_conn *conn, const struct rdma_conn_param *param)
{
    conn->peer->peer = conn;
    message(conn->peer, RDMA_CM_EVENT_ESTABLISHED, param->private_data, param->private_data_len);
    const int trips = conn->device->world->late_rtu ? 50 : 2;
    tell(conn, RDMA_CM_EVENT_ESTABLISHED, conn->device->world->now + trips * FAKE_DELAY);
    return 0;
}

static int reject_it(struct verbs_conn *conn, const void *private_data, uint8_t length)
{
    message(conn->peer, RDMA_CM_EVENT_REJECTED, private_data, length)->cm.status = 28;
    conn->open = false;
    return 0;
}

static void destroy(struct verbs_conn *conn)
{
    conn->destroyed = true; /* freed with the world: events may name it */
    if (conn->peer != NULL)
        disconnect(conn);
    conn->open = false;
}

static uint32_t local_ip(struct verbs_device *device)
{
    return device->ip;
}

static uint32_t qp_num(const struct verbs_conn *conn)
{
    return conn->number;
}

static uint8_t max_rd_atomic(struct verbs_device *device)
{
    (void)device;
    return 16;
}

const struct verbs_ops fake_verbs = {
    .name = "fake",
    .fast_registration = true,
    .reg_mr = fake_reg_mr,
    .dereg_mr = fake_dereg_mr,
    .renew_rkey = fake_renew_rkey,
    .listen = listen_on,
    .unlisten = unlisten,
    .connect = connect_to,
    .prepare = prepare,
    .accept = accept_it,
    .reject = reject_it,
    .disconnect = disconnect,
    .destroy = destroy,
    .post_send = post_send,
    .post_recv = post_recv,
    .create_srq = fake_create_srq,
    .post_srq_recv = fake_post_srq_recv,
    .arm_srq = fake_arm_srq,
    .destroy_srq = fake_destroy_srq,
    .local_ip = local_ip,
    .qp_num = qp_num,
    .max_rd_atomic = max_rd_atomic,
};
