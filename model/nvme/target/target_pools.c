/* SPDX-License-Identifier: Apache-2.0
 * target_pools - resources shared by the commands of all queues: data buffers and data work
 * requests.
 * An I/O command without in-capsule data holds as many buffers as its data fills, and a work
 * request for each RDMA operation beyond the first, for which it has its own. It holds them from
 * before its data is fetched or read until the host has acknowledged the response. A command that
 * finds too few waits in order, as do all behind it, even those that need fewer; it already has its
 * buffers when it waits for work requests.
 * Source: lib/nvmf/rdma.c of SPDK: RDMA_REQUEST_STATE_NEED_BUFFER, pending_buf_queue,
 * nvmf_request_alloc_wrs, nvmf_rdma_request_fill_iovs; num-shared-buffers and io-unit-size of
 * nvmf_create_transport. */
#include "nvme/target/target_private.h"

enum { BUFFERS_OF_A_COMMAND = 16 /* SPDK_NVMF_MAX_SGL_ENTRIES */ };

/* Length without protection information, which has space of its own. */
static uint32_t data_bytes(const struct target_command *command)
{
    const struct target_namespace *ns = command->ns;
    return LIKELY(ns == NULL || ns->plain) || nvme_target_protection_type(ns) == 0
               ? command->transfer.length
               : nvme_capsule_blocks(&command->sqe) * ns->block_bytes;
}

/* Operations beyond the first, at most `most`: a command that needs more than the pool has posts
 * them in batches. */
static int64_t operations(const struct target_command *command, int64_t most)
{
    const struct nvme_transport_ops *ops = nvme_target_transport(command->queue)->ops;
    if (ops->operations == NULL)
        return 0;
    const int64_t more =
        (int64_t)ops->operations(command->queue->conn, command->transfer.length) - 1;
    return more < most ? more : most;
}

static int64_t needed_units(const struct target_command *command, enum target_pool_kind kind)
{
    const struct nvme_target *target = command->queue->target;
    const struct target_pool *pool = &target->pools[kind];
    const bool shared =
        command->status == NVME_STATUS_OK && command->transfer.data == &command->bulk;
    if (!shared || pool->size == 0)
        return 0;
    return kind == TARGET_BUFFERS
               ? (data_bytes(command) + target->params.io_unit - 1) / target->params.io_unit
               : operations(command, pool->size);
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

void nvme_target_pools_init(struct nvme_target *target)
{
    const int64_t sizes[TARGET_POOLS] = {
        [TARGET_BUFFERS] = target->params.data_buffers,
        [TARGET_WORK_REQUESTS] = target->params.data_wr_pool,
    };
    for (int kind = 0; kind < TARGET_POOLS; kind++) {
        target->pools[kind].size = target->pools[kind].free = sizes[kind];
        target->pooled |= sizes[kind] > 0;
    }
}

/* Takes the command's share of pool `kind` and the following ones. Returns false when the command
 * has to wait. */
static bool take_resources(struct target_command *command, int kind)
{
    struct nvme_target *target = command->queue->target;
    for (; kind < TARGET_POOLS; kind++) {
        struct target_pool *pool = &target->pools[kind];
        const int64_t count = needed_units(command, (enum target_pool_kind)kind);
        if (count == 0)
            continue;
        if (pool->waiting.first != NULL || count > pool->free) {
            command->queue->unsupplied++;
            command->held[kind] = POOL_WANTED;
            nvme_target_list_add(&pool->waiting, command);
            return false;
        }
        pool->free -= count;
        command->held[kind] = (int16_t)count;
    }
    return true;
}

bool nvme_target_pools_take(struct target_command *command)
{
    return take_resources(command, 0);
}

/* Commands of closing queues are not served and are removed with their queue. */
static void serve_waiting(struct nvme_target *target, int kind)
{
    struct target_pool *pool = &target->pools[kind];
    struct target_command *command;
    while ((command = pool->waiting.first) != NULL) {
        const bool closing = command->queue->state == TARGET_QUEUE_CLOSING;
        const int64_t count = closing ? 0 : needed_units(command, (enum target_pool_kind)kind);
        if (count > pool->free)
            return;
        nvme_target_list_take(&pool->waiting);
        command->queue->unsupplied--;
        command->held[kind] = (int16_t)count;
        pool->free -= count;
        if (closing)
            continue;
        const time_ps now = nvme_target_now(command->queue);
        *(kind == TARGET_BUFFERS ? &command->times.buffered_at : &command->times.wrs_at) = now;
        if (take_resources(command, kind + 1))
            nvme_target_command_room(command);
    }
}

void nvme_target_pools_give(struct target_command *command)
{
    struct nvme_target *target = command->queue->target;
    for (int kind = 0; kind < TARGET_POOLS; kind++) {
        if (command->held[kind] <= 0)
            continue;
        target->pools[kind].free += command->held[kind];
        command->held[kind] = 0;
        serve_waiting(target, kind);
    }
}

static void drop_waiting(struct target_queue *queue, struct target_list *waiting)
{
    struct target_list rest = {0};
    struct target_command *command;
    while ((command = nvme_target_list_take(waiting)) != NULL)
        if (command->queue != queue)
            nvme_target_list_add(&rest, command);
    *waiting = rest;
}

void nvme_target_pools_forget(struct target_queue *queue)
{
    struct nvme_target *target = queue->target;
    for (int kind = 0; kind < TARGET_POOLS; kind++) {
        if (queue->unsupplied > 0)
            drop_waiting(queue, &target->pools[kind].waiting);
        for (uint32_t i = 0; i < queue->command_count; i++) {
            const int16_t held = queue->commands[i]->held[kind];
            target->pools[kind].free += held > 0 ? held : 0;
            queue->commands[i]->held[kind] = 0;
        }
    }
    queue->unsupplied = 0;
    for (int kind = 0; kind < TARGET_POOLS; kind++)
        serve_waiting(target, kind);
}

void nvme_target_pools_audit(const struct nvme_target *target)
{
    uint32_t waiting = 0, listed = 0;
    for (const struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        waiting += queue->unsupplied;
    for (int kind = 0; kind < TARGET_POOLS; kind++) {
        int64_t held = 0;
        for (const struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
            for (uint32_t i = 0; i < queue->command_count; i++)
                held += queue->commands[i]->held[kind] > 0 ? queue->commands[i]->held[kind] : 0;
        for (const struct target_command *at = target->pools[kind].waiting.first; at != NULL;
             at = at->next)
            listed++;
        CHECK(held + target->pools[kind].free == target->pools[kind].size);
    }
    CHECK(listed == waiting);
}
