/* SPDX-License-Identifier: Apache-2.0
 * target_buffers - data buffers that the commands of all queues share.
 * An I/O command whose data are not in its capsule holds as many as its data fill, from before they
 * are fetched or read to when the host has acknowledged the response.  Who finds too few waits in
 * order, also those behind it that need fewer.
 * Source: lib/nvmf/rdma.c of SPDK, RDMA_REQUEST_STATE_NEED_BUFFER and pending_buf_queue;
 * num-shared-buffers and io-unit-size of nvmf_create_transport. */
#include "nvme/target/target_private.h"

enum { BUFFERS_OF_A_COMMAND = 16 /* SPDK_NVMF_MAX_SGL_ENTRIES */ };

/* Without protection information, which has its place with them. */
static uint32_t data_bytes(const struct target_command *command)
{
    const struct target_namespace *ns = command->ns;
    return LIKELY(ns == NULL || ns->plain) || nvme_target_protection_type(ns) == 0
               ? command->transfer.length
               : nvme_capsule_blocks(&command->sqe) * ns->block_bytes;
}

static int64_t needed(const struct target_command *command)
{
    const int64_t unit = command->queue->target->params.io_unit;
    const bool shared =
        command->status == NVME_STATUS_OK && command->transfer.data == &command->bulk;
    return shared ? (data_bytes(command) + unit - 1) / unit : 0;
}

int64_t nvme_target_carries(const struct nvme_target_params *params)
{
    const int64_t most =
        params->data_buffers < BUFFERS_OF_A_COMMAND ? params->data_buffers : BUFFERS_OF_A_COMMAND;
    int64_t bytes = params->max_transfer;
    while (params->data_buffers > 0 && bytes > most * params->io_unit)
        bytes /= 2;
    return bytes;
}

static NOINLINE bool take(struct target_command *command)
{
    struct nvme_target *target = command->queue->target;
    const int64_t count = needed(command);
    if (count == 0)
        return true;
    if (target->unbuffered.first != NULL || count > target->buffers_free) {
        command->queue->unbuffered++;
        command->buffers = BUFFERS_WANTED;
        nvme_target_list_add(&target->unbuffered, command);
        return false;
    }
    target->buffers_free -= count;
    command->buffers = (int16_t)count;
    return true;
}

bool nvme_target_buffers_take(struct target_command *command)
{
    return LIKELY(command->queue->target->params.data_buffers == 0) || take(command);
}

/* Those of queues that are closing come no further, and go with them. */
static void serve(struct nvme_target *target)
{
    struct target_command *command;
    while ((command = target->unbuffered.first) != NULL) {
        const bool closing = command->queue->state == TARGET_QUEUE_CLOSING;
        if (!closing && needed(command) > target->buffers_free)
            return;
        nvme_target_list_take(&target->unbuffered);
        command->queue->unbuffered--;
        command->buffers = closing ? 0 : (int16_t)needed(command);
        if (closing)
            continue;
        target->buffers_free -= command->buffers;
        command->times.buffered_at = nvme_target_now(command->queue);
        nvme_target_command_room(command);
    }
}

void nvme_target_buffers_give(struct target_command *command)
{
    struct nvme_target *target = command->queue->target;
    if (command->buffers <= 0)
        return;
    target->buffers_free += command->buffers;
    command->buffers = 0;
    serve(target);
}

static void drop_waiting(struct target_queue *queue)
{
    struct target_list *waiting = &queue->target->unbuffered, rest = {0};
    struct target_command *command;
    while ((command = nvme_target_list_take(waiting)) != NULL)
        if (command->queue != queue)
            nvme_target_list_add(&rest, command);
    *waiting = rest;
    queue->unbuffered = 0;
}

void nvme_target_buffers_forget(struct target_queue *queue)
{
    if (queue->unbuffered > 0)
        drop_waiting(queue);
    for (uint32_t i = 0; i < queue->command_count; i++)
        if (queue->commands[i]->buffers > 0)
            queue->target->buffers_free += queue->commands[i]->buffers;
    serve(queue->target);
}

void nvme_target_buffers_audit(const struct nvme_target *target)
{
    int64_t held = 0;
    uint32_t waiting = 0, listed = 0;
    for (const struct target_queue *queue = target->queues; queue != NULL; queue = queue->next) {
        waiting += queue->unbuffered;
        for (uint32_t i = 0; i < queue->command_count; i++)
            if (queue->commands[i]->buffers > 0)
                held += queue->commands[i]->buffers;
    }
    for (const struct target_command *at = target->unbuffered.first; at != NULL; at = at->next)
        listed++;
    CHECK(held + target->buffers_free == target->params.data_buffers && listed == waiting);
}
