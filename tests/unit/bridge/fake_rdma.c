/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma - nodes, identifiers and events in memory. */
#include "base/check.h"
#include "tests/unit/bridge/fake_rdma_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { REQ_BYTES = 56, REP_BYTES = 196, REJ_BYTES = 148, REJ_NO_SERVICE = 8, REJ_CONSUMER = 28 };

struct fake_fabric fake_fabric;

static struct fake_id *of_id(struct rdma_cm_id *id)
{
    return (struct fake_id *)(void *)id;
}

/* ------------------------------------------------------------------ events */

static struct rdma_event_channel *create_event_channel(void)
{
    if (fake_rdma_fails("create_event_channel"))
        return NULL;
    struct fake_channel *channel = fake_rdma_new(sizeof *channel);
    channel->channel.fd = eventfd(0, EFD_SEMAPHORE);
    CHECK(channel->channel.fd >= 0);
    channel->last = &channel->first;
    return &channel->channel;
}

static void destroy_event_channel(struct rdma_event_channel *channel)
{
    CHECK(((struct fake_channel *)(void *)channel)->first == NULL);
    close(channel->fd);
    fake_rdma_delete(channel);
}

/* What the two ends say of each other; of the type, status and data (padded to `room`). */
static struct rdma_cm_event *push(struct fake_id *id, enum rdma_cm_event_type type, int status,
                                  const struct rdma_conn_param *param, uint8_t room)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)id->id.channel;
    struct fake_event *reported = fake_rdma_new(sizeof *reported);
    if (fake_fabric.event_set && fake_fabric.event_of == type) {
        fake_fabric.event_set = false;
        type = fake_fabric.event_as;
        status = fake_fabric.event_status;
    }
    reported->event = (struct rdma_cm_event){.id = &id->id, .event = type, .status = status};
    if (param != NULL) {
        struct rdma_conn_param *conn = &reported->event.param.conn;
        conn->private_data = reported->data;
        conn->private_data_len = room;
        conn->responder_resources = param->initiator_depth; /* the receiver's view */
        conn->initiator_depth = param->responder_resources;
        if (param->private_data_len > 0)
            memcpy(reported->data, param->private_data, param->private_data_len);
    }
    *channel->last = reported;
    channel->last = &reported->next;
    fake_rdma_signal(channel->channel.fd);
    return &reported->event;
}

static int get_cm_event(struct rdma_event_channel *ibv, struct rdma_cm_event **event)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)ibv;
    if (!fake_rdma_take_signal(ibv->fd))
        return -1;
    struct fake_event *first = channel->first;
    CHECK(first != NULL);
    channel->first = first->next;
    if (channel->first == NULL)
        channel->last = &channel->first;
    *event = &first->event;
    return 0;
}

static int ack_cm_event(struct rdma_cm_event *event)
{
    fake_rdma_delete(event);
    return 0;
}

static void forget_events(struct fake_id *id)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)id->id.channel;
    struct fake_event **link = &channel->first;
    while (*link != NULL) {
        struct fake_event *event = *link;
        if (event->event.id != &id->id) {
            link = &event->next;
            continue;
        }
        *link = event->next;
        CHECK(fake_rdma_take_signal(channel->channel.fd));
        fake_rdma_delete(event);
    }
    channel->last = link;
}

/* ------------------------------------------------------------------ identifiers */

static struct fake_id *new_id(struct rdma_event_channel *channel, void *context)
{
    struct fake_id *id = fake_rdma_new(sizeof *id);
    id->id.channel = channel;
    id->id.context = context;
    id->tos = id->timeout = -1;
    id->next = fake_fabric.ids;
    fake_fabric.ids = id;
    return id;
}

static int create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
                     enum rdma_port_space space)
{
    (void)space;
    if (fake_rdma_fails("create_id"))
        return -1;
    *id = &new_id(channel, context)->id;
    return 0;
}

static bool heard(const struct fake_id *id)
{
    return id->peer != NULL && !id->node->silent && !id->peer->node->silent;
}

static int destroy_id(struct rdma_cm_id *ibv)
{
    struct fake_id *id = of_id(ibv);
    struct fake_id **link = &fake_fabric.ids;
    CHECK(id->qp == NULL);
    forget_events(id);
    if (heard(id) && (id->peer->state == FAKE_OPEN || id->peer->state == FAKE_ASKING)) {
        const bool open = id->peer->state == FAKE_OPEN;
        push(id->peer, open ? RDMA_CM_EVENT_DISCONNECTED : RDMA_CM_EVENT_REJECTED, 0, NULL, 0);
        id->peer->state = open ? FAKE_HALF : FAKE_CLOSED;
    }
    if (id->peer != NULL)
        id->peer->peer = NULL;
    while (*link != id)
        link = &(*link)->next;
    *link = id->next;
    fake_rdma_delete(id);
    return 0;
}

static int set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length)
{
    if (fake_rdma_fails("set_option"))
        return -1;
    if (level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_TOS && length == sizeof(uint8_t)) {
        of_id(id)->tos = *(const uint8_t *)value;
        return 0;
    }
    if (level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_ACK_TIMEOUT &&
        length == sizeof(uint8_t)) {
        of_id(id)->timeout = *(const uint8_t *)value;
        return 0;
    }
    errno = ENOSYS;
    return -1;
}

static int notify(struct rdma_cm_id *id, enum ibv_event_type type)
{
    if (fake_rdma_fails("notify"))
        return -1;
    CHECK(of_id(id)->qp != NULL && type == IBV_EVENT_COMM_EST);
    fake_fabric.notified++;
    return 0;
}

struct fake_node *fake_rdma_node_at(uint32_t ip)
{
    for (unsigned i = 0; i < fake_fabric.node_count; i++)
        if (fake_fabric.nodes[i]->ip == ip && !fake_fabric.nodes[i]->removed)
            return fake_fabric.nodes[i];
    return NULL;
}

static int bind_addr(struct rdma_cm_id *ibv, struct sockaddr *addr)
{
    struct fake_id *id = of_id(ibv);
    struct sockaddr_in in;
    if (fake_rdma_fails("bind_addr"))
        return -1;
    memcpy(&in, addr, sizeof in);
    id->ip = ntohl(in.sin_addr.s_addr);
    id->port = ntohs(in.sin_port);
    id->node = fake_rdma_node_at(id->ip);
    if (id->node == NULL && id->ip != INADDR_ANY) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    ibv->verbs = id->node == NULL ? NULL : &id->node->context;
    return 0;
}

static int resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int ms)
{
    (void)from, (void)ms;
    if (fake_rdma_fails("resolve_addr"))
        return -1;
    memcpy(&id->route.addr.dst_storage, to, sizeof(struct sockaddr_in));
    push(of_id(id), RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL, 0);
    return 0;
}

static int resolve_route(struct rdma_cm_id *id, int ms)
{
    (void)ms;
    if (fake_rdma_fails("resolve_route"))
        return -1;
    push(of_id(id), RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL, 0);
    return 0;
}

static int listen_id(struct rdma_cm_id *id, int backlog)
{
    (void)backlog;
    if (fake_rdma_fails("listen"))
        return -1;
    of_id(id)->state = FAKE_LISTENING;
    return 0;
}

static struct fake_id *listener_at(const struct sockaddr_in *to)
{
    for (struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        if (id->state == FAKE_LISTENING && id->port == ntohs(to->sin_port) &&
            (id->ip == INADDR_ANY || id->ip == ntohl(to->sin_addr.s_addr)) &&
            (id->node == NULL || !id->node->silent))
            return id;
    return NULL;
}

static int connect_id(struct rdma_cm_id *ibv, struct rdma_conn_param *param)
{
    struct fake_id *id = of_id(ibv);
    struct sockaddr_in to;
    if (fake_rdma_fails("connect"))
        return -1;
    if (id->state != FAKE_IDLE) {
        errno = EINVAL;
        return -1;
    }
    if (!fake_rdma_name_qp(id, param->qp_num)) {
        errno = EINVAL;
        return -1;
    }
    id->said = *param;
    memcpy(&to, &ibv->route.addr.dst_storage, sizeof to);
    struct fake_id *listener = listener_at(&to);
    const struct fake_node *node = fake_rdma_node_at(ntohl(to.sin_addr.s_addr));
    if (listener == NULL || node == NULL) {
        if (node != NULL && !node->silent)
            push(id, RDMA_CM_EVENT_REJECTED, REJ_NO_SERVICE, NULL, 0);
        else
            push(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL, 0);
        return 0;
    }
    fake_fabric.tos = id->tos;
    struct fake_id *asked = new_id(listener->id.channel, NULL);
    asked->node = fake_rdma_node_at(ntohl(to.sin_addr.s_addr));
    asked->id.verbs = &asked->node->context;
    asked->ip = ntohl(to.sin_addr.s_addr);
    const struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(id->ip)};
    memcpy(&asked->id.route.addr.dst_storage, &from, sizeof from);
    asked->peer = id;
    asked->accepted = true;
    id->peer = asked;
    id->state = asked->state = FAKE_ASKING;
    push(asked, RDMA_CM_EVENT_CONNECT_REQUEST, 0, param, REQ_BYTES)->listen_id = &listener->id;
    return 0;
}

static int accept_id(struct rdma_cm_id *ibv, struct rdma_conn_param *param)
{
    struct fake_id *id = of_id(ibv);
    if (fake_rdma_fails("accept"))
        return -1;
    if (id->peer == NULL || id->peer->qp == NULL || !fake_rdma_name_qp(id, param->qp_num) ||
        id->qp->qp.state != IBV_QPS_RTS) {
        errno = EINVAL;
        return -1;
    }
    id->said = *param;
    if (fake_fabric.event_set && fake_fabric.event_of == RDMA_CM_EVENT_ESTABLISHED)
        fake_fabric.event_of = RDMA_CM_EVENT_CONNECT_RESPONSE; /* leads to it */
    const struct rdma_cm_event *reported =
        push(id->peer, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, param, REP_BYTES);
    if (reported->event != RDMA_CM_EVENT_CONNECT_RESPONSE) {
        id->state = id->peer->state = FAKE_CLOSED;
        push(id, RDMA_CM_EVENT_REJECTED, 0, NULL, 0);
        return 0;
    }
    id->state = id->peer->state = FAKE_OPEN;
    return 0;
}

/* Sends the RTU; the side that connected hears nothing of it. */
static int establish(struct rdma_cm_id *ibv)
{
    const struct fake_id *id = of_id(ibv);
    if (fake_rdma_fails("establish"))
        return -1;
    if (id->state != FAKE_OPEN || id->qp == NULL || id->qp->qp.state != IBV_QPS_RTS) {
        errno = EINVAL;
        return -1;
    }
    if (id->peer != NULL)
        push(id->peer, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, 0);
    return 0;
}

static int reject_id(struct rdma_cm_id *ibv, const void *data, uint8_t length)
{
    struct fake_id *id = of_id(ibv);
    const struct rdma_conn_param param = {.private_data = data, .private_data_len = length};
    if (fake_rdma_fails("reject"))
        return -1;
    if (heard(id) && id->peer->state == FAKE_ASKING) {
        push(id->peer, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER, &param, REJ_BYTES);
        id->peer->state = FAKE_CLOSED;
    }
    id->state = FAKE_CLOSED;
    return 0;
}

/* The first side sends a DREQ and hears DISCONNECTED when it is answered; the other hears it when
 * the DREQ comes, and its own call is the answer.  The queue pairs are their makers' affair. */
static int disconnect_id(struct rdma_cm_id *ibv)
{
    struct fake_id *id = of_id(ibv);
    if (fake_rdma_fails("disconnect"))
        return -1;
    if (id->state == FAKE_HALF) {
        id->state = FAKE_CLOSED;
        push(id, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, NULL, 0);
        return 0;
    }
    if (id->state != FAKE_OPEN) {
        errno = EINVAL;
        return -1;
    }
    id->state = FAKE_CLOSED;
    push(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, 0);
    if (heard(id) && id->peer->state == FAKE_OPEN) {
        id->peer->state = FAKE_HALF;
        push(id->peer, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, 0);
    }
    return 0;
}

/* ------------------------------------------------------------------ what tests ask for */

void fake_rdma_init(void)
{
    memset(&fake_fabric, 0, sizeof fake_fabric);
    fake_fabric.inline_most = 512;
    fake_fabric.limits = (struct ibv_device_attr){
        .fw_ver = "fake-1",
        .max_qp = 1024,
        .max_cq = 1024,
        .max_qp_wr = 16384,
        .max_cqe = 65536,
        .max_sge = 4,
        .max_qp_rd_atom = 16,
        .max_qp_init_rd_atom = 16,
        .device_cap_flags = IBV_DEVICE_MEM_MGT_EXTENSIONS,
    };
}

unsigned fake_rdma_fini(void)
{
    for (unsigned i = 0; i < fake_fabric.node_count; i++) {
        struct ibv_async_event unread;
        while (fake_fabric.nodes[i]->asyncs != NULL)
            fake_rdma_get_async(&fake_fabric.nodes[i]->context, &unread);
        close(fake_fabric.nodes[i]->context.async_fd);
        fake_rdma_delete(fake_fabric.nodes[i]);
    }
    return fake_fabric.alive;
}

void fake_rdma_node(uint32_t ip)
{
    CHECK(fake_fabric.node_count < FAKE_NODES);
    struct fake_node *node = fake_rdma_new(sizeof *node);
    node->ip = ip;
    node->context.async_fd = eventfd(0, EFD_SEMAPHORE);
    CHECK(node->context.async_fd >= 0);
    fake_fabric.nodes[fake_fabric.node_count++] = node;
}

void fake_rdma_time_out(void)
{
    for (struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        if (id->qp != NULL && id->state == FAKE_OPEN && !heard(id))
            fake_rdma_give_up(id->qp);
}

void fake_rdma_remove(uint32_t ip)
{
    struct fake_node *node = fake_rdma_node_at(ip);
    for (struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        if (id->node == node) {
            fake_rdma_break_qp(id->qp);
            push(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0, NULL, 0);
        }
    const struct ibv_async_event fatal = {.event_type = IBV_EVENT_DEVICE_FATAL};
    fake_rdma_tell_async(node, &fatal);
    node->removed = true;
}

static bool is_connected(const struct fake_id *id)
{
    return id->peer != NULL && id->id.context != NULL;
}

void fake_rdma_tell(unsigned n, enum rdma_cm_event_type type, int status)
{
    unsigned count = 0;
    for (const struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        count += is_connected(id);
    n = count == 0 ? 0 : n % count;
    for (struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        if (is_connected(id) && n-- == 0)
            push(id, type, status, NULL, 0);
}

unsigned fake_rdma_alive(void)
{
    return fake_fabric.alive;
}

unsigned fake_rdma_rnr(void)
{
    return fake_fabric.rnr;
}

const struct rdma_calls fake_rdma_calls = {
    .create_event_channel = create_event_channel,
    .destroy_event_channel = destroy_event_channel,
    .get_cm_event = get_cm_event,
    .ack_cm_event = ack_cm_event,
    .create_id = create_id,
    .destroy_id = destroy_id,
    .set_option = set_option,
    .bind_addr = bind_addr,
    .resolve_addr = resolve_addr,
    .resolve_route = resolve_route,
    .listen = listen_id,
    .connect = connect_id,
    .accept = accept_id,
    .reject = reject_id,
    .disconnect = disconnect_id,
    .notify = notify,
    .establish = establish,
    .init_qp_attr = fake_rdma_init_qp_attr,
    .create_qp = fake_rdma_create_qp,
    .destroy_qp = fake_rdma_destroy_qp,
    .modify_qp = fake_rdma_modify_qp,
    .alloc_pd = fake_rdma_alloc_pd,
    .dealloc_pd = fake_rdma_dealloc_pd,
    .reg_mr = fake_rdma_reg_mr,
    .dereg_mr = fake_rdma_dereg_mr,
    .create_comp_channel = fake_rdma_create_comp_channel,
    .destroy_comp_channel = fake_rdma_destroy_comp_channel,
    .create_cq = fake_rdma_create_cq,
    .destroy_cq = fake_rdma_destroy_cq,
    .req_notify_cq = fake_rdma_notify,
    .get_cq_event = fake_rdma_get_cq_event,
    .ack_cq_events = fake_rdma_ack_cq_events,
    .poll_cq = fake_rdma_poll,
    .post_send = fake_rdma_post_send,
    .post_recv = fake_rdma_post_recv,
    .query_device = fake_rdma_query_device,
    .query_port = fake_rdma_query_port,
    .get_async_event = fake_rdma_get_async,
    .ack_async_event = fake_rdma_ack_async,
    .device_name = fake_rdma_name,
};
