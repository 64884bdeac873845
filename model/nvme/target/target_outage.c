/* SPDX-License-Identifier: Apache-2.0
 * target_outage - a software that stands still, or dies and comes back.
 * What calls into a stalled target is kept and called again, in the same order, when it goes on: a
 * loop of events that did not turn.  One that dies takes its queue pairs with it, as a kernel
 * closes what a killed process had open; commands in the media come back to nobody. */
#include "base/memory.h"
#include "nvme/media/tag_store.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>
#include <string.h>

void nvme_target_hold(struct nvme_target *target, const struct target_held *call)
{
    if (target->held_count == target->held_room) {
        target->held_room = target->held_room * 2 + 64;
        target->held = memory_resized(target->held, target->held_room, sizeof *target->held);
    }
    struct target_held *held = &target->held[target->held_count++];
    *held = *call;
    const uint8_t length = call->kind == TARGET_HELD_REQUEST ? call->event.private_len : 0;
    CHECK(length <= sizeof held->private_data);
    if (length > 0)
        memcpy(held->private_data, call->event.private_data, length);
    held->event.private_data = NULL; /* set when it is called: the array moves */
    held->event.private_len = length;
}

static void call(struct nvme_target *target, struct target_held *held)
{
    held->event.private_data = held->private_data;
    switch (held->kind) {
    case TARGET_HELD_COMPLETION:
        nvme_target_queue_completion(held->queue, &held->wc);
        break;
    case TARGET_HELD_CM:
        nvme_target_queue_cm(held->queue, &held->event);
        break;
    case TARGET_HELD_REQUEST:
        if (target->dead)
            target->site.verbs->destroy(held->conn);
        else
            nvme_target_queue_request(target, held->conn, &held->event);
        break;
    case TARGET_HELD_CORE:
        nvme_target_command_on_turn(held->command);
        break;
    case TARGET_HELD_MEDIA:
        nvme_target_io_on_media(held->command);
        break;
    case TARGET_HELD_KEEP_ALIVE:
        nvme_target_keep_alive_due(held->controller);
        break;
    }
}

static void go_on(struct nvme_target *target)
{
    struct target_held *held = target->held;
    const uint32_t count = target->held_count;
    target->held = NULL;
    target->held_count = target->held_room = 0;
    target->stalled = false;
    for (uint32_t i = 0; i < count; i++)
        call(target, &held[i]);
    free(held);
    nvme_target_reap(target);
}

/* A dead one holds nothing, so it stands still only when it is back. */
void nvme_target_stall(struct nvme_target *target, bool stalled)
{
    target->to_stall = stalled;
    if (stalled)
        target->stalled = !target->dead;
    else if (target->stalled)
        go_on(target);
}

/* Namespaces of tags only: bytes outlive the software. */
static void lose_data(struct nvme_target *target)
{
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        struct target_namespace *ns = &target->namespaces[i];
        if (ns->store->ops->memory != VERBS_BULK)
            continue;
        ns->store->ops->destroy(ns->store);
        ns->store = nvme_tag_store_create(ns->block_bytes);
    }
}

static void note(const struct nvme_target *target, const char *text)
{
    const struct env *env = target->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

void nvme_target_kill(struct nvme_target *target, bool data_lost)
{
    if (!target->dead)
        target->site.verbs->unlisten(target->site.device, NVME_RDMA_PORT);
    target->dead = true;
    note(target, "NVMe target died");
    for (struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        nvme_target_queue_vanish(queue);
    for (struct target_controller *controller = target->controllers; controller != NULL;
         controller = controller->next) {
        controller->ended = true;
        env_timer_cancel(target->site.env, &controller->keep_alive_timer);
    }
    go_on(target); /* what was held comes back to queues that are closed */
    if (data_lost)
        lose_data(target);
}

bool nvme_target_revive(struct nvme_target *target)
{
    const struct verbs_user user = nvme_target_listener(target);
    if (!target->dead)
        return true;
    if (target->site.verbs->listen(target->site.device, NVME_RDMA_PORT, &user) != 0)
        return false;
    target->dead = false;
    target->stalled = target->to_stall;
    target->next_cntlid = 1;
    note(target, "NVMe target came back");
    return true;
}
