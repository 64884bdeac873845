/* SPDX-License-Identifier: Apache-2.0
 * target_io - read, write and flush; compare, deallocate and write zeroes if the store supports
 * them.
 * Source: base 6.6, 6.7, 6.8, 6.9, 6.15, 6.17; drivers/nvme/target/io-cmd-bdev.c. A write takes
 * effect at the end of its time in the media, and a read returns the data present at the end of its
 * own. Deallocate and Write Zeroes take no media time; a Compare takes that of a read. */
#include "nvme/target/target_private.h"

#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

static struct nvme_range range_of(const struct nvme_command *sqe)
{
    return (struct nvme_range){nvme_capsule_lba(sqe), nvme_capsule_blocks(sqe)};
}

static bool fits(const struct target_namespace *ns, struct nvme_range range)
{
    return range.blocks <= ns->blocks && range.lba <= ns->blocks - range.blocks;
}

static bool in_range(struct target_command *command)
{
    if (fits(command->ns, range_of(&command->sqe)))
        return true;
    nvme_target_command_done(command, (uint16_t)command->queue->target->conduct->beyond_end);
    return false;
}

static uint16_t finish_read(struct target_command *command, struct nvme_target_stats *stats)
{
    struct nvme_store *store = command->ns->store;
    stats->reads++;
    stats->bytes_read += command->media.bytes;
    return LIKELY(command->ns->plain)
               ? store->ops->read(store, range_of(&command->sqe), command->transfer.data)
               : nvme_target_protection_read(command);
}

/* Data of a write; NULL: none. */
static const struct nvme_buffer *data_of(const struct target_command *command)
{
    return command->in_capsule ? command->transfer.capsule->data : command->transfer.data;
}

static uint16_t finish_compare(struct target_command *command, struct nvme_target_stats *stats)
{
    struct nvme_store *store = command->ns->store;
    const uint64_t at = command->in_capsule ? command->sqe.sgl.address : 0;
    stats->reads++;
    return LIKELY(command->ns->plain)
               ? store->ops->compare(store, range_of(&command->sqe), data_of(command), at)
               : nvme_target_protection_compare(command, data_of(command), at);
}

static uint16_t finish_write(struct target_command *command, struct nvme_target_stats *stats)
{
    struct nvme_store *store = command->ns->store;
    const struct nvme_buffer *data = data_of(command);
    const uint64_t at = command->in_capsule ? command->sqe.sgl.address : 0;
    const uint16_t status = LIKELY(command->ns->plain)
                                ? store->ops->write(store, range_of(&command->sqe), data, at)
                                : nvme_target_protection_write(command, data, at);
    stats->writes++;
    if (store->ops->memory == NVME_MEMORY_BULK && data != NULL)
        stats->damaged += data->content == NVME_CONTENT_MIXED;
    stats->bytes_written += command->media.bytes;
    return status;
}

static uint16_t finish_flush(struct target_command *command, struct nvme_target_stats *stats)
{
    struct nvme_store *store = command->ns->store;
    stats->flushes++;
    return store->ops->flush(store);
}

static void media_done(void *self, const void *what)
{
    struct target_command *command = self;
    (void)what;
    if (nvme_stall_holds(&command->queue->target->stall, media_done, command, NULL, 0))
        return;
    if (!nvme_target_command_back(command))
        return;
    CHECK(command->media.bytes <= command->transfer.length);
    CHECK(command->media.op == MEDIA_FLUSH || fits(command->ns, range_of(&command->sqe)));
    struct nvme_target_stats *stats = &command->queue->target->stats;
    uint16_t status;
    if (UNLIKELY(command->media.failed)) {
        const struct target_conduct *conduct = command->queue->target->conduct;
        nvme_target_command_done(command, (uint16_t)(command->media.op == MEDIA_READ
                                                         ? conduct->media_read_error
                                                         : conduct->media_write_error));
        return;
    }
    switch (command->media.op) {
    case MEDIA_READ:
        status = command->sqe.opcode == NVME_COMPARE ? finish_compare(command, stats)
                                                     : finish_read(command, stats);
        break;
    case MEDIA_WRITE:
        status = finish_write(command, stats);
        break;
    default:
        status = finish_flush(command, stats);
    }
    nvme_target_command_done(command, status);
}

static void on_media(void *self, struct media_request *request)
{
    struct target_command *command = self;
    command->times.media_begun_at = request->begun_at;
    command->times.media_done_at = request->done_at;
    media_done(command, NULL);
}

void nvme_target_io_submit(struct target_command *command)
{
    command->times.media_at = nvme_target_now(command->queue);
    command->ns->ops->submit(command->ns->media, &command->media);
}

static void to_media(struct target_command *command, enum media_op op, uint32_t bytes)
{
    const struct target_namespace *ns = command->ns;
    const struct nvme_target *target = command->queue->target;
    command->media = (struct media_request){
        .op = op,
        .offset = op == MEDIA_FLUSH ? 0 : nvme_capsule_lba(&command->sqe) * ns->block_bytes,
        .bytes = bytes,
        .done = on_media,
        .self = command,
    };
    command->queue->outside++;
    if (LIKELY(!target->limited) || nvme_target_limit_admits(command))
        nvme_target_io_submit(command);
}

static void run_transfer(struct target_command *command)
{
    const uint64_t bytes = (uint64_t)nvme_capsule_blocks(&command->sqe) * command->ns->block_bytes;
    if (!nvme_target_command_expects(command, bytes) || !in_range(command))
        return;
    to_media(command, command->sqe.opcode == NVME_WRITE ? MEDIA_WRITE : MEDIA_READ,
             command->transfer.length);
}

/* Protection information follows each block, unless the controller inserts and strips it. */
static NOINLINE void run_protected(struct target_command *command)
{
    const struct nvme_command *sqe = &command->sqe;
    const uint32_t blocks = nvme_capsule_blocks(sqe);
    const uint64_t bytes = (uint64_t)blocks * command->ns->block_bytes;
    const uint32_t each = nvme_pi_travels(sqe, nvme_target_protection_type(command->ns));
    if (!nvme_target_command_expects(command, bytes + (uint64_t)blocks * each) ||
        !in_range(command))
        return;
    const uint16_t status =
        nvme_target_protection_judge(command, sqe->opcode == NVME_READ ? NULL : data_of(command));
    if (status != NVME_STATUS_OK)
        nvme_target_command_done(command, status);
    else
        to_media(command, sqe->opcode == NVME_WRITE ? MEDIA_WRITE : MEDIA_READ, (uint32_t)bytes);
}

static void run_flush(struct target_command *command)
{
    if (nvme_target_command_expects(command, 0))
        to_media(command, MEDIA_FLUSH, 0);
}

static void run_write_zeroes(struct target_command *command)
{
    struct nvme_store *store = command->ns->store;
    if (!nvme_target_command_expects(command, 0) || !in_range(command))
        return;
    uint16_t status = nvme_target_protection_judge(command, NULL);
    if (status == NVME_STATUS_OK)
        status = store->ops->zero(store, range_of(&command->sqe));
    if (status == NVME_STATUS_OK)
        nvme_target_protection_zeroed(command);
    nvme_target_command_done(command, status);
}

static uint16_t deallocate(struct target_namespace *ns, const unsigned char *range_bytes)
{
    struct nvme_store *store = ns->store;
    const struct nvme_range range = {wire_get64(range_bytes + NVME_DATASET_LBA_AT),
                                     wire_get32(range_bytes + NVME_DATASET_LENGTH_AT)};
    if (!fits(ns, range))
        return NVME_STATUS_LBA_RANGE | NVME_STATUS_DNR;
    const uint16_t status = range.blocks == 0 ? NVME_STATUS_OK : store->ops->zero(store, range);
    if (status == NVME_STATUS_OK)
        nvme_target_protection_forget(ns, range);
    return status;
}

/* Linux sends space for the maximum number of ranges, whatever their number; hints are ignored. */
static void run_dataset(struct target_command *command)
{
    const struct nvme_command *sqe = &command->sqe;
    const uint32_t length = ((sqe->cdw10 & 0xFF) + 1) * NVME_DATASET_RANGE_BYTES;
    const struct nvme_buffer *data = data_of(command);
    const uint64_t at = command->in_capsule ? sqe->sgl.address : 0;
    uint16_t status = NVME_STATUS_OK;
    if (command->transfer.length < length || data == NULL)
        status = NVME_STATUS_SGL_LENGTH | NVME_STATUS_DNR;
    else if (data->bytes == NULL) /* in-capsule data was content tags */
        status = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR;
    else if ((sqe->cdw11 & NVME_DATASET_DEALLOCATE) != 0)
        for (uint32_t i = 0; i < length && status == NVME_STATUS_OK; i += NVME_DATASET_RANGE_BYTES)
            status = deallocate(command->ns, data->bytes + at + i);
    nvme_target_command_done(command, status);
}

static inline void (*transfer_of(const struct target_command *command))(struct target_command *)
{
    return LIKELY(command->ns->protection == NULL) ? run_transfer : run_protected;
}

static void (*run_of(const struct target_command *command))(struct target_command *)
{
    const bool zeroes = command->ns->store->ops->zero != NULL;
    switch (command->sqe.opcode) {
    case NVME_READ:
    case NVME_WRITE:
        return transfer_of(command);
    case NVME_FLUSH:
        return run_flush;
    case NVME_COMPARE:
        return nvme_target_compares(command->queue->target) ? transfer_of(command) : NULL;
    case NVME_WRITE_ZEROES:
        return zeroes ? run_write_zeroes : NULL;
    case NVME_DATASET:
        return zeroes ? run_dataset : NULL;
    default:
        return NULL;
    }
}

uint16_t nvme_target_io_parse(struct target_command *command)
{
    const struct target_queue *queue = command->queue;
    const struct target_controller *controller = queue->controller;
    if (UNLIKELY(command->sqe.opcode == NVME_FABRICS))
        return nvme_target_connect_parse_again(command);
    if ((controller->cc & NVME_CC_ENABLE) == 0 || (controller->csts & NVME_CSTS_READY) == 0)
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    command->ns = nvme_target_namespace(controller, command->sqe.nsid);
    if (UNLIKELY(command->ns == NULL))
        return nvme_target_no_namespace(controller, command->sqe.nsid);
    const uint16_t access =
        nvme_ana_status((enum nvme_ana_state)queue->port->ana[command->ns->ana_group]);
    if (UNLIKELY(access != NVME_STATUS_OK))
        return access;
    command->run = run_of(command);
    return command->run != NULL ? NVME_STATUS_OK : NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR;
}
