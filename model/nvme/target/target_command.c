/* SPDX-License-Identifier: Apache-2.0
 * target_command - one command from its capsule to its response.
 *
 * capsule -> core -> parse -> SGL -> credits -> [RDMA READ] -> run -> done -> response
 *
 * The order of the checks, and so the status when several are wrong, is nvmet's:
 * nvmet_req_init, then nvmet_rdma_map_sgl, then the length in the command's own function
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
    const uint8_t flags = command->sqe.flags;
    if ((flags & NVME_FLAGS_FUSE) != 0 || (flags & NVME_FLAGS_PSDT) != NVME_FLAGS_SGL)
        return INVALID_FIELD;
    if (queue->controller == NULL)
        return nvme_target_connect_parse(command);
    return queue->qid > 0 ? nvme_target_io_parse(command) : nvme_target_admin_parse(command);
}

/* nvmet_rdma_map_sgl_inline, which also trusts the length: here it must have been received. */
static uint16_t map_in_capsule(struct target_command *command)
{
    const struct nvme_sgl *sgl = &command->sqe.sgl;
    if ((nvme_capsule_direction(&command->sqe) & NVME_DATA_OUT) == 0)
        return INVALID_FIELD;
    const uint32_t room = command->data_capsule_bytes;
    if (sgl->address > room || sgl->length > room - sgl->address)
        return NVME_STATUS_SGL_OFFSET | NVME_STATUS_DNR;
    command->length = sgl->length;
    command->in_capsule = true;
    return NVME_STATUS_OK;
}

/* NULL: the device has no more memory. */
static struct verbs_mr *buffer(struct target_command *command, struct verbs_mr **own,
                               enum verbs_memory memory)
{
    struct target_queue *queue = command->queue;
    const struct verbs_ops *verbs = nvme_target_verbs(queue);
    if (*own != NULL && (*own)->length >= command->length)
        return *own;
    uint32_t length = NVME_PAGE_BYTES;
    while (length < command->length)
        length *= 2;
    if (*own != NULL)
        verbs->dereg_mr(nvme_target_device(queue), *own);
    *own = verbs->reg_mr(nvme_target_device(queue), length, IBV_ACCESS_LOCAL_WRITE, memory);
    return *own;
}

static uint16_t map_keyed(struct target_command *command)
{
    const struct nvme_sgl *sgl = &command->sqe.sgl;
    command->length = sgl->length;
    if (sgl->length == 0)
        return NVME_STATUS_OK;
    const bool io = command->queue->qid > 0 && command->queue->controller != NULL;
    command->invalidate = sgl->type == NVME_SGL_KEYED_INVALIDATE;
    const int64_t limit = io ? command->queue->target->params.max_transfer : TARGET_ADMIN_DATA_MAX;
    if (sgl->length > limit)
        return INVALID_FIELD;
    command->data = io ? buffer(command, &command->bulk, command->queue->target->memory)
                       : buffer(command, &command->bytes, VERBS_BYTES);
    return command->data != NULL ? NVME_STATUS_OK : NVME_STATUS_INTERNAL;
}

static uint16_t map_sgl(struct target_command *command)
{
    switch (command->sqe.sgl.type) {
    case NVME_SGL_IN_CAPSULE:
        return map_in_capsule(command);
    case NVME_SGL_KEYED:
    case NVME_SGL_KEYED_INVALIDATE:
        return map_keyed(command);
    default:
        break;
    }
    const unsigned type =
        command->sqe.sgl.type >> 4; /* known, with another subtype, or not known */
    const bool known = type == NVME_SGL_IN_CAPSULE >> 4 || type == NVME_SGL_KEYED >> 4;
    return known ? INVALID_FIELD : NVME_STATUS_SGL_TYPE | NVME_STATUS_DNR;
}

unsigned nvme_target_command_needs(const struct target_command *command)
{
    if (command->data == NULL)
        return 1;
    return 1 + nvme_target_queue_operations(command->queue, command->length);
}

static bool has_to_fetch(const struct target_command *command)
{
    return command->data != NULL && command->run != refuse &&
           nvme_capsule_direction(&command->sqe) == NVME_DATA_OUT;
}

void nvme_target_command_begin(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    const unsigned needs = nvme_target_command_needs(command);
    CHECK(needs <= queue->credits);
    queue->credits -= needs;
    command->credits = (uint8_t)needs;
    if (has_to_fetch(command))
        nvme_target_queue_fetch(command);
    else
        command->run(command);
}

void nvme_target_command_fetched(struct target_command *command)
{
    command->times.fetched_at = nvme_target_now(command->queue);
    nvme_target_queue_credit(command, (uint8_t)(command->credits - 1)); /* of the READs */
    command->run(command);
}

void nvme_target_command_enter(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    queue->outside++;
    nvme_server_add(queue->core, &command->job, queue->target->params.command_cost);
}

static void start(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    command->run = NULL;
    command->data = NULL;
    command->ns = NULL;
    command->result = 0;
    command->length = 0;
    command->in_capsule = command->invalidate = false;
    command->status = parse(command);
    if (command->status == NVME_STATUS_OK)
        command->status = map_sgl(command);
    if (command->status != NVME_STATUS_OK)
        command->run = refuse;
    const bool first = queue->starved.first == NULL;
    if (first && nvme_target_command_needs(command) <= queue->credits)
        nvme_target_command_begin(command);
    else
        nvme_target_list_add(&queue->starved, command);
}

void nvme_target_command_on_turn(struct target_command *command)
{
    if (command->queue->target->stalled) {
        nvme_target_hold(command->queue->target,
                         &(struct target_held){.kind = TARGET_HELD_CORE, .command = command});
        return;
    }
    if (nvme_target_command_back(command))
        start(command);
}

void nvme_target_command_on_core(void *self, struct nvme_job *job)
{
    (void)self;
    nvme_target_command_on_turn((struct target_command *)(void *)job);
}

bool nvme_target_command_expects(struct target_command *command, uint64_t length)
{
    if (command->length == length)
        return true;
    nvme_target_command_done(command, NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR);
    return false;
}

void nvme_target_command_done(struct target_command *command, uint16_t status)
{
    struct target_queue *queue = command->queue;
    const struct env *env = queue->target->site.env;
    command->status = status;
    queue->target->stats.commands++;
    if (status != NVME_STATUS_OK) {
        queue->target->stats.errors++;
        nvme_target_logs_error(command);
    }
    if (queue->state == TARGET_QUEUE_CLOSING)
        return; /* the memory goes with the queue */
    nvme_target_queue_respond(command);
    if (queue->qid > 0 && command->sqe.opcode != NVME_FABRICS)
        env->probe->target_io(env->probe->self, &command->times);
}
