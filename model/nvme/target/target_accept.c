/* SPDX-License-Identifier: Apache-2.0
 * target_accept - creates and ends a queue of the target.
 * The parameters that the transport has read from the request are checked as by nvmet_rdma, then
 * the request is accepted. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>

void nvme_target_queue_free(struct target_queue *queue)
{
    struct nvme_transport *transport = nvme_target_transport(queue);
    nvme_target_core_give(queue);
    nvme_target_core_settle(queue);
    transport->ops->close(queue->conn);
    for (uint32_t i = 0; i < queue->command_count; i++) {
        nvme_transport_unmap(transport, &queue->commands[i]->bulk);
        nvme_transport_unmap(transport, &queue->commands[i]->bytes);
        free(queue->commands[i]);
    }
    free(queue->commands);
    free(queue->cids);
    free(queue);
}

static uint32_t most_entries(const struct nvme_target *target, uint16_t qid)
{
    return qid == 0 ? NVME_ADMIN_QUEUE_SIZE : (uint32_t)target->params.max_queue_size;
}

/* nvmet_rdma_parse_cm_connect_req, and limits on sizes that nvmet leaves to the device; 0:
 * acceptable. */
static unsigned refusal_reason(const struct nvme_target *target,
                               const struct nvme_transport_request *request)
{
    if (request->unreadable != 0 || !request->announced)
        return request->unreadable;
    if (request->qid > target->params.max_queues)
        return NVME_CM_INVALID_QID;
    if (request->entries > most_entries(target, request->qid))
        return NVME_CM_INVALID_HSQSIZE;
    return request->answers == 0 ? NVME_CM_INVALID_HRQSIZE : 0;
}

static struct target_queue *new_queue(const struct target_port *port,
                                      struct nvme_transport_conn *conn)
{
    struct nvme_target *target = port->target;
    struct target_queue *queue = memory_new(sizeof *queue);
    queue->target = target;
    queue->port = port;
    queue->conn = conn;
    queue->state = TARGET_QUEUE_CONNECTING;
    queue->next = target->queues;
    target->queues = queue;
    return queue;
}

/* Before Connect names it, a queue may become any, so it has space for the largest. */
static void size_queue(struct target_queue *queue, const struct nvme_transport_request *request)
{
    struct nvme_target *target = queue->target;
    const uint32_t admin = most_entries(target, 0), io = most_entries(target, 1);
    queue->announced = request->announced;
    queue->qid = request->announced ? request->qid : 0;
    queue->entries = (uint16_t)(request->announced ? request->entries : admin > io ? admin : io);
    nvme_target_core_take(queue, request->announced && request->qid == 0);
}

/* Maximum data of one command, with protection information. */
static uint32_t most_bytes(const struct nvme_target *target)
{
    const uint32_t data = (uint32_t)target->params.max_transfer;
    uint32_t most = data;
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        const uint32_t with = data + nvme_target_protection_bytes(&target->namespaces[i], data);
        most = with > most ? with : most;
    }
    return most;
}

static bool accept_queue(struct target_queue *queue)
{
    const struct nvme_target *target = queue->target;
    const struct nvme_transport_accept how = {
        .entries = queue->entries,
        .in_capsule = nvme_target_capsule_room(queue->port),
        .max_transfer = most_bytes(target),
        .memory = target->memory,
        .user = nvme_target_queue_user(queue),
    };
    queue->command_limit = nvme_target_transport(queue)->ops->accept(queue->conn, &how);
    if (queue->command_limit == 0)
        return false;
    queue->commands = memory_zeroed(queue->command_limit, sizeof(struct target_command *));
    nvme_target_cids_open(queue);
    return true;
}

/* The connection cannot be closed within the request's callback, so the reaper closes it. */
static void reject(struct target_queue *queue, unsigned why)
{
    nvme_target_transport(queue)->ops->reject(queue->conn, (enum nvme_cm_reject)why);
    queue->gone = true;
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    nvme_target_reap(queue->target);
}

/* It has not sent a Connect yet. */
static bool is_silent(const struct target_queue *queue)
{
    return queue->controller == NULL && !queue->gone && queue->state != TARGET_QUEUE_CLOSING;
}

static bool has_controller(const struct nvme_target *target, uint32_t ip)
{
    for (const struct target_queue *at = target->queues; at != NULL; at = at->next)
        if (at->controller != NULL && at->peer_ip == ip)
            return true;
    return false;
}

/* The oldest silent queue from an address with a controller (of_hosts), or without one; NULL:
 * none. */
static struct target_queue *oldest_silent(const struct nvme_target *target, bool of_hosts)
{
    struct target_queue *oldest = NULL;
    for (struct target_queue *at = target->queues; at != NULL; at = at->next)
        if (is_silent(at) && has_controller(target, at->peer_ip) == of_hosts)
            oldest = at; /* the newest is first in the list */
    return oldest;
}

/* A queue allocates memory before its Connect identifies the host. To keep unknown peers from
 * taking all of it, the oldest silent queue is closed to make room for the next one, starting with
 * addresses without a controller. A host connects all I/O queues of a controller before it sends
 * the first Connect (nvme_rdma_alloc_io_queues of Linux 6.1), so the limit leaves room for
 * these. */
static void bound_strangers(struct nvme_target *target)
{
    int64_t count = 0, room = target->params.strangers;
    if (room == 0)
        return;
    for (const struct target_controller *at = target->controllers; at != NULL; at = at->next)
        room += nvme_target_budget_of(at);
    for (const struct target_queue *at = target->queues; at != NULL; at = at->next)
        count += is_silent(at);
    if (count < room)
        return;
    struct target_queue *stranger = oldest_silent(target, false);
    nvme_target_queue_close(stranger != NULL ? stranger : oldest_silent(target, true));
}

void nvme_target_queue_request(void *self, struct nvme_transport_conn *conn,
                               const struct nvme_transport_request *request)
{
    const struct target_port *port = self;
    struct nvme_target *target = port->target;
    if (target->dead || port->dead) { /* the request arrived during a stall, and then the target
                                       * crashed */
        port->transport->ops->close(conn);
        return;
    }
    const unsigned why = refusal_reason(target, request);
    if (why == 0)
        bound_strangers(target);
    struct target_queue *queue = new_queue(port, conn);
    queue->peer_ip = request->ip;
    if (why != 0) {
        reject(queue, why);
        return;
    }
    size_queue(queue, request);
    target->stats.queues++;
    if (!accept_queue(queue))
        reject(queue, NVME_CM_NO_RESOURCES);
}
