/* SPDX-License-Identifier: Apache-2.0
 * wl_check - verifies that reads return the data that were written.
 * A direct-mapped table. The version of an entry changes with every write that begins or ends
 * there. If it changed during a read, the block was being written, and the read is not judged. */
#include "scenarios/workload/wl_check.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>

struct wl_check_entry {
    int64_t block;
    uint32_t content;
    uint32_t writing; /* writes in flight to the block */
    uint32_t version;
    bool certain; /* the last write did not overlap another one and succeeded */
};

enum { SEQUENCE_BITS = 12 };

void wl_check_init(struct wl_check *check, uint32_t owner, int64_t block_bytes, int64_t blocks)
{
    CHECK(block_bytes >= 0 && blocks >= 0);
    const bool known = owner < WL_CHECK_OWNERS; /* 0: no owner number was assigned */
    *check = (struct wl_check){.owner = known ? owner : 0, .block_bytes = block_bytes};
    if (check->owner == 0 || block_bytes == 0 || blocks == 0)
        return;
    check->entry_count =
        blocks < WL_CHECK_ENTRIES_MAX ? (uint32_t)blocks : (uint32_t)WL_CHECK_ENTRIES_MAX;
    check->entries = memory_zeroed(check->entry_count, sizeof *check->entries);
    for (uint32_t i = 0; i < check->entry_count; i++)
        check->entries[i].block = -1;
}

void wl_check_fini(struct wl_check *check)
{
    free(check->entries);
    *check = (struct wl_check){0};
}

uint32_t wl_check_tag(struct wl_check *check)
{
    const uint32_t sequence_max = (1u << SEQUENCE_BITS) - 1;
    check->sequence = check->sequence % sequence_max + 1;
    return check->owner << SEQUENCE_BITS | check->sequence;
}

/* The block's entry in the table, which may be in use for another block. */
static struct wl_check_entry *place_of(const struct wl_check *check, int64_t offset)
{
    CHECK(offset % check->block_bytes == 0);
    return &check->entries[offset / check->block_bytes % check->entry_count];
}

void wl_check_write(struct wl_check *check, int64_t offset, uint32_t content)
{
    if (check->entries == NULL)
        return;
    struct wl_check_entry *entry = place_of(check, offset);
    const int64_t block = offset / check->block_bytes;
    if (entry->block != block && entry->writing > 0)
        return; /* the end of the other block's write must still be counted */
    if (entry->block != block)
        *entry = (struct wl_check_entry){.block = block, .version = entry->version};
    entry->certain = entry->writing == 0;
    entry->content = content;
    entry->writing++;
    entry->version++;
}

void wl_check_written(struct wl_check *check, int64_t offset, bool good)
{
    if (check->entries == NULL)
        return;
    struct wl_check_entry *entry = place_of(check, offset);
    if (entry->block != offset / check->block_bytes || entry->writing == 0)
        return;
    entry->writing--;
    entry->version++;
    entry->certain = entry->certain && good;
}

struct wl_expectation wl_check_read(const struct wl_check *check, int64_t offset)
{
    if (check->entries == NULL)
        return (struct wl_expectation){0};
    const struct wl_check_entry *entry = place_of(check, offset);
    if (entry->block != offset / check->block_bytes || entry->writing > 0 || !entry->certain)
        return (struct wl_expectation){0};
    return (struct wl_expectation){.content = entry->content, .version = entry->version};
}

bool wl_check_good(const struct wl_check *check, int64_t offset, struct wl_expectation expected,
                   uint32_t content)
{
    if (expected.content == 0 || content == expected.content)
        return true;
    const struct wl_check_entry *entry = place_of(check, offset);
    if (entry->block != offset / check->block_bytes || entry->version != expected.version)
        return true;
    return content == 0 ? check->emptied : content >> SEQUENCE_BITS != check->owner;
}
