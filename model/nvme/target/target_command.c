/* SPDX-License-Identifier: Apache-2.0
 * target_command - one command from its capsule to its response.
 *   capsule -> core -> parse -> SGL -> [buffers] -> space -> [fetch] -> run -> done -> response
 * The order of the checks, and so the status when several fail, is nvmet's: nvmet_req_init, then
 * the transport's own (nvmet_rdma_map_sgl), then the length in the command's own function
 * (nvmet_check_transfer_len). */
#include "nvme/target/target_private.h"

enum { INVALID_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR };

bool nvme_target_command_back(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    CHECK(queue->outside > 0);
    queue->outside--;
    if (queue->state != TARGET_QUEUE_CLOSING)
        return true;
    nvme_target_reap(queue->target);
    return false;
}

static void refuse(struct target_command *command)
{
    nvme_target_command_done(command, command->status);
}

static uint16_t parse(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    const struct target_conduct *conduct = queue->target->conduct;
    const uint8_t flags = command->sqe.flags;
    if (UNLIKELY(command->same_cid))
        return (uint16_t)conduct->same_cid;
    if (UNLIKELY((flags & NVME_FLAGS_FUSE) != 0))
        return INVALID_FIELD;
    if (UNLIKELY((flags & NVME_FLAGS_PSDT) != NVME_FLAGS_SGL) &&
        conduct->bad_psdt != NVME_STATUS_OK)
        return (uint16_t)conduct->bad_psdt;
    if (queue->controller == NULL)
        return nvme_target_connect_parse(command);
    return queue->qid > 0 ? nvme_target_io_parse(command) : nvme_target_admin_parse(command);
}

/* nvmet_rdma_map_sgl_inline, which also trusts the length: here the data must have been
 * received. */
static uint16_t map_in_capsule(struct target_command *command)
{
    const struct nvme_sgl *sgl = &command->sqe.sgl;
    if ((nvme_capsule_direction(&command->sqe) & NVME_DATA_OUT) == 0)
        return INVALID_FIELD;
    const uint32_t room = command->transfer.capsule->data_bytes;
    if (sgl->address > room || sgl->length > room - sgl->address)
        return NVME_STATUS_SGL_OFFSET | NVME_STATUS_DNR;
    command->transfer.length = sgl->length;
    command->in_capsule = true;
    return command->transfer.capsule->damaged ? NVME_STATUS_TRANSIENT_TRANSPORT : NVME_STATUS_OK;
}

/* NULL: out of memory. */
static struct nvme_buffer *buffer(struct target_command *command, struct nvme_buffer *own,
                                  enum nvme_memory memory)
{
    struct nvme_transport *transport = nvme_target_transport(command->queue);
    if (own->length >= command->transfer.length)
        return own;
    uint32_t length = NVME_PAGE_BYTES;
    while (length < command->transfer.length)
        length *= 2;
    nvme_transport_unmap(transport, own);
    return transport->ops->map(transport, own, length, memory, 0) ? own : NULL;
}

/* As in Linux's host and target: MDTS applies to the data alone. */
static NOINLINE uint32_t with_protection(const struct target_command *command, uint32_t bytes)
{
    const struct target_namespace *ns = command->ns;
    return ns == NULL ? bytes : bytes + nvme_target_protection_bytes(ns, bytes);
}

static uint16_t map_data(struct target_command *command)
{
    const struct target_queue *queue = command->queue;
    const uint32_t length = command->sqe.sgl.length;
    const bool io = queue->qid > 0 && queue->controller != NULL;
    const int64_t limit = queue->target->params.max_transfer;
    command->transfer.length = length;
    command->transfer.described = length > 0;
    if (length == 0)
        return NVME_STATUS_OK;
    if (UNLIKELY(queue->controller == NULL) && length > NVME_CONNECT_BYTES)
        return length > limit ? INVALID_FIELD : NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR;
    if (UNLIKELY(length > limit) && (!io || length > with_protection(command, (uint32_t)limit)))
        return INVALID_FIELD;
    const bool bulk = io && command->sqe.opcode != NVME_DATASET; /* the target parses its ranges */
    command->transfer.data = bulk ? buffer(command, &command->bulk, queue->target->memory)
                                  : buffer(command, &command->bytes, NVME_MEMORY_BYTES);
    return command->transfer.data != NULL ? NVME_STATUS_OK : NVME_STATUS_INTERNAL;
}

static uint16_t map_sgl(struct target_command *command)
{
    const struct nvme_sgl *sgl = &command->sqe.sgl;
    if (sgl->type == NVME_SGL_IN_CAPSULE)
        return map_in_capsule(command);
    const uint16_t status = nvme_target_transport(command->queue)->ops->judge_sgl(sgl);
    if (UNLIKELY(status == INVALID_FIELD)) /* known descriptor type */
        return (uint16_t)command->queue->target->conduct->bad_sgl_subtype;
    return status == NVME_STATUS_OK ? map_data(command) : status;
}

static bool has_to_fetch(const struct target_command *command)
{
    return command->transfer.data != NULL && command->run != refuse &&
           nvme_capsule_direction(&command->sqe) == NVME_DATA_OUT;
}

void nvme_target_command_begin(struct target_command *command)
{
    if (has_to_fetch(command))
        nvme_target_queue_fetch(command);
    else
        command->run(command);
}

void nvme_target_command_fetched(struct target_command *command)
{
    command->times.fetched_at = nvme_target_now(command->queue);
    nvme_target_queue_resume(command->queue);
    if (UNLIKELY(command->transfer.damaged))
        nvme_target_command_done(command, NVME_STATUS_TRANSIENT_TRANSPORT);
    else
        command->run(command);
}

void nvme_target_command_enter(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    queue->outside++;
    nvme_server_add(queue->core, &command->job, queue->target->params.command_cost);
}

void nvme_target_command_room(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    const bool first = queue->starved.first == NULL;
    if (first && nvme_target_queue_reserve(command))
        nvme_target_command_begin(command);
    else
        nvme_target_list_add(&queue->starved, command);
}

static void start(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    command->times.begun_at = nvme_target_now(queue);
    command->run = NULL;
    command->ns = NULL;
    command->result = 0;
    command->in_capsule = false;
    command->transfer.data = NULL;
    command->transfer.length = 0;
    command->transfer.described = false;
    command->status = parse(command);
    if (command->status == NVME_STATUS_OK)
        command->status = map_sgl(command);
    if (UNLIKELY(command->aborted)) {
        command->aborted = false;
        command->status = NVME_STATUS_ABORTED;
    }
    if (command->status != NVME_STATUS_OK)
        command->run = refuse;
    if (LIKELY(!command->queue->target->pooled) || nvme_target_pools_take(command))
        nvme_target_command_room(command);
}

static void on_core(void *self, const void *what)
{
    struct target_command *command = self;
    (void)what;
    if (nvme_stall_holds(&command->queue->target->stall, on_core, command, NULL, 0))
        return;
    if (nvme_target_command_back(command))
        start(command);
}

/* The software is done with the command, in the time `spent` without waiting. */
static void worked(struct target_command *command, time_ps spent)
{
    command->times.worked_at = nvme_target_now(command->queue);
    command->times.core_at = command->times.worked_at - spent;
    command->queue->cpu += spent;
    on_core(command, NULL);
}

void nvme_target_command_on_core(void *self, struct nvme_job *job)
{
    struct target_command *command = (struct target_command *)(void *)job;
    struct nvme_target *target = self;
    if (UNLIKELY(target->params.lock_cost > 0) && command->queue->qid > 0)
        nvme_server_add(&target->lock, job, target->params.lock_cost);
    else
        worked(command, target->params.command_cost);
}

void nvme_target_command_locked(void *self, struct nvme_job *job)
{
    const struct nvme_target *target = self;
    worked((struct target_command *)(void *)job,
           target->params.command_cost + target->params.lock_cost);
}

bool nvme_target_command_expects(struct target_command *command, uint64_t length)
{
    if (command->transfer.length == length)
        return true;
    nvme_target_command_done(command, NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR);
    return false;
}

/* As the identity does: without Do Not Retry, or with More. */
static NOINLINE void apply_conduct(struct target_command *command)
{
    const struct target_queue *queue = command->queue;
    const struct target_conduct *conduct = queue->target->conduct;
    const uint16_t code = command->status & NVME_STATUS_CODE;
    const bool of_io = queue->qid > 0 && (code == NVME_STATUS_INVALID_NAMESPACE ||
                                          code == NVME_STATUS_INVALID_OPCODE);
    if (conduct->says_no_retry == 0 && !(of_io && command->sqe.opcode != NVME_FABRICS))
        command->status &= (uint16_t)~NVME_STATUS_DNR;
    queue->target->stats.errors++;
    if (nvme_target_logs_error(command) && conduct->names_location != 0)
        command->status |= NVME_STATUS_MORE;
}

void nvme_target_command_done(struct target_command *command, uint16_t status)
{
    struct target_queue *queue = command->queue;
    const struct env *env = queue->target->site.env;
    command->status = status;
    queue->target->stats.commands++;
    if (UNLIKELY(status != NVME_STATUS_OK))
        apply_conduct(command);
    command->times.status = command->status;
    if (queue->state == TARGET_QUEUE_CLOSING)
        return; /* the memory is released with the queue */
    nvme_target_queue_respond(command);
    if (queue->qid > 0 && command->sqe.opcode != NVME_FABRICS)
        env->probe->target_io(env->probe->self, &command->times);
}
