/* SPDX-License-Identifier: Apache-2.0
 * target_outage - stalls, crashes and revival of the target software.
 * Calls into a stalled target wait (stall.h). A crash closes its connections, as a kernel closes
 * those of a killed process; commands in the media complete without effect. */
#include "nvme/media/tag_store.h"
#include "nvme/target/target_private.h"

static void resume_target(struct nvme_target *target)
{
    nvme_stall_end(&target->stall);
    nvme_target_reap(target);
}

/* A crashed target defers nothing; the stall takes effect when it is back. */
void nvme_target_stall(struct nvme_target *target, bool stalled)
{
    target->to_stall = stalled;
    if (stalled)
        target->stall.on = !target->dead;
    else if (target->stall.on)
        resume_target(target);
}

/* Only for tag namespaces: real bytes survive a crash of the software. */
static void lose_data(struct nvme_target *target)
{
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        struct target_namespace *ns = &target->namespaces[i];
        if (ns->store->ops->memory != NVME_MEMORY_BULK)
            continue;
        ns->store->ops->destroy(ns->store);
        ns->store = nvme_tag_store_create(ns->block_bytes);
        nvme_target_protection_forget(ns, (struct nvme_range){0, ns->blocks});
    }
}

static void note_outage(const struct nvme_target *target, const char *text)
{
    const struct env *env = target->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

void nvme_target_kill(struct nvme_target *target, bool data_lost)
{
    if (!target->dead)
        nvme_target_unlisten(target);
    target->dead = true;
    note_outage(target, "NVMe target crashed");
    for (struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        nvme_target_queue_vanish(queue);
    for (struct target_controller *controller = target->controllers; controller != NULL;
         controller = controller->next) {
        controller->ended = true;
        env_timer_cancel(target->site.env, &controller->keep_alive_timer);
    }
    resume_target(target); /* deferred calls run on queues that are already closed */
    if (data_lost)
        lose_data(target);
}

bool nvme_target_revive(struct nvme_target *target)
{
    if (!target->dead)
        return true;
    if (!nvme_target_listen(target))
        return false;
    target->dead = false;
    target->stall.on = target->to_stall;
    target->next_cntlid = 1;
    note_outage(target, "NVMe target came back");
    return true;
}
