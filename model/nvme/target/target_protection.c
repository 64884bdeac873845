/* SPDX-License-Identifier: Apache-2.0
 * target_protection - protection information of a namespace, and silent data corruption.
 * The store has one tag per block, and the guard is computed over the tag's four bytes. A tuple is
 * not stored itself: a mark records how it differs from the tuple expected for its block and LBA,
 * and nearly all blocks share the same mark. The data of a write is checked before the media, that
 * of a read after it; nvmet has its NIC check read data while sending it.
 * Source: NVM Command Set 1.0, 5.2; nvmet_rdma_check_pi_status of Linux 6.1, whose statuses have no
 * DNR. Corruption as in Bairavasundaram et al., "An analysis of data corruption in the storage
 * stack", FAST 2008. */
#include "nvme/target/target_private.h"

#include "base/memory.h"
#include "nvme/media/tag_store.h"
#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

#include <stdlib.h>

enum {
    NO_MARK = 0,      /* never written, or deallocated: application and reference tag are all
                       * ones */
    MARKS_MAX = 4096, /* blocks that would need more marks are not checked */
};

struct mark {
    uint32_t offset; /* reference tag minus the LBA where it is stored; type 3: 0 */
    uint32_t flip;   /* bits of the content tag flipped since the guard was computed */
    uint16_t application;
};

struct target_protection {
    struct nvme_tag_store marks; /* by block: index in the list, from 1 */
    struct mark *list;
    uint32_t count, room;
    uint8_t type;
};

struct target_protection *nvme_target_protection_create(unsigned type, uint32_t block_bytes)
{
    CHECK(type < NVME_PI_TYPES);
    if (type == 0)
        return NULL;
    struct target_protection *made = memory_new(sizeof *made);
    *made = (struct target_protection){.type = (uint8_t)type};
    nvme_tag_store_init(&made->marks, block_bytes, NVME_TAG_STORE_LIMIT);
    return made;
}

void nvme_target_protection_destroy(struct target_protection *protection)
{
    if (protection == NULL)
        return;
    nvme_tag_store_fini(&protection->marks);
    free(protection->list);
    free(protection);
}

unsigned nvme_target_protection_type(const struct target_namespace *ns)
{
    return ns->protection == NULL ? 0 : ns->protection->type;
}

bool nvme_target_is_protected(const struct target_subsystem *subsystem)
{
    bool any = false;
    for (uint32_t i = 0; i < subsystem->namespace_count; i++)
        any |= subsystem->namespaces[i]->protection != NULL;
    return any;
}

uint32_t nvme_target_protection_bytes(const struct target_namespace *ns, uint32_t bytes)
{
    return ns->protection == NULL ? 0 : bytes / ns->block_bytes * NVME_PI_BYTES;
}

static uint16_t guard_of(uint32_t content)
{
    unsigned char bytes[4];
    wire_put32(bytes, content);
    return nvme_pi_guard(bytes, sizeof bytes);
}

/* ---- marks ---- */

static uint32_t number_of(struct target_protection *protection, const struct mark *mark)
{
    for (uint32_t i = 0; i < protection->count; i++) {
        const struct mark *at = &protection->list[i];
        if (at->offset == mark->offset && at->flip == mark->flip &&
            at->application == mark->application)
            return i + 1;
    }
    if (protection->count == MARKS_MAX)
        return NVME_CONTENT_MIXED;
    protection->list = memory_grown(protection->list, protection->count, &protection->room,
                                    sizeof *protection->list);
    protection->list[protection->count++] = *mark;
    return protection->count;
}

/* Records the tuples given by the command at the location where its blocks are stored. */
static void record_marks(struct target_protection *protection, const struct nvme_command *sqe,
                         struct nvme_range where, uint32_t flip)
{
    const uint32_t offset =
        protection->type == NVME_PI_TYPE3 ? 0 : sqe->cdw14 - (uint32_t)where.lba;
    const struct mark mark = {offset, flip, nvme_pi_application(sqe)};
    nvme_tag_store_write(&protection->marks, where.lba, (uint32_t)where.blocks,
                         number_of(protection, &mark));
}

void nvme_target_protection_forget(struct target_namespace *ns, struct nvme_range range)
{
    if (ns->protection != NULL)
        nvme_tag_store_zero(&ns->protection->marks, range.lba, range.blocks);
}

void nvme_target_protection_zeroed(struct target_command *command)
{
    const struct nvme_command *sqe = &command->sqe;
    const struct nvme_range range = {nvme_capsule_lba(sqe), nvme_capsule_blocks(sqe)};
    if (command->ns->protection != NULL && (sqe->cdw12 & NVME_PI_ACT) != 0)
        record_marks(command->ns->protection, sqe, range, 0);
    else
        nvme_target_protection_forget(command->ns, range);
}

/* ---- checks ---- */

static uint16_t check_block(const struct target_namespace *ns, const struct nvme_command *sqe,
                            uint32_t at, uint64_t lba)
{
    const struct target_protection *protection = ns->protection;
    const uint32_t number = nvme_tag_store_read(&protection->marks, lba, 1);
    if (number == NO_MARK || number == NVME_CONTENT_MIXED)
        return NVME_STATUS_OK;
    const struct mark *mark = &protection->list[number - 1];
    struct nvme_buffer block = {0};
    ns->store->ops->read(ns->store, (struct nvme_range){lba, 1}, &block);
    const bool counts = protection->type != NVME_PI_TYPE3;
    const struct nvme_pi kept = {.guard = guard_of(block.content ^ mark->flip),
                                 .application = mark->application,
                                 .reference = counts ? mark->offset + (uint32_t)lba : 0};
    return nvme_pi_check(sqe, protection->type, at, &kept, guard_of(block.content));
}

/* Blocks with the same mark are all valid or all invalid, unless a bit was flipped: then each has a
 * guard of its own. */
static uint16_t check_stored(const struct target_command *command, struct nvme_range where)
{
    const struct target_protection *protection = command->ns->protection;
    if (protection == NULL)
        return NVME_STATUS_OK;
    const uint32_t number =
        nvme_tag_store_read(&protection->marks, where.lba, (uint32_t)where.blocks);
    const bool alike =
        number != NO_MARK && number != NVME_CONTENT_MIXED && protection->list[number - 1].flip == 0;
    const uint64_t blocks = number == NO_MARK ? 0 : alike ? 1 : where.blocks;
    uint16_t status = NVME_STATUS_OK;
    for (uint32_t i = 0; i < blocks && status == NVME_STATUS_OK; i++)
        status = check_block(command->ns, &command->sqe, i, where.lba + i);
    return status;
}

/* The tuples of a write or a comparison have the values given in its command, as generated by its
 * host; their guard is that of the data as sent. */
uint16_t nvme_target_protection_judge(const struct target_command *command,
                                      const struct nvme_buffer *data)
{
    const struct nvme_command *sqe = &command->sqe;
    const unsigned type = nvme_target_protection_type(command->ns);
    const uint16_t status = nvme_pi_judge_command(sqe, type);
    const bool checks =
        (sqe->cdw12 & NVME_PI_CHK_GUARD) != 0 && nvme_pi_travels(sqe, type) > 0 && data != NULL;
    if (status != NVME_STATUS_OK || !checks || data->content != NVME_CONTENT_MIXED)
        return status;
    return NVME_STATUS_GUARD_CHECK;
}

/* ---- silent corruption ---- */

bool nvme_target_corrupt(struct nvme_target *target, uint32_t number, enum nvme_corruption how,
                         uint32_t every)
{
    if (number < 1 || number > target->namespace_count)
        return false;
    struct target_namespace *ns = &target->namespaces[number - 1];
    if (ns->store->ops->memory != NVME_MEMORY_BULK)
        return false;
    ns->corruption = (struct target_corruption){.every = every, .how = (uint8_t)how};
    ns->plain = ns->protection == NULL && every == 0;
    return true;
}

static bool is_hit(struct target_namespace *ns, enum nvme_corruption how)
{
    struct target_corruption *corruption = &ns->corruption;
    if (corruption->every == 0 || corruption->how != (uint8_t)how)
        return false;
    corruption->seen = (corruption->seen + 1) % corruption->every;
    return corruption->seen == 0;
}

/* The next `blocks` blocks, or the previous ones where that would exceed the namespace. */
static struct nvme_range misdirected_range(const struct target_namespace *ns,
                                           struct nvme_range range)
{
    if (range.lba + 2 * range.blocks <= ns->blocks)
        range.lba += range.blocks;
    else if (range.lba >= range.blocks)
        range.lba -= range.blocks;
    return range;
}

/* ---- operations ---- */

static struct nvme_range range_of(const struct target_command *command)
{
    return (struct nvme_range){nvme_capsule_lba(&command->sqe), nvme_capsule_blocks(&command->sqe)};
}

static struct nvme_range read_at(struct target_command *command)
{
    const struct nvme_range range = range_of(command);
    return is_hit(command->ns, NVME_CORRUPTION_MISDIRECTED_READ)
               ? misdirected_range(command->ns, range)
               : range;
}

uint16_t nvme_target_protection_read(struct target_command *command)
{
    struct nvme_store *store = command->ns->store;
    const struct nvme_range where = read_at(command);
    const uint16_t status = store->ops->read(store, where, command->transfer.data);
    return status != NVME_STATUS_OK ? status : check_stored(command, where);
}

uint16_t nvme_target_protection_compare(struct target_command *command,
                                        const struct nvme_buffer *data, uint64_t at)
{
    struct nvme_store *store = command->ns->store;
    const struct nvme_range where = read_at(command);
    const uint16_t status = check_stored(command, where);
    return status != NVME_STATUS_OK ? status : store->ops->compare(store, where, data, at);
}

uint16_t nvme_target_protection_write(struct target_command *command,
                                      const struct nvme_buffer *data, uint64_t at)
{
    struct target_namespace *ns = command->ns;
    struct nvme_range where = range_of(command);
    struct nvme_buffer bits = data != NULL ? *data : (struct nvme_buffer){0};
    uint32_t flip = bits.content == NVME_CONTENT_MIXED; /* the data arrived corrupt */
    if (is_hit(ns, NVME_CORRUPTION_LOST_WRITE))
        return NVME_STATUS_OK;
    if (is_hit(ns, NVME_CORRUPTION_MISDIRECTED_WRITE))
        where = misdirected_range(ns, where);
    if (is_hit(ns, NVME_CORRUPTION_FLIPPED_BIT) && flip == 0) {
        flip = 1;
        bits.content ^= flip;
    }
    const uint16_t status =
        ns->store->ops->write(ns->store, where, data != NULL ? &bits : NULL, at);
    if (status == NVME_STATUS_OK && ns->protection != NULL)
        record_marks(ns->protection, &command->sqe, where, flip);
    return status;
}
