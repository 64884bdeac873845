/* SPDX-License-Identifier: Apache-2.0
 * target_look - lists the outstanding commands of a target for observers. */
#include "nvme/target/target_private.h"

static bool is_in(const struct target_list *list, const struct target_command *command)
{
    const struct target_command *at = list->first;
    while (at != NULL && at != command)
        at = at->next;
    return at != NULL;
}

static enum nvme_target_stage stage_of(const struct target_command *command)
{
    const struct probe_target_io *times = &command->times;
    if (command->held[TARGET_BUFFERS] == POOL_WANTED)
        return NVME_TARGET_UNBUFFERED;
    if (command->held[TARGET_WORK_REQUESTS] == POOL_WANTED)
        return NVME_TARGET_WITHOUT_WRS;
    if (is_in(&command->queue->starved, command))
        return NVME_TARGET_STARVED;
    if (times->response_at != 0)
        return NVME_TARGET_RESPONDED;
    if (times->media_done_at != 0)
        return NVME_TARGET_AFTER_MEDIA;
    if (times->limit_at != 0 && times->media_at == 0)
        return NVME_TARGET_LIMITED;
    if (times->media_at != 0)
        return NVME_TARGET_IN_MEDIA;
    if (times->fetch_at != 0 && times->fetched_at == 0)
        return NVME_TARGET_FETCHES;
    return NVME_TARGET_ON_CORE;
}

void nvme_target_look(const struct nvme_target *target, nvme_target_looker *look, void *self)
{
    for (const struct target_queue *queue = target->queues; queue != NULL; queue = queue->next)
        for (uint32_t i = 0; i < queue->command_count; i++) {
            const struct target_command *command = queue->commands[i];
            if (queue->qid == 0 || is_in(&queue->free, command))
                continue;
            const struct nvme_target_command view = {
                .stage = stage_of(command),
                .times = command->times,
                .opcode = command->sqe.opcode,
                .bytes = command->transfer.length,
                .qpn = nvme_target_transport(queue)->ops->number(queue->conn),
            };
            look(self, &view);
        }
}

void nvme_target_stations(const struct nvme_target *target, nvme_station_fn *call, void *self)
{
    for (int64_t i = 0; i < target->params.cores; i++)
        call(self, &(struct nvme_station){"cores", &target->cores[i], 1});
    if (target->params.lock_cost > 0)
        call(self, &(struct nvme_station){"lock", &target->lock, 1});
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        const struct target_namespace *ns = &target->namespaces[i];
        if (ns->ops->stations != NULL)
            ns->ops->stations(ns->media, call, self);
    }
}

bool nvme_target_wear(const struct nvme_target *target, struct media_wear *sum)
{
    bool any = false;
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        const struct target_namespace *ns = &target->namespaces[i];
        if (ns->ops->wear == NULL)
            continue;
        struct media_wear wear;
        if (!ns->ops->wear(ns->media, &wear))
            continue;
#define X(member) sum->member += wear.member;
        MEDIA_WEAR(X)
#undef X
        any = true;
    }
    return any;
}

bool nvme_target_is_stalled(const struct nvme_target *target)
{
    return target->stall.on;
}

bool nvme_target_is_dead(const struct nvme_target *target)
{
    return target->dead;
}
