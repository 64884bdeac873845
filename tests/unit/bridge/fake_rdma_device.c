/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma_device - protection domains, regions, channels. */
#include "base/check.h"
#include "tests/unit/bridge/fake_rdma_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool fake_rdma_fails(const char *call)
{
    if (fake_fabric.fail_call == NULL)
        return false;
    for (const char *a = call, *b = fake_fabric.fail_call; *a != '\0' || *b != '\0'; a++, b++)
        if (*a != *b)
            return false;
    if (fake_fabric.fail_skip-- > 0)
        return false;
    fake_fabric.fail_call = NULL;
    errno = fake_fabric.fail_error;
    return true;
}

void *fake_rdma_new(size_t bytes)
{
    void *object = calloc(1, bytes);
    CHECK(object != NULL);
    fake_fabric.alive++;
    return object;
}

void fake_rdma_delete(void *object)
{
    CHECK(fake_fabric.alive > 0);
    fake_fabric.alive--;
    free(object);
}

void fake_rdma_signal(int fd)
{
    const uint64_t one = 1;
    CHECK(write(fd, &one, sizeof one) == sizeof one);
}

bool fake_rdma_take_signal(int fd)
{
    uint64_t one;
    return read(fd, &one, sizeof one) == sizeof one; /* errno: EAGAIN */
}

struct ibv_pd *fake_rdma_alloc_pd(struct ibv_context *context)
{
    if (fake_rdma_fails("alloc_pd"))
        return NULL;
    struct ibv_pd *pd = fake_rdma_new(sizeof *pd);
    pd->context = context;
    return pd;
}

int fake_rdma_dealloc_pd(struct ibv_pd *pd)
{
    fake_rdma_delete(pd);
    return 0;
}

static struct fake_node *node_of(struct ibv_context *context)
{
    return (struct fake_node *)(void *)context;
}

void fake_rdma_limit_regions(uint32_t ip, unsigned more)
{
    struct fake_node *node = fake_rdma_node_at(ip);
    node->region_limit = node->regions + more;
}

static bool is_full(const struct fake_node *node)
{
    const bool full = node->region_limit > 0 && node->regions >= node->region_limit;
    errno = full ? ENOMEM : errno;
    return full;
}

struct ibv_mr *fake_rdma_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    if (fake_rdma_fails("reg_mr") || is_full(node_of(pd->context)))
        return NULL;
    uint32_t key = 0;
    for (uint32_t tried = 0; key == 0 && tried < FAKE_MRS; tried++) {
        const uint32_t at = fake_fabric.next_mr++ % FAKE_MRS;
        key = at > 0 && fake_fabric.mrs[at] == NULL ? at : 0;
    }
    CHECK(key != 0);
    struct ibv_mr *mr = fake_rdma_new(sizeof *mr);
    *mr = (struct ibv_mr){.context = pd->context,
                          .pd = pd,
                          .addr = addr,
                          .length = length,
                          .lkey = key,
                          .rkey = key | 0x80000000u};
    fake_fabric.mrs[key] = mr;
    node_of(pd->context)->regions++;
    fake_fabric.mr_access[key] = access;
    return mr;
}

int fake_rdma_dereg_mr(struct ibv_mr *mr)
{
    fake_fabric.mrs[mr->lkey] = NULL;
    node_of(mr->context)->regions--;
    fake_rdma_delete(mr);
    return 0;
}

struct ibv_comp_channel *fake_rdma_create_comp_channel(struct ibv_context *context)
{
    if (fake_rdma_fails("create_comp_channel"))
        return NULL;
    struct fake_completions *made = fake_rdma_new(sizeof *made);
    made->channel.context = context;
    made->channel.fd = eventfd(0, EFD_SEMAPHORE);
    CHECK(made->channel.fd >= 0);
    return &made->channel;
}

int fake_rdma_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    close(channel->fd);
    fake_rdma_delete(channel);
    return 0;
}

int fake_rdma_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    (void)context;
    if (fake_rdma_fails("query_device"))
        return errno;
    *attr = fake_fabric.limits;
    return 0;
}

int fake_rdma_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
    (void)context, (void)port;
    if (fake_rdma_fails("query_port"))
        return errno;
    *attr = (struct ibv_port_attr){.active_mtu = IBV_MTU_1024};
    return 0;
}

void fake_rdma_tell_async(struct fake_node *node, const struct ibv_async_event *event)
{
    struct fake_async *reported = fake_rdma_new(sizeof *reported);
    reported->event = *event;
    reported->next = node->asyncs;
    node->asyncs = reported;
    fake_rdma_signal(node->context.async_fd);
}

int fake_rdma_get_async(struct ibv_context *context, struct ibv_async_event *event)
{
    struct fake_node *node = (struct fake_node *)(void *)context;
    if (!fake_rdma_take_signal(context->async_fd))
        return -1;
    struct fake_async *reported = node->asyncs;
    CHECK(reported != NULL);
    *event = reported->event;
    node->asyncs = reported->next;
    fake_rdma_delete(reported);
    return 0;
}

void fake_rdma_ack_async(struct ibv_async_event *event)
{
    (void)event;
}

const char *fake_rdma_name(struct ibv_context *context)
{
    (void)context;
    return "fake0";
}

static bool is_of_qp(enum ibv_event_type type)
{
    return type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR ||
           type == IBV_EVENT_QP_ACCESS_ERR || type == IBV_EVENT_COMM_EST ||
           type == IBV_EVENT_CQ_ERR;
}

void fake_rdma_async(uint32_t ip, enum ibv_event_type type)
{
    struct fake_node *node = fake_rdma_node_at(ip);
    struct ibv_async_event event = {.event_type = type};
    if (!is_of_qp(type))
        fake_rdma_tell_async(node, &event);
    for (struct fake_id *id = fake_fabric.ids; is_of_qp(type) && id != NULL; id = id->next) {
        if (id->node != node || id->qp == NULL || id->state != FAKE_OPEN)
            continue;
        if (type == IBV_EVENT_CQ_ERR)
            event.element.cq = id->qp->qp.send_cq;
        else
            event.element.qp = &id->qp->qp;
        fake_rdma_tell_async(node, &event);
        if (type == IBV_EVENT_QP_FATAL)
            fake_rdma_break_qp(id->qp);
    }
}
