/* SPDX-License-Identifier: Apache-2.0
 * target_cores - assigns a queue to a core for its lifetime.
 * Source: SPDK lib/nvmf/rdma.c: nvmf_rdma_get_optimal_poll_group; drivers/nvme/target/rdma.c of
 * Linux 6.1: nvmet_rdma_alloc_queue, whose numbers come from an IDA. */
#include "nvme/target/target_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Whether the work of a transport takes the time of cores. */
static bool takes_turns(const struct nvme_target *target)
{
    for (uint32_t i = 0; i < target->port_count; i++)
        if (target->ports[i].transport->ops->run_on != NULL)
            return true;
    return false;
}

void nvme_target_cores_init(struct nvme_target *target)
{
    const size_t count = (size_t)target->params.cores;
    const bool turns = takes_turns(target);
    nvme_server_init(&target->lock, target->site.env, nvme_target_command_locked, target, 0);
    target->cores = memory_zeroed(count, sizeof *target->cores);
    target->core_queues = memory_zeroed(count, sizeof *target->core_queues);
    target->processors = memory_zeroed(count, sizeof *target->processors);
    for (size_t i = 0; i < count; i++) {
        cpu_core_init(&target->processors[i], target->site.env);
        nvme_server_init_cpu(&target->cores[i], target->site.env, nvme_target_command_on_core,
                             target);
        if (turns)
            nvme_server_run_on(&target->cores[i], &target->processors[i]);
    }
}

void nvme_target_cores_fini(struct nvme_target *target)
{
    free(target->cores);
    for (int64_t i = 0; i < target->params.cores; i++)
        cpu_core_fini(&target->processors[i]);
    free(target->processors);
    free(target->core_queues);
    free(target->numbers);
    free(target->accounts);
}

static uint32_t next_of(const struct nvme_target *target, uint32_t core)
{
    return (core + 1) % (uint32_t)target->params.cores;
}

/* The core with the fewest queues, searched from `from`. */
static uint32_t least_queues(const struct nvme_target *target, uint32_t from)
{
    uint32_t least = from;
    for (uint32_t at = next_of(target, from); at != from; at = next_of(target, at))
        if (target->core_queues[at] < target->core_queues[least])
            least = at;
    return least;
}

/* Allocates the lowest number not in use. */
static uint32_t take_number(struct nvme_target *target)
{
    const uint8_t *spare =
        target->number_room == 0 ? NULL : memchr(target->numbers, 0, target->number_room);
    const uint32_t number =
        spare != NULL ? (uint32_t)(spare - target->numbers) : target->number_room;
    const uint32_t room = target->number_room;
    target->numbers = memory_grown(target->numbers, number, &target->number_room, 1);
    if (target->number_room > room)
        memset(target->numbers + room, 0, target->number_room - room);
    target->numbers[number] = 1;
    return number;
}

static uint32_t choose_core(struct nvme_target *target, const struct target_queue *queue,
                            bool admin)
{
    uint32_t *turn = &target->next_core;
    uint32_t core;
    switch (target->params.core_scheduling) {
    case NVME_TARGET_LEAST_QUEUES:
        turn = admin ? &target->next_admin_core : &target->next_core;
        core = admin ? *turn : least_queues(target, *turn);
        break;
    case NVME_TARGET_QUEUE_NUMBER:
        return admin ? 0 : (queue->taken - 1) % (uint32_t)target->params.cores;
    default:
        core = *turn;
    }
    *turn = next_of(target, core);
    return core;
}

void nvme_target_core_take(struct target_queue *queue, bool admin)
{
    struct nvme_target *target = queue->target;
    if (target->params.core_scheduling == NVME_TARGET_QUEUE_NUMBER)
        queue->taken = take_number(target) + 1;
    const uint32_t core = choose_core(target, queue, admin);
    queue->core = &target->cores[core];
    queue->counted = !admin;
    target->core_queues[core] += queue->counted;
    nvme_transport_run_on(nvme_target_transport(queue)->ops, queue->conn,
                          &target->processors[core]);
}

void nvme_target_core_give(struct target_queue *queue)
{
    struct nvme_target *target = queue->target;
    if (queue->taken > 0)
        target->numbers[queue->taken - 1] = 0;
    if (!queue->counted)
        return;
    CHECK(target->core_queues[queue->core - target->cores] > 0);
    target->core_queues[queue->core - target->cores]--;
}

static time_ps queue_cpu(const struct target_queue *queue)
{
    return queue->cpu + nvme_transport_cpu(nvme_target_transport(queue)->ops, queue->conn);
}

void nvme_target_core_settle(const struct target_queue *queue)
{
    struct nvme_target *target = queue->target;
    const time_ps spent = queue_cpu(queue);
    if (queue->controller == NULL) {
        target->unknown_cpu += spent;
        return;
    }
    struct nvme_cpu *ended = &target->accounts[queue->controller->account].ended;
    *(queue->qid == 0 ? &ended->admin : &ended->io) += spent;
}

void nvme_target_cpu(const struct nvme_target *target, nvme_target_cpu_fn *call, void *self)
{
    struct nvme_cpu *live = memory_zeroed(target->account_count, sizeof *live);
    time_ps unknown = target->unknown_cpu;
    for (const struct target_queue *at = target->queues; at != NULL; at = at->next) {
        struct nvme_cpu *of = at->controller == NULL ? NULL : &live[at->controller->account];
        *(of == NULL ? &unknown : at->qid == 0 ? &of->admin : &of->io) += queue_cpu(at);
    }
    for (uint32_t i = 0; i < target->account_count; i++) {
        const struct target_account *account = &target->accounts[i];
        const struct nvme_cpu cpu = {account->ended.admin + live[i].admin,
                                     account->ended.io + live[i].io};
        call(self, account->cntlid, account->made_at, cpu);
    }
    call(self, 0, 0, (struct nvme_cpu){.admin = unknown});
    free(live);
}

void nvme_target_cores_audit(const struct nvme_target *target)
{
    int64_t counted = 0;
    for (int64_t i = 0; i < target->params.cores; i++) {
        nvme_server_audit(&target->cores[i]);
        counted += target->core_queues[i];
    }
    for (const struct target_queue *at = target->queues; at != NULL; at = at->next)
        counted -= at->counted;
    CHECK(counted == 0);
    nvme_server_audit(&target->lock);
}
