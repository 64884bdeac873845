/* SPDX-License-Identifier: Apache-2.0
 * target_cids - detects a command whose identifier is already outstanding on its queue.
 * Identifiers are counted in slots by their low bits. Hosts take those bits from the tag, so
 * normally only a repeated identifier finds its slot in use, and only then the commands of the
 * queue are compared.
 * Source: base 2.0, 3.3.1 and 4.1 (the CID is unique on its submission queue); status 03h. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

void nvme_target_cids_open(struct target_queue *queue)
{
    if (queue->target->conduct->same_cid == NVME_STATUS_OK)
        return;
    queue->cid_slots = 16;
    while (queue->cid_slots < 2 * queue->command_limit && queue->cid_slots < TARGET_CID_SLOTS)
        queue->cid_slots *= 2;
    queue->cids = memory_zeroed(queue->cid_slots, sizeof *queue->cids);
}

static uint16_t *slot_of(const struct target_command *command)
{
    return &command->queue->cids[command->sqe.cid & (command->queue->cid_slots - 1)];
}

static NOINLINE bool is_under_way(const struct target_command *command)
{
    const struct target_queue *queue = command->queue;
    for (uint32_t i = 0; i < queue->command_count; i++)
        if (queue->commands[i]->counted && queue->commands[i]->sqe.cid == command->sqe.cid)
            return true;
    return false;
}

void nvme_target_cids_add(struct target_command *command)
{
    command->same_cid = false;
    if (command->queue->cids == NULL)
        return;
    uint16_t *slot = slot_of(command);
    command->same_cid = UNLIKELY(*slot > 0) && is_under_way(command);
    command->counted = true;
    ++*slot;
}

void nvme_target_cids_drop(struct target_command *command)
{
    if (!command->counted)
        return;
    uint16_t *slot = slot_of(command);
    CHECK(*slot > 0);
    --*slot;
    command->counted = false;
}
