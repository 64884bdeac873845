/* SPDX-License-Identifier: Apache-2.0
 * target_queue - one queue pair of the target.
 * As nvmet_rdma does it: a receive is given back just before its command's response is sent; a
 * command begins only with send credits for all that it will post (1 for the response, 1 for each
 * RDMA operation) and otherwise waits in order.  A queue pair that is closing stays until the CM is
 * done with it and its commands have come back.  How one comes and goes: target_accept.c. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>

enum { WR_RECEIVE = 1, WR_RESPONSE, WR_READ, WR_WRITE };

static uint64_t wr_id(unsigned kind, unsigned index)
{
    return (uint64_t)kind << 32 | index;
}

void nvme_target_list_add(struct target_list *list, struct target_command *command)
{
    command->next = NULL;
    if (list->first == NULL)
        list->first = command;
    else
        list->last->next = command;
    list->last = command;
}

struct target_command *nvme_target_list_take(struct target_list *list)
{
    struct target_command *command = list->first;
    if (command != NULL)
        list->first = command->next;
    return command;
}

void nvme_target_queue_event(struct target_queue *queue, enum nvme_target_queue_event event)
{
    const struct nvme_fsm_place place = {.env = queue->target->site.env,
                                         .peer_ip = queue->peer_ip,
                                         .qid = queue->qid,
                                         .number = &queue->number};
    queue->state = nvme_fsm_move(&nvme_fsm_target_queue, &place, queue->state, (uint8_t)event);
}

/* ---- commands and receives ---- */

static struct target_command *take_command(struct target_queue *queue)
{
    struct target_command *command = nvme_target_list_take(&queue->free);
    if (command != NULL || queue->command_count == queue->command_limit)
        return command;
    command = memory_new(sizeof *command);
    command->queue = queue;
    command->index = (uint16_t)queue->command_count;
    queue->commands[queue->command_count++] = command;
    return command;
}

/* The first receive of an I/O queue takes the Connect, whose data must be readable; from its
 * second use on, like the others, it has a place for I/O data. */
bool nvme_target_queue_post_receive(struct target_queue *queue, struct target_receive *receive)
{
    const unsigned index = (unsigned)(receive - queue->receives);
    const uint64_t at = (uint64_t)index * NVME_SQE_BYTES;
    struct ibv_sge sges[2] = {
        {.addr = queue->capsules->addr + at,
         .length = NVME_SQE_BYTES,
         .lkey = queue->capsules->lkey},
    };
    struct ibv_recv_wr wr = {.wr_id = wr_id(WR_RECEIVE, index), .sg_list = sges, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    receive->bytes = queue->capsules->bytes + at;
    receive->connect = NULL;
    if (index == 0 && queue->connect != NULL && queue->state == TARGET_QUEUE_CONNECTING) {
        sges[0].addr = queue->connect->addr;
        sges[0].length = queue->connect->length;
        sges[0].lkey = queue->connect->lkey;
        receive->bytes = queue->connect->bytes;
        receive->connect = queue->connect->bytes + NVME_SQE_BYTES;
    } else if (receive->data != NULL) {
        wr.num_sge = 2;
        sges[1] = (struct ibv_sge){
            .addr = receive->data->addr, .length = queue->data_room, .lkey = receive->data->lkey};
    }
    return nvme_target_verbs(queue)->post_recv(queue->conn, &wr, &bad) == 0;
}

void nvme_target_queue_credit(struct target_command *command, uint8_t credits)
{
    struct target_queue *queue = command->queue;
    CHECK(command->credits >= credits);
    command->credits = (uint8_t)(command->credits - credits);
    queue->credits += credits;
    while (queue->starved.first != NULL && queue->state != TARGET_QUEUE_CLOSING &&
           nvme_target_command_needs(queue->starved.first) <= queue->credits)
        nvme_target_command_begin(nvme_target_list_take(&queue->starved));
}

static void release(struct target_command *command)
{
    nvme_target_list_add(&command->queue->free, command);
    nvme_target_queue_credit(command, command->credits);
}

static void on_capsule(struct target_queue *queue, unsigned index, uint32_t length)
{
    if (length < NVME_SQE_BYTES) {
        nvme_target_queue_error(queue, "command capsule shorter than 64 bytes");
        return;
    }
    struct target_command *command = take_command(queue);
    if (command == NULL) {
        nvme_target_queue_error(queue, "more commands than the queue has entries");
        return;
    }
    command->receive = &queue->receives[index];
    command->data_capsule_bytes = length - NVME_SQE_BYTES;
    nvme_capsule_decode_command(&command->sqe, command->receive->bytes);
    command->times = (struct probe_target_io){
        .host_ip = queue->peer_ip,
        .target_ip = queue->target->local_ip,
        .controller = queue->controller != NULL ? queue->controller->cntlid : 0,
        .qid = queue->qid,
        .cid = command->sqe.cid,
        .capsule_at = nvme_target_now(queue),
    };
    if (queue->controller != NULL)
        queue->controller->seen_command = true;
    if (queue->state == TARGET_QUEUE_CONNECTING)
        nvme_target_list_add(&queue->early, command);
    else
        nvme_target_command_enter(command);
}

static void resume(struct target_queue *queue)
{
    while (queue->early.first != NULL && queue->state != TARGET_QUEUE_CLOSING)
        nvme_target_command_enter(nvme_target_list_take(&queue->early));
}

/* ---- work requests ---- */

/* The RDMA operations of a command, one after another: each has its piece of the data. */
struct chain {
    struct ibv_send_wr wrs[TARGET_RDMA_MAX];
    struct ibv_sge sges[TARGET_RDMA_MAX];
};

static uint32_t operation_bytes(const struct target_queue *queue, uint32_t bytes)
{
    const int64_t most = queue->target->params.rdma_size;
    return most < 0 || bytes < most ? bytes : (uint32_t)most;
}

unsigned nvme_target_queue_operations(const struct target_queue *queue, uint32_t bytes)
{
    const uint32_t each = operation_bytes(queue, bytes);
    return each == 0 ? 1 : (bytes + each - 1) / each;
}

/* Returns the last one, whose `next` is NULL. */
static struct ibv_send_wr *make_chain(const struct target_command *command, struct chain *chain,
                                      enum ibv_wr_opcode opcode, uint64_t id)
{
    const uint32_t each = operation_bytes(command->queue, command->length);
    const unsigned count = nvme_target_queue_operations(command->queue, command->length);
    CHECK(count <= TARGET_RDMA_MAX);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t at = i * each, left = command->length - at;
        chain->sges[i] = (struct ibv_sge){.addr = command->data->addr + at,
                                          .length = left < each ? left : each,
                                          .lkey = command->data->lkey};
        chain->wrs[i] = (struct ibv_send_wr){
            .wr_id = id,
            .next = i + 1 < count ? &chain->wrs[i + 1] : NULL,
            .sg_list = &chain->sges[i],
            .num_sge = 1,
            .opcode = opcode,
            .wr.rdma = {.remote_addr = command->sqe.sgl.address + at, .rkey = command->sqe.sgl.key},
        };
    }
    return &chain->wrs[count - 1];
}

/* One completion is enough, the last READ's: they are answered in order. */
void nvme_target_queue_fetch(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    struct chain chain;
    make_chain(command, &chain, IBV_WR_RDMA_READ, wr_id(WR_READ, command->index))->send_flags =
        IBV_SEND_SIGNALED;
    struct ibv_send_wr *bad = NULL;
    command->times.fetch_at = nvme_target_now(queue);
    if (nvme_target_verbs(queue)->post_send(queue->conn, chain.wrs, &bad) != 0)
        nvme_target_queue_error(queue, "cannot post an RDMA READ");
}

static void encode_response(struct target_command *command, size_t at)
{
    struct target_queue *queue = command->queue;
    if (queue->sq_size > 0)
        queue->sqhd = (uint16_t)((queue->sqhd + 1u) % queue->sq_size);
    const struct nvme_response response = {
        .result = command->result,
        .sqhd = queue->sqhd,
        .sqid = queue->controller != NULL ? queue->qid : 0,
        .cid = command->sqe.cid,
        .status = command->status,
    };
    nvme_capsule_encode_response(&response, queue->responses->bytes + at);
}

/* The data of a read goes ahead of the response in one chain: RC keeps the order, so one
 * completion is enough. */
void nvme_target_queue_respond(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    const size_t at = (size_t)command->index * NVME_CQE_BYTES;
    encode_response(command, at);
    struct ibv_sge capsule = {.addr = queue->responses->addr + at,
                              .length = NVME_CQE_BYTES,
                              .lkey = queue->responses->lkey};
    struct ibv_send_wr response = {
        .wr_id = wr_id(WR_RESPONSE, command->index),
        .sg_list = &capsule,
        .num_sge = 1,
        .opcode = command->invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
    if (command->invalidate)
        response.invalidate_rkey = command->sqe.sgl.key;
    struct chain data;
    const bool writes = command->data != NULL && (command->status & NVME_STATUS_CODE) == 0 &&
                        nvme_capsule_direction(&command->sqe) == NVME_DATA_IN;
    if (writes)
        make_chain(command, &data, IBV_WR_RDMA_WRITE, wr_id(WR_WRITE, command->index))->next =
            &response;
    struct ibv_send_wr *bad = NULL;
    const bool posted =
        nvme_target_queue_post_receive(queue, command->receive) &&
        nvme_target_verbs(queue)->post_send(queue->conn, writes ? data.wrs : &response, &bad) == 0;
    command->times.response_at = nvme_target_now(queue);
    if (!posted)
        nvme_target_queue_error(queue, "cannot post a response");
}

/* ---- what the queue pair says ---- */

void nvme_target_queue_completion(struct target_queue *queue, const struct ibv_wc *wc)
{
    const unsigned index = (unsigned)wc->wr_id;
    if (queue->state == TARGET_QUEUE_CLOSING)
        return; /* flushed; the memory goes with the queue */
    if (queue->target->stalled) {
        nvme_target_hold(
            queue->target,
            &(struct target_held){.kind = TARGET_HELD_COMPLETION, .queue = queue, .wc = *wc});
        return;
    }
    if (wc->status != IBV_WC_SUCCESS) {
        nvme_target_queue_error(queue, "a work request failed");
        return;
    }
    switch (wc->wr_id >> 32) {
    case WR_RECEIVE:
        on_capsule(queue, index, wc->byte_len);
        break;
    case WR_READ:
        nvme_target_command_fetched(queue->commands[index]);
        break;
    case WR_RESPONSE:
        release(queue->commands[index]);
        break;
    default:
        break;
    }
}

void nvme_target_queue_cm(struct target_queue *queue, const struct verbs_event *event)
{
    if (queue->target->stalled) {
        nvme_target_hold(
            queue->target,
            &(struct target_held){.kind = TARGET_HELD_CM, .queue = queue, .event = *event});
        return;
    }
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        if (queue->state != TARGET_QUEUE_CONNECTING)
            return;
        nvme_target_queue_event(queue, TARGET_QUEUE_ON_ESTABLISHED);
        resume(queue);
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        queue->gone = true;
        nvme_target_queue_close(queue);
        break;
    default:
        break; /* steps of the CM that concern only the implementation */
    }
}

void nvme_target_queue_close(struct target_queue *queue)
{
    const bool open = queue->state != TARGET_QUEUE_CLOSING;
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    if (open)
        nvme_target_verbs(queue)->disconnect(queue->conn);
    nvme_target_reap(queue->target);
}

/* Its queue pair is gone, and nobody is told. */
void nvme_target_queue_vanish(struct target_queue *queue)
{
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    if (queue->conn != NULL)
        nvme_target_verbs(queue)->destroy(queue->conn);
    queue->conn = NULL;
    queue->gone = true;
    nvme_target_reap(queue->target);
}

void nvme_target_queue_error(struct target_queue *queue, const char *why)
{
    if (queue->controller != NULL)
        nvme_target_fatal(queue->controller, why);
    else
        nvme_target_queue_close(queue);
}

void nvme_target_queue_audit(const struct target_queue *queue)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < queue->command_count; i++)
        taken += queue->commands[i]->credits;
    CHECK(queue->credits + taken == queue->credit_limit);
    CHECK(queue->command_count <= queue->command_limit && queue->outside <= queue->command_count);
    CHECK(queue->sq_size == 0 ? queue->sqhd == 0 : queue->sqhd < queue->sq_size);
}
