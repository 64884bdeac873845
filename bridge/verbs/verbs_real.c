/* SPDX-License-Identifier: Apache-2.0
 * verbs_real - a device, and the table of verbs. */
#include "base/memory.h"
#include "bridge/verbs/verbs_real_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum {
    RETRIES_MAX = 7, /* three bits */
    RNR_TIMER = 12   /* 0.64 ms, as in perftest and rdma-core's examples; 0, the CM's default, is
                      * 655 ms */
};

const struct verbs_real_wishes verbs_real_no_wishes = {
    .retry_count = RETRIES_MAX,
    .rnr_retry = RETRIES_MAX,
    .timeout = VERBS_REAL_ANY,
    .accept_timeout = VERBS_REAL_ANY,
    .dscp = VERBS_REAL_ANY,
    .accept_dscp = VERBS_REAL_ANY,
};

static bool unblock(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

void verbs_real_removed(struct verbs_device *device)
{
    if (device->removed)
        return;
    device->removed = true;
    if (device->site.on_removed != NULL)
        device->site.on_removed(device->site.self);
}

/* A queue pair that failed is flushed by disconnecting it. */
static void on_broken(struct verbs_conn *conn)
{
    if (conn != NULL)
        verbs_real_cm_disconnect(conn);
}

/* Data arrived before the last message of the CM's handshake, which may have been lost, so the CM
 * is notified that the connection is established. */
static void on_talked(struct verbs_device *device, struct verbs_conn *conn)
{
    if (conn != NULL && device->calls->notify(conn->id, IBV_EVENT_COMM_EST) != 0)
        device->counters.refused++;
}

static void on_port(struct verbs_device *device, bool up)
{
    device->counters.port_downs += !up;
    if (device->site.on_port != NULL)
        device->site.on_port(device->site.self, up);
}

static void on_async(struct verbs_device *device, const struct ibv_async_event *event)
{
    switch (event->event_type) {
    case IBV_EVENT_DEVICE_FATAL:
        verbs_real_removed(device);
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        on_broken(event->element.qp->qp_context);
        break;
    case IBV_EVENT_CQ_ERR: /* the queue has overrun and reports nothing more */
        on_broken(event->element.cq->cq_context);
        break;
    case IBV_EVENT_COMM_EST:
        on_talked(device, event->element.qp->qp_context);
        break;
    case IBV_EVENT_PORT_ERR:
        on_port(device, false);
        break;
    case IBV_EVENT_PORT_ACTIVE:
        on_port(device, true);
        break;
    default:
        break; /* informational, or about unused features */
    }
}

static void async_readable(void *self)
{
    struct verbs_device *device = self;
    struct ibv_async_event event;
    while (device->calls->get_async_event(device->context, &event) == 0) {
        device->calls->ack_async_event(&event);
        device->counters.async_events++;
        on_async(device, &event);
    }
}

static bool open_channel(struct verbs_device *device)
{
    const struct rdma_calls *calls = device->calls;
    struct sockaddr_storage address = verbs_real_cm_address(device->site.ip, 0);
    device->channel = calls->create_event_channel();
    if (device->channel == NULL || !unblock(device->channel->fd) ||
        calls->create_id(device->channel, &device->id, NULL, RDMA_PS_TCP) != 0 ||
        calls->bind_addr(device->id, (struct sockaddr *)&address) != 0)
        return false;
    device->context = device->id->verbs;
    if (device->context == NULL)
        errno = ENODEV;
    return device->context != NULL;
}

static bool open_verbs(struct verbs_device *device)
{
    const struct rdma_calls *calls = device->calls;
    const int error = calls->query_device(device->context, &device->attributes);
    if (error != 0) {
        errno = error;
        return false;
    }
    device->pd = calls->alloc_pd(device->context);
    if (device->pd == NULL)
        return false;
    device->completions = calls->create_comp_channel(device->context);
    return device->completions != NULL && unblock(device->completions->fd) &&
           unblock(device->context->async_fd);
}

static struct verbs_real_wishes wishes_of(const struct verbs_real_site *site)
{
    struct verbs_real_wishes wishes = site->wishes != NULL ? *site->wishes : verbs_real_no_wishes;
    if (wishes.min_rnr_timer == 0)
        wishes.min_rnr_timer = RNR_TIMER;
    return wishes;
}

struct verbs_device *verbs_real_open(const struct verbs_real_site *site)
{
    struct verbs_device *device = memory_new(sizeof *device);
    device->site = *site;
    device->wishes = wishes_of(site);
    device->calls = site->calls;
    device->loop = site->loop;
    if (!open_channel(device) || !open_verbs(device)) {
        const int error = errno;
        verbs_real_close(device);
        errno = error;
        return NULL;
    }
    device->cm_watch = loop_watch(site->loop, device->channel->fd, verbs_real_cm_readable, device);
    device->completion_watch =
        loop_watch(site->loop, device->completions->fd, verbs_real_post_readable, device);
    device->async_watch = loop_watch(site->loop, device->context->async_fd, async_readable, device);
    if (site->busy)
        loop_spin(site->loop, verbs_real_post_spin, device);
    return device;
}

static void close_memory(struct verbs_device *device)
{
    for (unsigned i = 0; i < REAL_MR_BUCKETS; i++)
        while (device->mrs[i] != NULL)
            verbs_real_memory_release(device, &device->mrs[i]->verbs);
}

void verbs_real_close(struct verbs_device *device)
{
    const struct rdma_calls *calls = device->calls;
    while (device->conns != NULL)
        verbs_real_cm_destroy(device->conns);
    close_memory(device);
    loop_unwatch(device->loop, device->cm_watch);
    loop_unwatch(device->loop, device->completion_watch);
    loop_unwatch(device->loop, device->async_watch);
    if (device->completions != NULL)
        calls->destroy_comp_channel(device->completions);
    if (device->pd != NULL)
        calls->dealloc_pd(device->pd);
    if (device->id != NULL)
        calls->destroy_id(device->id);
    if (device->channel != NULL)
        calls->destroy_event_channel(device->channel);
    free(device);
}

const struct verbs_real_counters *verbs_real_counters(const struct verbs_device *device)
{
    return &device->counters;
}

const char *verbs_real_name(const struct verbs_device *device)
{
    return device->calls->device_name(device->context);
}

const struct ibv_device_attr *verbs_real_attributes(const struct verbs_device *device)
{
    return &device->attributes;
}

uint32_t verbs_real_path_mtu(const struct verbs_device *device)
{
    struct ibv_port_attr port = {0};
    const int error = device->calls->query_port(device->context, device->id->port_num, &port);
    const bool known =
        error == 0 && port.active_mtu >= IBV_MTU_256 && port.active_mtu <= IBV_MTU_4096;
    return known ? 128u << port.active_mtu : 0;
}

/* ------------------------------------------------------------------ queries */

static uint32_t local_ip(struct verbs_device *device)
{
    return device->site.ip;
}

static uint32_t qp_num(const struct verbs_conn *conn)
{
    return conn->qp == NULL ? 0 : conn->qp->qp_num;
}

static uint8_t max_rd_atomic(struct verbs_device *device)
{
    const int served = device->attributes.max_qp_rd_atom;
    const int issued = device->attributes.max_qp_init_rd_atom;
    const int both = served < issued ? served : issued;
    const int64_t wanted = device->wishes.max_rd_atomic;
    const int most = wanted > 0 && wanted < UINT8_MAX
                         ? (int)wanted
                         : UINT8_MAX - 1; /* 255 is RDMA_MAX_RESP_RES */
    return (uint8_t)(both < 0 ? 0 : both > most ? most : both);
}

/* No-op: the keys of plain regions are valid as long as the region. */
static void renew_rkey(struct verbs_conn *conn, struct verbs_mr *mr, uint32_t length)
{
    (void)length;
    (void)conn, (void)mr;
}

static void make(struct verbs_device *device, struct verbs_mr *mr, uint32_t length)
{
    (void)device;
    verbs_real_memory_fill((struct real_mr *)(void *)mr, mr->addr, length);
}

static void look(struct verbs_device *device, struct verbs_mr *mr, uint32_t length)
{
    verbs_real_memory_look(device, (struct real_mr *)(void *)mr, mr->addr, length);
}

const struct verbs_ops verbs_real = {
    .name = "real",
    .fast_registration = false,
    .reg_mr = verbs_real_memory_register,
    .no_memory = verbs_real_memory_missed,
    .dereg_mr = verbs_real_memory_release,
    .renew_rkey = renew_rkey,
    .listen = verbs_real_cm_listen,
    .unlisten = verbs_real_cm_unlisten,
    .connect = verbs_real_cm_connect,
    .prepare = verbs_real_cm_prepare,
    .accept = verbs_real_cm_accept,
    .reject = verbs_real_cm_reject,
    .disconnect = verbs_real_cm_disconnect,
    .destroy = verbs_real_cm_destroy,
    .post_send = verbs_real_post_send,
    .post_recv = verbs_real_post_recv,
    .local_ip = local_ip,
    .qp_num = qp_num,
    .max_rd_atomic = max_rd_atomic,
    .make = make,
    .look = look,
};
