/* SPDX-License-Identifier: Apache-2.0
 * target_accept - a queue pair of the target comes, with its memory, and goes.
 * As nvmet_rdma does it: the private data of the request are judged, HSQSIZE + 1 receives are
 * posted, then the connection is accepted. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>

static bool register_memory(struct target_queue *queue, uint32_t bytes, enum verbs_memory memory,
                            struct verbs_mr **mr)
{
    *mr = nvme_target_verbs(queue)->reg_mr(nvme_target_device(queue), bytes, IBV_ACCESS_LOCAL_WRITE,
                                           memory);
    return *mr != NULL;
}

/* False: the device has no more memory; what has been had is given back with the queue. */
static bool make_memory(struct target_queue *queue)
{
    const uint32_t receives = queue->receive_count;
    queue->receives = memory_zeroed(receives, sizeof *queue->receives);
    queue->commands = memory_zeroed(queue->command_limit, sizeof *queue->commands);
    const uint32_t capsules = receives * NVME_SQE_BYTES;
    const uint32_t responses = queue->command_limit * NVME_CQE_BYTES;
    if (!register_memory(queue, capsules, VERBS_BYTES, &queue->capsules) ||
        !register_memory(queue, responses, VERBS_BYTES, &queue->responses))
        return false;
    if (queue->qid == 0)
        return true;
    if (!register_memory(queue, NVME_SQE_BYTES + NVME_CONNECT_BYTES, VERBS_BYTES, &queue->connect))
        return false;
    for (uint32_t i = 0; i < receives && queue->data_room > 0; i++)
        if (!register_memory(queue, queue->data_room, queue->target->memory,
                             &queue->receives[i].data))
            return false;
    return true;
}

static void release_memory(struct target_queue *queue, struct verbs_mr *mr)
{
    if (mr != NULL)
        nvme_target_verbs(queue)->dereg_mr(nvme_target_device(queue), mr);
}

void nvme_target_queue_free(struct target_queue *queue)
{
    if (queue->conn != NULL)
        nvme_target_verbs(queue)->destroy(queue->conn);
    release_memory(queue, queue->capsules);
    release_memory(queue, queue->responses);
    release_memory(queue, queue->connect);
    for (uint32_t i = 0; i < queue->receive_count; i++)
        release_memory(queue, queue->receives[i].data);
    for (uint32_t i = 0; i < queue->command_count; i++) {
        release_memory(queue, queue->commands[i]->bulk);
        release_memory(queue, queue->commands[i]->bytes);
        free(queue->commands[i]);
    }
    free(queue->receives);
    free(queue->commands);
    free(queue);
}

/* nvmet_rdma_parse_cm_connect_req, and limits on sizes that nvmet leaves to the device; 0:
 * acceptable. */
static unsigned refusal(const struct nvme_target *target, struct nvme_cm_request *request,
                        const struct verbs_event *event)
{
    if (!nvme_fabrics_decode_request(request, event->private_data, event->private_len))
        return NVME_CM_INVALID_LENGTH;
    if (request->format != 0)
        return NVME_CM_INVALID_FORMAT;
    if (request->qid > target->params.max_queues)
        return NVME_CM_INVALID_QID;
    const int64_t limit = request->qid == 0 ? NVME_ADMIN_QUEUE_SIZE : target->params.max_queue_size;
    if (request->hsqsize + 1 > limit)
        return NVME_CM_INVALID_HSQSIZE;
    return request->hrqsize == 0 ? NVME_CM_INVALID_HRQSIZE : 0;
}

static struct target_queue *new_queue(struct nvme_target *target, struct verbs_conn *conn)
{
    struct target_queue *queue = memory_new(sizeof *queue);
    queue->target = target;
    queue->conn = conn;
    queue->state = TARGET_QUEUE_CONNECTING;
    queue->next = target->queues;
    target->queues = queue;
    return queue;
}

static void size_queue(struct target_queue *queue, const struct nvme_cm_request *request)
{
    struct nvme_target *target = queue->target;
    queue->qid = request->qid;
    queue->receive_count = (uint16_t)(request->hsqsize + 1);
    /* The response and one RDMA operation of each command, as the RDMA R/W API adds them up,
     * and one to drain. */
    const bool fewer = request->hrqsize < queue->receive_count;
    const uint32_t sends = fewer ? request->hrqsize : queue->receive_count;
    const uint32_t most =
        1 + nvme_target_queue_operations(queue, (uint32_t)target->params.max_transfer);
    const uint32_t usual = 2 * sends + 1;
    queue->credits = queue->credit_limit = usual > most ? usual : most;
    queue->command_limit = queue->receive_count + queue->credit_limit;
    queue->data_room = queue->qid == 0 ? 0 : (uint32_t)target->params.in_capsule & ~15u;
    queue->core = &target->cores[target->next_core];
    target->next_core = (target->next_core + 1) % (uint32_t)target->params.cores;
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    (void)conn;
    nvme_target_queue_completion(self, wc);
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    (void)conn;
    nvme_target_queue_cm(self, event);
}

static bool accept_queue(struct target_queue *queue, const struct verbs_event *event)
{
    const struct ibv_qp_cap cap = {
        .max_send_wr = queue->credit_limit + 1,
        .max_recv_wr = queue->receive_count + 1u,
        .max_send_sge = 2,
        .max_recv_sge = 2,
    };
    const struct verbs_user user = {.self = queue, .on_cm = on_cm, .on_completion = on_completion};
    if (nvme_target_verbs(queue)->prepare(queue->conn, &cap, &user) != 0)
        return false;
    for (uint16_t i = 0; i < queue->receive_count; i++)
        if (!nvme_target_queue_post_receive(queue, &queue->receives[i]))
            return false;
    unsigned char private_data[NVME_CM_ACCEPT_BYTES];
    nvme_fabrics_encode_accept(queue->receive_count, private_data);
    const uint8_t served = event->responder_resources;
    const uint8_t issued = nvme_target_verbs(queue)->max_rd_atomic(nvme_target_device(queue));
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = NVME_CM_ACCEPT_BYTES,
        .initiator_depth = served < issued ? served : issued,
        .flow_control = 1,
        .rnr_retry_count = 7,
    };
    return nvme_target_verbs(queue)->accept(queue->conn, &param) == 0;
}

/* The connection cannot be destroyed while it is being asked for; the reaper does it. */
static void reject(struct target_queue *queue, unsigned why)
{
    unsigned char private_data[NVME_CM_REJECT_BYTES];
    nvme_fabrics_encode_reject((enum nvme_cm_reject)why, private_data);
    nvme_target_verbs(queue)->reject(queue->conn, private_data, NVME_CM_REJECT_BYTES);
    queue->gone = true;
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    nvme_target_reap(queue->target);
}

void nvme_target_queue_request(struct nvme_target *target, struct verbs_conn *conn,
                               const struct verbs_event *event)
{
    struct nvme_cm_request request = {0};
    if (target->stalled) {
        nvme_target_hold(target, &(struct target_held){
                                     .kind = TARGET_HELD_REQUEST, .conn = conn, .event = *event});
        return;
    }
    const unsigned why = refusal(target, &request, event);
    struct target_queue *queue = new_queue(target, conn);
    queue->peer_ip = event->peer_ip;
    if (why != 0) {
        reject(queue, why);
        return;
    }
    size_queue(queue, &request);
    target->stats.queues++;
    if (!make_memory(queue) || !accept_queue(queue, event))
        reject(queue, NVME_CM_NO_RESOURCES);
}
